"""How much of what was sent arrives: the growth of the tokens and what the model told, judged together. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from musebench_tasks.models.ping.advice import Problem
from musebench_tasks.models.ping.findings import Ladder, State
from musebench_tasks.models.ping.growth import Shape
from musebench_tasks.models.ping.questions import places_told

NEARLY_ALL = 0.95
"""A model that tells so much of it got it all, and misread the rest."""


class Verdict(NamedTuple):
    """A state, the words for it, and the problem to give advice about."""

    state: State
    told: str
    problem: Problem | None = None


class Arrival:
    """A row of growing amounts in words: pictures with numbers, or seconds with beeps."""

    def __init__(self, ladder: Ladder, places: Sequence[int] | None = None) -> None:
        self.ladder = ladder
        self.places = places
        """Which numbers were read; None for sound, where only their count is told."""

    def verdict(self) -> Verdict:
        """What arrives, in one sentence."""
        growth, whole = self.ladder.growth, self._is_whole()
        if growth.shape is Shape.EVEN:
            return self._even()
        if growth.shape in (Shape.CAPPED, Shape.FALLING):
            return self._smaller() if whole else self._fewer(growth.arrived)
        if whole:
            return Verdict(State.OK, f"all {self._amount} arrive: {self._read()}{self._uncounted()}")
        if growth.shape is Shape.ABSENT and not self.ladder.seen:
            return Verdict(
                State.WARN,
                f"nothing arrives: prompts have as many tokens with {self._amount} as without, {self._read()}",
                self._nothing,
            )
        if self._is_sound and growth.shape is not Shape.ABSENT:
            return Verdict(
                State.NOTE, f"it cannot be told how much of {self._amount} arrives: {self._read()}{self._uncounted()}"
            )
        if growth.shape is Shape.CONSTANT or self.ladder.seen:
            return self._fewer(self.ladder.seen or 1)
        return Verdict(State.NOTE, f"it cannot be told how many of {self._amount} arrive: {self._read()}")

    @property
    def _is_sound(self) -> bool:
        return self.ladder.unit == "seconds"

    @property
    def _amount(self) -> str:
        return f"{self.ladder.sent} s" if self._is_sound else f"{self.ladder.sent} pictures"

    @property
    def _nothing(self) -> Problem:
        return Problem.NO_SOUND if self._is_sound else Problem.NO_PICTURES

    def _is_whole(self) -> bool:
        seen, sent = self.ladder.seen, self.ladder.sent
        return seen is not None and abs(seen - sent) <= sent * (1 - NEARLY_ALL)

    def _each(self) -> str:
        return f"{self.ladder.growth.per_unit or 0:.4g} tokens {'a second' if self._is_sound else 'each'}"

    def _read(self) -> str:
        seen, sent = self.ladder.seen, self.ladder.sent
        if self._is_sound:
            return "no beeps counted" if seen is None else f"{seen} of {sent} beeps counted"
        return f"{places_told(self.places or (), sent)} read" if seen else "none read"

    def _uncounted(self) -> str:
        shape = self.ladder.growth.shape
        if shape is Shape.UNTOLD:
            is_counted = any(point.tokens is not None for point in self.ladder.points)
            return "; too few to tell by tokens" if is_counted else "; the server counts no tokens"
        if shape is Shape.ABSENT:
            return "; the server counts no tokens for them"
        return "; its tokens are counted in large pieces" if shape in (Shape.CONSTANT, Shape.STEPPED) else ""

    def _even(self) -> Verdict:
        told = f"all {self._amount} arrive: {self._each()}, {self._read()}"
        seen = self.ladder.seen
        if seen is None or self._is_whole() or (not self._is_sound and seen * 2 >= self.ladder.sent):
            return Verdict(State.OK, told)
        if self._is_sound:
            return self._heard_in_part(told, seen)
        return Verdict(State.NOTE, f"{told}: the model cannot read them, or sees others")

    def _heard_in_part(self, told: str, seen: int) -> Verdict:
        """Tokens for all, and fewer beeps: a cut where fewer seconds are counted right up to the same number."""
        right = [amount for amount, count in self.ladder.counts.items() if count == amount]
        same = [amount for amount, count in self.ladder.counts.items() if count == seen and amount >= seen]
        if seen and right and same and max(right) <= seen <= min(same):
            told = f"{told}, and as many in {min(same)} s: sound is cut before the model hears it"
            return Verdict(State.WARN, told, Problem.SHORTER_SOUND)
        return Verdict(State.NOTE if seen == 0 else State.OK, told)

    def _smaller(self) -> Verdict:
        until, points = self.ladder.growth.even_until, self.ladder.points
        first = points[0].tokens or 0
        each = ((points[-1].tokens or 0) - first) / self.ladder.sent
        told = (
            f"all {self._amount} arrive, but with fewer tokens: {self._each()} up to {until}, {each:.4g} at "
            f"{self.ladder.sent}; {self._read()}"
        )
        if self._is_sound:
            return Verdict(State.NOTE, told)
        return Verdict(State.WARN, told, Problem.SMALLER_PICTURES)

    def _fewer(self, arrived: int | None) -> Verdict:
        growth, seen = self.ladder.growth, self.ladder.seen
        count = arrived if arrived is not None else seen
        until = f"tokens grow evenly up to {growth.even_until}, then less" if growth.even_until else ""
        if growth.shape is Shape.CONSTANT:
            until = "as many tokens for one as for all"
        told = "; ".join(text for text in (until, self._read()) if text)
        problem = Problem.SHORTER_SOUND if self._is_sound else Problem.FEWER_PICTURES
        left = "s" if self._is_sound else ""
        return Verdict(
            State.WARN, f"of {self._amount} about {count}{f' {left}' if left else ''} arrive: {told}", problem
        )
