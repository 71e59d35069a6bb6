"""Which numbers may go onto a model's page: those of whole benchmarks, asked of that model."""

import pytest

from musebench_tasks import api
from musebench_tasks.base.errors import InputError
from musebench_tasks.submissions.handover import from_details, prepare_submission, retry_rate

PARTS = {
    "rows": 'rows: {version: ["1.0"]}\n',
    "exclude": "exclude: [item-03]\n",
    "filter": "filter: {cluster_id: [c1, c2]}\n",
    "several": "exclude: [item-03]\nfilter: {cluster_id: [c1, c2]}\n",
}


def prepared(run, **more):
    return prepare_submission(run, "ORG/submissions", submitter="Ada", model="ORG/model", dataset="ORG/data", **more)


def ran(colours, more=""):
    colours.task_file.write_text(colours.task_file.read_text() + more)
    api.run(tasks=[str(colours.task_file)], model="random", out=colours.folder / "run of it")
    return colours.folder / "run of it"


def test_a_whole_benchmark_gives_entries_of_every_condition(colours):
    run = colours.folder / "ash"
    (entry,) = prepared(run).entries
    assert (entry.file, entry.dataset, entry.task, entry.value) == ("data.yaml", "ORG/data", "accuracy", 91.67)
    assert entry.notes == "full, T, coverage 1.000, answered 1.000, CAA 87.50"


@pytest.mark.parametrize(
    "part", ["rows", "exclude", *(pytest.param(each, marks=pytest.mark.slow) for each in ("filter", "several"))]
)
def test_a_part_of_a_benchmark_is_no_number_of_it(colours, part):
    run = ran(colours, PARTS[part])
    with pytest.raises(InputError, match="colours: asks a part of data only; a model's page shows whole benchmarks"):
        prepared(run)
    assert prepare_submission(run, "ORG/submissions", submitter="Ada").entries == ()


def test_a_part_that_was_asked_by_a_run_is_named_too(colours):
    api.run(tasks=[str(colours.task_file)], model="random", out=colours.folder / "some", limit=3)
    with pytest.raises(InputError, match="asked only limit:3 of the items"):
        prepared(colours.folder / "some")


def test_the_dataset_must_be_told_where_the_task_names_none_on_the_hub(colours):
    with pytest.raises(InputError, match="--dataset ORG/NAME"):
        prepare_submission(colours.folder / "ash", "ORG/s", submitter="Ada", model="ORG/model")
    with pytest.raises(InputError, match='--dataset is "data": write ORG/NAME'):
        prepare_submission(colours.folder / "ash", "ORG/s", submitter="Ada", model="ORG/model", dataset="data")


def test_several_models_have_pages_of_their_own(colours):
    (colours.folder / "two").mkdir()
    for name in ("ash", "birch"):
        (colours.folder / name).rename(colours.folder / "two" / name)
    with pytest.raises(InputError, match="holds results of several models, --model-repo is about one"):
        prepared(colours.folder / "two")


def test_what_waits_in_the_queue_is_what_was_prepared(colours):
    handover = prepared(colours.folder / "ash", notes="of\nseveral   lines")
    assert from_details(handover.details()) == handover
    (result,) = handover.results
    assert result.notes == "retry rate 0.0000 (0 of 12). of several lines"


def test_the_retry_rate_is_counted_in_the_journals_or_said_to_be_unknown(colours):
    assert retry_rate(colours.folder / "run" / "random" / "colours") == "retry rate 0.0000 (0 of 12)"
    assert retry_rate(colours.folder / "nowhere") == "retry rate not known"


def test_the_data_of_a_task_are_read_once_for_all_systems(colours, monkeypatch):
    from musebench_tasks.evaluation import task_data as data

    (colours.folder / "two").mkdir()
    for name in ("ash", "birch", "cedar"):
        (colours.folder / name).rename(colours.folder / "two" / name)
    read = []
    load = data.load_items
    monkeypatch.setattr(data, "load_items", lambda task, **more: read.append(task.task) or load(task, **more))
    assert len(prepare_submission(colours.folder / "two", "ORG/submissions", submitter="Ada").results) == 3
    assert read == ["colours"]
