from fakes.read_page import read_page
from hypothesis import given as generate
from hypothesis import strategies as st

from musebench_tasks.base.records import Item, Kind, MusicTruth, Segment
from musebench_tasks.pages.timeline import make_axis, make_lanes


def test_reference_stands_above_answers_on_one_scale(music_item, truth, answer):
    predicted = [{"start_s": 10.0, "end_s": 20.0, "label": "b"}, {"start_s": 20.0, "end_s": 50.0, "label": "coda"}]
    lanes = make_lanes(music_item, truth.music, [answer(music_item, {"segments": predicted}, system="m")])
    assert [lane.system for lane in lanes] == ["reference", "m"]
    assert [(block.left, block.width) for block in lanes[1].blocks] == [("25.00%", "25.00%"), ("50.00%", "50.00%")]
    assert [block.tint for block in lanes[0].blocks] == [0, 1]
    assert [block.tint for block in lanes[1].blocks] == [1, -1]
    assert lanes[1].description == "m: b, 10 s to 20 s; coda, 20 s to 50 s"


def test_segments_that_are_none_are_left_out(music_item, truth, answer):
    odd = [{"start_s": 5, "end_s": 5}, {"start_s": "x", "end_s": 9}, "A", None, {"start_s": 90, "end_s": 99}]
    lanes = make_lanes(music_item, truth.music, [answer(music_item, {"segments": odd})])
    assert lanes[1].blocks == ()


def test_labels_can_be_read_without_seeing(music_item, truth, render):
    lane = read_page(render(music_item, truth, [])).find("svg", role="img")
    assert lane.attributes["aria-label"] == "reference: A, 0 s to 20 s; B, 20 s to 40 s"


@generate(st.floats(0.01, 20_000))
def test_axes_have_a_readable_number_of_ticks(duration_s):
    item = Item(id="x", benchmark="mub", kind=Kind.MUSIC, duration_s=duration_s, cluster_id="x")
    truth = MusicTruth(segments=(Segment(start_s=0, end_s=duration_s),))
    assert 1 <= len(make_axis(item, truth).ticks) <= 40
