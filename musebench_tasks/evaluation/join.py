"""Predictions joined to the plan, never the other way round (MU-12).

The plan is the denominator: what nobody answered is there as None; what nobody asked for refuses the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Condition, Item, Prediction
from musebench_tasks.base.text import nearest
from musebench_tasks.evaluation.conformity import first_problem

PlannedKey = tuple[str, int, Condition]


def join(
    plan: Sequence[PlannedKey],
    items: Iterable[Item],
    predictions: Iterable[Prediction],
    source: str = "predictions",
    retired: Collection[str] = (),
) -> dict[PlannedKey, Prediction | None]:
    """The prediction of every planned request, None where there is none; those of `retired` items are passed over.

    Raises InputError naming `source` and the line for an item, run, condition or option nobody planned, for a planned
    request predicted twice, and for a prediction that contradicts itself or its item.
    """
    by_id = {item.id: item for item in items}
    joined: dict[PlannedKey, Prediction | None] = dict.fromkeys(plan)
    for line, prediction in enumerate(predictions, start=1):
        if prediction.item_id in retired:
            continue
        place = f"{source} line {line}"
        key = (prediction.item_id, prediction.run, prediction.condition)
        if prediction.item_id not in by_id:
            raise InputError(
                f'{place}, field "item_id": "{prediction.item_id}" is no item of the benchmark'
                f"{nearest(prediction.item_id, by_id)}. Remove the line or correct the id."
            )
        if key not in joined:
            raise InputError(
                f'{place}: item "{prediction.item_id}", run {prediction.run}, condition {prediction.condition} '
                "was not planned. Remove the line, or score with the run.yaml it belongs to."
            )
        if joined[key] is not None:
            raise InputError(
                f'{place}: item "{prediction.item_id}", run {prediction.run}, condition {prediction.condition} '
                "is predicted twice. Keep one of the two lines."
            )
        problem = first_problem(prediction, by_id[prediction.item_id])
        if problem is not None:
            raise InputError(problem.at(place=source, line=line, noun="field"))
        joined[key] = prediction
    return joined
