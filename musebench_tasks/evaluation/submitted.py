"""Whether predictions of others are what their raw texts say: read again by the rules, as the scorer's own are.

Only answers that could score are looked at. What a judge or another version of the rules read cannot be read again, and
people and baselines need not have written anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from musebench_tasks.answers import PARSER_VERSION, parse_choice, parse_music
from musebench_tasks.evaluation.read_answers import LETTER_PROBABILITIES, RULES
from musebench_tasks.records import LETTERS, FieldAnswer, Item, Kind, Prediction, Status, TaskConfig
from musebench_tasks.tasks import shown_order


def doubtful_lines(
    task: TaskConfig, items: Mapping[str, Item], predictions: Iterable[Prediction], source: str, *, is_model: bool
) -> Iterator[str]:
    """A line for each prediction that does not follow from what was shown and answered.

    `task` has the runs and orders of the run; `is_model`: whether every answer needs its raw text, or probabilities.
    """
    for number, each in enumerate(predictions, start=1):
        item = items.get(each.item_id)
        problem = None if item is None else _problem(task, item, each, is_model)
        if problem is not None:
            yield f"{source} line {number}, {problem}"


def _problem(task: TaskConfig, item: Item, prediction: Prediction, is_model: bool) -> str | None:
    order = prediction.option_order
    if item.options and order is not None and order != shown_order(task, item, prediction.run):
        return (
            'field "option_order": is not the order that run.yaml makes '
            f"(protocol.option_order {task.protocol.option_order}, seed {task.protocol.seed})."
        )
    if prediction.status is not Status.OK:
        return None
    if is_model and prediction.raw is None and not prediction.option_probabilities:
        return 'field "raw": is null. What the model wrote is needed, or the probabilities of the options.'
    readings = _readings(task, item, prediction)
    if not readings or prediction.parsed in readings:
        return None
    return (
        f'field "parsed": is not what the rules (version {PARSER_VERSION}) read in its raw text. Have the predictions '
        "written by `musebench run` or `musebench import`."
    )


def _readings(task: TaskConfig, item: Item, prediction: Prediction) -> list[object]:
    """What the rules read now, in the form of `parsed`; nothing where that cannot be told."""
    if prediction.parser == LETTER_PROBABILITIES and prediction.option_probabilities:
        highest = max(prediction.option_probabilities.values())
        return [tuple(name for name, share in prediction.option_probabilities.items() if share == highest)]
    if prediction.parser != RULES or prediction.raw is None:
        return []
    if item.kind is Kind.MUSIC:
        # A system that got no sound was not held to its length.
        return [_music(prediction, duration_s) for duration_s in (item.window_s or None, None)]
    order = prediction.option_order or shown_order(task, item, prediction.run)
    texts = {option.id: option.text for option in item.options}
    answer = parse_choice(
        prediction.raw,
        [texts[each] for each in order],
        multi=item.kind is Kind.MULTI,
        finish_reason=prediction.finish_reason,
    )
    if answer.status is not Status.OK:
        return [None]
    return [tuple(sorted(order[LETTERS.index(label)] for label in answer.labels))]


def _music(prediction: Prediction, duration_s: float | None) -> object:
    """The fields of a recording; those that were not read well are left as they stand: they score nothing."""
    parsed = prediction.parsed if isinstance(prediction.parsed, dict) else {}
    found = parse_music(
        prediction.raw or "", tuple(parsed), duration_s=duration_s, finish_reason=prediction.finish_reason
    )
    return {name: _plain(found[name]) if answer.status is Status.OK else answer for name, answer in parsed.items()}


def _plain(answer: FieldAnswer) -> FieldAnswer:
    """As it stands after a file: lists and mappings of JSON."""
    return FieldAnswer.model_validate_json(answer.model_dump_json())
