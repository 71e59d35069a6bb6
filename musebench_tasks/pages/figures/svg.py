"""From the SVG that Matplotlib writes to one that may stand in a page with a strict content security policy.

Styles become attributes, black becomes `currentColor`, what nobody refers to loses its id and the rest gets ids of this
figure alone. Text stays text, in the page's font.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from xml.etree import ElementTree

from markupsafe import Markup, escape

from musebench_tasks.pages.figures.look import Figure, Words
from musebench_tasks.pages.text import fit

SVG = "http://www.w3.org/2000/svg"
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
PAINT = 'fill="currentColor" stroke-linejoin="round"'
_LINK = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_NUMBER = re.compile(r"-?\d+\.\d+")
_NO_TURN = re.compile(r"rotate\(-?0(?:\.0+)? [^)]*\)|rotate\(-?0(?:\.0+)?\)")
_LEFT_OUT = frozenset({"metadata", "style"})
_IN_A_PAGE = ("font-family", "stroke-dashoffset")
"""Properties that Matplotlib writes and a page sets, or that say nothing."""
_TITLE_LETTERS = 46
_TITLE_SIZE = 12.5
_TITLE_LINE = 16


def to_figure(raw: str, words: Words, prefix: str) -> Figure:
    """The figure of an SVG as Matplotlib writes it; `prefix` tells its ids from all others on a page."""
    root = _cleaned(ElementTree.fromstring(fit(raw)), prefix)
    width, height = (float(each) for each in root.attrib["viewBox"].split()[2:])
    body = "".join(_text(child) for child in root)
    described = f"{prefix}-description"
    page = (
        f'<svg xmlns="{SVG}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" {PAINT} '
        f'overflow="visible" role="img" aria-label="{_escaped(words.title)}" aria-describedby="{described}">'
        f'<desc id="{described}">{_escaped(words.description)}</desc>{body}</svg>'
    )
    return Figure(
        name=words.name,
        title=words.title,
        svg=Markup(page),
        standalone_svg=_standalone(body, words, width, height),
        description=words.description,
        caption=words.caption,
    )


def _standalone(body: str, words: Words, width: float, height: float) -> str:
    lines = textwrap.wrap(words.title, _TITLE_LETTERS)
    above = len(lines) * _TITLE_LINE + 6
    titles = "".join(
        f'<text x="6" y="{number * _TITLE_LINE - above + 13}" font-size="{_TITLE_SIZE}" font-weight="600">'
        f"{_escaped(line)}</text>"
        for number, line in enumerate(lines)
    )
    box = f'viewBox="0 {-above} {width:g} {height + above:g}" width="{width:g}pt" height="{height + above:g}pt"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="{SVG}" {box} {PAINT} font-family="{FONTS}" role="img" color="#000000">\n'
        f"<title>{_escaped(words.title)}</title>\n<desc>{_escaped(words.description)}</desc>\n"
        f'<rect x="0" y="{-above}" width="{width:g}" height="{height + above:g}" fill="#ffffff"/>\n'
        f"{titles}{body}\n</svg>\n"
    )


def _escaped(text: str) -> str:
    return str(escape(fit(text)))


def _cleaned(root: ElementTree.Element, prefix: str) -> ElementTree.Element:
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    for parent in list(root.iter()):
        for child in [each for each in parent if each.tag in _LEFT_OUT]:
            parent.remove(child)
    for element in root.iter():
        _unstyle(element)
    _rename(root, prefix)
    _flatten(root)
    return root


def _unstyle(element: ElementTree.Element) -> None:
    """Turn `style` into attributes, shorten numbers, let black be the page's colour."""
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        if value and name.strip() not in _IN_A_PAGE:
            _declare(element, name.strip(), value.strip())
    if _LINK in element.attrib:
        element.attrib["href"] = element.attrib.pop(_LINK)
    for name, value in list(element.attrib.items()):
        if name in ("fill", "stroke") and value == "#000000":
            element.attrib[name] = "currentColor"
        elif name == "transform" and _NO_TURN.fullmatch(value):
            del element.attrib[name]
        elif name != "id":
            element.attrib[name] = " ".join(_NUMBER.sub(_shortened, value).split())


def _declare(element: ElementTree.Element, name: str, value: str) -> None:
    """One property as an attribute; the shorthand `font`, which is none, as weight and size."""
    if name != "font":
        element.attrib[name] = value.removesuffix("px")
        return
    for word in value.partition("'")[0].split():
        if word.endswith("px"):
            element.attrib["font-size"] = word.removesuffix("px")
        elif word.isdigit() or word == "bold":
            element.attrib["font-weight"] = word
        elif word in ("italic", "oblique"):
            element.attrib["font-style"] = word


def _shortened(match: re.Match[str]) -> str:
    text = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _rename(root: ElementTree.Element, prefix: str) -> None:
    used = dict.fromkeys(_referred(root))
    names = {old: f"{prefix}-{number}" for number, old in enumerate(used, start=1)}
    for element in root.iter():
        old = element.attrib.pop("id", None)
        if old in names:
            element.attrib["id"] = names[old]
        for name, value in element.attrib.items():
            if name == "href":
                element.attrib[name] = f"#{names[value.removeprefix('#')]}"
            elif "url(#" in value:
                element.attrib[name] = _REFERENCE.sub(lambda match: f"url(#{names[match[1]]})", value)


def _referred(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "href":
                yield value.removeprefix("#")
            else:
                yield from _REFERENCE.findall(value)


def _flatten(element: ElementTree.Element) -> None:
    """Groups that say nothing give way to what is in them."""
    for child in list(element):
        _flatten(child)
        if child.tag in ("g", "defs") and not (child.attrib if child.tag == "g" else len(child)):
            place = list(element).index(child)
            element.remove(child)
            for offset, grandchild in enumerate(child):
                element.insert(place + offset, grandchild)


def _text(element: ElementTree.Element) -> str:
    for each in element.iter():
        each.tail = None
        if each.tag not in ("text", "tspan"):
            each.text = None
    return ElementTree.tostring(element, encoding="unicode")
