"""How planned requests ended, what was run and what it took: tables of words and counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from musebench_tasks.base.records import Condition, Counts, DecodingBlock, Status
from musebench_tasks.inference.usage import Usage, usage_of
from musebench_tasks.pages import PlainTable
from musebench_tasks.reports.meanings import percent_text
from musebench_tasks.reports.runs import Part
from musebench_tasks.reports.tables import condition_label, system_name

RetryRate = Callable[[Part, Condition], float | None]
"""The share of requests that needed more than one attempt; None where it is not known."""
NOT_KNOWN = "not known"
"""What a run that another harness made does not tell."""


def status_table(parts: Sequence[Part], retry_rate: RetryRate) -> PlainTable:
    """One row a system and condition, and a music field that was not always read; a column for each status there is."""
    counts = [(part, count) for part in parts for count in part.card.counts if count.field is None or _open(count)]
    occurring = [status.value for status in Status if any(status.value in count.statuses for _, count in counts)]
    with_fields = any(count.field for _, count in counts)
    head = ["system", "condition", *(["field"] if with_fields else []), "planned"]
    rows = tuple(
        (
            system_name(part.card),
            condition_label(count.condition, part.card),
            *([(count.field or "all").replace("_", " ")] if with_fields else []),
            str(count.planned),
            *(_count_text(count, status) for status in occurring),
            percent_text(retry_rate(part, count.condition)) if count.field is None else "",
        )
        for part, count in counts
    )
    columns = (*head, *(status.replace("_", " ") for status in occurring), "retried")
    return PlainTable("How the requests ended", columns, rows, n_words=3 if with_fields else 2)


def run_table(parts: Sequence[Part]) -> PlainTable:
    """What was run: one row a part."""
    head = ("system", "revision", "data", "items", "conditions", "runs", "prompt", "decoding", "media")
    return PlainTable("What was run", head, tuple(_run_row(part) for part in parts))


def _run_row(part: Part) -> tuple[str, ...]:
    config = part.config
    benchmark, media, decoding = config.benchmark, config.media, config.decoding
    frames = f"{media.max_frames} frames at most" if media.max_frames else ""
    rate = f"{media.fps:g} frame{'' if media.fps == 1 else 's'} a second" if media.fps else ""
    rule = f"chosen by {media.frames}" if media.frames else ""
    read = "sound as transcript" if media.audio_route == "transcript" else ""
    described = ["+".join(media.modalities or ()), read, rate, frames, rule, media.resolution, media.truncation]
    return (
        system_name(part.card),
        config.system.revision or "–",
        f"{benchmark.name} {benchmark.version}, {benchmark.split}, {benchmark.data_sha256[:12]}",
        benchmark.selection or "all",
        ", ".join(condition_label(each, part.card) for each in config.protocol.conditions),
        str(config.protocol.runs),
        f"{config.prompt.id} {config.prompt.sha256[:12]}" if config.prompt.sha256 else NOT_KNOWN,
        _decoding(decoding),
        ", ".join(each for each in described if each),
    )


def _decoding(decoding: DecodingBlock) -> str:
    """How text was generated, as far as it is known."""
    heat = None if decoding.temperature is None else f"temperature {decoding.temperature:g}"
    length = None if decoding.max_tokens is None else f"{decoding.max_tokens} tokens at most"
    return ", ".join(filter(None, (heat, length))) or NOT_KNOWN


def _open(count: Counts) -> bool:
    """Whether some requests did not end in a readable answer."""
    return count.statuses.get(Status.OK.value, 0) < count.planned


def _count_text(count: Counts, status: str) -> str:
    found = count.statuses.get(status, 0)
    return str(found) if found else "–"


_NONE = "–"


def usage_table(parts: Sequence[Part]) -> PlainTable | None:
    """One row a system whose answers tell tokens; None where none does. Failures that cost tokens are counted."""
    usages = [(system_name(part.card), usage_of(part.folder, part.card.system)) for part in parts]
    told = [(name, usage) for name, usage in usages if usage and (usage.prompt_tokens or usage.completion_tokens)]
    if not told:
        return None
    head = ("system", "tokens read", "from the cache", "written", "of reasoning", "cost (USD)")
    return PlainTable("What the answers took", head, tuple((name, *_row(usage)) for name, usage in told))


def _row(usage: Usage) -> tuple[str, ...]:
    cached = f"{usage.cached_tokens / usage.prompt_tokens:.0%}" if usage.tells_cached and usage.prompt_tokens else _NONE
    return (
        f"{usage.prompt_tokens:,}",
        cached,
        f"{usage.completion_tokens:,}",
        f"{usage.reasoning_tokens:,}" if usage.reasoning_tokens else _NONE,
        _NONE if usage.cost_usd is None else f"{usage.cost_usd:.4f}",
    )
