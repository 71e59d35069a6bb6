"""What readers of the text alone would get: `python -m dataset_scripts.shortcuts`, the table of docs/demo.md.

A demonstration is worth running only if no shortcut through its texts works. Each solver looks at question and options,
never at media, and names one option; chance hits item i with probability (right options) / (options). The interval is
the central 95 % of the number of hits that chance makes, exact (a sum of independent hits).
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from musebench_tasks.base.records import LETTERS
from musebench_tasks.items import load_items, load_references
from musebench_tasks.tasks import load_task

DEMOS = ("musebench_demo", "hummusqa_demo")
TAIL = 0.025


class Asked(NamedTuple):
    """One item as text: options in the stored order, positions of the right ones."""

    question: str
    options: tuple[str, ...]
    right: frozenset[int]


Solver = Callable[[Asked], int]
"""The place of the option that it names."""


class Result(NamedTuple):
    """Hits of a solver, and of chance: its expectation and the ends of its central 95 %."""

    solver: str
    hits: int
    n: int
    expected: float
    low: int
    high: int

    @property
    def is_within_chance(self) -> bool:
        """Whether chance makes as many hits."""
        return self.low <= self.hits <= self.high


def read_asked(task_name: str) -> list[Asked]:
    """The items of a task."""
    task = load_task(task_name)
    references = load_references(task).references
    found = []
    for item in load_items(task).items:
        right = set(references[item.id].answer or ())
        positions = frozenset(place for place, name in enumerate(item.option_ids) if name in right)
        found.append(Asked(item.question or "", tuple(option.text for option in item.options), positions))
    return found


def words(text: str) -> frozenset[str]:
    """The words of a text, lower case."""
    return frozenset(re.findall(r"[^\W\d_]+", text.lower()))


def longest(asked: Asked) -> int:
    """The option with most characters; of equals the first, as everywhere here."""
    return max(range(len(asked.options)), key=lambda place: len(asked.options[place]))


def shortest(asked: Asked) -> int:
    """The option with fewest characters."""
    return min(range(len(asked.options)), key=lambda place: len(asked.options[place]))


def first(asked: Asked) -> int:
    """The first option."""
    return 0


def last(asked: Asked) -> int:
    """The last option."""
    return len(asked.options) - 1


def most_of_the_question(asked: Asked) -> int:
    """The option that shares most words with the question."""
    question = words(asked.question)
    return max(range(len(asked.options)), key=lambda place: len(words(asked.options[place]) & question))


def most_like_the_others(asked: Asked) -> int:
    """The option that shares most words with the other options."""
    told = [words(option) for option in asked.options]
    return max(range(len(told)), key=lambda place: sum(len(told[place] & other) for other in told))


def most_common_letter(asked: Sequence[Asked]) -> Solver:
    """Always the letter that is right most often, known from the very answers it is scored on."""
    counts = Counter(place for each in asked for place in each.right)
    letter = min(counts, key=lambda place: (-counts[place], place))
    return lambda item: min(letter, len(item.options) - 1)


SOLVERS: Mapping[str, Solver] = {
    "longest option": longest,
    "shortest option": shortest,
    "first option": first,
    "last option": last,
    "most words of the question": most_of_the_question,
    "most words of the other options": most_like_the_others,
}


def chance_interval(probabilities: Iterable[float]) -> tuple[int, int]:
    """The central 95 % of the number of hits when item i is hit with probability i."""
    distribution = np.ones(1)
    for probability in probabilities:
        distribution = np.convolve(distribution, [1 - probability, probability])
    cumulated = np.cumsum(distribution)
    return int(np.searchsorted(cumulated, TAIL)), int(np.searchsorted(cumulated, 1 - TAIL))


def results(asked: Sequence[Asked], solvers: Mapping[str, Solver] = SOLVERS) -> list[Result]:
    """The solvers, and the one that knows the most common letter, on some items."""
    probabilities = [len(each.right) / len(each.options) for each in asked]
    low, high = chance_interval(probabilities)
    everyone = {**solvers, f"most common letter ({letter_of(asked)})": most_common_letter(asked)}
    return [
        Result(name, sum(solver(each) in each.right for each in asked), len(asked), sum(probabilities), low, high)
        for name, solver in everyone.items()
    ]


def letter_of(asked: Sequence[Asked]) -> str:
    """The most common letter among the right ones."""
    widest = max(asked, key=lambda each: len(each.options))
    return LETTERS[most_common_letter(asked)(widest)]


def table(task_names: Sequence[str] = DEMOS) -> str:
    """The Markdown table of docs/demo.md."""
    lines = ["| demonstration | solver | right | chance | 95 % of chance |", "|---|---|---|---|---|"]
    for name in task_names:
        for each in results(read_asked(name)):
            hits, chance = f"{each.hits} of {each.n}", f"{each.expected:.1f} | {each.low} to {each.high}"
            lines.append(f"| {name} | {each.solver} | {hits} | {chance} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    sys.exit(0)
