"""What to tell of tokens, cost and what was made up for, at the end of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from musebench_tasks.base.text import counted
from musebench_tasks.inference.usage import Usage

_IN_PLACE = re.compile(r"server: \S+ answered in place of (?P<silent>\S+)")
"""The note of an answer that another server gave than the one that keeps its medium."""


def usage_lines(usages: Sequence[Usage]) -> Iterator[tuple[str, str]]:
    """What to tell at the end of a run: a name and a text, model by model."""
    by_model: dict[str, list[Usage]] = {}
    for usage in usages:
        by_model.setdefault(usage.model, []).append(usage)
    for model, own in by_model.items():
        name = "tokens" if len(by_model) == 1 else f"tokens · {model}"
        if any(each.prompt_tokens or each.completion_tokens for each in own):
            yield name, _told(own)


def remarks(usages: Sequence[Usage]) -> Iterator[tuple[str, str]]:
    """What went otherwise than planned: TASK · MODEL and a text."""
    yield from _replaced(usages)
    for usage in usages:
        where = f"{usage.task} · {usage.model}"
        for violation, count in sorted(usage.violations.items()):
            what = "called a tool, which none was offered" if violation == "tool_call" else violation
            yield where, f"{counted(count, 'answer')} broke the protocol: {what}"
        for note, count in sorted(usage.notes.items()):
            if _IN_PLACE.match(note):
                continue
            yield where, f"{count} times: {note}" if count > 1 else f"once: {note}"


def _replaced(usages: Sequence[Usage]) -> Iterator[tuple[str, str]]:
    """Servers that did not answer, one line each, whatever was asked and whoever answered in their place."""
    counts: Counter[tuple[str, str]] = Counter()
    for usage in usages:
        for note, count in usage.notes.items():
            if match := _IN_PLACE.match(note):
                counts[usage.model, match["silent"]] += count
    for (model, silent), count in sorted(counts.items()):
        answers = counted(count, "answer")
        yield model, f"{silent} did not answer all that it was asked: {answers} came from another server in its place"


def _told(usages: Sequence[Usage]) -> str:
    prompt, cached, completion, reasoning = (
        sum(getattr(each, f"{name}_tokens") for each in usages)
        for name in ("prompt", "cached", "completion", "reasoning")
    )
    tells_cached = prompt and any(each.tells_cached for each in usages)
    from_cache = f" ({cached / prompt:.0%} from the cache)" if tells_cached else ""
    thought = f" ({reasoning:,} of reasoning)" if reasoning else ""
    costs = [each.cost_usd for each in usages if each.cost_usd is not None]
    cost = f", {sum(costs):.4f} USD" if costs else ""
    return f"{prompt:,} read{from_cache}, {completion:,} written{thought}{cost}"
