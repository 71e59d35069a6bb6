"""Tables as spreadsheets really save them: what stands around the cells, and what was once used and is empty now."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.items.files import data_files
from musebench_tasks.items.tables import read_table
from tests.fakes.workbooks import write_workbook

HEAD, ROWS = ["id", "asks"], [["1", "why"], ["2", "how"]]
PLAIN = [{"id": "1", "asks": "why"}, {"id": "2", "asks": "how"}]


def read(folder, text, name="rows.csv"):
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(folder, [file])


def written(separator=",", end="\n", empty_columns=0, empty_rows=0, before=""):
    lines = [HEAD, *ROWS, *([["", ""]] * empty_rows)]
    return before + "".join(separator.join([*line, *[""] * empty_columns]) + end for line in lines)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("columns", "rows"), [(0, 0), (1, 0), (3, 0), (0, 2), (2, 3)])
def test_what_surrounds_the_cells_is_not_read(tmp_path, mark, separator, end, columns, rows):
    table = read(tmp_path, mark + written(separator, end, columns, rows).encode())
    assert (table.columns, table.rows) == (("id", "asks"), PLAIN)


@pytest.mark.parametrize(
    "text",
    [
        written(";", "\r\n", before="sep=;\r\n"),
        written("|", before='"sep=|"\n'),
        written(before="\n \n"),
        written() + " , \n,\n\n",
        "id,asks\n1,why,,\n2,how\n",
        "id,asks,\n1,why\n2,how,\n",
    ],
)
def test_other_forms_of_the_same_rows(tmp_path, text):
    assert read(tmp_path, text).rows == PLAIN


def test_an_empty_row_between_others_is_a_row(tmp_path):
    assert read(tmp_path, "id,asks\n1,why\n,\n2,how\n").rows == [PLAIN[0], {"id": None, "asks": None}, PLAIN[1]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id,asks,\n1,why,more\n", "row 1 has another number of cells than the head line: 3, not 2"),
        ("id,,asks,,more\n", "2 columns of the head line have no name. Name or remove them"),
        ('sep=;\nid;asks\n1;"why"x\n', "row 1, up to line 3: text follows a closing quote"),
    ],
)
def test_what_would_be_lost_is_told(tmp_path, text, line):
    with pytest.raises(InputError, match=line):
        read(tmp_path, text)


@pytest.mark.parametrize(("name", "text"), [("ROWS.CSV", written()), ("ROWS.JSONL", '{"id": "1"}\n')])
def test_the_case_of_an_ending_is_no_matter(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    files = data_files(tmp_path, None, "default", "test")[1]
    assert [file.name for file in files] == [name]
    assert read_table(tmp_path, files).rows[0]["id"] == "1"


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["rows.tsv"], ["rows.tsv"]),
        (["ROWS.TSV", "beats/q1.tsv"], ["ROWS.TSV"]),
        (["rows.csv", "beats/q1.tsv", ".hidden.tsv"], ["rows.csv"]),
        (["train.tsv", "test.tsv"], ["test.tsv"]),
        (["rows.csv", "rows.tsv"], None),
        (["a.tsv", "b.tsv"], None),
        (["beats/q1.tsv"], None),
    ],
)
def test_a_tsv_file_is_a_table_where_it_lies_in_the_folder_itself(tmp_path, names, found):
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(written("\t"), encoding="utf-8")
    if found is None:
        with pytest.raises(InputError, match="which file holds the split|.csv, .tsv file in it"):
            data_files(tmp_path, None, "default", "test")
        return
    files = data_files(tmp_path, None, "default", "test")[1]
    assert [file.name for file in files] == found
    assert read_table(tmp_path, files).rows == PLAIN


TYPED = (
    "<row r='2'><c r='A2' t='inlineStr'><is><t>id</t></is></c><c r='B2' t='inlineStr'><is><t>asks</t></is></c></row>"
    "<row r='3'><c r='A3'><v>7</v></c><c r='B3'><v>1.5</v></c></row>"
    "<row r='5'><c r='A5' t='b'><v>1</v></c></row><row r='6'><c r='C6' t='inlineStr'><is><t> </t></is></c></row>"
)


@pytest.mark.parametrize("writer", ["shared", "inline"])
def test_the_first_sheet_of_a_workbook_is_a_table(tmp_path, writer):
    table = read_table(tmp_path, [write_workbook(tmp_path / "rows.xlsx", PLAIN, writer)])
    assert (table.columns, table.rows) == (("id", "asks"), PLAIN)


def test_numbers_of_a_workbook_are_text_as_in_a_table_of_text(tmp_path):
    table = read_table(tmp_path, [write_workbook(tmp_path / "rows.xlsx", [], sheet=TYPED)])
    gap, last = {"id": None, "asks": None}, {"id": "True", "asks": None}
    assert table.rows == [{"id": "7", "asks": "1.5"}, gap, last]


def test_a_cell_without_a_column_is_told(tmp_path):
    sheet = TYPED.replace("<t> </t>", "<t>stray</t>")
    with pytest.raises(InputError, match="row 4 has more cells than the head line"):
        read_table(tmp_path, [write_workbook(tmp_path / "rows.xlsx", [], sheet=sheet)])
