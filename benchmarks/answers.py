"""How well answers are read: readable ones that are not read, and texts without one in which one is read.

    python benchmarks/answers.py [--categories] [--misses]

Every case of tests/cases, choice and structured. Three rates, each with its Wilson interval and n: `not read` and
`wrong` among readable answers, `from nothing` among texts that hold no admissible answer; the last is the worst error.
Peers in the same run: two simple readers written for this page, as many scripts have them.

The readers were developed on these cases, so that their own rates here only guard what was reached. For new texts, what
counts is how choice cases fared that were written with their expectation before they were tried (`batch` 2 to 5 of
answers_more.jsonl, first try): of 480 readable ones 34 were not read and 3 read wrongly; of 271 without an answer one
was read in 16. After each batch the misses were repaired by general rules.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.answers import (
    PARSER_VERSION,
    parse_choice,
    parse_key,
    parse_music,
    parse_segments,
    parse_tempo,
    parse_time_signature,
)
from musebench_tasks.statistics import wilson_interval

CASES = Path(__file__).parents[1] / "tests" / "cases"
FIELDS = ("tempo", "key", "time_signature", "segments")
LETTERS = "ABCDEFGH"
EMPTY_SETS = {"m231", "m232"}
"""Shared cases in which an empty set is the answer; the other files say so by their status."""
NOTHING = None
SCRIPTS = (
    ("Japanese", r"[\u3040-\u30ff]"),
    ("Korean", r"[\uac00-\ud7a3]"),
    ("Chinese", r"[\u4e00-\u9fff]"),
    ("Arabic", r"[\u0600-\u06ff]"),
    ("Hindi", r"[\u0900-\u097f]"),
    ("Russian", r"[\u0400-\u04ff]"),
    ("other Latin", r"[äöüßéèêáíóúñçãõ]|(?i:\b(?:respuesta|antwort|jawaban|resposta|risposta|ich|und|nicht|es ist)\b)"),
)


class Case(NamedTuple):
    """A text, what is to be read in it (`expected` is NOTHING where there is no answer), and its groups."""

    record: dict[str, Any]
    expected: Any
    file: str

    @property
    def language(self) -> str:
        """The language group, by script or by words that only one group has."""
        text = self.record["response"]
        return next((name for name, pattern in SCRIPTS if re.search(pattern, text)), "English")


class Reader(NamedTuple):
    """A name and a function from a case's record to what it reads, NOTHING if it reads nothing."""

    name: str
    read: Callable[[dict[str, Any]], Any]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--categories", action="store_true", help="also each category of the case files")
    parser.add_argument("--misses", action="store_true", help="list the cases that the package misses")
    options = parser.parse_args()
    choice, structured = list(choice_cases()), list(structured_cases())
    print(f"parser version {PARSER_VERSION}; shares in %, with 95 % Wilson intervals\n")
    report("choice answers", choice, (OURS_CHOICE, *CHOICE_PEERS), lambda case: case.record["kind"])
    report("structured answers", structured, (OURS_STRUCTURED, *STRUCTURED_PEERS), lambda case: case.record["field"])
    if options.categories:
        for cases, ours in ((choice, OURS_CHOICE), (structured, OURS_STRUCTURED)):
            print_groups(ours, cases, lambda case: case.record.get("category", "(none)"), "category")
    if options.misses:
        for cases, ours in ((choice, OURS_CHOICE), (structured, OURS_STRUCTURED)):
            for case in cases:
                if not same(ours.read(case.record), case.expected):
                    print(f"{case.record['id']:6} {case.expected!r} {ours.read(case.record)!r}")


def choice_cases() -> Iterator[Case]:
    """Cases with options; an empty `expected` is an answer only where it is an explicit empty set."""
    for file, record in records():
        if "options" in record:
            is_answer = bool(record["expected"]) or record.get("status") == "ok" or record["id"] in EMPTY_SETS
            yield Case(record, frozenset(record["expected"]) if is_answer else NOTHING, file)


def structured_cases() -> Iterator[Case]:
    """Cases with a field; those that ask for several fields are one case a field."""
    for file, record in records():
        if record.get("field") == "music":
            for field in FIELDS:
                yield Case({**record, "field": field, "among": True}, record["expected"][field], file)
        elif "field" in record:
            yield Case(record, record["expected"], file)


def records() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every record of every case file, with the file's name."""
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path.stem, json.loads(line)


def report(title: str, cases: list[Case], readers: tuple[Reader, ...], kind: Callable[[Case], str]) -> None:
    """All readers over all cases, then the first of them by file, kind and language."""
    none = sum(case.expected is NOTHING for case in cases)
    print(f"{title}: {len(cases)} texts, {none} of them without an answer")
    print(f"  {'':22}{'not read':>27}{'wrong':>27}{'from nothing':>27}")
    counts = [count(reader, cases) for reader in readers]
    for reader, found in zip(readers, counts, strict=True):
        print_row(reader.name, found)
    for reader, found in list(zip(readers, counts, strict=True))[1:]:
        print(f"  {errors(found)} errors of {reader.name} against {errors(counts[0])} of {readers[0].name}")
    print()
    for name, group in (("file", lambda case: case.file), ("kind", kind), ("language", lambda case: case.language)):
        print_groups(readers[0], cases, group, name)


