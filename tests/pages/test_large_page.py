"""A page of the largest benchmark's length: what is not near costs next to nothing (times: benchmarks)."""

import pytest
from fakes import synthetic_page
from fakes.browser import opened, wait_until

N_ITEMS = 4016
MEBIBYTES = 25
N_BUILT, N_LOADED, N_NODES = 12, 8, 60_000


@pytest.fixture(scope="module")
def large_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    synthetic_page.write_media(folder)
    items = [synthetic_page.film_item(number) for number in range(N_ITEMS)]
    return synthetic_page.write_items(folder / "index.html", [("large", synthetic_page.film_cards(N_ITEMS), items)])


def count(page, selector):
    return page.evaluate(f"document.querySelectorAll({selector!r}).length")


def test_a_long_page_builds_and_loads_what_is_near_only(chromium, large_page):
    assert large_page.stat().st_size < MEBIBYTES * 2**20
    with opened(chromium, large_page) as page:
        wait_until(page, "document.querySelector('video')?.readyState > 0")
        assert page.locator("output").first.text_content() == "4,016 items"
        assert count(page, ".card") == N_ITEMS
        assert count(page, ".card .asked") <= N_BUILT
        assert count(page, "*") < N_NODES
        page.locator("select[name=category]").select_option("Game")
        assert page.locator("output").first.text_content() == "1,338 of 4,016 items"
        wait_until(page, "document.querySelector('#t1-3 video')?.readyState > 0")
        page.evaluate("scrollTo(0, 100000)")
        wait_until(page, "browsers[0].current?.querySelector('video')?.readyState > 0")
        page.evaluate("location.hash = '#t1-3000'")
        wait_until(page, "document.querySelector('#t1-3000 video')?.readyState > 0")
        assert abs(page.locator("#t1-3000").bounding_box()["y"]) < 200
        assert count(page, ".card .asked") <= 4 * N_BUILT
        assert (
            page.evaluate("[...document.querySelectorAll('video')].filter((each) => each.readyState).length")
            <= N_LOADED
        )
