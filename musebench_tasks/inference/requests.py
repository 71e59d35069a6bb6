"""From items to requests: which media a model gets, which words, in which order.

Knows no gold: it sees items only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from musebench_tasks.base.records import (
    Condition,
    FramePolicy,
    Generation,
    Item,
    Limits,
    MediaPart,
    Modality,
    Option,
    Request,
    TaskConfig,
    request_key,
)
from musebench_tasks.base.records.requests import AudioRoute
from musebench_tasks.inference.media_protocol import chunks_of, frame_policy, part_seconds
from musebench_tasks.models import Model
from musebench_tasks.prompts import render_prompt
from musebench_tasks.tasks import planned, shown_order


def unsupported(task: TaskConfig, items: Sequence[Item], model: Model, condition: Condition) -> str | None:
    """Why `model` cannot be asked `task` under `condition`; None if it can."""
    missing_kinds = sorted({item.kind for item in items} - model.kinds)
    if missing_kinds:
        return f"answers no {' or '.join(missing_kinds)} items"
    changed_nowhere = condition.changes - task.modalities
    if changed_nowhere:
        return f"the task has no {min(changed_nowhere)}"
    given = condition.modalities(task.modalities) & model.limits.modalities
    needed: frozenset[Modality] = getattr(model, "requires", frozenset())
    lacking = needed - given
    if lacking:
        return f"takes no question without {' and '.join(sorted(lacking))}"
    missing = condition.modalities(task.modalities) - model.limits.modalities
    if Modality.VIDEO in missing:
        return "takes no video"
    has_words = Modality.AUDIO not in condition.changes and any(item.transcript is not None for item in items)
    if Modality.AUDIO in missing and not has_words:
        return "takes no audio, and no item has a transcript"
    return _unfit_protocol(task, items, model, given)


def _unfit_protocol(task: TaskConfig, items: Sequence[Item], model: Model, given: frozenset[Modality]) -> str | None:
    """Why the task's way of giving frames or sound does not fit its items or the model."""
    chunking, seconds = task.protocol.chunking, part_seconds(task, model)
    if Modality.AUDIO in given and chunking and seconds is not None and chunking.overlap_s >= seconds:
        return f"takes {seconds:g} s of sound at once, and its parts should share {chunking.overlap_s:g} s"
    policy = frame_policy(task) if Modality.VIDEO in given else None
    if policy is not None and policy.name == "query" and any(not item.question for item in items):
        return "frames should be chosen by the question, and not every item has one"
    return None


def build_requests(
    task: TaskConfig, items: Sequence[Item], model: Model, conditions: Sequence[Condition]
) -> tuple[Request, ...]:
    """One request for every planned (item, run, condition), in the plan's order.

    `model` gives its limits, name and revision; it is not asked anything here.
    """
    by_id = {item.id: item for item in items}
    policy = frame_policy(task) if Modality.VIDEO in task.modalities & model.limits.modalities else None
    parts = _remembered(lambda item_id, condition: media_parts(task, by_id[item_id], condition, model, policy))
    return tuple(
        _build(task, by_id[item_id], run, condition, model, parts(item_id, condition))
        for item_id, run, condition in planned(task, [item.id for item in items], conditions)
    )


def media_parts(
    task: TaskConfig, item: Item, condition: Condition, model: Model, policy: FramePolicy | None = None
) -> tuple[MediaPart, ...]:
    """What is decoded for `item` under `condition`: the smaller of task and model limit each time (MB-50).

    Sound that comes in chunks is bounded by the task alone. Frames are chosen by `policy`, by the question's words
    alone where it looks at them: never by options, which would tell what to look for.
    """
    if item.media is None:
        return ()
    limits = model.limits
    wanted = condition.modalities(task.modalities) & limits.modalities
    protocol = task.protocol
    window: dict[str, Any] = {"source": item.media, "start_s": item.start_s, "end_s": item.end_s}
    parts = []
    if Modality.VIDEO in wanted:
        parts.append(
            MediaPart(
                modality=Modality.VIDEO,
                condition=condition.of_stream(Modality.VIDEO),
                fps=protocol.fps,
                max_frames=_smaller(protocol.max_frames, limits.max_frames),
                max_pixels=protocol.max_pixels,
                seed=protocol.seed,
                frame_policy=_asked_by(policy, item),
                **window,
            )
        )
    if Modality.AUDIO in wanted:
        chunks = chunks_of(task, item, model)
        parts.append(
            MediaPart(
                modality=Modality.AUDIO,
                condition=condition.of_stream(Modality.AUDIO),
                sample_rate=protocol.sample_rate or limits.sample_rate,
                max_audio_s=_smaller(protocol.max_audio_s, None if chunks else limits.max_audio_s),
                seed=protocol.seed,
                chunks=chunks,
                **window,
            )
        )
    return tuple(parts)


