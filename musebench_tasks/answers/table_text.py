"""Markdown tables, headings and tags as lines of `name: value`, so that they are read like any other text.

A table whose columns are fields gives a line per column, a table of features a line per row, a table of sections a line
`label: start - end` per row. Several rows of one column stay side by side: they are no single value.
"""

import re

_SEPARATOR = re.compile(r"[ |:+=-]*-{2,}[ |:+=-]*")
_FIELD = re.compile(r"\b(?:tempo|bpm|key|tonality|time signature|met(?:er|re))\b", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<name>tempo|bpm|tempo_bpm|key|time_signature|meter|metre)>(?P<value>[^<>]{1,80})</(?P=name)>", re.IGNORECASE
)
_HEADING = re.compile(
    r"^(?P<name>tempo(?: \(bpm\))?|bpm|key|time signature|met(?:er|re)) ?:?\n(?: ?:)? ?(?=[^\s|])",
    re.IGNORECASE | re.MULTILINE,
)
_START = re.compile(r"(?:start|begin(?:s|ning)?|from|onset)\b(?:[ _]?(?:time|s))?(?P<unit>.*)", re.IGNORECASE)
_END = re.compile(r"(?:end|stop|to|until|offset|finish)\b(?:[ _]?(?:time|s))?(?P<unit>.*)", re.IGNORECASE)
_LABEL = re.compile(r"(?:label|section|segment|part|name|type|function|structure)s?\b", re.IGNORECASE)
_SECONDS = re.compile(r"\W*(?:s|secs?|seconds?)?\W*|\W*m{1,2}:ss\W*", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,9})?")


def with_fields_as_lines(text: str) -> str:
    """`text` in which tags (`<key>A minor</key>`) and headings named as fields stand as `name: value`."""
    if "</" in text:
        text = _TAG.sub(lambda found: f"\n{found['name'].replace('_', ' ')}: {found['value'].strip()}\n", text)
    return _HEADING.sub(r"\g<name>: ", text)


def with_tables_as_lines(text: str) -> str:
    """`text` with its markdown tables written as lines; text without tables comes back as it is."""
    if "|" not in text or "--" not in text:
        return text
    lines: list[str] = []
    table: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.count("|") > 1 or (table and line.count("|")):
            table.append(line)
            continue
        lines += _table_lines(table)
        table = []
        lines.append(line)
    return "\n".join(lines[:-1])


def _table_lines(table: list[str]) -> list[str]:
    if len(table) < 3 or not _SEPARATOR.fullmatch(table[1].strip()):
        return table
    header, *rows = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in (table[0], *table[2:]))
    rows = [row for row in rows if len(row) == len(header)]
    starts, ends = (_column(header, pattern) for pattern in (_START, _END))
    if starts is not None and ends is not None:
        return _section_lines(header, rows, starts, ends)
    named = [number for number, name in enumerate(header) if _FIELD.search(name)]
    if named and len(header) > 1 and not (rows and _FIELD.search(rows[0][0])):
        columns = ((header[number], dict.fromkeys(row[number] for row in rows)) for number in named)
        return [f"{name}: {' / '.join(cells)}" for name, cells in columns]
    return [f"{row[0]}: {' | '.join(row[1:])}" for row in rows]


def _column(header: list[str], pattern: re.Pattern[str]) -> int | None:
    """The column that `pattern` names, if its unit, where it names one, is that of time."""
    for number, name in enumerate(header):
        match = pattern.fullmatch(name)
        if match is not None and _SECONDS.fullmatch(match["unit"]):
            return number
    return None


def _section_lines(header: list[str], rows: list[list[str]], start: int, end: int) -> list[str]:
    label = next((at for at, name in enumerate(header) if _LABEL.match(name) and at not in (start, end)), None)
    return [f"- {row[label] if label is not None else ''}: {_time(row[start])} - {_time(row[end])}" for row in rows]


def _time(cell: str) -> str:
    return f"{cell} s" if _NUMBER.fullmatch(cell) else cell
