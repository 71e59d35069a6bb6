"""Whether the lines of others record what their run.yaml says: the media of each condition, letters or words.

What a line does not record (null) claims nothing: of systems that look at no media, and in logs of other harnesses.
A system that may listen need not; so `none` under a condition with sound is an answer that was given without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil

from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Condition, Item, Kind, Modality, Prediction, RunConfig, TaskConfig
from musebench_tasks.base.records.requests import NATIVE, NO_ROUTE, TRANSCRIPT
from musebench_tasks.evaluation.read_answers import LETTER_PROBABILITIES
from musebench_tasks.prompts import has_label_like_options
from musebench_tasks.submissions.check_run_config import cut_after_s

SPARE_S = 1.0
SPARE = 0.05
"""What durations of data and of decoded media may differ by: a second, and this share."""
_RIGHT_CONDITION = "A line stands under the condition that it was asked under."


def recorded_problems(
    task: TaskConfig, config: RunConfig, items: Mapping[str, Item], predictions: Sequence[Prediction]
) -> Iterator[Problem]:
    """What contradicts the task, run.yaml or the lines before it, with the number of the line."""
    before: dict[Condition, Prediction] = {}
    for number, each in enumerate(predictions, start=1):
        item = items.get(each.item_id)
        if item is None:
            continue
        found = [*_sound(task, config, item, each), *_frames(task, config, item, each), *_letters(config, each)]
        if not found and each.status.is_answer:
            found = list(_routes(each, before.setdefault(each.condition, each)))
            if not found and _is_native(before[each.condition]) is None:
                before[each.condition] = each
        yield from (problem.at(line=number) for problem in found)


def answering_problem(
    config: RunConfig, items: Mapping[str, Item], predictions: Iterable[Prediction]
) -> Problem | None:
    """Why a run by letters is none: no answer that could have come by letter did."""
    if config.decoding.answering != "letters" or config.system.type != "model":
        return None
    by_letter = [
        each
        for each in predictions
        if each.status.is_answer and (item := items.get(each.item_id)) is not None and _could_be_letter(item)
    ]
    if not by_letter or any(each.option_probabilities for each in by_letter):
        return None
    return Problem(
        '"letters", but no line has probabilities of letters.',
        "Give the command of the run again with --answering text and another --out (--reuse takes over what was "
        "answered).",
        column="decoding.answering",
        noun="field",
    )


def _could_be_letter(item: Item) -> bool:
    return item.kind is Kind.SINGLE and not has_label_like_options(item.options)


def _sound(task: TaskConfig, config: RunConfig, item: Item, line: Prediction) -> Iterator[Problem]:
    audio, condition, taken = line.audio, line.condition, config.media.modalities
    if audio is None:
        return
    if audio.route == NO_ROUTE:
        if audio.seconds:
            yield Problem(f'{audio.seconds:g} s of sound, but the route is "{NO_ROUTE}".', column="audio.seconds")
        return
    if Modality.AUDIO not in condition.modalities(task.modalities):
        yield Problem(
            f'"{audio.route}", but under {condition} no sound is given.', _RIGHT_CONDITION, column="audio.route"
        )
    elif audio.route == TRANSCRIPT:
        if Modality.AUDIO in condition.changes:
            yield Problem(f'"{TRANSCRIPT}", but {condition} is sound that no words stand in for.', column="audio.route")
        elif item.transcript is None:
            yield Problem(f'"{TRANSCRIPT}", but item "{item.id}" has none.', column="audio.route")
        elif audio.seconds:
            yield Problem(f'{audio.seconds:g} s of sound, but the route is "{TRANSCRIPT}".', column="audio.seconds")
    elif taken is not None and "A" not in taken:
        yield Problem(
            f'"{audio.route}", but by run.yaml (media.modalities) the system takes no sound.', column="audio.route"
        )
    else:
        yield from _seconds(config, item, audio.seconds)


def _seconds(config: RunConfig, item: Item, seconds: float | None) -> Iterator[Problem]:
    """Whether so much of the item's sound can have been heard."""
    if seconds is None:
        return
    if seconds < 0:
        yield Problem(f"should be 0 or more, found {seconds:g}.", column="audio.seconds")
        return
    cut_s = cut_after_s(config)
    for longest, whose in ((item.window_s, f'the medium of "{item.id}"'), (cut_s, "what run.yaml (truncation) leaves")):
        if longest is not None and seconds > longest * (1 + SPARE) + SPARE_S:
            yield Problem(f"{seconds:g} s of sound, but {whose} is {longest:g} s long.", column="audio.seconds")
            return


