"""The builder of hummusqa_demo: what a question rests on holds, and a rebuild sounds the same."""

import os
import re
import shutil
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("music21", reason="the tunes are read from music21's corpus (pip install music21)")
pytest.importorskip("tinysoundfont", reason="tunes are rendered with it (pip install --no-deps tinysoundfont)")

from dataset_scripts.hummusqa.make import build
from dataset_scripts.hummusqa.make.build import main as build_hummusqa
from dataset_scripts.hummusqa.make.build import read_questions
from dataset_scripts.hummusqa.make.facts import check_reasons, facts, look_up
from dataset_scripts.hummusqa.make.plan import EXCERPTS
from dataset_scripts.hummusqa.make.score import Excerpt, Passage, Piece, Voice, numerals
from dataset_scripts.hummusqa.make.timing import make_clock
from dataset_scripts.hummusqa.make.voices import events
from dataset_scripts.mub.make.tunes import Note, Source, Tune
from musebench_tasks.values import PitchKey

SOUNDFONT = Path(os.environ.get("MUSEBENCH_SOUNDFONT", "/usr/share/sounds/sf2/FluidR3_GM.sf2"))


FLUTE = Voice("flute")


def piece(*passages, groove="", bpm="60"):
    """Four bars of 4/4 twice: quarters C D E F."""
    notes = tuple(Note(Fraction(place), Fraction(1), (72 + (0, 2, 4, 5)[place % 4],)) for place in range(16))
    tune = Tune(Source("oneills1850/0001-0050.abc", 1, "Air", PitchKey(0, "major"), "4/4"), (notes, notes), (4, 4))
    return Piece(Excerpt("air", ("oneills1850/0001-0050.abc", 1), 0, bpm, passages, groove), tune)


def melody(piece):
    return [event for event in events(piece) if "melody" in event.stem]


def pitches(piece, count=4):
    return [event.pitch for event in melody(piece)][:count]


def test_a_passage_can_move_and_change_its_mode():
    assert pitches(piece(Passage("A", (FLUTE,)))) == [72, 74, 76, 77]
    assert pitches(piece(Passage("A", (FLUTE,), shift=3))) == [75, 77, 79, 80]
    assert pitches(piece(Passage("A", (FLUTE,), mode="minor"))) == [72, 74, 75, 77]
    assert pitches(piece(Passage("A", (FLUTE._replace(steps=-2),)))) == [69, 71, 72, 74]


def test_a_canon_follows_by_its_delay():
    follower = Voice("bassoon", octave=-2, delay=Fraction(8))
    both = melody(piece(Passage("A", (FLUTE, follower)), Passage("", (), (0, 2))))
    first = [event.start_s for event in both if event.program == 73]
    second = [event.start_s for event in both if event.program == 70]
    assert second == [start + 8 for start in first]


def test_a_groove_delays_the_second_eighth():
    assert make_clock(piece(Passage("A", (FLUTE,)), groove="dotted")).seconds(Fraction(5, 2)) == Fraction(11, 4)
    assert make_clock(piece(Passage("A", (FLUTE,)), groove="swing")).seconds(Fraction(5, 2)) == Fraction(8, 3)


def test_rubato_holds_back_the_end_of_each_phrase():
    clock = make_clock(piece(Passage("A", (FLUTE,), rubato=Fraction(1, 4)), Passage("A", (FLUTE,), speed=Fraction(2))))
    lasting = [clock.beats[number + 1].start_s - clock.beats[number].start_s for number in range(16)]
    assert lasting[:8] == [Fraction(7, 8)] * 8
    assert all(later > earlier for earlier, later in pairwise(lasting[8:16]))
    assert clock.beats[16].pace == Fraction(1, 2)


def test_a_bar_may_change_its_chord_in_the_middle():
    bass = Voice("double bass", "held bass")
    plan = piece(Passage("A", (bass,), chords=numerals("I-V I I V-I")))
    assert [event.pitch for event in events(plan)] == [36, 43, 36, 36, 43, 36]


def test_ornaments_start_with_the_written_note():
    plain, decorated = (piece(Passage("A", (FLUTE._replace(ornament=name),))) for name in ("", "mordents"))
    assert pitches(decorated, 3) == [72, 74, 72]
    assert {event.start_s for event in melody(plain)} <= {event.start_s for event in melody(decorated)}


