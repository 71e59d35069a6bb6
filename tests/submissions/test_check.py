"""What a pull request's check refuses, by name."""

import json
import re
import shutil
import zipfile

import pytest
import yaml
from fakes.submissions import edit_predictions, edit_run, hand_in

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import sha256_of
from musebench_tasks.cli import main


def refused(colours, folder):
    with pytest.raises(InputError) as caught:
        colours.check(folder)
    return str(caught.value)


def sealed(folder):
    """Hashes of submission.yaml made to fit, as somebody who tampers would."""
    path = folder / "submission.yaml"
    told = yaml.safe_load(path.read_text())
    told |= {
        "run_sha256": sha256_of(folder / "run.yaml"),
        "predictions_sha256": sha256_of(folder / "predictions.jsonl"),
    }
    path.write_text(yaml.safe_dump(told))


def text_of(folder, name, change):
    path = folder / name
    path.write_text(change(path.read_text()))
    sealed(folder)


@pytest.fixture
def loose(submission, colours):
    """The submission where no place is asked of it."""
    return shutil.copytree(submission, colours.folder / "handed")


def test_what_submit_writes_is_valid(colours, submission):
    checked = colours.check(submission)
    assert (checked.card.system, len(checked.predictions)) == ("ash", 12)
    assert checked.card == checked.stored


def test_the_command_is_the_same_check(colours, submission, capsys):
    assert main(["validate", str(submission), "--task", str(colours.task_file)]) == 0
    assert "valid submission of colours · ash, 12 predictions, by Ada" in capsys.readouterr().out
    (submission / "predictions.jsonl").unlink()
    assert main(["validate", str(submission), "--as", "submission", "--task", str(colours.task_file)]) == 2
    assert "predictions.jsonl is missing, and scores alone cannot be checked" in capsys.readouterr().err


def doubled(text):
    return text + text.splitlines()[0] + "\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (doubled, 'line 13: item "item-00", run 0, condition full is predicted twice'),
        (lambda text: text.replace("item-03", "item-30"), '"item-30" is no item of the benchmark (nearest: item-'),
        (lambda text: "".join(text.splitlines(True)[1:]), "1 of 12 planned requests are missing under full"),
        (lambda text: text.replace('"run":0', '"run":1', 1).replace('"run": 0', '"run": 1', 1), "was not planned"),
        (lambda text: "\ufeff" + text, "begins with a byte order mark. Save it as UTF-8 without one."),
        (lambda text: text.replace("}\n", ",}\n", 1), "line 1: a comma stands before a closing bracket. Remove it."),
        (lambda text: text.replace('"flags": []', '"flags": [NaN]', 1), "line 1: NaN is no number of JSON"),
        (lambda text: text.replace('"flags": []', '"flags": [1e999]', 1), "line 1: 1e999 is no number of JSON"),
        (lambda text: text.replace("{", '{"run": 0, ', 1), 'line 1: the key "run" stands twice'),
        (
            lambda text: text.replace('"run": 0', '"run": "0"', 1),
            'line 1, field "run": should be a whole number, found "0".',
        ),
        (
            lambda text: text.replace('"parsed"', '"parsd"', 1),
            'line 1, field "parsd": is no known field (nearest known field: "parsed")',
        ),
        (lambda text: text.replace("\n", "\n\n", 1), "line 2: is empty"),
        (lambda _: "", "12 of 12 planned requests are missing"),
        (lambda _: "[1]\n", "should hold fields in braces"),
    ],
)
def test_predictions_are_read_strictly(colours, loose, change, said):
    text_of(loose, "predictions.jsonl", change)
    assert said in refused(colours, loose)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-16", "is UTF-16. Save it as UTF-8."), ("latin-1", "line 12: is not UTF-8 (byte 0xE9). Save it as UTF-8.")],
)
def test_another_encoding_is_named(colours, loose, encoding, said):
    path = loose / "predictions.jsonl"
    text = path.read_text().replace('"raw": "blue"', '"raw": "bleu caf\u00e9"')
    lines = text.splitlines(keepends=True)
    path.write_bytes("".join([*(each.replace("caf\u00e9", "") for each in lines[:-1]), lines[-1]]).encode(encoding))
    sealed(loose)
    assert said in refused(colours, loose)


