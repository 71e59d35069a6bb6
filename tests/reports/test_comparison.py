"""Two systems on the same items: twelve questions of six sources, answered by hand."""

import json
import shutil
from dataclasses import replace

import pytest
from rich.console import Console

from musebench_tasks import api
from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.errors import InputError
from musebench_tasks.reports import compare_pair, pairs, print_comparisons, write_comparisons
from musebench_tasks.reports.comparison_text import short_name
from musebench_tasks.statistics import holm, mcnemar_exact, sign_flip_p_value

TASK = """\
task: quiz
dataset_path: {data}
kind: choice
columns: {{id: id, question: question, options: options, answer: answer, category: category, cluster_id: source}}
protocol: {{media: [], conditions: [full], runs: 1, option_order: stored, answer: letter}}
slices: [category]
doc_to_text: video_choice.jinja
metric_list: [{{metric: accuracy}}, {{metric: caa, kinds: [single]}}]
metadata: {{version: 1.0, headline: accuracy}}
"""
OPTIONS = ["north", "east", "south", "west"]
FIRST_RIGHT = set(range(10))
SECOND_RIGHT = {0, 1, 2, 10}


def name(number):
    return f"q{number:02d}"


@pytest.fixture(scope="session")
def quiz(tmp_path_factory):
    """A folder with the task and a run of two systems: right on 0..9, and on 0, 1, 2, 10."""
    folder = tmp_path_factory.mktemp("quiz")
    rows = [
        {"id": name(n), "question": f"Question {n}?", "options": OPTIONS, "answer": OPTIONS[n % 4],
         "category": "even" if n % 2 == 0 else "odd", "source": f"s{n // 2}"}
        for n in range(12)
    ]  # fmt: skip
    (folder / "quiz.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "quiz.yaml").write_text(TASK.format(data=folder / "quiz.jsonl"))
    for system, right in (("first", FIRST_RIGHT), ("second", SECOND_RIGHT)):
        said = [
            {"item_id": name(n), "raw": "ABCD"[n % 4] if n in right else "ABCD"[(n + 1) % 4] if n != 11 else "Well."}
            for n in range(12)
        ]
        (folder / f"{system}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in said))
    models = [f"replay:{folder / system}.jsonl" for system in ("first", "second")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(folder / "cache"))
        api.run(tasks=[str(folder / "quiz.yaml")], model=models, out=folder / "run")
    return folder


@pytest.fixture(scope="session")
def systems(quiz):
    first, second = sorted(
        path for path in (quiz / "run").iterdir() if path.is_dir() and path.name.startswith("replay")
    )
    return str(first), str(second)


@pytest.fixture(scope="session")
def comparison(systems):
    (pair,) = pairs(*systems)
    (found,) = compare_pair(pair)
    return found


def line(comparison, metric):
    return next(each for each in comparison.measures if each.name == metric)


def test_the_difference_is_that_of_the_same_items(comparison):
    found = line(comparison, "accuracy/1")
    assert (found.first, found.second, found.n, found.n_clusters) == (10 / 12, 4 / 12, 12, 6)
    assert found.difference == pytest.approx(6 / 12)
    assert found.interval.low < 0.5 < found.interval.high
    assert found.interval.method == "t_clusters"
    differences = [(n in FIRST_RIGHT) - (n in SECOND_RIGHT) for n in range(12)]
    assert found.p_value == sign_flip_p_value(differences, [n // 2 for n in range(12)])
    assert mcnemar_exact(7, 1) < 0.1  # the same question without clusters


def test_a_statistic_of_sums_has_an_interval_and_no_p(comparison):
    found = line(comparison, "caa_aggregate/1")
    assert found.difference == pytest.approx(0.5 / 0.75)
    assert found.interval.method.startswith("percentile_cluster_bootstrap")
    assert found.p_value is None


def test_slices_have_the_same_numbers_and_adjusted_p_values(comparison):
    (slices,) = comparison.slices
    assert slices.dimension == "category"
    assert [each.name for each in slices.lines] == ["even", "odd"]
    assert [each.n for each in slices.lines] == [6, 6]
    even = slices.lines[0]
    assert (even.first, even.second) == (5 / 6, 3 / 6)
    assert even.interval is None  # below ten items
    assert even.p_holm is None


def test_adjusting_goes_over_the_dimension():
    from musebench_tasks.reports.comparison import Line, _adjusted

    found = [Line(str(p), 1, 0, 1, None, p, 20, 20) for p in (0.01, 0.04, 0.03)]
    assert [each.p_holm for each in _adjusted(found)] == pytest.approx(holm([0.01, 0.04, 0.03]))


def test_items_that_flipped_are_named_with_what_was_said(comparison):
    assert [flip.item_id for flip in comparison.only_first] == [name(n) for n in sorted(FIRST_RIGHT - SECOND_RIGHT)]
    (other,) = comparison.only_second
    assert (other.item_id, other.first_said, other.second_said, other.facts) == ("q10", "D", "C", "even")
    assert comparison.n_alike == 4
    assert comparison.n_unshared == 0


def test_what_is_not_read_is_said_by_its_status(quiz, systems):
    (pair,) = pairs(systems[0], systems[1])
    (found,) = compare_pair(pair, metric="caa")
    said = {flip.item_id: flip.second_said for flip in (*found.only_first, *found.only_second)}
    assert found.headline == "caa/1"
    assert name(11) not in said  # neither read it right


def test_the_other_way_round_is_the_negative(systems, comparison):
    (pair,) = pairs(*reversed(systems))
    (found,) = compare_pair(pair)
    assert line(found, "accuracy/1").difference == -line(comparison, "accuracy/1").difference
    assert line(found, "accuracy/1").p_value == line(comparison, "accuracy/1").p_value
    assert [flip.item_id for flip in found.only_second] == [flip.item_id for flip in comparison.only_first]


def test_a_baseline_is_compared_like_a_system(systems):
    (pair,) = pairs(systems[0], "baseline:always_first")
    (found,) = compare_pair(pair)
    assert found.second == "always_first"
    assert line(found, "accuracy/1").second == pytest.approx(3 / 12)
    (flip, *_) = found.only_first
    assert (flip.first_said, flip.second_said) == ("B", "A")
    with pytest.raises(InputError, match=r"nearest: always_first\)\. Known: chance, always_first"):
        compare_pair(pairs(systems[0], "baseline:always_frist")[0])


def test_wrong_input_says_what_to_do(quiz, systems):
    with pytest.raises(InputError, match="compared with itself"):
        pairs(systems[0], systems[0])
    with pytest.raises(InputError, match="no mub in it, only quiz"):
        pairs(*systems, tasks=["mub"])
    with pytest.raises(InputError, match="no run lies there"):
        pairs(systems[0], str(quiz / "nothing"))
    with pytest.raises(InputError, match="Measured: accuracy/1"):
        compare_pair(pairs(*systems)[0], metric="mub_key")
    assert compare_pair(pairs(*systems)[0], [CONDITIONS["silence"]]) == []


def test_runs_of_several_systems_are_paired_by_name_or_asked_for(quiz, systems, tmp_path):
    again = tmp_path / "again"
    shutil.copytree(quiz / "run", again)
    found = pairs(str(quiz / "run"), str(again))
    assert [(pair.first.config.system.name, pair.second.config.system.name) for pair in found] == [
        (each, each) for each in (pair.first.config.system.name for pair in found)
    ]
    assert len(found) == 2
    assert all(pair.first_name != pair.second_name for pair in found)


def test_a_system_that_the_other_run_lacks_has_to_be_named(quiz, systems, tmp_path):
    shutil.copytree(systems[0], tmp_path / "other" / "third")
    for run_file in (tmp_path / "other").rglob("run.yaml"):
        run_file.write_text(run_file.read_text().replace("first.jsonl", "third.jsonl"))
    with pytest.raises(InputError, match="Name two of these folders"):
        pairs(str(quiz / "run"), str(tmp_path / "other"))


def test_other_settings_are_said(systems, tmp_path):
    folder = tmp_path / "changed"
    shutil.copytree(systems[1], folder)
    for run_file in folder.rglob("run.yaml"):
        run_file.write_text(run_file.read_text().replace("max_tokens: ", "max_tokens: 1"))
    (pair,) = pairs(systems[0], str(folder))
    assert len(pair.notes) == 1
    assert pair.notes[0].startswith("asked differently in decoding.max_tokens: ")


def test_the_text_shows_numbers_flips_and_what_could_be_found(comparison, capsys):
    console = Console(width=120, highlight=False)
    print_comparisons([comparison], most_flips=3, console=console)
    text = capsys.readouterr().out
    assert "+0.500" in text
    assert "scored higher in accuracy on 7 of 12 items" in text
    assert "and 4 more: --all shows them" in text
    assert "with 80 % power" in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_a_small_p_is_never_nothing(comparison, capsys):
    lines = tuple(replace(each, p_value=p) for each, p in zip(comparison.measures, (9e-5, 0.0005), strict=False))
    slices = replace(comparison.slices[0], lines=(replace(comparison.slices[0].lines[0], p_holm=2e-4),))
    changed = replace(comparison, measures=lines, slices=(slices,))
    print_comparisons([changed], console=Console(width=200))
    text = capsys.readouterr().out
    assert text.count("< 0.001") == len(lines) + 1
    assert "0.0000" not in text


def test_the_family_of_adjusted_values_is_named(comparison, capsys):
    # statistics.md 3.3: family stated in the output
    lines = tuple(replace(each, p_holm=0.04) for each in comparison.slices[0].lines)
    adjusted = replace(comparison, slices=(replace(comparison.slices[0], lines=lines),))
    print_comparisons([adjusted], console=Console(width=200))
    said = "p (Holm) by category is adjusted for the 2 comparisons of that table."
    assert said in capsys.readouterr().out
    print_comparisons([comparison], console=Console(width=200))
    assert said not in capsys.readouterr().out


def test_the_file_holds_everything(comparison, tmp_path):
    write_comparisons(tmp_path / "c.json", [comparison])
    (found,) = json.loads((tmp_path / "c.json").read_text())
    assert found["measures"][0]["interval"]["method"] == "t_clusters"
    assert len(found["only_first"]) == 7
    assert found["headline"] == "accuracy/1"


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("accuracy/1", "accuracy"),
        ("mub.key.symmetric/2", "key symmetric/2"),
        ("mub.segments.hit_rate_0.5/1", "segments hit 0.5 s"),
        ("position_bias.excess_first/1", "position bias excess first"),
    ],
)
def test_metrics_are_named_in_words(metric, words):
    assert short_name(metric) == words


def test_guessing_is_compared_as_an_expectation(systems):
    (found,) = compare_pair(pairs(systems[0], "baseline:chance")[0])
    line_ = line(found, "accuracy/1")
    assert (line_.first, line_.second) == (10 / 12, 0.25)
    assert line_.difference == pytest.approx(10 / 12 - 0.25)
    assert line_.interval.low > 0
    aggregate = line(found, "caa_aggregate/1")
    assert aggregate.interval.method.startswith("percentile_cluster_bootstrap")
    assert aggregate.interval.low < aggregate.difference < aggregate.interval.high
    assert aggregate.p_value is None
    assert found.only_first[0].second_said == "guessing"


def test_what_a_prior_never_answers_is_not_compared(built):
    (pair,) = pairs(str(built), "baseline:prior:constant", ["mub_demo"])
    (found,) = compare_pair(pair, metric="mub_key")
    assert found.headline == "mub.key.symmetric/2"
    assert not [each.name for each in found.measures if each.name.startswith("mub.segments")]
    assert {flip.second_said for flip in (*found.only_first, *found.only_second)} <= {"C major"}


def test_every_measure_is_made_anew_on_the_items_that_both_were_asked(built, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(tmp_path / "cache"))
        api.run(tasks="mub_demo", model="random", out=tmp_path / "few", limit=5)
    (pair,) = pairs(str(built), str(tmp_path / "few"), ["mub_demo"])
    (found,) = compare_pair(pair)
    balanced = line(found, "mub.time_signature.balanced_accuracy/1")
    assert (balanced.n, found.n_unshared) == (5, 7)
    assert balanced.first is not None
    assert balanced.second is not None
    assert all(each.interval is None or each.interval.high <= 1 for each in found.measures)


def test_answers_that_are_not_those_that_were_scored_are_refused(systems, tmp_path):
    folder = tmp_path / "cut"
    shutil.copytree(systems[1], folder)
    (predictions,) = folder.rglob("predictions.jsonl")
    predictions.write_text("".join(predictions.read_text().splitlines(keepends=True)[:3]))
    with pytest.raises(InputError, match=r"changed after it was scored \(3 answers, 12 were scored\)"):
        pairs(systems[0], str(folder))
