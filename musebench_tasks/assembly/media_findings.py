"""What is said about a medium, who uses it how, and what to do: the column "effect" of faults_media.md."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from musebench_tasks.assembly.rules.cells import PLAIN_NAME
from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.problems import Effect, Problem
from musebench_tasks.base.records import MediaSource, Modality
from musebench_tasks.base.text import few
from musebench_tasks.media.unpack import source_name

ADVICE = {
    "media_unavailable": "Put the file there, or take its items out.",
    "not_media": "Fetch the file again.",
    "unreadable": "Fetch the file again, or encode it anew.",
    "mismatch": "Fetch the file again, or correct what the data say of it.",
    "short_decode": "Fetch the file again.",
    "corrupt": "Fetch the file again.",
    "decode_timeout": "Encode the file anew, or take its items out.",
    "no_frames": "Encode it anew, as H.264.",
    "no_video": "Give a film or picture, or say that the item does not need to be seen.",
    "no_audio": "Give a file with sound, or say that the item does not need to be heard.",
    "zero_audio": "Give a file with sound.",
    "short_audio": "Give at least 46 ms of sound; nothing is padded.",
    "silent_audio": "Give the sound that the item is about, or say that the item does not need to be heard.",
    "antiphase": "Give one of the two channels alone: mixed down they cancel.",
    "over_range": "Scale the sound to full scale, so that every reader hears the same.",
    "non_finite": "Write the samples again: they hold NaN or infinity.",
    "aspect_limit": "Cut the picture, or lay it on a background.",
    "pixel_limit": "Scale the picture down.",
    "animated": "Give one picture, or a film.",
    "hdr": "Convert the film to 8-bit BT.709; a run would tone-map it.",
    "bad_window": "Correct where the window starts and ends.",
    "stream": "Keep one sound track: readers differ in which they play.",
    "patched": "Fetch the file again, or encode it anew.",
}
"""By code."""

MEANING = {
    "alpha": "transparent parts are laid on white",
    "attached_pic": "a cover picture is left out",
    "audio": "no sound",
    "audio_s": "sound and film differ in length: each goes by its own",
    "bad_packets": "packets at an end that no decoder takes",
    "bit_depth": "16 bits a pixel are scaled to 8",
    "black": "black pictures, really black",
    "channels": "several channels are mixed to one",
    "clamped": "the window reaches beyond the end of the file and ends with it",
    "cmyk": "printing colours are converted to RGB",
    "codec": "AV1, which not every reader decodes",
    "color_range": "full range of colour values",
    "counted": "the header says no length: frames were counted",
    "dts_fallback": "frames without times of display: the order of decoding stands in",
    "edit_list": "frames hidden behind an edit list are not shown",
    "encoder_delay": "MP3: an encoder's run-up, a tenth of a second, may be part of the sound",
    "first_pts_s": "times do not begin at 0: they count from the first frame",
    "name": "a name that not every system takes; a build calls media after ids",
    "odd_size": "odd width or height",
    "over_range": "samples beyond full scale",
    "antiphase": "channels cancel when mixed to one",
    "rotation": "turned upright, as the file asks for",
    "same_sound": "sounds like another medium",
    "sar": "pixels that are not square are stretched",
    "silent_audio": "the sound is silence",
    "vfr": "frames at varying intervals: each goes by its own time",
    "video": "no film",
}
"""By the part of a flag before its colon."""


MEDIA_KEYS = {"file": "place"} | {name: name for name in ("items", "code", "effect", "found", "advice")}
"""What the JSON of `musebench data check` calls the fields of a finding."""


@dataclass(frozen=True)
class Flag(Problem):
    """Something legal and recorded: what it means, and what of it is told of one file."""

    meaning: str = ""
    value: str = ""


def flag(code: str, place: str, meaning: str, value: str = "", items: Sequence[str] = ()) -> Flag:
    """What is legal in the medium `place`: `meaning (value).`"""
    found = f"{meaning} ({value})." if value else f"{meaning}."
    return Flag(found, "", code, place, items=tuple(items), effect=Effect.FLAG, meaning=meaning, value=value)


def line_of(finding: Problem) -> str:
    """What was found in a medium, in one line."""
    items = "" if not finding.items else f", {items_text(finding.items)}"
    return f"{finding.effect}  {finding.place}{items}: {finding.code}: {finding.message}"


def unusable(finding: Problem) -> Problem:
    """What stops a medium, told of a row that uses it."""
    return Problem(f"{finding.code}: {finding.found}", finding.advice, "MEDIUM_UNUSABLE")


def items_text(items: Sequence[str], shown: int = 3) -> str:
    """The ids of items, the first few by name."""
    if not items:
        return ""
    return f"item{'s' if len(items) > 1 else ''} {few(items, shown)}"


@dataclass(frozen=True)
class Use:
    """How one item uses a medium."""

    item: str
    start_s: float | None
    end_s: float | None
    duration_s: float | None
    """What the data say of the whole."""
    takes: frozenset[Modality]
    """Streams that the task hands out."""
    needs: frozenset[Modality]
    """Of these, what the question is about."""


@dataclass
class Medium:
    """A medium to be checked, and who uses it."""

    source: MediaSource
    uses: list[Use] = field(default_factory=list)
    needs: frozenset[Modality] = frozenset()
    """What a file must hold that no item speaks of."""
    is_renamed: bool = False
    """Whether a build names it after an id, so that it does not matter what it is called."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return source_name(self.source)


