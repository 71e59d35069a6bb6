"""What a survey of a medium means for the items that use it (faults_media.md, column "effect")."""

import av
import numpy as np
import pytest

from musebench_tasks.assembly.media_checks import check_media, task_media
from musebench_tasks.assembly.media_findings import Medium, Use, findings_of, line_of
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.records import Item, MediaSource, Modality, TaskConfig

BOTH = frozenset({Modality.VIDEO, Modality.AUDIO})
SEEN, HEARD, NEITHER = frozenset({Modality.VIDEO}), frozenset({Modality.AUDIO}), frozenset()
FILM = {"width": 160, "height": 120, "frames": 100, "seconds": 4.0, "flags": []}
SOUND = {"seconds": 4.0, "sample_rate": 44_100, "flags": []}


def use(item="q1", needs=NEITHER, takes=BOTH, start_s=None, end_s=None, duration_s=None):
    return Use(item, start_s, end_s, duration_s, takes, needs)


def survey(video=FILM, audio=SOUND, windows=(), flags=()):
    return {"format": "mp4", "flags": list(flags), "video": video, "audio": audio, "windows": list(windows)}


def window(video=(), audio=()):
    return {"video": video if isinstance(video, dict) else {"flags": list(video)},
            "audio": audio if isinstance(audio, dict) else {"flags": list(audio)}}  # fmt: skip


def found(uses, **what):
    medium = Medium(MediaSource(path="/data/clip.mp4"), list(uses))
    what.setdefault("windows", [window() for _ in uses])
    return [(each.effect.value, each.code, each.items) for each in findings_of(medium, survey(**what))]


def failed(code):
    return {"code": code, "explanation": f"clip.mp4, stream 1: {code}. Fetch the file again."}


def test_a_sound_medium_needs_no_word():
    assert found([use(needs=BOTH)]) == []


@pytest.mark.parametrize(
    ("needs", "takes", "expected"),
    [
        (HEARD, BOTH, [("stop", "no_audio", ("q1",))]),
        (SEEN, BOTH, [("run", "no_audio", ("q1",))]),
        (SEEN, SEEN, []),
    ],
)
def test_a_film_without_sound(needs, takes, expected):
    windows = [{"video": {"flags": []}, "audio": None}]
    assert found([use(needs=needs, takes=takes)], audio=None, windows=windows, flags=["audio: absent"]) == expected


def test_sound_without_a_film():
    windows = [{"video": None, "audio": {"flags": []}}]
    assert found([use(needs=SEEN)], video=None, windows=windows) == [("stop", "no_video", ("q1",))]


@pytest.mark.parametrize(("needs", "effect"), [(HEARD, "stop"), (SEEN, "flag")])
def test_silence_stops_only_who_must_hear(needs, effect):
    windows = [window(audio=["silent_audio"])]
    assert found([use(needs=needs)], windows=windows) == [(effect, "silent_audio", ("q1",))]


@pytest.mark.parametrize(("needs", "effect"), [(HEARD, "stop"), (SEEN, "run")])
def test_too_little_sound(needs, effect):
    assert found([use(needs=needs)], audio=failed("short_audio")) == [(effect, "short_audio", ("q1",))]
    windows = [window(audio=failed("short_audio"))]
    assert found([use(needs=needs)], windows=windows) == [(effect, "short_audio", ("q1",))]


@pytest.mark.parametrize("code", ["antiphase", "over_range"])
def test_legal_at_run_time_and_refused_when_built(code):
    assert found([use(needs=SEEN)], windows=[window(audio=[code])]) == [("stop", code, ("q1",))]


def test_a_damaged_stream_stops_those_who_take_it():
    uses = [use("q1"), use("q2", takes=SEEN)]
    assert found(uses, audio=failed("corrupt")) == [("stop", "corrupt", ("q1",))]
    assert found([use(takes=SEEN)], audio=failed("corrupt")) == []


def test_windows_are_judged_one_by_one():
    uses = [use("q1", end_s=3.0), use("q2", start_s=9.0, end_s=12.0), use("q3", start_s=3.0, end_s=9.0)]
    windows = [window(), window(failed("bad_window"), failed("bad_window")), window(["clamped"], ["clamped"])]
    assert found(uses, windows=windows) == [("stop", "bad_window", ("q2",)), ("flag", "clamped", ("q3",))]


