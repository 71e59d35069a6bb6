"""Whether the second question about a clip finds the clip in the server's prefix cache, and the clip is all there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from musebench_tasks.models.chat_reply import Completion
from musebench_tasks.models.ping.advice import Problem, advice
from musebench_tasks.models.ping.findings import Finding, Ladder, State
from musebench_tasks.models.ping.growth import ROUNDING, TOLERANCE
from musebench_tasks.models.ping.ladders import Way, tokens_at
from musebench_tasks.models.ping.probe import make_probe
from musebench_tasks.models.ping.questions import ALL_NUMBERS, BEEPS, LETTER, OTHER_LETTER
from musebench_tasks.models.ping.wire import Media, Refused, Wire

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
        yield Finding(topic="together", state=State.WARN, told=told, advice=advice(Problem.DROPPED_TOGETHER, server))
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
        return Finding(topic="together", state=State.WARN, told=short, advice=advice(Problem.DROPPED_TOGETHER, server))
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
        return Finding(topic=topic, state=State.NOTE, told=told, advice=advice(Problem.CACHE_UNTOLD, server, flag))
    if third is not None and _mostly_cached(third) and third.cached_tokens is not None:
        told = f"only the third question finds the clip: {_found(first, third)}"
        return Finding(topic=topic, state=State.NOTE, told=told)
    if _mostly_cached(second):
        return Finding(topic=topic, state=State.OK, told=f"the second question finds the clip: {_found(first, second)}")
    told = f"the second question does not find the clip: {_found(first, second)}"
    return Finding(topic=topic, state=State.NOTE, told=told, advice=advice(Problem.NO_PREFIX_CACHE, server))


def _found(first: Completion, later: Completion) -> str:
    times = f"first token after {first.latency_s:.2f} s, then {later.latency_s:.2f} s"
    return f"{later.cached_tokens:,} of {later.prompt_tokens:,} tokens were cached; {times}"
