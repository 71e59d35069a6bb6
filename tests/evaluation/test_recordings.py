import pytest
from fakes.scored_material import music_answer, music_task, recording, truth

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Status
from musebench_tasks.evaluation.estimated import Estimate
from musebench_tasks.evaluation.recordings import Recording, score_recordings

SEGMENTS = ((0, 10, "A"), (10, 20, "B"), (20, 30, "A"))
TRUTH = {"tempo_bpm": 100, "key": "C major", "time_signature": "4/4", "segments": SEGMENTS}
WRONG = {"tempo_bpm": 150, "key": "F# major", "time_signature": "3/4", "segments": ((0, 1, "x"),)}
FIELDS = ("tempo", "key", "time_signature", "segments")
HEADLINES = ("mub.tempo.acc1/1", "mub.key.symmetric/2", "mub.time_signature.accuracy/1", "mub.segments.iou_f1/1")


def recordings(count):
    return [Recording(f"r{number}", duration_s=30, **TRUTH) for number in range(count)]


def estimate(number, end):
    if isinstance(end, Status):
        return Estimate(f"r{number}", statuses=dict.fromkeys(FIELDS, end))
    return Estimate(f"r{number}", **{"hit": TRUTH, "miss": WRONG, "null": {}}[end])


def scores_of(ends):
    given = [estimate(number, end) for number, end in enumerate(ends) if end != "missing"]
    return score_recordings(recordings(len(ends)), given)


@pytest.mark.parametrize(
    ("ends", "hits", "coverage", "answered"),  # music_metrics.md 6: 10 references, 6 would hit
    [
        (["hit"] * 6 + ["miss"] * 4, 0.6, 1.0, 1.0),
        (["hit"] * 6 + ["missing"] * 4, 0.6, 0.6, 0.6),
        (["missing"] * 10, 0.0, 0.0, 0.0),
        (["null"] * 10, 0.0, 1.0, 0.0),
        (["hit"] * 6 + [Status.REFUSED] * 3 + [Status.TIMEOUT], 0.6, 0.9, 0.6),
    ],
)
def test_coverage_and_answered_stand_beside_the_score(ends, hits, coverage, answered):
    scores = scores_of(ends)
    assert [scores.row(metric).value for metric in HEADLINES] == [pytest.approx(hits)] * 4
    assert [(each.coverage, each.answered) for each in scores.counts] == [(coverage, answered)] * 5
    assert scores.coverage == coverage


def test_only_the_hits_of_500_are_no_perfect_score():  # music_metrics.md 6
    scores = scores_of(["hit"] * 268 + ["missing"] * 232)
    row = scores.row("mub.tempo.acc1")
    assert (row.value, row.n) == (0.536, 500)
    assert (scores.count("tempo").coverage, scores.count("tempo").answered) == (0.536, 0.536)
    assert [round(row.interval.low, 4), round(row.interval.high, 4)] == [0.4922, 0.5793]  # music_metrics.md 9


def test_one_hit_repeated_500_times_is_refused():
    with pytest.raises(InputError, match=r"more than one estimate \(1\): r0\. "):
        score_recordings(recordings(500), [Estimate("r0", **TRUTH)] * 500)


def test_ids_that_stand_twice_or_belong_to_no_recording_are_all_listed():
    names = ["r0", "r0", "x", "y", "r1", "r1", "r1"]
    with pytest.raises(InputError) as refused:
        score_recordings(recordings(3), [Estimate(name, **TRUTH) for name in names])
    assert str(refused.value).split("\n") == [
        "Ids with more than one estimate (2): r0, r1. Keep one of each.",
        "Estimates of no reference (2 of 4): x, y. Remove them, or correct their ids.",
    ]


def test_an_unknown_id_names_the_nearest_recording():
    with pytest.raises(InputError, match=r"\(1 of 1\): track_01 \(nearest: track01\)"):
        score_recordings([Recording("track01", tempo_bpm=100)], [Estimate("track_01", tempo_bpm=100)])


def test_an_id_in_another_case_names_the_recording():
    known = [Recording("a", tempo_bpm=100), Recording("B2", tempo_bpm=100)]
    with pytest.raises(InputError, match=r"\(1 of 1\): A \(nearest: a\)"):
        score_recordings(known, [Estimate("A", tempo_bpm=100)])
    with pytest.raises(InputError, match=r"\(2 of 2\): A, b2\. Nearest to A is a\. Remove them"):
        score_recordings(known, [Estimate("A", tempo_bpm=100), Estimate("b2", tempo_bpm=100)])


