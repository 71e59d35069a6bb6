"""A medium decoded to its end, nothing kept."""

import pytest

from musebench_tasks.base.errors import MediaError
from musebench_tasks.media import survey
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.counts import DecodeCounts
from musebench_tasks.media.probe import scan_file


def surveyed(path, spans=()):
    with OpenMedia(str(path), path.name, DecodeCounts()) as media:
        return survey.survey_stream(media, scan_file(str(path), path.name), spans, lambda: None)


def test_every_frame_and_sample_is_counted(base):
    found = surveyed(base, [(0.0, 2.0), (3.5, 9.0), (5.0, 6.0)])
    assert found["video"] == {"width": 160, "height": 120, "frames": 100, "seconds": 4.0, "flags": []}
    assert found["audio"] == {"seconds": 4.0, "sample_rate": 44_100, "flags": []}
    assert [each["video"].get("code", each["video"].get("flags")) for each in found["windows"]] == [
        [],
        ["clamped"],
        "bad_window",
    ]
    assert [each["audio"].get("code", each["audio"].get("flags")) for each in found["windows"]] == [
        [],
        ["clamped"],
        "bad_window",
    ]


@pytest.mark.parametrize(("code", "flags"), [("corrupt", ["patched"]), ("unreadable", [])])
def test_damage_that_only_a_strict_decoder_tells_is_told(code, flags, base, monkeypatch):
    seen = survey._seen

    def strict_stops(*arguments, strict):
        if strict:
            raise MediaError(code, "base.mp4, stream 0: damaged data after 50 of 100 frames.")
        return seen(*arguments, strict=False)

    monkeypatch.setattr(survey, "_seen", strict_stops)
    assert surveyed(base)["video"]["flags"] == flags


def test_windows_hold_no_samples(base):
    heard = survey.decode_audio
    held = []

    def watched(*arguments):
        for place, sound in heard(*arguments):
            held.append(len(sound.samples))
            yield place, sound

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(survey, "decode_audio", watched)
        surveyed(base, [(0.0, 2.0)])
    assert held == [0, 0]
