"""The first sheet of an .xlsx workbook as rows of text, with the standard library alone (ECMA-376, part 1, clause 18).

Texts stand in a table of their own, in the cell, or, where what a model said begins with `=`, as a formula.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.problems import Problem, reason

MOST_CHARACTERS = 32_767
"""What a cell can hold: whoever writes a longer text cuts it off there."""
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_NAMED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_COLUMN = re.compile(r"[A-Z]+")


def read_workbook(path: Path) -> list[list[str]]:
    """The cells of every row that is written, empty ones as empty texts; rows may differ in length."""
    try:
        with zipfile.ZipFile(path) as archive:
            return list(_rows(archive, _first_sheet(archive), _shared_texts(archive)))
    except (
        zipfile.BadZipFile,
        ElementTree.ParseError,
        OSError,
        LookupError,
        ValueError,
        NotImplementedError,
    ) as problem:
        found = f"{path}: cannot be read as a workbook ({reason(problem)})."
        advice = "Save the sheet as .csv and import that; VLMEvalKit writes .tsv itself with PRED_FORMAT=tsv."
        raise InputError(Problem(found, advice)) from problem


def _first_sheet(archive: zipfile.ZipFile) -> str:
    sheet = ElementTree.fromstring(archive.read("xl/workbook.xml")).find(f"{_MAIN}sheets/{_MAIN}sheet")
    if sheet is None:
        raise LookupError("no sheet in it")
    targets = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    target = next(each.attrib["Target"] for each in targets if each.attrib["Id"] == sheet.attrib[_NAMED])
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"


def _shared_texts(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    return [_text(each) for each in ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))]


def _rows(archive: zipfile.ZipFile, sheet: str, shared: list[str]) -> Iterator[list[str]]:
    with archive.open(sheet) as file:
        for _, row in ElementTree.iterparse(file):
            if row.tag == f"{_MAIN}row":
                cells: list[str] = []
                for cell in row:
                    place = _place(cell.get("r"), len(cells))
                    cells += [""] * (place - len(cells))
                    cells.append(_value(cell, shared))
                yield cells
                row.clear()


def _place(reference: str | None, following: int) -> int:
    """The column of a cell, from 0: `B7` is 1; that after the last one where a cell does not say."""
    found = _COLUMN.match(reference or "")
    if found is None:
        return following
    place = 0
    for letter in found[0]:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    kind, value, formula = cell.get("t"), cell.find(f"{_MAIN}v"), cell.find(f"{_MAIN}f")
    if formula is not None:
        return f"={_unescaped(formula.text or '')}"
    if kind == "inlineStr":
        inside = cell.find(f"{_MAIN}is")
        return "" if inside is None else _text(inside)
    text = (value.text if value is not None else None) or ""
    if kind == "s" and text:
        return shared[int(text)]
    return {"1": "True", "0": "False"}.get(text, text) if kind == "b" else _unescaped(text)


def _text(element: ElementTree.Element) -> str:
    """A text, also of runs in several styles; not how it is pronounced."""
    runs = [each for each in element if each.tag in (f"{_MAIN}t", f"{_MAIN}r")]
    texts = [each if each.tag == f"{_MAIN}t" else each.find(f"{_MAIN}t") for each in runs]
    return _unescaped("".join(each.text or "" for each in texts if each is not None))


def _unescaped(text: str) -> str:
    """Characters that XML cannot hold stand as `_x0007_`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
