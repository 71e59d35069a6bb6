"""Text of models, authors and run folders in a real browser: nothing of it runs, all of it is text."""

import pytest
from fakes import synthetic_page
from fakes.browser import NARROW, axe_faults, opened, too_wide

from musebench_tasks.pages.text import balanced, fit, named

FLAG = "window.ran=(window.ran||0)+1"
HOSTILE = [
    f"</script><script>{FLAG}</script>",
    f"<img src=x onerror={FLAG}>",
    f"\"'><svg onload={FLAG}><animate onbegin={FLAG} attributeName=x></svg>",
    f'" autofocus tabindex=1 onfocus="{FLAG}" x="',
    f"</noscript><script>{FLAG}</script><noscript>",
    f"</pre></details></article></template></select></option><iframe srcdoc='<script>parent.{FLAG}</script>'>",
    f"</title></style><script>{FLAG}</script>",
    "<style>@import 'https://evil.invalid/x.css';*{display:none!important}</style><link rel=stylesheet>",
    f"javascript:{FLAG}//https://evil.invalid/%0a{FLAG}",
    f"https://evil.invalid/\"onmouseover='{FLAG}'",
    f"data:text/html,<script>{FLAG}</script>",
    f"<a href=javascript:{FLAG}>click</a><base href=//evil.invalid/><form action=//evil.invalid><button>x",
    "<meta http-equiv=refresh content='0;url=https://evil.invalid/'><object data=//evil.invalid><embed>",
    f"{{{{ 7 * 7 }}}}{{% for x in () %}}${{{FLAG}}}<%= 7 * 7 %>{{{{constructor.constructor('{FLAG}')()}}}}",
    f"<!--><script>{FLAG}</script>--><![CDATA[<script>{FLAG}</script>]]>&lt;script&gt;{FLAG}&#60;/script&#62;",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={FLAG}&gt;'>",
    "\u202eright to left\u2067 and never back\u202d, נגמר",
    "\u2069\u202c\u202eout of isolation\u2069\u2069\u2067\u202b",
    "nul \x00 bell \x07 escape \x1b[31m delete \x7f next line \x85 half \ufffe end",
    "line\u2028separator\u2029tab\tnew\nline\r\nend",
    "Z̸̡͙͎" + "\u0301" * 2000,
    "w" * 1_000_000,
    f"<script>{FLAG}</script>" * 40_000,
]


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    synthetic_page.write_media(folder)
    items = [synthetic_page.film_item(number, category=text, difficulty=text) for number, text in enumerate(HOSTILE)]
    cards = synthetic_page.hostile_cards(HOSTILE)
    title = "".join(HOSTILE[:-2])
    return synthetic_page.write_items(folder / "index.html", [(title, cards, items)], title, HOSTILE)


@pytest.fixture(scope="module")
def shown(chromium, hostile_page):
    """The page with every card built, every answer open and every filter touched."""
    with opened(chromium, hostile_page, width=NARROW) as page:
        page.evaluate("browsers.forEach((each) => each.cards.forEach(build))")
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        for name in ("category", "system", "difficulty"):
            for value in ("", "last"):
                page.evaluate(
                    "([name, value]) => { const chosen = document.querySelector(`select[name=${name}]`);"
                    "chosen.selectedIndex = value ? chosen.length - 1 : 0;"
                    "chosen.dispatchEvent(new Event('change', { bubbles: true })); }",
                    [name, value],
                )
        page.evaluate("browsers[0].set(new URLSearchParams()); browsers[0].apply()")
        page.evaluate("document.querySelectorAll('video').forEach((each) => load(each))")
        page.wait_for_timeout(300)
        yield page


def test_nothing_runs(shown):
    assert shown.evaluate("window.ran || 0") == 0
    assert shown.evaluate("document.scripts.length") == 1
    foreign = "iframe, object, embed, form, base, link, meta[http-equiv=refresh], math, animate, style ~ style, img"
    assert shown.locator(foreign).count() == 0


def test_no_attribute_of_foreign_making_is_there(shown):
    handlers = "[...document.querySelectorAll(':not(.chunk)')].flatMap((each) => each.getAttributeNames())"
    assert not [name for name in shown.evaluate(handlers) if name.startswith("on") or name == "style"]
    links = shown.evaluate("[...document.querySelectorAll('[href]')].map((each) => each.getAttribute('href'))")
    assert {link.partition(":")[0] for link in links if not link.startswith(("#", "media/"))} <= {"http", "https"}


@pytest.mark.parametrize("number", range(len(HOSTILE) - 2))
def test_text_is_shown_as_text(number, shown):
    card = shown.locator(f"#t1-{number + 1}")
    text = fit(balanced(HOSTILE[number])).replace("\r\n", "\n")
    assert card.locator("h4").first.evaluate("(each) => each.textContent") == fit(balanced(named(HOSTILE[number])))
    for place in (".question > .text", "li.gold .text", "pre"):
        assert card.locator(place).first.evaluate("(each) => each.textContent").removeprefix("\n") == text


def test_what_is_too_long_is_cut(shown):
    for number in (len(HOSTILE) - 1, len(HOSTILE)):
        assert "more characters)" in shown.locator(f"#t1-{number} .question > .text").text_content()
        assert len(shown.locator(f"#t1-{number}").text_content()) < 60_000


def test_writing_direction_does_not_leak(shown):
    for text in (each for each in HOSTILE if "\u202e" in each):
        card = shown.locator(f"#t1-{HOSTILE.index(text) + 1}")
        card.evaluate("(each) => { each.hidden = false; each.scrollIntoView(); }")
        facts = card.locator("header p bdi")
        boxes = [each.bounding_box() for each in facts.all()]
        places = [(round(each["y"]), each["x"]) for each in boxes]
        assert len(places) == 4
        assert places == sorted(places)
        for place in ("h4 bdi", ".question > .text", "li.gold .text", "pre", ".who bdi", "footer span"):
            bidi = card.locator(place).first.evaluate("(each) => getComputedStyle(each).unicodeBidi")
            assert bidi in ("isolate", "plaintext")


def test_the_page_stays_as_wide_as_the_screen_and_readable(shown):
    assert too_wide(shown) == 0
    assert not axe_faults(shown)