def test_tampered_scores_are_named_by_field(colours, loose):
    path = loose / "scores.json"
    card = json.loads(path.read_text())
    place = next(at for at, row in enumerate(card["scores"]) if row["metric"] == "accuracy" and row["slice"] is None)
    card["scores"][place]["value"] = 1.0
    path.write_text(json.dumps(card, sort_keys=True, separators=(",", ":")) + "\n")
    assert (
        f"First difference: scores[{place}].value (accuracy/1, full): 1.0 in the file, 0.916666666667 when scored"
        in refused(colours, loose)
    )


def test_changed_answers_do_not_fit_their_hash(colours, loose):
    edit_predictions(loose, lambda line: {**line, "raw": "sure"})
    assert 'field "predictions_sha256"' in refused(colours, loose)


def test_a_metric_that_is_none_is_named_with_the_nearest(colours, loose):
    text_of(loose, "scores.json", lambda text: text.replace('"metric":"accuracy"', '"metric":"acuracy"', 1))
    assert '"acuracy" is no metric (nearest: accuracy)' in refused(colours, loose)


def test_a_scorecard_of_another_program_is_told_field_by_field(colours, loose):
    (loose / "scores.json").write_text('{"results": {"colours": {"acc,none": 0.5}}}\n')
    said = refused(colours, loose)
    assert 'field "results": is no known field' in said
    assert 'field "headline": is missing' in said


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ({"benchmark": {"data_sha256": "0" * 64}}, "another revision of the data"),
        ({"benchmark": {"split": "dev"}}, 'field "benchmark.split": "dev", but colours here is "test"'),
        ({"benchmark": {"name": "mub"}}, 'field "benchmark.name": "mub"'),
        ({"benchmark": {"name": "hummusqa_demo"}}, 'field "benchmark.name": "hummusqa_demo"'),
        ({"benchmark": {"name": "data_demo"}}, 'field "benchmark.name": "data_demo"'),
        ({"task": "colors"}, 'There is no task "colors"'),
        ({"task": "../colours.yaml"}, "is a path. A submission names a task by its name."),
        ({"protocol": {"conditions": ["silence"]}}, 'colours has no condition "silence"'),
        (
            {"decoding": {"temprature": 1}},
            'key "decoding.temprature": is no known key (nearest known key: "temp',
        ),
        ({"decoding": {"max_tokens": "16"}}, 'key "decoding.max_tokens": should be a whole number'),
    ],
)
def test_a_run_that_asked_something_else_is_named(colours, loose, blocks, said):
    edit_run(loose, **blocks)
    sealed(loose)
    assert said in refused(colours, loose)


def renamed(folder):
    """The run of `folder` as one who keeps the same data in a folder called otherwise makes it, scored."""
    edit_run(folder, benchmark={"name": "owners_copy"})
    api.score(folder)
    return folder


def test_the_same_data_in_a_folder_called_otherwise_are_the_same_benchmark(colours, run_folder):
    handed_in = hand_in(renamed(run_folder), colours.folder / "elsewhere")
    assert handed_in.parent.parent.name == "owners_copy"
    assert colours.check(handed_in).card.benchmark == "owners_copy"
    assert "12 valid predictions" in api.validate(run_folder)


def test_other_data_are_another_benchmark_whatever_their_folder_is_called(colours, run_folder):
    handed_in = hand_in(renamed(run_folder), colours.folder / "elsewhere")
    colours.write(without={0})
    assert "another revision of the data" in refused(colours, handed_in)


def test_every_file_is_told_of_at_once(colours, loose):
    (loose / "predictions.jsonl").write_text("[\n")
    (loose / "run.yaml").write_text("task: colours\ntask: again\n")
    (loose / "submission.yaml").write_text("submitter: Ada\n")
    said = refused(colours, loose)
    assert "predictions.jsonl line 1" in said
    assert 'key "task": stands on line 1 already' in said
    assert 'key "run_sha256": is missing' in said


def test_an_extra_folder_or_an_archive_names_the_root(colours, submission):
    outside = colours.folder / "zip"
    shutil.copytree(submission, outside / "friday")
    assert "run.yaml lies in friday/, expected at the top" in refused(colours, outside)
    archive = colours.folder / "friday.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for each in submission.iterdir():
            file.write(each, f"friday/{each.name}")
    assert "an archive in which run.yaml lies at friday/" in refused(colours, archive)


