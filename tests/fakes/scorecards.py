"""Scorecards of a choice task with four categories, made up."""

from musebench_tasks.base.records import Condition, Counts, Hashes, Interval, Scorecard, ScoreRow

HASHES = Hashes(data_sha256="a", references_sha256="b", predictions_sha256="c")
CATEGORIES = ("Cinematic", "Game", "Stage", "Static")


def row(metric, value, *, category=None, reach=0.05, n=100, **fields):
    interval = Interval(low=value - reach, high=value + reach, method="wilson") if reach else None
    place = {"slice": "category", "slice_value": category} if category else {}
    values = {"metric": metric, "version": "1", "condition": Condition.FULL, "value": value, "interval": interval}
    return ScoreRow(**{**values, "n": n, "n_clusters": n, **place, **fields})


def card(system, accuracy, *, statuses=None, **fields):
    scores = [row("accuracy", accuracy), *(row("caa", accuracy, category=each, n=25) for each in CATEGORIES)]
    scores += [row("exact_match", accuracy, category=each, n=9, reach=0) for each in CATEGORIES]
    statuses = statuses or {"ok": 100}
    counts = Counts(
        condition=Condition.FULL, planned=100, statuses=statuses, coverage=1.0, answered=statuses["ok"] / 100
    )
    baseline = row("accuracy", 0.2, reach=0, system="chance")
    return Scorecard(
        **{
            "scorer_version": "1",
            "task": "musebench",
            "benchmark": "musebench",
            "benchmark_version": "1",
            "split": "test",
            "system": system,
            "headline": "accuracy/1",
            "counts": (counts,),
            "scores": tuple(scores),
            "baselines": (baseline,),
            "hashes": HASHES,
            **fields,
        }
    )
