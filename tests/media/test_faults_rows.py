"""faults_media.md row by row: which test holds each, and all fifty files at run time and before a run."""

import re
from pathlib import Path

import av
import pytest
from fakes.media_faults import FAULTS, UNICODE_NAME, make_fault

from musebench_tasks.assembly.media_checks import check_media
from musebench_tasks.assembly.media_findings import Effect, Medium
from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.records import MediaSource, Modality

FILMS, SOUNDS, PICTURES = "test_film_faults", "test_sound_faults", "test_picture_faults"
ROWS = [
    # Broken containers
    ("download cut, index at the end", "m01", f"{FILMS}:test_m01_index_at_the_end_is_lost"),
    ("cut, index in front", "m02", f"{FILMS}:test_m02_less_than_the_header_promises"),
    ("damaged bytes inside", "m03", f"{FILMS}:test_m03_damaged_bytes_inside"),
    ("container over-reports frames", "", "test_decode_process:test_a_hang_is_killed_and_the_next_job_served"),
    ("0 bytes; HTML error page; Git LFS pointer", "m31 m32 m33", f"{FILMS}:test_m31_to_m33_no_medium"),
    ("nothing at the address", "", f"{FILMS}:test_a_missing_file_is_unavailable"),
    ("no duration, no cues", "m34", f"{FILMS}:test_m34_no_duration_no_cues"),
    ("packets without pts", "m35", f"{FILMS}:test_packets_without_pts_fall_back_to_dts"),
    # Time
    ("variable frame rate", "m04", f"{FILMS}:test_m04_variable_rate_is_sampled_by_time"),
    ("first pts not 0", "m27", f"{FILMS}:test_m27_times_count_from_the_first_frame"),
    ("stream-copy cut with edit list", "m28", f"{FILMS}:test_m28_frames_behind_an_edit_list_are_not_shown"),
    ("two hours at 1 fps", "m25", f"{FILMS}:test_m25_two_hours_keep_within_the_frame_budget"),
    ("window beyond the file", "", f"{FILMS}:test_a_window_outside_the_film"),
    ("window beyond the file, end clamped", "", f"{FILMS}:test_a_window_is_clamped_and_flagged"),
    ("fewer frames than asked", "m29", f"{FILMS}:test_m29_fewer_frames_than_asked"),
    ("sampling off by one", "", "test_sampling:test_one_two_and_three_frames"),
    ("sampled fps not handed on", "", f"{FILMS}:test_times_are_relative_to_the_window"),
    # Pictures in video
    ("display matrix", "m05", f"{FILMS}:test_m05_rotation_is_applied_once"),
    ("10-bit PQ", "m17", f"{FILMS}:test_m17_hdr_is_mapped_to_sdr"),
    ("full range", "m18", f"{FILMS}:test_m18_full_range_looks_like_limited_range"),
    ("odd size", "m19", f"{FILMS}:test_m19_odd_size"),
    ("extreme aspect", "m20", f"{FILMS}:test_m20_extreme_aspect"),
    ("non-square pixels", "m21", f"{FILMS}:test_m21_wide_pixels_are_stretched"),
    ("AV1", "m22", f"{FILMS}:test_m22_m23_other_codecs"),
    ("VP9, VP9 with alpha", "m23 m24", f"{FILMS}:test_m24_transparency_is_laid_on_white"),
    ("true black", "m30", f"{FILMS}:test_m30_true_black_is_a_picture"),
    ("cover art as second video stream", "m37", f"{FILMS}:test_m37_cover_art_is_no_film"),
    # Audio
    ("no audio stream", "m06", f"{SOUNDS}:test_m06_no_audio_stream"),
    ("no video stream", "m07", f"{FILMS}:test_m07_no_video_stream"),
    ("silent track", "m08", f"{SOUNDS}:test_m08_silence_is_legal_and_flagged"),
    ("0 samples", "m09", f"{SOUNDS}:test_m09_zero_samples"),
    ("20 ms of audio under 4 s of video", "m10", f"{SOUNDS}:test_m10_twenty_milliseconds"),
    ("audio longer than video", "m11", f"{SOUNDS}:test_m11_durations_are_per_stream"),
    ("low rate", "m12", f"{SOUNDS}:test_m12_a_low_rate_is_resampled"),
    ("stereo at another rate", "m13", f"{SOUNDS}:test_m13_stereo_is_mixed_before_it_is_resampled"),
    ("5.1, one channel used", "m14", f"{SOUNDS}:test_m14_one_of_six_channels_keeps_its_level"),
    ("antiphase", "m15", f"{SOUNDS}:test_m15_antiphase_is_flagged"),
    ("float above 1", "m16", f"{SOUNDS}:test_m16_float_above_one_is_kept_and_flagged"),
    ("one NaN sample", "", f"{SOUNDS}:test_one_sample_that_is_no_number"),
    ("second track is the default", "m36", f"{SOUNDS}:test_m36_the_default_track_is_played"),
    ("MP3: VBR without header; encoder delay", "m38 m39", f"{SOUNDS}:test_m38_m39_mp3_is_decoded_to_its_end"),
    # Images and names
    ("accents, CJK, emoji, # and %20 in the name", "m26", f"{FILMS}:test_m26_any_file_name"),
    ("hidden colours under transparency", "i02", f"{PICTURES}:test_i02_hidden_colours_are_not_exposed"),
    ("hidden colours of a palette", "i10", f"{PICTURES}:test_i10_hidden_palette_colours_are_not_exposed"),
    ("16-bit gray", "i04", f"{PICTURES}:test_i04_sixteen_bits_are_scaled"),
    ("182 megapixels in 0.5 MB", "i05", f"{PICTURES}:test_i05_too_many_pixels"),
    ("cut PNG", "i06", f"{PICTURES}:test_i06_cut"),
    ("animation", "i07", f"{PICTURES}:test_i07_animated"),
    ("EXIF orientation", "i08", f"{PICTURES}:test_i08_exif_orientation"),
    ("CMYK", "i09", f"{PICTURES}:test_i09_cmyk"),
    ("sound: the reference film", "m00", f"{FILMS}:test_sound_film"),
    ("sound: a picture", "i01", f"{PICTURES}:test_i01_one_frame"),
    ("sound: an opaque palette", "i03", f"{PICTURES}:test_i03_opaque_palette"),
]
"""(fault, its files, the test that shows wrong and right)."""

