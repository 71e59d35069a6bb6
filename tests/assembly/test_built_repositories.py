"""A repository that is built gets every check that a sheet gets, however it is named, and its configs are compared."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fakes.sheets import ABOUT, TASK, question, tone, write_csv, write_wav

from musebench_tasks.assembly import write_repository
from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.choice_rows import repository_task
from musebench_tasks.assembly.item_checks import check_repository, check_task
from musebench_tasks.assembly.source_checks import check_source
from musebench_tasks.base.errors import InputError
from musebench_tasks.hub.data_rules import check_directory
from musebench_tasks.tasks import load_task

SLOW = pytest.mark.slow
OWN = pytest.param("listening", marks=SLOW)
GOLD = {"musebench": "answer", "hummusqa": "answer", "mub": "key", "listening": "answer"}


def own(folder):
    write_wav(folder / "source" / "low.wav", tone(220))
    (folder / "source" / "about.yaml").write_text(ABOUT)
    write_csv(folder / "source" / "rows.csv", [question(name, "low.wav", asks=f"Why {name}?") for name in ("q1", "q2")])
    return build_dataset(folder / "source", folder / "listening", TASK, BuildSettings()).directory


@pytest.fixture
def built(tmp_path, card, musebench_row, hummusqa_row, mub_row):
    """Repositories of two rows, under names that say nothing."""
    makers = {"musebench": musebench_row, "hummusqa": hummusqa_row, "mub": mub_row}

    def make(name):
        if name == "listening":
            return own(tmp_path)
        strategies = {"distractor_strategies": None} if name == "musebench" else {}
        rows = [makers[name](each) for each in ("r1", "r2")]
        for row in rows if strategies else ():
            kinds = ("factual error", "partial truth", "scope error")
            row["distractor_strategies"] = [
                each | {"strategy": kind} for each, kind in zip(row["distractor_strategies"], kinds, strict=True)
            ]
        return write_repository(tmp_path / "things", name, rows, card)

    return make


def rewrite(directory, config, change):
    """Write a config anew as `change` makes it of the table."""
    (file,) = (directory / config).glob("*.parquet")
    table = pq.read_table(file)
    pq.write_table(change(table), file)


def cell(column, value):
    """Sets the cell of the first row."""

    def change(table):
        values = [value, *table.column(column).to_pylist()[1:]]
        place = table.column_names.index(column)
        return table.set_column(place, column, pa.array(values, table.schema.field(column).type))

    return change


def ways(directory, name):
    """The tags that stop, by each way of naming the repository."""
    target = TASK if name == "listening" else name
    task = load_task(f"{name}_demo") if name != "listening" else TASK
    found = (
        check_source(directory, target, media=False).findings,
        check_task(repository_task(task, directory)).findings,
        check_repository(directory),
    )
    return [{each.code for each in findings.stopping} for findings in found]


@pytest.mark.parametrize("name", ["musebench", *(pytest.param(name, marks=SLOW) for name in ("hummusqa", "mub")), OWN])
def test_what_was_built_is_fine_and_spoiled_configs_are_named_however_it_is_called(built, name):
    directory = built(name)
    assert ways(directory, name) == [set()] * 3
    gold = pq.read_table(next((directory / "references").glob("*.parquet"))).column(GOLD[name])
    other = gold.to_pylist()[1] if name == "musebench" else {"mub": "C major", "hummusqa": "Horn"}.get(name)
    if name == "listening":
        options = pq.read_table(next((directory / "blind").glob("*.parquet"))).column("options").to_pylist()[0]
        other = [next(each["id"] for each in options if each["id"] not in gold.to_pylist()[0])]
    rewrite(directory, "references", cell(GOLD[name], other))
    assert all("CONFIGS_DIFFER" in tags for tags in ways(directory, name))
    rewrite(directory, "references", cell(GOLD[name], gold.to_pylist()[0]))
    rewrite(directory, "blind", lambda table: table.append_column(GOLD[name], gold))
    assert ways(directory, name) == [{"GOLD_IN_BLIND"}] * 3
    rewrite(directory, "blind", lambda table: table.drop_columns([GOLD[name]]).slice(1))
    assert all("CONFIGS_DIFFER" in tags for tags in ways(directory, name))


def test_rows_of_a_repository_are_held_to_the_rules_of_its_benchmark(built):
    directory = built("musebench")
    for config in ("default", "blind"):
        for column, value in (("category", "Foo"), ("license", "CC-BY"), ("alignment", "smell")):
            rewrite(directory, config, cell(column, value))
    assert ways(directory, "musebench") == [{"VOCABULARY", "RIGHTS"}] * 3
    for config in ("default", "blind"):
        rewrite(directory, config, lambda table: table.drop_columns(["category"]))
    assert "CELL_MISSING" in ways(directory, "musebench")[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "value"), [("license", ""), ("license", "Creative Commons"), ("attribution", "NONE")]
)
def test_rights_of_an_own_benchmark_are_held_to_the_rule_after_the_build_too(built, column, value):
    directory = built("listening")
    for config in ("default", "blind"):
        rewrite(directory, config, cell(column, value))
    assert ways(directory, "listening") == [{"RIGHTS"}] * 3
    with pytest.raises(InputError, match=rf'row 1( \(q1\))?, column "{column}": '):
        check_directory(directory, "ada/listening")


@pytest.mark.parametrize(
    ("name", "column", "tag"),
    [("mub", "duration_s", "DURATION"), pytest.param("listening", "end_s", "CLIP_RANGE_INVALID", marks=SLOW)],
)
def test_times_are_held_to_what_decodes_as_those_of_sheets_are(built, name, column, tag):
    directory = built(name)
    for config in ("default", "blind"):
        rewrite(directory, config, cell(column, 9.0))
    checked = check_source(directory, TASK if name == "listening" else name)
    assert [(each.code, each.row) for each in checked.findings.stopping] == [(tag, 1)]


def test_a_row_that_blind_holds_twice_is_named(built):
    directory = built("mub")
    rewrite(directory, "blind", lambda table: pa.concat_tables([table, table.slice(1)]))
    assert "holds rows more often than default: r2" in check_repository(directory).lines[0]
