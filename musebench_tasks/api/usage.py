"""What the answers of a run took: tokens, those that lay in a server's cache, and cost; and what was made up for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from musebench_tasks.inference.run_folder import run_folders
from musebench_tasks.models import model_slug

_TELLING = (b'"prompt_tokens":', b'"completion_tokens":', b'"violation":', b'"notes":["', b'"cost_usd":')
"""What a journal line holds that is counted here; other lines are not read."""


@dataclass
class Usage:
    """What the answers of one model took on one task; failures that cost tokens among them."""

    model: str
    task: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Of the prompt's, those from a server's prefix cache."""
    tells_cached: bool = False
    """Whether the server tells them."""
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    """None = no prices were given."""
    violations: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)

    def add(self, line: dict[str, Any]) -> None:
        """Count a journal line."""
        self.prompt_tokens += line.get("prompt_tokens") or 0
        self.cached_tokens += line.get("cached_tokens") or 0
        self.tells_cached |= line.get("cached_tokens") is not None
        self.completion_tokens += line.get("completion_tokens") or 0
        self.reasoning_tokens += line.get("reasoning_tokens") or 0
        if line.get("cost_usd") is not None:
            self.cost_usd = (self.cost_usd or 0.0) + line["cost_usd"]
        if line.get("violation"):
            self.violations[line["violation"]] += 1
        self.notes.update(line.get("notes") or ())


def read_usage(run: Path, models: Sequence[str]) -> list[Usage]:
    """What the answers in the journals of `run` took, for each of `models` and tasks; nothing for those that tell none.

    An answer that a task took over from another one of the run is counted once.
    """
    names = {model_slug(model): model for model in models}
    seen: set[tuple[str, Any]] = set()
    found = []
    for folder in run_folders(run):
        if folder.parent.name in names:
            usage = Usage(names[folder.parent.name], folder.name)
            for line in _telling_lines(folder):
                answer = (line.get("key", ""), line.get("latency_s"))
                if answer not in seen:
                    seen.add(answer)
                    usage.add(line)
            if usage != Usage(usage.model, usage.task):
                found.append(usage)
    return found


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
    for usage in usages:
        where = f"{usage.task} · {usage.model}"
        for violation, count in sorted(usage.violations.items()):
            what = "called a tool, which none was offered" if violation == "tool_call" else violation
            yield where, f"{count} {'answer' if count == 1 else 'answers'} broke the protocol: {what}"
        for note, count in sorted(usage.notes.items()):
            yield where, f"{count} times: {note}" if count > 1 else f"once: {note}"


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


def _telling_lines(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((folder / "responses").glob("worker-*.jsonl")):
        with path.open("rb") as file:
            for raw in file:
                if raw.endswith(b"\n") and any(each in raw for each in _TELLING):
                    yield json.loads(raw)
