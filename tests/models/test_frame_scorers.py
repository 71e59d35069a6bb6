"""What tells how well a frame fits a question: a function of the user's, or a CLIP-like checkpoint (MB-59)."""

import numpy as np
import pytest
from fakes.tiny_clip import build_clip

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.media.jpeg import encode_jpeg
from musebench_tasks.models import frame_scorers
from musebench_tasks.models.frame_scorers import AT_ONCE, PythonScorer, SimilarityScorer, frame_scorer

CODE = """
def bright(frames, text):
    assert frames.dtype == "uint8" and frames.ndim == 4
    return frames.mean(axis=(1, 2, 3)) + len(text)

def wrong(frames, text):
    raise RuntimeError("no colours today")
"""


def jpegs(count):
    return [encode_jpeg(np.full((24, 32, 3), number * 3, np.uint8)) for number in range(count)]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "score.py"
    path.write_text(CODE)
    return path


def test_a_function_scores_frames_some_at_a_time(file):
    found = PythonScorer(f"{file}:bright").scores(jpegs(AT_ONCE + 3), "Who?")
    assert found.shape == (AT_ONCE + 3,)
    assert np.argmax(found) == AT_ONCE + 2
    assert found[0] == pytest.approx(4, abs=1)


def test_its_revision_follows_from_its_file_and_name(file):
    bright, wrong = PythonScorer(f"{file}:bright"), PythonScorer(f"{file}:wrong")
    assert bright.revision != wrong.revision
    file.write_text(CODE + "\n")
    assert PythonScorer(f"{file}:bright").revision != bright.revision


def test_what_it_raises_stops_the_run_with_its_words(file):
    with pytest.raises(MuseError, match=r"no colours today.*score.py line 7"):
        PythonScorer(f"{file}:wrong").scores(jpegs(2), "Who?")


def test_a_scorer_that_is_not_there_is_wrong_input(torch, file):
    with pytest.raises(InputError, match="bright"):
        frame_scorer(f"python:{file}:brigt")
    with pytest.raises(InputError, match='frame scorer "transformers:/nowhere": no usable configuration'):
        frame_scorer("transformers:/nowhere")


@pytest.mark.parametrize("kind", ["clip", "siglip"])
def test_a_checkpoint_compares_pictures_with_the_text(torch, tmp_path, kind):
    scorer = SimilarityScorer(str(build_clip(torch, tmp_path, kind)))
    noise = np.random.default_rng(0).integers(0, 256, (5, 40, 60, 3), dtype=np.uint8)
    frames = [encode_jpeg(each) for each in noise]
    found = scorer.scores(frames, "Who sings?")
    assert found.shape == (5,)
    assert np.abs(found).max() <= 1 + 1e-6
    assert len(set(found.tolist())) == 5
    assert np.allclose(scorer.scores(frames[::-1], "Who sings?")[::-1], found, atol=1e-6)
    assert not np.allclose(scorer.scores(frames, "Which key?"), found, atol=1e-6)
    assert scorer.scores(frames, "word " * 200).shape == (5,)
    assert scorer.revision.startswith("sha256:")


def test_a_hub_id_may_be_pinned_and_a_folder_holds_what_it_holds(tmp_path):
    assert frame_scorers._pinned("org/clip") == ("org/clip", None)
    assert frame_scorers._pinned("org/clip@0123abc") == ("org/clip", "0123abc")
    folder = tmp_path / "clip@home"
    folder.mkdir()
    assert frame_scorers._pinned(str(folder)) == (str(folder), None)


def test_pictures_are_read_once_for_all_questions_about_them(torch, tmp_path, monkeypatch):
    scorer = SimilarityScorer(str(build_clip(torch, tmp_path)))
    frames = jpegs(4)
    first = scorer.scores(frames, "Who sings?")
    monkeypatch.setattr(frame_scorers, "_batches", lambda jpegs: pytest.fail("read again"))
    assert np.array_equal(scorer.scores(frames, "Who sings?"), first)


def test_a_checkpoint_that_compares_nothing_is_wrong_input(torch, tiny_qwen2_audio):
    with pytest.raises(InputError, match="CLIP or SigLIP"):
        SimilarityScorer(str(tiny_qwen2_audio))