FLAGS = re.compile(r"[a-z_]+")
AT_RUN_TIME = {
    # file: (frames: code, or flags; sound: code, or flags); a code is how the request ends, as media_error
    "m00": ("", ""),
    "m01": ("!unreadable", "!unreadable"),
    "m02": ("!short_decode 61 of 100 frames", "!short_decode of 4.00 s"),
    "m03": ("!corrupt of 100 frames", "!corrupt s of sound"),
    "m04": ("audio vfr", "!no_audio"),
    "m05": ("rotation", ""),
    "m06": ("audio", "!no_audio"),
    "m07": ("!no_video", "video"),
    "m08": ("", "silent_audio"),
    "m09": ("!no_video", "!zero_audio"),
    "m10": ("audio_s video_s", "!short_audio 46"),
    "m11": ("audio_s video_s", "audio_s video_s"),
    "m12": ("!no_video", "native_rate"),
    "m13": ("!no_video", "channels native_rate"),
    "m14": ("!no_video", "channels native_rate"),
    "m15": ("!no_video", "channels antiphase"),
    "m16": ("!no_video", "over_range"),
    "m17": ("audio hdr", "!no_audio"),
    "m18": ("audio color_range", "!no_audio"),
    "m19": ("audio odd_size", "!no_audio"),
    "m20": ("!aspect_limit 3840 x 16", "!no_audio"),
    "m21": ("audio sar", "!no_audio"),
    "m22": ("audio codec", "!no_audio"),
    "m23": ("audio", "!no_audio"),
    "m24": ("audio alpha", "!no_audio"),
    "m25": ("audio effective_fps", "!no_audio"),
    "m26": ("", ""),
    "m27": ("first_pts_s", "first_pts_s"),
    "m28": ("edit_list", "edit_list"),
    "m29": ("audio", "!no_audio"),
    "m30": ("audio black", "!no_audio"),
    "m31": ("!not_media", "!not_media"),
    "m32": ("!not_media", "!not_media"),
    "m33": ("!not_media", "!not_media"),
    "m34": ("counted", ""),
    "m35": ("audio", "!no_audio"),
    "m36": ("stream", "stream"),
    "m37": ("attached_pic", "attached_pic"),
    "m38": ("!no_video", "encoder_delay"),
    "m39": ("!no_video", "encoder_delay"),
    "i01": ("", "!no_audio"),
    "i02": ("alpha", "!no_audio"),
    "i03": ("", "!no_audio"),
    "i04": ("bit_depth", "!no_audio"),
    "i05": ("!pixel_limit 182000000", "!no_audio"),
    "i06": ("!corrupt", "!no_audio"),
    "i07": ("!animated 5 frames", "!no_audio"),
    "i08": ("rotation", "!no_audio"),
    "i09": ("cmyk", "!no_audio"),
    "i10": ("alpha", "!no_audio"),
}
BEFORE_A_RUN = {
    "m01": "unreadable", "m02": "short_decode", "m03": "corrupt", "m09": "zero_audio", "m15": "antiphase",
    "m16": "over_range", "m17": "hdr", "m20": "aspect_limit", "m31": "not_media", "m32": "not_media",
    "m33": "not_media", "m36": "stream", "i05": "pixel_limit", "i06": "corrupt", "i07": "animated",
}  # fmt: skip
"""What stops when nobody says what a file is for; the others pass or are flagged."""
MADE = [name for name in FAULTS if name[:3] != "m22" or "libsvtav1" in av.codecs_available]


