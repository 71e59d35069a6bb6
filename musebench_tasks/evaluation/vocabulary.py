"""The codes that predictions are told in: in files of others too they come from closed lists, and say nothing else.

Rules and flags are those that this program gives. What ended an answer is told as its server says it,
in a word, or in two as `content_filter: RECITATION`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from musebench_tasks.answers import PARSER_VERSION
from musebench_tasks.answers.outcomes import CHOICE_RULES, FLAGS, MUSIC_RULES
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Prediction
from musebench_tasks.base.records.requests import AudioRoute
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.evaluation.judged import FAILED, FOUND_NONE, OVERRULED
from musebench_tasks.evaluation.judged import RULE as JUDGE
from musebench_tasks.evaluation.read_answers import LETTER_RULE, REFUSAL, TOOL_CALL, VIOLATION
from musebench_tasks.evaluation.read_answers import RULES as READER

BY_RULES = (
    "Give the command of the run again (what was answered is read again, not asked again), or import the log again."
)
"""How predictions come to be what the rules of now read."""
RULES = CHOICE_RULES | {JUDGE, LETTER_RULE, REFUSAL, TOOL_CALL}
FIELD_RULES = MUSIC_RULES | {REFUSAL, TOOL_CALL}
KNOWN_FLAGS = FLAGS | {VIOLATION, FOUND_NONE, FAILED, *(f"{OVERRULED}{rule}" for rule in CHOICE_RULES)}
VERSIONS = frozenset(str(number) for number in range(1, int(PARSER_VERSION) + 1))
"""Those that the rules have had."""
ROUTES = frozenset(get_args(AudioRoute))
_WORD = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}"
_REASON = re.compile(rf"{_WORD}(?:: ?{_WORD})?")


def unknown_words(prediction: Prediction) -> Iterator[Problem]:
    """Every code of `prediction` that nobody here gives."""
    yield from _listed("rule", prediction.rule, RULES)
    yield from _flags("flags", prediction.flags)
    if isinstance(prediction.parsed, Mapping):
        for name, answer in prediction.parsed.items():
            yield from _listed(f"parsed.{name}.rule", answer.rule, FIELD_RULES)
            yield from _flags(f"parsed.{name}.flags", answer.flags)
    parser = prediction.parser
    if parser is not None and parser.method == READER.method:
        yield from _listed("parser.version", parser.version, VERSIONS)
    if prediction.finish_reason is not None and not _REASON.fullmatch(prediction.finish_reason):
        found = f"should be a word, such as stop or length, found {shown(prediction.finish_reason)}."
        yield Problem(found, column="finish_reason")
    if prediction.audio is not None:
        yield from _listed("audio.route", prediction.audio.route, ROUTES)


def _listed(field: str, code: str | None, known: Iterable[str]) -> Iterator[Problem]:
    if code is not None and code not in known:
        yield Problem(f"{shown(code)} is not known here{nearest(code[:40], known)}.", BY_RULES, column=field)


def _flags(field: str, flags: Iterable[str]) -> Iterator[Problem]:
    for flag in flags:
        yield from _listed(field, flag, KNOWN_FLAGS)
