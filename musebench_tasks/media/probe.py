"""What really is in a file: every packet is read, nothing is decoded, and the header's promises are only compared.

Presentation times come from the packets. Header counts are used for one thing: a file that holds less than 98 % of
what its header promises was cut (`short_decode`). Runs in the decode process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.stream import Disposition
from numpy.typing import NDArray

from musebench_tasks.base.errors import MediaError

Progress = Callable[[], None]
"""Called while work goes on, so that a hang can be told from a long film."""

COMPLETE_SHARE = 0.98
"""Share of the promised frames or seconds below which a stream counts as cut."""
DURATION_SLACK_S = 0.1
"""Seconds that codecs add or drop at the ends of a stream."""
_PICTURE_DISPOSITIONS = Disposition.attached_pic | Disposition.timed_thumbnails | Disposition.still_image
_GUESSED_DURATION_FORMATS = frozenset({"mp3", "aac", "ac3", "eac3", "mpegts", "h264", "hevc", "m4v", "mpeg", "loas"})
_PADDING_FRAMES = 4
"""More than the silence that MP3 encoders put around a sound, and that decoders leave out again."""
_FIRST_TIME_NOTED_S = 0.2
_OGG_TAIL_BYTES = 1 << 17
"""More than two of the largest pages."""
_TECHNICAL_TAGS = frozenset(
    {"major_brand", "minor_version", "compatible_brands", "encoder", "language", "vendor_id", "duration", "alpha_mode"}
)
_TECHNICAL_VALUES = frozenset({"VideoHandler", "SoundHandler", "", "und"})


@dataclass(frozen=True)
class StreamScan:
    """Packets of one stream. Times are integers in `time_base`, ascending in presentation order."""

    index: int
    codec: str
    time_base: Fraction
    pts: NDArray[np.int64]
    keyframe_pts: NDArray[np.int64]
    end: int
    """Where the last packet ends; in MP3 without the silence that the header says lies around the sound."""
    packets: int
    """Packets read, those behind an edit list included."""
    hidden_packets: int
    header_packets: int
    """Frames that the header promises; 0 = it says nothing."""
    header_s: float | None
    from_dts: bool
    run_up_s: float = 0.0
    """What the header says an encoder put before the sound, and decoders leave out; 0 = it says nothing."""

    @property
    def duration_s(self) -> float:
        """Seconds from the first presentation time to the end of the last packet."""
        return float((self.end - int(self.pts[0])) * self.time_base) if len(self.pts) else 0.0

    @property
    def promised_s(self) -> float:
        """Seconds that should decode: an encoder's run-up, before time 0, is left out."""
        return float((self.end - max(0, int(self.pts[0]))) * self.time_base) if len(self.pts) else 0.0

    @property
    def times_s(self) -> NDArray[np.float64]:
        """Presentation times in seconds from the first."""
        return np.asarray((self.pts - self.pts[0]) * float(self.time_base), dtype=np.float64)


@dataclass(frozen=True)
class FileScan:
    """What a demuxer reads in a file."""

    format: str
    video: StreamScan | None
    audio: StreamScan | None
    header_s: float | None
    bytes: int
    header_bytes: int
    """Size that a RIFF header (WAV, AVI) promises; 0 = none."""
    flags: tuple[str, ...]
    tagged: bool
    """Whether it holds anything besides the two streams that could identify it: tags, chapters, pictures, subtitles."""


@contextmanager
def opened(path: str, name: str) -> Iterator[Any]:
    """The open container of a file; `unreadable` where no demuxer takes it."""
    try:
        container = av.open(path, metadata_errors="ignore")
    except av.error.FFmpegError as error:
        raise MediaError("unreadable", f"{name}: no reader opens it ({error.strerror or error}).") from error
    with container:
        yield container


def packets_of(container: Any, *streams: Any) -> Iterator[Any]:
    """All packets of `streams`, then the empty ones that flush a decoder.

    FLV, MPEG and damaged files may show streams only after opening; PyAV, which has no object for them, stumbles over
    them at the end of the file. Asked again there, it tells the end.
    """
    while True:
        try:
            yield from container.demux(*streams)
        except IndexError:
            continue
        return


def decoder_name(stream: Any) -> str | None:
    """Name of the decoder of a stream; None where there is none."""
    return stream.codec_context.name if stream.codec_context else None


