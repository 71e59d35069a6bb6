"""What authors wrote about an item beside its gold: its core intent, and what each distractor is built on (MB-04).

No score depends on it, and no model sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from musebench_tasks.base.records import TaskConfig
from musebench_tasks.items.load import REFERENCES, config_table
from musebench_tasks.items.locate import locate
from musebench_tasks.items.mapping import map_columns

INTENT, STRATEGIES = "core_intent", "distractor_strategies"


@dataclass(frozen=True)
class Notes:
    """The notes on one item; empty where nobody wrote any."""

    core_intent: str | None = None
    strategies: Mapping[str, str] = field(default_factory=dict)
    """Option id: the strategy of that distractor (MB-21)."""


def load_notes(task: TaskConfig, *, offline: bool = False) -> dict[str, Notes]:
    """The notes of the task's items by item id, from the configuration that holds the gold. Cells of another
    form count as absent: nothing rests on them.
    """
    table = config_table(task, locate(task, (REFERENCES,), offline=offline), REFERENCES)[1]
    column = map_columns(task, table, ("id",)).get("id", ("id",))[0]
    return {str(row.get(column)): _notes(row) for row in table.rows}


def _notes(row: Mapping[str, Any]) -> Notes:
    intent, strategies = row.get(INTENT), row.get(STRATEGIES)
    named = [each for each in strategies if isinstance(each, dict)] if isinstance(strategies, list) else []
    return Notes(
        core_intent=intent if isinstance(intent, str) and intent.strip() else None,
        strategies={str(each.get("id")): str(each.get("strategy")) for each in named if each.get("strategy")},
    )
