"""All that is wrong with the rows of a sheet is told at once, each fault once, and comes back in one sheet."""

import csv
import json

import pytest
from fakes.sheets import ABOUT, TASK, question, tone, write_csv, write_wav

from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.rules.findings import gathered, row_ranges
from musebench_tasks.assembly.sheet import of_findings, write_errors_sheet
from musebench_tasks.assembly.source_checks import check_source
from musebench_tasks.base.errors import InputError
from musebench_tasks.cli import main

OPTIONS = ["It ends their talk", "It starts the chase", "It is never heard", "It only marks the hour"]
STRATEGIES = ["temporal confusion", "factual error", "over-simplification"]
SPREAD = {
    "correct_1": OPTIONS[0],
    **{f"distractor_{n}": OPTIONS[n] for n in (1, 2, 3)},
    **{f"strategy_{n}": STRATEGIES[n - 1] for n in (1, 2, 3)},
}
MUSEBENCH = {
    "id": "q1",
    "video": "",
    "category": "Cinematic",
    "subdomain": "Sound",
    "question": "What does the bell in the yard do to the scene?",
    "alignment": "audio",
    "core_intent": "a bell as turning point",
    "license": "CC-BY-4.0",
    "attribution": "us",
}
HUMMUSQA = {
    "identifier": "h1",
    "audio": "low.wav",
    "question": "Which instrument plays?",
    "answer": "Flute",
    "distractor_1": "Oboe",
    "distractor_2": "Horn",
    "distractor_3": "Lute",
    "main_category": "Instrumentation",
    "difficulty": "Low",
    "excerpt_start_time": "0:00",
    "excerpt_end_time": "0:40",
    "jamendo_id": "1",
    "song_name": "Air",
    "artist_name": "Us",
    "song_license_url": "https://creativecommons.org/licenses/by/4.0/",
}
MUB = {
    "id": "m1",
    "audio": "low.wav",
    "tempo_bpm": "120",
    "beat_unit": "1/4",
    "key": "C major",
    "time_signature": "4/4",
    "segments": '[{"start_s": 0, "end_s": 3, "label": "A"}]',
    "license": "CC0-1.0",
    "attribution": "us",
}
FAULTS = [
    ("musebench", MUSEBENCH | SPREAD, {"license": "", "category": "Stage", "strategy_1": "foo"},
     {"RIGHTS", "VOCABULARY", "STRATEGY"}),
    ("musebench", MUSEBENCH | SPREAD, {"distractor_3": "", "question": "Why the &amp; bell?", "license": "CC BY"},
     {"STRATEGY", "OPTION_COUNT", "TEXT_BROKEN", "RIGHTS"}),
    ("musebench", MUSEBENCH | SPREAD, {"correct_1": "", "start_s": "soon", "alignment": "smell", "strategy_1": "foo"},
     {"EMPTY_ANSWER_SET", "ROW_UNREADABLE", "VOCABULARY", "STRATEGY"}),
    ("hummusqa", HUMMUSQA,
     {"answer": "", "excerpt_end_time": "0:20", "song_license_url": "CC BY", "difficulty": "Hard"},
     {"EMPTY_ANSWER_SET", "EXCERPT_LENGTH", "RIGHTS", "VOCABULARY"}),
    ("mub", MUB, {"tempo_bpm": "fast", "key": "H major", "license": ""}, {"ROW_UNREADABLE", "KEY_SPELLING", "RIGHTS"}),
    ("mub", MUB, dict.fromkeys(("tempo_bpm", "beat_unit", "key", "time_signature", "segments"), ""), {"CELL_MISSING"}),
    ("mub", MUB, {"tempo_bpm": "", "key": ""}, set()),
]  # fmt: skip


def stopping(folder, target, *rows):
    write_csv(folder / "rows.csv", rows)
    return [(each.code, each.column) for each in check_source(folder, target, media=False).findings.stopping]


@pytest.mark.parametrize(("name", "row", "changes", "tags"), FAULTS)
def test_each_fault_of_a_row_is_told_once_whatever_the_others(tmp_path, name, row, changes, tags):
    found = stopping(tmp_path, name, {**dict.fromkeys(changes, ""), **row, **changes})
    assert {tag for tag, _ in found} == tags
    assert len(set(found)) == len(found)