def test_every_row_has_its_test():
    here = Path(__file__).parent
    for fault, _, place in ROWS:
        module, _, name = place.partition(":")
        assert f"def {name}(" in (here / f"{module}.py").read_text(encoding="utf-8"), fault


def test_every_file_stands_in_a_row():
    named = sorted(each for _, files, _ in ROWS for each in files.split())
    assert named == sorted(name[:3] for name in FAULTS)
    assert set(AT_RUN_TIME) == set(named)


def ended(take):
    try:
        return {FLAGS.match(flag)[0] for flag in take().flags}
    except MediaError as error:
        return error


def as_expected(outcome, expected, name):
    if not expected.startswith("!"):
        return outcome == set(expected.split())
    code, _, told = expected[1:].partition(" ")
    return isinstance(outcome, MediaError) and outcome.code == code and name in str(outcome) and told in str(outcome)


@pytest.mark.parametrize("name", MADE)
def test_at_run_time_each_file_ends_as_the_page_says(name, folder, group):
    path = make_fault(name, folder)
    asked = group(path, Modality.VIDEO, Modality.AUDIO, max_frames=4 if name[:3] == "m25" else None)
    expected = AT_RUN_TIME[name[:3]]
    frames = ended(asked.frames)
    sound = ended(lambda: asked.audio(22_050 if name[:3] in ("m12", "m13", "m14") else None))
    assert as_expected(frames, expected[0], name), (frames, expected[0])
    assert as_expected(sound, expected[1], name), (sound, expected[1])


def checked(names, folder, needs=frozenset()):
    media = [Medium(MediaSource(path=str(make_fault(name, folder))), needs=frozenset(needs)) for name in names]
    found = zip(names, check_media(media), strict=True)
    return {
        name[:3]: {finding.code for finding in each.findings if finding.effect is Effect.STOP} for name, each in found
    }


def test_before_a_run_each_file_is_said_to_be_what_it_is(folder):
    names = [name for name in MADE if name[:3] != "m25"]
    assert checked(names, folder) == {name[:3]: set(BEFORE_A_RUN.get(name[:3], "").split()) for name in names}


def test_before_a_run_files_must_hold_what_is_needed(folder):
    names = ["m06_video_no_audio.mp4", "m07_audio_only.mp4", "m08_silent_audio.mp4", "m10_audio_20ms.mp4"]
    assert checked(names, folder, {Modality.AUDIO, Modality.VIDEO}) == {
        "m06": {"no_audio"},
        "m07": {"no_video"},
        "m08": {"silent_audio"},
        "m10": {"short_audio"},
    }


@pytest.mark.slow
def test_two_hours_are_decoded_to_their_end(folder):
    medium = Medium(MediaSource(path=str(make_fault("m25_two_hours_1fps.mp4", folder))))
    (found,) = check_media([medium])
    assert (found.survey["video"]["frames"], found.survey["video"]["seconds"]) == (7200, 7200.0)


def test_a_name_is_legal_at_run_time_and_named_before(folder):
    assert UNICODE_NAME in make_fault(UNICODE_NAME, folder).name
    (checked,) = check_media([Medium(MediaSource(path=str(folder / UNICODE_NAME)))])
    assert [(each.code, each.effect) for each in checked.findings] == [("name", Effect.FLAG)]
