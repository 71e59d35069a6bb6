import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.records import Interval
from musebench_tasks.pages import PlainTable
from musebench_tasks.reports.latex import latex_text, plain_latex, score_latex
from musebench_tasks.reports.table import Cell, Column, Row, Table

SAFE = re.compile(
    r"(\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|textperiodcentered)\{\}"
    r"|\\[{}$&#%_]|\{[\[\]*]\}|\{\}|\$(-|\\pm)\$|~|[^\\{}$&#%_^~\[\]*\n])*"
)
HOSTILE = "*[2cm] \\input{/etc/passwd} $x_1^2$ 100% & more #1 ~ \n\\\\ {} -- 中"


def cell(value, **more):
    return Cell(value, Interval(low=value - 0.1, high=value + 0.1, method="wilson"), 12, **more)


def table(**more):
    columns = (Column("accuracy", n=12), Column("CAA", "Stage & Co", 12), Column("EM", "Stage & Co", 12))
    rows = (
        Row(HOSTILE, (cell(0.9, best=True), cell(-0.25, second=True), Cell())),
        Row("b", (cell(0.5, spread=0.02), cell(0.1), cell(0.2))),
        Row("chance", (Cell(0.2), Cell(0.0), Cell()), is_baseline=True, kind="baseline"),
    )
    return Table(**{"title": HOSTILE, "task": "t", "columns": columns, "rows": rows, **more})


def grouped():
    rows = [Row(name, (cell(0.5),) * 3, group=group) for group in ("Film & TV", "Stage") for name in ("a", "b")]
    return table(rows=tuple(rows))


@pytest.mark.parametrize("shown", [table(), table(measures_down=True), grouped()], ids=["across", "down", "groups"])
def test_every_line_has_the_cells_that_the_table_has(shown):
    text = score_latex(shown)
    begin = re.search(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", text)[1]
    body = text[text.index(begin) :].splitlines()[1:-1]
    assert text.endswith("\\end{tabular}\n")
    assert [text.count(rule) for rule in ("\\toprule", "\\bottomrule")] == [1, 1]
    lines = [line for line in body if line.endswith(r"\\")]
    rules = ("\\toprule", "\\midrule", "\\bottomrule", "\\addlinespace", "\\cmidrule")
    assert all(line.startswith(rules) for line in body if line not in lines)
    for line in lines:
        spans = [int(each) for each in re.findall(r"\\multicolumn\{(\d+)\}", line)]
        cells = len(re.findall(r"(?<!\\)&", line)) + 1
        assert cells - len(spans) + sum(spans) == len(begin)
    assert balanced(text)


def balanced(text):
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", text.replace("\\\\", "")):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    return depth == 0


def test_best_and_second_are_marked_and_signs_are_true():
    text = score_latex(table())
    assert r"\textbf{0.900} {\scriptsize (0.80 to 1.00)}" in text
    assert r"\underline{$-$0.250}" in text
    assert r"0.500 $\pm$ 0.020" in text
    assert r"\cmidrule(lr){3-4}" in text


def test_a_hostile_name_is_only_text():
    first = next(line for line in score_latex(table()).splitlines() if "input" in line and not line.startswith("%"))
    assert first.startswith(
        r"{*}{[}2cm{]} \textbackslash{}input\{/etc/passwd\} \$x\_1\textasciicircum{}2\$ 100\% \& more"
    )
    assert "U+4E2D" in first
    assert "-{}-" in first


@given(st.text())
def test_no_text_leaves_its_place(text):
    assert SAFE.fullmatch(latex_text(text))


def test_words_and_numbers_are_set_apart():
    text = plain_latex(PlainTable("Changes", ("system", "minus", "p"), (("a", "b_c", "0.010"),), n_words=2))
    assert r"\begin{tabular}{@{}llr@{}}" in text
    assert r"a & b\_c & 0.010 \\" in text