def audio_route(task: TaskConfig, item: Item, condition: Condition, limits: Limits) -> AudioRoute:
    """How the item's sound reaches the model: as sound, as its transcript, or not at all."""
    if Modality.AUDIO not in condition.modalities(task.modalities):
        return "none"
    if Modality.AUDIO in limits.modalities:
        return "native"
    return "none" if item.transcript is None else "transcript"


def _build(
    task: TaskConfig, item: Item, run: int, condition: Condition, model: Model, parts: tuple[MediaPart, ...]
) -> Request:
    order = shown_order(task, item, run)
    by_id = {option.id: option for option in item.options}
    options: tuple[Option, ...] = tuple(by_id[each] for each in order)
    route = audio_route(task, item, condition, model.limits)
    chunks = next((part.chunks for part in parts if part.chunks), None)
    prompt = render_prompt(task, item, options, condition=condition, audio_route=route, chunks=chunks)
    settings = task.generation_kwargs
    temperature = settings.temperature if settings.do_sample else 0.0
    generation = Generation(
        max_tokens=settings.max_gen_toks,
        temperature=temperature,
        top_p=settings.top_p,
        # Each run of a sampled answer is a draw of its own; a greedy one is the same in all.
        seed=settings.seed if settings.seed is None or temperature == 0 else settings.seed + run,
    )
    key = request_key(
        {
            "item": item.id,
            "media": sorted(part.identity for part in parts),
            "condition": condition,
            "order": order,
            "route": route,
            "system": prompt.system,
            "prompt": prompt.text,
            "generation": generation.model_dump(mode="json"),
            "model": model.name,
            "revision": model.revision,
            "run": run if _runs_differ(model, generation) else None,
        }
    )
    return Request(
        item_id=item.id,
        run=run,
        condition=condition,
        kind=item.kind,
        option_order=order or None,
        question=item.question,
        options=options,
        fields=task.fields,
        parts=parts,
        audio_route=route,
        system=prompt.system,
        prompt=prompt.text,
        generation=generation,
        media_s=(item.window_s or 0.0) if parts else 0.0,
        key=key,
    )


def _runs_differ(model: Model, generation: Generation) -> bool:
    """Whether asking the same twice can give two answers: then each run is asked for itself."""
    return generation.temperature > 0 or bool(getattr(model, "distinguishes_runs", False))


def _asked_by(policy: FramePolicy | None, item: Item) -> FramePolicy | None:
    """The policy for one item: with the words of its question, where frames are chosen by them."""
    if policy is None or policy.name != "query":
        return policy
    return policy.model_copy(update={"text": item.question})


def _smaller(first: Any, second: Any) -> Any:
    given = [each for each in (first, second) if each is not None]
    return min(given) if given else None


def _remembered(
    make: Callable[[str, Condition], tuple[MediaPart, ...]],
) -> Callable[[str, Condition], tuple[MediaPart, ...]]:
    """`make` with its results kept, so that all requests of one window share one tuple."""
    made: dict[tuple[str, Condition], tuple[MediaPart, ...]] = {}

    def get(item_id: str, condition: Condition) -> tuple[MediaPart, ...]:
        if (item_id, condition) not in made:
            made[item_id, condition] = make(item_id, condition)
        return made[item_id, condition]

    return get
