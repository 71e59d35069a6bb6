import pytest
from fakes.scored_material import music_answer, music_task, recording, truth

from musebench_tasks.base.records import MetricConfig, Status

SEGMENTS = [{"start_s": 0, "end_s": 10, "label": "A"}, {"start_s": 10, "end_s": 20, "label": "B"},
            {"start_s": 20, "end_s": 30, "label": "A"}]  # fmt: skip
RIGHT = {"tempo": 100.0, "key": "C major", "time_signature": "4/4", "segments": SEGMENTS}


def ten():
    items = [recording(f"r{number}") for number in range(10)]
    return items, [truth(item) for item in items]


@pytest.mark.parametrize(
    ("ends", "coverage", "answered"),  # music_metrics.md 6: 10 references, 6 would hit
    [
        (["hit"] * 6 + ["miss"] * 4, 1.0, 1.0),
        (["hit"] * 6 + ["missing"] * 4, 0.6, 0.6),
        (["missing"] * 10, 0.0, 0.0),
        (["null"] * 10, 1.0, 0.0),
        (["hit"] * 6 + [Status.REFUSED] * 3 + [Status.TIMEOUT], 0.9, 0.6),
    ],
)
def test_coverage_and_answered_stand_beside_the_score(score, ends, coverage, answered):
    items, references = ten()
    kinds = {
        "hit": lambda item: music_answer(item, **RIGHT),
        "miss": lambda item: music_answer(item, **{**RIGHT, "tempo": 150.0, "key": "F# major"}),
        "null": lambda item: music_answer(item, Status.UNPARSED, **dict.fromkeys(RIGHT)),
        Status.REFUSED: lambda item: music_answer(item, Status.REFUSED),
        Status.TIMEOUT: lambda item: music_answer(item, Status.TIMEOUT),
    }
    predictions = [kinds[end](item) for item, end in zip(items, ends, strict=True) if end != "missing"]
    card = score(music_task(), items, references, predictions)
    hits = ends.count("hit") / 10
    assert card.row("mub.tempo.acc1").value == hits
    assert card.row("mub.key.symmetric/2").value == hits
    whole = next(count for count in card.counts if count.field is None)
    assert (whole.coverage, whole.answered) == (pytest.approx(coverage), pytest.approx(answered))
    for count in card.counts:
        assert sum(count.statuses.values()) == count.planned == 10


def test_the_right_answer_scores_one_everywhere(score):
    items, references = ten()
    card = score(music_task(), items, references, [music_answer(item, **RIGHT) for item in items])
    ratios = list(card.scores)
    assert {row.metric: row.value for row in ratios} == dict.fromkeys((row.metric for row in ratios), 1.0)


def test_a_field_that_was_not_answered_is_a_miss_of_that_field_alone(score):
    items, references = ten()
    predictions = [music_answer(item, **{**RIGHT, "key": None}) for item in items]
    card = score(music_task(), items, references, predictions)
    assert card.row("mub.key.symmetric").value == 0.0
    assert card.row("mub.tempo.acc1").value == 1.0
    by_field = {count.field: count.answered for count in card.counts}
    assert by_field == {None: 1.0, "tempo": 1.0, "key": 0.0, "time_signature": 1.0, "segments": 1.0}


def test_no_segments_from_a_model_are_worth_nothing_even_as_an_empty_list(score):
    items, references = ten()
    for answer in ([], None):
        predictions = [music_answer(item, **{**RIGHT, "segments": answer}) for item in items]
        card = score(music_task(), items, references, predictions)
        assert card.row("mub.segments.iou_f1").value == 0.0
        assert card.row("mub.segments.hit_rate_3").value == 0.0


def test_balanced_accuracy_is_over_the_classes_of_the_references(score):  # music_metrics.md 4: const 4/4 on (8,1,1)
    items = [recording(f"r{number}") for number in range(10)]
    metres = ["4/4"] * 8 + ["3/4", "6/8"]
    references = [truth(item, metre=metre) for item, metre in zip(items, metres, strict=True)]
    card = score(music_task(), items, references, [music_answer(item, **RIGHT) for item in items])
    assert card.row("mub.time_signature.accuracy").value == 0.8
    balanced = card.row("mub.time_signature.balanced_accuracy")
    assert balanced.value == pytest.approx(1 / 3)
    assert balanced.interval is None  # one answer to everything: every sample gives 1/3, which is no measure of error


def test_priors_stand_beside_and_the_held_out_one_never_sees_the_scored_cluster(score):
    items = [recording(f"r{number}", cluster=f"tune{number}") for number in range(10)]
    keys = ["C major"] * 5 + ["G minor"] * 5
    references = [truth(item, tempo=60.0 + number, key=key) for number, (item, key) in
                  enumerate(zip(items, keys, strict=True))]  # fmt: skip
    card = score(music_task(), items, references, [])
    found = {(row.system, row.metric): row.value for row in card.baselines}
    assert found["prior:constant", "mub.key.symmetric"] == 0.5
    assert found["prior:constant", "mub.segments.iou_f1"] == 0.0
    assert found["prior:heldout", "mub.segments.iou_f1"] == 1.0
    assert found["prior:heldout", "mub.time_signature.accuracy"] == 1.0