LISTED = {"options": json.dumps(OPTIONS), "answer": OPTIONS[0], "distractor_strategies": json.dumps(STRATEGIES)}
IDS = {
    "options": json.dumps([{"id": name, "text": text} for name, text in zip("abcd", OPTIONS, strict=True)]),
    "answer": '["a"]',
    "distractor_strategies": json.dumps(
        [{"id": name, "strategy": text} for name, text in zip("bcd", STRATEGIES, strict=True)]
    ),
}
FORMS = {
    "texts": LISTED,
    "ids": IDS,
    "letter": LISTED | {"answer": "A"},
    "by text": LISTED | {"answer": "", "correct_answer": OPTIONS[0]},
    "both": IDS | {"correct_answer": json.dumps(OPTIONS[:1])},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_options_may_be_written_in_every_form_that_the_page_names(tmp_path, form):
    assert stopping(tmp_path, "musebench", MUSEBENCH | {"kind": ""} | form) == []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"options": "It ends"}, ("ROW_UNREADABLE", "options")),
        ({"answer": "It begins"}, ("LABEL_OUT_OF_RANGE", "answer")),
        ({"answer": ""}, ("EMPTY_ANSWER_SET", "answer")),
        ({"distractor_strategies": json.dumps(STRATEGIES[:2])}, ("STRATEGY", "distractor_strategies")),
        ({"distractor_strategies": ""}, ("CELL_MISSING", "distractor_strategies")),
        ({"options": json.dumps([*OPTIONS[:3], OPTIONS[0]])}, ("DUPLICATE_OPTIONS", "options")),
        ({"correct_answer": OPTIONS[1]}, ("STEM_OPTIONS_MISMATCH", "correct_answer")),
        ({"options": IDS["options"].replace('"a"', '"0123abcd"'), "answer": "A"}, ("STEM_OPTIONS_MISMATCH", "options")),
    ],
)
def test_what_is_wrong_with_listed_options_is_told_once(tmp_path, changes, fault):
    assert stopping(tmp_path, "musebench", MUSEBENCH | LISTED | {"correct_answer": ""} | changes) == [fault]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_wav(tmp_path / "source" / "low.wav", tone(220))
    (tmp_path / "source" / "page.wav").write_text("<!DOCTYPE html>", encoding="utf-8")
    (tmp_path / "source" / "about.yaml").write_text(ABOUT, encoding="utf-8")
    (tmp_path / "task.yaml").write_text(json.dumps(TASK.model_dump(mode="json", exclude_none=True)))
    return tmp_path / "source"


def test_one_column_empty_in_all_rows_is_one_line(folder, tmp_path):
    (folder / "about.yaml").write_text("creators: [We]\n", encoding="utf-8")
    write_csv(folder / "rows.csv", [question(f"q{n}", "low.wav", asks=f"What is {n}?") for n in range(30)])
    with pytest.raises(InputError) as told:
        build_dataset(folder, tmp_path / "out", TASK, BuildSettings())
    (line, sheet) = str(told.value).splitlines()
    assert 'rows.csv rows 1-30, column "license": is empty.' in line
    assert "30 of 30 rows" in sheet
    findings = check_source(folder, TASK, media=False).findings
    assert [line for _, line in gathered(findings.stopping)] == [line]
    assert {(each.severity.name, each.code) for each in findings.stopping} == {("HIGH", "RIGHTS")}


def test_the_sheet_of_a_build_is_that_of_a_check_and_builds_once_it_is_corrected(folder, capsys):
    rows = [
        question("q1", "low.wav"),
        question("q2", "page.wav", asks="And then?"),
        question("q3", "none.wav", right=""),
    ]
    write_csv(folder / "rows.csv", rows)
    common = ["--task", "task.yaml"]
    assert main(["data", "build", "source", *common, "--out", "repo"]) == 2
    built = (folder / "rows.errors.csv").read_bytes()
    assert main(["data", "check", "source", *common, "--sheet", "source/checked.errors.csv"]) == 2
    assert "3 rows: 1 without a remark, 2 to be put right." in capsys.readouterr().out
    assert (folder / "checked.errors.csv").read_bytes() == built
    with (folder / "rows.errors.csv").open(encoding="utf-8", newline="") as file:
        returned = list(csv.DictReader(file))
    assert [bool(row["problems"]) for row in returned] == [False, True, True]
    write_csv(folder / "rows.errors.csv", [row | {"file": "low.wav", "right": "It rises"} for row in returned])
    capsys.readouterr()
    assert main(["data", "build", "source/rows.errors.csv", *common, "--out", "repo"]) == 0
    said = capsys.readouterr().out
    assert "3, 1 medium" in said
    assert "problems" not in said
    assert (folder / "rows.errors.csv").exists()


