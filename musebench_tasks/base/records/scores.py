"""What scores.json holds: one row a number, each with n, error and the version of its definition."""

from typing import Any

from musebench_tasks.base.conditions import Condition
from musebench_tasks.base.records.base import Record
from musebench_tasks.base.records.submissions import Erratum


class Interval(Record):
    """A 95 % interval and how it was made."""

    low: float
    high: float
    method: str
    draws: int | None = None
    seed: int | None = None


class Score(Record):
    """One item's value of one metric (averaged over runs happens later; `run` says which run)."""

    item_id: str
    metric: str
    """`name/version`, for example `mub.key.symmetric/2`."""
    value: float
    cluster_id: str
    run: int = 0


class ScoreRow(Record):
    """One number of a scorecard."""

    metric: str
    """Metric id without version, for example `accuracy` or `mub.key.symmetric`."""
    version: str
    condition: Condition
    slice: str | None = None
    """Dimension, for example `category`; None = all items."""
    slice_value: str | None = None
    value: float | None
    """None for an empty slice or an undefined value, never 0 in its place."""
    standard_error: float | None = None
    interval: Interval | None = None
    n: int
    """Items the value is over."""
    n_clusters: int
    system: str | None = None
    """Name of the baseline; None = the system scored."""
    note: str | None = None
    available: "AvailableOnly | None" = None
    """The same on items whose media could be had, where some could not."""


class AvailableOnly(Record):
    """A score on what was available."""

    value: float | None
    n: int


class Counts(Record):
    """How the planned requests of one condition ended."""

    condition: Condition
    field: str | None = None
    """A music field; None = whole requests."""
    planned: int
    statuses: dict[str, int]
    coverage: float | None
    answered: float | None


class Hashes(Record):
    """SHA-256 of what the scores follow from."""

    data_sha256: str
    references_sha256: str
    predictions_sha256: str
    run_sha256: str | None = None


class JudgeCounts(Record):
    """How the answers ended that a judge was asked about; all of them had been left unparsed by the rules."""

    parser: str
    """Rules, judge and its prompt, as the predictions name them."""
    asked: int
    read: int
    """Read by the judge, and scored as it read them."""
    none: int
    """The judge too found no answer."""
    failed: int
    """No reply, or none that is a verdict: the status that the rules gave stays."""


class Scorecard(Record):
    """Everything scored of one system on one task."""

    schema_version: str = "1"
    scorer_version: str
    task: str
    benchmark: str
    benchmark_version: str
    split: str
    system: str
    system_type: str = "model"
    tier: str | None = None
    audio_route: str | None = None
    selection: str | None = None
    """Which items were asked: None = all, `limit:N` or `stratified:N`."""
    track: str | None = None
    tools: tuple[str, ...] = ()
    """What the system works with beside the medium: its track is then `tool_assisted`."""
    truncation: str | None = None
    """What of the media no system of this table could get, for example `audio after 30 s`; or the parts it came in."""
    frames: str | None = None
    """How frames were chosen; None = spread evenly."""
    headline: str
    """Metric id of the headline row."""
    warnings: tuple[str, ...] = ()
    counts: tuple[Counts, ...]
    judges: tuple[JudgeCounts, ...] = ()
    """Second readers, where any was asked."""
    scores: tuple[ScoreRow, ...]
    baselines: tuple[ScoreRow, ...] = ()
    hashes: Hashes
    errata: Erratum | None = None
    """What led from the data that were asked to those scored with, where they are not the same."""

    def row(
        self,
        metric: str,
        *,
        condition: Condition = Condition.FULL,
        slice: str | None = None,
        slice_value: str | None = None,
    ) -> ScoreRow | None:
        """The row of `metric` (an id with or without version) in a condition and slice; None if there is none."""
        for row in self.scores:
            names = (row.metric, f"{row.metric}/{row.version}")
            if metric in names and (row.condition, row.slice, row.slice_value) == (condition, slice, slice_value):
                return row
        return None

    def to_frame(self) -> Any:
        """The rows of scores and baselines as a pandas DataFrame, intervals in columns low, high and method."""
        import pandas

        rows = [row.model_dump(mode="json") for row in (*self.scores, *self.baselines)]
        for row in rows:
            interval = row.pop("interval") or {}
            row.update({name: interval.get(name) for name in ("low", "high", "method")})
            row["system"] = row["system"] or self.system
        return pandas.DataFrame([{"task": self.task, **row} for row in rows])


class RunScores(Record):
    """runs/NAME/scores.json: every scorecard of a run."""

    scorecards: tuple[Scorecard, ...]


ScoreRow.model_rebuild()