TIME_SLACK_S = 0.1
SLACK_SHARE = 0.02
"""How far decoded seconds may lie from what the data say, of the longer of them or in seconds, whichever is more."""
STREAMS = {Modality.VIDEO: "video", Modality.AUDIO: "audio"}
LACKING = {Modality.VIDEO: ("no_video", "it holds no film."), Modality.AUDIO: ("no_audio", "it holds no sound.")}
STOPPING_FLAGS = {
    "hdr": (Modality.VIDEO, "the film has high dynamic range."),
    "patched": (Modality.VIDEO, "the decoder patches damaged pictures from others."),
    "stream": (Modality.AUDIO, "it holds several sound tracks, and nothing says which is meant."),
    "antiphase": (Modality.AUDIO, "the channels cancel when they are mixed to one."),
    "over_range": (Modality.AUDIO, "samples lie beyond full scale."),
}
"""Legal in a run, refused when data are built, for those who take the stream."""
SILENT = "no sample rises above -80 dBFS."
_ADVISING = re.compile(r"\s*(Fetch (the file|it) again|Scale it down)\.$")


def failed_finding(medium: Medium, error: MediaError) -> Problem:
    """What it means that a medium cannot be opened at all."""
    return _finding(medium, error.code, Effect.STOP, error.explanation, [use.item for use in medium.uses])


def findings_of(medium: Medium, survey: dict[str, Any]) -> Iterator[Problem]:
    """Everything to be said about a medium, what stops first."""
    found = [
        *_broken_streams(medium, survey),
        *_lacking_streams(medium, survey),
        *_window_problems(medium, survey),
        *_lengths(medium, survey),
        *_flags(medium, survey),
        *_names(medium),
    ]
    yield from sorted(dict.fromkeys(found), key=lambda each: list(Effect).index(each.effect))


def _broken_streams(medium: Medium, survey: dict[str, Any]) -> Iterator[Problem]:
    for modality, stream in STREAMS.items():
        fault = survey[stream] or {}
        if "code" not in fault:
            continue
        if fault["code"] == "short_audio":
            yield from _by_need(medium, modality, fault["code"], fault["explanation"])
        elif (takers := _takers(medium, modality)) is not None:
            yield _finding(medium, fault["code"], Effect.STOP, fault["explanation"], takers)


def _lacking_streams(medium: Medium, survey: dict[str, Any]) -> Iterator[Problem]:
    for modality, (code, found) in LACKING.items():
        if survey[STREAMS[modality]] is None and (medium.uses or modality in medium.needs):
            yield from _by_need(medium, modality, code, found)


def _window_problems(medium: Medium, survey: dict[str, Any]) -> Iterator[Problem]:
    """What is wrong in the windows of items, the items of one problem together."""
    concerned: dict[Problem, list[str]] = defaultdict(list)
    # A picture has no windows.
    for use, window in zip(medium.uses, survey["windows"], strict=survey["format"] != "picture"):
        for modality, stream in STREAMS.items():
            outcome = window[stream]
            if modality not in use.takes or outcome is None or "code" in (survey[stream] or {}):
                continue
            for problem in _window_problem(medium, use, modality, outcome):
                concerned[problem].append(use.item)
    for problem, items in concerned.items():
        yield problem.at(items=tuple(dict.fromkeys(items)))


