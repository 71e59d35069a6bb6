"""Climbs from one picture or second to many, in every way in which media can be sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from musebench_tasks.base.text import cut
from musebench_tasks.models.chat_reply import Completion
from musebench_tasks.models.ping.arrival import Arrival, Probe, Verdict, encode_clip
from musebench_tasks.models.ping.findings import Finding, Ladder, PingCode, Point, State, advice, judge
from musebench_tasks.models.ping.wire import (
    ALL_NUMBERS,
    BEEPS,
    SAMPLE_RATE,
    Media,
    Refused,
    Wire,
    count_in,
    film,
    pictures,
    pictures_as_video,
    places_read,
    sound,
    sound_by_address,
)

ROOM = 1024
"""Tokens for an answer that tells all numbers; eight more for each."""
FULL_OF_TEXT = 60


class Way(NamedTuple):
    """One way of sending one kind of medium."""

    name: str
    unit: str
    send: Callable[[Probe, int], Media]
    """The first so many pictures or seconds of a probe."""
    none: PingCode
    """The problem where it is not taken."""
    many: PingCode
    fewer: PingCode
    smallest: int = 1
    """A video of one picture is none to some servers."""

    @property
    def is_sound(self) -> bool:
        """Whether seconds are sent."""
        return self.unit == "seconds"

    @property
    def question(self) -> str:
        """What is asked about it."""
        return BEEPS if self.is_sound else ALL_NUMBERS


def _film(probe: Probe, amount: int) -> Media:
    return film(encode_clip(probe.frames[:amount]))


_PICTURES = (PingCode.NO_PICTURES, PingCode.TOO_MANY_PICTURES, PingCode.FEWER_PICTURES)
_FILM = (PingCode.NO_FILM, PingCode.TOO_MANY_PICTURES, PingCode.FEWER_FILM_PICTURES)
_SOUND = (PingCode.NO_SOUND, PingCode.TOO_LONG_SOUND, PingCode.SHORTER_SOUND)
FRAMES = Way("pictures", "pictures", lambda probe, amount: pictures(probe.frames[:amount]), *_PICTURES)
VIDEO = Way("one video", "pictures", lambda probe, amount: pictures_as_video(probe.frames[:amount]), *_FILM, 2)
CLIP = Way("MP4 film", "pictures", _film, *_FILM, 2)
SOUND = Way("sound", "seconds", lambda probe, amount: sound(probe.samples[: amount * SAMPLE_RATE]), *_SOUND)
ADDRESS = Way(
    "sound by URL", "seconds", lambda probe, amount: sound_by_address(probe.samples[: amount * SAMPLE_RATE]), *_SOUND
)
WAYS = {"frames": FRAMES, "video": VIDEO, "clip": CLIP, "input_audio": SOUND, "audio_url": ADDRESS}
"""By the names that a card or a server's traits give them."""


def amounts(largest: int, smallest: int = 1) -> tuple[int, ...]:
    """1, 2, 4, 8 … and `largest`, none below `smallest` but the largest."""
    doubled = [2**power for power in range(largest.bit_length()) if smallest <= 2**power < largest]
    return (*doubled, largest)


def climb(wire: Wire, way: Way, probe: Probe, largest: int) -> tuple[Ladder, str]:
    """The row of points up to the largest amount that is accepted, and what the model answered there."""
    points = [_point(0, wire.ask(Media(), way.question))]
    answer, refusal, refused_at = "", None, None
    for amount in amounts(largest, way.smallest):
        room = ROOM + 8 * amount if amount == largest else 1
        reply = wire.ask(way.send(probe, amount), way.question, max_tokens=room)
        if isinstance(reply, Refused):
            refusal, refused_at = reply.told, amount
            break
        points.append(_point(amount, reply))
        answer = reply.text
    sent = points[-1].amount
    if refusal is not None and sent:
        again = wire.ask(way.send(probe, sent), way.question, max_tokens=ROOM + 8 * sent)
        answer = "" if isinstance(again, Refused) else again.text
    seen = count_in(answer) if way.is_sound else len(places_read(answer, probe.numbers[:sent]))
    ladder = Ladder(
        way=way.name,
        unit=way.unit,
        points=tuple(points),
        growth=judge(points),
        sent=sent,
        seen=seen,
        counts=_counts_below(wire, way, probe, sent) if way.is_sound and seen and seen < sent else {},
        refused_at=refused_at,
        refusal=refusal,
    )
    return ladder, answer


def _counts_below(wire: Wire, way: Way, probe: Probe, sent: int) -> dict[int, int | None]:
    """What is counted in fewer seconds: the same count in half of them means a cut, another one bad counting."""
    counts = {}
    for amount in sorted({max(1, sent // 4), max(1, sent // 2), max(1, 3 * sent // 4)}):
        reply = wire.ask(way.send(probe, amount), way.question, max_tokens=ROOM)
        counts[amount] = None if isinstance(reply, Refused) else count_in(reply.text)
    return counts


def _point(amount: int, reply: Completion | Refused) -> Point:
    if isinstance(reply, Refused):
        return Point(amount=amount, tokens=None)
    return Point(amount=amount, tokens=reply.prompt_tokens, latency_s=reply.latency_s)


def arrival_finding(
    ladder: Ladder, answer: str, way: Way, probe: Probe, *, is_used: bool, server: str | None
) -> Finding:
    """How much arrives in this way; what a run does not use is worth a note at most."""
    if not ladder.sent:
        told = f"not taken: {_short(ladder.refusal or '')}"
        if not is_used:
            return Finding(topic=way.name, state=State.NOTE, told=told)
        return Finding(topic=way.name, state=State.WARN, told=told, advice=advice(way.none, server))
    places = None if way.is_sound else places_read(answer, probe.numbers[: ladder.sent])
    verdict = _limited(ladder, Arrival(ladder, places).verdict(), way)
    problem = way.fewer if verdict.problem is PingCode.FEWER_PICTURES else verdict.problem
    growth = ladder.growth
    fewer = growth.arrived is None or growth.arrived == ladder.sent
    arrived = ladder.seen if fewer else growth.arrived
    told_how = problem and advice(problem, server, arrived=arrived, sent=ladder.sent, even=growth.even_until)
    state = State.NOTE if verdict.state is State.WARN and not is_used else verdict.state
    return Finding(topic=way.name, state=state, told=verdict.told, advice=told_how if is_used else None)


def _limited(ladder: Ladder, verdict: Verdict, way: Way) -> Verdict:
    """The verdict, with what was refused beyond it."""
    if ladder.refused_at is None:
        return verdict
    unit = "s" if way.is_sound else way.unit
    told = f"{verdict.told}; {ladder.refused_at} {unit} are refused: {_short(ladder.refusal or '')}"
    return Verdict(State.WARN, told, verdict.problem or way.many)


def _short(text: str) -> str:
    return cut(text.rstrip("."), FULL_OF_TEXT * 2)


def tokens_at(ladder: Ladder | None, amount: int) -> int | None:
    """How many tokens so much of it adds to a prompt, where that was measured."""
    told: Sequence[Point] = ladder.points if ladder else ()
    found = {point.amount: point.tokens for point in told}
    without, with_it = found.get(0), found.get(amount)
    return None if without is None or with_it is None else with_it - without
