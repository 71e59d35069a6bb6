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

Answer = tuple[str, float | None]
"""A request's key, and the time its answer took: what tells one answer from another."""
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
    seen: set[Answer] = set()
    found = []
    for folder in run_folders(run):
        if folder.parent.name in names:
            usage = usage_of(folder, names[folder.parent.name], seen)
            if usage is not None:
                found.append(usage)
    return found


def usage_of(folder: Path, model: str, seen: set[Answer] | None = None) -> Usage | None:
    """What the answers in a MODEL/TASK folder took, but for those in `seen`, which grows; None where none tells."""
    usage, seen = Usage(model, folder.name), set() if seen is None else seen
    for line in _telling_lines(folder):
        answer = (line.get("key", ""), line.get("latency_s"))
        if answer not in seen:
            seen.add(answer)
            usage.add(line)
    return None if usage == Usage(model, folder.name) else usage


def _telling_lines(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((folder / "responses").glob("worker-*.jsonl")):
        with path.open("rb") as file:
            for raw in file:
                if raw.endswith(b"\n") and any(each in raw for each in _TELLING):
                    yield json.loads(raw)
