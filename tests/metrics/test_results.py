"""What the modules give is what the plain functions give, under the agreed names, with n, error and version beside."""

import json
import math

import numpy as np
import pandas
import pytest
from datasets import Dataset
from fakes.metric_arguments import SEGMENTS, VALID
from fakes.scored_material import choice_item, gold

from musebench_tasks import measures, statistics
from musebench_tasks.base.records import Condition, Kind
from musebench_tasks.base.resources import metric_file
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.measurement import score_row
from musebench_tasks.evaluation.metrics.registry import MEASURES
from musebench_tasks.evaluation.recordings import Estimate, Recording, score_recordings

BESIDE = {"n", "standard_error", "interval", "version"}
HEADLINES = {
    *("mub_tempo", "mub_key", "mub_time_signature", "mub_segments"),
    *("balanced_accuracy", "hit_rate_0.5", "hit_rate_3"),
}
KEYS = {
    "caa": {"caa", "caa_aggregate", "accuracy", "chance"},
    "set_f1": {"precision", "recall", "f1", "exact_match", "micro_precision", "micro_recall", "micro_f1"},
    "choice_consistency": {"accuracy", "accuracy_sd", "consistency", "flip_rate", "all_correct"},
    "position_bias": {
        *("positions", "predicted_share", "gold_share", "expected_share", "excess_first"),
        *("rstd", "jsd", "unparsed_share"),
    },
    "mub_key": {"score", "answered"},
    "mub_tempo": {"score", "answered"},
    "mub_time_signature": {"score", "answered", "balanced_accuracy", "macro_f1", "per_class"},
    "mub_segments": {
        *("precision", "recall", "f1", "hit_rate_0.5", "hit_rate_3"),
        *("pairwise_f", "v_measure", "answered"),
    },
    "gwet_ac2": {
        *("ac2", "alpha", "alpha_interval_level", "exact_agreement", "permutation_p"),
        *("permutation_mean", "permutation_low", "permutation_high"),
    },
    "mub": {*HEADLINES, "coverage", "answered"},
}
ROWS = np.random.default_rng(3)
N = 60
CLUSTERS = [f"video {each}" for each in ROWS.integers(20, size=N)]


def letters(n_options, miss=0.1):
    return ["" if ROWS.random() < miss else "ABCDEFGH"[ROWS.integers(each)] for each in n_options]


@pytest.mark.parametrize("name", VALID)
def test_a_result_has_the_agreed_names_and_is_plain(make, name):
    scores = make(name).compute(**VALID[name])
    assert set(scores) == KEYS[name] | BESIDE
    assert json.loads(json.dumps(scores, allow_nan=False)) == scores


def test_caa_is_the_mean_of_the_plain_function_with_its_clustered_error(make):
    counts = [int(each) for each in ROWS.integers(4, 9, size=N)]
    predictions, references = letters(counts), letters(counts, miss=0)
    scores = make("caa").compute(
        predictions=predictions, references=references, num_options=counts, clusters=CLUSTERS
    )  # fmt: skip
    correct = np.array(predictions) == np.array(references)
    values = measures.chance_adjusted_accuracy(correct, counts)
    assert scores["caa"] == pytest.approx(values.mean())
    assert scores["standard_error"] == statistics.clustered_standard_error(values, CLUSTERS)
    assert scores["interval"]["low"] < scores["caa"] < scores["interval"]["high"]
    assert scores["interval"]["method"].startswith("wilson")
    assert scores["accuracy"] == correct.mean()
    assert (scores["n"], scores["version"]) == (N, "caa/1")


@pytest.mark.parametrize(("right", "wrong", "caa"), [(8, 4, 1 / 3), (4, 8, 3 / 7)])  # statistics.md 2.1
def test_nothing_is_clipped(make, right, wrong, caa):
    scores = make("caa").compute(
        predictions=["A"] * 5 + ["B"] * 5, references=["A"] * 10, num_options=[right] * 5 + [wrong] * 5
    )
    assert scores["caa"] == pytest.approx(caa)
    assert scores["caa_aggregate"] == pytest.approx(0.384615, abs=5e-7)


def test_clusters_of_statistics_3_1_give_their_error(make):
    key = make("mub_key").compute(
        predictions=["C major", "C major", None, None, None, "C major"],
        references=["C major"] * 6,
        clusters=[1, 1, 1, 2, 2, 3],
    )
    assert key["standard_error"] == pytest.approx(0.25)
    assert (key["score"], key["answered"], key["interval"]) == (0.5, 0.5, None)


