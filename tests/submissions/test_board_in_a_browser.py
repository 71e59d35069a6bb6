"""A leaderboard in a real browser: pictures of it, accessibility, sorting and narrowing down."""

import shutil

import pytest
from fakes.browser import NARROW, WIDE, axe_faults, chromium, keep, opened, too_wide
from fakes.submissions import edit_run, hand_in

from musebench_tasks import api
from musebench_tasks.submissions.leaderboard import build_leaderboard

__all__ = ["chromium"]
pytestmark = pytest.mark.slow
TIERS = {"openai:acme-omni-2@https://api.example.org/v1": "proprietary", "transformers:ORG/Model-7B": "open"}

SUBMITTER = "A Very Long Name of a Laboratory for Musical Acoustics, Hearing and Perception"


@pytest.fixture(scope="module")
def page_of_demos(tmp_path_factory):
    """The demonstrations, answered by chance under all conditions, and by three systems that are not there."""
    folder = tmp_path_factory.mktemp("board")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(tmp_path_factory.getbasetemp() / "musebench-cache"))
        tasks = ["musebench_demo", "hummusqa_demo", "mub_demo"]
        api.run(tasks=tasks, model="random", out=folder / "run", conditions=["full", "text_only", "noise"])
        for name in ("random", *TIERS, "three students"):
            for task in tasks:
                run = shutil.copytree(folder / "run" / "random" / task, folder / str(len(name)) / task)
                if name != "random":
                    kind = "model" if name in TIERS else "human"
                    edit_run(run, system={"name": name, "tier": TIERS.get(name), "type": kind})
                    api.score(run)
                hand_in(run, folder / "hub", notes="14.20 US dollars.", submitter=SUBMITTER)
        yield build_leaderboard(folder / "hub").page


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_fit_to_be_seen_by_all(scheme, width, chromium, page_of_demos):
    with opened(chromium, page_of_demos, scheme=scheme, width=width) as page:
        assert too_wide(page) == 0
        assert not axe_faults(page)
        assert keep(page, f"leaderboard-{scheme}-{width}", full_page=True).stat().st_size > 50_000


def names(page):
    return page.locator("#b1 ~ .scroll [data-systems] tr:visible th").all_inner_texts()


def test_columns_sort_both_ways_by_key(chromium, page_of_demos):
    with opened(chromium, page_of_demos) as page:
        first = names(page)
        head = page.locator("#b1 ~ .scroll [data-heads] th", has_text="system")
        head.locator("button").press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        rising = names(page)
        head.locator("button").press("Enter")
        assert head.get_attribute("aria-sort") == "descending"
        assert names(page) == rising[::-1]
        assert sorted(first) == sorted(rising)
        assert page.locator("#b1 ~ .scroll [aria-sort]").count() == 1


def test_rows_and_tables_narrow_down(chromium, page_of_demos):
    with opened(chromium, page_of_demos) as page:
        told = page.locator(".board-filter output")
        assert told.inner_text() == "12 submissions"
        page.get_by_label("System").fill("model-7b")
        assert told.inner_text() == "3 of 12 submissions"
        assert names(page)[0].startswith("transformers:ORG/Model-7B")
        page.get_by_label("Benchmark").select_option("mub_demo")
        assert told.inner_text() == "1 of 12 submissions"
        assert page.locator("section[data-task]:visible").count() == 1
        page.get_by_label("Asked under").select_option("text_only")
        assert told.inner_text() == "0 of 12 submissions"


def test_without_scripts_everything_is_there(chromium, page_of_demos):
    with opened(chromium, page_of_demos, javascript=False) as page:
        assert page.locator("table.board").count() == 3
        assert not page.locator(".board-filter").is_visible()
        assert not page.locator("thead button").count()


def shown_share(page):
    """Which part of the tables' width is to be seen, and of the screen the part that stays while they scroll."""
    return page.evaluate("""() => {
        const boxes = [...document.querySelectorAll("h2 ~ .scroll:has(table.board)")];
        const fixed = boxes.map((box) => box.querySelector("[data-systems] th").getBoundingClientRect().width);
        const seen = boxes.map((box) => box.clientWidth / box.scrollWidth);
        return [Math.min(...seen), Math.max(...fixed) / window.innerWidth];
    }""")


@pytest.mark.parametrize("width", [WIDE, 1920])
def test_a_table_has_the_width_that_there_is(width, chromium, page_of_demos):
    with opened(chromium, page_of_demos, width=width) as page:
        assert shown_share(page)[0] == 1
        rows = page.evaluate("[...document.querySelectorAll('[data-systems] tr')].map((row) => row.offsetHeight)")
        assert max(rows) < 150


@pytest.mark.parametrize("width", [NARROW, WIDE, 1920])
def test_contents_and_page_begin_at_one_edge(width, chromium, page_of_demos):
    with opened(chromium, page_of_demos, width=width) as page:
        begins = page.evaluate("""["nav a", "h1"].map((each) => {
            const found = document.querySelector(each);
            return found.getBoundingClientRect().x + parseFloat(getComputedStyle(found).paddingLeft);
        })""")
        assert begins[0] == pytest.approx(begins[1], abs=0.5)


def test_on_a_phone_captions_and_heads_of_rows_stay_whole(chromium, page_of_demos):
    with opened(chromium, page_of_demos, width=NARROW) as page:
        page.evaluate("document.querySelector('#b1 ~ .scroll').scrollLeft = 200")
        for each in ("caption", ".baselines .stays"):
            box = page.locator(f"#b1 ~ .scroll {each}").first.bounding_box()
            assert 0 < box["x"] < 20
            assert box["x"] + box["width"] <= NARROW


def test_on_a_phone_scores_are_seen_beside_the_names(chromium, page_of_demos):
    with opened(chromium, page_of_demos, width=390) as page:
        assert shown_share(page)[1] < 0.4
        name, first = (
            page.locator(f"#b1 ~ .scroll [data-systems] tr:first-child {each}") for each in ("th", "td >> nth=1")
        )
        assert first.bounding_box()["x"] + first.bounding_box()["width"] < 300
        page.evaluate("document.querySelector('#b1 ~ .scroll').scrollLeft = 200")
        assert name.bounding_box()["x"] < 20


def test_marks_lead_to_the_notes_below_the_table(chromium, page_of_demos):
    with opened(chromium, page_of_demos) as page:
        mark = page.locator("#b1 ~ .scroll .mark").first
        mark.click()
        note = page.locator(mark.get_attribute("href"))
        assert page.evaluate("document.querySelector(':target').id") == mark.get_attribute("href")[1:]
        assert note.is_visible()
        assert note.inner_text().startswith("“retry rate")


def test_everything_is_printed(chromium, page_of_demos):
    with opened(chromium, page_of_demos, width=1000) as page:
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        tables = page.evaluate("""[...document.querySelectorAll("table.board")].map((table) =>
            [table.getBoundingClientRect().width, getComputedStyle(table.querySelector("thead button")).display])""")
        assert {display for _, display in tables} == {"contents"}
        assert max(width for width, _ in tables) <= 1000
        assert too_wide(page) == 0
        assert page.locator("#b1 ~ .told li").first.is_visible()
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.querySelector('table.board').style.zoom") == ""
