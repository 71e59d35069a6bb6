"""The item browser in a real one: narrowing down, keys, links, players."""

import re

import pytest
from fakes.browser import NARROW, WIDE, axe_faults, opened, too_wide, wait_until

N_FILMS = 10


def choose(page, name, value):
    page.locator("#t1-browser .choices").locator(f"select[name={name}]").select_option(value)


def shown(page, anchor="t1"):
    """The ids of the cards shown; also of those that are out of sight and therefore not drawn yet."""
    return [text.strip() for text in page.locator(f"#{anchor}-browser .card:visible h4").all_text_contents()]


def told(page):
    return page.locator("#t1-browser output").first.inner_text()


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.localName")


def test_everything_is_shown_and_counted_at_first(page):
    assert len(shown(page)) == N_FILMS
    assert told(page) == "10 items"
    assert page.locator("select[name=category] option").all_inner_texts() == ["all", "Cinematic", "Game", "Stage"]
    assert page.locator("#t2-browser select[name=category]").count() == 0


def test_slices_status_and_verdicts_narrow_down_together(page):
    choose(page, "category", "Stage")
    assert shown(page) == [f"demo-{number:04d}" for number in range(N_FILMS) if number % 3 == 1]
    assert told(page) == "3 of 10 items"
    choose(page, "outcome", "none")
    assert shown(page) == ["demo-0004"]
    choose(page, "outcome", "")
    choose(page, "status", "refused")
    assert shown(page) == ["demo-0004"]
    choose(page, "category", "")
    assert shown(page) == ["demo-0004", "demo-0009"]
    choose(page, "system", "random")
    assert shown(page) == []
    assert page.get_by_text("No item is like that.").first.is_visible()
    page.get_by_role("button", name="Show all").click()
    assert told(page) == "10 items"
    assert focused(page) == "input"


def test_right_and_wrong_are_asked_of_one_system(page):
    choose(page, "outcome", "wrong")
    choose(page, "system", "random")
    verdicts = page.locator("#t1-browser .card:visible .answer:has-text('random') .wrong")
    assert len(shown(page)) == verdicts.count() > 0
    choose(page, "outcome", "right")
    assert page.locator("#t1-browser .card:visible .answer:has-text('random') .wrong").count() == 0


def test_disagreement_can_be_asked_for(page):
    choose(page, "compare", "split")
    for card in page.locator("#t1-browser .card:visible").all():
        assert card.locator(".answer .right").count()
        assert card.locator(".answer .wrong, .answer .none").count()
    choose(page, "compare", "right")
    assert page.locator("#t1-browser .card:visible .answer .wrong").count() == 0
    choose(page, "compare", "wrong")
    assert page.locator("#t1-browser .card:visible .answer .right").count() == 0


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("dim LIGHT?", [1, 5, 9]),
        ("cannot help", [4, 9]),
        ("demo-0007", [7]),
        ("from row 6", [6]),
        ("class dir=auto correct", []),
    ],
)
def test_search_looks_through_questions_options_and_answers(words, found, page):
    page.locator("#t1-browser [type=search]").fill(words)
    wait_until(page, "document.querySelector('#t1-browser output').textContent.includes('of')")
    assert shown(page) == [f"demo-{number:04d}" for number in found]


def test_the_address_holds_what_is_narrowed_down(page, chromium, items_page):
    choose(page, "category", "Game")
    choose(page, "compare", "differ")
    page.locator("#t1-browser [type=search]").fill("light view")
    wait_until(page, "location.hash.includes('q=')")
    narrowed, address = shown(page), page.url
    assert 0 < len(narrowed) < N_FILMS
    with opened(chromium, items_page, at="#" + address.partition("#")[2]) as again:
        assert shown(again) == narrowed
        assert again.locator("select[name=category]").input_value() == "Game"
        assert len(shown(again, "t2")) == 3


def test_the_address_holds_the_choices_of_all_lists(page, chromium, items_page):
    choose(page, "difficulty", "High")
    page.locator("#t2-browser [type=search]").fill("tune-01")
    wait_until(page, "location.hash.includes('tunes.q')")
    assert "films.difficulty=High" in page.url
    with opened(chromium, items_page, at="#" + page.url.partition("#")[2]) as again:
        assert shown(again) == shown(page)
        assert again.locator("#t2-browser .card:not([hidden]) h4").all_text_contents() == ["tune-01"]


