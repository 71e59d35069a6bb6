"""The plan: which (item, run, condition) a run asks, and in which order options are shown. The denominator.

Pure: follows from the task, the selected items and the conditions alone, so that a scorer finds the same plan.
"""

from collections.abc import Iterable, Sequence

from musebench_tasks.base.conditions import find_condition
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Item, TaskConfig, shuffled_order
from musebench_tasks.base.text import nearest

ALL_CONDITIONS = "all"


def planned(
    task: TaskConfig, item_ids: Iterable[str], conditions: Sequence[Condition]
) -> list[tuple[str, int, Condition]]:
    """Every (item id, run, condition) of the plan, sorted as predictions are; InputError for a foreign condition."""
    wanted = sorted(set(conditions_of(task, conditions)))
    runs = range(task.protocol.runs)
    return [(item_id, run, condition) for item_id in sorted(set(item_ids)) for run in runs for condition in wanted]


def conditions_of(task: TaskConfig, asked: Sequence[str] | None) -> tuple[Condition, ...]:
    """The conditions a run plans: `full` unless asked otherwise; `all` = every one the task allows."""
    if not asked:
        return (Condition.FULL,)
    allowed = task.protocol.conditions
    if list(asked) == [ALL_CONDITIONS]:
        return allowed
    for each in asked:
        if each not in allowed:
            known = ", ".join(allowed)
            raise InputError(f'{task.task} has no condition "{each}"{nearest(each, allowed)}. It allows: {known}.')
    return tuple(find_condition(each) for each in dict.fromkeys(asked))


def shown_order(task: TaskConfig, item: Item, run: int) -> tuple[str, ...]:
    """Option ids in the order shown in run `run` (from 0); empty for an item without options.

    `stored`: as the dataset gives them. `shuffled`: by SHA-256 of `item_id|run|seed|option_id`, run 0 included.
    """
    if task.protocol.option_order == "stored":
        return item.option_ids
    return shuffled_order(item.id, run, item.option_ids, task.protocol.seed)
