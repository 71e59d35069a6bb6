"""What tasks say about metrics agrees with what `scoring` defines (kept apart, so that listing tasks stays light)."""

import pytest

from musebench_tasks.base.records import MUSIC_FIELDS, MetricConfig
from musebench_tasks.evaluation.metrics.registry import measure
from musebench_tasks.measures.key import HEADLINE_VERSION as KEY_HEADLINE
from musebench_tasks.measures.key import KEY_VERSIONS
from musebench_tasks.measures.tempo import HEADLINE_VERSION as TEMPO_HEADLINE
from musebench_tasks.measures.tempo import TEMPO_VERSIONS
from musebench_tasks.tasks import METRICS, default_version
from musebench_tasks.tasks.rules import _metric


def test_versions_are_those_that_scoring_knows():
    assert set(METRICS["mub_key"].versions) == set(KEY_VERSIONS)
    assert set(METRICS["mub_tempo"].versions) == set(TEMPO_VERSIONS)


def test_defaults_are_the_headline_versions():
    assert (default_version("mub_key"), default_version("mub_tempo")) == (KEY_HEADLINE, TEMPO_HEADLINE)


@pytest.mark.parametrize(
    ("metric", "version", "is_known"),
    [
        ("mub_key", "mub.key.exact/1", True),
        ("mub_time_signature", "mub.time_signature.accuracy/1", True),
        ("mub_tempo", "mub.key.exact/1", False),
        ("caa", "caa/1", True),
        ("caa", "caa/2", False),
    ],
)
def test_a_version_may_stand_as_results_name_it(metric, version, is_known):
    kinds = METRICS[metric].kinds
    told = list(_metric(("metric_list", 0), {"metric": metric, "version": version}, kinds, list(MUSIC_FIELDS)))
    assert (told == []) is is_known


def test_a_scorecard_names_the_version_once():
    for version in ("exact/1", "mub.key.exact/1"):
        found = measure(MetricConfig(metric="mub_key", version=version), [])
        assert (found[0].metric, found[0].version) == ("mub.key.exact", "1")
