"""leaderboard.csv: one number a line, with everything that a reader needs to know beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from musebench_tasks.base.records import Condition, Scorecard, ScoreRow
from musebench_tasks.reports.table_files import Value, csv_text
from musebench_tasks.reports.tables import main_condition, system_name, whole_counts
from musebench_tasks.submissions.board.entries import Entry
from musebench_tasks.submissions.board.standing import BoardRow, BoardTable

BOARD_COLUMNS: Mapping[str, str] = {
    "table": "number of the table on the page; numbers of two tables are not comparable",
    "task": "the task",
    "benchmark": "the benchmark its data are of",
    "is_demo": "yes for a demonstration, which says nothing of a real benchmark",
    "split": "the split asked",
    "data_version": "version of the data",
    "data_sha256": "SHA-256 of what was asked",
    "references_sha256": "SHA-256 of the answers it was scored with",
    "scorer_version": "version of scorer and parser",
    "labels": "public where anybody can look the answers up, else hidden",
    "selection": "which items; empty for all",
    "track": "native_audio or tool_assisted, where the benchmark tells them apart",
    "truncation": "what of the sound is left out, or the parts it comes in",
    "runs": "how often every item was asked",
    "option_order": "stored, or shuffled by `seed`",
    "seed": "of the shuffled orders",
    "system": "the system, or the baseline",
    "kind": "model, human, baseline, or published (numbers of a paper, checked by nobody here)",
    "tier": "proprietary, open general-purpose, open video-specific, key-frame selection",
    "revision": "of the system",
    "modalities": "what reached it under this condition: T, A, V; as its lines record it, else as run.yaml says",
    "audio_route": "native, transcript or none, as its lines record it under this condition",
    "mean_frames": "frames that it got a request under this condition; empty where it got none",
    "mean_audio_s": "seconds of sound that it got a request under this condition",
    "tools": "what it works with beside the medium",
    "prompt_sha256": "of template and system text; empty where it is not known",
    "harness": "the code that asked; other than musebench-tasks: read from its log",
    "condition": "what of the media it got",
    "metric": "id of the metric",
    "metric_version": "version of its definition",
    "is_headline": "yes for the headline, under any condition; models are ranked by it under all media",
    "value": "the number over all items; what was not answered counts as wrong",
    "standard_error": "clustered by the medium's source",
    "low": "lower end of the 95 % interval",
    "high": "upper end",
    "interval_method": "how the interval was made",
    "n": "items",
    "n_clusters": "sources that items share",
    "coverage": "planned requests that ended in an answer of the system / planned",
    "answered": "readable answers / planned",
    "rank": "among the models of the table, by the headline; equal numbers share the better rank, and models with "
    "the very same answers take one place",
    "rank_low": "best rank in 95 % of the draws",
    "rank_high": "worst",
    "date": "the day it was handed in",
    "submitter": "by whom",
    "notes": "what the submitter says, first the share of requests that were tried again",
    "source": "of published numbers",
    "submission": "folder of the submission",
}
"""Every column and what it holds."""


def board_csv(tables: Sequence[BoardTable], hidden: frozenset[str]) -> str:
    """The text of leaderboard.csv; `hidden`: tasks whose answers are held back."""
    records = (
        tuple(_plain(line.get(column)) for column in BOARD_COLUMNS)
        for number, table in enumerate(tables, start=1)
        for line in _lines(table, number, hidden)
    )
    return csv_text(tuple(BOARD_COLUMNS), records)


def _lines(table: BoardTable, number: int, hidden: frozenset[str]) -> Iterator[dict[str, Any]]:
    shared = {"table": number, **_of_data(table.first, hidden)}
    for row in table.rows:
        about = {**shared, **_of_submission(row.entry)}
        sent = {each: _sent(row.entry, each) for each in row.entry.config.protocol.conditions}
        for score in row.entry.card.scores:
            if score.slice is None:
                numbers = {**sent[score.condition], **_of_score(score, row.entry.card)}
                yield {**about, **numbers, **_of_rank(row, score, table)}
    card = table.first.card
    for score in card.baselines:
        if score.slice is None:
            yield {**shared, "system": score.system, "kind": "baseline", **_of_number(score, card)}
    for told, _ in table.published:
        about = {**shared, "system": told.system, "kind": "published", "tier": told.tier, "source": told.source}
        for metric, value in told.scores.items():
            yield {**about, "scorer_version": None, "condition": "full", "metric": metric, "value": value}


def _of_data(entry: Entry, hidden: frozenset[str]) -> dict[str, Any]:
    card = entry.card
    return {
        "task": card.task,
        "benchmark": card.benchmark,
        "is_demo": entry.is_demo,
        "split": card.split,
        "data_version": entry.data_version,
        "data_sha256": card.hashes.data_sha256,
        "references_sha256": card.hashes.references_sha256,
        "scorer_version": card.scorer_version,
        "labels": "hidden" if card.task in hidden else "public",
        "selection": card.selection,
        "track": card.track,
        "runs": entry.config.protocol.runs,
        "option_order": entry.config.protocol.option_order,
        "seed": entry.config.protocol.seed,
    }


def _of_submission(entry: Entry) -> dict[str, Any]:
    card, told = entry.card, entry.submission
    return {
        "tools": ", ".join(card.tools) or None,
        "prompt_sha256": entry.config.prompt.sha256,
        "harness": entry.harness,
        "truncation": card.truncation,
        "system": system_name(card),
        "kind": card.system_type,
        "tier": card.tier,
        "revision": entry.config.system.revision,
        "date": told.date,
        "submitter": told.submitter,
        "notes": " ".join(told.notes.split()),
        "submission": entry.place,
    }


def _sent(entry: Entry, condition: Condition) -> dict[str, Any]:
    """What a request brought on average, as the predictions disclose it."""
    here = entry.under(condition)
    frames = [each.frames.used for each in here if each.frames is not None]
    seconds = [each.audio.seconds for each in here if each.audio is not None and each.audio.seconds is not None]
    return {
        "modalities": entry.reached(condition),
        "audio_route": entry.audio_route(condition),
        "mean_frames": round(sum(frames) / len(frames), 3) if frames else None,
        "mean_audio_s": round(sum(seconds) / len(seconds), 3) if seconds else None,
    }


def _of_number(score: ScoreRow, card: Scorecard) -> dict[str, Any]:
    interval = score.interval
    return {
        "condition": str(score.condition),
        "metric": score.metric,
        "metric_version": score.version,
        "is_headline": f"{score.metric}/{score.version}" == card.headline,
        "value": score.value,
        "standard_error": score.standard_error,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "interval_method": interval and interval.method,
        "n": score.n,
        "n_clusters": score.n_clusters,
    }


def _of_score(score: ScoreRow, card: Scorecard) -> dict[str, Any]:
    field = score.metric.split(".")[1] if score.metric.startswith("mub.") else None
    count = whole_counts(card, score.condition, field)
    whole = whole_counts(card, score.condition)
    return {**_of_number(score, card), "coverage": whole.coverage, "answered": count.answered}


def _of_rank(row: BoardRow, score: ScoreRow, table: BoardTable) -> dict[str, Any]:
    condition = main_condition([each.entry.card for each in table.rows])
    is_ranked = f"{score.metric}/{score.version}" == table.metric and score.condition is condition
    if row.standing is None or not is_ranked:
        return {}
    return {"rank": row.standing.rank, "rank_low": row.standing.low, "rank_high": row.standing.high}


def _plain(value: Any) -> Value:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value  # type: ignore[no-any-return]
