"""A medium opened for decoding once: sound is read first, then the film from the same open file.

Where a seek does not lead back to the beginning, or misleads later, the file is opened anew; `counts` tells how often.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import av

from musebench_tasks.media.counts import DecodeCounts
from musebench_tasks.media.probe import StreamScan, opened


class OpenMedia:
    """The container of one medium, opened when first read."""

    def __init__(self, path: str, name: str, counts: DecodeCounts) -> None:
        self.path, self.name, self.counts = path, name, counts
        self._opening: Any = None
        self._container: Any = None
        self.read = False
        """Whether packets were taken since it was opened."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the container, if it is open."""
        opening, self._opening, self._container, self.read = self._opening, None, None, False
        if opening is not None:
            opening.__exit__(None, None, None)

    def container(self) -> Any:
        """The container, wherever it stands."""
        if self._container is None:
            self._opening = opened(self.path, self.name)
            self._container = self._opening.__enter__()
            self.counts.opens += 1
        return self._container

    def fresh(self) -> Any:
        """The container at its beginning, opened anew if packets were taken."""
        if self.read:
            self.close()
        return self.container()

    def at_start_of(self, stream_of: Any, scan: StreamScan) -> Any:
        """The container where the stream that `stream_of` picks begins: by a seek if that works, else opened anew."""
        container = self.container()
        if not self.read:
            return container
        try:
            if has_no_index(container):
                container.seek(0, unsupported_byte_offset=True)
            else:
                container.seek(int(scan.pts[0]), stream=stream_of(container), backward=True)
        except av.error.FFmpegError:
            return self.fresh()
        return container


def has_no_index(container: Any) -> bool:
    """Whether times are searched for in the packets, by their order of decoding: a seek then lands a little late."""
    return "mpegts" in container.format.name