def test_an_archive_that_is_broken_is_told_to_be(colours, submission):
    archive = colours.folder / "friday.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(submission / "run.yaml", "run.yaml")
    content = bytearray(archive.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at : at + 4] = b"PK\x00\x00"
    archive.write_bytes(content)
    assert "is a file, an archive that cannot be read" in refused(colours, archive)


def test_what_does_not_belong_is_named(colours, loose):
    (loose / "responses").mkdir()
    (loose / "prediction.jsonl").write_text("")
    said = refused(colours, loose)
    assert "responses: does not belong to a submission" in said
    assert "prediction.jsonl: does not belong to a submission (nearest: predictions.jsonl)" in said


def test_a_link_is_no_file(colours, loose):
    path = loose / "scores.json"
    path.rename(colours.folder / "elsewhere.json")
    path.symlink_to(colours.folder / "elsewhere.json")
    assert "scores.json: is a link" in refused(colours, loose)


def test_a_submission_among_others_lies_where_its_content_says(colours, submission):
    moved = submission.rename(submission.with_name("0123456789ab"))
    assert f"belongs at submissions/data/ash/{submission.name}. Move it there." in refused(colours, moved)


def test_a_whole_run_can_be_validated(colours, capsys):
    assert main(["validate", str(colours.folder / "ash")]) == 0
    said = capsys.readouterr().out
    assert "predictions.jsonl: 12 valid predictions" in said
    assert "valid scorecard" in said


@pytest.mark.parametrize("part", ["", "submissions", "submissions/data", "submissions/data/ash"])
def test_any_part_of_a_folder_of_submissions_is_checked_as_submissions(colours, submission, part, capsys):
    place, task = colours.submissions / part, ["--task", str(colours.task_file)]
    assert main(["validate", str(place), *task]) == 0
    assert capsys.readouterr().out.count("valid submission of colours") == (1 if part.endswith("ash") else 3)
    assert main(["verify", str(place), *task]) == 0
    (submission / "more.txt").write_text("x")
    assert main(["validate", str(place), *task]) == 2
    assert "more.txt: does not belong to a submission" in capsys.readouterr().err


def test_several_files_at_once(colours, submission, capsys):
    colours.errata(f"from_data_sha256: {'a' * 64}\nretired: [item-00]\n")
    files = [submission / "submission.yaml", colours.data / "errata.yaml", submission / "nothing.json"]
    assert main(["validate", *map(str, files)]) == 2
    told = capsys.readouterr()
    assert "valid submission.yaml by Ada" in told.out
    assert "valid errata from 1 older version\n" in told.out
    assert "nothing.json: there is no such file" in told.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from_data_sha256: abc\n", 'key "from_data_sha256"'),
        ("errata: [{retired: [a]}]\n", "from_data_sha256"),
        ("from_data: x\n", "is no known key (nearest known key"),
    ],
)
def test_errata_are_read_strictly(colours, text, said):
    colours.errata(text)
    with pytest.raises(InputError, match=r"errata\.yaml") as caught:
        api.validate(colours.data / "errata.yaml")
    assert said in str(caught.value)


def test_the_same_run_handed_in_twice_is_one_folder(colours, submission, run_folder):
    assert hand_in(run_folder, colours.submissions, date="2025-01-01") == submission


def seemingly_right(line):
    number = int(line["item_id"].removeprefix("item-"))
    return {**line, "parsed": [line["option_order"][number % 3]], "raw": "I cannot tell from here."}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (seemingly_right, 'line 1, field "parsed": is not what the rules'),
        (lambda line: {**line, "raw": None}, 'line 1, field "raw": is null. What the model wrote is needed'),
        (
            lambda line: {**line, "option_order": line["option_order"][::-1]},
            'line 1, field "option_order": is not the order that run.yaml makes (protocol.option_order stored',
        ),
    ],
)
def test_answers_follow_from_what_was_shown_and_written(colours, loose, change, said):
    edit_predictions(loose, change)
    api.score(loose, task=str(colours.task_file))
    sealed(loose)
    told = refused(colours, loose)
    assert said in told
    assert "and 9 more lines like these" in told


def test_people_need_not_have_written_anything(colours, loose):
    edit_run(loose, system={"type": "human"})
    edit_predictions(loose, lambda line: {**line, "raw": None, "parser": None, "rule": None})
    card = api.score(loose, task=str(colours.task_file), write=False)
    (loose / "scores.json").write_text(card.canonical_json() + "\n")
    sealed(loose)
    assert colours.check(loose).card.system_type == "human"


