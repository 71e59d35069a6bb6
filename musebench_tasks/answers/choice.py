"""Choice answers: from a model's text to option letters (answers.md 2 and 3). Nothing is guessed.

Precedence (P5): the whole response is a label or an option text; a declaration; a label in an answer position;
a unique option text. Each step is one function; the first that decides wins.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from musebench_tasks.answers.additions import is_added_to, united
from musebench_tasks.answers.characters import canonical, localised_labels, without_pictures
from musebench_tasks.answers.choice_json import rewrite_json
from musebench_tasks.answers.corrections import after_correction
from musebench_tasks.answers.declarations import STRONG, Declaration, find_deciding
from musebench_tasks.answers.markup import plain
from musebench_tasks.answers.multiple import MULTI_STEPS, one_verdict, stated_verdicts
from musebench_tasks.answers.option_texts import OptionTexts, option_texts
from musebench_tasks.answers.outcomes import LONGEST, ChoiceAnswer, was_cut
from musebench_tasks.answers.phrases import explicit_phrase
from musebench_tasks.answers.positions import SINGLE_STEPS
from musebench_tasks.answers.refusals import is_refusal
from musebench_tasks.answers.regions import Region, RegionReader
from musebench_tasks.answers.steps import Decision, Undeclared
from musebench_tasks.answers.tool_calls import without_tool_calls
from musebench_tasks.answers.visible_text import visible_answer
from musebench_tasks.base.records import LETTERS, Status

_PLAIN_LETTERS = {letter: ChoiceAnswer((letter,), Status.OK, "whole_response") for letter in LETTERS}


def parse_choice(
    response: str | None, options: Sequence[str], multi: bool = False, finish_reason: str | None = None
) -> ChoiceAnswer:
    """The options that `response` chooses, as letters of the order shown; never raises on any text.

    `options` are the option texts in the order shown (A first). With `multi` the answer is a set, which may be empty
    (rule `explicit_none`). `finish_reason` tells whether the text was cut.
    """
    if response in _PLAIN_LETTERS and LETTERS.index(response) < len(options):
        return _PLAIN_LETTERS[response]
    texts = option_texts(tuple(options))
    written = canonical(response) if response is not None and len(response) <= LONGEST else None
    bare = plain(written or "")
    if written and (whole := texts.whole(bare)) and len(whole) == 1:
        core = texts.cores[whole[0]]
        if len(core) > 1 and not core.isspace():
            return ChoiceAnswer((LETTERS[whole[0]],), Status.OK, "whole_text")
    spoken = visible_answer(response, lambda before: _is_answered(before, texts, multi), written)
    if spoken.verdict is not None:
        return _if_cut(ChoiceAnswer((), spoken.verdict.status, spoken.verdict.rule, spoken.flags), finish_reason)
    text, called = without_tool_calls(spoken.text)
    decision = _decide(localised_labels(text), texts, multi, (written or "", bare))
    if decision.indices is None or (decision.indices == () and decision.rule not in _EMPTY_SETS):
        answer = _no_answer(decision, text, called)
    else:
        answer = _answer(decision, len(texts.cores), multi)
    return _if_cut(answer._replace(flags=answer.flags + spoken.flags), finish_reason)


_EMPTY_SETS = frozenset({"explicit_none", "complement", "check_boxes", "verdicts"})


_WEAK_RULES = frozenset({"option_text", "asserted_texts", "asserted_labels", "bracketed", "ordinal"})
"""They may read a description in which no answer is stated."""


def _is_answered(text: str, texts: OptionTexts, multi: bool) -> bool:
    """Whether `text`, behind which another question stands, states an answer or declines to."""
    decision = _decide(localised_labels(text), texts, multi, ("", ""))
    if decision.indices is None:
        return is_refusal(text)
    return decision.rule not in _WEAK_RULES


def _if_cut(answer: ChoiceAnswer, finish_reason: str | None) -> ChoiceAnswer:
    """No answer in a text that the token limit ended, an empty one included, is `truncated`."""
    if answer.status in (Status.UNPARSED, Status.REFUSED) and was_cut(finish_reason):
        return answer._replace(status=Status.TRUNCATED)
    return answer


def _answer(decision: Decision, count: int, multi: bool) -> ChoiceAnswer:
    indices = decision.indices or ()
    if any(index >= count for index in indices):
        return ChoiceAnswer((), Status.OUT_OF_RANGE, decision.rule)
    if decision.alternatives or (not multi and len(indices) != 1):
        return ChoiceAnswer((), Status.UNPARSED, "ambiguous")
    flags = ("letter_text_conflict",) if decision.conflict else ()
    rule = "explicit_none" if not indices else decision.rule
    return ChoiceAnswer(tuple(LETTERS[index] for index in sorted(indices)), Status.OK, rule, flags)


def _no_answer(decision: Decision, text: str, called: bool) -> ChoiceAnswer:
    if decision.rule == "cut":
        return ChoiceAnswer((), Status.TRUNCATED, decision.rule)
    if called and not text.strip():
        return ChoiceAnswer((), Status.UNPARSED, "tool_call")
    if is_refusal(text):
        return ChoiceAnswer((), Status.REFUSED, "refusal")
    return ChoiceAnswer((), Status.UNPARSED, decision.rule)


def _decide(text: str, texts: OptionTexts, multi: bool, known: tuple[str, str]) -> Decision:
    """What `text` answers; `known` is a text and its plain form, which need not be made twice."""
    if not text.isascii() and not any(core != without_pictures(core) for core in texts.cores):
        text = without_pictures(text)
    rewritten = rewrite_json(text, texts)
    bare = known[1] if rewritten.text == known[0] else plain(rewritten.text)
    reader = RegionReader(_answer_to_question(bare), texts, multi)
    decision = after_correction(reader, _read) or _read(reader)
    return Decision(None, "cut") if decision.indices is None and decision.rule in _OPEN and rewritten.cut else decision


def _answer_to_question(text: str) -> str:
    """`Q: … A: …` is a question with its answer; the `A` is no label unless a `B` follows it as another."""
    return _QUESTION_AND_ANSWER.sub(r"\1answer:", text, count=1) if text.startswith("Q") else text


_QUESTION_AND_ANSWER = re.compile(r"\A(Q ?:[^\n]{0,2000}[\n ])A ?:(?![^\n]{0,200}[\n ]B ?[:.)])")
_OPEN = frozenset({"no_answer", "not_an_option", "placeholder"})


def _read(reader: RegionReader) -> Decision:
    whole = _whole(reader)
    if whole is not None:
        return whole
    declared = find_deciding(reader)
    evidence = Undeclared(reader)
    if declared.declarations:
        stated = stated_verdicts(evidence, declared.declarations) if reader.multi else None
        return stated or _last_declared(declared.declarations, reader)
    steps: tuple[Callable[[Undeclared], Decision | None], ...] = (
        MULTI_STEPS if reader.multi else (one_verdict, *SINGLE_STEPS)
    )
    for step in steps:
        decision = step(evidence)
        if decision is not None:
            return decision
    if declared.placeholder:
        return Decision(None, "placeholder")
    return Decision(None, "not_an_option" if declared.not_an_option or _phrase_opens(reader) else "no_answer")


def _whole(reader: RegionReader) -> Decision | None:
    """The whole response is an option text, a label, one label repeated, or a list."""
    found = reader.options.whole(reader.text)
    region = reader.whole()
    if len(found) == 1 and (region is None or region.is_text or len(reader.options.cores[found[0]]) > 1):
        return Decision(found, "whole_text")
    if region is None:
        return _whole_phrase(reader)
    if region.is_text and not reader.multi:
        return None
    if _is_lower_list(region) and not reader.multi:
        return Decision(region.indices, "whole_response") if len(region.items) == 1 else None
    return Decision(region.indices, "whole_response", region.alternatives, any(each.conflict for each in region.items))


def _is_lower_list(region: Region) -> bool:
    return not region.items[0].upper


def _whole_phrase(reader: RegionReader) -> Decision | None:
    if not reader.multi:
        return None
    phrase = explicit_phrase(reader, 0, len(reader.text))
    return None if phrase is None else Decision(phrase[1], phrase[0])


def _phrase_opens(reader: RegionReader) -> bool:
    return reader.folded.startswith(("none of the", "all of the", "以上"))


def _last_declared(declarations: list[Declaration], reader: RegionReader) -> Decision:
    """The last of the strongest; no answer from a loop of two or more answers, each declared at least twice (P2)."""
    strong = [each for each in declarations if each.strength == STRONG]
    level = united(reader.text, strong or declarations, reader.multi)
    repeated = Counter(each.indices for each in level)
    if sum(times >= 2 for times in repeated.values()) >= 2:
        return Decision(None, "loop")
    last = level[-1]
    alternatives = last.alternatives or _stand_beside(reader.text, level) or is_added_to(reader.text, last)
    return Decision(last.indices, last.rule, alternatives, last.conflict)


def _stand_beside(text: str, declarations: list[Declaration]) -> bool:
    """Whether the last two weak declarations differ and a bare "and" joins them ("it's A and it's B")."""
    if len(declarations) < 2 or declarations[-1].strength == STRONG:
        return False
    earlier, later = declarations[-2:]
    between = text[earlier.position + 1 : later.position]
    return earlier.indices != later.indices and len(between) < 80 and _BESIDE.fullmatch(between) is not None


_BESIDE = re.compile(
    r"(?:(?!\b(?:but|so|then|now|therefore|thus|hence|not)\b)[^.!?;\n])*\band "
    r"(?:(?!\b(?:so|then|now|not)\b)[^.!?;,\n])*",
    re.IGNORECASE,
)
