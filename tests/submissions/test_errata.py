"""Items retired and re-keyed: stored submissions are scored anew, and the ranks that change are shown."""

import json

import pytest
from fakes.submissions import edit_run

from musebench_tasks import api
from musebench_tasks.base.errors import InputError


def accuracy(card):
    return card.row("accuracy")


def test_retired_items_leave_the_plan(colours, run_folder):
    before = colours.sha256
    colours.write(without={0, 5})
    colours.errata(f"from_data_sha256: {before}\nretired: [item-00, item-05]\nreason: Two clips were the same.\n")
    card = api.score(run_folder, write=False)
    assert (accuracy(card).n, accuracy(card).value) == (10, 1.0)
    assert (card.errata.retired, card.errata.from_data_sha256) == (("item-00", "item-05"), before)
    assert card.hashes.data_sha256 == colours.sha256 != before
    assert "ash was asked on data" in card.warnings[0]
    assert "2 retired" in card.warnings[0]


def test_rekeyed_items_are_scored_anew(colours, run_folder):
    before, asked = api.score(run_folder, write=False), colours.sha256
    colours.write(answers={0: 1, 4: 2})
    now = api.score(run_folder, write=False)
    assert colours.sha256 == asked
    assert (accuracy(before).value, accuracy(now).value) == (pytest.approx(11 / 12), pytest.approx(11 / 12))
    assert now.hashes.references_sha256 != before.hashes.references_sha256


def test_without_errata_other_data_are_refused(colours, run_folder):
    colours.write(without={0})
    colours.errata(f"from_data_sha256: {'a' * 64}\nretired: [item-00]\n")
    with pytest.raises(InputError, match=r"no errata\.yaml beside them leads from the one to the other"):
        api.score(run_folder)


def test_errata_of_several_versions(colours, run_folder):
    first = colours.sha256
    colours.write(without={0})
    second = colours.sha256
    colours.write(without={0, 1})
    entries = [{"from_data_sha256": first, "retired": ["item-00", "item-01"]}]
    entries += [{"from_data_sha256": second, "retired": ["item-01"]}]
    colours.errata(json.dumps({"errata": entries}))
    assert accuracy(api.score(run_folder, write=False)).n == 10


def test_the_first_items_stay_the_first_that_were_asked(colours, run_folder):
    before = colours.sha256
    edit_run(run_folder, benchmark={"selection": "limit:4"})
    path = run_folder / "predictions.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:4]))
    colours.write(without={1})
    colours.errata(f"from_data_sha256: {before}\nretired: [item-01]\n")
    card = api.score(run_folder, write=False)
    assert (accuracy(card).n, card.counts[0].statuses) == (3, {"ok": 3})


def test_a_stratified_draw_cannot_be_drawn_again(colours, run_folder):
    before = colours.sha256
    edit_run(run_folder, benchmark={"selection": "stratified:4"})
    colours.write(without={1})
    colours.errata(f"from_data_sha256: {before}\nretired: [item-01]\n")
    with pytest.raises(InputError, match="cannot be drawn again"):
        api.score(run_folder)


def test_ranks_change_where_a_key_was_wrong(colours):
    """birch (1 and 2 wrong) overtakes ash (0 wrong) once both are found to have been right, and ash's 3 to be wrong."""
    colours.write(answers={1: 2, 2: 0, 3: 1})
    colours.errata(
        f"from_data_sha256: {colours.sha256}\nrekeyed: [item-01, item-02, item-03]\nreason: Typed wrongly.\n"
    )
    outcome = colours.build()
    assert outcome.refused == ()
    assert sorted(outcome.moved) == ["colours · ash", "colours · birch", "colours · cedar"]
    page = outcome.page.read_text()
    assert "What errata changed" in page
    assert ": re-keyed item-01, item-02, item-03. Typed wrongly." in page
    rows = [row.split(",") for row in (outcome.page.parent / "leaderboard.csv").read_text().splitlines()]
    at = {name: place for place, name in enumerate(rows[0])}
    ranks = {row[at["system"]]: row[at["rank"]] for row in rows if row[at["is_headline"]] == "yes" and row[at["rank"]]}
    assert ranks == {"birch": "1", "ash": "2", "cedar": "3"}


def test_a_stored_submission_follows_its_items(colours):
    before = colours.sha256
    colours.write(without={0}, version="1.1")
    colours.errata(f"from_data_sha256: {before}\nretired: [item-00]\n")
    outcome = colours.build()
    assert (outcome.refused, len(outcome.moved)) == ((), 3)
    csv = (outcome.page.parent / "leaderboard.csv").read_text()
    assert csv.count(colours.sha256) == csv.count("\n") - 1
    assert before[:8] in outcome.page.read_text()


def test_a_new_submission_on_old_data_is_refused(colours, submission):
    before = colours.sha256
    colours.write(without={0})
    colours.errata(f"from_data_sha256: {before}\nretired: [item-00]\n")
    with pytest.raises(InputError, match=r"another revision of the data: .* Run it again with these data"):
        colours.check(submission)
    assert colours.check(submission, is_stored=True).card.errata is not None


def test_undeclared_changes_of_the_key_are_refused(colours):
    colours.write(answers={1: 2})
    outcome = colours.build()
    assert outcome.n_submissions == 0
    assert all("was scored with other answers" in each for each in outcome.refused)