def test_going_back_undoes_a_choice_and_stays_on_the_page(page):
    choose(page, "category", "Game")
    choose(page, "difficulty", "High")
    narrowed = shown(page)
    page.locator("#t1-browser [type=search]").fill("light")
    wait_until(page, "location.hash.includes('q=')")
    step(page, "back")
    assert page.locator("#t1-browser [type=search]").input_value() == ""
    assert shown(page) == narrowed
    step(page, "back")
    assert page.locator("select[name=difficulty]").input_value() == ""
    step(page, "back")
    assert told(page) == "10 items"
    step(page, "forward")
    assert page.locator("select[name=category]").input_value() == "Game"


def step(page, direction):
    """History from within the page: Playwright's own go_back waits for a load that a changed fragment may never end."""
    page.evaluate(
        """direction => new Promise((done) => {
            addEventListener("popstate", () => setTimeout(done), {once: true});
            history[direction]();
        })""",
        direction,
    )


def test_subdomains_of_other_categories_cannot_be_chosen(page):
    choose(page, "subdomain", "Film")
    choose(page, "category", "Stage")
    assert page.locator("select[name=subdomain]").input_value() == ""
    can_be = "[...document.querySelectorAll('select[name=subdomain] option')].filter((each) => !each.disabled)"
    assert page.evaluate(can_be + ".map((each) => each.value)") == ["", "Dance", "Theatre"]
    choose(page, "category", "")
    assert page.evaluate(can_be + ".length") == 6


def test_the_contents_stay_in_sight_and_lead_to_items_and_top(page):
    page.get_by_role("link", name="Items of tunes").click()
    wait_until(page, "scrollY > 400")
    line = page.get_by_role("navigation", name="Contents")
    assert abs(line.bounding_box()["y"]) < 1
    assert page.locator("#t2-items").bounding_box()["y"] > line.bounding_box()["height"]
    line.get_by_role("link", name="Top").click()
    wait_until(page, "scrollY < 60")


def test_on_paper_a_line_stands_for_the_player(page):
    page.emulate_media(media="print")
    assert not page.locator("video:visible, audio:visible, .contents:visible, .whole:visible").count()
    assert page.locator("#t1-1 .medium > .small").inner_text() == "film, 2 s to 6 s"
    page.emulate_media(media="screen")


@pytest.mark.parametrize("address", ["#t1-8", "#item=demo-0007", "#item=films/demo-0007"])
def test_a_link_leads_to_its_item(address, page, items_page):
    page.goto("about:blank")
    page.goto(items_page.as_uri() + address)
    assert focused(page) == "t1-8"
    assert page.locator("#t1-8 .question .text").first.is_visible()
    assert page.locator("#t1-8").evaluate("(card) => card.getBoundingClientRect().top") < 200


def test_an_item_that_is_hidden_is_shown_to_who_follows_its_link(page):
    choose(page, "category", "Game")
    assert not page.locator("#t1-1").is_visible()
    page.evaluate("location.hash = '#t1-1'")
    wait_until(page, "document.activeElement.id === 't1-1'")
    assert page.locator("#t1-1").is_visible()
    assert page.locator("#t1-1 h4 a").get_attribute("href") == "#item=films/demo-0000"


@pytest.mark.parametrize(
    "address", ["#%E0%A4%A", "#filter?films.category=<img>&films.q=%00&x.y=z&w=1", "#item=", "#a]b\"'"]
)
def test_odd_addresses_do_no_harm(address, page, items_page):
    page.goto("about:blank")
    page.goto(items_page.as_uri() + address)
    assert page.locator("select[name=category]").input_value() == ""
    assert page.locator("#t1-browser .filter").is_visible()


