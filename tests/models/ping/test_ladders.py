"""From one picture or second to many: what a good server and each of the bad ones make of it, found end to end."""

import pytest

from musebench_tasks.models.openai_chat import read_traits
from musebench_tasks.models.ping.arrival import make_probe
from musebench_tasks.models.ping.findings import Shape, State
from musebench_tasks.models.ping.ladders import ADDRESS, CLIP, FRAMES, SOUND, VIDEO, amounts, arrival_finding, climb

MOST_FRAMES, MOST_SECONDS = 16, 40
PROBE = make_probe(5, MOST_FRAMES, MOST_SECONDS)
EVERY_WAY = (FRAMES, VIDEO, CLIP, SOUND, ADDRESS)
VISUAL = frozenset({"image_url", "video_url"})
PIXELS = 448 * 336


@pytest.fixture
def climbed(wire):
    def climbed(way, is_used=True, server=None, **settings):
        ladder, answer = climb(wire(**settings), way, PROBE, MOST_SECONDS if way.is_sound else MOST_FRAMES)
        return ladder, arrival_finding(ladder, answer, way, PROBE, is_used=is_used, server=server)

    return climbed


def test_amounts_double_up_to_the_largest():
    assert amounts(1) == (1,)
    assert amounts(8) == (1, 2, 4, 8)
    assert amounts(60) == (1, 2, 4, 8, 16, 32, 60)
    assert (amounts(8, 2), amounts(1, 2)) == ((2, 4, 8), (1,))


@pytest.mark.parametrize("way", EVERY_WAY, ids=[way.name for way in EVERY_WAY])
def test_a_good_server_gets_all(climbed, way):
    ladder, finding = climbed(way)
    assert (finding.state, finding.advice, ladder.growth.shape) == (State.OK, None, Shape.EVEN)
    if way.is_sound:
        assert finding.told == "all 40 s arrive: 25 tokens a second, 40 of 40 beeps counted"
    else:
        assert finding.told == "all 16 pictures arrive: 192 tokens each, 16 of 16 read"


WARNED = [
    (FRAMES, {"keeps_pictures": 6}, "of 16 pictures about 6 arrive: tokens grow evenly up to 4, then less; the first 6 "
     "read", "--max-frames 6"),
    (FRAMES, {"spreads_pictures": 8}, "of 16 pictures about 8 arrive: tokens grow evenly up to 8, then less; 8 of 16 "
     "read", "--max-frames 8"),
    (CLIP, {"spreads_pictures": 8}, "of 16 pictures about 8 arrive", "video_as: frames"),
    (FRAMES, {"spreads_pictures": 1}, "of 16 pictures about 1 arrive: as many tokens for one as for all", "-frames"),
    (FRAMES, {"keeps_pictures": 6, "counts_tokens": False}, "of 16 pictures about 6 arrive: the first 6 read", "6"),
    (FRAMES, {"keeps_pictures": 0}, "nothing arrives: prompts have as many tokens with 16 pictures as without, none "
     "read", "a model that takes pictures"),
    (FRAMES, {"pixel_budget": 6 * PIXELS}, "all 16 pictures arrive, but with fewer tokens: 192 tokens each up to 4",
     "--max-frames 4"),
    (SOUND, {"most_seconds": 30}, "of 40 s about 30 s arrive: tokens grow evenly up to 16, then less; 30 of 40 beeps "
     "counted", "{max_audio_s: 30}"),
    (SOUND, {"hears_seconds": 30}, "all 40 s arrive: 25 tokens a second, 30 of 40 beeps counted, and as many in 30 s: "
     "sound is cut before the model hears it", "{max_audio_s: 30}"),
    (SOUND, {"most_seconds": 0}, "nothing arrives: prompts have as many tokens with 40 s as without", "that hears"),
    (SOUND, {"takes": VISUAL}, "not taken: HTTP 400: Unknown part type: input_audio", "{modalities: [video]}"),
    (FRAMES, {"most_pictures": 6}, "all 4 pictures arrive: 192 tokens each, 4 of 4 read; 8 pictures are refused: "
     "HTTP 400: At most 6 image(s) may be provided in one prompt", "--max-frames 4"),
]  # fmt: skip


@pytest.mark.parametrize(("way", "settings", "told", "advised"), WARNED, ids=[str(each[1]) for each in WARNED])
def test_what_would_change_scores_is_warned_of(climbed, way, settings, told, advised):
    _, finding = climbed(way, **settings)
    assert finding.state is State.WARN
    assert finding.told.startswith(told)
    assert advised in finding.advice


@pytest.mark.parametrize(
    ("way", "settings"),
    [(CLIP, {"spreads_pictures": 8}), (ADDRESS, {"takes": VISUAL}), (VIDEO, {"takes_pictures_as_video": False})],
)
def test_a_way_that_no_run_uses_is_noted_only(climbed, way, settings):
    _, finding = climbed(way, is_used=False, **settings)
    assert (finding.state, finding.advice) == (State.NOTE, None)


@pytest.mark.parametrize("settings", [{"piece_s": 30}, {"counts_tokens": False}, {"counts_media": False}])
def test_what_is_told_in_full_arrives_however_it_is_counted(climbed, settings):
    assert climbed(SOUND, **settings)[1].state is State.OK
    if "piece_s" not in settings:
        assert climbed(FRAMES, **settings)[1].state is State.OK


def test_what_neither_tokens_nor_the_model_tell_is_not_known(climbed):
    for way in (FRAMES, SOUND):
        _, finding = climbed(way, can_read=False, counts_tokens=False)
        assert finding.state is State.NOTE
        assert "cannot be told" in finding.told


def test_a_model_that_cannot_read_is_no_sign_of_loss_where_tokens_grow(climbed):
    assert climbed(SOUND, can_read=False)[1].state is State.OK
    _, finding = climbed(FRAMES, can_read=False)
    assert (finding.state, finding.advice) == (State.NOTE, None)
    assert finding.told == (
        "all 16 pictures arrive: 192 tokens each, none read: the model cannot read them, or sees others"
    )


def test_media_are_sent_as_a_run_sends_them_to_this_server(server, wire):
    traits = read_traits("vllm").model_copy(update={"processor_fps": True, "extra": {"top_k": 1}})
    climb(wire(traits), VIDEO, PROBE, 2)
    body = server.requests[-1]["body"]
    (part, _) = body["messages"][0]["content"]
    assert part["video_url"]["url"].startswith("data:video/jpeg;base64,")
    assert len(part["uuid"]) == 64
    assert body["media_io_kwargs"]["video"] == {
        "num_frames": -1, "fps": 1.0, "frames_indices": [0, 1], "total_num_frames": 2,
    }  # fmt: skip
    assert (body["mm_processor_kwargs"], body["top_k"]) == ({"fps": 1.0}, 1)
    assert "max_completion_tokens" in body


def test_flags_are_those_of_the_server(climbed):
    _, of_vllm = climbed(FRAMES, server="vllm", most_pictures=6)
    _, of_sglang = climbed(FRAMES, server="sglang", most_pictures=6)
    assert "--limit-mm-per-prompt" in of_vllm.advice
    assert "--limit-mm-data-per-request" in of_sglang.advice
    assert of_vllm.advice.endswith("Or give run --max-frames 4.")
