"""published.yaml and errata.yaml: all that no table could show, or that contradicts itself, is named by its line."""

import json

import pytest

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.strict_text import MOST_PROBLEMS
from musebench_tasks.cli import main
from musebench_tasks.submissions.published import read_published

ROW = {"task": "hummusqa_demo", "system": "Paper", "source": "Tab. 1", "scores": {"accuracy": 0.5, "caa": -0.25}}


def written(path, *rows):
    """published.yaml with a row of four lines each, the first in line 2; a value of None leaves its key out."""
    lines = ["published:"]
    for row in rows:
        told = {key: value for key, value in {**ROW, **row}.items() if value is not None}
        lines += [
            f"  {'-' if not place else ' '} {key}: {json.dumps(value)}"
            for place, (key, value) in enumerate(told.items())
        ]
    path.write_text("\n".join(lines) + "\n")
    return path


UNTRUE = [
    ({"scores": {"accuracy": 61}}, 5, "scores.accuracy", "from 0 to 1, found 61.0. Write shares, not percent."),
    ({"scores": {"accuracy": -0.5}}, 5, "scores.accuracy", "from 0 to 1, found -0.5."),
    ({"scores": {"caa": -1.5}}, 5, "scores.caa", "from -1 to 1, found -1.5."),
    ({"scores": {"brier": 2.5}}, 5, "scores.brier", "from 0 to 2, found 2.5."),
    ({"scores": {"accurracy": 0.5}}, 5, "scores.accurracy", "is no metric (nearest: accuracy)."),
    ({"scores": {}}, 5, "scores", "should not be empty."),
    ({"task": "hummusqa_demmo"}, 2, "task", 'there is no task "hummusqa_demmo" (nearest: hummusqa_demo).'),
    ({"task": "hummusqa_demo.yaml"}, 2, "task", "there is no task"),
    ({"track": "nosuchtrack"}, 6, "track", "should be 'native_audio' or 'tool_assisted', found"),
    (
        {"track": "native_audio"},
        6,
        "track",
        'should be null or "tool_assisted" on hummusqa_demo, found "native_audio".',
    ),
    (
        {"task": "mub_demo", "scores": {"mub.tempo.acc1": 0.5}},
        2,
        "track",
        'should be "native_audio" or "tool_assisted"',
    ),
    ({"system": "x" * 301}, 3, "system", "should have at most 300 characters"),
    ({"system": "a\x1b[2J"}, 3, "system", "should be one line of signs that can be read"),
]


@pytest.mark.parametrize(("row", "line", "key", "said"), UNTRUE, ids=range(len(UNTRUE)))
def test_what_no_table_could_show_is_named_by_line_and_key(tmp_path, row, line, key, said):
    with pytest.raises(InputError) as caught:
        api.validate(written(tmp_path / "published.yaml", row))
    (told,) = str(caught.value).splitlines()
    assert f'published.yaml line {line}, key "published[0].{key}": ' in told
    assert said in told


def test_of_many_rows_the_first_are_told_and_that_there_are_more(tmp_path):
    rows = [{"system": str(number), "scores": {"accuracy": 61}} for number in range(MOST_PROBLEMS + 1)]
    with pytest.raises(InputError) as caught:
        read_published(written(tmp_path / "published.yaml", *rows))
    *told, more = str(caught.value).splitlines()
    assert (len(told), more) == (MOST_PROBLEMS, "and more: correct these first.")


def test_a_system_stands_once_in_a_table(tmp_path):
    path = written(tmp_path / "published.yaml", {}, {"system": "Other"}, {"scores": {"accuracy": 0.9}})
    with pytest.raises(InputError, match=r'line 11, key "published\[2\].system": "Paper" stands in entry 1 already'):
        api.validate(path)
    apart = written(tmp_path / "published.yaml", {}, {"track": "tool_assisted"}, {"task": "musebench_demo"})
    assert len(read_published(apart)) == 3


def test_a_task_of_ones_own_is_given(colours, capsys):
    path = written(colours.folder / "published.yaml", {"task": "colours"})
    assert main(["validate", str(path)]) == 2
    assert 'there is no task "colours". Correct the name; one of your own: --task FILE.' in capsys.readouterr().err
    assert main(["validate", str(path), "--task", str(colours.task_file)]) == 0
    assert "1 valid published row\n" in capsys.readouterr().out


def test_a_board_refuses_what_validate_refuses_and_names_what_no_table_shows(colours):
    path = written(colours.submissions / "published.yaml", {"task": "colours", "track": "tool_assisted"})
    told = []
    colours.build(tell=told.append)
    assert told == [
        f"{path}, row 1 (Paper): no submission is of all items of colours on the track tool_assisted with all of the "
        "sound: it is not shown."
    ]
    written(path, {"task": "colours", "scores": {"accuracy": 61}})
    with pytest.raises(InputError, match="Write shares, not percent"):
        colours.build()


OLD, OLDER = "a" * 64, "b" * 64
CONTRADICTIONS = [
    (f"from_data_sha256: {OLD}\nretired: [x]\nrekeyed: [y, x]\n", 3, 'rekeyed[1]": "x" stands under "retired" too'),
    (f"from_data_sha256: {OLD}\nretired: [x, y, x]\n", 2, 'retired[2]": "x" stands already'),
    (f"from_data_sha256: {OLD}\nrekeyed:\n- x\n- x\n", 4, 'rekeyed[1]": "x" stands already'),
    (
        f"errata:\n- from_data_sha256: {OLD}\n  retired: [x]\n- from_data_sha256: {OLD}\n  rekeyed: [x]\n",
        4,
        'errata[1].from_data_sha256": stands in entry 1 already',
    ),
]


@pytest.mark.parametrize(("text", "line", "said"), CONTRADICTIONS, ids=range(len(CONTRADICTIONS)))
def test_errata_that_contradict_themselves_are_named_by_line(tmp_path, text, line, said):
    path = tmp_path / "errata.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        api.validate(path)
    assert f'errata.yaml line {line}, key "' in str(caught.value)
    assert said in str(caught.value)


def test_an_item_may_be_rekeyed_and_retired_by_two_versions(tmp_path):
    path = tmp_path / "errata.yaml"
    path.write_text(
        f"errata:\n- {{from_data_sha256: {OLD}, retired: [x]}}\n- {{from_data_sha256: {OLDER}, rekeyed: [x]}}\n"
    )
    assert api.validate(path) == "valid errata from 2 older versions"