def _window_problem(medium: Medium, use: Use, modality: Modality, outcome: dict[str, Any]) -> Iterator[Problem]:
    code = outcome.get("code")
    needed = modality in use.needs
    if code is not None:
        legal_unless_needed = code == "short_audio" and not needed
        effect = Effect.RUN if legal_unless_needed else Effect.STOP
        yield _finding(medium, code, effect, outcome["explanation"], [])
        return
    flags = outcome["flags"]
    if "clamped" in flags:
        yield flag("clamped", medium.name, MEANING["clamped"], f"{use.end_s:g}")
    if "silent_audio" in flags:
        if needed:
            yield _finding(medium, "silent_audio", Effect.STOP, SILENT, [])
        else:
            yield flag("silent_audio", medium.name, SILENT.rstrip("."))
    for code in ("antiphase", "over_range"):
        if code in flags:
            yield _finding(medium, code, Effect.STOP, STOPPING_FLAGS[code][1], [])


def _lengths(medium: Medium, survey: dict[str, Any]) -> Iterator[Problem]:
    """Decoded seconds that are not those of the data."""
    streams = [survey[stream] for stream in STREAMS.values() if survey[stream]]
    decoded_s = max((each.get("seconds") or 0.0 for each in streams), default=0.0)
    if not decoded_s or any("code" in each for each in streams):
        return
    said: dict[float, list[str]] = defaultdict(list)
    for use in medium.uses:
        if use.duration_s is not None:
            said[use.duration_s].append(use.item)
    for duration_s, items in said.items():
        if abs(decoded_s - duration_s) > max(TIME_SLACK_S, SLACK_SHARE * max(decoded_s, duration_s)):
            code = "short_decode" if decoded_s < duration_s else "mismatch"
            yield _finding(medium, code, Effect.STOP, f"{decoded_s:.2f} of {duration_s:.2f} s decode.", items)


def _flags(medium: Medium, survey: dict[str, Any]) -> Iterator[Problem]:
    """What is legal for all who use it; what only windows can tell is told of them."""
    per_window = {"clamped", "silent_audio", "antiphase", "over_range"} if medium.uses else set()
    streams = [(survey[stream] or {}).get("flags", ()) for stream in STREAMS.values()]
    for told in dict.fromkeys([*survey["flags"], *(each for flags in streams for each in flags)]):
        code, _, value = told.partition(": ")
        modality, found = STOPPING_FLAGS.get(code, (None, ""))
        takers = None if modality is None else _takers(medium, modality)
        if code in per_window or code == "video_s" or (code in ("audio", "video") and medium.uses):
            continue
        if code == "silent_audio" and Modality.AUDIO in medium.needs:
            yield _finding(medium, code, Effect.STOP, SILENT, [])
        elif takers is not None:
            yield _finding(medium, code, Effect.STOP, found, takers)
        else:
            yield flag(code, medium.name, MEANING.get(code, code), "" if value == "absent" else value)


def _names(medium: Medium) -> Iterator[Problem]:
    """A file name that some system or address cannot hold; names inside Parquet files are checked with their rows."""
    name = PurePosixPath(medium.source.path).name
    if medium.source.row is None and not medium.is_renamed and not PLAIN_NAME.fullmatch(name):
        yield flag("name", medium.name, MEANING["name"])


def _by_need(medium: Medium, modality: Modality, code: str, found: str) -> Iterator[Problem]:
    """A stream that is missing or too short stops where it is needed, and else only requests that hand it out."""
    needing = [use.item for use in medium.uses if modality in use.needs]
    taking = [use.item for use in medium.uses if modality in use.takes - use.needs]
    if needing or modality in medium.needs:
        yield _finding(medium, code, Effect.STOP, found, needing)
    if taking or not (medium.uses or medium.needs):
        yield _finding(medium, code, Effect.RUN, found, taking)


def _takers(medium: Medium, modality: Modality) -> list[str] | None:
    """Items that a stream is handed out for; the empty list where no item speaks of the file, None if none takes it."""
    if not medium.uses:
        return []
    return [use.item for use in medium.uses if modality in use.takes] or None


def _finding(medium: Medium, code: str, effect: Effect, found: str, items: list[str]) -> Problem:
    told = _ADVISING.sub("", found.removeprefix(medium.name).lstrip(":, "))
    told = told if told.endswith(".") else f"{told}."
    advice = "" if "Run `" in told else ADVICE.get(code, "")
    return Problem(told, advice, code, place=medium.name, items=tuple(items), effect=effect)
