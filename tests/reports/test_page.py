import base64
import csv
import hashlib
import json
import re
import shutil

import pytest
from fakes.read_page import faults

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.cli import main
from musebench_tasks.reports import write_report

FILM, MUSIC, TUNES = "musebench_demo", "hummusqa_demo", "mub_demo"


def words(node):
    return " ".join(node.text.split())


def table(page, caption):
    return next(
        each for each in page.find_all("table") if each.find_all("caption") and words(each.find("caption")) == caption
    )


def rows(found):
    return [
        [words(cell) for cell in row.walk() if cell.tag in ("th", "td")] for row in found.find("tbody").find_all("tr")
    ]


def rewrite(file, change):
    """Replace every line of a JSONL file by what `change` makes of it; None drops it."""
    lines = [change(json.loads(line)) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines if line is not None))


def test_the_page_is_sound_and_whole(run, page_of):
    path = write_report([run])
    page = page_of(path)
    assert path == run / "report" / "index.html"
    assert not faults(page)
    assert words(page.find("h1")) == "friday"
    assert [words(each) for each in page.find_all("h2")] == [FILM, MUSIC, TUNES]
    assert len(page.find_all("article")) == 12 + 12 + 12


def test_every_medium_lies_beside_the_page_and_shows_the_window_only(run, page_of):
    path = write_report([run])
    players = [each for each in page_of(path).walk() if each.tag in ("video", "audio")]
    assert {each.tag for each in players} == {"video", "audio"}
    for player in players:
        address, _, window = player.attributes["src"].partition("#")
        content = (path.parent / address).read_bytes()
        assert hashlib.sha256(content).hexdigest() == re.fullmatch(r"media/([0-9a-f]{64})\.\w+", address)[1]
        assert window == "" or re.fullmatch(r"t=[\d.]+,[\d.]+", window)
    files = list((path.parent / "media").iterdir())
    assert len(files) == len({each.attributes["src"].partition("#")[0] for each in players})


def test_the_same_run_gives_the_same_page(run):
    first = write_report([run]).read_bytes()
    assert write_report([run]).read_bytes() == first


def test_scores_stand_with_interval_n_coverage_and_baselines(run, page_of):
    found = table(page_of(write_report([run])), f"{FILM} · full")
    heads = [words(each) for each in found.find("thead").find_all("tr")[-1].find_all("th")]
    assert heads[:2] == ["system", "accuracyn 12"]
    assert heads[-2:] == ["coveragen 12", "answeredn 12"]
    assert re.fullmatch(r"0\.\d{3}0\.\d\d to 0\.\d\d", rows(found)[0][1])
    baselines = found.find("tbody", class_="baselines")
    assert "baselines" in words(baselines)
    assert [words(each) for each in baselines.find_all("tr")[1].find_all("td")][-2:] == ["–", "–"]


def test_every_table_and_figure_lies_beside_the_page_as_a_file(run, page_of):
    path = write_report([run])
    links = {each.attributes["href"] for each in page_of(path).find_all("a")}
    linked = {each for each in links if each.startswith(("tables/", "figures/"))}
    assert linked == {str(each.relative_to(path.parent)) for name in ("tables", "figures") for each in
                      (path.parent / name).iterdir()}  # fmt: skip
    assert {"tables/mub_demo-scores.csv", "tables/mub_demo-scores.tex", "tables/hummusqa_demo-deltas.csv"} < linked
    frame = list(csv.DictReader((path.parent / "tables" / "mub_demo-scores.csv").open()))
    tempo = next(each for each in frame if each["metric"] == "mub.tempo.acc1" and each["type"] == "model")
    assert (tempo["version"], tempo["condition"], tempo["n"], tempo["coverage"]) == ("1", "full", "12", "1.0")


def test_a_task_begins_with_what_its_scores_say(run, page_of):
    page = page_of(write_report([run]))
    said = [words(each) for each in page.find_all("p", class_="headline")]
    assert re.fullmatch(
        r"random reads \d\.\d{3} of the keys \(\d\.\d\d to \d\.\d\d\), the constant prior .*\.", said[2]
    )
    overview = next(each for each in page.find_all("table") if "The headline of each task" in words(each))
    assert [each.attributes["href"] for each in overview.find_all("a")] == ["#t1", "#t2", "#t3"]


