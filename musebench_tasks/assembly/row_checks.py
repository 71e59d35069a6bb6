"""What stops rows from being built: one line for people each, from the rules on items (`assembly.rules`).

A line says which dataset, row (counted from 1) and column, what was found and what to do. Nothing is repaired.
"""

from collections.abc import Sequence

from musebench_tasks.assembly.rules import check_items
from musebench_tasks.assembly.rules.cells import Row
from musebench_tasks.assembly.rules.findings import line_of
from musebench_tasks.assembly.schemas import DISTRACTOR_COLUMNS


def check_rows(dataset: str, rows: Sequence[Row], *, label_like: frozenset[str] = frozenset()) -> list[str]:
    """Every fault of `rows` (columns of the `default` config) that stops a build; empty if they can be built.

    `label_like` names the items whose options may begin with a bare letter (key names, forms; answers.md 3.5).
    """
    return [line_of(each) for each in check_items(rows, dataset, label_like=label_like).stopping]


def option_texts(row: Row) -> list[str]:
    """The option texts of a choice row of either dataset."""
    if "options" in row:
        return [option["text"] for option in row["options"]]
    return [row["answer"], *(row[name] for name in DISTRACTOR_COLUMNS)]
