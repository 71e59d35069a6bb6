"""Whether run.yaml of others says what a run of this task can say: the task's media and track, known words, sizes.

What stands in a table, or decides beside whom a system stands, is held against the task. What nobody can check here
(names, revision, tier, notes) is only kept short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from musebench_tasks.base.problems import Location, Problem, spelled
from musebench_tasks.base.records import Item, Modality, RunConfig, TaskConfig
from musebench_tasks.base.records.requests import TRANSCRIPT
from musebench_tasks.base.text import cut, one_line, shown
from musebench_tasks.prompts import is_own_template, prompt_identity
from musebench_tasks.values.frame_rule import parse_frame_rule
from musebench_tasks.version import __version__

LONGEST_TEXT = 200
"""Characters of a text in run.yaml, where `LONGEST` says nothing else."""
LONGEST: Mapping[str, int] = {"system.name": 300, "prompt.system": 20_000, "protocol.tools": 100}
MOST_TOOLS = 20
MOST_PACKAGES = 100
RANGES: Mapping[str, tuple[float, float]] = {
    "decoding.temperature": (0, 100),
    "decoding.top_p": (0, 1),
    "decoding.max_tokens": (1, 10_000_000),
    "decoding.context_tokens": (1, 1_000_000_000),
    "decoding.seed": (-(2**63), 2**64 - 1),
    "media.fps": (0, 1000),
    "media.max_frames": (1, 1_000_000),
    "media.audio_sr": (1, 1_000_000),
    "protocol.runs": (1, 1000),
    "protocol.seed": (-(2**63), 2**64 - 1),
}
"""Smallest and largest number of a field."""
LETTERS_OF = {Modality.AUDIO: "A", Modality.VIDEO: "V"}
_NUMBER = r"([0-9]+(?:\.[0-9]+)?(?:e\+[0-9]+)?)"
_CUT = re.compile(rf"audio after {_NUMBER} s")
_CHUNKS = re.compile(rf"chunks of {_NUMBER} s(?:, {_NUMBER} s shared)?")
_SHA256 = re.compile("[0-9a-f]{64}")


def declared_problems(task: TaskConfig, items: Sequence[Item], config: RunConfig) -> Iterator[Problem]:
    """Every field of `config` that no run of `task` about `items` says.

    `items`: those that were asked; none where they are not all known any more, and nothing is held against them.
    """
    told = config.model_dump(mode="json")
    yield from _sizes(told)
    yield from _ranges(told)
    if config.schema_version != (known := RunConfig.model_fields["schema_version"].default):
        yield Problem(f"should be {shown(known)}, found {shown(config.schema_version)}.", column="schema_version")
    yield from _track(task, config)
    yield from _modalities(task, items, config)
    yield from _sound(task, items, config)
    yield from _frames(task, config)
    yield from _prompt(task, config)


def cut_after_s(config: RunConfig) -> float | None:
    """After how many seconds run.yaml says that the sound is cut; None where it says no such thing."""
    match = _CUT.fullmatch((config.media.truncation or "").partition("; ")[0])
    return float(match[1]) if match else None


def _is_truncation(text: str) -> bool:
    """Whether `text` is what runs write of the sound's length, with numbers as they write them."""
    first, joint, second = text.partition("; ")
    cut, chunks = _CUT.fullmatch(first), _CHUNKS.fullmatch(second if joint else first)
    numbers = [each for match in (cut, chunks) if match for each in match.groups() if each is not None]
    is_whole = bool(cut and chunks) if joint else bool(cut or chunks)
    return is_whole and all(float(each) > 0 and f"{float(each):g}" == each for each in numbers)


def _sizes(told: Mapping[str, Any]) -> Iterator[Problem]:
    for location, text in _texts(told, ()):
        field = spelled(location)
        longest = next((most for name, most in LONGEST.items() if field.startswith(name)), LONGEST_TEXT)
        if len(text) > longest:
            yield Problem(
                f"has {len(text)} characters; at most {longest} may stand there. Shorten it.",
                column=field[:LONGEST_TEXT],
            )
    for field, count, most in (
        ("protocol.tools", len(told["protocol"]["tools"]), MOST_TOOLS),
        ("harness.packages", len(told["harness"]["packages"]), MOST_PACKAGES),
    ):
        if count > most:
            yield Problem(f"has {count} entries; at most {most} may stand there.", column=field)


