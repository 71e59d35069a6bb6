"""A report of the demonstrations in a real browser: pictures of it, accessibility, print. Pictures are kept."""

from itertools import pairwise

import pytest
from fakes.browser import ARTEFACTS, NARROW, WIDE, axe_faults, chromium, keep, opened, too_wide, wait_until

from musebench_tasks import api
from musebench_tasks.reports import write_report

__all__ = ["chromium"]
TASKS = ["musebench_demo", "hummusqa_demo", "mub_demo"]
N_ITEMS = 4
TALLEST = 16_000
LOOKER = """
def answer(question):
    if question["kind"] is None or question["kind"] == "music":
        return {"tempo": 120.0, "key": "C major", "time_signature": "4/4"}
    if question["frames"] is not None:
        return "ABCD"[len(question["frames"]) % 4]
    return "I would say B, but I have not seen it."
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of two systems on a few items of every demonstration, under two conditions where there are two."""
    folder = tmp_path_factory.mktemp("runs")
    program = folder / "looker.py"
    program.write_text(LOOKER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "musebench-cache"))
        conditions = ["full", "no_audio", "silence"]
        api.run(tasks=TASKS, model="random", out=folder / "friday", limit=N_ITEMS, conditions=conditions)
        api.run(tasks=TASKS, model=f"python:{program}:answer", out=folder / "looker", limit=N_ITEMS)
        yield [folder / "friday", folder / "looker"]


@pytest.fixture(scope="module")
def report(runs):
    """The report of both."""
    return write_report(runs)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_is_fit_to_be_seen_and_heard_by_all(scheme, width, chromium, report):
    with opened(chromium, report, scheme=scheme, width=width) as page:
        wait_until(page, "document.querySelectorAll('.card > noscript').length === 0")
        assert too_wide(page) == 0
        assert not axe_faults(page)
        height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
        page.set_viewport_size({"width": width, "height": height})
        wait_until(page, "[...document.querySelectorAll('#t1-browser video')].every((each) => each.readyState > 0)")
        page.evaluate("document.querySelectorAll('#t1-1 .answer').forEach((each) => { each.open = true; })")
        name = f"report-{scheme}-{width}"
        assert keep(page, name).stat().st_size > 50_000
        keep_part(page, f"{name}-item", "#t1-1")


NAMELESS = """
[...document.querySelectorAll("[role], section, table, dialog, video, audio, img, input, select, button, summary")]
    .filter((each) => !["presentation", "none"].includes(each.role)).filter((each) => !(
        each.ariaLabel || each.alt || each.caption?.textContent || each.closest("label")?.textContent
        || (each.getAttribute("aria-labelledby") || "").split(" ").some((id) => document.getElementById(id)?.innerText)
        || (each.localName === "table" && each.closest("[aria-label]"))
        || (["button", "summary"].includes(each.localName) && each.textContent.trim())
    )).map((each) => each.outerHTML.slice(0, 160))
"""


def keep_part(page, name, selector):
    page.locator(selector).screenshot(path=ARTEFACTS / f"{name}.png")


def test_headings_go_down_one_step_at_a_time_and_everything_has_a_name(chromium, report):
    with opened(chromium, report) as page:
        wait_until(page, "document.querySelectorAll('.card > noscript').length === 0")
        levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((each) => +each.tagName[1])")
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
        assert page.get_by_role("main").count() == 1
        assert page.locator("video, audio").count() == 3 * N_ITEMS
        assert not page.evaluate(NAMELESS)


def test_two_systems_can_be_told_apart_in_the_items(chromium, report):
    with opened(chromium, report) as page:
        wait_until(page, "document.querySelectorAll('.card > noscript').length === 0")
        card = page.locator("#t1-1")
        assert "random" in card.locator(".answers").text_content()
        assert card.locator(".track svg").count() >= 1
        page.locator("#t1-browser .choices select[name=system]").select_option("random")
        page.locator("#t1-browser .choices select[name=outcome]").select_option("wrong")
        shown = page.locator("#t1-browser .card:visible").count()
        told = f"{N_ITEMS} items" if shown == N_ITEMS else f"{shown} of {N_ITEMS} items"
        assert page.locator("#t1-browser output").first.inner_text() == told


def test_the_report_prints_every_item(chromium, report):
    with opened(chromium, report) as page:
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        printed = ARTEFACTS / "report.pdf"
        page.pdf(path=printed, format="A4")
        assert page.locator(".card .asked").count() == 3 * N_ITEMS
        assert printed.read_bytes().count(b"/Type /Page\n") >= 5
        page.emulate_media(media="print")
        assert not page.locator(".filter").first.is_visible()


def test_a_report_in_one_file_plays_wherever_it_lies(chromium, runs, tmp_path):
    alone = tmp_path / "sent" / "report.html"
    alone.parent.mkdir()
    write_report(runs[1:], embed=True).rename(alone)
    with opened(chromium, alone, at="#t1-2") as page:
        for card, player in (("t1-2", "video"), ("t3-1", "audio")):
            page.evaluate(f"reveal(document.getElementById({card!r}))")
            wait_until(page, f"document.querySelector('#{card} {player}')?.readyState > 0")
            assert page.locator(f"#{card} {player}").get_attribute("src").startswith("blob:")
        assert not page.locator("a[href^='media/']").count()