def test_an_unannotated_field_is_not_scored(score):
    items, references = ten()
    references[0] = references[0].model_copy(
        update={"music": references[0].music.model_copy(update={"key": None, "segments": None})}
    )
    card = score(music_task(), items, references, [music_answer(item, **RIGHT) for item in items])
    assert card.row("mub.key.symmetric").n == 9
    assert card.row("mub.segments.iou_f1").n == 9
    assert card.row("mub.tempo.acc1").n == 10


def test_macro_f1_is_over_the_classes_of_the_references(score):  # music_metrics.md 4: const 4/4 on (8,1,1)
    items = [recording(f"r{number}") for number in range(10)]
    metres = ["4/4"] * 8 + ["3/4", "6/8"]
    references = [truth(item, metre=metre) for item, metre in zip(items, metres, strict=True)]
    card = score(music_task(), items, references, [music_answer(item, time_signature="4/4") for item in items])
    assert card.row("mub.time_signature.macro_f1").value == pytest.approx(0.296296, abs=1e-6)


def test_segments_with_other_labels_match_only_where_labels_do_not_count(score):  # music_metrics.md 5.3
    item = recording("r")
    segments = [{"start_s": start, "end_s": start + 10, "label": label} for start, label in ((0, "B"), (10, "A"))]
    reference = truth(item, bounds=((0, 10, "A"), (10, 20, "B")))
    card = score(music_task(), [item], [reference], [music_answer(item, segments=segments)])
    assert (card.row("mub.segments.iou_f1").value, card.row("mub.segments.iou_f1_labels").value) == (1.0, 0.0)


def test_every_time_signature_has_its_n_and_recall(
    score,
):  # music_metrics.md 4
    items = [recording(f"r{number}") for number in range(20)]
    metres = ["4/4"] * 12 + ["3/4"] * 4 + ["6/8"] * 4
    references = [truth(item, metre=metre) for item, metre in zip(items, metres, strict=True)]
    answers = ["4/4"] * 9 + ["2/4"] * 3 + ["3/4"] * 8
    answered = [music_answer(item, time_signature=each) for item, each in zip(items, answers, strict=True)]
    card = score(music_task(), items, references, answered)
    rows = {row.metric.rpartition(".")[2]: row for row in card.scores if ".recall." in row.metric}
    found = {metre: (row.n, row.value) for metre, row in rows.items()}
    assert found == {"4/4": (12, 0.75), "3/4": (4, 1.0), "6/8": (4, 0.0)}
    ends = {metre: (row.interval.low, row.interval.high, row.interval.method) for metre, row in rows.items()}
    assert ends["3/4"] == (pytest.approx(0.510, abs=5e-4), 1, "wilson")
    assert ends["6/8"] == (0, pytest.approx(0.490, abs=5e-4), "wilson")
    assert ends["4/4"][2] == "wilson"  # as for the rare ones
    assert card.row("mub.time_signature.recall.6/8/1") is rows["6/8"]
    assert [row.metric for row in card.baselines if ".recall.6/8" in row.metric]


def test_structure_stands_with_the_segments(score):  # music_metrics.md 5.5: ABA 3×10 s with inner +3
    item = recording("r")
    cuts = ((0, 13, "x"), (13, 23, "y"), (23, 30, "x"))
    segments = [{"start_s": start, "end_s": end, "label": label} for start, end, label in cuts]
    card = score(music_task(), [item], [truth(item)], [music_answer(item, segments=segments)])
    assert card.row("mub.segments.pairwise_f/1").value == pytest.approx(0.712, abs=5e-4)
    assert card.row("mub.segments.v_measure/1").value == pytest.approx(0.237366, abs=1e-6)


@pytest.mark.parametrize("version", [None, "exact/1", "legacy_directional_a/1"])
def test_legacy_rules_are_off_unless_named(score, version):  # music_metrics.md 1.1
    item = recording("r")
    task = music_task().model_copy(update={"metric_list": (MetricConfig(metric="mub_key", version=version),)})
    card = score(task, [item], [truth(item)], [music_answer(item, **RIGHT)])
    named = [f"{row.metric.removeprefix('mub.key.')}/{row.version}" for row in card.scores]
    assert named[0] == (version or "symmetric/2")
    assert [each for each in named if "legacy" in each] == [each for each in (version,) if each and "legacy" in each]


def test_segments_of_all_recordings_together_stand_beside_the_mean(score):  # music_metrics.md 5.1
    items = [recording("a"), recording("b"), recording("c")]
    references = [truth(items[0]), truth(items[1], bounds=((0, 30, "A"),)), truth(items[2])]
    card = score(music_task(), items, references, [music_answer(each, segments=SEGMENTS) for each in items[:2]])
    assert card.row("mub.segments.iou_f1").value == pytest.approx(1 / 3)
    assert card.row("mub.segments.iou_f1_micro/1").value == pytest.approx(2 * 3 / (7 + 6))


def test_the_hits_alone_are_no_more_than_they_are(score):  # music_metrics.md 6: 268 hits sent of 500
    items = [recording(f"r{number}") for number in range(500)]
    references = [truth(item) for item in items]
    card = score(
        music_task(fields=("tempo",)), items, references, [music_answer(each, tempo=100.0) for each in items[:268]]
    )
    counts = card.counts[0]
    assert (card.row("mub.tempo.acc1").value, counts.coverage, counts.answered) == (0.536, 0.536, 0.536)
