"""The scenes of the demonstration: shapes, ranges, the same again, and the primitives that they are drawn with."""

import itertools

import numpy as np
import pytest

from dataset_scripts.musebench.make.plan import read_questions
from dataset_scripts.musebench.make.scenes import SCENES
from dataset_scripts.musebench.make.scenes import sound as synthesis
from dataset_scripts.musebench.make.scenes.canvas import Canvas, Picture
from dataset_scripts.musebench.make.scenes.figure import ARMS_UP, STAND, between, posed, walking
from dataset_scripts.musebench.make.scenes.game.solids import Ball, Column, World, camera_rays, lamp_seen, render
from dataset_scripts.musebench.make.scenes.light import Rig, beam, cast, edge, halo, pool
from dataset_scripts.musebench.make.scenes.motion import follow, pulse, ramp, straight
from dataset_scripts.musebench.make.scenes.scene import HEIGHT, SAMPLE_RATE, WIDTH

CATEGORIES = {"Stage Performing": 5, "Game": 5}


def test_five_scenes_of_each_category_under_their_own_names():
    assert {name: scene.name for name, scene in SCENES.items()} == {name: name for name in SCENES}
    found = [scene.category for scene in SCENES.values()]
    assert {category: found.count(category) for category in found} == CATEGORIES


def test_every_scene_is_asked_about_three_or_four_times():
    asked = [question.clip for question in read_questions()]
    assert all(asked.count(name) in (3, 4) for name in SCENES)


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_pictures_have_the_size_and_change_over_time(scene):
    first, middle = scene.picture(0.0), scene.picture(scene.duration_s / 2)
    for frame in (first, middle):
        assert frame.shape == (HEIGHT, WIDTH, 3)
        assert frame.dtype == np.uint8
        assert frame.std() > 5
    assert np.abs(first.astype(int) - middle).mean() > 1


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_the_sound_lasts_as_long_as_the_pictures_and_keeps_its_range(scene):
    assert 9 <= scene.duration_s <= 14
    assert 12 <= scene.frame_rate <= 24
    samples = scene.sound()
    assert samples.dtype == np.float32
    assert samples.shape == (round(scene.duration_s * SAMPLE_RATE),)
    assert 0.5 < np.abs(samples).max() <= 1
    assert abs(samples[0]) < 0.01
    assert abs(samples[-1]) < 0.01


def test_a_clip_gives_its_first_frames_and_its_rates():
    scene = SCENES["vigil"]
    rendered = scene.render()
    frames = list(itertools.islice(rendered.frames, 2))
    assert (rendered.width, rendered.height, rendered.frame_rate) == (WIDTH, HEIGHT, scene.frame_rate)
    assert np.array_equal(frames[1], scene.picture(1 / scene.frame_rate))
    assert len(rendered.samples) == scene.frame_count * SAMPLE_RATE // scene.frame_rate


@pytest.mark.parametrize("name", ["refuge", "columns", "room"])
def test_the_same_again(name):
    scene = SCENES[name]
    assert np.array_equal(scene.picture(4.2), scene.picture(4.2))
    assert np.array_equal(scene.sound(), scene.sound())


def test_the_follow_spot_stays_when_the_singer_has_gone():
    early, late = (SCENES["vigil"].picture(time).astype(int) for time in (2.0, 8.0))
    floor = (slice(226, 246), slice(300, 320))
    assert early[floor].mean() > 80
    assert late[floor].mean() > 80
    assert SCENES["vigil"].picture(12.5)[floor].mean() < 40


def test_the_landing_is_silent_between_two_steps():
    samples = SCENES["stairs"].sound()
    quiet = samples[int(6.3 * SAMPLE_RATE) : int(7.0 * SAMPLE_RATE)]
    assert np.abs(quiet).max() < 0.01


def test_the_blow_takes_the_colours_and_the_ring_gives_them_back():
    spread = [
        np.ptp(SCENES["wound"].picture(time)[100:200, 200:300].astype(int), axis=-1).mean() for time in (2, 5, 10)
    ]
    assert spread[1] < 0.4 * min(spread[0], spread[2])


def test_a_shape_covers_its_area_and_its_edge_in_part():
    canvas = Canvas()
    canvas.box(10, 10, 20.5, 20, (1, 0.5, 0))
    layer = canvas.layer()
    assert layer.alpha[15, 15] == 1
    assert 0 < layer.alpha[15, 20] < 1
    assert layer.alpha[15, 22] == 0
    assert np.allclose(layer.rgb[15, 20], np.array([1, 128 / 255, 0]) * layer.alpha[15, 20], atol=0.01)


