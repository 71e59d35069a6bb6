"""Sheets with media become repos that load; what is wrong comes back by row, and nothing else is written."""

import csv
import io
import json
import wave

import av
import datasets
import numpy as np
import pyarrow.parquet as pq
import pytest
from fakes.media_faults import make_fault
from PIL import Image

from musebench_tasks.assembly import encode_audio
from musebench_tasks.assembly.demos import build_demo, is_demo
from musebench_tasks.assembly.making import BuildSettings, build_dataset
from musebench_tasks.assembly.medium import MediaSettings
from musebench_tasks.assembly.video import ClipEncoding, encode_clip
from musebench_tasks.errors import InputError
from musebench_tasks.items import load_items, load_references
from musebench_tasks.records import Modality, TaskConfig
from musebench_tasks.resources import demo_directory
from musebench_tasks.tasks import load_task

RATE = 8_000


def tone(hertz, seconds=3.0, rate=RATE):
    return (0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def write_wav(path, samples, rate=RATE):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((samples * 32767).astype("<i2").tobytes())


def write_csv(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)


def question(number, file, **changes):
    wrong = {"wrong a": "It falls", "wrong b": "It stays"}
    row = {"nr": number, "file": file, "asks": "Where does it go?", "right": "It rises", **wrong, "from": "", "to": ""}
    return row | changes


TASK = TaskConfig.model_validate(
    {
        "task": "listening",
        "dataset_path": "nowhere",
        "columns": {
            "id": "nr", "media": "file", "question": "asks", "answer": "right",
            "distractors": ["wrong a", "wrong b"], "start_s": "from", "end_s": "to",
        },
        "protocol": {"media": ["audio"]},
        "metric_list": [{"metric": "accuracy"}],
        "metadata": {"version": 1.0, "headline": "accuracy"},
    }
)  # fmt: skip
ABOUT = "pretty_name: Listening\nlicense: CC0-1.0\ncreators: [We]\n"


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    for name, hertz in {"low": 220, "high": 880}.items():
        write_wav(folder / "sounds" / f"{name}.wav", tone(hertz))
    (folder / "about.yaml").write_text(ABOUT, encoding="utf-8")
    rows = [question("q1", "sounds/low.wav"), question("q2", "sounds/high.wav", **{"from": "0:01", "to": "0:02"}),
            question("q3", "sounds/low.wav", asks="And now?")]  # fmt: skip
    write_csv(folder / "questions.csv", rows)
    return folder


def opened(directory):
    return TASK.model_copy(update={"dataset_path": str(directory), "columns": type(TASK.columns)()})


def test_a_sheet_becomes_a_repo_that_loads_in_every_config(source, tmp_path):
    built = build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    assert (built.rows, built.media, built.version) == (3, 2, "1.0")
    for config, columns in {"default": 17, "blind": 16, "references": 2}.items():
        loaded = datasets.load_dataset(
            str(built.directory), config, split="test", cache_dir=str(tmp_path / "cache" / config)
        )
        assert (loaded.num_rows, len(loaded.features)) == (3, columns)
    items = {item.id: item for item in load_items(opened(built.directory)).items}
    assert (items["q2"].start_s, items["q2"].end_s, items["q1"].end_s) == (1.0, 2.0, 3.0)
    assert items["q1"].cluster_id == items["q3"].cluster_id != items["q2"].cluster_id
    reference = load_references(opened(built.directory)).references["q1"]
    assert [option.text for option in items["q1"].options if option.id in reference.answer] == ["It rises"]
    assert load_items(opened(built.directory)).data_sha256 == built.data_sha256


def test_a_task_says_which_rows_how_options_are_written_and_where_media_lie(source, tmp_path):
    rows = [
        {"track": name, "asks": "Which?", "choices": "A. flute; B. oboe; C. horn", "right": "B", "part": part}
        for name, part in (("low", "music"), ("high", "speech"), ("none", "music"))
    ]
    write_csv(source / "questions.csv", rows)
    changes = {
        "columns": {"id": "track", "media": "sounds/{track}.wav", "question": "asks", "options": "choices",
                    "answer": "right"},
        "cells": {"option_labels": True, "option_separator": ";"},
        "rows": {"part": "music"},
        "exclude": ["none"],
    }  # fmt: skip
    task = TaskConfig.model_validate(TASK.model_dump(mode="json") | changes)
    built = build_dataset(source, tmp_path / "listening", task, BuildSettings())
    (item,) = load_items(opened(built.directory)).items
    assert (item.id, [option.text for option in item.options]) == ("low", ["flute", "oboe", "horn"])
    assert load_references(opened(built.directory)).references["low"].answer == (item.options[1].id,)


def test_media_are_named_after_ids_and_stored_once(source, tmp_path):
    build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    cells = pq.read_table(next((tmp_path / "listening" / "blind").iterdir()), columns=["audio"])["audio"].to_pylist()
    assert [cell["path"] for cell in cells] == ["q1.wav", "q2.wav", "q1.wav"]
    assert cells[0]["bytes"] == cells[2]["bytes"]


@pytest.mark.slow
def test_streaming_gives_the_first_row(source, tmp_path):
    build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    stream = datasets.load_dataset(str(tmp_path / "listening"), split="test", streaming=True)
    row = next(iter(stream))
    assert (row["id"], row["audio"]["path"]) == ("q1", "q1.wav")
    assert row["audio"]["bytes"]


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_same_sheet_gives_the_same_bytes(source, tmp_path, processes):
    first = build_dataset(source, tmp_path / "one", TASK, BuildSettings())
    second = build_dataset(source, tmp_path / "two", TASK, BuildSettings(processes=processes))
    assert (first.data_sha256, first.references_sha256) == (second.data_sha256, second.references_sha256)
    for path in sorted(first.directory.rglob("*.*")):
        assert path.read_bytes() == (second.directory / path.relative_to(first.directory)).read_bytes()


def test_a_window_can_be_cut_out(source, tmp_path):
    built = build_dataset(source, tmp_path / "cut", TASK, BuildSettings(media=MediaSettings(cut=True)))
    rows = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    by_id = {row["id"]: row for row in rows}
    assert (by_id["q2"]["start_s"], by_id["q2"]["end_s"]) == (0.0, 1.0)
    with av.open(io.BytesIO(by_id["q2"]["audio"]["bytes"])) as container:
        samples = sum(frame.samples for frame in container.decode(audio=0))
    assert abs(samples / RATE - 1.0) < 0.2


def test_faulty_rows_come_back_as_a_sheet_and_nothing_is_built(source, tmp_path):
    rows = [
        question("q1", "sounds/low.wav"),
        question("q2", "sounds/none.wav", **{"wrong b": "it falls."}),
        question("q3", "sounds/low.wav", **{"from": "0:01", "to": "0:09"}),
        question("q4", "../secret.wav"),
        question("q1", "sounds/high.wav"),
    ]
    write_csv(source / "questions.csv", rows)
    (source / "sounds" / "page.wav").write_text("<!DOCTYPE html>", encoding="utf-8")
    with pytest.raises(InputError, match='row 2, column "file": no file "sounds/none.wav"') as caught:
        build_dataset(source, tmp_path / "out" / "listening", TASK, BuildSettings())
    assert "out/listening.errors.csv: 4 of 5 rows" in str(caught.value)
    sheet = list(csv.DictReader((tmp_path / "out" / "listening.errors.csv").open(encoding="utf-8")))
    assert [row["row"] for row in sheet] == ["2", "3", "4", "5"]
    assert "same option" in sheet[0]["problem"]
    assert "ends after the file's 3 s" in sheet[1]["problem"]
    assert "leaves the folder" in sheet[2]["problem"]
    assert sheet[0]["asks"] == "Where does it go?"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["listening.errors.csv"]


def test_the_sheet_of_errors_goes_when_nothing_is_wrong(source, tmp_path):
    errors = tmp_path / "listening.errors.csv"
    errors.write_text("old", encoding="utf-8")
    build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    assert not errors.exists()


def test_an_unreadable_medium_is_blamed_on_its_rows(source, tmp_path):
    (source / "sounds" / "low.wav").write_text("<!DOCTYPE html>", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        build_dataset(source, tmp_path / "listening", TASK, BuildSettings())
    lines = [line for line in str(caught.value).splitlines() if "not_media" in line]
    assert [line.split(":")[0] for line in lines] == [
        f'source/questions.csv row {number}, column "file"' for number in (1, 3)
    ]


def test_rights_must_be_said_somewhere(source, tmp_path):
    (source / "about.yaml").write_text("creators: [We]", encoding="utf-8")
    with pytest.raises(InputError, match=r'row 1, column "license": is empty. Map a column'):
        build_dataset(source, tmp_path / "listening", TASK, BuildSettings())


def test_what_is_there_is_replaced_only_when_asked(source, tmp_path):
    directory = tmp_path / "listening"
    build_dataset(source, directory, TASK, BuildSettings())
    (directory / "errata.yaml").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="Add --force"):
        build_dataset(source, directory, TASK, BuildSettings())
    built = build_dataset(source, directory, TASK, BuildSettings(force=True, version="2.0"))
    assert built.version == "2.0"
    assert (directory / "errata.yaml").read_text(encoding="utf-8") == "[]"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letters.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="no dataset repo"):
        build_dataset(source, tmp_path / "other", TASK, BuildSettings(force=True))