def test_what_a_number_is_can_be_read_without_a_pointer(run, page_of):
    about = [
        each for each in page_of(write_report([run])).find_all("details") if "What these numbers are" in words(each)
    ]
    text = " ".join(words(each) for each in about)
    for part in ("accuracy/1", "mub.key.symmetric/2", "choice_consistency/1", "Wilson", "coverage and answered"):
        assert part in text


def test_conditions_are_compared_item_by_item(run, page_of):
    page = page_of(write_report([run]))
    changes = [each for each in page.find_all("table") if "What a condition changes" in words(each)]
    assert sorted(words(each.find("tbody").find_all("td")[0]) for each in changes) == ["V+T", "silence", "silence"]
    film = dict(zip(("V+T", "V+A+T"), rows(table(page, f"{FILM} · conditions")), strict=False))
    change = next(row for each in changes for row in rows(each) if row[1:3] == ["V+T", "V+A+T"])
    difference = float(film["V+T"][1][:5]) - float(film["V+A+T"][1][:5])
    assert float(change[3].replace("−", "-")) == pytest.approx(difference, abs=0.0011)


def test_every_ending_is_counted_and_told(run, page_of):
    folder = run / "random" / MUSIC
    endings = iter(["refused", "timeout", "drop"])

    def spoil(line):
        status = next(endings, None)
        if status in (None, "drop"):
            return None if status else line
        return {**line, "status": status, "parsed": None, "rule": None}

    rewrite(folder / "predictions.jsonl", spoil)
    api.score_run(run)
    page = page_of(write_report([run]))
    counts = next(each for each in page.find_all("table") if "timeout" in words(each.find("thead")))
    heads = [words(each) for each in counts.find("thead").find_all("th")]
    assert heads == ["system", "condition", "planned", "ok", "refused", "timeout", "missing", "retried"]
    said = [words(each) for each in page.find_all("summary")]
    assert said.count("random full · run 1 – refused") == 1
    assert said.count("random silence · run 1 – timeout") == 1
    assert said.count("random full · run 2 – missing") == 1


def test_hostile_predictions_and_data_stay_text(run, page_of):
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"' \u0000 ]]> {{ 7 * 7 }}"
    for task in (FILM, MUSIC, TUNES):
        file = run / "random" / task / "predictions.jsonl"
        rewrite(file, lambda line: {**line, "raw": hostile, "finish_reason": hostile, "flags": [hostile]})
    configuration = run / "random" / FILM / "run.yaml"
    name = hostile.replace("\u0000", "")
    configuration.write_text(configuration.read_text().replace("name: random", f"name: {json.dumps(name)}"))
    api.score_run(run)
    page = page_of(write_report([run]))
    assert not faults(page)
    assert not page.find_all("img")
    assert len(page.find_all("script")) == 1
    assert page.text.count(hostile.replace("\u0000", "␀")) > 36


def test_only_the_pages_own_script_and_style_may_run(run, page_of):
    page = page_of(write_report([run]))
    policy = next(each.attributes["content"] for each in page.find_all("meta") if "http-equiv" in each.attributes)
    for tag in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.find(tag).text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "http" not in policy


def test_embedding_makes_one_file(run, page_of):
    path = write_report([run], embed=True)
    page = page_of(path)
    assert sorted(each.name for each in path.parent.iterdir()) == ["figures", "index.html", "tables"]
    assert not [each for each in page.find_all("a") if each.attributes["href"].startswith(("tables", "figures"))]
    held = {each.attributes["id"]: each.text for each in page.find_all("script", type="text/plain")}
    players = [each for each in page.walk() if each.tag in ("video", "audio")]
    assert {f"medium-{each.attributes['data-medium']}" for each in players} == set(held)
    for name, text in held.items():
        content = base64.b64decode(text.partition("base64,")[2])
        assert name == f"medium-{hashlib.sha256(content).hexdigest()}"
    assert not any("src" in each.attributes for each in players)


