"""Texts that a harness hands on, or logs, in place of an answer: no letter is read in them, and no score made."""

from __future__ import annotations

import re

from musebench_tasks.answers.infrastructure import is_error_text
from musebench_tasks.base.records import Status

_REQUEST_FAILED = "[LMMS_EVAL_REQUEST_FAILED"
"""How lmms-eval begins what stands for a request to a server that failed; the server's words follow."""
_MEDIUM_FAILED = re.compile(r"Video .{0,1000} (?:can not load|generate failed), check the source\.?", re.DOTALL)
"""What wrappers of lmms-eval (llava_vid, oryx) answer for a film that they cannot read."""


def failure_in(text: str) -> Status | None:
    """How the request ended that this text stands for; None where it is a model's answer."""
    text = text.strip()
    if _MEDIUM_FAILED.fullmatch(text):
        return Status.MEDIA_ERROR
    return Status.BACKEND_ERROR if text.startswith(_REQUEST_FAILED) or is_error_text(text) else None
