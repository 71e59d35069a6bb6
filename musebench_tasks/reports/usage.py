"""What the answers of a task took: tokens, those that lay in a server's cache, and cost."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.inference.usage import Usage, usage_of
from musebench_tasks.pages import PlainTable
from musebench_tasks.reports.runs import Part
from musebench_tasks.reports.tables import system_name

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
