"""What a figure is once it is drawn, and the words that come with it."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True)
class Words:
    """What a figure says beside its drawing."""

    name: str
    """Part of its file's name."""
    title: str
    """Its message, a sentence."""
    description: str
    """Its numbers in words, for who does not see the drawing."""
    caption: str
    """What is drawn and how."""


@dataclass(frozen=True)
class Figure:
    """One drawing with one message."""

    name: str
    """Part of its file's name."""
    title: str
    """The message, a sentence. Foreign names may stand in it: it is text, not markup."""
    svg: Markup
    """To stand in a page: text and axes in `currentColor`, no styles, no scripts, nothing from elsewhere."""
    standalone_svg: str
    """The same as a file, title above: black on white."""
    description: str
    """Its numbers in words."""
    caption: str
    """What is drawn and how."""
