"""Whether a folder lies on a file system that several machines share.

There what one machine writes is seen on another only once it is flushed, and a folder's listing may be half a minute
old (NFS: close-to-open consistency, `acdirmin`). So before a lease is given back the journal is flushed, and before a
folder is listed it is touched, which makes the client ask the server.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

_OF_ONE_MACHINE = frozenset(
    {"btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "ramfs", "tmpfs", "vfat", "xfs", "zfs", "apfs"}
)
_MOUNTS = Path("/proc/self/mountinfo")


def is_shared(folder: Path) -> bool:
    """Whether other machines may see the folder; True where nothing is known of the file system's kind."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return True
    return kind_of(folder.resolve(), mounts) not in _OF_ONE_MACHINE


def kind_of(folder: Path, mounts: str) -> str | None:
    """The kind of the file system that holds the absolute path, by the text of /proc/self/mountinfo."""
    best, kind = -1, None
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) > 4 and after:
            # A mount point's blanks and the like stand as three octal digits.
            point = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[4]))
            if folder.is_relative_to(point) and len(point.parts) >= best:
                best, kind = len(point.parts), after.split(" ")[0]
    return kind


def refresh_listing(folder: Path) -> None:
    """Have the next listing of a shared folder be as it is now."""
    with suppress(OSError):
        os.utime(folder)
