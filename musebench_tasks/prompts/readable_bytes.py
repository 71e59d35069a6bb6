"""What can be read as text in the bytes of a file: tags, names, comments.

Samples of a WAV file and the picture data of a JPEG are left out. Elsewhere each run of characters counts: in UTF-8 and
UTF-16 near both ends of a file, where formats keep their tags, and in ASCII everywhere.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterator

HEAD_BYTES = 1 << 16
"""Where the samples or picture data of a file begin, if at all."""
_ENCODED_HEAD = HEAD_BYTES // 3 * 4
_SHORTEST_BASE64 = 256
_END_BYTES = 1 << 18
_FIELD = re.compile(r'"[a-z_]{1,40}"\s*:')
_ASCII = re.compile(rb"[\x20-\x7e]{5,}")
_UTF8 = re.compile(rb"(?:[\x20-\x7e]|[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}){5,}")
_UTF16 = (re.compile(rb"(?:[\x20-\x7e]\x00){5,}"), re.compile(rb"(?:\x00[\x20-\x7e]){5,}"))


def readable_text(data: bytes) -> str:
    """All runs of characters in `data`, one after the other."""
    head = _before_samples(data, len(data))
    return _runs(data if head is None else data[:head])


def encoded_texts(json_piece: bytes) -> Iterator[str]:
    """What can be read in each file that stands in a piece of JSON in base64 or as a data URL."""
    for string in json_piece.split(b'"')[1::2]:
        if len(string) >= _SHORTEST_BASE64:
            yield from _decoded(string)


def without_encoded(json_piece: bytes) -> str:
    """The rest of a piece of JSON: its texts, without files in base64 and names of fields, escapes undone."""
    parts = json_piece.split(b'"')
    kept = b'"'.join(part for part in parts if len(part) < _SHORTEST_BASE64 or not _decoded(part))
    return unescaped(_FIELD.sub(" ", kept.decode("utf-8", "replace")))


def unescaped(json_text: str) -> str:
    """JSON's text with its escapes undone, as far as words go."""
    return json_text.replace("\\n", "\n").replace("\\t", " ").replace("\\r", " ").replace('\\"', '"')


def _decoded(string: bytes) -> list[str]:
    """The texts in a file in base64, or in several with commas between them; none for a string that is no base64."""
    mark, _, after = string.partition(b"base64,")
    encoded = after if after and mark.startswith(b"data:") else string
    try:
        return [_decoded_file(each) for each in encoded.split(b",")]
    except binascii.Error:
        return []


def _decoded_file(encoded: bytes) -> str:
    head = base64.b64decode(encoded[:_ENCODED_HEAD], validate=True)
    end = _before_samples(head, len(encoded) // 4 * 3 - encoded[-2:].count(b"="))
    return _runs(head[:end] if end is not None else base64.b64decode(encoded, validate=True))


def _before_samples(head: bytes, size: int) -> int | None:
    """Where samples or picture data begin that fill the rest of a file of `size` bytes; None = nowhere."""
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return _wav_samples(head, size)
    return _jpeg_scan(head) if head[:2] == b"\xff\xd8" else None


def _wav_samples(head: bytes, size: int) -> int | None:
    place = 12
    while place + 8 <= len(head):
        length = struct.unpack_from("<I", head, place + 4)[0]
        if head[place : place + 4] == b"data":
            return place + 8 if place + 8 + length + length % 2 >= size else None
        place += 8 + length + length % 2
    return None


def _jpeg_scan(head: bytes) -> int | None:
    place = 2
    while place + 4 <= len(head) and head[place] == 0xFF:
        if head[place + 1] == 0xDA:
            return place
        place += 2 + struct.unpack_from(">H", head, place + 2)[0]
    return None


def _runs(data: bytes) -> str:
    ends = data if len(data) <= 2 * _END_BYTES else data[:_END_BYTES] + data[-_END_BYTES:]
    text = b"\0".join([*_ASCII.findall(data), *_UTF8.findall(ends)]).decode("utf-8", "replace")
    wide = [run.replace(b"\0", b"").decode() for pattern in _UTF16 for run in pattern.findall(ends)]
    return "\0".join([text, *wide])