def _texts(value: Any, location: Location) -> Iterator[tuple[Location, str]]:
    """Every text in a tree of plain values, keys of mappings among them, and where it stands."""
    if isinstance(value, str):
        yield location, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield location, key
            yield from _texts(inner, (*location, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _texts(inner, (*location, place))


def _ranges(told: Mapping[str, Any]) -> Iterator[Problem]:
    for field, (low, high) in RANGES.items():
        block, name = field.split(".")
        value = told[block][name]
        if value is not None and not low <= value <= high:
            yield Problem(f"should be from {low} to {high}, found {shown(value)}.", column=field)


def _track(task: TaskConfig, config: RunConfig) -> Iterator[Problem]:
    told, right = config.protocol, task.track_with(config.protocol.tools)
    lacking = [tool for tool in task.protocol.tools if tool not in told.tools]
    if lacking:
        yield Problem(f"{task.task} gives every system {', '.join(lacking)}.", "Name them.", column="protocol.tools")
    elif told.track != right:
        why = f"with tools ({', '.join(told.tools)[:80]})" if told.tools else f"of {task.task} without tools"
        yield Problem(f"should be {shown(right)} {why}, found {shown(told.track)}.", column="protocol.track")


def _modalities(task: TaskConfig, items: Sequence[Item], config: RunConfig) -> Iterator[Problem]:
    told = config.media.modalities
    if told is None:
        return
    given = ("T", *(letter for stream, letter in LETTERS_OF.items() if stream in task.modalities))
    if told != tuple(each for each in given if each in told) or "T" not in told:
        yield Problem(
            f"should be of {', '.join(given)}, in this order and with T, found {shown(told)}.",
            column="media.modalities",
        )
        return
    for condition in config.protocol.conditions:
        missing = [stream for stream in condition.modalities(task.modalities) if LETTERS_OF[stream] not in told]
        if Modality.AUDIO not in condition.changes and _may_have_transcripts(items):
            missing = [stream for stream in missing if stream is not Modality.AUDIO]
        if missing:
            names = " and ".join(sorted(missing))
            yield Problem(
                f"{shown(told)}, but under {condition} {task.task} gives {names}. A system that takes none is not "
                "asked under this condition; what is not known is null.",
                column="media.modalities",
            )
            return


def _may_have_transcripts(items: Sequence[Item]) -> bool:
    return not items or any(item.transcript is not None for item in items)


def _sound(task: TaskConfig, items: Sequence[Item], config: RunConfig) -> Iterator[Problem]:
    media = config.media
    takes = Modality.AUDIO in task.modalities and (media.modalities is None or "A" in media.modalities)
    if media.audio_route not in (None, TRANSCRIPT):
        yield Problem(
            f'should be null or "{TRANSCRIPT}", found {shown(media.audio_route)}.', column="media.audio_route"
        )
    elif media.audio_route and media.modalities and "A" in media.modalities:
        yield Problem(
            f'"{TRANSCRIPT}" stands in for the sound, which this system takes (modalities).', column="media.audio_route"
        )
    elif media.audio_route and not (Modality.AUDIO in task.modalities and _may_have_transcripts(items)):
        yield Problem(f"{task.task} has no transcripts that could stand in for the sound.", column="media.audio_route")
    if media.audio_sr is not None and not takes:
        yield Problem("is told, but no sound is taken.", "Write null.", column="media.audio_sr")
    if media.narrator_removal not in (None, task.protocol.narrator_removal):
        yield Problem(f"is not that of {task.task}.", column="media.narrator_removal")
    if media.truncation is None:
        return
    cut_s = cut_after_s(config)
    if not _is_truncation(media.truncation):
        form = "audio after 30 s; chunks of 30 s, 2 s shared"
        yield Problem(
            f'should be of the form "{form}", or one of the two, found {shown(media.truncation)}.',
            column="media.truncation",
        )
    elif not takes:
        yield Problem("tells of sound, but none is taken.", "Write null.", column="media.truncation")
    elif cut_s is not None and items and not any(each.window_s is None or each.window_s > cut_s for each in items):
        yield Problem(
            f"{shown(media.truncation)}, but no sound of {task.task} is longer. Write null.", column="media.truncation"
        )


def _frames(task: TaskConfig, config: RunConfig) -> Iterator[Problem]:
    media = config.media
    takes = Modality.VIDEO in task.modalities and (media.modalities is None or "V" in media.modalities)
    for name in ("fps", "max_frames", "resolution", "frames", "frame_scorer"):
        if getattr(media, name) is not None and not takes:
            yield Problem("is told, but no frames are taken.", "Write null.", column=f"media.{name}")
            return
    if media.frames is not None:
        try:
            parse_frame_rule(media.frames)
        except ValueError as problem:
            yield Problem(f"{cut(one_line(problem), LONGEST_TEXT)}.", column="media.frames")


def _prompt(task: TaskConfig, config: RunConfig) -> Iterator[Problem]:
    """The hash is that of the template where it is the program's own and the run was made by this version of it."""
    told, harness = config.prompt, config.harness
    if told.sha256 is None:
        return
    if not _SHA256.fullmatch(told.sha256):
        yield Problem(
            f"should be a SHA-256 of 64 hexadecimal digits, found {shown(told.sha256)}.", column="prompt.sha256"
        )
        return
    is_of_here = (harness.name, harness.version) == (type(harness)(version=None).name, __version__)
    if not is_of_here or not is_own_template(task):
        return
    identity = prompt_identity(task.model_copy(update={"system": told.system}))
    if told.id == identity.id and told.sha256 != identity.sha256:
        yield Problem(
            f'is not that of the template "{told.id}" of musebench-tasks {__version__} with this system text '
            f"({identity.sha256[:12]}), found {shown(told.sha256[:12])}.",
            column="prompt.sha256",
        )
