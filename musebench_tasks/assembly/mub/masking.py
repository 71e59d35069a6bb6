"""What a model sees of a recording, and what the evaluator keeps to find its source again (MU-04, MU-05)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import shown

FINGERPRINT_BYTES = 1_048_576
FINGERPRINT_DIGITS = 16
ID_DIGITS = 12
SEPARATOR = "\x1f"


def masked_name(kind: str, name: str, mask_key: str) -> str:
    """Twelve hex digits for a name: random-looking, always the same, and not to be undone without `mask_key`.

    `kind` keeps names of different kinds apart (a recording from its composition).
    """
    text = f"{kind}{SEPARATOR}{name}".encode("utf-8", "surrogatepass")
    return hmac.new(mask_key.encode(), text, hashlib.sha256).hexdigest()[:ID_DIGITS]


def masked_ids(tracks: Iterable[str], mask_key: str) -> dict[str, str]:
    """The id of each track; InputError for the odd case that two tracks get the same."""
    ids: dict[str, str] = {}
    owners: dict[str, str] = {}
    for track in tracks:
        ids[track] = masked_name("recording", track, mask_key)
        other = owners.setdefault(ids[track], track)
        if other != track:
            raise InputError(
                f"Tracks {shown(other)} and {shown(track)} would both get the id {ids[track]}. Change mask_key."
            )
    return ids


def audio_hash(encoded: bytes) -> str:
    """The fingerprint of a source file: first 16 hex digits of SHA-256 of its first 1,048,576 bytes, or of all it has.

    For the evaluator alone. Another encoding of the same sound has another one.
    """
    return hashlib.sha256(encoded[:FINGERPRINT_BYTES]).hexdigest()[:FINGERPRINT_DIGITS]