@pytest.mark.parametrize(("version", "score"), [(each, measures.key_score(reference="A minor", prediction="F# major", version=each)) for each in measures.KEY_VERSIONS])  # fmt: skip  # noqa: E501
def test_every_key_version_is_the_functions(make, version, score):
    found = make("mub_key").compute(predictions=["F# major"], references=["A minor"], version=version)
    assert (found["score"], found["version"]) == (score, f"mub.key.{version}")


def scorecard_row(metric, kind, counts, predictions, references):
    """The headline row of a scorecard of the same answers."""
    cases = []
    for number, (count, answer, right) in enumerate(zip(counts, predictions, references, strict=True)):
        item = choice_item(str(number), count, kind=kind, cluster=CLUSTERS[number])
        chosen = frozenset(item.options["ABCDEFGH".index(letter)].id for letter in answer) or None
        cases.append(Case(item, gold(item, right), 0, shown=item.option_ids, chosen=chosen))
    return score_row(metric(cases)[0], Condition.FULL)


def assert_alike(scores, value, row):
    assert value == pytest.approx(row.value, abs=1e-11)
    assert scores["standard_error"] == pytest.approx(row.standard_error, abs=1e-11)
    assert scores["interval"]["method"] == row.interval.method
    assert [scores["interval"][end] for end in ("low", "high")] == pytest.approx(
        [row.interval.low, row.interval.high], abs=1e-11
    )
    assert (scores["n"], scores["version"]) == (row.n, f"{row.metric}/{row.version}")


@pytest.mark.parametrize("answers", ["some right", "all right", "all wrong", "no answer"])
def test_a_choice_metric_says_what_the_scorecard_says(make, answers):
    counts = [int(each) for each in ROWS.integers(4, 9, size=N)]
    references = letters(counts, miss=0)
    predictions = {
        "some right": letters(counts),
        "all right": references,
        "all wrong": ["B" if right == "A" else "A" for right in references],
        "no answer": [""] * N,
    }[answers]
    scores = make("caa").compute(
        predictions=predictions, references=references, num_options=counts, clusters=CLUSTERS
    )  # fmt: skip
    row = scorecard_row(MEASURES["caa"].function, Kind.SINGLE, counts, predictions, references)
    assert_alike(scores, scores["caa"], row)
    sets = make("set_f1").compute(
        predictions=[list(each) for each in predictions],
        references=[list(each) for each in references],
        clusters=CLUSTERS,
    )
    assert_alike(
        sets, sets["f1"], scorecard_row(MEASURES["set_f1"].function, Kind.MULTI, counts, predictions, references)
    )


def test_a_tempo_of_nothing_is_no_answer_and_a_miss(make):
    scores = make("mub_tempo").compute(predictions=[0, -60, None, 60], references=[60] * 4)
    assert (scores["score"], scores["answered"]) == (0.25, 0.25)


def test_a_tempo_out_of_range_is_no_answer_to_either_metric_of_tempo(make):
    tempi = [9.9, 10, 600, 600.1]
    one = make("mub_tempo").compute(predictions=tempi, references=tempi)
    whole = make("mub").compute(
        predictions=[{"id": str(each), "tempo_bpm": each} for each in tempi],
        recordings=[{"id": str(each), "tempo_bpm": each} for each in tempi],
    )
    assert one["score"] == one["answered"] == whole["mub_tempo"] == whole["answered"]["tempo"] == 0.5
    said = "A tempo outside 10 to 600 beats per minute is no answer."
    assert all(
        said in metric_file(name).with_name("README.md").read_text(encoding="utf-8") for name in ("mub", "mub_tempo")
    )


def test_the_version_of_a_result_may_be_asked_for(make):
    for name in ("mub_key", "mub_tempo", "mub_time_signature"):
        first = make(name).compute(**VALID[name])
        assert make(name).compute(**VALID[name], version=first["version"]) == first
    named = ["mub.key.exact/1", "mub.tempo.acc2/1"]
    found = make("mub").compute(**VALID["mub"], version=named)["version"]
    assert [found["mub_key"], found["mub_tempo"]] == named
    whole = make("mub").compute(**VALID["mub"])
    again = [each for each in whole["version"].values() if each is not None]
    assert make("mub").compute(**VALID["mub"], version=again) == whole
    with pytest.raises(Exception, match="Unknown version 'mub.key.exact/2' .nearest: exact/1"):
        make("mub").compute(**VALID["mub"], version="mub.key.exact/2")
    with pytest.raises(Exception, match="version: found 7 .int.. Give the name of a version"):
        make("mub").compute(**VALID["mub"], version=7)