def print_groups(reader: Reader, cases: list[Case], group: Callable[[Case], str], name: str) -> None:
    """One row a group, in the order of their names."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(group(case), []).append(case)
    print(f"  {reader.name} by {name}")
    for key in sorted(groups):
        print_row(key, count(reader, groups[key]))
    print()


class Counts(NamedTuple):
    """Errors of each kind and the texts in which they can occur."""

    not_read: int
    wrong: int
    readable: int
    from_nothing: int
    without: int


def count(reader: Reader, cases: list[Case]) -> Counts:
    """The three kinds of error."""
    pairs = [(case.expected, reader.read(case.record)) for case in cases]
    readable = [(expected, read) for expected, read in pairs if expected is not NOTHING]
    without = [read for expected, read in pairs if expected is NOTHING]
    return Counts(
        sum(read is NOTHING for _, read in readable),
        sum(read is not NOTHING and not same(read, expected) for expected, read in readable),
        len(readable),
        sum(read is not NOTHING for read in without),
        len(without),
    )


def errors(counts: Counts) -> int:
    return counts.not_read + counts.wrong + counts.from_nothing


def same(read: Any, expected: Any) -> bool:
    """Numbers and times within 1e-6."""
    if isinstance(read, (int, float)) and isinstance(expected, (int, float)):
        return abs(read - expected) <= 1e-6
    if isinstance(read, list) and isinstance(expected, list):
        return len(read) == len(expected) and all(map(same, read, expected))
    return bool(read == expected)


def print_row(name: str, counts: Counts) -> None:
    cells = [
        share(counts.not_read, counts.readable),
        share(counts.wrong, counts.readable),
        share(counts.from_nothing, counts.without),
    ]
    print(f"  {name:22}" + "".join(f"{cell:>27}" for cell in cells))


def share(part: int, n: int) -> str:
    """`1.2 [0.4, 3.1] 5/417`, or a dash where nothing was asked."""
    if n == 0:
        return "-"
    interval = wilson_interval(part, n)
    return f"{100 * part / n:.1f} [{100 * interval.low:.1f}, {100 * interval.high:.1f}] {part}/{n}"


def read_choice(record: dict[str, Any]) -> Any:
    answer = parse_choice(record["response"], record["options"], multi=record["kind"] == "multi")
    return frozenset(answer.labels) if answer.status == "ok" else NOTHING


def read_last_capital(record: dict[str, Any]) -> Any:
    """The last free-standing capital of the options; of multi-select all of them."""
    letters = re.findall(rf"\b[{LETTERS[: len(record['options'])]}]\b", record["response"])
    if not letters:
        return NOTHING
    return frozenset(letters if record["kind"] == "multi" else letters[-1:])


def read_answer_is(record: dict[str, Any]) -> Any:
    """`answer is X`, `Answer: X` or the whole response."""
    count_ = len(record["options"])
    letter = rf"\(?[{LETTERS[:count_]}{LETTERS[:count_].lower()}]\b\)?"
    listed = rf"{letter}(?:(?:, ?(?:and )?| and ){letter})*" if record["kind"] == "multi" else letter
    found = re.search(rf"(?i:answer)(?:\s+is)?\s*:?\s*\**({listed})", record["response"])
    text = found[1] if found else record["response"].strip()
    if not found and not re.fullmatch(rf"{listed}\.?", text):
        return NOTHING
    return frozenset(each.upper() for each in re.findall(rf"\b[{LETTERS}{LETTERS.lower()}]\b", text))


def read_structured(record: dict[str, Any]) -> Any:
    field, response, duration_s = record["field"], record["response"], record.get("duration", 60.0)
    if record.get("among"):
        value = parse_music(response, FIELDS, duration_s)[field].value
        is_list = field == "segments" and value is not None
        return [[each.start_s, each.end_s, each.label] for each in as_segments(value)] if is_list else value
    if field == "segments":
        return parse_segments(response, duration_s=duration_s).value
    return {"tempo": parse_tempo, "key": parse_key, "time_signature": parse_time_signature}[field](response).value


class Segment(NamedTuple):
    start_s: float
    end_s: float
    label: str


def as_segments(value: Any) -> list[Segment]:
    return [Segment(each["start_s"], each["end_s"], each["label"]) for each in value]


def read_json_only(record: dict[str, Any]) -> Any:
    """`json.loads` from the first brace to the last, and the field as it stands there."""
    try:
        value = json.loads(record["response"][record["response"].index("{") : record["response"].rindex("}") + 1])
        found = value.get(record["field"])
        if record["field"] == "segments" and isinstance(found, list):
            return [list(each.values()) if isinstance(each, dict) else each for each in found]
        return found
    except (ValueError, AttributeError):
        return NOTHING


PATTERNS = {"tempo": r"\d+(?:\.\d+)?", "key": r"[A-G][#b]? (?:major|minor)", "time_signature": r"\d+/\d+"}


def read_first_match(record: dict[str, Any]) -> Any:
    """The first number, `G major` or `6/8` of the text; segments by JSON."""
    if record["field"] == "segments":
        return read_json_only(record)
    found = re.search(PATTERNS[record["field"]], record["response"])
    return NOTHING if found is None else float(found[0]) if record["field"] == "tempo" else found[0]


OURS_CHOICE = Reader("parse_choice", read_choice)
CHOICE_PEERS = (Reader("last capital letter", read_last_capital), Reader('"answer is X"', read_answer_is))
OURS_STRUCTURED = Reader("parse_tempo, _key, ...", read_structured)
STRUCTURED_PEERS = (Reader("json.loads", read_json_only), Reader("first match", read_first_match))


if __name__ == "__main__":
    main()