@pytest.mark.parametrize(
    ("duration_s", "expected"),
    [(4.05, []), (None, []), (5.0, [("stop", "short_decode", ("q1",))]), (3.0, [("stop", "mismatch", ("q1",))])],
)
def test_decoded_seconds_are_those_of_the_data(duration_s, expected):
    assert found([use(duration_s=duration_s)]) == expected


@pytest.mark.parametrize(("flag", "stops"), [("hdr", True), ("patched", True), ("vfr", False), ("rotation: 90", False)])
def test_flags_of_the_film(flag, stops):
    ((effect, code, _),) = found([use()], video={**FILM, "flags": [flag]})
    assert (effect, code) == ("stop" if stops else "flag", flag.partition(":")[0])


def test_two_tracks_stop_who_hears_them():
    assert found([use()], flags=["stream: 2"]) == [("stop", "stream", ("q1",))]
    assert found([use(takes=SEEN)], flags=["stream: 2"]) == [("flag", "stream", ())]


def test_what_stops_comes_first_and_a_line_says_all():
    medium = Medium(MediaSource(path="/data/my clip.mp4"), [use("q1", HEARD), use("q2", HEARD)])
    windows = [{"video": {"flags": []}, "audio": None}] * 2
    first, *_ = findings_of(medium, survey(video={**FILM, "flags": ["vfr"]}, audio=None, windows=windows))
    assert line_of(first) == (
        "stop  my clip.mp4, items q1, q2: no_audio: it holds no sound. Give a file with sound, or say that the item "
        "does not need to be heard."
    )


def test_many_items_are_counted():
    finding = Problem("damaged.", code="corrupt", place="a.mp4", items=tuple(f"q{n}" for n in range(9)))
    assert "items q0, q1, q2 and 6 more" in line_of(finding)


def test_names_in_parquet_files_are_no_file_names():
    source = MediaSource(path="/data/my data.parquet", row=3, column="video")
    assert list(findings_of(Medium(source), survey())) == []


def task(*modalities):
    return TaskConfig.model_validate(
        {
            "task": "t",
            "dataset_path": "x",
            "kind": "choice",
            "protocol": {"media": modalities},
            "metric_list": [],
            "metadata": {"version": 1.0, "headline": "accuracy"},
        }
    )


def item(name, path, alignment=None, sha256=None):
    source = MediaSource(path=path, sha256=sha256)
    return Item(id=name, benchmark="b", kind="single", cluster_id="c", media=source, alignment=alignment)


def test_a_medium_is_checked_once_for_all_items():
    items = [item("a", "/x.mp4", "audio", "1" * 64), item("b", "/copy of x.mp4", "visual", "1" * 64)]
    (medium,) = task_media(task("video", "audio"), items)
    assert [(each.item, each.needs) for each in medium.uses] == [("a", HEARD), ("b", SEEN)]


@pytest.mark.parametrize(("modalities", "needs"), [(["audio"], HEARD), (["video", "audio"], NEITHER)])
def test_without_alignment_the_only_stream_is_needed(modalities, needs):
    (medium,) = task_media(task(*modalities), [item("a", "/x.wav")])
    assert medium.uses[0].needs == needs


@pytest.mark.parametrize(("header", "flags"), [("1", []), ("0", ["encoder_delay"])])
def test_an_encoders_run_up_is_flagged_where_nothing_says_how_long_it_is(tmp_path, header, flags):
    """The pulse of a file that says so stands where it was."""
    samples = np.zeros(3 * 24_000, np.float32)
    samples[24_000] = 0.9
    path = tmp_path / "pulse.mp3"
    with av.open(str(path), "w", format="mp3", options={"write_xing": header, "id3v2_version": "0"}) as container:
        stream = container.add_stream("libmp3lame", rate=24_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(samples[None], format="fltp", layout="mono")
        frame.sample_rate, frame.pts = 24_000, 0
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    (checked,) = check_media([Medium(MediaSource(path=str(path)))])
    assert [each.code for each in checked.findings] == flags
