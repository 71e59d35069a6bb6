"""mir_eval's value beside ours, and where the two part (music_metrics.md 1.1, 2, 5.4 and 5.5)."""

import sys

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.estimates.against_mir_eval import METRICS, compare_with_mir_eval, without_peer
from musebench_tasks.evaluation.estimated import Estimate
from musebench_tasks.evaluation.recordings import Recording, score_recordings


def compared(pairs, field):
    """Rows by metric, for pairs of (reference, estimate) of one field, each a recording of 30 s."""
    right = [Recording(f"r{n}", duration_s=30, **{field: each[0]}) for n, each in enumerate(pairs)]
    found = [Estimate(f"r{n}", **{field: each[1]}) for n, each in enumerate(pairs)]
    return {row.metric: row for row in compare_with_mir_eval(score_recordings(right, found))}


def test_the_four_percent_edge_is_a_hit_here_and_missed_by_floats():  # music_metrics.md 2
    row = compared([(40, 41.6), (47, 48.88), (47, 45.12), (100, 104), (100, 50), (100, None)], "tempo_bpm")[
        "mub.tempo.acc1/1"
    ]
    assert (row.n, row.n_taken) == (6, 5)
    assert row.ours_there == pytest.approx(4 / 5)
    assert row.theirs < row.ours_there
    assert row.n_different == round(5 * (row.ours_there - row.theirs))


def test_the_fifth_below_and_the_relative_tell_the_key_rules_apart():  # music_metrics.md 1.3
    rows = compared([("G major", "C major"), ("C major", "G major"), ("C major", "A minor")], "key")
    assert {name: (row.ours_there, row.theirs) for name, row in rows.items()} == {
        "mub.key.symmetric/2": (pytest.approx(1 / 3), pytest.approx(0.8 / 3)),
        "mub.key.mirex_symmetric/1": (pytest.approx(1.3 / 3), pytest.approx(0.8 / 3)),
        "mub.key.mirex_ascending/1": (pytest.approx(0.8 / 3), pytest.approx(0.8 / 3)),
    }
    assert rows["mub.key.mirex_ascending/1"].n_different == 0


def test_key_names_are_put_in_its_spelling_first():  # music_metrics.md 1.4: it rejects every one of these
    names = ["Cb major", "Fb major", "E# minor", "f#m", "F sharp minor", "C♯ major", "8A", "h minor"]
    row = compared([(name, name) for name in names], "key")["mub.key.mirex_ascending/1"]
    assert (row.n_taken, row.ours_there, row.theirs) == (8, 1.0, 1.0)


SEGMENTS = ((0, 10, "A"), (10, 20, "B"), (20, 30, "A"))


def test_hit_rates_agree_and_structure_differs_by_its_frames():  # music_metrics.md 5.4, 5.5
    found = tuple((start, end, label.lower()) for start, end, label in ((0, 13, "A"), (13, 23, "B"), (23, 30, "A")))
    rows = compared([(SEGMENTS, found)], "segments")
    assert rows["mub.segments.hit_rate_0.5/1"].ours_there == rows["mub.segments.hit_rate_0.5/1"].theirs == 0.5
    assert rows["mub.segments.hit_rate_3/1"].theirs == 1.0
    pairwise = rows["mub.segments.pairwise_f/1"]
    assert (pairwise.ours_there, pairwise.theirs) == (pytest.approx(0.712), pytest.approx(0.710262, abs=1e-6))


def test_one_label_on_both_sides_is_one_here_and_zero_there():  # mir_eval#226
    whole = ((0, 30, "A"),)
    row = compared([(whole, whole)], "segments")["mub.segments.v_measure/1"]
    assert (row.ours_there, row.theirs) == (1.0, 0.0)


def test_gaps_and_late_ends_are_in_its_form():
    gaps = ((2, 10, "A"), (15, 28, "B"))
    rows = compared([(gaps, gaps), (SEGMENTS, ((0, 10, "A"), (10, 45, "B")))], "segments")
    assert {row.n_taken for row in rows.values()} == {2}
    assert rows["mub.segments.pairwise_f/1"].theirs == pytest.approx(
        rows["mub.segments.pairwise_f/1"].ours_there, abs=0.01
    )


def test_an_answer_of_no_segments_is_nothing_it_takes():
    rows = compared([(SEGMENTS, ()), (SEGMENTS, SEGMENTS)], "segments")
    assert {(row.n_taken, row.ours_there) for row in rows.values()} == {(1, 1.0)}


def test_nothing_taken_has_no_value():
    (row,) = compared([(100, None), (90, "fast")], "tempo_bpm").values()
    assert (row.n, row.n_taken, row.theirs, row.ours_there, row.ours) == (2, 0, None, None, 0.0)


def test_what_it_has_no_counterpart_of_is_named():
    scores = score_recordings([Recording("r", tempo_bpm=100, time_signature="3/4")], [])
    assert without_peer(scores)["tempo"] == ["acc2/1"]
    assert without_peer(scores)["time_signature"][:2] == ["accuracy/1", "balanced_accuracy/1"]


def test_a_reason_fits_a_line_of_a_terminal():
    assert not [peer for peer in METRICS if len(f"  {peer.function}: {peer.why}") > 80]


def test_without_the_library_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mir_eval", None)
    with pytest.raises(InputError, match=r'pip install "musebench-tasks\[mir\]"'):
        compare_with_mir_eval(score_recordings([Recording("r", tempo_bpm=100)], []))
