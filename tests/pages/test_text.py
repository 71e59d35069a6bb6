import pytest
from fakes.read_page import faults, read_page
from hypothesis import given
from hypothesis import strategies as st

from musebench_tasks.base.records import Interval
from musebench_tasks.pages.text import (
    balanced,
    breakable,
    fit,
    interval_text,
    linked,
    seconds_text,
    short_number,
    signed_text,
    value_text,
)


@pytest.mark.parametrize(
    ("value", "text"), [(0.4583, "0.458"), (-0.08, "−0.080"), (-0.0001, "0.000"), (1, "1.000"), (None, "–")]
)
def test_values_have_equal_decimals_and_a_true_minus(value, text):
    assert value_text(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.125, "+0.125"), (-0.125, "−0.125"), (0.0, "0.000"), (None, "–")])
def test_differences_carry_their_sign(value, text):
    assert signed_text(value) == text


def test_intervals_say_to_because_a_dash_could_be_a_minus():
    assert interval_text(Interval(low=-0.19, high=0.32, method="t_clusters")) == "−0.19 to 0.32"
    assert interval_text(None) == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (18.125, "18.1 s"), (60, "1:00"), (64.4, "1:04"), (3599.6, "60:00")]
)
def test_seconds_read_as_people_say_them(seconds, text):
    assert seconds_text(seconds) == text


def test_short_numbers_hold_no_idle_zeros():
    assert [short_number(each) for each in (18.125, 101.0, 0.0, 129.398)] == ["18.125", "101", "0", "129.398"]


def test_what_no_page_can_carry_is_shown_as_a_sign():
    assert fit("a\x00b\x1bc\ud800d\x9fe\ufffe") == "a␀b␛c�d�e�"


@given(st.text(alphabet=st.characters(codec=None)))
def test_fit_text_is_utf8_and_keeps_what_was_fit(text):
    made = fit(text)
    made.encode()
    assert len(made) == len(text)
    assert all(old == new for old, new in zip(text, made, strict=True) if old.isprintable() and old.isascii())


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        'x" onmouseover="alert(1)',
        "vbscript:x file:///etc/passwd //evil.example/x",
    ],
)
def test_only_web_addresses_become_links(text):
    page = read_page(f"<p>{linked(text)}</p>")
    assert page.find("p").text == text
    assert not page.find_all("a")


def test_web_addresses_are_linked_without_the_stop_after_them():
    page = read_page(f"<p>{linked('By A (https://example.org/a?b=1&c=<2), see http://b.example.')}</p>")
    assert [link.attributes["href"] for link in page.find_all("a")] == [
        "https://example.org/a?b=1&c=",
        "http://b.example",
    ]
    assert page.find("p").text == "By A (https://example.org/a?b=1&c=<2), see http://b.example."


@given(st.text(), st.sampled_from(["https://x.example/", "javascript:", "http://\"'<>", ""]))
def test_no_text_leaves_its_place(text, address):
    page = read_page(f"<p>{linked(fit(text.replace(chr(13), ' ') + address))}</p>")
    assert not faults(page)
    assert {node.tag for node in page.walk()} <= {"root", "p", "a"}


LRE, PDF, RLO, RLI, PDI = "\u202a", "\u202c", "\u202e", "\u2067", "\u2069"


@pytest.mark.parametrize(
    ("text", "paired"),
    [
        ("plain", "plain"),
        (f"{RLO}x", f"{RLO}x{PDF}"),
        (f"{RLI}{RLO}x", f"{RLI}{RLO}x{PDF}{PDI}"),
        (f"{PDI}x{PDF}", "x"),
        (f"{RLI}{LRE}x{PDI}y", f"{RLI}{LRE}x{PDF}{PDI}y"),
        (f"{LRE}{RLI}{PDF}x", f"{LRE}{RLI}x{PDI}{PDF}"),
        (f"{RLI}x{PDI}", f"{RLI}x{PDI}"),
    ],
)
def test_every_change_of_direction_ends(text, paired):
    assert balanced(text) == paired


@given(st.text(alphabet="ab\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
def test_balancing_keeps_what_is_balanced(text):
    once = balanced(text)
    assert balanced(once) == once
    assert once.count(PDI) == sum(once.count(each) for each in "\u2066\u2067\u2068")
    assert once.count(PDF) == sum(once.count(each) for each in "\u202a\u202b\u202d\u202e")


def test_a_long_name_may_be_broken_after_its_signs_only():
    assert breakable("openai:ORG/a_b@http://h:1") == ("openai:<wbr>ORG/<wbr>a_<wbr>b@<wbr>http://<wbr>h:<wbr>1")
    assert breakable("<b>:x") == "&lt;b&gt;:<wbr>x"
    assert breakable("two words") == "two words"
