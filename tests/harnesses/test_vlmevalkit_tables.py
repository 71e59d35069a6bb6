"""Tables of VLMEvalKit become runs: by item, by the order that the texts of options show, without guesses."""

import csv
import json

import pytest
from fakes.harness_logs import asked, imported_lines, read

from musebench_tasks.api import import_log
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import LETTERS
from musebench_tasks.harnesses.questions import questions


def vlmevalkit_rows(task="musebench_demo"):
    _, items = questions(task)
    rows = []
    for document in asked(task):
        options = [option.text for option in items[document["item_id"]].options]
        row = {"index": document["item_id"], "question": document["question"], "answer": "C", "prediction": "B"}
        rows.append(row | dict(zip(LETTERS, options, strict=False)))
    rows[1]["prediction"] = "Failed to obtain answer via API."
    return rows


def write_table(path, rows):
    if path.suffix == ".json":
        path.write_text(json.dumps(rows))
        return path
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, names, delimiter="\t" if path.suffix == ".tsv" else ",")
        table.writeheader()
        table.writerows(rows)
    return path


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".json"])
def test_tables_of_vlmevalkit_become_runs(suffix, tmp_path):
    (tmp_path / "Tiny-VL").mkdir()
    path = write_table(tmp_path / "Tiny-VL" / f"Tiny-VL_MuseBench{suffix}", vlmevalkit_rows())
    imported = import_log("vlmevalkit", path, task="musebench_demo", out=tmp_path / "run", condition="no_audio")
    lines = imported_lines(imported)
    assert [line["status"] for line in lines] == ["ok", "backend_error", "ok", "ok"]
    item = questions("musebench_demo").items[lines[0]["item_id"]]
    assert lines[0]["parsed"] == [item.option_ids[1]]
    assert imported.card.system == "Tiny-VL"
    assert imported.left_null[-1] == "harness.version"


def test_a_table_in_another_order_or_without_texts_is_refused(tmp_path):
    rows = vlmevalkit_rows()
    rows[0]["A"], rows[0]["B"] = rows[0]["B"], rows[0]["A"]
    rows[2]["D"] = "Nothing of the kind"
    path = write_table(tmp_path / "x.csv", rows)
    with pytest.raises(InputError) as refused:
        read("vlmevalkit", path, "musebench_demo", "full")
    told = str(refused.value).splitlines()
    assert "row 2: the options of" in told[0]
    assert 'row 4: "Nothing of the kind" is no option of' in told[1]
    for row in vlmevalkit_rows("hummusqa_demo"):
        bare = {name: row[name] for name in ("index", "prediction")} | {"run": 0, "condition": "full"}
        with pytest.raises(InputError, match="does not tell in which order"):
            read("vlmevalkit", write_table(tmp_path / "y.csv", [bare]), "hummusqa_demo")


def test_a_run_is_known_by_its_order_alone_where_no_other_has_it(tmp_path):
    _, items = questions("hummusqa_demo")
    document = asked("hummusqa_demo", "full", 2)[1]
    texts = {option.id: option.text for option in items[document["item_id"]].options}
    row = {"index": document["item_id"], "condition": "full", "prediction": "A"}
    row |= {letter: texts[each] for letter, each in zip(LETTERS, document["option_order"], strict=False)}
    found = read("vlmevalkit", write_table(tmp_path / "x.json", [row]), "hummusqa_demo")
    assert [(each.run, each.option_order) for each in found.predictions] == [(1, tuple(document["option_order"]))]


def test_other_tables_say_what_to_do(tmp_path):
    for name, content, told in (
        ("x.csv", "index,predictions\n1,A\n", r'row 2: has no column "prediction" \(nearest: predictions\)'),
        ("x.csv", 'index,A,prediction\n1,a,"b"\n2,a\n', "row 3: has fewer cells than the first row"),
        ("x.json", '[{"index": 1, "prediction": "A"}, {"index": 2}]', 'row 2: has no column "prediction"'),
        ("x.csv", "index,prediction\n", "holds no rows"),
        ("x.pkl", "", r"ends in \.xlsx, \.tsv, \.csv or \.json"),
        ("x.xlsx", "", r"cannot be read as a workbook .* Save the sheet as \.csv"),
        ("x.json", "{}", "is no list of rows"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match=told):
            read("vlmevalkit", tmp_path / name, "musebench_demo", "full")
