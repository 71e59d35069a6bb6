"""One answer as a card shows it: verdict in words and sign, what was said, what was received, the raw text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from musebench_tasks.base.records import Item, Prediction, Reference, Status
from musebench_tasks.pages.text import seconds_text, shortened

RIGHT, PARTLY, WRONG, NONE = "right", "partly", "wrong", "none"
"""How an answer turned out; `none` = there is no answer that could be read."""
SIGNS = {RIGHT: "✓", PARTLY: "≈", WRONG: "✗", NONE: "–"}
LONGEST_RAW = 8000
"""Characters of a model's text that a page shows."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """Who answered an item in which setting. `prediction` None = planned, and nothing came."""

    system: str
    setting: str
    """Condition and run, as far as there are several: `noise · run 2`."""
    prediction: Prediction | None
    error: str | None = None
    attempts: int = 1
    is_counted: bool = True
    """Whether it counts in who chose which option and who was right: one condition only, so that counts can be read."""
    fps: float | None = None
    """Frames a second that the system was offered."""
    frame_times_s: tuple[float, ...] | None = None
    """When its frames were on display, in seconds from the window's start, where the journal tells."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer on a card."""

    system: str
    setting: str
    outcome: str
    """right, partly, wrong or none."""
    status: Status
    verdict: str
    said: str
    """What was read in the text, in this card's letters."""
    facts: tuple[str, ...]
    """What is worth knowing beside it, each with its name."""
    raw: str | None
    left_out: int
    """Characters of the text that are not shown."""
    is_counted: bool = True

    @property
    def sign(self) -> str:
        """The outcome as a sign."""
        return SIGNS[self.outcome]


def choice_answer(given: GivenAnswer, item: Item, reference: Reference, letters: Mapping[str, str]) -> Answer:
    """The answer to a choice item."""
    prediction = given.prediction
    chosen = prediction.parsed if prediction and isinstance(prediction.parsed, tuple) else None
    if prediction is None or prediction.status is not Status.OK or chosen is None:
        return _answer(given, NONE, status_words(prediction), "", letters)
    gold = set(reference.answer or ())
    outcome = RIGHT if set(chosen) == gold else WRONG
    verdict = outcome
    if outcome == WRONG and len(gold) > 1:
        verdict = f"wrong, {len(gold.intersection(chosen))} of {len(gold)}"
    texts = {option.id: option.text for option in item.options}
    named = sorted((letters.get(each, "?"), texts.get(each, each)) for each in chosen)
    said = f"{named[0][0]}  {named[0][1]}" if len(named) == 1 else ", ".join(letter for letter, _ in named) or "none"
    return _answer(given, outcome, verdict, said, letters)


def music_answer(given: GivenAnswer, outcomes: Sequence[str]) -> Answer:
    """The answer to a recording; `outcomes` are those of its fields that have a reference."""
    if set(outcomes) <= {NONE}:
        return _answer(given, NONE, status_words(given.prediction), "", {})
    right = outcomes.count(RIGHT)
    whole = RIGHT if right == len(outcomes) else PARTLY if right or PARTLY in outcomes else WRONG
    return _answer(given, whole, f"{right} of {len(outcomes)} fields", "", {})


def status_words(prediction: Prediction | None) -> str:
    """A status in words."""
    return (prediction.status if prediction else Status.MISSING).value.replace("_", " ")


def _answer(given: GivenAnswer, outcome: str, verdict: str, said: str, letters: Mapping[str, str]) -> Answer:
    raw = given.prediction.raw if given.prediction else None
    return Answer(
        system=given.system,
        setting=given.setting,
        outcome=outcome,
        status=given.prediction.status if given.prediction else Status.MISSING,
        verdict=verdict,
        said=shortened(said),
        facts=tuple(shortened(each) for each in _facts(given, letters)),
        raw=raw[:LONGEST_RAW] if raw else raw,
        left_out=max(0, len(raw or "") - LONGEST_RAW),
        is_counted=given.is_counted,
    )


def _facts(given: GivenAnswer, letters: Mapping[str, str]) -> list[str]:
    prediction = given.prediction
    if prediction is None:
        return ["missing: planned, and no answer lies here"]
    facts = [f"status {status_words(prediction)}"]
    if given.error:
        facts.append(f"error {given.error}")
    if prediction.rule:
        facts.append(f"read by rule {prediction.rule.replace('_', ' ')}")
    if prediction.flags:
        facts.append(f"flags {', '.join(prediction.flags).replace('_', ' ')}")
    if prediction.finish_reason:
        facts.append(f"finish reason {prediction.finish_reason}")
    received = received_words(prediction)
    if received:
        facts.append(f"received {received}")
    order = prediction.option_order
    if order and letters and tuple(letters) != order:
        facts.append(f"options shown in the order {' '.join(letters.get(each, '?') for each in order)}")
    if given.attempts > 1:
        facts.append(f"{given.attempts} attempts")
    return facts


def received_words(prediction: Prediction) -> str:
    """What of the medium reached the model: `18 of 60 frames (uniform); sound 18.1 s (native)`."""
    parts = []
    if prediction.frames:
        frames = prediction.frames
        parts.append(f"{frames.used} of {frames.available} frames ({frames.policy})")
    if prediction.audio and prediction.audio.route == "none":
        parts.append("no sound")
    elif prediction.audio:
        seconds = prediction.audio.seconds
        length = f" {seconds_text(seconds)}" if seconds is not None else ""
        parts.append(f"sound{length} ({prediction.audio.route})")
    return "; ".join(parts)
