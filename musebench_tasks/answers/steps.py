"""What the steps of reading share: the evidence in the text, gathered once, and the decision of a step."""

from functools import cached_property
from typing import NamedTuple

from musebench_tasks.answers.mentions import Mention, find_mentions
from musebench_tasks.answers.regions import RegionReader
from musebench_tasks.answers.uncertainty import doubted_stretches


class Decision(NamedTuple):
    """Option indices (A = 0; some may lie beyond the options), or None for no answer; and the rule that fired."""

    indices: tuple[int, ...] | None
    rule: str
    alternatives: bool = False
    conflict: bool = False


class Undeclared:
    """A response without a declaration."""

    def __init__(self, reader: RegionReader) -> None:
        self.reader = reader
        self.text = reader.text

    @cached_property
    def mentions(self) -> list[Mention]:
        """Every mention in order."""
        return find_mentions(self.reader)

    @cached_property
    def doubted(self) -> list[tuple[int, int]]:
        """The stretches that words of not knowing govern."""
        return doubted_stretches(self.text)

    @cached_property
    def is_enumeration(self) -> bool:
        """Whether two or more different labels head items, as when options are restated."""
        return len({each.index for each in self.mentions if each.head}) > 1

    @cached_property
    def asserted(self) -> list[Mention]:
        """Asserted mentions; heads of an enumeration assert nothing."""
        return [each for each in self.mentions if each.asserted and not (self.is_enumeration and each.head)]


def distinct(mentions: list[Mention]) -> tuple[int, ...]:
    """The distinct indices of `mentions`, in order."""
    return tuple(sorted({each.index for each in mentions}))
