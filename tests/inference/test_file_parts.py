"""What a media file is decoded for: the windows of groups that are still to be asked, and no others."""

from musebench_tasks.base.records import Limits, MediaPart, MediaSource, Request
from musebench_tasks.inference.asking import Asking
from musebench_tasks.inference.work_units import plan_units
from musebench_tasks.models.protocol import answered


def request(number):
    part = MediaPart(modality="audio", source=MediaSource(path="/a.wav", sha256="1" * 64), start_s=float(number))
    return Request(
        item_id=f"i{number}", run=0, condition="full", kind="single", parts=(part,), prompt="?", key=f"k{number}"
    )


class Model:
    def __init__(self):
        self.wanted = []

    def answer(self, group):
        self.wanted.append([part.start_s for part in group.file_parts])
        for each in group.requests:
            yield answered(each, "A")


def test_windows_that_nobody_will_ask_for_are_not_decoded():
    requests = [request(number) for number in range(4)]
    (unit,) = plan_units(requests)
    model = Model()
    known = {"k1": answered(requests[1], "B")}
    responses = list(Asking(model, Limits(), known, lambda: None).answers_to(unit, lambda key: key != "k0"))
    assert [each.key for each in responses] == ["k1", "k2", "k3"]
    assert model.wanted == [[2.0, 3.0], [2.0, 3.0]]
