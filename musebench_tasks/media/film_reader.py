"""The frames of a film in the order of display: decoded in order, sought only past the next keyframe.

Runs in the decode process. What the decoder gives is compared with the times of the packets (probe); a difference is
an error, never a repeated or black frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import av
import numpy as np

from musebench_tasks.base.errors import MediaError
from musebench_tasks.media.container import OpenMedia, has_no_index
from musebench_tasks.media.probe import Progress, StreamScan, decoder_name, packets_of, video_stream

SEEK_GAIN_FRAMES = 16
"""Frames that a seek must save; a decoder with threads holds about as many back."""

_SEARCH_MARGIN_S = 1.0


class SeekFailedError(Exception):
    """A seek did not lead to the frame wanted; decoding from the start will."""


class FilmReader:
    """Goes forward through the decoded frames of a film's stream."""

    def __init__(
        self,
        media: OpenMedia,
        scan: StreamScan,
        progress: Progress,
        *,
        seeking: bool,
        fresh: bool = False,
        strict: bool = False,
    ) -> None:
        """`seeking` lets it jump ahead, and back to the start of a file that was read; `fresh` opens it anew.

        `strict` tells the decoder to stop where it would patch a damaged picture from others.
        """
        container = media.at_start_of(video_stream, scan) if seeking and not fresh else media.fresh()
        stream = video_stream(container)
        if stream is None:
            raise MediaError("no_video", f"{media.name}: the video stream is gone.")
        if decoder_name(stream) is None:
            raise MediaError("no_frames", f"{media.name}, stream {stream.index}: no decoder knows this kind of film.")
        if not stream.codec_context.is_open:
            stream.thread_type = "AUTO"
            if strict:
                stream.codec_context.options = {"err_detect": "explode"}
        self.container, self.stream, self.scan, self.name = container, stream, scan, media.name
        self.progress, self.counts = progress, media.counts
        self.seeking = seeking
        self.sought = media.read
        self.decoded = 0
        self.current: tuple[Any, int] | None = None
        self.following: tuple[Any, int] | None = None
        media.read = True
        self.frames = self._frames()

    @property
    def pixel_aspect(self) -> Any:
        """Width of a pixel over its height; None = not said."""
        return self.stream.sample_aspect_ratio

    def frame_for(self, target: int) -> tuple[Any, int]:
        """The whole frame on display at presentation time `target`, and its own time; targets must ascend."""
        self._approach(target)
        frame, pts = self._frame_at(target)
        if frame.is_corrupt:
            self._damaged("a frame is marked as damaged")
        return frame, pts

    def _approach(self, target: int) -> None:
        """Seek to the last keyframe before `target` if that saves decoding."""
        if not self.seeking:
            return
        keys, pts = self.scan.keyframe_pts, self.scan.pts
        at = int(np.searchsorted(keys, target, side="right")) - 1
        reached = -1 if self.following is None else int(np.searchsorted(pts, self.following[1]))
        if at < 0 or int(np.searchsorted(pts, keys[at])) - reached <= SEEK_GAIN_FRAMES:
            return
        margin = round(_SEARCH_MARGIN_S / self.stream.time_base) if has_no_index(self.container) else 0
        self.container.seek(int(keys[at]) - margin, stream=self.stream)
        self.sought, self.current, self.following = True, None, None
        self.frames = self._frames()

    def _frame_at(self, target: int) -> tuple[Any, int]:
        while self.following is None or self.following[1] < target:
            following = next(self.frames, None)
            if following is None:
                return self._last_frame(target)
            if self.sought and self.current is None and self.following is None and following[1] > target:
                raise SeekFailedError
            self.current, self.following = self.following, following
        if self.following[1] > target and self.seeking:
            raise SeekFailedError
        return self.following

    def _last_frame(self, target: int) -> tuple[Any, int]:
        if self.seeking:
            raise SeekFailedError
        expected = int(np.searchsorted(self.scan.pts, target, side="right"))
        if not self.decoded:
            raise MediaError(
                "no_frames",
                f"{self.name}, stream {self.scan.index} ({self.scan.codec}): 0 of {expected} frames decode.",
            )
        raise MediaError(
            "short_decode",
            f"{self.name}, stream {self.scan.index}: {self.decoded} of {expected} frames decode. Fetch the file again.",
        )

    def _damaged(self, what: str) -> None:
        """Raise `corrupt`; while seeking, decode from the start first, which settles it."""
        if self.seeking:
            raise SeekFailedError
        raise MediaError(
            "corrupt",
            f"{self.name}, stream {self.scan.index}: {what} after {self.decoded} of {len(self.scan.pts)} frames.",
        )

    def _frames(self) -> Iterator[tuple[Any, int]]:
        decode = _alpha_decoder(self.stream) or _plain_decoder
        packets = packets_of(self.container, self.stream)
        while True:
            try:
                packet = next(packets, None)
                frames = [] if packet is None else decode(packet)
            except av.error.EOFError:
                return
            except av.error.FFmpegError as error:
                self._damaged(error.strerror or "damaged data")
            if packet is None:
                return
            for frame in frames:
                self.counts.frames_decoded += 1
                yield frame, self._time_of(frame)
                self.decoded += 1
            self.progress()

    def _time_of(self, frame: Any) -> int:
        if not self.scan.from_dts and frame.pts is not None:
            return int(frame.pts)
        return int(self.scan.pts[min(self.decoded, len(self.scan.pts) - 1)])


def _plain_decoder(packet: Any) -> list[Any]:
    frames: list[Any] = packet.decode()
    return frames


def _alpha_decoder(stream: Any) -> Callable[[Any], list[Any]] | None:
    """A decoder that keeps the transparency of VP8 and VP9, which FFmpeg's own drop; None for other streams."""
    library = {"vp8": "libvpx", "vp9": "libvpx-vp9"}.get(stream.codec_context.name)
    if library is None or stream.metadata.get("alpha_mode", stream.metadata.get("ALPHA_MODE")) != "1":
        return None
    context: Any = av.CodecContext.create(library, "r")

    def decode(packet: Any) -> list[Any]:
        frames: list[Any] = context.decode(packet if packet.size else None)
        return frames

    return decode