def test_keys_go_from_item_to_item_and_open_answers(page):
    page.keyboard.press("j")
    assert focused(page) == "t1-1"
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert focused(page) == "t1-2"
    assert page.locator("#t1-2").evaluate("(card) => getComputedStyle(card).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.locator("#t1-2 pre").first.is_visible()
    page.keyboard.press("Enter")
    assert not page.locator("#t1-2 pre").first.is_visible()
    page.keyboard.press("Tab")
    assert page.locator("#t1-2 h4 a").evaluate("(link) => link === document.activeElement")


def test_keys_pass_over_what_is_hidden(page):
    choose(page, "category", "Game")
    page.locator("#t1-browser h4").first.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert focused(page) == "t1-6"


def test_keys_do_nothing_while_something_is_typed(page):
    page.keyboard.press("/")
    assert focused(page) == "input"
    page.keyboard.type("jk?/")
    assert page.locator("#t1-browser [type=search]").input_value() == "jk?/"
    assert page.locator("dialog[open]").count() == 0
    page.locator("#t1-browser [type=search]").evaluate("(field) => field.blur()")
    page.keyboard.press("Control+j")
    assert focused(page) == "body"


def test_help_tells_the_keys_and_switches_them_off(page):
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    assert dialog.is_visible()
    assert not axe_faults(page)
    dialog.get_by_label("Use these keys").uncheck()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.keyboard.press("j")
    assert focused(page) != "t1-1"


def test_tab_leaves_every_place(page):
    page.locator("#t1-9").focus()
    passed = []
    while "t2-2-id" not in passed and len(passed) < 200:
        page.keyboard.press("Tab")
        passed.append(page.evaluate("document.activeElement.closest('[id]').id"))
    assert passed[-1] == "t2-2-id"
    assert list(dict.fromkeys(each.removesuffix("-id") for each in passed))[:2] == ["t1-9", "t1-10"]


def time_of(page, card="t1-1"):
    return page.evaluate(f"document.querySelector('#{card} video, #{card} audio').currentTime")


def test_the_window_plays_and_ends_with_itself(page):
    video = page.locator("#t1-1 video")
    wait_until(page, "document.querySelector('#t1-1 video').readyState > 0")
    assert page.evaluate("[...document.querySelectorAll('video, audio')].every((each) => each.paused)")
    assert time_of(page) == pytest.approx(2.0, abs=0.01)
    video.evaluate("(each) => { each.currentTime = 7.9; }")
    wait_until(page, "Math.abs(document.querySelector('#t1-1 video').currentTime - 6) < 0.05")
    video.evaluate("(each) => { each.currentTime = 0.5; }")
    wait_until(page, "Math.abs(document.querySelector('#t1-1 video').currentTime - 2) < 0.05")
    video.evaluate("(each) => { each.currentTime = 5.7; return each.play(); }")
    wait_until(page, "document.querySelector('#t1-1 video').paused")
    assert time_of(page) == pytest.approx(6.0, abs=0.05)
    video.evaluate("(each) => each.play()")
    wait_until(page, "document.querySelector('#t1-1 video').currentTime < 5")


def test_one_medium_plays_at_a_time(page):
    for card in ("t1-1", "t1-2"):
        wait_until(page, f"document.querySelector('#{card} video')?.readyState > 0")
        page.locator(f"#{card} video").evaluate("(each) => each.play()")
    assert page.locator("#t1-1 video").evaluate("(each) => each.paused")
    page.evaluate("document.activeElement.blur()")
    page.locator("#t1-2").focus()
    page.keyboard.press("p")
    assert page.locator("#t1-2 video").evaluate("(each) => each.paused")


def test_what_is_narrowed_away_falls_silent(page):
    wait_until(page, "document.querySelector('#t1-1 video').readyState > 0")
    page.locator("#t1-1 video").evaluate("(each) => each.play()")
    choose(page, "category", "Stage")
    assert page.locator("#t1-1 video").evaluate("(each) => each.paused")


def test_frames_are_marked_and_lead_to_their_time(page):
    tracks = page.locator("#t1-1 .track")
    assert tracks.locator("bdi").all_inner_texts() == [
        "8 of 8 frames: an-organisation/Omni-7B-Instruct, listener",
        "4 of 8 frames: random",
    ]
    tracks.nth(1).scroll_into_view_if_needed()
    box = tracks.nth(1).locator("svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + 4)
    wait_until(page, "document.querySelector('#t1-1 video').currentTime > 4")
    assert time_of(page) == pytest.approx(4.5, abs=0.01)
    tracks.nth(1).get_by_role("button", name="Previous").click()
    wait_until(page, "Math.abs(document.querySelector('#t1-1 video').currentTime - 3) < 0.01")
    page.locator("#t1-1").focus()
    page.keyboard.press(".")
    wait_until(page, "Math.abs(document.querySelector('#t1-1 video').currentTime - 3.5) < 0.01")
    assert tracks.nth(0).locator("output").inner_text() == "frame 4, 3.5 s"


def test_a_player_that_is_far_away_is_let_go(page):
    wait_until(page, "document.querySelector('#t1-1 video').readyState > 0")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    wait_until(page, "!document.querySelector('#t1-1 video').hasAttribute('src')")
    page.evaluate("scrollTo(0, 0)")
    wait_until(page, "document.querySelector('#t1-1 video').readyState > 0")


@pytest.mark.parametrize("width", [320, 640, 1024, 1920])
def test_nothing_sticks_out_at_any_width(width, page):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert too_wide(page) == 0
    page.set_viewport_size({"width": WIDE, "height": 900})


def test_without_scripts_every_item_is_there(chromium, items_page):
    with opened(chromium, items_page, javascript=False, width=NARROW) as page:
        assert page.locator(".card .question").count() == N_FILMS + 3
        assert page.locator("#t1-10 .options").is_visible()
        assert not page.locator(".filter").first.is_visible()
        assert re.search(r"#t=2,6$", page.locator("#t1-1 video").get_attribute("src"))