def test_a_camera_moves_and_enlarges():
    canvas = Canvas(zoom=2.0, offset=(100, 50))
    canvas.disc((110, 60), 3, (1, 1, 1))
    rows, columns = np.nonzero(canvas.layer().alpha)
    assert (rows.mean().round(), columns.mean().round()) == (20, 20)
    assert np.ptp(columns) in (11, 12, 13)


def test_light_adds_and_never_leaves_the_range_of_a_frame():
    canvas = Canvas()
    canvas.fill((0.5, 0.5, 0.5))
    picture = Picture()
    picture.put(canvas.layer(), Rig((0.2, 0.2, 0.2)).add(pool((100, 100), 30), (1, 0, 0), 9.0).light)
    picture.glow(halo((100, 100), 20), (1, 1, 1), 5.0)
    frame = picture.frame()
    assert frame[100, 100, 0] == 255
    assert frame[200, 400].tolist() == [26, 26, 26]


def test_pools_beams_edges_and_cast_shadows_lie_where_they_should():
    mask = pool((200, 120), 20)
    assert mask[120, 200] == 1
    assert mask[120, 240] == 0
    light = beam((0, 0), (200, 200), 4, 20)
    assert light[100, 100] > 0.4
    assert light[20, 200] == 0
    body = np.zeros((HEIGHT, WIDTH), np.float32)
    body[100:200, 100:120] = 1
    assert edge(body, 3, 0)[150, 100] > 0.5 > edge(body, 3, 0)[150, 110]
    shadow = cast(body, 200, 0.0, 0.5)
    assert shadow[220, 110] > 0.8
    assert shadow[180, 110] < 0.2


def test_figures_stand_on_the_ground_whatever_their_pose():
    for pose in (STAND, ARMS_UP, walking(0.3), between(STAND, ARMS_UP, 0.5)):
        body = posed(pose, (50, 200), 100)
        assert max(body.near_foot[1], body.far_foot[1]) == pytest.approx(198.2)
        assert body.head[1] < body.hip[1] < 200


def test_a_figure_that_turns_round_is_its_mirror_image():
    right, left = (posed(walking(0.4), (0, 0), 100, facing) for facing in (1, -1))
    assert right.near_hand[0] == pytest.approx(-left.near_hand[0])


def test_keyframes_hold_outside_and_ease_inside():
    keys = [(1.0, 0.0), (2.0, 10.0)]
    assert [follow(keys, time) for time in (0, 1.5, 3)] == [0, 5, 10]
    assert straight(keys, 1.25) == 2.5 > follow(keys, 1.25)
    assert (ramp(0.5, 1, 2), ramp(3, 1, 2)) == (0, 1)
    assert pulse(1.5, 1, 0.2, 0.5, 0.2) == 1


def test_a_column_blocks_the_lamp_behind_it():
    column = Column(0, 5, 0.5, (1, 1, 1))
    world = World(
        (column,),
        (column,),
        (Ball(0, 1, 9, 0.2, (1, 1, 1), 1.0),),
        (0, 1, 9),
        (1, 1, 1),
        3.0,
        (0.1, 0.1, 0.1),
        (0, 0, 0),
        0.01,
        (1, 1, 1),
        20,
    )
    seen = lamp_seen(world, np.array([(0, 0, 1), (3, 0, 8)], np.float32))
    assert seen.tolist() == [0, 1]
    colours = render(world, (0, 1.5, 0), camera_rays((32, 16), 1, 0.0, 0.0, 0.8))
    assert colours.shape == (32 * 16, 3)
    assert np.isfinite(colours).all()


def test_a_tone_has_its_pitch_and_a_filter_keeps_what_is_below():
    tone = synthesis.partials(synthesis.pitch(69), 1.0, (1.0,))
    assert np.argmax(np.abs(np.fft.rfft(tone))) == 440
    mixed = tone + synthesis.partials(4000.0, 1.0, (1.0,))
    assert np.corrcoef(synthesis.low_pass(mixed, 1000), tone)[0, 1] > 0.99


def test_a_track_cuts_what_reaches_beyond_its_end():
    track = synthesis.Track(1.0)
    track.add(0.9, np.ones(SAMPLE_RATE, np.float32))
    assert track.samples.sum() == pytest.approx(SAMPLE_RATE * 0.1)
    assert np.abs(track.finished()).max() <= 0.8
