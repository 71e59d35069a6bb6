"""What every figure must be, whatever it shows: safe in a strict page, readable by all, the same bytes again."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from musebench_tasks.pages.figures import (
    Change,
    Changes,
    Circle,
    Line,
    LinePlot,
    Panel,
    Profile,
    Recording,
    Role,
    Spot,
    Stack,
    Stacks,
    Stretch,
    Track,
    Value,
    Words,
    draw_bars,
    draw_changes,
    draw_circles,
    draw_lines,
    draw_radar,
    draw_square,
    draw_stacks,
    draw_timelines,
)

HOSTILE = "<script>alert(1)</script> & \"'$x^2$ {{7*7}}"
WORDS = Words("name", f"A title & {HOSTILE}", f"Numbers of {HOSTILE}", "A caption")
SVG = "{http://www.w3.org/2000/svg}"
COLOUR = re.compile(r"#[0-9a-f]{6}|currentColor|none|url\(#[-a-z0-9]+\)")


def value(number, n=20):
    return Value(number, n, max(-1, number - 0.1), min(1, number + 0.1))


def profile(names, n_categories=5, n_panels=1):
    lines = tuple(Line(name, tuple(value(0.1 * (k + 1)) for k in range(n_categories))) for name in names)
    guess = (Line("always first", (value(0.2),) * n_categories, Role.BASELINE),)
    panel = Panel("accuracy", (20,) * n_categories, lines, guess, (0.25,) * n_categories)
    return Profile(tuple(f"category {k} {HOSTILE}" for k in range(n_categories)), (panel,) * n_panels)


def line_plot(names):
    lines = [Line(name, (value(0.5), None, Value(0.3, 4))) for name in names]
    drawn = (Line("right", (value(0.2),) * 3, Role.REFERENCE), Line("chance", (value(0.1),) * 3, Role.BASELINE), *lines)
    return LinePlot(("A", "B\nn 3", HOSTILE), "options", "share", drawn, in_percent=True)


def circle(name):
    return Circle(name, (5, *([1] * 11)), (2, *([0] * 11)), ("fifth 1", HOSTILE))


def recording(names):
    stretches = (Stretch(0, 3, "intro"), Stretch(3, 70, HOSTILE))
    tracks = [Track("reference", stretches, "F1", Role.REFERENCE), *(Track(each, stretches, "0.5") for each in names)]
    return Recording(f"best: {HOSTILE}", 70.0, (*tracks, Track("silent", (), "0.00")))


FIGURES = {
    "bars": lambda names: draw_bars(profile(names), WORDS, "p-bars"),
    "bars of two": lambda names: draw_bars(profile(names, n_panels=2), WORDS, "p-two"),
    "radar": lambda names: draw_radar(profile(names), WORDS, "p-radar"),
    "radar of two": lambda names: draw_radar(profile(names, 4, 2), WORDS, "p-radars"),
    "lines": lambda names: draw_lines(line_plot(names), WORDS, "p-lines"),
    "square": lambda names: draw_square(
        tuple(Spot(name, value(0.5), value(0.6)) for name in names),
        "recall",
        "precision",
        ("above", "below"),
        WORDS,
        "p-sq",
    ),
    "stacks": lambda names: draw_stacks(
        Stacks(
            ("ok", "no", HOSTILE),
            tuple(Stack(n, (30, 1, 9), "noise") for n in names),
            ("#009e73", "#0072b2", "#e6e6e6"),
            0.2,
            "prior",
        ),
        WORDS,
        "p-stacks",
    ),
    "circles": lambda names: draw_circles(tuple(circle(name) for name in names), WORDS, "p-circles"),
    "timelines": lambda names: draw_timelines((recording(names[:3]),) * 2, WORDS, "p-times"),
    "changes": lambda names: draw_changes(
        (Changes(HOSTILE, tuple(Change(name, value(-0.3)) for name in names)),), tuple(names), WORDS, "p-changes"
    ),
}
NAMES = {
    "one": ["dsp"],
    "twelve": [f"system number {number}" for number in range(12)],
    "hostile": [HOSTILE, "系统" * 30, "\u202eright to left", "$\\frac{", "a" * 200],
}


@pytest.fixture(scope="module", params=[(kind, names) for kind in FIGURES for names in NAMES], ids=str)
def figure(request):
    kind, names = request.param
    return FIGURES[kind](NAMES[names])


def tree(text):
    return ElementTree.fromstring(str(text))


def test_a_strict_page_takes_it(figure):
    for element in tree(figure.svg).iter():
        assert element.tag.removeprefix(SVG) not in {"script", "style", "foreignObject", "image", "a"}
        for name, text in element.attrib.items():
            assert name != "style"
            assert not name.startswith("on")
            assert name != "href" or text.startswith("#")
            assert name not in ("fill", "stroke") or COLOUR.fullmatch(text)
            assert "url(" not in text or text.startswith("url(#")


def test_black_follows_the_page_and_the_ground_is_its_own(figure):
    assert "#000000" not in figure.svg
    assert "#ffffff" not in figure.svg
    assert tree(figure.svg).attrib["fill"] == "currentColor"


def test_ids_are_the_figures_own(figure):
    root = tree(figure.svg)
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    assert all(each.startswith("p-") for each in ids)
    used = re.findall(r'(?:href="#|url\(#)([^")]+)', str(figure.svg))
    assert set(used) <= set(ids)


def test_it_says_itself_in_words(figure):
    root = tree(figure.svg)
    described = root.find(f"{SVG}desc")
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == WORDS.title
    assert root.attrib["aria-describedby"] == described.attrib["id"]
    assert described.text == WORDS.description


def test_text_stays_text_within_the_drawing(figure):
    root = tree(figure.svg)
    width, height = (float(each) for each in root.attrib["viewBox"].split()[2:])
    texts = list(root.iter(f"{SVG}text"))
    assert texts
    assert "font-family" not in str(figure.svg)
    for text in texts:
        place = re.search(r"translate\((\S+) (\S+)\)", text.attrib.get("transform", ""))
        x, y = (float(each) for each in (place.groups() if place else (text.attrib["x"], text.attrib["y"])))
        size, anchor = float(text.attrib["font-size"]), text.attrib.get("text-anchor", "start")
        length = sum(1.0 if letter > "⺀" else 0.5 for letter in text.text or "") * size
        start = x - {"start": 0, "middle": length / 2, "end": length}[anchor]
        assert start >= -3
        assert start + length <= width + 3
        assert 0 <= y <= height


def test_the_file_is_black_on_white_and_has_its_title(figure):
    root = tree(figure.standalone_svg)
    first = root.find(f"{SVG}rect")
    assert root.attrib["color"] == "#000000"
    assert first.attrib["fill"] == "#ffffff"
    assert root.find(f"{SVG}title").text == WORDS.title
    titles = [text.text for text in root.iter(f"{SVG}text") if text.attrib.get("font-size") == "12.5"]
    assert "".join(titles).replace(" ", "") == WORDS.title.replace(" ", "")


@pytest.mark.parametrize("kind", FIGURES)
def test_the_same_data_give_the_same_bytes(kind):
    first, second = (FIGURES[kind](["dsp", "other"]) for _ in range(2))
    assert first == second


def test_it_leaves_no_trace_in_matplotlib():
    import sys

    import matplotlib

    before = matplotlib.rcParams["svg.fonttype"], matplotlib.rcParams["text.parse_math"]
    FIGURES["lines"](["dsp"])
    assert (matplotlib.rcParams["svg.fonttype"], matplotlib.rcParams["text.parse_math"]) == before
    assert "matplotlib.pyplot" not in sys.modules
