"""What tasks say about metrics agrees with what `scoring` defines (kept apart, so that listing tasks stays light)."""

from musebench_tasks.scoring.key import HEADLINE_VERSION as KEY_HEADLINE
from musebench_tasks.scoring.key import KEY_VERSIONS
from musebench_tasks.scoring.tempo import HEADLINE_VERSION as TEMPO_HEADLINE
from musebench_tasks.scoring.tempo import TEMPO_VERSIONS
from musebench_tasks.tasks import METRICS, default_version


def test_versions_are_those_that_scoring_knows():
    assert set(METRICS["mub_key"].versions) == set(KEY_VERSIONS)
    assert set(METRICS["mub_tempo"].versions) == set(TEMPO_VERSIONS)


def test_defaults_are_the_headline_versions():
    assert (default_version("mub_key"), default_version("mub_tempo")) == (KEY_HEADLINE, TEMPO_HEADLINE)
