"""Workbooks as several libraries write them."""

import re
import zipfile
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ROOT = f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'


def cells_of(writer, text, texts):
    """The inside of a cell as a library writes it; `texts` grows by what stands apart."""
    safe = re.sub("[\x00-\x08]", lambda found: f"_x{ord(found[0]):04X}_", escape(text))
    if writer == "formulas" and text.startswith("="):
        return f"><f>{safe[1:]}</f><v>0</v></c>"
    if writer == "inline":
        return f' t="inlineStr"><is><t>{safe}</t></is></c>'
    texts.append(safe)
    return f' t="s"><v>{len(texts) - 1}</v></c>'


def write_workbook(path, rows, writer="shared", sheet=None):
    """A workbook with gaps where a row lacks a column; its first sheet is not called the first."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    texts, lines = [], []
    for number, row in enumerate([dict(zip(names, names, strict=True)), *rows], start=1):
        cells = [
            f'<c r="{chr(65 + place)}{number}"{cells_of(writer, row[name], texts)}'
            for place, name in enumerate(names)
            if name in row
        ]
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    with zipfile.ZipFile(path, "w") as archive:
        sheets = '<sheets><sheet name="x" sheetId="7" r:id="rId2"/><sheet name="y" sheetId="1" r:id="rId1"/></sheets>'
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{sheets}</workbook>')
        named = {"rId1": "none.xml", "rId2": "worksheets/sheet7.xml"}
        targets = "".join(
            f'<Relationship Id="{name}" Type="{OFFICE}/worksheet" Target="{target}"/>' for name, target in named.items()
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{PACKAGE}">{targets}</Relationships>')
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{PACKAGE}">{ROOT}</Relationships>')
        body = f'<worksheet xmlns="{MAIN}"><sheetData>{sheet or "".join(lines)}</sheetData></worksheet>'
        archive.writestr("xl/worksheets/sheet7.xml", body)
        shared = "".join(f"<si><r><t>{each[:1]}</t></r><r><t>{each[1:]}</t></r></si>" for each in texts)
        if writer != "inline":
            archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{shared}</sst>')
    return path
