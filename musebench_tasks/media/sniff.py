"""What a file is by its first bytes: a picture, sound or film, or something that only bears a medium's name."""

from musebench_tasks.base.errors import MediaError

HEAD_BYTES = 4096
"""How much of a file's beginning the functions here look at."""

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".gif", ".webp", ".bmp", ".tif", ".avif"})

_SIGNATURES = (
    (0, b"\x89PNG\r\n\x1a\n", ".png"),
    (0, b"\xff\xd8\xff", ".jpg"),
    (0, b"GIF8", ".gif"),
    (0, b"II*\x00", ".tif"),
    (0, b"MM\x00*", ".tif"),
    (0, b"fLaC", ".flac"),
    (0, b"OggS", ".ogg"),
    (0, b"ID3", ".mp3"),
    (0, b"\x1aE\xdf\xa3", ".mkv"),
    (4, b"ftypavif", ".avif"),
    (4, b"ftypM4A", ".m4a"),
    (4, b"ftyp", ".mp4"),
    (4, b"moov", ".mp4"),
)
_RIFF = {b"WAVE": ".wav", b"AVI ": ".avi", b"WEBP": ".webp"}
_PAGES = (b"<!doctype", b"<html", b"<head", b"<?xml")
_LFS = b"version https://git-lfs"
_ANNEX = b"/annex/objects/"


def suffix_of(head: bytes) -> str:
    """The file suffix that the first bytes stand for, with its dot; empty where they tell nothing."""
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12], "")
    for offset, signature, suffix in _SIGNATURES:
        if head[offset : offset + len(signature)] == signature:
            return ".webm" if suffix == ".mkv" and b"webm" in head[:64] else suffix
    if head[:2] == b"BM" and head[6:10] == b"\x00\x00\x00\x00":
        return ".bmp"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2:
        return ".mp3"
    if len(head) > 188 and head[0] == head[188] == 0x47:
        return ".ts"
    return ""


def is_pointer(head: bytes) -> bool:
    """Whether a file only says which content of Git LFS or git-annex belongs in its place."""
    return _start(head).startswith((_LFS, _ANNEX))


def _start(head: bytes) -> bytes:
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:64].lower()


def refuse_what_is_no_medium(head: bytes, name: str) -> None:
    """Raise `not_media` for an empty file, a page, or a pointer of Git LFS or git-annex (faults_media.md m31)."""
    start = _start(head)
    if not head:
        raise MediaError("not_media", f"{name}: the file has 0 bytes. Fetch it again.")
    if start.startswith(_LFS):
        raise MediaError("not_media", f"{name}: a Git LFS pointer stands in place of the medium. Run `git lfs pull`.")
    if start.startswith(_ANNEX):
        raise MediaError(
            "not_media", f"{name}: a git-annex pointer stands in place of the medium. Run `git annex get`."
        )
    if start.startswith(_PAGES):
        raise MediaError("not_media", f"{name}: a web page stands in place of the medium. Fetch it again.")
