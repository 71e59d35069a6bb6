"""What the answers themselves tell: letters, tools, reasoning, and room for what will be sent."""

from __future__ import annotations

from collections.abc import Sequence

from musebench_tasks.models.chat_reply import Completion
from musebench_tasks.models.ping.advice import Problem, advice
from musebench_tasks.models.ping.findings import Finding, Ladder, State
from musebench_tasks.models.ping.ladders import tokens_at
from musebench_tasks.models.ping.questions import LETTER
from musebench_tasks.models.ping.wire import Media, Refused, Wire

LETTERS = "ABCD"
ANSWER_TOKENS = 64
"""Room that is left for question and answer beside the media."""


def check_letters(wire: Wire, *, is_used: bool, server: str | None) -> Finding:
    """Whether the probabilities of the letters are told."""
    reply = wire.ask(Media(), LETTER, letters=True)
    state = State.WARN if is_used else State.NOTE
    if isinstance(reply, Refused):
        told = f"refused: {reply.told}"
        return Finding(topic="letters", state=state, told=told, advice=advice(Problem.NO_LETTERS, server))
    likely = reply.first_tokens
    if not likely:
        told = "no probabilities of first tokens are told: letters can only be read from texts"
        return Finding(topic="letters", state=state, told=told, advice=advice(Problem.NO_LETTERS, server))
    found = [token for token in likely if token.strip() in LETTERS]
    if not found:
        told = f"probabilities are told, but of no letter: the answer begins with {next(iter(likely))!r}"
        return Finding(topic="letters", state=state, told=told, advice=advice(Problem.NO_LETTERS))
    told = f"probabilities of the {len(likely)} likeliest first tokens are told: --answering letters works"
    return Finding(topic="letters", state=State.OK, told=told)


def check_replies(replies: Sequence[Completion], *, may_reason: bool, server: str | None) -> list[Finding]:
    """Tool calls and reasoning that came unasked; empty where there were none."""
    findings = []
    if any(reply.called_tool for reply in replies):
        told = "the model calls tools, though none were offered"
        findings.append(Finding(topic="tools", state=State.WARN, told=told, advice=advice(Problem.TOOLS, server)))
    thinking = [reply for reply in replies if reply.reasoning or reply.tokens.reasoning]
    if thinking:
        told = f"the model thinks before it answers ({len(thinking)} of {len(replies)} answers)"
        state = State.OK if may_reason else State.WARN
        hint = None if may_reason else advice(Problem.REASONING, server)
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
        return Finding(topic="context", state=State.WARN, told=told, advice=advice(Problem.TOO_LONG, server))
    return Finding(topic="context", state=State.OK, told=told)
