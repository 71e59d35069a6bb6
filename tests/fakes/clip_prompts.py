"""Prompts about one clip of noise, as the transformers backend makes them, and their plain answers."""

import numpy as np
from fakes.media_group import make_request, picture

from musebench_tasks.base.records import Modality
from musebench_tasks.models.transformers_chat.inputs import Media
from musebench_tasks.models.transformers_chat.prompts import GroupPrompts
from musebench_tasks.models.transformers_chat.reference_path import Ask

RATE = 16_000
QUESTIONS = (
    "Which one is it? A. violin B. piano",
    "What is the tempo of this recording? A. violin B. piano C. trumpet D. guitar",
    "What is the tempo of this recording? A. piano B. violin C. trumpet D. guitar",
    "Listen.",
)


def noise(seconds=1, seed=0):
    return (0.1 * np.random.default_rng(seed).standard_normal(int(seconds * RATE))).astype(np.float32)


def clip(model, seed=0, seconds=1):
    """What `model` takes of a clip: two frames, a second of sound."""
    taken = model.limits.modalities
    frames = picture(2, seconds, seed=seed).pixels if Modality.VIDEO in taken else None
    return Media(frames, audio=(noise(seconds, seed),) if Modality.AUDIO in taken else ())


def prompts_of(model, questions=QUESTIONS, media=None):
    requests = [make_request(number, text) for number, text in enumerate(questions)]
    media = clip(model) if media is None else media
    return GroupPrompts(model.processor, model.family, model.config, requests, media, max_pixels=10_000)


def asks(count=4, max_tokens=5, **details):
    return [Ask(f"{number + 1:016x}{0:048x}", max_tokens, **details) for number in range(count)]


def answers(engine, prompts, wanted_asks, places=None, check=()):
    """Outcomes by place."""
    places = range(len(prompts)) if places is None else places
    return {each.place: each for each in engine.answer(prompts, wanted_asks, places, check)}
