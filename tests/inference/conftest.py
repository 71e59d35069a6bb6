import hashlib

import pytest

from musebench_tasks.base.records import Kind, Limits, MediaPart, MediaSource, Modality, Request
from musebench_tasks.models import answered, failed


def make_request(item, *, key=None, media=None, seconds=10.0, run=0, condition="full"):
    parts = ()
    if media is not None:
        source = MediaSource(path=f"{media}.mp4", sha256=hashlib.sha256(media.encode()).hexdigest())
        parts = (MediaPart(modality=Modality.VIDEO, source=source, start_s=0.0, end_s=seconds),)
    return Request(
        item_id=item,
        run=run,
        condition=condition,
        kind=Kind.SINGLE,
        parts=parts,
        prompt=f"question {item}",
        media_s=seconds if parts else 0.0,
        key=key or f"key-{item}-{run}-{condition}",
    )


class EchoModel:
    """Answers with the item's id; fails or dies where told."""

    name, revision = "echo", "1"
    kinds = frozenset(Kind)
    limits = Limits(modalities=frozenset(Modality))

    def __init__(self, raising=None, failing=(), silent=()):
        self.raising, self.failing, self.silent, self.groups = raising or {}, failing, silent, []

    def answer(self, group):
        self.groups.append([request.item_id for request in group.requests])
        for request in group.requests:
            if request.item_id in self.raising:
                raise self.raising[request.item_id]
            if request.item_id in self.failing:
                yield failed(request, "backend_error", "asked to fail")
            elif request.item_id not in self.silent:
                yield answered(request, request.item_id)


@pytest.fixture
def request_of():
    return make_request


@pytest.fixture
def echo():
    return EchoModel
