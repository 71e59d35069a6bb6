"""Files replaced as a whole: written beside, then renamed, so that a reader sees the old or the new, never half.

And what files and folders are called that stand for something which a user, a log or a server names.
"""

import errno
import hashlib
import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from musebench_tasks.base.errors import InputError, MuseError

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors that go away when space is freed: full disk, quota, file size limit."""
_READABLE = {
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP), "Correct the path."),
    errno.EISDIR: "Give a file in it.",
}
LONGEST_NAME = 200
"""Characters of a name that is made here: file systems take 255 bytes, of which endings need some."""
_HASHED = 12
_OTHER_SIGNS = re.compile(r"[^A-Za-z0-9._-]+")
_OUTER_DOTS = re.compile(r"^\.+|\.+$")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9])(?:\..*)?", re.IGNORECASE)
"""What Windows takes for a device, whatever the ending."""


def folder_name(name: str) -> str:
    """What a folder, or a file but for its ending, is called that stands for `name`: the one place that decides it.

    It leaves no folder, is not hidden, no device and at most 200 characters long. Every run of characters outside
    [A-Za-z0-9._-] is a `_`. Where more than signs of ASCII is lost so (letters of other scripts, outer dots, the
    name of a device, what is too long), the beginning of the name's SHA-256 follows a `~`, which stands nowhere else:
    other names, other folders.
    Two names in ASCII that differ in signs alone (`a:b`, `a/b`) are called the same; what lies there tells whose it is.
    """
    plain = _OTHER_SIGNS.sub("_", name)
    fit = _OUTER_DOTS.sub("_", plain) or "_"
    if _DEVICE.fullmatch(fit):
        fit = f"_{fit}"
    if fit == plain and len(fit) <= LONGEST_NAME and name.isascii() and name.isprintable():
        return fit
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASHED]
    return f"{fit[: LONGEST_NAME - _HASHED - 1]}~{digest}"


def shown_path(path: Path) -> str:
    """`path` as people read it: from the current folder on where it lies in it, else whole."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text` (UTF-8), making its folder where needed. Unchanged content is left alone.

    Raises InputError where the place cannot be written, MuseError where the disk is full.
    """
    content = text.encode()
    with suppress(OSError):
        if path.read_bytes() == content:
            return
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as problem:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise not_written(path, problem) from problem


def not_written(path: Path, problem: OSError) -> MuseError:
    """Why `path` cannot be written, and what to do: MuseError where space is to be freed, else InputError."""
    why = problem.strerror or problem
    if problem.errno in NO_ROOM:
        return MuseError(
            f"{path}: no room to write ({why}). What was written so far is kept; free some space and "
            "give the same command again."
        )
    return InputError(f"{path}: cannot be written ({why}). Choose another place, or let yourself write there.")


def not_read(path: Path, problem: OSError) -> InputError:
    """Why `path` cannot be read, and what to do."""
    advice = _READABLE.get(problem.errno or 0, "Let yourself read it, or give another.")
    return InputError(f"{shown_path(path)}: cannot be read ({problem.strerror or problem}). {advice}")


def link_or_copy(source: Path, target: Path) -> None:
    """A hard link where the file system allows one, else a copy that appears in one step; a `target` that is stays.

    Raises as `write_text` does where it cannot be written; InputError where `source` cannot be read.
    """
    temporary = target.with_name(f".{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            os.link(source.resolve(), target)
            return
        if not target.exists():
            shutil.copyfile(source, temporary)
            temporary.replace(target)
    except OSError as problem:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if str(problem.filename) == str(source):
            raise not_read(source, problem) from problem
        raise not_written(target, problem) from problem


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
