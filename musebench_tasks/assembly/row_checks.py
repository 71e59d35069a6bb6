"""What is wrong with the rows of a dataset before it is built: every problem as one line for people.

A line says which dataset, row (counted from 1) and column, what was found and what to do. Nothing is repaired.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from musebench_tasks.assembly.features import MEDIA_TYPES, Column, ColumnType
from musebench_tasks.assembly.music_checks import recording_problems
from musebench_tasks.assembly.schemas import (
    ALIGNMENTS,
    DIFFICULTIES,
    DISTRACTOR_COLUMNS,
    MUSIC_CATEGORIES,
    SUBDOMAINS,
    Schema,
    dataset_schema,
)
from musebench_tasks.errors import nearest
from musebench_tasks.records import option_id
from musebench_tasks.values.option_text import comparable

Row = Mapping[str, Any]
Problem = tuple[str, str]
"""The column, and what is wrong in it with what to do."""

PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
SPDX = re.compile(r"[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+-]+)*")
LETTER_LIKE = re.compile(r"[A-H]\b|[A-H]{2,8}$")
OPTION_COUNTS = range(4, 9)
CORRECT_COUNTS = {"single": range(1, 2), "multi": range(2, 5)}
MINIMUM_WRONG = 2
EXCERPT_SECONDS = (30, 90)
TYPES: dict[ColumnType, tuple[type, ...]] = {ColumnType.STRING: (str,), ColumnType.FLOAT: (float, int)}


def check_rows(dataset: str, rows: Sequence[Row], *, label_like: frozenset[str] = frozenset()) -> list[str]:
    """Every problem of `rows` (columns of the `default` config), one line each; empty if they can be built.

    `label_like` names the items whose options may begin with a bare letter (key names, forms; answers.md 3.5).
    """
    schema = dataset_schema(dataset)
    lines = [] if rows else [f"{dataset}: no rows. Give at least one."]
    for number, row in enumerate(rows, start=1):
        name = row.get(schema.id_column)
        problems = list(cell_problems(schema, row))
        if not problems:
            problems = list(ROW_CHECKS[dataset](row))
            if dataset != "mub" and name not in label_like:
                problems += label_like_problems(option_texts(row))
        lines += [f'{dataset} row {number} ({name}), column "{column}": {text}' for column, text in problems]
    return lines + list(duplicate_ids(schema, rows))


def duplicate_ids(schema: Schema, rows: Sequence[Row]) -> Iterator[str]:
    """A line for each id that stands in more than one row."""
    numbers: dict[Any, list[int]] = {}
    for number, row in enumerate(rows, start=1):
        numbers.setdefault(row.get(schema.id_column), []).append(number)
    for name, where in numbers.items():
        if len(where) > 1:
            place = f'{schema.dataset} rows {", ".join(map(str, where))}, column "{schema.id_column}"'
            yield f'{place}: all are "{name}". Give each its own id.'


def cell_problems(schema: Schema, row: Row) -> Iterator[Problem]:
    """Missing, unknown and empty cells, wrong types, and names that are no plain file names."""
    known = [column.name for column in schema.columns]
    for unknown in (name for name in row if name not in known):
        yield unknown, f"no column of {schema.dataset}{nearest(unknown, known)}. Rename or remove it."
    for column in schema.columns:
        yield from ((column.name, text) for text in cell_problem(column, row))
    name = row.get(schema.id_column)
    if isinstance(name, str) and not PLAIN_NAME.fullmatch(name):
        yield schema.id_column, f'"{name}" is no plain file name. Use letters, digits, dot, hyphen and underscore.'


def cell_problem(column: Column, row: Row) -> Iterator[str]:
    """What is wrong with one cell, apart from its meaning."""
    if column.name not in row:
        yield "missing. Add it" + (", or set it to null." if column.nullable else ".")
        return
    value = row[column.name]
    if value is None or (value == "" and not column.nullable):
        if not column.nullable:
            yield "empty. Fill it in."
    elif column.type in MEDIA_TYPES:
        yield from media_problem(value)
    elif isinstance(value, bool) or not isinstance(value, TYPES.get(column.type, (list, tuple))):
        yield f"{type(value).__name__} {value!r} found, {column.type.value} expected."
    elif column.type is ColumnType.FLOAT and not math.isfinite(float(row[column.name])):
        yield f"{value} is not a finite number. Give the value, or leave the row out."


def media_problem(value: Any) -> Iterator[str]:
    """A medium is bytes with a plain file name."""
    if not isinstance(value, Mapping) or not value.get("bytes"):
        yield "no media bytes. Give {bytes, path} with the encoded file."
    elif not isinstance(value.get("path"), str) or not PLAIN_NAME.fullmatch(value["path"]):
        yield f'"{value.get("path")}" is no plain file name. Name the file after the id.'


def vocabulary(column: str, value: str, known: Sequence[str]) -> Iterator[Problem]:
    """A value outside a closed vocabulary."""
    if value not in known:
        yield column, f'"{value}" is none of {", ".join(known)}{nearest(value, known)}.'


def rights(row: Row) -> Iterator[Problem]:
    """A licence that is no SPDX id."""
    if not SPDX.fullmatch(row["license"]):
        yield "license", f'"{row["license"]}" is no SPDX id. Write it as in CC-BY-3.0 or CC0-1.0.'


def option_texts(row: Row) -> list[str]:
    """The option texts of a choice row of either dataset."""
    if "options" in row:
        return [option["text"] for option in row["options"]]
    return [row["answer"], *(row[name] for name in DISTRACTOR_COLUMNS)]


def distinct_options(texts: Sequence[str]) -> Iterator[Problem]:
    """Options that cannot be told apart."""
    counts = Counter(comparable(text) for text in texts)
    for text in texts:
        if counts[comparable(text)] > 1:
            yield "options", f'"{text}" equals another option after normalisation. Reword one of them.'


def label_like_problems(texts: Sequence[str]) -> Iterator[Problem]:
    """Options that read like an answer letter."""
    for text in texts:
        if LETTER_LIKE.match(text):
            yield "options", f'"{text}" begins like an answer letter. Reword it, or list the item in label_like.'


def musebench_problems(row: Row) -> Iterator[Problem]:
    """What is wrong with a row of musebench."""
    yield from vocabulary("category", row["category"], tuple(SUBDOMAINS))
    yield from vocabulary("subdomain", row["subdomain"], SUBDOMAINS.get(row["category"], ()))
    yield from vocabulary("alignment", row["alignment"], ALIGNMENTS)
    yield from vocabulary("kind", row["kind"], tuple(CORRECT_COUNTS))
    if not 0 <= row["start_s"] < row["end_s"]:
        yield "end_s", f"the window {row['start_s']} to {row['end_s']} s is empty. Give 0 <= start_s < end_s."
    yield from rights(row)
    yield from distinct_options(option_texts(row))
    yield from gold_problems(row)


def gold_problems(row: Row) -> Iterator[Problem]:
    """Options and gold of a musebench row that do not fit together (MB-02)."""
    options = {option["id"]: option["text"] for option in row["options"]}
    answer = row["answer"]
    for key, text in options.items():
        if key != option_id(row["id"], text):
            yield (
                "options",
                f'"{text}" has id {key}, not {option_id(row["id"], text)}. Make the options with choice_columns.',
            )
    if len(row["options"]) not in OPTION_COUNTS:
        yield "options", f"{len(row['options'])} options found. Give 4 to 8."
    for key in answer:
        if key not in options:
            yield "answer", f"{key} is no option id of this row. Correct the answer, or add the option."
    if row["kind"] in CORRECT_COUNTS and len(set(answer)) not in CORRECT_COUNTS[row["kind"]]:
        wanted = "exactly 1" if row["kind"] == "single" else "2 to 4"
        yield "answer", f"{len(set(answer))} correct options in a {row['kind']}-select item. Give {wanted}."
    if len(options) - len(set(answer)) < MINIMUM_WRONG:
        yield "options", f"{len(options) - len(set(answer))} wrong options. Give at least {MINIMUM_WRONG}."
    for text in row["correct_answer"]:
        if text not in options.values():
            close = nearest(text, options.values())
            yield "correct_answer", f'"{text}" is not one of the options{close}. Copy the option verbatim.'
    if sorted(row["correct_answer"]) != sorted(options[key] for key in answer if key in options):
        yield "correct_answer", "does not name the same options as `answer`. Make both with choice_columns."
    wrong = sorted(set(options) - set(answer))
    if sorted(each["id"] for each in row["distractor_strategies"]) != wrong:
        yield "distractor_strategies", f"must name each wrong option once: {', '.join(wrong)}."


def seconds(text: str) -> float | None:
    """Seconds of `mm:ss`, `hh:mm:ss` or plain seconds; None if the text is none of these."""
    if not re.fullmatch(r"(?:\d+:){0,2}\d+(?:\.\d+)?", text):
        return None
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total


def hummusqa_problems(row: Row) -> Iterator[Problem]:
    """What is wrong with a row of hummusqa."""
    yield from vocabulary("main_category", row["main_category"], MUSIC_CATEGORIES)
    yield from vocabulary("difficulty", row["difficulty"], DIFFICULTIES)
    for name in filter(None, (row["secondary_categories"] or "").split(", ")):
        yield from vocabulary("secondary_categories", name, MUSIC_CATEGORIES)
        if name == row["main_category"]:
            yield "secondary_categories", f'"{name}" is the main category too. Name it once.'
    yield from distinct_options(option_texts(row))
    if not re.fullmatch(r"https?://\S+", row["song_license_url"]):
        yield "song_license_url", f'"{row["song_license_url"]}" is no address. Give the licence\'s https address.'
    times = {name: seconds(row[name]) for name in ("excerpt_start_time", "excerpt_end_time")}
    for name, value in times.items():
        if value is None:
            yield name, f'"{row[name]}" is no time. Write mm:ss, hh:mm:ss or seconds.'
    start, end = times.values()
    shortest, longest = EXCERPT_SECONDS
    if start is not None and end is not None and not shortest <= end - start <= longest:
        yield "excerpt_end_time", f"the excerpt lasts {end - start:g} s. Choose {shortest} to {longest} s."


def mub_problems(row: Row) -> Iterator[Problem]:
    """What is wrong with a row of mub."""
    yield from recording_problems(row)
    yield from rights(row)


ROW_CHECKS: dict[str, Callable[[Row], Iterator[Problem]]] = {
    "musebench": musebench_problems,
    "hummusqa": hummusqa_problems,
    "mub": mub_problems,
}