def musebench_row(name, file, **changes):
    base = {
        "id": name, "video": file, "category": "Cinematic", "subdomain": "Cinematography", "alignment": "visual",
        "question": "How does the brightness of the picture change, and what does it do?", "core_intent": "light",
        "correct_1": "It grows, so the end feels open", "distractor_1": "It sinks, so the end feels shut",
        "distractor_2": "It holds, so the end feels calm", "distractor_3": "It blinks, so the end feels raw",
        "strategy_1": "factual error", "strategy_2": "over-simplification", "strategy_3": "technical misread",
    }  # fmt: skip
    return base | changes


@pytest.fixture(scope="module")
def film():
    frames = [np.full((48, 64, 3), 20 + 10 * number, dtype=np.uint8) for number in range(20)]
    return encode_clip(frames, 10, tone(440, 2.0, 44_100), 44_100, ClipEncoding(width=64, height=48, crf=30))


def tagged(film, **tags):
    """The same film with tags in its container."""
    made = io.BytesIO()
    with av.open(io.BytesIO(film)) as old, av.open(made, "w", format="mp4") as new:
        streams = {stream.index: new.add_stream_from_template(stream) for stream in old.streams}
        new.metadata.update(tags)
        for packet in old.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                new.mux(packet)
    return made.getvalue()


