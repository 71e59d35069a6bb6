"""What a server makes of an MP4 film: how many of its pictures it takes, and whether it hears its sound."""

from __future__ import annotations

from collections.abc import Iterator

from musebench_tasks.models.ping.advice import Problem, advice
from musebench_tasks.models.ping.findings import Finding, Ladder, State
from musebench_tasks.models.ping.growth import ROUNDING, Shape
from musebench_tasks.models.ping.ladders import ROOM
from musebench_tasks.models.ping.probe import SAMPLE_RATE, encode_clip, make_probe
from musebench_tasks.models.ping.questions import ALL_NUMBERS, places_read
from musebench_tasks.models.ping.wire import Refused, Wire, film

SECONDS, RATE = 6, 8
"""A film of 48 pictures: more than servers take that choose 32, or two a second."""


def check_film(
    wire: Wire, ladder: Ladder, seed: int, *, is_used: bool, sends_sound: bool, server: str | None
) -> Iterator[Finding]:
    """Findings about films, where the tokens of one picture are known."""
    probe = make_probe(seed, SECONDS * RATE, SECONDS)
    reply = wire.ask(film(encode_clip(probe.frames, frames_per_second=RATE)), ALL_NUMBERS, max_tokens=ROOM)
    sounding = encode_clip(probe.frames[:SECONDS], probe.samples[: SECONDS * SAMPLE_RATE])
    mute, loud = (wire.ask(film(each), ALL_NUMBERS) for each in (encode_clip(probe.frames[:SECONDS]), sounding))
    text = ladder.points[0].tokens
    if not isinstance(reply, Refused):
        taken = len(places_read(reply.text, probe.numbers))
        if ladder.growth.shape is Shape.EVEN and ladder.growth.per_unit and text and reply.prompt_tokens:
            taken = round((reply.prompt_tokens - text) / ladder.growth.per_unit)
        yield _sampling(taken, is_used, server)
    if not isinstance(mute, Refused) and not isinstance(loud, Refused) and mute.prompt_tokens and loud.prompt_tokens:
        is_heard = loud.prompt_tokens > mute.prompt_tokens + ROUNDING
        yield _own_sound(is_heard, is_used, sends_sound, server)


def _sampling(taken: int, is_used: bool, server: str | None) -> Finding:
    sent = SECONDS * RATE
    told = f"of {sent} pictures in {SECONDS} s about {taken} are taken"
    if taken >= sent - 1:
        return Finding(topic="film's pictures", state=State.OK, told=f"all {sent} pictures of {SECONDS} s are taken")
    if not taken:
        told = f"it cannot be told how many of {sent} pictures in {SECONDS} s are taken"
    told += "" if is_used else " (a run sends pictures instead)"
    how = advice(Problem.FEWER_FILM_PICTURES, server) if is_used else None
    return Finding(
        topic="film's pictures", state=State.WARN if is_used and taken else State.NOTE, told=told, advice=how
    )


def _own_sound(is_heard: bool, is_used: bool, sends_sound: bool, server: str | None) -> Finding:
    topic = "film's sound"
    if not is_heard:
        beside = ": a run sends it beside" if sends_sound else ""
        return Finding(topic=topic, state=State.OK, told=f"the sound in a film is not heard{beside}")
    if is_used and sends_sound:
        told = "the sound in a film is heard, and a run sends it once more beside"
        return Finding(topic=topic, state=State.WARN, told=told, advice=advice(Problem.SOUND_TWICE, server))
    return Finding(topic=topic, state=State.OK, told="the sound in a film is heard")