def test_a_question_whose_reason_does_not_hold_is_refused():
    question = {"question": "How many beats?", "because": {"metre": "3/4", "form.1": "A"}}
    check_reasons(question, {"metre": "3/4", "form": ["B", "A"]}, "questions")
    with pytest.raises(SystemExit, match="questions.*metre is '6/8', not '3/4'"):
        check_reasons(question, {"metre": "6/8", "form": ["B", "A"]}, "questions")
    with pytest.raises(SystemExit, match="nothing under `because`"):
        check_reasons({"question": "Why?", "because": {}}, {}, "questions")
    assert look_up({"a": [{"b": 1}]}, "a.0.b") == 1


def test_facts_tell_what_was_played():
    told = facts(piece(Passage("A", (FLUTE,)), Passage("B", (FLUTE,), level_db=-6)))
    assert (told["key"], told["metre"], told["form"], told["instruments"]) == ("C major", "4/4", ["A", "B"], ["flute"])
    assert told["melody"]["A"]["opening_semitones"] == [2, 2, 1, -5]
    assert told["passages"][1]["level_db"] == [-6, -6]
    assert (told["passages"][1]["start_s"], told["passages"][1]["end_s"]) == (16, 32.8)


def test_facts_tell_where_accompaniments_strike():
    bass, drums = Voice("double bass", "habanera"), Voice("drums", "rock")
    told = facts(piece(Passage("A", (FLUTE, bass, drums), rubato=Fraction(1, 4))))
    assert told["strokes"]["habanera"] == ["root 0 to 3/5, fifth 3/4 to 19/20, octave 1 to 7/5, fifth 3/2 to 19/10"] * 2
    assert told["strokes"]["rock"]["bass drum"] == "0 2 5/2"
    assert told["passages"][0]["outer_pitches"] == ["72-72, 77-77", "36-36, 43-43", ""]
    lasting = told["passages"][0]["bar_s"]
    assert lasting[:2] == [3.5, 3.5]
    assert lasting[1] < lasting[2] < lasting[3]


def test_facts_tell_which_bars_are_alike():
    told = facts(piece(Passage("A", (FLUTE,))))
    assert told["bars_alike"] == told["melody"]["A"]["opening_bar_at"] == [1, 2, 3, 4]
    assert told["melody"]["A"]["lowest"] == [1, 5, 9, 13]
    assert told["melody"]["A"]["bar_quarters"] == ["1 1 1 1"] * 4


def test_rows_are_written_anew_with_the_sounds_as_built(tmp_path, monkeypatch):
    """The committed rows and manifest are what the questions, the facts and the built sounds make."""
    repository, manifest = tmp_path / "hummusqa_demo", tmp_path / "manifest.json"
    shutil.copytree(build.REPOSITORY, repository)
    shutil.copy(build.MANIFEST, manifest)
    monkeypatch.setattr(build, "REPOSITORY", repository)
    monkeypatch.setattr(build, "MANIFEST", manifest)
    before = rows_of(repository), manifest.read_text(encoding="utf-8")
    assert build_hummusqa(["--questions"]) == 0
    assert (rows_of(repository), manifest.read_text(encoding="utf-8")) == before
    manifest.write_text(re.sub(r'"pcm_sha256": ".', '"pcm_sha256": "x', before[1]), encoding="utf-8")
    with pytest.raises(SystemExit, match="not the sound of the manifest"):
        build_hummusqa(["--questions"])


def rows_of(repository):
    return pq.read_table(repository / "default").to_pylist()


def test_every_excerpt_has_a_question():
    assert {question["excerpt"] for question in read_questions()} == {excerpt.name for excerpt in EXCERPTS}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs espeak-ng for the spoken words")
@pytest.mark.skipif(not SOUNDFONT.is_file(), reason="needs FluidR3_GM.sf2; set MUSEBENCH_SOUNDFONT")
def test_a_rebuild_decodes_to_the_same_samples(capsys):
    assert build_hummusqa(["--soundfont", str(SOUNDFONT), "--check"]) == 0
    assert "alike" in capsys.readouterr().out