def test_a_spreadsheet_of_musebench_with_options_in_columns(film, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "Some Film.mp4").write_bytes(tagged(film, title="Some Film"))
    (source / "about.yaml").write_text(ABOUT, encoding="utf-8")
    multi = musebench_row("b2", "Some Film.mp4", correct_2="It starts low, so the start feels close")
    write_csv(source / "sheet.tsv", [musebench_row("b1", "Some Film.mp4") | {"correct_2": ""}, multi])
    built = build_dataset(source, tmp_path / "musebench_trial", "musebench", BuildSettings())
    rows = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    assert [(row["kind"], len(row["options"]), row["end_s"]) for row in rows] == [("single", 4, 2.0), ("multi", 5, 2.0)]
    assert rows[0]["correct_answer"] == ["It grows, so the end feels open"]
    assert {row["video"]["path"] for row in rows} == {"b1.mp4"}
    assert b"Some Film" not in rows[0]["video"]["bytes"]
    with av.open(io.BytesIO(rows[0]["video"]["bytes"])) as container:
        assert len(list(container.decode(video=0))) == 20


def test_a_file_without_tags_can_stay_as_it_is(film, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "plain.mp4").write_bytes(film)
    (source / "about.yaml").write_text(ABOUT, encoding="utf-8")
    write_csv(source / "sheet.csv", [musebench_row("b1", "plain.mp4")])
    kept = BuildSettings(media=MediaSettings(mode="keep"))
    built = build_dataset(source, tmp_path / "musebench_trial", "musebench", kept)
    assert pq.read_table(next((built.directory / "default").iterdir()))["video"][0].as_py()["bytes"] == film


