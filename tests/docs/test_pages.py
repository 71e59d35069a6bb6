"""The pages of docs/: every example runs, and every list is complete."""

import re
from pathlib import Path

import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import (
    Cells,
    Chunking,
    Columns,
    GenerationSettings,
    Item,
    MetricConfig,
    MusicTruth,
    NarratorRemoval,
    Protocol,
    Reference,
    Segment,
    Status,
    Suite,
    TaskConfig,
    TaskMetadata,
    make_options,
)
from musebench_tasks.cli import make_parser
from musebench_tasks.evaluation.baselines import baseline_cases
from musebench_tasks.evaluation.cases import Case
from musebench_tasks.evaluation.metrics.music import EACH_METRE
from musebench_tasks.evaluation.metrics.registry import chance, measure
from musebench_tasks.models import list_models
from musebench_tasks.models.command import load as load_command
from musebench_tasks.models.openai_chat import load as load_openai
from musebench_tasks.models.python_function import load as load_python
from musebench_tasks.models.transformers_chat import load as load_transformers
from musebench_tasks.prompts.environment import list_templates
from musebench_tasks.tasks import METRICS
from musebench_tasks.tasks.rules import FILTER_KEYS

MADE_FROM_DOCSTRINGS = "definitions.md"
"""Looked things up in, not read through: test_definitions.py runs its examples."""
PAGES = tuple(
    f"docs/{path.name}"
    for path in sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
    if path.name != MADE_FROM_DOCSTRINGS
)
LONGEST_PAGE = 180


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(read_page, page):
    read_page(page)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_short(root, page):
    assert (root / page).read_text().count("\n") < LONGEST_PAGE


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_every_block_says_what_it_is(blocks, page):
    found = list(blocks(page))
    assert found
    assert not [block.place for block in found if block.verb not in ("file", "insert", "run", "prints", "shown")]


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_links_lead_somewhere(root, page):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (root / page).read_text())
    assert not [link for link in links if not (root / page).parent.joinpath(link).exists()]


def missing(root, page, names):
    """Those of `names` that the page does not hold in code spans."""
    words = re.sub(r"^```.*?^```$", "", (root / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    spans = " ".join(re.findall(r"`([^`\n]+)`", words))
    return [name for name in map(str, names) if not re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", spans)]


@pytest.mark.parametrize(
    "record",
    (
        *(TaskConfig, Columns, Cells, Protocol, Chunking, NarratorRemoval),
        *(GenerationSettings, MetricConfig, TaskMetadata, Suite),
    ),
    ids=str,
)
def test_every_key_of_a_task_file_is_explained(root, record):
    assert not missing(root, "docs/tasks.md", record.model_fields)


def test_every_condition_filter_and_template_is_named(root):
    assert not missing(root, "docs/tasks.md", [*CONDITIONS, *FILTER_KEYS, *list_templates()])


def test_every_kind_of_model_is_named(root):
    kinds = [entry.spec for entry in list_models() if ":" in entry.spec or entry.spec in ("random", "dsp")]
    assert not missing(root, "docs/models.md", [kind.partition(":")[0] for kind in kinds])


LOADS = {"openai": load_openai, "transformers": load_transformers, "command": load_command, "python": load_python}
PAGES_OF_THEIR_OWN = {"transformers": "docs/checkpoints.md"}


@pytest.mark.parametrize("kind", LOADS)
def test_every_setting_of_a_model_is_named(root, kind):
    assert not missing(root, PAGES_OF_THEIR_OWN.get(kind, "docs/models.md"), LOADS[kind].__kwdefaults__)


def test_every_flag_of_run_is_explained(root):
    run = make_parser()._subparsers._group_actions[0].choices["run"]
    flags = [flag for action in run._actions for flag in action.option_strings if flag not in ("-h", "--help")]
    assert not missing(root, "docs/runs.md", flags)


def test_every_status_is_explained(root):
    assert not missing(root, "docs/scores.md", Status)


def choice_case(kind, right, run):
    item = Item(id=kind, benchmark="b", kind=kind, options=make_options(kind, "wxyz"), cluster_id=kind)
    answer = tuple(option.id for option in item.options[:right])
    return Case(item, Reference(item_id=kind, answer=answer), run, shown=item.option_ids, chosen=frozenset(answer))


def cases():
    choice = [choice_case(kind, right, run) for kind, right in (("single", 1), ("multi", 2)) for run in (0, 1)]
    item = Item(id="r", benchmark="b", kind="music", cluster_id="r", duration_s=9.0)
    segments = (Segment(start_s=0, end_s=9, label="a"),)
    music = MusicTruth(tempo_bpm=100, key="C major", time_signature="4/4", segments=segments)
    return choice, [Case(item, Reference(item_id="r", music=music), 0)]


def test_every_metric_is_defined_with_its_version(root):
    choice, music = cases()
    rows = [
        row
        for name, metric in METRICS.items()
        for row in measure(MetricConfig(metric=name), music if metric.field else choice)
    ]
    names = [f"{row.metric}/{row.version}".replace("4/4", EACH_METRE) for row in rows]
    assert not missing(root, "docs/scores.md", [*METRICS, *names])
    assert not missing(root, "docs/scores.md", METRICS["mub_key"].versions)


def test_every_baseline_is_defined(root):
    choice, music = cases()
    names = [name for each in (choice, music) for name, _ in baseline_cases(each)]
    assert chance(choice)
    assert not missing(root, "docs/scores.md", ["chance", *names])
