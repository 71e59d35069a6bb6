"""The second reader: predictions that the rules left unparsed, as a judge read them (HQ-10). Never mixed in silently.

Every prediction a judge was asked about names it in `parser`: `rules-N+judge:MODEL+prompt.HASH`. What it read has the
rule `judge` and, in a flag, the rule it overruled; the others keep status and rule and are flagged `judge_none` or
`judge_failed`. So the reading by the rules alone can always be had back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from musebench_tasks.answers.llm_judge import JUDGE_PROMPT_SHA256, judge_messages, read_verdict, shown_to_judge
from musebench_tasks.base.records import (
    LETTERS,
    Item,
    JudgeCounts,
    JudgeReply,
    Kind,
    Parser,
    Prediction,
    Status,
    request_key,
)

METHOD = "judge"
RULE = "judge"
FOUND_NONE, FAILED = "judge_none", "judge_failed"
OVERRULED = "rules_"
"""Before the rule that a judge overruled, in a flag."""
_JUDGED_BY = "+judge:"


class JudgeQuestion(NamedTuple):
    """What a judge is to be asked about one prediction."""

    key: str
    place: int
    """Of the prediction among those given."""
    order: tuple[str, ...]
    """Option ids as shown."""
    multi: bool
    system: str
    user: str


def parser_name(prediction: Prediction, judge: str) -> Parser:
    """Who reads a prediction of the rules when `judge` is asked too."""
    rules = prediction.parser.version if prediction.parser else "0"
    return Parser(method=METHOD, version=f"rules-{rules}{_JUDGED_BY}{judge}+prompt.{JUDGE_PROMPT_SHA256[:8]}")


def by_rules(prediction: Prediction) -> Prediction:
    """`prediction` as the rules alone read it; one that does not say how they read it stays as it is."""
    if prediction.parser is None or prediction.parser.method != METHOD:
        return prediction
    rules = prediction.parser.version.partition(_JUDGED_BY)[0].removeprefix("rules-")
    own = [flag for flag in prediction.flags if flag not in (FOUND_NONE, FAILED) and not flag.startswith(OVERRULED)]
    before = {"parser": Parser(method="rules", version=rules), "flags": tuple(own)}
    if prediction.rule != RULE:
        return prediction.model_copy(update=before)
    overruled = [flag.removeprefix(OVERRULED) for flag in prediction.flags if flag.startswith(OVERRULED)]
    if len(overruled) != 1:
        return prediction
    return prediction.model_copy(update={**before, "parsed": None, "status": Status.UNPARSED, "rule": overruled[0]})


def questions_to_judge(
    predictions: Sequence[Prediction], items: Mapping[str, Item], judge: str
) -> Iterator[JudgeQuestion]:
    """A question about each choice answer that the rules read and left unparsed, where there is text to read."""
    for place, prediction in enumerate(predictions):
        item = items[prediction.item_id]
        is_open = prediction.status is Status.UNPARSED and prediction.parser and prediction.parser.method == "rules"
        shown = shown_to_judge(prediction.raw or "") if is_open and item.kind is not Kind.MUSIC else ""
        if not shown:
            continue
        texts = {option.id: option.text for option in item.options}
        order = prediction.option_order or item.option_ids
        multi = item.kind is Kind.MULTI
        system, user = judge_messages([texts[each] for each in order], shown, multi)
        key = request_key({"judge": judge, "system": system, "user": user})
        yield JudgeQuestion(key, place, order, multi, system, user)


def with_verdicts(
    predictions: Sequence[Prediction], questions: Iterable[JudgeQuestion], replies: Mapping[str, str], judge: str
) -> list[Prediction]:
    """The predictions as `judge` read those it was asked about; `replies` by key, none where it failed."""
    read = list(predictions)
    for question in questions:
        before = read[question.place]
        reply = replies.get(question.key)
        letters = None if reply is None else read_verdict(reply, len(question.order), question.multi)
        read[question.place] = _judged(before, letters, question.order, parser_name(before, judge))
    return read


def _judged(before: Prediction, letters: tuple[str, ...] | None, order: tuple[str, ...], parser: Parser) -> Prediction:
    if not letters:
        flag = FAILED if letters is None else FOUND_NONE
        return before.model_copy(update={"parser": parser, "flags": (*before.flags, flag)})
    return before.model_copy(
        update={
            "parsed": tuple(sorted(order[LETTERS.index(letter)] for letter in letters)),
            "parser": parser,
            "rule": RULE,
            "flags": (*before.flags, f"{OVERRULED}{before.rule}"),
            "status": Status.OK,
        }
    )


def judge_reply(question: JudgeQuestion, prediction: Prediction, judge: str, raw: str) -> JudgeReply:
    """The line of judge.jsonl for what `judge` replied to `question` about `prediction`."""
    return JudgeReply(
        key=question.key,
        item_id=prediction.item_id,
        run=prediction.run,
        condition=prediction.condition,
        judge=judge,
        prompt_sha256=JUDGE_PROMPT_SHA256,
        raw=raw,
    )


def count_judged(predictions: Iterable[Prediction]) -> tuple[JudgeCounts, ...]:
    """How the answers ended that judges were asked about, for each reader that the predictions name."""
    asked: dict[str, list[Prediction]] = {}
    for prediction in predictions:
        if prediction.parser is not None and prediction.parser.method == METHOD:
            asked.setdefault(prediction.parser.version, []).append(prediction)
    return tuple(
        JudgeCounts(
            parser=parser,
            asked=len(each),
            read=sum(prediction.rule == RULE for prediction in each),
            none=sum(FOUND_NONE in prediction.flags for prediction in each),
            failed=sum(FAILED in prediction.flags for prediction in each),
        )
        for parser, each in sorted(asked.items())
    )


def judge_note(system: str, counts: JudgeCounts) -> str:
    """The line under a table that says how much of it a judge read."""
    return (
        f"{system}: of {counts.asked} answers that the rules left unparsed the judge read {counts.read}, found no "
        f"answer in {counts.none} and failed on {counts.failed} ({counts.parser})."
    )
