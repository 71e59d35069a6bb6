import pytest
from fakes import synthetic_page
from fakes.browser import chromium, opened

from musebench_tasks.base.records import (
    Condition,
    FieldAnswer,
    Item,
    Kind,
    MusicTruth,
    Prediction,
    Reference,
    Segment,
    Status,
    make_options,
)
from musebench_tasks.pages import GivenAnswer, Medium, make_card, page_environment

__all__ = ["chromium"]


@pytest.fixture
def choice_item():
    return Item(
        id="film-1",
        benchmark="musebench",
        kind=Kind.SINGLE,
        question="What does the light do?",
        options=make_options("film-1", ["It fades", "It stays", "It turns"]),
        cluster_id="v1",
        category="Cinematic",
        license="CC-BY-3.0",
        attribution="Somebody, https://example.org/film",
    )


@pytest.fixture
def music_item():
    return Item(id="tune-1", benchmark="mub", kind=Kind.MUSIC, duration_s=40.0, cluster_id="t1")


@pytest.fixture
def truth():
    segments = (Segment(start_s=0, end_s=20, label="A"), Segment(start_s=20, end_s=40, label="B"))
    music = MusicTruth(tempo_bpm=120.0, key="C major", time_signature="4/4", segments=segments)
    return Reference(item_id="tune-1", music=music)


@pytest.fixture
def answer():
    """A GivenAnswer: `answer(item, [positions], …)` for choices, `answer(item, {field: value}, …)` for music."""

    def make(item, parsed, *, system="model", setting="", status=Status.OK, error=None, attempts=1, **fields):
        if isinstance(parsed, list):
            parsed = tuple(item.options[position].id for position in parsed)
        elif isinstance(parsed, dict):
            parsed = {name: _field(value) for name, value in parsed.items()}
        prediction = Prediction(
            item_id=item.id, run=0, condition=Condition.FULL, parsed=parsed, status=status, **fields
        )
        return GivenAnswer(system, setting, prediction, error, attempts)

    return make


def _field(value):
    return value if isinstance(value, FieldAnswer) else FieldAnswer(value=value, status=Status.OK, rule="json")


@pytest.fixture
def render():
    """The HTML of a card."""
    macro = page_environment().get_template("card.html.jinja").module.item_card

    def make(item, reference, given, medium=None):
        return str(macro(make_card(item, reference, given, medium or Medium(missing="Not here."), anchor="t1-1")))

    return make


@pytest.fixture(scope="session")
def items_page(tmp_path_factory):
    """A page of 10 made-up questions on a film and 3 recordings."""
    folder = tmp_path_factory.mktemp("page")
    synthetic_page.write_media(folder)
    films, tunes = synthetic_page.film_cards(10), synthetic_page.tune_cards(3)
    items = [synthetic_page.film_item(number) for number in range(10)]
    sections = [("films", films, items), ("tunes", tunes, [])]
    return synthetic_page.write_items(folder / "index.html", sections)


@pytest.fixture(scope="module")
def tab(chromium, items_page):
    with opened(chromium, items_page) as shown:
        yield shown


@pytest.fixture
def page(tab, items_page):
    """That page in a browser, as it is when it was just opened."""
    tab.evaluate("localStorage.clear()")
    tab.goto("about:blank")
    tab.goto(items_page.as_uri())
    yield tab
    assert not tab.evaluate("window.violations")