def test_rare_time_signatures_are_told_apart(make):
    references = ["4/4"] * 4 + ["3/4"]
    scores = make("mub_time_signature").compute(predictions=["4/4", "4/4", None, None, "3/4"], references=references)
    assert [round(scores[name], 6) for name in ("score", "balanced_accuracy", "macro_f1")] == [0.6, 0.75, 0.833333]
    assert scores["per_class"]["4/4"]["n"] == 4
    assert scores["per_class"]["4/4"]["recall"] == 0.5
    assert scores["per_class"]["3/4"]["interval"]["high"] == 1.0
    assert list(scores["per_class"]) == ["4/4", "3/4"]


def test_labels_count_only_where_asked(make):
    swapped = [{**SEGMENTS[0], "label": "b"}, {**SEGMENTS[1], "label": "a"}]
    blind = make("mub_segments").compute(predictions=[swapped], references=[SEGMENTS])
    aware = make("mub_segments").compute(predictions=[swapped], references=[SEGMENTS], label_aware=True)
    assert (blind["f1"], aware["f1"]) == (1.0, 0.0)
    assert (blind["version"], aware["version"]) == ("mub.segments.iou_f1/1", "mub.segments.iou_f1_labels/1")
    assert (blind["pairwise_f"], blind["v_measure"]) == (None, None)


def test_an_overlapping_prediction_is_no_answer(make):
    overlap = [{"start_s": 0, "end_s": 10}, {"start_s": 5, "end_s": 20}]
    scores = make("mub_segments").compute(predictions=[overlap, SEGMENTS], references=[SEGMENTS] * 2)
    assert (scores["f1"], scores["answered"]) == (0.5, 0.5)


def test_two_raters_may_be_given_as_predictions_and_references(make):
    one, other = [5, 4, 4, 5, 3, 5], [5, 5, 4, 4, 3, 4]
    rows = make("gwet_ac2").compute(predictions=[one, other], categories=list(range(6)))
    assert make("gwet_ac2").compute(predictions=one, references=other, categories=list(range(6))) == rows
    assert rows["ac2"] == pytest.approx(0.952941, abs=5e-7)  # statistics.md 1.2
    assert rows["interval"]["low"] == pytest.approx(0.904496, abs=5e-7)


def test_a_missing_rating_is_left_out(make):
    raters = [[5, 4, 4, 5, 3, 5], [5, 5, 4, None, 3, 4], [None, 4, None, None, 2, 5]]  # statistics.md 1.2
    scores = make("gwet_ac2").compute(predictions=raters, categories=range(6))
    assert scores["ac2"] == pytest.approx(0.96248, abs=5e-6)
    assert scores["alpha"] == pytest.approx(0.701357, abs=5e-7)


def test_recordings_without_a_prediction_are_misses_and_the_order_is_free(make):
    recordings = [
        {"id": f"r{each}", "tempo_bpm": 100, "key": "C major", "cluster_id": str(each % 4)} for each in range(12)
    ]
    predictions = [{"id": f"r{each}", "tempo_bpm": 100} for each in (7, 3, 5)]
    scores = make("mub").compute(predictions=predictions, recordings=recordings)
    assert (scores["mub_tempo"], scores["coverage"], scores["n"]["mub_tempo"]) == (0.25, 0.25, 12)
    assert scores["answered"] == {"tempo": 0.25, "key": 0.0, "time_signature": None, "segments": None}
    assert (scores["mub_segments"], scores["n"]["mub_segments"]) == (None, 0)
    known = [
        Recording(**{("cluster" if name == "cluster_id" else name): value for name, value in each.items()})
        for each in recordings
    ]
    row = score_recordings(known, [Estimate(**each) for each in predictions]).row("mub.tempo.acc1")
    assert scores["standard_error"]["mub_tempo"] == row.standard_error
    assert scores["interval"]["mub_tempo"]["low"] == row.interval.low
    nothing = make("mub").compute(predictions=[], recordings=recordings)
    assert (nothing["mub_tempo"], nothing["coverage"]) == (0.0, 0.0)


