"""docs/definitions.md is what the docstrings say, says it of every metric, and its examples are true."""

import doctest
import sys
from pathlib import Path

import pytest
from fakes.scored_material import answer, choice_item, gold, music_answer, recording, truth

from musebench_tasks.base.records import Kind, MetricConfig
from musebench_tasks.evaluation.cases import make_case
from musebench_tasks.evaluation.definitions import CHAPTERS, EACH_METRE, definitions_page, explained
from musebench_tasks.evaluation.metrics import registry as metrics
from musebench_tasks.measures import KEY_VERSIONS, TEMPO_VERSIONS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "definitions.md"
DEFINITIONS = [each for chapter in CHAPTERS.values() for each in chapter]


def test_the_page_is_what_the_docstrings_say():
    assert PAGE.read_text(encoding="utf-8") == definitions_page(), "run python docs/make_definitions.py"


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda each: each.title)
def test_its_examples_are_true(definition):
    module = sys.modules[definition.function.__module__]
    found = doctest.DocTestFinder(recurse=False).find(definition.function, globs=vars(module).copy())
    assert sum(len(each.examples) for each in found) > 0
    for each in found:
        assert doctest.DocTestRunner(verbose=False).run(each).failed == 0


def test_no_metric_id_is_defined_twice():
    ids = [each for definition in DEFINITIONS for each in definition.ids]
    assert len(ids) == len(set(ids))


def measured():
    """Id and version of every number that a scorecard can hold."""
    single, multi = choice_item("s"), choice_item("m", kind=Kind.MULTI)
    track = recording("r")
    sure = {"option_probabilities": {single.option_ids[0]: 1.0}}
    asked = [(single, gold(single, "A"), answer(single, "A", run=run).model_copy(update=sure)) for run in range(2)]
    asked += [(multi, gold(multi, "AB"), answer(multi, "AB", run=run)) for run in range(2)]
    heard = music_answer(track, tempo=100.0, key="C major", time_signature="4/4", segments=[[0, 30, "A"]])
    cases = [make_case(item, right, found.run, found) for item, right, found in asked]
    music = [make_case(track, truth(track), 0, heard)]
    rows = [row for measure in metrics.CHOICE.values() for row in measure(cases)]
    rows += [row for measure in metrics.MUSIC.values() for row in measure(music)]
    for metric, versions in (("mub_key", KEY_VERSIONS), ("mub_tempo", TEMPO_VERSIONS)):
        for version in versions:
            rows += metrics.measure(MetricConfig(metric=metric, version=version), music)
    return {f"{row.metric}/{row.version}".replace("4/4", EACH_METRE) for row in rows}


def test_every_number_of_a_scorecard_is_defined():
    defined = {each for definition in DEFINITIONS for each in definition.ids}
    assert measured() == defined


def test_a_docstring_without_a_section_is_refused():
    def half():
        """Meaning.

        Formula: one.
        """

    with pytest.raises(ValueError, match="half: sections"):
        explained(half)