def video_stream(container: Any) -> Any | None:
    """The film's own stream: the default one, else the first, cover pictures aside."""
    streams = [each for each in container.streams.video if not each.disposition & _PICTURE_DISPOSITIONS]
    return _default_or_first(streams)


def audio_stream(container: Any) -> Any | None:
    """The stream that a player would play: the default one, else the first."""
    return _default_or_first(list(container.streams.audio))


def _default_or_first(streams: list[Any]) -> Any | None:
    defaults = [each for each in streams if each.disposition & Disposition.default]
    return (defaults or streams or [None])[0]


def scan_file(path: str, name: str, progress: Progress = lambda: None) -> FileScan:
    """Read all packets of a file's film and sound streams."""
    counted = _counts_its_frames(path)
    with opened(path, name) as container:
        video, audio = video_stream(container), audio_stream(container)
        streams = [each for each in (video, audio) if each is not None]
        rows = _read_packets(container, streams, progress) if streams else {}
        format_name = container.format.name
        is_net = counted and format_name == "mp3"
        scans = {each.type: _stream_scan(each, rows[each.index], is_net=is_net) for each in streams}
        guessed = bool(_GUESSED_DURATION_FORMATS & set(format_name.split(","))) and not counted
        scanned_video, scanned_audio = scans.get("video"), scans.get("audio")
        header_s = container.duration / av.time_base if container.duration and not guessed else None
        if format_name == "ogg" and scanned_audio and not scanned_video:
            header_s = max(header_s or 0.0, _ogg_s(path, scanned_audio))
        return FileScan(
            format=format_name,
            video=scanned_video,
            audio=scanned_audio,
            header_s=header_s,
            bytes=Path(path).stat().st_size,
            header_bytes=_riff_bytes(path),
            flags=(*_stream_flags(container, video, audio), *_timing_flags(scanned_video, scanned_audio)),
            tagged=_tagged(container, video, audio),
        )


def _tagged(container: Any, video: Any, audio: Any) -> bool:
    tags = [container.metadata, *(each.metadata for each in container.streams)]
    texts = [
        value
        for each in tags
        for key, value in each.items()
        if key.lower() not in _TECHNICAL_TAGS and value not in _TECHNICAL_VALUES
    ]
    return (
        bool(texts) or len(container.streams) > (video is not None) + (audio is not None) or bool(container.chapters())
    )


def _read_packets(container: Any, streams: list[Any], progress: Progress) -> dict[int, list[Any]]:
    """(pts, dts, duration, keyframe, hidden) of all packets, by stream."""
    rows: dict[int, list[Any]] = {each.index: [] for each in streams}
    try:
        for packet in packets_of(container, *streams):
            if packet.size:
                row = (packet.pts, packet.dts, packet.duration or 0, packet.is_keyframe, packet.is_discard)
                rows[packet.stream_index].append(row)
            progress()
    except av.error.FFmpegError:
        pass  # what is missing shows in the counts, which name expected and found
    return rows


def _stream_scan(stream: Any, rows: list[Any], *, is_net: bool) -> StreamScan:
    """What the packets `rows` tell; `is_net`: the header's duration is without the silence around the sound."""
    shown = [row for row in rows if not row[4]]
    from_dts = any(row[0] is None for row in shown)
    column = 1 if from_dts else 0
    timed = sorted((row[column], row[2]) for row in shown if row[column] is not None)
    pts = np.array([time for time, _ in timed], dtype=np.int64)
    keys = sorted(row[column] for row in shown if row[3] and row[column] is not None)
    last_duration = (timed[-1][1] or _usual_step(pts)) if timed else 0
    end = int(pts[-1]) + last_duration if timed else 0
    padding = end - int(pts[0]) - stream.duration if timed and is_net and stream.duration else 0
    if 0 < padding <= _PADDING_FRAMES * last_duration:
        end -= padding
    return StreamScan(
        index=stream.index,
        codec=decoder_name(stream) or "unknown",
        time_base=stream.time_base,
        pts=pts,
        keyframe_pts=np.array(keys, dtype=np.int64),
        end=end,
        packets=len(rows),
        hidden_packets=len(rows) - len(shown),
        header_packets=stream.frames if stream.type == "video" else 0,
        header_s=float(stream.duration * stream.time_base) if stream.duration else None,
        from_dts=from_dts,
        run_up_s=max(0.0, float((stream.start_time or 0) * stream.time_base)),
    )