def test_the_window_of_a_film_is_cut_to_the_frame(film, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "plain.mp4").write_bytes(film)
    (source / "about.yaml").write_text(ABOUT, encoding="utf-8")
    windows = [
        musebench_row(f"b{number}", "plain.mp4", start_s=str(number), end_s=str(number + 1)) for number in (0, 1)
    ]
    write_csv(source / "sheet.csv", windows)
    cut = BuildSettings(media=MediaSettings(cut=True))
    built = build_dataset(source, tmp_path / "musebench_trial", "musebench", cut)
    for row in pq.read_table(next((built.directory / "default").iterdir())).to_pylist():
        assert (row["video"]["path"], row["start_s"], row["end_s"]) == (f"{row['id']}.mp4", 0.0, 1.0)
        with av.open(io.BytesIO(row["video"]["bytes"])) as container:
            brightness = [frame.to_ndarray(format="gray").mean() for frame in container.decode(video=0)]
        first = 20 if row["id"] == "b0" else 120
        assert brightness == pytest.approx([first + 10 * number for number in range(10)], abs=6)


@pytest.mark.skipif(
    not hasattr(av.video.stream.VideoStream, "set_display_rotation"), reason="this PyAV writes no matrix"
)
def test_a_turned_film_is_set_upright(tmp_path):
    (tmp_path / "source").mkdir()
    turned = make_fault("m05_rotate90.mp4", tmp_path / "source")
    with av.open(str(turned)) as container:
        width, height = (getattr(container.streams.video[0], name) for name in ("width", "height"))
    (tmp_path / "source" / "about.yaml").write_text(ABOUT, encoding="utf-8")
    write_csv(tmp_path / "source" / "sheet.csv", [musebench_row("b1", turned.name)])
    built = build_dataset(tmp_path / "source", tmp_path / "musebench_trial", "musebench", BuildSettings())
    made = pq.read_table(next((built.directory / "default").iterdir()))["video"][0].as_py()["bytes"]
    with av.open(io.BytesIO(made)) as container:
        frame = next(container.decode(video=0))
    assert (frame.width, frame.height, frame.rotation) == (height, width, 0)


def test_pictures_go_in_without_what_cameras_note(tmp_path):
    (tmp_path / "source").mkdir()
    exif = Image.Exif()
    exif[0x010E] = "A famous painting"
    Image.new("RGB", (64, 48), "teal").save(tmp_path / "source" / "p.jpg", exif=exif)
    (tmp_path / "source" / "about.yaml").write_text(ABOUT, encoding="utf-8")
    write_csv(tmp_path / "source" / "sheet.csv", [question("q1", "p.jpg")])
    task = TASK.model_copy(update={"protocol": TASK.protocol.model_copy(update={"media": (Modality.VIDEO,)})})
    built = build_dataset(tmp_path / "source", tmp_path / "pictures", task, BuildSettings())
    (row,) = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    assert (row["video"]["path"], row["end_s"]) == ("q1.png", None)
    assert b"painting" not in row["video"]["bytes"]


def test_musebench_rows_are_held_to_the_rules_on_items(film, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "plain.mp4").write_bytes(film)
    (source / "about.yaml").write_text(ABOUT, encoding="utf-8")
    rows = [
        musebench_row("b1", "plain.mp4", subdomain="Cinematografy"),
        musebench_row("b2", "plain.mp4", distractor_3=""),
        musebench_row("b3", "plain.mp4", distractor_3="", strategy_3=""),
    ]
    write_csv(source / "sheet.csv", rows)
    with pytest.raises(InputError) as caught:
        build_dataset(source, tmp_path / "musebench_trial", "musebench", BuildSettings())
    told = str(caught.value)
    assert 'row 1, column "subdomain": "Cinematografy"' in told
    assert "Cinematography" in told
    assert 'row 2, column "strategy_1": 3 strategies for 2 wrong options' in told
    assert 'row 3, column "correct_1/distractor_1/distractor_2/distractor_3": 3 options' in told