def test_nothing_is_replaced_that_is_not_such_a_sheet(folder, capsys):
    write_csv(folder / "rows.csv", [question("q1", "low.wav", right="")])
    command = ["data", "check", "source/rows.csv", "--task", "task.yaml", "--items-only", "--sheet"]
    before = (folder / "rows.csv").read_bytes()
    assert main([*command, "source/rows.csv"]) == 2
    assert "source/rows.csv: is there already, with other content. Give another name" in capsys.readouterr().err
    assert main([*command, "nowhere/rows.csv"]) == 2
    assert "there is no folder nowhere" in capsys.readouterr().err
    for _ in range(2):
        assert main([*command, "checked.csv"]) == 2
        assert "checked.csv: 1 of 1 rows" in capsys.readouterr().out
    assert (folder / "rows.csv").read_bytes() == before
    write_csv(folder / "rows.errors.csv", [question("q1", "low.wav", right="By hand") | {"problems": "x"}])
    assert main(["data", "build", "source", "--task", "task.yaml", "--out", "repo"]) == 2
    assert "source/rows.errors.csv: holds other rows than the table" in capsys.readouterr().err
    assert "By hand" in (folder / "rows.errors.csv").read_text()


@pytest.mark.parametrize(("mark", "separator"), [("\ufeff", ";"), ("", ","), ("\ufeff", "\t")])
def test_the_sheet_is_written_as_the_table_was(folder, mark, separator):
    head, cells = zip(*question("q1", "löw.wav").items(), strict=True)
    text = mark + "\n".join(separator.join(line) for line in (head, cells))
    (folder / "rows.csv").write_text(text, encoding="utf-8")
    checked = check_source(folder, TASK, media=False)
    write_errors_sheet(folder / "rows.errors.csv", checked.table, of_findings(checked.table, checked.findings))
    written = (folder / "rows.errors.csv").read_text(encoding="utf-8")
    assert written.splitlines()[0] == mark + separator.join([*head, "problems"])