def _usual_step(pts: NDArray[np.int64]) -> int:
    return int(np.median(np.diff(pts))) if len(pts) > 1 else 0


def _counts_its_frames(path: str) -> bool:
    """Whether an MP3 file carries a Xing or Info header, so that its duration is counted and not guessed."""
    with Path(path).open("rb") as file:
        head = file.read(10)
        if head[:3] == b"ID3":
            file.seek(10 + ((head[6] & 127) << 21 | (head[7] & 127) << 14 | (head[8] & 127) << 7 | head[9] & 127))
        else:
            file.seek(0)
        frame = file.read(512)
    return b"Xing" in frame or b"Info" in frame


def _riff_bytes(path: str) -> int:
    """The size in a RIFF header, 0 where there is none or the writer left it open."""
    with Path(path).open("rb") as file:
        head = file.read(8)
    size = int.from_bytes(head[4:8], "little")
    return size + 8 if head[:4] == b"RIFF" and size < 0xFFFF_FF00 else 0


def _ogg_s(path: str, stream: StreamScan) -> float:
    """Seconds of sound at the end of the last Ogg page that is begun, damaged or cut as it may be; 0 = unknown."""
    with Path(path).open("rb") as file:
        file.seek(max(0, Path(path).stat().st_size - _OGG_TAIL_BYTES))
        tail = file.read()
    granule = tail[tail.rfind(b"OggS") :][6:14]
    if not tail.count(b"OggS") or len(granule) < 8 or not len(stream.pts):
        return 0.0
    ticks = int.from_bytes(granule, "little", signed=True) - int(stream.pts[0])
    return float(max(0, ticks) * stream.time_base)


def _stream_flags(container: Any, video: Any, audio: Any) -> tuple[str, ...]:
    flags = []
    if any(each.disposition & _PICTURE_DISPOSITIONS for each in container.streams.video):
        flags.append("attached_pic")
    if audio is not None and len(container.streams.audio) > 1:
        flags.append(f"stream: {audio.index}")
    if video is not None and audio is None:
        flags.append("audio: absent")
    if (
        audio is not None
        and video is None
        and {"mp4", "matroska", "avi", "mpegts"} & set(container.format.name.split(","))
    ):
        flags.append("video: absent")
    return tuple(flags)


def _timing_flags(video: StreamScan | None, audio: StreamScan | None) -> tuple[str, ...]:
    flags = []
    if video is not None and audio is not None and len(video.pts) and len(audio.pts):
        video_s, audio_s = video.duration_s, audio.duration_s
        if abs(video_s - audio_s) > 0.25:
            flags += [f"audio_s: {audio_s:.2f}", f"video_s: {video_s:.2f}"]
    for stream in filter(None, (video, audio)):
        if stream.from_dts:
            flags.append("dts_fallback")
        if stream.hidden_packets and stream is video:
            flags.append("edit_list")
        if len(stream.pts) and abs(float(int(stream.pts[0]) * stream.time_base)) > _FIRST_TIME_NOTED_S:
            flags.append(f"first_pts_s: {float(int(stream.pts[0]) * stream.time_base):.3f}")
    return tuple(dict.fromkeys(flags))


def require_complete(scan: FileScan, stream: StreamScan, name: str) -> None:
    """Raise `short_decode` where the file holds less than its header promises (faults_media.md m02)."""
    if scan.bytes < COMPLETE_SHARE * scan.header_bytes:
        raise MediaError(
            "short_decode", f"{name}: {scan.bytes} of {scan.header_bytes} bytes are there. Fetch the file again."
        )
    if stream.header_packets and stream.packets / stream.header_packets < COMPLETE_SHARE:
        raise MediaError(
            "short_decode",
            f"{name}, stream {stream.index}: {stream.packets} of {stream.header_packets} frames are there. "
            "Fetch the file again.",
        )
    longest = max((each.duration_s for each in (scan.video, scan.audio) if each is not None), default=0.0)
    if scan.header_s is not None and longest + DURATION_SLACK_S < COMPLETE_SHARE * scan.header_s:
        raise MediaError(
            "short_decode",
            f"{name}, stream {stream.index}: the file holds {longest:.2f} of {scan.header_s:.2f} s. Fetch it again.",
        )