def test_unknown_ids_are_ignored_where_asked_unless_all_are():
    known, strange = [Recording("a", tempo_bpm=100)], Estimate("x", tempo_bpm=9)
    scores = score_recordings(known, [strange, Estimate("a", tempo_bpm=100)], ignore_unknown=True)
    assert (scores.ignored, scores.row("mub.tempo.acc1").value) == (("x",), 1.0)
    with pytest.raises(InputError, match=r"Estimates of no reference \(1 of 1\): x"):
        score_recordings(known, [strange], ignore_unknown=True)


def test_every_fault_of_every_reference_is_listed_at_once():
    wrong = [
        Recording("a", tempo_bpm=0), Recording("b", key="H#"), Recording("c", time_signature="4"),
        Recording("d", segments=((3, 2, "x"), (5, 9, "y"), (8, 10, "z"))), Recording("d", key="C major"),
    ]  # fmt: skip
    with pytest.raises(InputError) as refused:
        score_recordings(wrong, [])
    lines = str(refused.value).split("\n")
    assert [line.split('"')[1] for line in lines] == ["d", "a", "b", "c", "d"]
    assert "end_le_start" in lines[-1]


def test_an_empty_label_is_a_fault_only_where_labels_count():
    unlabelled = [Recording("a", segments=((0, 10, ""), (10, 20, "x")))]
    assert score_recordings(unlabelled, []).row("mub.segments.iou_f1").n == 1
    with pytest.raises(InputError, match="empty_label"):
        score_recordings(unlabelled, [], label_aware=True)


def test_metrics_of_labels_are_left_out_where_no_reference_has_labels():
    scores = score_recordings([Recording("a", segments=((0, 10), (10, 20)))], [])
    assert scores.row("mub.segments.hit_rate_3") is not None
    assert [scores.row(f"mub.segments.{name}") for name in ("iou_f1_labels", "pairwise_f", "v_measure")] == [None] * 3


def test_a_field_is_scored_on_the_recordings_that_have_its_truth():
    mixed = [Recording("a", tempo_bpm=100), Recording("b", tempo_bpm=100, key="C major"), Recording("c")]
    scores = score_recordings(mixed, [Estimate("a", tempo_bpm=100), Estimate("c", tempo_bpm=9)])
    assert (scores.row("mub.tempo.acc1").n, scores.row("mub.key.exact").n) == (2, 1)
    assert [(each.field, each.planned, each.coverage) for each in scores.counts] == [
        (None, 2, 0.5), ("tempo", 2, 0.5), ("key", 1, 0.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("tempo_bpm", 9.99, Status.OUT_OF_RANGE),
        ("tempo_bpm", 600.01, Status.OUT_OF_RANGE),
        ("tempo_bpm", float("nan"), Status.OUT_OF_RANGE),
        ("tempo_bpm", "NaN", Status.OUT_OF_RANGE),
        ("tempo_bpm", "fast", Status.UNPARSED),
        ("tempo_bpm", True, Status.UNPARSED),
        ("key", "X", Status.UNPARSED),
        ("key", 5, Status.UNPARSED),
        ("time_signature", "4", Status.UNPARSED),
        ("time_signature", "4/5", Status.OUT_OF_RANGE),
        ("segments", [(0, 10, "a"), (9, 20, "b")], Status.OUT_OF_RANGE),
        ("segments", [(5, 4, "a")], Status.OUT_OF_RANGE),
        ("segments", [(40, 50, "a")], Status.OUT_OF_RANGE),
        ("segments", "0-10", Status.UNPARSED),
        ("segments", [(0, 10, "a"), (9.96, 20, "b")], Status.OK),
        ("segments", [], Status.OK),
    ],
)
def test_what_is_no_legal_value_is_a_miss_with_a_status(field, value, status):
    scores = score_recordings([Recording("r", duration_s=30, **TRUTH)], [Estimate("r", **{**TRUTH, field: value})])
    name = field.removesuffix("_bpm")
    assert scores.statuses["r"][name] is status
    if status is not Status.OK:
        assert {row.value for row in scores.rows if row.metric.split(".")[1] == name} == {0.0}


def test_errors_are_those_of_clusters():
    groups = [Recording(f"r{n}", cluster=f"c{n // 2}", tempo_bpm=100) for n in range(40)]
    hits = [Estimate(f"r{n}", tempo_bpm=100 if n % 4 < 2 else 150) for n in range(40)]
    row = score_recordings(groups, hits).row("mub.tempo.acc1")
    assert (row.value, row.n, row.n_clusters) == (0.5, 40, 20)
    assert row.standard_error == pytest.approx(0.5 / 19**0.5)
    assert row.interval.method == "wilson_effective_n_t"


