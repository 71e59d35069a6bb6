"""Whether predictions of others are what their raw texts say: read again by the rules, as the scorer's own are.

Only answers that could score are looked at. A model's answer says who read it, and only what can be read again counts:
the rules, of whichever version (they are read by those of now), and the probabilities of letters. A judge's reading
cannot be repeated without the judge, so no submission holds one. People and baselines need not have written anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from musebench_tasks.answers import PARSER_VERSION, parse_choice, parse_music
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import LETTERS, FieldAnswer, Item, Kind, Prediction, Status, TaskConfig
from musebench_tasks.evaluation.judged import METHOD as JUDGE
from musebench_tasks.evaluation.read_answers import LETTER_PROBABILITIES, RULES
from musebench_tasks.evaluation.vocabulary import BY_RULES
from musebench_tasks.tasks import shown_order


def doubtful_lines(
    task: TaskConfig,
    items: Mapping[str, Item],
    predictions: Iterable[Prediction],
    *,
    is_model: bool,
    may_be_judged: bool = False,
) -> Iterator[Problem]:
    """The predictions that do not follow from what was shown and answered, each with the number of its line.

    `task` has the runs and orders of the run; `is_model`: whether every answer needs its raw text, or probabilities;
    `may_be_judged`: whether a judge's reading is taken as it stands.
    """
    for number, each in enumerate(predictions, start=1):
        item = items.get(each.item_id)
        is_judged = may_be_judged and each.parser is not None and each.parser.method == JUDGE
        problem = None if item is None or is_judged else _problem(task, item, each, is_model)
        if problem is not None:
            yield problem.at(line=number, noun="field")


def _problem(task: TaskConfig, item: Item, prediction: Prediction, is_model: bool) -> Problem | None:
    order = prediction.option_order
    if item.options and order is not None and order != shown_order(task, item, prediction.run):
        order_told = f"protocol.option_order {task.protocol.option_order}, seed {task.protocol.seed}"
        return Problem(f"is not the order that run.yaml makes ({order_told}).", column="option_order")
    if not _scores(prediction):
        return None
    unread = _unread(prediction) if is_model else None
    if unread is not None:
        return unread
    readings = _readings(task, item, prediction)
    if not readings or prediction.parsed in readings:
        return None
    if prediction.parser == LETTER_PROBABILITIES:
        return Problem("is not the one option of the highest probability.", column="parsed")
    unlike = f"is not what the rules (version {PARSER_VERSION}) read in its raw text."
    return Problem(unlike, BY_RULES, column="parsed")


def _scores(prediction: Prediction) -> bool:
    """Whether anything was read; a music line holds the statuses of its fields."""
    if isinstance(prediction.parsed, dict):
        return any(answer.status is Status.OK for answer in prediction.parsed.values())
    return prediction.status is Status.OK


def _unread(prediction: Prediction) -> Problem | None:
    """Why a model's answer cannot be read again; None where it can."""
    parser = prediction.parser
    if parser == LETTER_PROBABILITIES:
        if prediction.option_probabilities:
            return None
        needed = "The probabilities that the letter was read from are needed."
        return Problem("is missing.", needed, column="option_probabilities")
    if parser is not None and parser.method == RULES.method:
        if prediction.raw is not None:
            return None
        return Problem("is null.", "What the model wrote is needed.", column="raw")
    if parser is not None and parser.method == JUDGE:
        found = "a judge read the answer, which nobody can repeat here: submissions are read by the rules alone."
        return Problem(found, "Give the command of the run again without --judge.", column="parser")
    if parser is None:
        return Problem("is missing, so nobody knows who read the answer.", BY_RULES, column="parser")
    known = f'"{RULES.method}", or "{LETTER_PROBABILITIES.method}" of version {LETTER_PROBABILITIES.version}'
    found = f'"{parser.method}" of version "{parser.version}" is no reader that is known here ({known}).'
    return Problem(found, BY_RULES, column="parser")


def _readings(task: TaskConfig, item: Item, prediction: Prediction) -> list[object]:
    """What the rules read now, in the form of `parsed`; nothing where people or baselines do not tell their text."""
    if prediction.parser == LETTER_PROBABILITIES and prediction.option_probabilities:
        highest = max(prediction.option_probabilities.values())
        best = [name for name, share in prediction.option_probabilities.items() if share == highest]
        return [(best[0],) if len(best) == 1 else None]
    if prediction.parser is None or prediction.parser.method != RULES.method or prediction.raw is None:
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
