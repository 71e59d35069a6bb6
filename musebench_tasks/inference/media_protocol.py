"""On which terms a model is asked a task: track and tools, which frames and how much of the sound it gets (MU-08)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import Chunks, Condition, FramePolicy, Item, MediaBlock, Modality, TaskConfig
from musebench_tasks.models import Model
from musebench_tasks.models.frame_scorers import frame_scorer
from musebench_tasks.models.registry import declared_tools
from musebench_tasks.values.frame_rule import parse_frame_rule, scorer_place, with_scorer_place

ROUNDING_S = 0.05
"""A window that is longer than a limit by no more is not cut: manifests round durations."""


class Cut(NamedTuple):
    """Sound that a model does not get."""

    after_s: float
    n_items: int
    """Items whose sound is longer, or of unknown length."""
    is_models: bool
    """Whether the model's own limit cuts, not the task's."""


def tools_of(task: TaskConfig, model: Model) -> tuple[str, ...]:
    """What the model works with beside the medium, by the task and by the model's own word."""
    return tuple(dict.fromkeys((*task.protocol.tools, *declared_tools(model))))


def track_of(task: TaskConfig, model: Model) -> str | None:
    """The track that the answers belong to: a model with tools is never on another than `tool_assisted`."""
    return task.track_with(tools_of(task, model))


def part_seconds(task: TaskConfig, model: Model) -> float | None:
    """How long the parts are in which the model gets long sound; None = it gets none such."""
    chunking = task.protocol.chunking
    if chunking is None or not getattr(model, "takes_audio_parts", False):
        return None
    limit = model.limits.max_audio_s
    wanted = None if chunking.seconds == "limit" else chunking.seconds
    return min((each for each in (wanted, limit) if each is not None), default=None)


def chunks_of(task: TaskConfig, item: Item, model: Model) -> Chunks | None:
    """The parts that the sound of `item` comes in; None where it comes in one."""
    seconds, chunking = part_seconds(task, model), task.protocol.chunking
    if seconds is None or chunking is None:
        return None
    bounds = [each for each in (item.window_s, task.protocol.max_audio_s) if each is not None]
    if bounds and min(bounds) <= seconds:
        return None
    return Chunks(seconds=seconds, overlap_s=chunking.overlap_s)


def cut_of(task: TaskConfig, items: Sequence[Item], model: Model) -> Cut | None:
    """What of the sound the model does not get; None where it gets all of it, or none at all."""
    if Modality.AUDIO not in task.modalities & model.limits.modalities:
        return None
    own = None if part_seconds(task, model) is not None else model.limits.max_audio_s
    bounds = [each for each in (task.protocol.max_audio_s, own) if each is not None]
    if not bounds:
        return None
    bound = min(bounds)
    lengths = [item.window_s for item in items if item.media is not None]
    count = sum(length is None or length > bound + ROUNDING_S for length in lengths)
    return Cut(bound, count, bound == own) if count else None


def disclosed(task: TaskConfig, items: Sequence[Item], model: Model) -> str | None:
    """What run.yaml says of the sound's length: `audio after 30 s`, `chunks of 30 s`; None = all of it, in one."""
    if Modality.AUDIO not in task.modalities & model.limits.modalities:
        return None
    cut = cut_of(task, items, model)
    chunked = next((found for item in items if (found := chunks_of(task, item, model)) is not None), None)
    words = [f"audio after {cut.after_s:g} s"] if cut else []
    if chunked is not None:
        shared = f", {chunked.overlap_s:g} s shared" if chunked.overlap_s else ""
        words.append(f"chunks of {chunked.seconds:g} s{shared}")
    return "; ".join(words) or None


def notices(task: TaskConfig, items: Sequence[Item], model: Model, conditions: Sequence[Condition]) -> Iterator[str]:
    """What is to be said before asking: sound that the model does not get."""
    for line in (_cut_notice(task, items, model), _silent_notice(task, items, model, conditions)):
        if line is not None:
            yield line


def _cut_notice(task: TaskConfig, items: Sequence[Item], model: Model) -> str | None:
    """What to say before asking, where the model's own limit cuts sound that the task would give it."""
    cut = cut_of(task, items, model)
    if cut is None or not cut.is_models:
        return None
    takes_parts = getattr(model, "takes_audio_parts", False)
    remedy = "--chunk limit asks about all of it, in parts." if takes_parts else "Its table stands apart."
    return (
        f"{model.name} takes {cut.after_s:g} s of sound; {cut.n_items} of {len(items)} items are longer, "
        f"and it hears only their beginning. {remedy}"
    )


def frame_policy(task: TaskConfig) -> FramePolicy | None:
    """How the task's frames are chosen, with the revision of what chooses them; None = spread evenly.

    InputError for a rule or a scorer that nothing is known about.
    """
    try:
        rule = parse_frame_rule(task.protocol.frames)
    except ValueError as problem:
        raise InputError(f"{task.task}: {reason(problem)}.") from problem
    if rule is None or rule.scorer is None:
        return rule
    return rule.model_copy(update={"scorer_revision": frame_scorer(rule.scorer).revision})


def media_block(task: TaskConfig, items: Sequence[Item], model: Model, conditions: Sequence[Condition]) -> MediaBlock:
    """What run.yaml records of how media are prepared for the model."""
    taken = task.modalities & model.limits.modalities
    video, audio = Modality.VIDEO in taken, Modality.AUDIO in taken
    protocol, limits = task.protocol, model.limits
    frames = [each for each in (protocol.max_frames, limits.max_frames) if each is not None]
    policy = frame_policy(task) if video else None
    return MediaBlock(
        fps=protocol.fps if video else None,
        max_frames=min(frames) if video and frames else None,
        resolution=f"at most {protocol.max_pixels} pixels" if video and protocol.max_pixels else None,
        modalities=("T", *(["A"] if audio else []), *(["V"] if video else [])),
        audio_sr=(protocol.sample_rate or limits.sample_rate) if audio else None,
        truncation=disclosed(task, items, model),
        frames=_place_left_out(protocol.frames) if policy else None,
        frame_scorer=policy.scorer_revision if policy else None,
        audio_route="transcript" if _reads(task, items, model, conditions) else None,
        narrator_removal=protocol.narrator_removal,
    )


def _silent_notice(
    task: TaskConfig, items: Sequence[Item], model: Model, conditions: Sequence[Condition]
) -> str | None:
    """What to say before asking, where a model that reads transcripts finds none of some items."""
    without = sum(item.transcript is None for item in items)
    if not without or not _reads(task, items, model, conditions):
        return None
    return (
        f"{model.name} takes no audio, and {without} of {len(items)} items have no transcript: "
        "these are asked without any sound."
    )


def _reads(task: TaskConfig, items: Sequence[Item], model: Model, conditions: Sequence[Condition]) -> bool:
    """Whether words stand in for the sound under any of the conditions."""
    heard = any(Modality.AUDIO in condition.modalities(task.modalities) for condition in conditions)
    return (
        heard and Modality.AUDIO not in model.limits.modalities and any(item.transcript is not None for item in items)
    )


def _place_left_out(rule: str) -> str:
    """The rule with the name of a scorer's file or folder, not where it lies: its revision says which it is."""
    place = scorer_place(rule)
    return with_scorer_place(rule, Path(place).resolve().name) if place and Path(place).exists() else rule
