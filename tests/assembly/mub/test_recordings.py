"""MU-04, MU-05: recordings are encoded anew, without tags and names; what cannot be used is replaced from the pool."""

import hashlib
import io
import json
import struct
import tracemalloc
import wave

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from musebench_tasks.assembly import decode_pcm
from musebench_tasks.assembly.mub import assemble, audio_hash, find_leaks, load_config
from musebench_tasks.assembly.mub.config import AudioEncoding
from musebench_tasks.assembly.mub.leak_scan import stored_rows
from musebench_tasks.assembly.mub.recordings import encoded
from musebench_tasks.base.errors import InputError, LeakError
from musebench_tasks.items import load_items, load_references
from musebench_tasks.tasks import load_task

RATE = 8_000
SECRET = "Harbour Signal Velvet"


def tone(hertz, seconds=4.0, rate=RATE):
    return (8_000 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)).astype("<i2")


def wav(samples, rate=RATE, title=""):
    """A WAV file with a title in its tags."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    data = buffer.getvalue()
    name = title.encode() + b"\0" * (1 + len(title) % 2)
    tags = b"INFOINAM" + struct.pack("<I", len(name)) + name if title else b""
    data += b"LIST" + struct.pack("<I", len(tags)) + tags if tags else b""
    return data[:4] + struct.pack("<I", len(data) - 8) + data[8:]


@pytest.fixture
def archive(tmp_path):
    """Eight tracks of one stratum; `sounds` says otherwise of some."""

    def make(**sounds):
        root = tmp_path / "archive"
        (root / "audio").mkdir(parents=True)
        table = "track_id,title,artist,license,attribution,source,start_s,end_s,label,bpm,key,meter\n"
        for number in range(8):
            name = f"platform-{number:04d}"
            facts = f"{SECRET} {number},Silver Band,CC0-1.0,Silver Band,https://example.org/{number}"
            table += "".join(
                f"{name},{facts},{start},{end},{label},100,C major,4/4\n"
                for start, end, label in ((0, 2, "intro"), (2, 4, "verse"))
            )
            data = sounds.get(f"t{number}", wav(tone(200 + 50 * number), title=f"{SECRET} {number}"))
            (root / "audio" / f"{name}.wav").write_bytes(data)
        (root / "all.csv").write_text(table, encoding="utf-8")
        return root

    return make


def built(directory):
    return pq.read_table(directory / "default").to_pylist()


def test_recordings_are_masked_and_the_evaluator_keeps_their_source(archive, tmp_path):
    root, directory = archive(), tmp_path / "mub"
    outcome = assemble(root, directory, load_config(size=5), workers=2)
    assert len(outcome.chosen) == 5
    assert find_leaks(directory) == []
    evaluator = {row["id"]: row for row in map(json.loads, (tmp_path / "mub.evaluator.jsonl").read_text().splitlines())}
    for row in built(directory):
        known = evaluator[row["id"]]
        source = (root / "audio" / f"{known['track_id']}.wav").read_bytes()
        assert row["audio"]["path"] == f"{row['id']}.mp3"
        assert SECRET.encode() not in row["audio"]["bytes"]
        assert known["audio_hash"] == audio_hash(source) != audio_hash(row["audio"]["bytes"])
        assert known["source_sha256"] == hashlib.sha256(source).hexdigest()
        samples, rate = decode_pcm(row["audio"]["bytes"])
        assert len(samples) / rate == row["duration_s"] == 4.0
        assert known["audio_hash"] not in json.dumps({name: cell for name, cell in row.items() if name != "audio"})


def test_the_task_runs_on_the_collection(archive, tmp_path):
    assemble(archive(), tmp_path / "mub", load_config(size=3))
    task = load_task("mub").model_copy(update={"dataset_path": str(tmp_path / "mub")})
    items, references = load_items(task).items, load_references(task).references
    assert {item.id for item in items} == set(references)
    assert all(references[item.id].music.tempo_bpm == 100.0 and item.duration_s == 4.0 for item in items)


def test_the_truth_is_the_same_without_audio(archive, tmp_path):
    root = archive()
    assemble(root, tmp_path / "sounding", load_config(size=5))
    assemble(root, tmp_path / "silent", load_config(size=5), with_audio=False)
    sounding = [{name: cell for name, cell in row.items() if name != "audio"} for row in built(tmp_path / "sounding")]
    assert sounding == built(tmp_path / "silent")


@pytest.mark.slow
def test_the_memory_holds_a_few_recordings_of_many(archive, tmp_path, monkeypatch):
    size = 2_000_000
    monkeypatch.setattr(
        "musebench_tasks.assembly.mub.recordings.encoded",
        lambda samples, rate, encoding: wav(np.resize(samples[:, 0], size // 2), rate),
    )
    root = archive()
    assemble(root, tmp_path / "first", load_config(size=1))  # so that nothing is imported any more
    tracemalloc.start()
    try:
        outcome = assemble(root, tmp_path / "mub", load_config(size=8))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(outcome.chosen) == 8
    assert peak < 5 * size
    before = pa.total_allocated_bytes()
    taken = [pa.total_allocated_bytes() - before for _ in stored_rows(tmp_path / "mub", "audio")]
    assert len(taken) == 8
    assert max(taken) < 4 * size


def test_unusable_sound_is_replaced_from_the_pool(archive, tmp_path):
    same = tone(440)
    sounds = {"t0": b"no sound", "t1": wav(tone(300, 1.0)), "t2": wav(same), "t3": wav(same, title="another tag")}
    outcome = assemble(archive(**sounds), tmp_path / "mub", load_config(size=5))
    chosen = {track.id[-1] for track in outcome.chosen}
    assert {name[-1] for name in outcome.unreadable} <= {"0", "1"}
    assert outcome.filled
    assert len(chosen) == 5
    assert not chosen & {"0", "1"}
    assert len(chosen & {"2", "3"}) <= 1
    assert len(outcome.filled) <= len(outcome.unreadable) + len(outcome.twins)
    assert len(built(tmp_path / "mub")) == 5


def test_all_that_sounds_is_taken_where_it_does_not_suffice(archive, tmp_path):
    outcome = assemble(archive(t4=b"torn"), tmp_path / "mub", load_config(size=100))
    assert len(outcome.chosen) == 7
    assert outcome.unreadable["platform-0004"].code == "unreadable"


def test_nothing_that_sounds_is_told_with_what_is_wrong(archive, tmp_path):
    root = archive(**{f"t{number}": b"no sound" for number in range(8)})
    with pytest.raises(InputError, match='platform-0003.wav, track "platform-0003": cannot be') as problem:
        assemble(root, tmp_path / "mub", load_config(size=5))
    assert str(problem.value).endswith("No recording can be used. Correct the files, or give --without-audio.")
    assert not (tmp_path / "mub").exists()


def test_a_collection_is_not_put_into_its_archive(archive):
    root = archive()
    with pytest.raises(InputError, match="mub: lies in the archive"):
        assemble(root, root / "made" / "mub", load_config(size=5))
    assert not (root / "made").exists()


def test_tracks_without_a_file_are_not_drawn(archive, tmp_path):
    root = archive()
    (root / "audio" / "platform-0003.wav").unlink()
    outcome = assemble(root, tmp_path / "mub", load_config(size=100))
    assert outcome.without_audio == ("platform-0003",)
    assert len(outcome.chosen) == 7


def test_audio_lies_where_the_archive_says_but_not_outside(archive, tmp_path):
    root = archive()
    folder = tmp_path / "sounds"
    folder.mkdir()
    (root / "audio").rename(folder / "inner")
    (tmp_path / "outside.wav").write_bytes(wav(tone(999)))
    (folder / "inner" / "platform-0007.wav").rename(folder / "inner" / "other.wav")
    facts = "track_id,audio_path\nplatform-0006,../outside.wav\nplatform-0007,inner/other.wav\n"
    (root / "facts.csv").write_text(facts)
    outcome = assemble(root, tmp_path / "mub", load_config(size=8), audio=folder)
    assert len(outcome.chosen) == 8
    assert outcome.sounds["platform-0006"].fingerprint == audio_hash(
        (folder / "inner" / "platform-0006.wav").read_bytes()
    )


def test_a_name_that_several_files_have_is_nobodys(archive, tmp_path):
    root = archive()
    (root / "other").mkdir()
    (root / "other" / "platform-0002.mp3").write_bytes(b"whose?")
    outcome = assemble(root, tmp_path / "mub", load_config(size=100))
    assert outcome.without_audio == ("platform-0002",)


def test_a_name_inside_the_sound_stops_everything(archive, tmp_path, monkeypatch):
    def tagged(samples, rate, encoding):
        return wav(samples[:, 0], rate, f"{SECRET} 1") + f"TIT2 {SECRET} 1 {SECRET} 2".encode()

    monkeypatch.setattr("musebench_tasks.assembly.mub.recordings.encoded", tagged)
    with pytest.raises(LeakError, match=r"the file audio.mp3 holds a title"):
        assemble(archive(), tmp_path / "mub", load_config(size=8))
    assert not (tmp_path / "mub").exists()


@pytest.mark.parametrize(
    ("channels", "rate", "codec", "expected"),
    [
        (1, 44_100, "mp3", (1, 44_100)),
        (2, 22_050, "mp3", (2, 22_050)),
        (6, 48_000, "mp3", (1, 48_000)),
        (1, 96_000, "mp3", (1, 44_100)),
        (2, 44_100, "opus", (1, 48_000)),
    ],
)
def test_any_source_becomes_a_plain_file(channels, rate, codec, expected):
    samples = np.stack([tone(440, 1.0, rate)] * channels, axis=1)
    data = encoded(samples, rate, AudioEncoding(codec=codec))
    back, kept = decode_pcm(data)
    assert (back.shape[1], kept) == expected
    assert len(back) / kept == pytest.approx(1.0, abs=0.001)
    with av.open(io.BytesIO(data)) as container:
        assert not {name for name in container.metadata if name != "encoder"}


def test_no_audio_at_all_is_told(archive, tmp_path):
    root = archive()
    for path in (root / "audio").iterdir():
        path.unlink()
    with pytest.raises(InputError, match=r"no track has an audio file, such as platform-0000.mp3. Give the folder"):
        assemble(root, tmp_path / "mub", load_config(size=5))
