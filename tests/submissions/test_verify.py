"""Scores made again and compared byte for byte."""

import json

import pytest
import yaml
from fakes.submissions import edit_run

from musebench_tasks import api
from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.cli import main


def difference(folder, **more):
    with pytest.raises(MuseError) as caught:
        api.verify(folder, **more)
    return str(caught.value)


def changed(folder, change, name="scores.json"):
    path = folder / name
    card = json.loads(path.read_text())
    change(card)
    path.write_text(json.dumps(card, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n")


def test_a_run_and_a_submission_are_verified(colours, submission, capsys):
    assert main(["verify", str(colours.folder / "ash")]) == 0
    assert main(["verify", str(submission), "--task", str(colours.task_file)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2
    assert all(
        "colours · ash: scores.json is what predictions.jsonl and run.yaml give, byte for byte" in x for x in said
    )
    assert all(f"data {colours.sha256[:12]}, scorer" in each for each in said)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda card: card["scores"][0].update(value=0.99), "scores[0].value (accuracy/1, full): 0.99 in the file"),
        (lambda card: card["counts"][0]["statuses"].update(ok=11), "counts[0].statuses.ok: 11 in the file, 12 when"),
        (lambda card: card["scores"].pop(), "entries in the file"),
        (lambda card: card["baselines"][0].pop("note"), "note"),
        (lambda card: card.update(rank=1), "rank: 1 in the file, nothing when scored"),
        (lambda card: card.update(system="oak"), 'system: "oak" in the file, "ash" when scored'),
    ],
)
def test_the_first_field_that_differs_is_named(run_folder, change, said, capsys):
    changed(run_folder, change)
    assert main(["verify", str(run_folder)]) == 1
    assert said in capsys.readouterr().err


def test_other_spelling_of_the_same_content_is_a_difference(run_folder):
    path = run_folder / "scores.json"
    path.write_text(path.read_text().replace('":', '": ', 1))
    assert "the same content is spelled differently from character" in difference(run_folder)


def test_another_scorer_is_named_before_its_numbers(run_folder):
    changed(run_folder, lambda card: (card.update(scorer_version="0.0.1"), card["scores"][0].update(value=0.5)))
    assert "scorer_version: 0.0.1 in the file" in difference(run_folder)


def test_other_answers_are_named_before_the_numbers(colours, run_folder):
    colours.write(answers={0: 1})
    said = difference(run_folder)
    assert "hashes.references_sha256" in said
    assert "items were re-keyed in between" in said


def test_another_revision_of_the_data_is_named(colours, run_folder):
    colours.write(without={11})
    with pytest.raises(InputError, match=r"no errata\.yaml beside them leads from the one to the other"):
        api.verify(run_folder)


def test_a_score_with_errata_verifies(colours, run_folder):
    before = colours.sha256
    colours.write(without={11})
    colours.errata(f"from_data_sha256: {before}\nretired: [item-11]\n")
    assert "hashes.data_sha256" in difference(run_folder)
    api.score(run_folder)
    assert api.verify(run_folder)


def test_a_whole_run_has_the_scores_of_its_folders(colours):
    run = colours.folder / "run"
    assert len(api.verify(run)) == 1
    changed(run, lambda scores: scores["scorecards"][0].update(system="oak"))
    assert 'scorecards[0].system: "oak" in the file, "random" when scored' in difference(run)


def test_a_submission_whose_files_changed_is_named(colours, submission):
    path = submission / "submission.yaml"
    told = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**told, "run_sha256": "0" * 64}))
    assert 'field "run_sha256": 000000000000' in difference(submission, task=str(colours.task_file))


@pytest.mark.parametrize("name", ["scores.json", "nothing"])
def test_what_is_no_run_is_told(run_folder, name):
    with pytest.raises(InputError, match="is no folder"):
        api.verify(run_folder / name)


def test_a_run_without_scores_is_told(run_folder):
    (run_folder / "scores.json").unlink()
    assert "is missing. Write it: musebench score" in difference(run_folder)


def test_one_that_cannot_be_scored_hides_no_other(colours):
    """Of a folder of submissions every one is looked at: what is no prediction, and scores that are not theirs."""
    ash, birch = (next(colours.submissions.glob(f"submissions/data/{name}/*")) for name in ("ash", "birch"))
    (ash / "predictions.jsonl").write_text("[\n")
    changed(birch, lambda card: card["scores"][0].update(value=0.5))
    with pytest.raises(InputError) as caught:
        api.verify(colours.submissions, task=str(colours.task_file))
    told = str(caught.value)
    assert f"{ash / 'predictions.jsonl'} line 1: is not JSON" in told
    assert f"{birch / 'scores.json'}: is not what predictions.jsonl and run.yaml give" in told


@pytest.mark.parametrize("name", ["../colours", "..\\colours", "colours.yaml"])
def test_no_command_follows_a_task_that_is_a_path(submission, name):
    edit_run(submission, task=name)
    for check, place in ((api.verify, submission), (api.validate, submission), (api.validate, submission / "run.yaml")):
        with pytest.raises(InputError, match="is a path"):
            check(place)
