"""How fast choice answers are read: responses a second on one core.

    python benchmarks/responses.py [--responses 100000] [--repeats 3]

Half are the shared cases (tests/cases/answers.jsonl, each with its options) in turn; half are the same, each at the end
of about 1,500 characters of reasoning prose that names options and letters as reasoning does. The prose is drawn anew
for every response (seed 42), so that nothing can be remembered of one response for another. Target: 8,000 a second.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.answers import parse_choice

CASES = Path(__file__).parents[1] / "tests" / "cases" / "answers.jsonl"
TARGET = 8_000
SEED = 42
PROSE_CHARACTERS = 1_500
OPENINGS = (
    "Let me listen to the excerpt again and describe what is heard.",
    "First, I consider how the piece begins and which instruments enter.",
    "To decide this, I compare what each option would imply for the sound.",
    "The question concerns a short passage, so the details of timbre matter.",
    "I will go through the recording from its first seconds to its last.",
)
SENTENCES = (
    "The opening bars establish a steady pulse in the lower register.",
    "A sustained string pad enters around 0:{second:02d} and stays until the break.",
    "The harmony moves from the tonic to the {degree} and back within {bars} bars.",
    "Above it, a {instrument} carries the main line with little vibrato.",
    "The texture thins out before the second phrase, where the {instrument} rests.",
    "Percussion is sparse: mostly brushes, with an accent every {bars} bars.",
    "There is a noticeable crescendo, although the tempo hardly changes.",
    "The mix places the {instrument} slightly to the left and the voice in the centre.",
    "One could argue that the rhythm is syncopated, but the backbeat stays clear.",
    "Option {letter} mentions a quality that is present only in part of the clip.",
    "I considered {letter} for a moment, since the timbre is rather bright there.",
    "The reverb suggests a large hall; the attack of each note is soft nonetheless.",
    "At roughly {bpm} beats per minute, the piece feels relaxed and not hurried.",
    "Nothing in the low end points to a synthetic source, so acoustic seems plausible.",
    "The singer's phrasing follows the metre closely, which is typical of the style.",
    "It doesn't modulate, and the final cadence confirms the key it began in.",
    "\n\nNext, the middle section: the {instrument} answers the first motif twice.",
    "\n- The dynamics stay between mezzo-piano and forte.\n- The register is mostly middle.",
)
WORDS = {
    "instrument": ("clarinet", "viola", "piano", "muted trumpet", "bass", "guitar", "flute", "marimba", "organ"),
    "degree": ("dominant", "subdominant", "relative minor", "mediant", "supertonic"),
    "letter": tuple("ABCD"),
}


class Asked(NamedTuple):
    """A response and what it answers."""

    response: str
    options: list[str]
    multi: bool
    finish_reason: str | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--responses", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    measured = responses_per_second(chosen.responses, chosen.repeats)
    print(
        f"{measured['responses']:,} responses, one core: {measured['per_second']:,.0f} a second "
        f"(target {TARGET:,}; short alone {measured['short_per_second']:,.0f}, "
        f"after reasoning alone {measured['long_per_second']:,.0f}; best of {chosen.repeats})"
    )


def responses_per_second(responses: int = 100_000, repeats: int = 3) -> dict[str, Any]:
    """Responses that `parse_choice` reads in a second of this thread's CPU time: all, short ones, those after prose."""
    short, long = list(short_responses(responses - responses // 2)), list(long_responses(responses // 2))
    for each in (*short[:500], *long[:500]):
        _parse(each)
    times = [(_seconds(short), _seconds(long)) for _ in range(repeats)]
    best_short, best_long = min(each[0] for each in times), min(each[1] for each in times)
    return {
        "responses": responses,
        "per_second": responses / min(sum(each) for each in times),
        "short_per_second": len(short) / best_short,
        "long_per_second": len(long) / best_long,
        "long_characters": sum(len(each.response) for each in long) / max(1, len(long)),
        "target": TARGET,
    }


def short_responses(count: int) -> Iterator[Asked]:
    """The shared cases in turn."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    cases = [each for each in cases if each["response"] is not None]
    for number in range(count):
        case = cases[number % len(cases)]
        yield Asked(case["response"], case["options"], case["kind"] == "multi", case.get("finish_reason"))


def long_responses(count: int) -> Iterator[Asked]:
    """The shared cases in turn, each after prose of its own."""
    chance = random.Random(SEED)
    for asked in short_responses(count):
        yield asked._replace(response=f"{prose(chance)}\n\n{asked.response}")


def prose(chance: random.Random) -> str:
    """About `PROSE_CHARACTERS` characters of reasoning about a recording."""
    text = chance.choice(OPENINGS)
    while len(text) < PROSE_CHARACTERS:
        words: dict[str, object] = {name: chance.choice(values) for name, values in WORDS.items()}
        numbers = {"second": chance.randrange(60), "bars": chance.choice((2, 4, 8)), "bpm": chance.randrange(60, 160)}
        text += " " + chance.choice(SENTENCES).format(**words, **numbers)
    return text


def _seconds(asked: list[Asked]) -> float:
    begun = time.thread_time()
    for each in asked:
        _parse(each)
    return time.thread_time() - begun


def _parse(asked: Asked) -> None:
    parse_choice(asked.response, asked.options, asked.multi, asked.finish_reason)


if __name__ == "__main__":
    main()
