"""Has a judge read what the rules left unparsed, and keeps what it replied beside the predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from musebench_tasks.answers.llm_judge import is_no_reply
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import write_text
from musebench_tasks.base.records import Item, JudgeReply, Prediction
from musebench_tasks.base.validation import phrase
from musebench_tasks.evaluation.judged import JudgeQuestion, by_rules, judge_reply, questions_to_judge, with_verdicts
from musebench_tasks.models.llm_judge import TextJudge

JUDGE_FILE = "judge.jsonl"


def judge_predictions(
    predictions: Sequence[Prediction], items: Mapping[str, Item], judge: TextJudge, file: Path
) -> list[Prediction]:
    """`predictions` with what `judge` reads in those that the rules left unparsed.

    Replies that lie in `file` are not asked for again; new ones are added to it as they come. No reply, an empty one
    and the text of an error are never kept: the next time they are asked for again.
    """
    before = [by_rules(prediction) for prediction in predictions]
    questions = list(questions_to_judge(before, items, judge.name))
    kept = read_judge_replies(file) if file.is_file() else []
    wanted = {question.key: question for question in questions}
    replies = {reply.key: reply.raw for reply in kept if reply.key in wanted}
    open_questions = {key: question for key, question in wanted.items() if key not in replies}
    if open_questions:
        _end_torn_line(file)
        with file.open("a", encoding="utf-8") as journal:
            asked = [(key, question.system, question.user) for key, question in open_questions.items()]
            for key, raw in judge.replies(asked):
                if raw is None or is_no_reply(raw):
                    continue
                line = judge_reply(open_questions[key], before[open_questions[key].place], judge.name, raw)
                journal.write(f"{line.canonical_json()}\n")
                journal.flush()
                replies[key] = line.raw
    _write(file, kept, questions, before, replies, judge.name)
    return with_verdicts(before, questions, replies, judge.name)


def read_judge_replies(file: Path) -> list[JudgeReply]:
    """The lines of a judge.jsonl; a last line that a kill tore is passed over."""
    replies = []
    content = file.read_bytes()
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), start=1):
        try:
            replies.append(JudgeReply.model_validate_json(line))
        except ValidationError as problem:
            first = problem.errors()[0]
            field = ".".join(map(str, first["loc"])) or "line"
            raise InputError(
                f"{file} line {number}: not a judge's reply ({field}: {phrase(first)}). Remove the line; "
                "the judge is asked again."
            ) from problem
    return replies


def _end_torn_line(file: Path) -> None:
    """Cut off what stands after the last line feed."""
    if file.is_file():
        content = file.read_bytes()
        if not content.endswith(b"\n"):
            write_text(file, content[: content.rfind(b"\n") + 1].decode())


def _write(
    file: Path,
    kept: Sequence[JudgeReply],
    questions: Sequence[JudgeQuestion],
    predictions: Sequence[Prediction],
    replies: Mapping[str, str],
    judge: str,
) -> None:
    """The whole file in its order: equal replies give equal bytes. Replies to what is not asked now stay."""
    now = [
        judge_reply(question, predictions[question.place], judge, replies[question.key])
        for question in questions
        if question.key in replies
    ]
    lines = {line.canonical_json(): line for line in (*kept, *now)}
    ordered = sorted(lines.values(), key=lambda each: (each.item_id, each.run, each.condition, each.judge, each.key))
    if ordered:
        write_text(file, "".join(f"{line.canonical_json()}\n" for line in ordered))
    else:
        file.unlink(missing_ok=True)