def hummusqa_cells(name, **changes):
    base = {
        "identifier": name, "question": "Which register leads in the excerpt?", "answer": "The low register",
        "distractor_1": "The high register", "distractor_2": "The middle register", "distractor_3": "All registers",
        "main_category": "Melody", "secondary_categories": "", "difficulty": "Low", "excerpt_start_time": "00:05",
        "excerpt_end_time": "00:36", "song_link": "", "jamendo_id": "17", "song_name": "Air", "artist_name": "Nobody",
        "album_name": "Airs", "song_license_url": "https://creativecommons.org/licenses/by/4.0/",
    }  # fmt: skip
    return base | changes


def test_the_published_columns_are_cut_where_the_audio_is_whole(tmp_path, monkeypatch):
    whole = encode_audio(tone(220, 40.0), RATE)
    cut = encode_audio(tone(330, 31.0), RATE)
    cells = [hummusqa_cells("h1"), hummusqa_cells("h2", jamendo_id="18")]
    audio = [{"bytes": data, "path": f"{name}.mp3"} for name, data in (("17", whole), ("18", cut))]
    table = datasets.Dataset.from_list([row | {"audio": each} for row, each in zip(cells, audio, strict=True)])
    (tmp_path / "source" / "data").mkdir(parents=True)
    table.to_parquet(tmp_path / "source" / "data" / "test-00000-of-00001.parquet")
    built = build_dataset(tmp_path / "source", tmp_path / "hummusqa_trial", "hummusqa", BuildSettings())
    rows = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    assert [row["audio"]["path"] for row in rows] == ["h1.mp3", "h2.mp3"]
    for row in rows:
        with av.open(io.BytesIO(row["audio"]["bytes"])) as container:
            assert abs(sum(frame.samples for frame in container.decode(audio=0)) / RATE - 31) < 0.2
    assert (rows[0]["excerpt_start_time"], rows[0]["excerpt_end_time"]) == ("00:05", "00:36")


def test_an_excerpt_from_the_beginning_is_told_from_a_whole_piece(tmp_path):
    write_wav(tmp_path / "source" / "cut.wav", tone(220, 36.4))
    write_wav(tmp_path / "source" / "whole.wav", tone(220, 45.0))
    times = {"excerpt_start_time": "0:00", "excerpt_end_time": "0:36"}
    names = ("cut", "whole")
    rows = [hummusqa_cells(name, jamendo_id=name, **times) | {"audio": f"{name}.wav"} for name in names]
    write_csv(tmp_path / "source" / "rows.csv", rows)
    kept = BuildSettings(media=MediaSettings(mode="keep"))
    built = build_dataset(tmp_path / "source", tmp_path / "hummusqa_trial", "hummusqa", kept)
    cells = pq.read_table(next((built.directory / "blind").iterdir()))["audio"].to_pylist()
    assert [cell["path"] for cell in cells] == ["cut.wav", "whole.mp3"]
    assert cells[0]["bytes"] == (tmp_path / "source" / "cut.wav").read_bytes()


def test_audio_that_is_neither_whole_nor_the_excerpt_is_refused(tmp_path):
    write_wav(tmp_path / "source" / "17.wav", tone(220, 20.0))
    write_csv(tmp_path / "source" / "rows.csv", [hummusqa_cells("h1") | {"audio": "17.wav"}])
    with pytest.raises(InputError, match=r"row 1, column \"audio\": lasts 20.0 s: neither the excerpt"):
        build_dataset(tmp_path / "source", tmp_path / "hummusqa_trial", "hummusqa", BuildSettings())


