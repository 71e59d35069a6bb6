"""Where the templates of pages come from and how they run: everything is escaped, everything must be given."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import jinja2
from markupsafe import Markup

from musebench_tasks.pages.text import balanced, breakable, interval_text, linked, signed_text, value_text

_HERE = Path(__file__).resolve().parent


def page_environment(*folders: Path) -> jinja2.Environment:
    """Templates of `folders`, then the shared ones; autoescape is on for all of them.

    Filters: `value`, `signed`, `interval` (numbers), `linked` (web addresses become links), `breakable` (long names may
    be broken after their signs), `sum256` (for the page's content security policy). Globals: `static("page.css")`, the
    text of a static file.
    """
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _HERE / "templates"]),
        autoescape=True,
        finalize=balanced,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(
        value=value_text, signed=signed_text, interval=interval_text, linked=linked, sum256=_sum256, breakable=breakable
    )
    made.globals.update(static=static_text)
    return made


def static_text(name: str) -> Markup:
    """A file of `static/` to stand inside <style> or <script>: our own text, not to be escaped."""
    return Markup((_HERE / "static" / name).read_text(encoding="utf-8"))


def _sum256(text: str) -> str:
    """`sha256-…` of a script or style as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
