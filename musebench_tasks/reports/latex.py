r"""Tables as LaTeX, to be put into a paper by `\input`: a `tabular` that needs \usepackage{booktabs} and nothing else.

Names are foreign text: every character that LaTeX reads as a command is escaped, and one that pdfLaTeX cannot print
with its standard fonts is written as its code point, so that the file compiles whatever a system is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from musebench_tasks.pages import PlainTable
from musebench_tasks.pages.text import value_text
from musebench_tasks.reports.table import Cell, Row, Table

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\u2212": "$-$",
    "\u2013": "--",
    "\u2014": "---",
    "\u00b7": r"\textperiodcentered{}",
    "\u00b1": r"$\pm$",
    "\u00a0": "~",
}
r"""What stands for a character. A bracket or star after `\\` would be read as its argument."""

LETTERS = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ")
"""What pdfLaTeX prints as it stands, beside ASCII."""
LIGATURES = frozenset({("-", "-"), ("'", "'"), ("`", "`"), ("?", "`"), ("!", "`")})
"""Neighbours that would be set as one other sign."""


def latex_text(text: str) -> str:
    """`text` so that LaTeX prints it; characters without a glyph as U+XXXX, line ends as blanks."""
    plain = " ".join(text.split())
    pairs = zip(f" {plain}", plain, strict=False)
    return "".join(("{}" if pair in LIGATURES else "") + _character(pair[1]) for pair in pairs)


def score_latex(table: Table) -> str:
    """A table of scores."""
    lines = list(_measures_down(table) if table.measures_down else _systems_down(table))
    return _tabular(table.title, lines, _width(table))


def plain_latex(table: PlainTable) -> str:
    """A table of words and numbers."""
    n_words = len(table.head) if table.n_words is None else table.n_words
    lines = [
        r"\toprule",
        _line(latex_text(each) for each in table.head),
        r"\midrule",
        *(_line(latex_text(each) for each in row) for row in table.rows),
        r"\bottomrule",
    ]
    return _tabular(table.caption, lines, (n_words, len(table.head) - n_words))


def _character(character: str) -> str:
    if character in SPECIAL:
        return SPECIAL[character]
    if " " <= character <= "~" or character in LETTERS:
        return character
    return f"U+{ord(character):04X}"


def _tabular(title: str, lines: Sequence[str], widths: tuple[int, int]) -> str:
    words, numbers = widths
    begin = rf"\begin{{tabular}}{{@{{}}{'l' * words}{'r' * numbers}@{{}}}}"
    return "\n".join((f"% {latex_text(title)}", begin, *lines, r"\end{tabular}", ""))


def _width(table: Table) -> tuple[int, int]:
    across = len(table.rows) if table.measures_down else len(table.columns)
    return 1, across


def _line(cells: Iterator[str] | Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _systems_down(table: Table) -> Iterator[str]:
    columns = table.columns
    yield r"\toprule"
    if table.has_groups:
        yield from _group_heads(table)
    yield _line(["", *(latex_text(each.measure) for each in columns)])
    if any(each.n is not None for each in columns):
        yield _line(["", *(_n(each.n) for each in columns)])
    yield r"\midrule"
    for number, (name, rows) in enumerate(table.row_groups):
        if number and not table.is_one_system:
            yield r"\addlinespace"
        if table.is_one_system:
            yield _row(table, rows[0], name)
            continue
        if name:
            yield _line(
                [rf"\emph{{{latex_text(name)}}}", *(_n(table.group_n(rows, each)) for each in range(len(columns)))]
            )
        yield from (_row(table, row, row.name) for row in rows)
    if table.baselines:
        yield r"\midrule"
        yield from (_row(table, row, row.name) for row in table.baselines)
    yield r"\bottomrule"


def _group_heads(table: Table) -> Iterator[str]:
    heads, rules, first = [""], [], 2
    for name, width in table.groups:
        heads.append(rf"\multicolumn{{{width}}}{{c}}{{{latex_text(name)}}}")
        if name:
            rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
        first += width
    yield _line(heads)
    yield "".join(rules)


def _row(table: Table, row: Row, name: str) -> str:
    pairs = zip(row.cells, table.columns, strict=True)
    cells = (_cell(cell, column.n, row, is_one_system=table.is_one_system) for cell, column in pairs)
    return _line([latex_text(name), *cells])


def _measures_down(table: Table) -> Iterator[str]:
    yield r"\toprule"
    yield _line(["", *(latex_text(row.name) for row in table.rows)])
    yield r"\midrule"
    position = 0
    for number, (name, width) in enumerate(table.groups):
        n = table.shared_n(position, width) if name else None
        if number:
            yield r"\addlinespace"
        if name:
            head = " ".join(filter(None, (rf"\emph{{{latex_text(name)}}}", _n(n))))
            yield rf"\multicolumn{{{len(table.rows) + 1}}}{{@{{}}l}}{{{head}}} \\"
        for column in table.columns[position : position + width]:
            label = " ".join(filter(None, (latex_text(column.measure), _n(column.n) if n is None else "")))
            yield _line([label, *(_cell(row.cells[position], column.n, row) for row in table.rows)])
            position += 1
    yield r"\bottomrule"


def _n(n: int | None) -> str:
    return "" if n is None else rf"{{\scriptsize $n = {n}$}}"


def _cell(cell: Cell, n: int | None, row: Row, *, is_one_system: bool = False) -> str:
    text = latex_text(value_text(cell.value))
    if cell.value is None:
        return text
    if cell.best or cell.second:
        text = rf"\{'textbf' if cell.best else 'underline'}{{{text}}}"
    if cell.spread is not None:
        text += rf" $\pm$ {latex_text(value_text(cell.spread))}"
    if cell.interval is not None:
        low, high = (latex_text(value_text(each, 2)) for each in (cell.interval.low, cell.interval.high))
        text += rf" {{\scriptsize ({low} to {high})}}"
    if cell.n not in (None, 0, n) and not row.is_baseline and (is_one_system or not row.group):
        text += f" {_n(cell.n)}"
    return text
