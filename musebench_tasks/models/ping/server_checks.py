"""Four checks of a chat server beside the ladders: two clips, replies, films and the caches of prefixes.

Two different clips under the same text must be read as two, with the server's caches and without: a cache whose keys
lack the content of the media answers from the clip that came first, and a prefix that nobody sent before lies in no
cache. The others: which letters and lengths of reply come back, how many pictures of an MP4 film are taken and whether
its sound is heard, and how much of a shared beginning is read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from musebench_tasks.models.chat_reply import Completion
from musebench_tasks.models.ping.arrival import encode_clip, make_probe
from musebench_tasks.models.ping.findings import ROUNDING, TOLERANCE, Finding, Ladder, PingCode, Shape, State, advice
from musebench_tasks.models.ping.ladders import ROOM, Way, tokens_at
from musebench_tasks.models.ping.wire import (
    ALL_NUMBERS,
    BEEPS,
    LETTER,
    OTHER_LETTER,
    SAMPLE_RATE,
    Media,
    Refused,
    Wire,
    count_in,
    film,
    numbers_in,
    places_read,
)

TOPIC = "two clips"
PICTURES, CLIP_SECONDS = 4, 12
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
    probe = make_probe(seed + number, 0 if way.is_sound else PICTURES, CLIP_SECONDS, beeps=beeps)
    media = way.send(probe, CLIP_SECONDS if way.is_sound else PICTURES)
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
    problem = PingCode.WRONG_MEDIA_ALWAYS if also_uncached else PingCode.WRONG_MEDIA_CACHED
    told = "WRONG MEDIA: asked about one clip, the model told what another one holds"
    how = "even where no prefix is cached" if also_uncached else "where the prefix is cached; not where it is new"
    return Finding(topic=TOPIC, state=State.WARN, told=f"{told}, {how}", advice=advice(problem, server))


def _by_the_way(first: Look, second: Look, text_tokens: int | None, server: str | None) -> Finding:
    """A judgement where the model does not read well: from what was cached, and from the probabilities."""
    prompt, cached = second.reply.prompt_tokens, second.reply.cached_tokens
    if text_tokens is not None and prompt and cached and cached > (text_tokens + prompt) / 2:
        told = f"WRONG MEDIA: of a clip never sent before, {cached:,} of {prompt:,} tokens were cached"
        problem = advice(PingCode.WRONG_MEDIA_CACHED, server)
        return Finding(topic=TOPIC, state=State.WARN, told=told, advice=problem)
    likely = first.reply.first_tokens, second.reply.first_tokens
    if all(likely) and likely[0] == likely[1]:
        told = "not told apart: the same answer with the same probabilities to two different clips"
        problem = advice(PingCode.WRONG_MEDIA_ALWAYS, server)
        return Finding(topic=TOPIC, state=State.WARN, told=told, advice=problem)
    if all(likely):
        return Finding(topic=TOPIC, state=State.OK, told="told apart by the probabilities; not read well")
    if first.reply.text != second.reply.text:
        return Finding(topic=TOPIC, state=State.OK, told="answered differently; not read well")
    return Finding(topic=TOPIC, state=State.NOTE, told="it cannot be told: both were answered alike, and not read")


LETTERS = "ABCD"
ANSWER_TOKENS = 64
"""Room that is left for question and answer beside the media."""


def check_letters(wire: Wire, *, is_used: bool, server: str | None) -> Finding:
    """Whether the probabilities of the letters are told."""
    reply = wire.ask(Media(), LETTER, letters=True)
    state = State.WARN if is_used else State.NOTE
    if isinstance(reply, Refused):
        told = f"refused: {reply.told}"
        return Finding(topic="letters", state=state, told=told, advice=advice(PingCode.NO_LETTERS, server))
    likely = reply.first_tokens
    if not likely:
        told = "no probabilities of first tokens are told: letters can only be read from texts"
        return Finding(topic="letters", state=state, told=told, advice=advice(PingCode.NO_LETTERS, server))
    found = [token for token in likely if token.strip() in LETTERS]
    if not found:
        told = f"probabilities are told, but of no letter: the answer begins with {next(iter(likely))!r}"
        return Finding(topic="letters", state=state, told=told, advice=advice(PingCode.NO_LETTERS))
    told = f"probabilities of the {len(likely)} likeliest first tokens are told: --answering letters works"
    return Finding(topic="letters", state=State.OK, told=told)


def check_replies(replies: Sequence[Completion], *, may_reason: bool, server: str | None) -> list[Finding]:
    """Tool calls and reasoning that came unasked; empty where there were none."""
    findings = []
    if any(reply.called_tool for reply in replies):
        told = "the model calls tools, though none were offered"
        findings.append(Finding(topic="tools", state=State.WARN, told=told, advice=advice(PingCode.TOOLS, server)))
    thinking = [reply for reply in replies if reply.reasoning or reply.tokens.reasoning]
    if thinking:
        told = f"the model thinks before it answers ({len(thinking)} of {len(replies)} answers)"
        state = State.OK if may_reason else State.WARN
        hint = None if may_reason else advice(PingCode.REASONING, server)
        findings.append(Finding(topic="reasoning", state=state, told=told, advice=hint))
    return findings


def check_room(
    longest: int | None, pictures: Ladder | None, sound: Ladder | None, *, server: str | None
) -> Finding | None:
    """Whether the largest pictures and sound together fit into the context; None where it cannot be told."""
    counted = [(ladder, tokens_at(ladder, ladder.sent)) for ladder in (pictures, sound) if ladder is not None]
    known = [(ladder, tokens) for ladder, tokens in counted if tokens]
    if longest is None or not known:
        return None
    needed = sum(tokens for _, tokens in known) + ANSWER_TOKENS
    what = " and ".join(f"{ladder.sent} {'s' if ladder.unit == 'seconds' else ladder.unit}" for ladder, _ in known)
    told = f"{what} take about {needed:,} of {longest:,} tokens"
    if needed > longest:
        return Finding(topic="context", state=State.WARN, told=told, advice=advice(PingCode.TOO_LONG, server))
    return Finding(topic="context", state=State.OK, told=told)


FILM_SECONDS, RATE = 6, 8
"""A film of 48 pictures: more than servers take that choose 32, or two a second."""


def check_film(
    wire: Wire, ladder: Ladder, seed: int, *, is_used: bool, sends_sound: bool, server: str | None
) -> Iterator[Finding]:
    """Findings about films, where the tokens of one picture are known."""
    probe = make_probe(seed, FILM_SECONDS * RATE, FILM_SECONDS)
    reply = wire.ask(film(encode_clip(probe.frames, frames_per_second=RATE)), ALL_NUMBERS, max_tokens=ROOM)
    sounding = encode_clip(probe.frames[:FILM_SECONDS], probe.samples[: FILM_SECONDS * SAMPLE_RATE])
    mute, loud = (wire.ask(film(each), ALL_NUMBERS) for each in (encode_clip(probe.frames[:FILM_SECONDS]), sounding))
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
    sent = FILM_SECONDS * RATE
    told = f"of {sent} pictures in {FILM_SECONDS} s about {taken} are taken"
    if taken >= sent - 1:
        return Finding(
            topic="film's pictures", state=State.OK, told=f"all {sent} pictures of {FILM_SECONDS} s are taken"
        )
    if not taken:
        told = f"it cannot be told how many of {sent} pictures in {FILM_SECONDS} s are taken"
    told += "" if is_used else " (a run sends pictures instead)"
    how = advice(PingCode.FEWER_FILM_PICTURES, server) if is_used else None
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
        return Finding(topic=topic, state=State.WARN, told=told, advice=advice(PingCode.SOUND_TWICE, server))
    return Finding(topic=topic, state=State.OK, told="the sound in a film is heard")


MOST = 8
"""Pictures and seconds of the clip."""
MOSTLY = 0.5
FASTER = 0.5
"""A first answer in less than this share of the time speaks for a cache that is not told of."""


def check_clip(
    wire: Wire, taken: Mapping[str, tuple[Way, Ladder]], seed: int, *, server: str | None, flag: str | None
) -> Iterator[Finding]:
    """Findings about a clip of all media that the server takes, sent twice with different questions."""
    amount = {name: min(MOST, _power_of_two(ladder.sent)) for name, (_, ladder) in taken.items()}
    probe = make_probe(seed, amount.get("pictures", 0), max(amount.get("sound", 1), 1))
    media = Media()
    for name, (way, _) in taken.items():
        media = media + way.send(probe, amount[name])
    question = ALL_NUMBERS if "pictures" in taken else BEEPS
    first = wire.ask(media, question)
    second = wire.ask(media, LETTER)
    if isinstance(first, Refused) or isinstance(second, Refused):
        refusal = first if isinstance(first, Refused) else second
        assert isinstance(refusal, Refused)
        told = f"pictures and sound in one request are refused: {refusal.told}"
        yield Finding(topic="together", state=State.WARN, told=told, advice=advice(PingCode.DROPPED_TOGETHER, server))
        return
    if len(taken) > 1:
        yield _together(first, taken, amount, question, server)
    third = None if _mostly_cached(second) else wire.ask(media, OTHER_LETTER)
    yield _reuse(first, second, None if isinstance(third, Refused) else third, server, flag)


def _power_of_two(number: int) -> int:
    """The largest amount of a ladder that is no larger."""
    return 1 << max(0, number.bit_length() - 1)


def _together(
    first: Completion,
    taken: Mapping[str, tuple[Way, Ladder]],
    amount: Mapping[str, int],
    question: str,
    server: str | None,
) -> Finding:
    """Whether pictures and sound together count as much as each alone."""
    told = f"{amount['pictures']} pictures and {amount['sound']} s of sound in one request"
    added = {name: tokens_at(ladder, amount[name]) for name, (_, ladder) in taken.items()}
    ladder = taken["pictures"][1] if question == ALL_NUMBERS else taken["sound"][1]
    text, prompt = ladder.points[0].tokens, first.prompt_tokens
    if text is None or prompt is None or not any(added.values()):
        return Finding(topic="together", state=State.NOTE, told=f"{told}: the server counts no tokens of them")
    wanted = sum(each or 0 for each in added.values())
    missing = wanted - (prompt - text)
    if missing > TOLERANCE * wanted + ROUNDING:
        short = f"{told}: {prompt - text:,} tokens where {wanted:,} were counted apart: something is left out"
        return Finding(topic="together", state=State.WARN, told=short, advice=advice(PingCode.DROPPED_TOGETHER, server))
    return Finding(topic="together", state=State.OK, told=f"{told}: {prompt - text:,} tokens, as counted apart")


def _mostly_cached(reply: Completion) -> bool:
    """Whether most of a prompt was found in the cache, or nothing is told of it."""
    cached, prompt = reply.cached_tokens, reply.prompt_tokens
    return cached is None or prompt is None or cached >= MOSTLY * prompt


def _reuse(
    first: Completion, second: Completion, third: Completion | None, server: str | None, flag: str | None
) -> Finding:
    """What the second question found, or the third: some caches keep a beginning only when they see it again."""
    topic = "prefix cache"
    cached, prompt = second.cached_tokens, second.prompt_tokens
    if cached is None or prompt is None:
        times = f"first token after {first.latency_s:.2f} s, then {second.latency_s:.2f} s"
        seems = "it seems to work" if second.latency_s < FASTER * first.latency_s else "it does not seem to work"
        told = f"the server does not tell what was cached; {seems}: {times}"
        return Finding(topic=topic, state=State.NOTE, told=told, advice=advice(PingCode.CACHE_UNTOLD, server, flag))
    if third is not None and _mostly_cached(third) and third.cached_tokens is not None:
        told = f"only the third question finds the clip: {_found(first, third)}"
        return Finding(topic=topic, state=State.NOTE, told=told)
    if _mostly_cached(second):
        return Finding(topic=topic, state=State.OK, told=f"the second question finds the clip: {_found(first, second)}")
    told = f"the second question does not find the clip: {_found(first, second)}"
    return Finding(topic=topic, state=State.NOTE, told=told, advice=advice(PingCode.NO_PREFIX_CACHE, server))


def _found(first: Completion, later: Completion) -> str:
    times = f"first token after {first.latency_s:.2f} s, then {later.latency_s:.2f} s"
    return f"{later.cached_tokens:,} of {later.prompt_tokens:,} tokens were cached; {times}"