def test_rows_that_a_task_leaves_out_come_back_too(folder, tmp_path):
    write_csv(folder / "rows.csv", [question("q1", "low.wav", part="a", right=""), question("q2", "x.wav", part="b")])
    chosen = TASK.model_copy(update={"rows": {"part": "a"}})
    with pytest.raises(InputError, match="1 of 1 rows"):
        build_dataset(folder, tmp_path / "out", chosen, BuildSettings())
    with (folder / "rows.errors.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["nr"], bool(row["problems"])) for row in csv.DictReader(file)] == [("q1", True), ("q2", False)]


def test_tables_beside_the_table_are_not_taken_for_it(folder):
    write_csv(folder / "rows.csv", [question("q1", "low.wav")])
    for name in ("repo.errors.csv", "~$rows.csv", ".~lock.rows.csv"):
        write_csv(folder / name, [question("q1", "low.wav")])
    (folder / "media").mkdir()
    (folder / "media" / "low.info.json").write_text('{"title": "Low"}')
    assert check_source(folder, TASK, media=False).table.origins[0].file.name == "rows.csv"


def test_an_empty_window_is_one_fault(folder, tmp_path):
    times = [("2", "1"), ("3", "3"), ("1", "9"), ("7", "9")]
    rows = [question(f"q{n}", "low.wav", asks=f"Why {n}?", **dict(zip(("from", "to"), each, strict=True)))
            for n, each in enumerate(times)]  # fmt: skip
    write_csv(folder / "rows.csv", rows)
    with pytest.raises(InputError) as told:
        build_dataset(folder, tmp_path / "out", TASK, BuildSettings())
    assert [line.split("row ")[1][:16] for line in str(told.value).splitlines()[:-1]] == [
        f'{n}, column "to": ' [:16] for n in range(1, 5)
    ]  # fmt: skip


def test_what_is_left_out_of_the_lines_is_counted(folder, capsys):
    rows = [question(f"q{n}", "low.wav", asks=f"Why does it go on {'so ' * n}?") for n in range(1, 9)]
    write_csv(folder / "rows.csv", [row | {"right": f"It rises  {n}"} for n, row in enumerate(rows)])
    command = ["data", "check", "source", "--task", "task.yaml", "--items-only"]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert told.count("TEXT_UNTIDY  ") == 3 + 1
    assert "and more lines like these: 5 of TEXT_UNTIDY" in told
    assert main([*command, "--all"]) == 0
    assert capsys.readouterr().out.count("TEXT_UNTIDY  ") == 8 + 1


def test_numbers_of_rows_are_short():
    assert row_ranges([3, 1, 2, 7, 9, 10]) == "1-3, 7, 9-10"
    assert row_ranges(range(0, 40, 2)) == "0, 2, 4, 6, 8, 10, 12, 14 and 12 more"


WORKS = TASK.model_copy(update={"columns": TASK.columns.model_copy(update={"cluster_id": "work"})})


@pytest.mark.parametrize("target", [WORKS, "mub"], ids=["own", "mub"])
def test_a_medium_in_several_clusters_is_found_under_any_name(folder, target):
    (folder / "copy.wav").write_bytes((folder / "low.wav").read_bytes())
    files = ("low.wav", "low.wav", "copy.wav")
    works = ("x", "x", "y")
    if target == "mub":
        rows = [MUB | {"id": f"m{n}", "audio": files[n], "cluster_id": works[n]} for n in range(3)]
    else:
        rows = [question(f"q{n}", files[n], asks=f"Why {n}?", work=works[n]) for n in range(3)]
    write_csv(folder / "rows.csv", rows)
    found = [each for each in check_source(folder, target).findings if each.code == "CLUSTER"]
    assert [(each.row, each.found) for each in found] == [(3, '"y", but row 1 has the same medium and cluster "x".')]
    if target != "mub":
        built = build_dataset(folder, folder.parent / "built", target, BuildSettings())
        assert any(note.startswith("CLUSTER: 1 (first: q2)") for note in built.notes)
        found = [each for each in check_source(built.directory, target).findings if each.code == "CLUSTER"]
        assert [each.row for each in found] == [3]


def test_a_folder_with_a_table_and_its_task_is_checked_as_it_is_built(folder, capsys):
    write_csv(folder / "rows.csv", [question("q1", "low tone.wav", right="")])
    (folder / "low.wav").rename(folder / "low tone.wav")
    (folder / "page.wav").unlink()
    assert main(["data", "check", "source"]) == 0
    told = capsys.readouterr().out
    assert "note  source/rows.csv: its rows are not looked at. Say what it holds: --as musebench" in told
    assert "flag  low tone.wav: name: " in told
    (folder.parent / "task.yaml").rename(folder / "task.yaml")
    text = (folder / "task.yaml").read_text()
    (folder / "task.yaml").write_text(
        "task: listening\n"
        + "columns: "
        + json.dumps(json.loads(text)["columns"])
        + """
dataset_path: nowhere
protocol: {media: [audio]}
metric_list: [{metric: accuracy}]
metadata: {version: 1.0, headline: accuracy}
"""
    )
    assert main(["data", "check", "source"]) == 2
    assert 'EMPTY_ANSWER_SET  source/rows.csv row 1 (q1), column "right"' in capsys.readouterr().out


def test_an_id_in_label_like_that_no_row_has_is_told(folder, tmp_path):
    (folder / "about.yaml").write_text(ABOUT + "label_like: [q11]\n", encoding="utf-8")
    write_csv(folder / "rows.csv", [question("q1", "low.wav")])
    with pytest.raises(InputError, match=r'"q11", which is the id of no row \(nearest: q1\)'):
        build_dataset(folder, tmp_path / "out", TASK, BuildSettings())


@pytest.mark.parametrize(
    "cell", ['["It falls","It stays"', "It falls, It stays", '["It falls" "It stays"]', "{It falls"]
)
def test_a_cell_that_is_no_list_is_told_by_check_and_build(folder, tmp_path, cell):
    columns = TASK.columns.model_copy(update={"distractors": "bad"})
    task = TASK.model_copy(update={"columns": columns})
    rows = [question(number, "low.wav", bad=bad) for number, bad in (("q1", '["It falls"]'), ("q2", cell))]
    write_csv(folder / "rows.csv", rows)
    (line,) = [each for each in check_source(folder, task, media=False).findings.lines if "row 2" in each]
    assert 'rows.csv row 2 (q2), column "bad": ' in line
    with pytest.raises(InputError, match='rows.csv row 2, column "bad": '):
        build_dataset(folder, tmp_path / "built", task, BuildSettings())
    assert not (tmp_path / "built").exists()


@pytest.mark.parametrize("group", ["distractor", "strategy"])
def test_a_group_in_one_column_is_a_list(folder, group):
    told = {"distractor": OPTIONS[1:], "strategy": STRATEGIES}[group]
    kept = {name: text for name, text in SPREAD.items() if not name.startswith(group)}
    for cell, is_list in ((json.dumps(told), True), (json.dumps(told)[:-1], False), ("; ".join(told), False)):
        write_csv(folder / "rows.csv", [MUSEBENCH | kept | {"video": "low.wav", group: cell}])
        lines = check_source(folder, "musebench", media=False).findings.lines
        assert any(f'column "{group}": ' in line for line in lines) != is_list
