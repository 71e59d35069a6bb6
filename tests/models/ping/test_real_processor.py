"""Tokens as a checkpoint's own processor counts them: pictures in pairs, and sound that it cuts at 30 s."""

import threading

import numpy as np
import pytest
from fakes.openai_media import MediaModel, decoded

from musebench_tasks.models.ping import State
from musebench_tasks.models.ping.arrival import make_probe
from musebench_tasks.models.ping.findings import Shape
from musebench_tasks.models.ping.ladders import CLIP, FRAMES, SOUND, VIDEO, arrival_finding, climb

SECONDS, PICTURES = 60, 16


class ProcessedModel(MediaModel):
    """Counts the tokens of a prompt as a processor makes them, and reads nothing."""

    def __init__(self, processor):
        super().__init__(can_read=False)
        self.processor, self.one_at_a_time = processor, threading.Lock()

    def answer(self, body):
        text, usage, *rest = super().answer(body)
        content = body["messages"][0]["content"]
        pieces = map(decoded, content if isinstance(content, list) else [{"type": "text", "text": content}])
        with self.one_at_a_time:
            usage["prompt_tokens"] = self.count([_part(piece) for piece in pieces])
        return text, usage, *rest

    def count(self, parts):
        has_video = any(part["type"] == "video" for part in parts)
        prompt = self.processor.apply_chat_template(
            [{"role": "user", "content": parts}],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            processor_kwargs={"fps": 1.0, "do_sample_frames": False} if has_video else {},
        )
        return len(prompt["input_ids"][0])


def _part(piece):
    if piece.kind == "text":
        return {"type": "text", "text": piece.text}
    if piece.kind == "sound":
        return {"type": "audio", "audio": piece.samples.astype(np.float32)}
    if piece.kind == "image":
        return {"type": "image", "image": piece.frames[0]}
    return {"type": "video", "video": np.stack(piece.frames)}


@pytest.mark.slow
def test_what_a_processor_cuts_is_found_to_the_second(tiny_omni, server, wire):
    from transformers import AutoProcessor

    asked = wire()
    server.media = ProcessedModel(AutoProcessor.from_pretrained(tiny_omni))
    probe = make_probe(1, PICTURES, SECONDS)
    for way in (FRAMES, VIDEO, CLIP):
        ladder, answer = climb(asked, way, probe, PICTURES)
        assert (ladder.growth.shape, ladder.growth.arrived) == (Shape.EVEN, PICTURES)
        finding = arrival_finding(ladder, answer, way, probe, is_used=True, server="vllm")
        assert finding.told.startswith("all 16 pictures arrive")
    ladder, answer = climb(asked, SOUND, probe, SECONDS)
    assert (ladder.growth.shape, ladder.growth.arrived, ladder.growth.per_unit) == (Shape.CAPPED, 30, 25)
    finding = arrival_finding(ladder, answer, SOUND, probe, is_used=True, server="vllm")
    assert finding.state is State.WARN
    assert "{max_audio_s: 30}" in finding.advice
