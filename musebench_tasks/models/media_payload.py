"""Encoded media inside JSON: base64 and data URLs."""

from __future__ import annotations

import base64


def data_url(content: bytes, mime_type: str) -> str:
    """`content` as a data URL."""
    return f"data:{mime_type};base64,{base64_text(content)}"


def base64_text(content: bytes) -> str:
    """`content` in base64."""
    return base64.b64encode(content).decode("ascii")
