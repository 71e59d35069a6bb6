"""The canary: two different clips under the same text must be read as two, with the server's caches and without.

A cache whose keys lack the content of the media answers from the clip that came first. Without its caches a server
answers where the text before the media is new: a prefix that nobody sent before lies in no prefix cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from musebench_tasks.models.chat_reply import Completion
from musebench_tasks.models.ping.advice import Problem, advice
from musebench_tasks.models.ping.findings import Finding, State
from musebench_tasks.models.ping.ladders import ROOM, Way
from musebench_tasks.models.ping.probe import make_probe
from musebench_tasks.models.ping.questions import count_in, numbers_in
from musebench_tasks.models.ping.wire import Refused, Wire

TOPIC = "two clips"
PICTURES, SECONDS = 4, 12
BEEPS_OF_FIRST, BEEPS_OF_SECOND = 3, 9


class Look(NamedTuple):
    """One clip, and what the model said about it."""

    truth: tuple[int, ...]
    """Its numbers, or how many beeps it holds."""
    reply: Completion
    is_sound: bool

    @property
    def told(self) -> tuple[int, ...]:
        """What the model read or counted."""
        if not self.is_sound:
            return numbers_in(self.reply.text)
        count = count_in(self.reply.text)
        return () if count is None else (count,)

    def is_of(self, truth: Sequence[int]) -> bool:
        """Whether the answer fits a clip with this truth."""
        return len(set(self.told) & set(truth)) * 2 > len(truth)


def check_canary(
    wire: Wire, way: Way, seed: int, sent_before: Sequence[int], *, text_tokens: int | None, server: str | None
) -> Finding:
    """Whether the second clip is told from the first and from all that was sent before."""
    first, second = _look(wire, way, seed, 0), _look(wire, way, seed, 1)
    fresh = _look(wire, way, seed, 1, system=f"Check {seed:x}.")
    if first is None or second is None or fresh is None:
        return Finding(topic=TOPIC, state=State.NOTE, told="could not be compared: a request was refused")
    known = [*sent_before, *first.truth]
    wrong = [name for name, look in (("cached", second), ("uncached", fresh)) if _is_foreign(look, known)]
    if wrong or _is_foreign(first, sent_before):
        return _mixed_up("uncached" in wrong, server)
    if second.is_of(second.truth) and fresh.is_of(fresh.truth) and first.is_of(first.truth):
        told = "told apart under the same text, with the server's caches and without"
        return Finding(topic=TOPIC, state=State.OK, told=told)
    return _by_the_way(first, second, text_tokens, server)


def _look(wire: Wire, way: Way, seed: int, number: int, system: str | None = None) -> Look | None:
    beeps = (BEEPS_OF_FIRST, BEEPS_OF_SECOND)[number]
    probe = make_probe(seed + number, 0 if way.is_sound else PICTURES, SECONDS, beeps=beeps)
    media = way.send(probe, SECONDS if way.is_sound else PICTURES)
    reply = wire.ask(media, way.question, max_tokens=ROOM, system=system, letters=True)
    if isinstance(reply, Refused):
        reply = wire.ask(media, way.question, max_tokens=ROOM, system=system)
    if isinstance(reply, Refused):
        return None
    return Look((probe.beeps,) if way.is_sound else probe.numbers, reply, way.is_sound)


def _is_foreign(look: Look, known: Sequence[int]) -> bool:
    """Whether the answer is another clip's: of what it tells, most was sent before and is not in its own clip."""
    told = set(look.told) - set(look.truth)
    return not look.is_of(look.truth) and len(told & set(known)) * 2 > len(told)


def _mixed_up(also_uncached: bool, server: str | None) -> Finding:
    problem = Problem.WRONG_MEDIA_ALWAYS if also_uncached else Problem.WRONG_MEDIA_CACHED
    told = "WRONG MEDIA: asked about one clip, the model told what another one holds"
    how = "even where no prefix is cached" if also_uncached else "where the prefix is cached; not where it is new"
    return Finding(topic=TOPIC, state=State.WARN, told=f"{told}, {how}", advice=advice(problem, server))


def _by_the_way(first: Look, second: Look, text_tokens: int | None, server: str | None) -> Finding:
    """A judgement where the model does not read well: from what was cached, and from the probabilities."""
    prompt, cached = second.reply.prompt_tokens, second.reply.cached_tokens
    if text_tokens is not None and prompt and cached and cached > (text_tokens + prompt) / 2:
        told = f"WRONG MEDIA: of a clip never sent before, {cached:,} of {prompt:,} tokens were cached"
        problem = advice(Problem.WRONG_MEDIA_CACHED, server)
        return Finding(topic=TOPIC, state=State.WARN, told=told, advice=problem)
    likely = first.reply.first_tokens, second.reply.first_tokens
    if all(likely) and likely[0] == likely[1]:
        told = "not told apart: the same answer with the same probabilities to two different clips"
        problem = advice(Problem.WRONG_MEDIA_ALWAYS, server)
        return Finding(topic=TOPIC, state=State.WARN, told=told, advice=problem)
    if all(likely):
        return Finding(topic=TOPIC, state=State.OK, told="told apart by the probabilities; not read well")
    if first.reply.text != second.reply.text:
        return Finding(topic=TOPIC, state=State.OK, told="answered differently; not read well")
    return Finding(topic=TOPIC, state=State.NOTE, told="it cannot be told: both were answered alike, and not read")