def test_recordings_of_mub_in_json_lines(tmp_path):
    write_wav(tmp_path / "source" / "take 3.wav", tone(220, 4.0))
    row = {
        "id": "m1", "audio": "take 3.wav", "tempo_bpm": 120, "beat_unit": "1/4", "key": "A minor",
        "time_signature": "4/4", "segments": [{"start_s": 0, "end_s": 4, "label": "verse"}], "license": "CC0-1.0",
        "attribution": "We",
    }  # fmt: skip
    (tmp_path / "source" / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    built = build_dataset(tmp_path / "source", tmp_path / "mub_trial", "mub", BuildSettings())
    (found,) = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    assert (found["audio"]["path"], found["duration_s"], found["cluster_id"]) == ("m1.wav", 4.0, "m1")
    assert found["multi_valued"] == []


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("sheet.xlsx", "x", "Save the sheet as CSV"),
        ("sheet.csv", "id,asks\n", "has no rows"),
        ("sheet.csv", "id,question\n1,2\n", 'no column "video" with the media'),
    ],
)
def test_a_sheet_that_cannot_be_used_is_told(tmp_path, name, text, line):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=line):
        build_dataset(tmp_path / name, tmp_path / "out", "musebench", BuildSettings())


@pytest.mark.parametrize("names", [("a.csv", "b.csv"), ("a.tsv", "b.tsv"), ("c/a.csv", "c/b.csv")])
def test_of_several_tables_one_must_be_named(tmp_path, names):
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("id\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"holds several tables \({', '.join(names)}\). Give one by its name"):
        build_dataset(tmp_path, tmp_path.parent / "out", "musebench", BuildSettings())


def test_names_of_columns_are_mapped_by_about(tmp_path):
    write_wav(tmp_path / "source" / "a.wav", tone(220, 4.0))
    (tmp_path / "source" / "about.yaml").write_text(
        ABOUT + "columns: {audio: file, key: tonality, cluster_id: tune, tempo_bpm: bpm}\n", encoding="utf-8"
    )
    row = {
        "id": "m1", "file": "a.wav", "bpm": "120.5", "beat_unit": "1/4", "tonality": "A minor", "tune": "t",
        "time_signature": "4/4", "segments": '[{"start_s": 0, "end_s": 4, "label": "verse"}]',
    }  # fmt: skip
    write_csv(tmp_path / "source" / "rows.csv", [row | {"remark": "nice", "problems": ""}])
    built = build_dataset(tmp_path / "source", tmp_path / "mub_trial", "mub", BuildSettings())
    assert any(note.startswith('nothing is made of the sheet\'s columns "remark"') for note in built.notes)
    (found,) = pq.read_table(next((built.directory / "default").iterdir())).to_pylist()
    assert (found["tempo_bpm"], found["key"], found["cluster_id"]) == (120.5, "A minor", "t")
    (tmp_path / "source" / "about.yaml").write_text(ABOUT + "columns: {audio: fil}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r'columns.audio: the sheet has no column "fil" \(nearest: file\)'):
        build_dataset(tmp_path / "source", tmp_path / "mub_trial", "mub", BuildSettings(force=True))


def test_a_demo_is_built_again_from_its_own_rows(tmp_path):
    assert is_demo("hummusqa_demo")
    assert not is_demo("hummusqa")
    built = build_demo("hummusqa_demo", tmp_path / "again")
    files = sorted(path.relative_to(built.directory) for path in built.directory.rglob("*.*"))
    assert len(files) == 6
    for path in files:
        assert (built.directory / path).read_bytes() == (demo_directory("hummusqa") / path).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["musebench", "hummusqa", "mub"])
def test_a_built_repo_is_a_sheet_that_gives_the_same_data(dataset, tmp_path):
    kept = BuildSettings(media=MediaSettings(mode="keep"))
    built = build_dataset(demo_directory(dataset), tmp_path / dataset, dataset, kept)
    assert built.data_sha256 == load_items(load_task(f"{dataset}_demo")).data_sha256
    assert built.references_sha256 == load_references(load_task(f"{dataset}_demo")).references_sha256
