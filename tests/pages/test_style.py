"""What can be checked of the look without a browser: contrast, no network, no motion."""

import re

import pytest

from musebench_tasks.pages import page_environment, static_text

STYLE = static_text("page.css")
GROUNDS = ("ground", "raised", "tint")
INKS = ("text", "quiet", "link", "right", "wrong", "partly")


def palettes():
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    colours = [dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", part)) for part in (light, dark)]
    return {"light": colours[0], "dark": colours[1]}


def luminance(colour):
    parts = [int(colour[position : position + 2], 16) / 255 for position in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("ink", INKS)
def test_text_has_contrast_aa(scheme, ground, ink):
    colours = palettes()[scheme]
    assert contrast(colours[ink], colours[ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("number", range(6))
def test_labels_in_the_timeline_have_contrast_aa(scheme, number):
    colours = palettes()[scheme]
    assert contrast(colours["text"], colours[f"tint{number}"]) >= 4.5


def test_both_schemes_name_the_same_colours():
    assert palettes()["light"].keys() == palettes()["dark"].keys()


def test_nothing_comes_from_the_network_and_nothing_moves():
    for text in (STYLE, static_text("players.js"), static_text("browser.js")):
        assert not re.search(r"https?:|//[a-z]|@import|url\(|animation|transition", text)


def test_focus_can_be_seen():
    assert ":focus-visible { outline: 2px solid" in STYLE
    assert "outline: none" not in STYLE


def test_templates_escape_everything_and_forgive_nothing():
    environment = page_environment()
    assert environment.autoescape is True
    for name in environment.list_templates():
        source = environment.loader.get_source(environment, name)[0]
        assert "safe" not in re.findall(r"\|\s*(\w+)", source)
