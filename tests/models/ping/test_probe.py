"""The probe clip holds what it says, and survives being encoded."""

import numpy as np
import pytest
from fakes.openai_media import beeps, decoded, number_in

from musebench_tasks.models.ping.arrival import HEIGHT, WIDTH, encode_clip, make_probe
from musebench_tasks.models.ping.wire import film, pictures, pictures_as_video, sound, sound_by_address

PROBE = make_probe(3, 6, 6)


def test_the_same_seed_draws_the_same_probe_and_another_draws_others():
    again, other = make_probe(3, 6, 6), make_probe(4, 6, 6)
    assert again.numbers == PROBE.numbers
    assert np.array_equal(again.frames, PROBE.frames)
    assert not set(other.numbers) & set(PROBE.numbers)


def test_a_shorter_probe_is_the_beginning_of_none():
    assert PROBE.frames.shape == (6, HEIGHT, WIDTH, 3)
    assert PROBE.seconds == 6
    assert len(set(PROBE.numbers)) == 6
    assert make_probe(3, 0, 2).frames.shape[0] == 0


@pytest.mark.parametrize("send", [pictures, pictures_as_video, lambda frames: film(encode_clip(frames))])
def test_numbers_can_be_read_in_every_form_in_which_they_are_sent(send):
    pieces = [decoded(part) for part in send(PROBE.frames).parts]
    assert tuple(number_in(frame) for piece in pieces for frame in piece.frames) == PROBE.numbers


@pytest.mark.parametrize("send", [sound, sound_by_address])
def test_beeps_can_be_counted_in_every_form_in_which_they_are_sent(send):
    for wanted in (0, 3, 6):
        (part,) = send(make_probe(1, 0, 6, beeps=wanted).samples).parts
        piece = decoded(part)
        assert (beeps(piece), piece.seconds) == (wanted, 6)


def test_a_film_holds_pictures_at_its_rate_and_sound():
    piece = decoded(film(encode_clip(PROBE.frames, PROBE.samples[:48_000], frames_per_second=2)).parts[0])
    assert (len(piece.frames), piece.fps, beeps(piece)) == (6, 2, 3)
    assert piece.seconds == pytest.approx(3, abs=0.2)
