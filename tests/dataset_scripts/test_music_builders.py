"""The builder of hummusqa_demo: what a question rests on holds, and a rebuild sounds the same."""

import os
from pathlib import Path

import pytest

pytest.importorskip("music21", reason="the tunes are read from music21's corpus (pip install music21)")
pytest.importorskip("tinysoundfont", reason="tunes are rendered with it (pip install --no-deps tinysoundfont)")

from dataset_scripts.hummusqa.demo.build import QUESTIONS, check_facts, look_up
from dataset_scripts.hummusqa.demo.build import main as build_hummusqa

SOUNDFONT = Path(os.environ.get("MUSEBENCH_SOUNDFONT", "/usr/share/sounds/sf2/FluidR3_GM.sf2"))


def test_a_question_whose_reason_does_not_hold_is_refused():
    question = {"question": "How many beats?", "because": {"truth.time_signature": "3/4", "form.1": "A"}}
    check_facts(question, {"truth": {"time_signature": "3/4"}, "form": ["intro", "A"]})
    with pytest.raises(SystemExit, match=f"{QUESTIONS.name}.*truth.time_signature is '6/8', not '3/4'"):
        check_facts(question, {"truth": {"time_signature": "6/8"}, "form": ["intro", "A"]})
    assert look_up({"a": [{"b": 1}]}, "a.0.b") == 1


@pytest.mark.slow
@pytest.mark.skipif(not SOUNDFONT.is_file(), reason="needs FluidR3_GM.sf2; set MUSEBENCH_SOUNDFONT")
def test_a_rebuild_decodes_to_the_same_samples(capsys):
    assert build_hummusqa(["--soundfont", str(SOUNDFONT), "--check"]) == 0
    assert "alike" in capsys.readouterr().out
