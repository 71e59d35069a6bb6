"""docs/definitions.md is what the docstrings say, says it of every metric, and its examples are true."""

import doctest
import sys
from pathlib import Path

import pytest
from fakes.scored_material import answer, choice_item, gold, music_answer, recording, truth

from musebench_tasks.base.records import Kind, MetricConfig
from musebench_tasks.evaluation.cases import make_case
from musebench_tasks.evaluation.definitions import CHAPTERS, definitions_page, explained
from musebench_tasks.evaluation.metrics.music import EACH_METRE
from musebench_tasks.evaluation.metrics.registry import MEASURES, NUMBERS, measure
from musebench_tasks.tasks import METRICS

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
    rows = [
        row
        for metric, told in METRICS.items()
        for version in told.versions
        for row in measure(MetricConfig(metric=metric, version=version), music if told.field else cases)
    ]
    return {f"{row.metric}/{row.version}".replace("4/4", EACH_METRE) for row in rows}


def test_every_number_of_a_scorecard_is_defined():
    defined = {each for definition in DEFINITIONS for each in definition.ids}
    assert measured() == defined


def test_every_measure_that_a_task_may_name_has_a_record_and_words_for_numbers_that_there_are():
    assert set(MEASURES) == set(METRICS)
    assert set(NUMBERS) <= {each.rpartition("/")[0] for each in measured()}
    assert all(each.meaning for each in NUMBERS.values() if each.label)
    assert all(each.numbers[0].label for name, each in MEASURES.items() if each.numbers[0].sentence)


def test_a_docstring_without_a_section_is_refused():
    def half():
        """Meaning.

        Formula: one.
        """

    with pytest.raises(ValueError, match="half: sections"):
        explained(half)