def test_one_system_in_two_runs_is_told_apart(run, tmp_path, page_of):
    other = tmp_path / "monday"
    shutil.copytree(run, other)
    page = page_of(write_report([run, other]))
    assert [row[0] for row in rows(table(page, f"{FILM} · full"))] == ["random (friday)", "random (monday)"]
    assert words(page.find("h1")) == "friday, monday"


def test_a_run_named_twice_is_shown_once(run):
    once = write_report([run]).read_bytes()
    assert write_report([run, run / "random" / ".."]).read_bytes() == once


def test_runs_of_one_name_are_told_apart_by_their_place(run, tmp_path, page_of):
    other = tmp_path / "later" / "friday"
    shutil.copytree(run, other)
    page = page_of(write_report([run, other]))
    assert [row[0] for row in rows(table(page, f"{FILM} · full"))] == [f"random ({run})", f"random ({other})"]


def test_other_data_than_were_asked_leave_the_tables(run, page_of):
    configuration = run / "random" / TUNES / "run.yaml"
    configuration.write_text(re.sub("data_sha256: .*", f"data_sha256: {'f' * 64}", configuration.read_text()))
    page = page_of(write_report([run]))
    assert table(page, f"{TUNES} · full")
    assert "The items are not shown" in page.text
    assert "made on data ffffffffffff" in page.text


def test_scores_that_are_older_than_the_answers_are_told(run, page_of):
    with (run / "random" / TUNES / "predictions.jsonl").open("a") as file:
        file.write("\n")
    assert "changed after it was scored" in page_of(write_report([run])).text


def test_lost_answers_are_told_with_the_command_and_contradict_nothing(run, tmp_path, page_of, capsys):
    other = tmp_path / "monday"
    shutil.copytree(run, other)
    predictions = other / "random" / TUNES / "predictions.jsonl"
    predictions.write_text("".join(predictions.read_text().splitlines(keepends=True)[:3]))
    assert main(["report", str(run), str(other)]) == 0
    page = page_of(run / "report" / "index.html")
    for text in (words(page.find("header")), capsys.readouterr().err):
        assert "(3 answers, 24 were scored)" in text
        assert f"musebench score {other / 'random' / TUNES}" in text
    assert [row[0] for row in rows(table(page, f"{FILM} · full"))] == ["random (friday)", "random (monday)"]
    assert "Left out here and in the differences: random (monday) (" in page.text
    cards = [words(each) for each in page.find_all("article")[-12:]]
    assert not any("monday" in each for each in cards)


def test_lost_answers_of_the_only_system_leave_the_tables(run, page_of):
    predictions = run / "random" / TUNES / "predictions.jsonl"
    predictions.write_text("".join(predictions.read_text().splitlines(keepends=True)[:3]))
    page = page_of(write_report([run]))
    assert len(page.find_all("article")) == 24
    assert "no answer" not in words(page.find_all("section")[-2])


def test_the_page_lies_where_it_is_wanted(run, tmp_path):
    wanted = tmp_path / "page"
    assert write_report([run], out=wanted) == wanted / "index.html"
    assert sorted(each.name for each in wanted.iterdir()) == ["figures", "index.html", "media", "tables"]


def test_what_is_not_scored_is_told(run, page_of):
    (run / "random" / TUNES / "scores.json").unlink()
    page = page_of(write_report([run]))
    assert "is not scored yet" in page.text
    assert [words(each) for each in page.find_all("h2")] == [FILM, MUSIC]


def test_nothing_scored_is_an_error(run, tmp_path):
    for file in run.rglob("scores.json"):
        file.unlink()
    with pytest.raises(InputError, match="not scored yet"):
        write_report([run])
    with pytest.raises(InputError, match="no run lies there"):
        write_report([tmp_path / "nothing"])
    with pytest.raises(InputError, match="at least one run"):
        write_report([])
