"""An id that stands twice: the first row counts, and each row is compared with its own gold."""

import json

import pytest
from fakes.sheets import ABOUT, TASK, tone, write_csv, write_wav

from musebench_tasks.assembly.build import BuildSettings, build_dataset
from musebench_tasks.assembly.item_checks import check_task
from musebench_tasks.assembly.rules.findings import line_of
from musebench_tasks.assembly.source_checks import check_source
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import TaskConfig

COLUMNS = {"id": "nr", "media": "file", "question": "asks", "options": "options", "answer": "right"}
LISTED = TaskConfig.model_validate(TASK.model_dump(mode="json") | {"columns": COLUMNS})


def asked(name, options, right):
    return {"nr": name, "file": "low.wav", "asks": "Where?", "options": json.dumps(options), "right": right}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "source"
    write_wav(made / "low.wav", tone(220))
    (made / "about.yaml").write_text(ABOUT, encoding="utf-8")
    rows = [
        asked("a", ["up", "down"], "up"),
        asked("a", ["left", "right"], "left"),
        asked("a", ["left", "right"], "up"),
        asked("b", ["left", "right"], "left"),
    ]
    write_csv(made / "rows.csv", rows)
    return made


def test_each_row_is_compared_with_its_own_gold(folder, tmp_path):
    with pytest.raises(InputError) as refused:
        build_dataset(folder, tmp_path / "out", LISTED, BuildSettings())
    task = LISTED.model_copy(update={"dataset_path": str(folder)})
    checked = [
        line_of(each) for look in (check_source(folder, LISTED, media=False), check_task(task)) for each in look[0]
    ]
    for lines in (str(refused.value).splitlines(), checked):
        answers = [line for line in lines if '"right"' in line]
        assert answers
        assert all("row 3" in line and '"up" is not one of the options' in line for line in answers)
        assert any("row 2" in line and "already" in line for line in lines)
