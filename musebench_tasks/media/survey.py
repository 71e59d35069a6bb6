"""A whole medium decoded to see that it is sound: every frame and sample is counted, none is kept.

Runs in the decode process. The same readers decode as for models, so that what they say here is what a run would say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import av
import numpy as np

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.problems import reason
from musebench_tasks.media.audio import AudioSettings, DecodedAudio, decode_audio
from musebench_tasks.media.container import OpenMedia
from musebench_tasks.media.film_reader import FilmReader
from musebench_tasks.media.picture import upright_rgb
from musebench_tasks.media.probe import FileScan, Progress, StreamScan, require_complete
from musebench_tasks.media.sampling import resolve_window, spread
from musebench_tasks.media.video import BLACK_LEVEL, Upright, film_flags, upright_pixels

Span = tuple[float | None, float | None]
_LOOKED_AT = 32
"""Frames whose brightness is measured."""
_THUMBNAIL_PIXELS = 4096


def survey_picture(path: str, name: str) -> dict[str, Any]:
    """What is in a picture file, in the shape of `survey_stream`."""
    pixels, flags = upright_rgb(path, name)
    height, width = pixels.shape[:2]
    if int(pixels.max()) <= BLACK_LEVEL:
        flags.append("black")
    film = {"width": width, "height": height, "frames": 1, "seconds": None, "flags": flags}
    return {"format": "picture", "flags": [], "video": film, "audio": None, "windows": []}


def survey_stream(media: OpenMedia, scan: FileScan, spans: Sequence[Span], progress: Progress) -> dict[str, Any]:
    """What is in a film or sound file, whole and in each window of `spans` (start and end in seconds).

    `video`: {width, height, frames, seconds, flags} as shown upright, or {code, explanation}; `audio`: {seconds,
    sample_rate, channels, flags} or {code, explanation}; None = no such stream. `windows`: [{video, audio}] with flags
    or code.
    """
    wishes = [AudioSettings(*span, keeps=False) for span in ((None, None), *spans)]
    heard = dict(decode_audio(media, scan, wishes, progress)) if scan.audio is not None else {}
    film = _film(media, scan, scan.video, progress) if scan.video is not None else None
    return {
        "format": scan.format,
        "flags": list(scan.flags),
        "video": film,
        "audio": _sound(heard[0], scan.audio) if scan.audio is not None else None,
        "windows": [
            {
                "video": _film_window(media.name, scan.video, span) if scan.video is not None else None,
                "audio": _flags_or_failure(heard[number]) if scan.audio is not None else None,
            }
            for number, span in enumerate(spans, start=1)
        ],
    }


def failure(error: MediaError) -> dict[str, Any]:
    """An error as a message."""
    return {"code": error.code, "explanation": error.explanation}


def _sound(heard: DecodedAudio | MediaError, stream: StreamScan) -> dict[str, Any]:
    if isinstance(heard, MediaError):
        return failure(heard)
    # Where the header says how long the run-up is, no reader takes it for sound.
    flags = [flag for flag in heard.flags if flag != "encoder_delay" or stream.run_up_s == 0]
    return {"seconds": heard.duration_s, "sample_rate": heard.sample_rate, "flags": flags}


def _flags_or_failure(heard: DecodedAudio | MediaError) -> dict[str, Any]:
    return failure(heard) if isinstance(heard, MediaError) else {"flags": list(heard.flags)}


def _film_window(name: str, stream: StreamScan, span: Span) -> dict[str, Any]:
    try:
        window = resolve_window(*span, stream.duration_s, f"{name}, stream {stream.index}")
    except MediaError as error:
        return failure(error)
    return {"flags": ["clamped"] if window.clamped else []}


def _film(media: OpenMedia, scan: FileScan, stream: StreamScan, progress: Progress) -> dict[str, Any]:
    """The film decoded to its last frame, upright size, and what is unusual about it."""
    try:
        require_complete(scan, stream, media.name)
        if not len(stream.pts):
            raise MediaError("no_frames", f"{media.name}, stream {stream.index}: no frame is in it.")
        try:
            return _seen(media, scan, stream, progress, strict=True)
        except MediaError as stopped:
            seen = _seen(media, scan, stream, progress, strict=False)
            return {**seen, "flags": [*seen["flags"], *(["patched"] if stopped.code == "corrupt" else [])]}
    except MediaError as error:
        return failure(error)
    except (av.error.FFmpegError, MemoryError) as error:
        return {"code": "unreadable", "explanation": f"{media.name}: {reason(error)}"}


def _seen(media: OpenMedia, scan: FileScan, stream: StreamScan, progress: Progress, *, strict: bool) -> dict[str, Any]:
    reader = FilmReader(media, stream, progress, seeking=False, strict=strict)
    looked_at = set(spread(len(stream.pts), _LOOKED_AT).tolist())
    upright, size, sideways = None, (0, 0), False
    for number, target in enumerate(stream.pts.tolist()):
        frame, _ = reader.frame_for(target)
        if upright is None:
            upright = Upright(media.name, None, reader.pixel_aspect, frame)
            size = Upright(media.name, _THUMBNAIL_PIXELS, reader.pixel_aspect, frame).size
            sideways = round(frame.rotation / 90) % 2 == 1
        upright.note(frame, int(upright_pixels(frame, size).max()) if number in looked_at else 0)
    assert upright is not None
    width, height = upright.size[::-1] if sideways else upright.size
    black = ("black",) if upright.brightest <= BLACK_LEVEL else ()
    return {
        "width": width,
        "height": height,
        "frames": len(np.unique(stream.pts)),
        "seconds": stream.duration_s,
        "flags": [*film_flags(scan, stream), *upright.flags, *black],
    }
