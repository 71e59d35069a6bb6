"""Every folder of `metrics/` is a Space that works: card, example, page, requirements."""

import contextlib
import doctest
import importlib
import inspect
import io
import json
import re
import sys

import pytest
import yaml
from fakes.metric_arguments import VALID

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.resources import METRICS, metric_file
from musebench_tasks.metric_modules import page

BLOCKS = re.compile(
    r"^```python\n(?P<code>(?:(?!```).)*?)^```\n(?:<!-- shown -->\n)?```text\n(?P<output>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
DOCS = metric_file("caa").parents[2] / "docs" / "metrics.md"


def printed(code):
    """What an example prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "example", "exec"), {})
    return output.getvalue()


def examples(path):
    return [(match["code"], match["output"]) for match in BLOCKS.finditer(path.read_text(encoding="utf-8"))]


@pytest.fixture
def space(monkeypatch):
    """The module `app` of a Space, whose folder is where it runs."""
    before = set(sys.modules)

    def run(name):
        monkeypatch.syspath_prepend(str(metric_file(name).parent))
        return importlib.import_module("app")

    yield run
    for module in {"app", *METRICS} - before:
        sys.modules.pop(module, None)


@pytest.mark.parametrize("name", METRICS)
def test_a_card_says_what_the_hub_and_a_reader_need(classes, name):
    folder = metric_file(name).parent
    assert {path.name for path in folder.iterdir()} - {"__pycache__"} == {"README.md", "app.py", "requirements.txt", f"{name}.py"}  # fmt: skip  # noqa: E501
    _, front, card = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    facts = yaml.safe_load(front)
    assert (facts["sdk"], facts["app_file"], facts["tags"]) == ("gradio", "app.py", ["evaluate", "metric"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", str(facts["sdk_version"]))
    assert facts["title"]
    assert facts["description"]
    heads = re.findall(r"^## (.*)$", card, re.MULTILINE)
    assert heads == ["Definition", "Use", "Limits", "Citation"]
    settings = set(inspect.signature(classes[name]._compute).parameters) - {"self", "predictions", "references"}
    assert not [setting for setting in settings if setting not in card]
    assert "musebench-tasks" in (folder / "requirements.txt").read_text().split()


@pytest.mark.parametrize("name", METRICS)
def test_the_example_of_a_card_prints_what_it_says(evaluate, name):
    found = examples(metric_file(name).parent / "README.md")
    assert found
    for code, output in found:
        assert printed(code) == output


def test_the_examples_of_the_page_print_what_they_say(evaluate):
    found = examples(DOCS)
    assert len(found) >= 3
    for code, output in found:
        assert printed(code) == output


@pytest.mark.parametrize("name", METRICS)
def test_the_example_of_a_description_holds(evaluate, make, name):
    metric = make(name)
    for head in ("Args:", "Returns:", "Examples:"):
        assert head in metric.inputs_description
    test = doctest.DocTestParser().get_doctest(metric.inputs_description, {"evaluate": evaluate}, name, None, 0)
    assert test.examples
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


@pytest.mark.parametrize("name", METRICS)
def test_every_setting_and_result_is_described(make, name):
    metric = make(name)
    described = metric.inputs_description
    args, returns = described.split("Returns:")
    settings = set(inspect.signature(metric._compute).parameters)
    assert not [each for each in settings if f"{each} (" not in args]
    results = metric.compute(**VALID[name])
    assert not [each for each in results if not re.search(rf"(?<![\w.]){re.escape(each)}(?![\w])", returns)]


@pytest.mark.parametrize("name", METRICS)
def test_the_page_computes_its_example_and_tells_errors(space, name):
    app = space(name)
    metric = next(value for value in vars(app).values() if inspect.isclass(value))
    assert page.result(metric, json.dumps(app.EXAMPLE))["version"]
    for text, message in (("{", "This is no JSON"), ("[1]", "Give one JSON object"), ('{"predictions": [NaN]}', ".*")):
        with pytest.raises(InputError, match=message):
            page.result(metric, text)
    assert page.card(metric_file(name).parent).startswith("# ")


class FakeGradio:
    """What the page uses of gradio."""

    class Error(Exception):
        """Shown to the visitor."""

    def __getattr__(self, name):
        return lambda **given: {"kind": name, **given}


def test_the_page_shows_card_example_and_errors(space, monkeypatch):
    gradio = FakeGradio()
    monkeypatch.setitem(sys.modules, "gradio", gradio)
    app = space("caa")
    shown = page.page(app.Caa, app.EXAMPLE)
    assert shown["title"] == "Metric: caa"
    assert json.loads(shown["inputs"]["value"]) == app.EXAMPLE
    assert "## Limits" in shown["article"]
    assert shown["fn"](json.dumps(app.EXAMPLE))["accuracy"] == 0.6
    with pytest.raises(FakeGradio.Error, match="predictions row 0: found None"):
        shown["fn"](json.dumps({**app.EXAMPLE, "predictions": [None] * 5}))