def test_probabilities_decide_what_was_parsed(colours, loose):
    def sure_of_another(line):
        shares = dict(zip(line["option_order"], (0.1, 0.2, 0.7), strict=True))
        chosen = {"raw": None, "rule": "letter_probability", "parsed": [line["option_order"][0]]}
        return {**line, **chosen, "parser": {"method": "letters", "version": "1"}, "option_probabilities": shares}

    edit_predictions(loose, sure_of_another)
    sealed(loose)
    assert 'line 1, field "parsed"' in refused(colours, loose)


def test_what_would_steer_a_terminal_is_shown_as_signs(colours, loose, capsys):
    text_of(loose, "predictions.jsonl", lambda text: text.replace("item-03", "item\\u001b[2J"))
    task = ["--task", str(colours.task_file)]
    for command in (["validate", str(loose), "--as", "submission"], ["verify", str(loose)], ["score", str(loose)]):
        assert main([*command, *task]) == 2
        told = capsys.readouterr().err
        assert "\x1b" not in told
        assert r'"item\x1b[2J" is no item' in told


NOTHING_READ = {"raw": "I have no idea.", "option_probabilities": None}
OTHERS_PROBABLE = {"raw": None, "parser": {"method": "letters", "version": "1"}}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({**NOTHING_READ, "parser": None}, 'field "parser": is missing'),
        ({**NOTHING_READ, "parser": {"method": "rules", "version": "1"}}, 'field "parsed": is not what the rules'),
        ({**NOTHING_READ, "parser": {"method": "llm", "version": "9"}}, '"llm" of version "9" is no reader'),
        ({**NOTHING_READ, "parser": {"method": "letters", "version": "1"}}, 'field "option_probabilities": is missing'),
        ({**NOTHING_READ, "parser": {"method": "letters", "version": "2"}}, '"letters" of version "2" is no reader'),
        ({**NOTHING_READ, "parser": {"method": "judge", "version": "rules-2"}, "rule": "judge"}, "a judge read"),
        ({**OTHERS_PROBABLE, "shares": (0.1, 0.2, 0.7)}, "is not the one option of the highest probability"),
        ({**OTHERS_PROBABLE, "shares": (0.4, 0.4, 0.2)}, "is not the one option of the highest probability"),
        ({**OTHERS_PROBABLE, "shares": (0.1, 0.2, 0.7), "parser": None}, 'field "parser": is missing'),
        ({"raw": None, "parser": {"method": "rules", "version": "2"}}, 'field "raw": is null'),
    ],
)
def test_invented_answers_are_refused_whoever_is_said_to_have_read_them(colours, loose, told, said):
    def invented(line):
        number = int(line["item_id"].removeprefix("item-"))
        order = line["option_order"]
        own = {key: value for key, value in told.items() if key != "shares"}
        if "shares" in told:
            turned = order[number % 3 :] + order[: number % 3]
            own["option_probabilities"] = dict(zip(turned, told["shares"], strict=True))
        return {**line, **own, "parsed": [order[number % 3]]}

    edit_predictions(loose, invented)
    api.score(loose, task=str(colours.task_file))
    sealed(loose)
    assert said in refused(colours, loose)


NO_NAMES = {
    "": "not be blank",
    " \u2003 ": "not be blank",
    "Ada\x1b[2J": "character 4 is U+001B",
    "Ada\nGrace": "character 4 is U+000A",
    "A\u202eda": "character 2 is U+202E",
    "A\u200bda": "character 2 is U+200B",
}


@pytest.mark.parametrize(("name", "said"), NO_NAMES.items(), ids=range(len(NO_NAMES)))
def test_names_are_lines_that_people_can_read(colours, loose, run_folder, name, said, capsys):
    path = loose / "submission.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "submitter": name}))
    edit_run(loose, system={"name": name})
    told = refused(colours, loose)
    assert all(said in line for line in told.splitlines())
    assert 'key "submitter": should ' in told
    assert 'key "system.name": should ' in told
    assert main(["leaderboard", "add", str(run_folder), str(colours.folder / "to"), "--submitter", name]) == 2
    assert re.match(f"musebench: submitter: should .*{re.escape(said)}", capsys.readouterr().err)
    assert not (colours.folder / "to").exists()