def _frames(task: TaskConfig, config: RunConfig, item: Item, line: Prediction) -> Iterator[Problem]:
    frames, condition, taken = line.frames, line.condition, config.media.modalities
    if frames is None:
        return
    if min(frames.used, frames.available) < 0:
        yield Problem(f"should be 0 or more, found {frames.used} of {frames.available}.", column="frames")
    elif not frames.used:
        return
    elif Modality.VIDEO not in condition.modalities(task.modalities):
        yield Problem(
            f"{frames.used} frames, but under {condition} none are given.", _RIGHT_CONDITION, column="frames.used"
        )
    elif taken is not None and "V" not in taken:
        yield Problem(
            f"{frames.used} frames, but by run.yaml (media.modalities) the system takes none.", column="frames.used"
        )
    elif (most := _most_frames(config, item)) is not None and frames.used > most:
        yield Problem(
            f'{frames.used} frames; "{item.id}" has at most {most} of them at the rate of run.yaml.',
            column="frames.used",
        )


def _most_frames(config: RunConfig, item: Item) -> int | None:
    """Frames that the window holds at the rate of run.yaml, or that one system may get; None where neither is known."""
    bounds = [each for each in (config.media.max_frames,) if each is not None]
    if config.media.fps is not None and item.window_s is not None:
        bounds.append(ceil((item.window_s * (1 + SPARE) + SPARE_S) * config.media.fps) + 1)
    return min(bounds, default=None)


def _letters(config: RunConfig, line: Prediction) -> Iterator[Problem]:
    shares = line.option_probabilities
    if not shares:
        return
    if config.decoding.answering != "letters":
        yield Problem(
            f'are given, but by run.yaml (decoding.answering "{config.decoding.answering}") texts were read, which '
            "have none. Write null.",
            column="option_probabilities",
        )
    elif isinstance(line.parsed, tuple) and any(shares.get(each, 0.0) < max(shares.values()) for each in line.parsed):
        yield Problem(
            "is not the most probable option by its own option_probabilities. Correct one of the two.", column="parsed"
        )
    elif config.system.type == "model" and line.status.is_answer and line.parser != LETTER_PROBABILITIES:
        yield Problem(
            f"stand beside an answer that was not read from them (parser {LETTER_PROBABILITIES.method}). Write null.",
            column="option_probabilities",
        )


def _is_native(line: Prediction) -> bool | None:
    """Whether sound, or else words, arrived; None where nothing did or nothing is recorded."""
    return None if line.audio is None or line.audio.route == NO_ROUTE else line.audio.route == NATIVE


def _routes(line: Prediction, before: Prediction) -> Iterator[Problem]:
    """Whether both can be of one system: one that tells of its sound in every line, and hears it in one way."""
    if (line.audio is None) != (before.audio is None):
        told = before if line.audio is None else line
        route = told.audio.route if told.audio else NO_ROUTE
        yield Problem(
            f'is null in one line under {line.condition} and "{route}" in another (item "{before.item_id}"). One '
            "system answers all requests of a run, and tells of each what arrived.",
            column="audio",
        )
    elif None not in (_is_native(line), _is_native(before)) and _is_native(line) != _is_native(before):
        yield Problem(
            f'"{NATIVE}" in one line under {line.condition}, "{TRANSCRIPT}" in another (item "{before.item_id}"). '
            "One system gets sound in one way.",
            column="audio.route",
        )