def test_the_fields_of_mub_are_the_metrics_of_their_names(make):
    ids = [f"r{each}" for each in range(24)]
    clusters = [str(each % 7) for each in range(24)]
    tempi, keys, metres = (
        ROWS.choice(values, 24).tolist() for values in ([60.0, 120.5], ["C major", "F# minor"], ["4/4", "6/8"])
    )
    cuts = [float(each) for each in ROWS.integers(5, 15, size=24)]
    segments = [
        [{"start_s": 0, "end_s": cut, "label": "a"}, {"start_s": cut, "end_s": 20, "label": "b"}] for cut in cuts
    ]
    found = {
        "tempo": [60.0] * 24,
        "key": ["A major", None, "A minor"] * 8,
        "time_signature": ["4/4", "6/8", None] * 8,
        "segments": [SEGMENTS] * 24,
    }
    truth = {"tempo_bpm": tempi, "key": keys, "time_signature": metres, "segments": segments}
    rows = [dict(zip(truth, each, strict=True)) for each in zip(*truth.values(), strict=True)]
    recordings = [
        {"id": name, "cluster_id": cluster, "duration_s": 20, **row}
        for name, cluster, row in zip(ids, clusters, rows, strict=True)
    ]
    predictions = [
        {"id": name, **dict(zip(truth, each, strict=True))}
        for name, each in zip(ids, zip(*found.values(), strict=True), strict=True)
    ]
    whole = make("mub").compute(predictions=predictions[::-1], recordings=recordings)
    for name, column in zip(found, truth, strict=True):
        settings = {"durations_s": [20] * 24} if name == "segments" else {}
        one = make(f"mub_{name}").compute(
            predictions=found[name], references=truth[column], clusters=clusters, **settings
        )  # fmt: skip
        headline = one["f1" if name == "segments" else "score"]
        assert whole[f"mub_{name}"] == pytest.approx(headline, abs=1e-11)
        assert whole["answered"][name] == one["answered"]
        for beside in ("n", "standard_error", "version"):
            assert whole[beside][f"mub_{name}"] == pytest.approx(one[beside], abs=1e-11)
        assert whole["interval"][f"mub_{name}"]["low"] == pytest.approx(one["interval"]["low"], abs=1e-11)
        for other in set(one) & {"balanced_accuracy", "hit_rate_0.5", "hit_rate_3"}:
            assert whole[other] == pytest.approx(one[other], abs=1e-11)


def test_rows_of_the_demonstration_are_taken_as_they_are(make):
    from musebench_tasks.base.resources import demo_directory

    (file,) = (demo_directory("mub") / "references").glob("*.parquet")
    recordings = Dataset.from_parquet(str(file), keep_in_memory=True).to_list()
    perfect = [
        {name: row[name] for name in ("id", "tempo_bpm", "key", "time_signature", "segments")} for row in recordings
    ]
    scores = make("mub").compute(predictions=perfect, recordings=recordings, version=["exact/1", "acc2/1"])
    assert all(scores[name] == 1.0 for name in HEADLINES)
    assert scores["version"]["mub_key"] == "mub.key.exact/1"
    assert scores["version"]["mub_tempo"] == "mub.tempo.acc2/1"


@pytest.mark.parametrize("column", [np.array, np.asarray, pandas.Series, tuple, lambda rows: np.array(rows, object)])
def test_arrays_are_taken_too(make, column):
    given = {name: column(VALID["caa"][name]) for name in ("predictions", "references")}
    assert make("caa").compute(**given, num_options=column([4, 4, 8])) == make("caa").compute(**VALID["caa"])


def test_a_column_of_a_dataset_is_taken_too(make):
    rows = Dataset.from_dict({name: VALID["mub_tempo"][name] for name in ("predictions", "references")})
    found = make("mub_tempo").compute(predictions=rows["predictions"], references=rows["references"])
    assert found == make("mub_tempo").compute(**VALID["mub_tempo"])


def test_a_narrow_float_is_the_decimal_that_it_shows(make):
    exact = np.array([41.6, 48.88, 45.12], dtype=np.float32)  # On the edge of 4 %: music_metrics.md 2.
    assert make("mub_tempo").compute(predictions=exact, references=[40, 47, 47])["score"] == 1.0
    missing = pandas.Series([41.6, math.nan, 45.12])
    with pytest.raises(Exception, match="row 1: found .*nan.* None for no answer"):
        make("mub_tempo").compute(predictions=missing, references=[40, 47, 47])