def test_versions_and_fields_are_chosen_by_name():
    scores = score_recordings(recordings(2), [], fields=["key"], key_version="mirex_ascending/1")
    assert scores.rows[0].metric == "mub.key.mirex_ascending"
    assert {row.metric.split(".")[1] for row in scores.rows} == {"key"}
    for wrong, said in (({"fields": ["kee"]}, "nearest: key"), ({"key_version": "mirex/1"}, "Unknown key version")):
        with pytest.raises(InputError, match=said):
            score_recordings(recordings(2), [], **wrong)
    with pytest.raises(InputError, match="no reference has a truth|No reference has a truth"):
        score_recordings([Recording("a", key="C major")], [], fields=["tempo"])


def test_tables_have_a_row_a_metric_and_a_row_a_recording():
    scores = scores_of(["hit"] * 6 + ["missing"] * 4)
    frame = scores.to_frame().set_index("metric")
    assert frame.loc["mub.tempo.acc1", ["value", "n", "coverage", "answered"]].tolist() == [0.6, 10, 0.6, 0.6]
    each = scores.by_recording()
    assert each.index.tolist() == [f"r{n}" for n in range(10)]
    assert each["mub.key.symmetric/2"].tolist() == [1.0] * 6 + [0.0] * 4


def test_structure_is_compared_by_exact_durations():  # music_metrics.md 5.5: ABA 3x10 s with inner boundaries +3
    found = ((0, 13, "x"), (13, 23, "y"), (23, 30, "x"))
    for duration_s in (30, None):
        scores = score_recordings(
            [Recording("r", duration_s=duration_s, segments=SEGMENTS)], [Estimate("r", segments=found)]
        )
        assert scores.row("mub.segments.pairwise_f").value == pytest.approx(0.712)
        assert scores.row("mub.segments.v_measure").value == pytest.approx(0.237366, abs=1e-6)


def test_priors_stand_beside_the_first_metric_of_each_field():
    mixed = [*recordings(4), Recording("r9", tempo_bpm=150, key="F# major", duration_s=30)]
    scores = score_recordings(mixed, [], with_baselines=True)
    found = {(row.system, row.metric): row.value for row in scores.baselines}
    assert found["prior:constant", "mub.tempo.acc1"] == found["prior:constant", "mub.key.symmetric"] == 0.8
    assert ("prior:constant", "mub.segments.iou_f1") not in found
    assert found["prior:heldout", "mub.segments.iou_f1"] == 1.0
    assert scores_of(["hit"]).baselines == ()


def test_a_task_scores_the_same_answers_alike(score):
    items = [recording(f"r{n}", cluster=f"c{n // 2}") for n in range(14)]
    references = [truth(item, key=("C major", "A minor")[n % 2], metre=("4/4", "3/4")[n % 3 == 0]) for n, item in
                  enumerate(items)]  # fmt: skip
    segments = [{"start_s": 0, "end_s": 12, "label": "A"}, {"start_s": 12, "end_s": 30, "label": "B"}]
    answers = [(100.0 + n, "C major", "4/4") for n in range(12)]
    predictions = [
        music_answer(item, tempo=tempo, key=key, time_signature=metre, segments=segments)
        for item, (tempo, key, metre) in zip(items, answers, strict=False)
    ]
    known = [
        Recording(item.id, item.cluster_id, 30.0, **each.music.model_dump(exclude={"beat_unit", "multi_valued"}))
        for item, each in zip(items, references, strict=True)
    ]
    given = [Estimate(item.id, *answer, segments) for item, answer in zip(items, answers, strict=False)]
    card, scores = score(music_task(), items, references, predictions), score_recordings(known, given)
    assert {row.metric for row in card.scores} <= {row.metric for row in scores.rows}
    assert [scores.row(row.metric) for row in card.scores] == list(card.scores)
    for count in card.counts:
        assert scores.count(count.field) == count


def test_the_order_of_recordings_and_estimates_changes_nothing():
    known = [Recording(f"r{n}", f"c{n % 4}", 30, **TRUTH) for n in range(12)]
    given = [estimate(n, ("hit", "miss")[n % 3 == 0]) for n in range(12)]
    assert score_recordings(known[::-1], given[::-1]).rows == score_recordings(known, given).rows
