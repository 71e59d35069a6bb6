import pytest

from musebench_tasks.errors import InputError
from musebench_tasks.evaluation import Estimate, Recording, score_recordings
from musebench_tasks.records import Status

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
