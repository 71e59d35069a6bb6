"""A row of any multiple-choice data set as the rules on questions see it, and what each benchmark demands of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from musebench_tasks.assembly.schemas import DISTRACTOR_COLUMNS


class Question(NamedTuple):
    """Stem, options in the stored order, positions of the right ones; `columns` name where each stands."""

    id: str
    kind: str
    stem: str
    options: tuple[str, ...]
    right: frozenset[int]
    cluster: str
    medium: str
    """What names the medium and its window."""
    columns: tuple[str, str, str]
    """Of the stem, the options and the answer."""
    is_ordered: bool = True
    """Whether the order of the options is the source's own."""


class Demands(NamedTuple):
    """What a benchmark demands of its questions."""

    option_counts: range
    right_counts: Mapping[str, range]
    fewest_wrong: int = 1
    counts_text: str = ""
    is_without_names: bool = False
    """Whether names of people, works and places are flagged (MB-21)."""


ANY_NUMBER = range(1, 27)
DEMANDS = {
    "musebench": Demands(range(4, 9), {"single": range(1, 2), "multi": range(2, 5)}, 2, "4 to 8", True),
    "hummusqa": Demands(range(4, 5), {"single": range(1, 2)}, 3, "4"),
}
ANY = Demands(range(2, 27), {"single": range(1, 2), "multi": ANY_NUMBER}, 0, "2 to 26")
"""Of benchmarks that fix nothing."""

MUSEBENCH_COLUMNS = ("question", "options", "answer")
HUMMUSQA_COLUMNS = ("question", "answer/distractors", "answer")


def musebench_question(row: Mapping[str, Any]) -> Question:
    """A row of musebench; answers that are no option are left out. UnknownCellError where no question can be made."""
    options = row["options"]
    places = {option["id"]: place for place, option in enumerate(options)}
    cluster = row.get("cluster_id", "")
    return Question(
        row.get("id", ""),
        row.get("kind", ""),
        row["question"],
        tuple([option["text"] for option in options]),
        frozenset([places[each] for each in row.get("answer", ()) if each in places]),
        cluster,
        f"{cluster}|{row.get('start_s')}|{row.get('end_s')}",
        MUSEBENCH_COLUMNS,
    )


def hummusqa_question(row: Mapping[str, Any]) -> Question:
    """A row of hummusqa: the answer, then the distractors; a source that gives no order.

    What stands in for an option that could not be read is such that no rule on options objects to it.
    """
    options = tuple([row.get(name, f"({name} is not known)") for name in ("answer", *DISTRACTOR_COLUMNS)])
    cluster = row.get("jamendo_id", "")
    medium = f"{cluster}|{row.get('excerpt_start_time')}|{row.get('excerpt_end_time')}"
    right = frozenset({0})
    return Question(
        row.get("identifier", ""), "single", row["question"], options, right, cluster, medium, HUMMUSQA_COLUMNS, False
    )
