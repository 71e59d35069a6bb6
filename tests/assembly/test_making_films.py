"""Sheets with films and pictures: windows, tags, turned films, rules on items."""

import io

import av
import numpy as np
import pyarrow.parquet as pq
import pytest
from fakes.media_faults import make_fault
from fakes.sheets import ABOUT, TASK, question, tone, write_csv
from PIL import Image

from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.medium import MediaSettings
from musebench_tasks.assembly.video import ClipEncoding, encode_clip
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Modality


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
