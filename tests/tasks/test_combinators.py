"""What a task file may say of `by` and `macro`."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.tasks import load_task

TASK = """\
task: t
dataset_path: musebench_demo
protocol: {{media: [video, audio]}}
slices: [category]
metric_list: {metrics}
metadata: {{version: 1.0, headline: {headline}}}
"""


def load(tmp_path, metrics, headline="accuracy"):
    path = tmp_path / "t.yaml"
    path.write_text(TASK.format(metrics=metrics, headline=headline))
    return load_task(str(path))


def test_a_macro_measure_may_be_the_headline(tmp_path):
    task = load(tmp_path, "[{metric: accuracy}, {metric: caa, macro: subdomain}]", "caa.macro.subdomain")
    assert [each.name for each in task.metric_list] == ["accuracy", "caa.macro.subdomain"]


@pytest.mark.parametrize(
    ("metrics", "headline", "found"),
    [
        ("[{metric: accuracy}, {metric: caa, macro: mood}]", "accuracy", "macro"),
        ("[{metric: accuracy}, {metric: caa, macro: kind, by: subdomain}]", "accuracy", "stands beside macro"),
        ("[{metric: accuracy}, {metric: caa, by: category}]", "accuracy", "is one of slices"),
        ("[{metric: accuracy}, {metric: caa, macro: kind}]", "caa", "caa.macro.kind"),
        ("[{metric: accuracy, by: subdomain}]", "accuracy", "is not in metric_list"),
    ],
)
def test_what_cannot_be_measured_is_refused(tmp_path, metrics, headline, found):
    with pytest.raises(InputError, match=found):
        load(tmp_path, metrics, headline)
