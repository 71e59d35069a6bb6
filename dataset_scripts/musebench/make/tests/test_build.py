"""The builder of musebench_demo: rows follow from questions and manifest, clips decode to what the manifest says."""

from itertools import pairwise

import pyarrow.parquet as pq
import pytest

from dataset_scripts.musebench.make.build import differences, with_scenes
from dataset_scripts.musebench.make.manifest import FilmClip, SceneClip, read_manifest
from dataset_scripts.musebench.make.plan import make_rows, read_questions
from musebench_tasks.assembly.video import clip_facts
from musebench_tasks.base.resources import demo_directory

MANIFEST = read_manifest()
QUESTIONS = read_questions()
CLIPS = pytest.mark.parametrize("clip", MANIFEST.clips, ids=lambda clip: clip.name)


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return pq.read_table(demo_directory("musebench") / "default").to_pylist()


@pytest.fixture(scope="module")
def media(rows) -> dict[str, bytes]:
    return {row["cluster_id"]: row["video"]["bytes"] for row in rows}


def test_film_is_cinematic_pictures_static_and_scenes_the_rest(rows):
    categories = {row["cluster_id"]: row["category"] for row in rows}
    for clip in MANIFEST.clips:
        if isinstance(clip, SceneClip):
            assert categories[clip.id] == clip.category
        else:
            assert categories[clip.id] == ("Cinematic" if isinstance(clip, FilmClip) else "Static Visual")


def test_the_built_rows_are_those_of_the_questions_and_the_manifest(rows, media):
    by_name = {clip.name: media[clip.id] for clip in MANIFEST.clips}
    made = {row["id"]: row for row in make_rows(MANIFEST, QUESTIONS, by_name)}
    assert made == {row["id"]: row for row in rows}
    assert {question.clip for question in QUESTIONS} == set(by_name)


def test_the_manifest_holds_every_scene_that_can_be_drawn():
    planned = [clip.model_dump(include={"name", "category", "duration_s"}) for clip in with_scenes(MANIFEST).clips]
    assert planned == [clip.model_dump(include={"name", "category", "duration_s"}) for clip in MANIFEST.clips]


@CLIPS
def test_decoded_pictures_and_sound_agree_with_the_manifest(media, clip):
    encoded = media[clip.id]
    assert differences(clip, MANIFEST.described(clip, encoded, clip_facts(encoded))) == []


@CLIPS
def test_clips_have_sound_of_the_length_of_their_pictures(clip):
    facts = clip.facts
    assert 8 <= facts.duration_s <= 20
    assert 0 <= facts.samples / facts.sample_rate - facts.duration_s < 1024 / facts.sample_rate


def test_film_clips_have_every_frame_of_their_windows_and_do_not_overlap():
    film = [clip for clip in MANIFEST.clips if isinstance(clip, FilmClip)]
    assert all(clip.facts.frames == clip.end_frame - clip.first_frame for clip in film)
    assert all(before.end_frame <= after.first_frame for before, after in pairwise(film))
