"""All rules on all rows of a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from musebench_tasks.assembly.rules.benchmarks import TITLES, hummusqa_flaws, mub_flaws, musebench_flaws
from musebench_tasks.assembly.rules.cells import Row, UnknownCellError, as_known, cell_flaws, known_cells, name_flaws
from musebench_tasks.assembly.rules.collection import (
    Placed,
    cluster_flaws,
    config_flaws,
    id_flaws,
    question_flaws,
    shortcut_flaws,
)
from musebench_tasks.assembly.rules.findings import Findings, findings_of, flaw, in_order
from musebench_tasks.assembly.rules.questions import (
    ANY,
    DEMANDS,
    Demands,
    Question,
    evidence_flaws,
    hummusqa_question,
    label_like_options,
    musebench_question,
    option_flaws,
    right_flaws,
    stem_flaws,
    titles_told,
)
from musebench_tasks.assembly.rules.texts import broken_texts, text_flaws
from musebench_tasks.assembly.schemas import Schema, dataset_schema
from musebench_tasks.base.problems import Problem

READERS = {"musebench": musebench_question, "hummusqa": hummusqa_question}
CLUSTER_COLUMNS = {"musebench": "cluster_id", "hummusqa": "jamendo_id", "mub": "cluster_id"}
NOT_COMPARED = frozenset({"duration_s"})
"""Columns without which rows can be compared with others."""
EVERY_ITEM = None
"""For `label_like`: whoever made the data has decided which options may begin with a letter."""


def check_items(
    rows: Sequence[Row],
    benchmark: str,
    *,
    file: str = "",
    numbers: Sequence[int] | None = None,
    label_like: frozenset[str] | None = frozenset(),
    media: bool = True,
    durations: Mapping[str, float] | None = None,
    faulty: Sequence[frozenset[str]] | None = None,
    sources: Sequence[str | None] | None = None,
) -> Findings:
    """Everything that the rules say of `rows` (columns of the `default` config of musebench, hummusqa or mub).

    `file` is what messages call the sheet, `numbers` each row's number in it (1, 2, … by default). `label_like` names
    the items whose options may begin with a bare letter (key names, forms; answers.md 3.5), EVERY_ITEM all of them.
    Without `media`, media cells are not looked at. `durations`: decoded seconds by id, where they are known. `faulty`:
    by row, the columns whose cells could not be read and of which that is told already. `sources`: by row, what names
    its medium, where that is known.
    """
    schema = dataset_schema(benchmark)
    file, where = file or benchmark, numbers or range(1, len(rows) + 1)
    if not rows:
        return in_order(findings_of([flaw("NO_ROWS", "", "no rows.", "Give at least one.")], file, None, None), 0)
    found: list[Problem] = []
    sound: list[int] = []
    questions: list[Question] = []
    known = _told_apart(durations or {}, [row.get(schema.id_column) for row in rows])
    for position, row in enumerate(rows):
        told = faulty[position] if faulty else frozenset()
        flaws = [each for each in cell_flaws(schema, row, media=media) if each.column not in told]
        unknown = told | {each.column for each in flaws if each.code in ("CELL_MISSING", "CELL_TYPE")}
        name = row.get(schema.id_column)
        cells = known_cells(row, unknown) if unknown else row
        question = _question(benchmark, cells)
        flaws += row_flaws(schema, cells, question, known.get(str(name)), label_like)
        if unknown <= NOT_COMPARED:
            sound.append(position)
            questions += [question] if question else []
        if flaws:
            found += findings_of(flaws, file, where[position], None if name is None else str(name))
    together = partial(placed_findings, rows=rows, schema=schema, file=file, numbers=where)
    named = sources or [_encoded(row.get(schema.media_column)) if media else None for row in rows]
    found += together(collection_flaws(schema, rows, sound, questions, where, named))
    return in_order(found, len(rows))


def _question(benchmark: str, cells: Row) -> Question | None:
    """The question of a row, as far as one can be made of its cells."""
    try:
        return READERS[benchmark](cells) if benchmark in READERS else None
    except UnknownCellError:
        return None


def _told_apart(durations: Mapping[str, float], names: Sequence[Any]) -> dict[str, float]:
    """The durations of ids that one row alone has."""
    counts = Counter(map(str, names)) if durations else {}
    return {name: seconds for name, seconds in durations.items() if counts.get(name) == 1}


def row_flaws(
    schema: Schema, row: Row, question: Question | None, duration_s: float | None, label_like: frozenset[str] | None
) -> Iterator[Problem]:
    """What the rules say of one row, as far as its cells can be read."""
    if schema.dataset == "mub":
        yield from mub_flaws(row, duration_s)
        yield from text_flaws((name, row[name]) for name in ("license", "attribution") if name in row)
        return
    if schema.dataset == "musebench":
        yield from musebench_flaws(row, duration_s)
        yield from broken_texts((name, row.get(name)) for name in ("core_intent", "transcript", "attribution"))
    else:
        yield from hummusqa_flaws(row, duration_s)
    if question is not None:
        if schema.dataset == "musebench":
            yield from as_known(lambda: evidence_flaws(question, row["alignment"], row["core_intent"]))
        is_marked = label_like is None or question.id in label_like
        yield from choice_flaws(question, DEMANDS[schema.dataset], is_marked=is_marked)
        if schema.dataset == "hummusqa":
            yield from titles_told(question, {name: row.get(name) or "" for name in TITLES})


def choice_flaws(question: Question, demands: Demands, *, is_marked: bool) -> Iterator[Problem]:
    """What the rules say of a question of any benchmark; `is_marked`: its options may begin with a bare letter."""
    yield from option_flaws(question, demands)
    yield from right_flaws(question, demands)
    yield from stem_flaws(question, demands)
    stem, options, _ = question.columns
    yield from text_flaws([(stem, question.stem), *[(options, text) for text in question.options]])
    if not is_marked:
        yield from label_like_options(question.options, options)


def check_questions(
    questions: Sequence[Question],
    *,
    file: str,
    numbers: Sequence[int] | None = None,
    label_like: frozenset[str] | None = frozenset(),
    demands: Demands = ANY,
    id_column: str = "",
    sources: Sequence[str | None] | None = None,
) -> Findings:
    """Everything that the rules say of the questions of a benchmark of any columns; arguments as in `check_items`.

    `id_column`: where the ids stand, if media are to be named after them.
    """
    where = numbers or range(1, len(questions) + 1)
    found: list[Problem] = []
    if id_column:
        names = [question.id for question in questions]
        flawed = [(place, problem) for place, name in enumerate(names) for problem in name_flaws(name, id_column)]
        for place, problem in (*flawed, *id_flaws(names, where, id_column)):
            found += findings_of([problem], file, where[place or 0], names[place or 0])
    for question, number in zip(questions, where, strict=True):
        is_marked = label_like is None or question.id in label_like
        found += findings_of(choice_flaws(question, demands, is_marked=is_marked), file, number, question.id)
    clusters = cluster_flaws(sources, [each.cluster for each in questions], where) if sources else ()
    for position, problem in (*together_flaws(questions, range(len(questions)), where), *clusters):
        row, name = (None, None) if position is None else (where[position], questions[position].id)
        found += findings_of([problem], file, row, name)
    return in_order(found, len(questions))


def together_flaws(questions: Sequence[Question], positions: Sequence[int], numbers: Sequence[int]) -> Iterator[Placed]:
    """What the rules say of questions together."""
    yield from question_flaws(questions, positions, numbers)
    yield from (Placed(None, problem) for problem in shortcut_flaws(questions))


def collection_flaws(
    schema: Schema,
    rows: Sequence[Row],
    sound: Sequence[int],
    questions: Sequence[Question],
    numbers: Sequence[int],
    sources: Sequence[Any],
) -> Iterator[Placed]:
    """What the rules say of rows together; `sound` are the positions of those whose cells can be read.

    `sources` are what names the medium of each row, None where that is not known.
    """
    yield from id_flaws([row.get(schema.id_column) for row in rows], numbers, schema.id_column)
    where = [numbers[position] for position in sound]
    if questions:
        yield from together_flaws(questions, sound, where)
    column = CLUSTER_COLUMNS[schema.dataset]
    clusters = [rows[position][column] for position in sound]
    for position, problem in cluster_flaws([sources[position] for position in sound], clusters, where):
        yield Placed(None if position is None else sound[position], replace(problem, column=column))


def _encoded(cell: Any) -> Any:
    return cell.get("bytes") if isinstance(cell, Mapping) else None


def check_configs(dataset: str | Schema, default: Sequence[Row], others: Mapping[str, Sequence[Row]]) -> Findings:
    """Whether the configs `blind` and `references` hold what `default` says they must (rows by config)."""
    schema = dataset_schema(dataset) if isinstance(dataset, str) else dataset
    found: list[Problem] = []
    for config, placed in config_flaws(schema, default, others):
        rows = others[config]
        found += placed_findings([placed], rows, schema, config, range(1, len(rows) + 1))
    return in_order(found, 0)


def placed_findings(
    placed: Iterator[Placed] | Sequence[Placed], rows: Sequence[Row], schema: Schema, file: str, numbers: Sequence[int]
) -> list[Problem]:
    """Flaws of rows together as findings, each beside its row."""
    found: list[Problem] = []
    for position, problem in placed:
        name: Any = None if position is None else rows[position].get(schema.id_column)
        row = None if position is None else numbers[position]
        found += findings_of([problem], file, row, None if name is None else str(name))
    return found
