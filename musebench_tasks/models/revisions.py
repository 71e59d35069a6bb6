"""What tells two versions of a model apart, where settings of this project change its answers."""

import hashlib
from collections.abc import Mapping
from typing import Any

from musebench_tasks.base.records import canonical_json


def with_settings(revision: str, settings: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """`revision`, followed by a hash of `settings` where they are not the usual ones."""
    changed = "" if settings == usual else short_hash(canonical_json(dict(settings)))
    return "+".join(part for part in (revision, changed) if part)


def short_hash(text: str) -> str:
    """The first 8 hex digits of SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
