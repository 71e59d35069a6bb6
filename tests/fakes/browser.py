"""A headless Chromium for tests: opens files only, and keeps account of all that a page should not do.

Debian's package `chromium` and the PyPI package `playwright` are needed; elsewhere tests that use `chromium` skip.
"""

import os
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

ARTEFACTS = Path(os.environ.get("MUSEBENCH_ARTEFACTS") or Path(__file__).resolve().parents[2] / "build" / "screenshots")
"""Where pictures of pages are kept."""
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required", "--mute-audio"]
WIDE, NARROW = 1280, 400
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
    window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""


@pytest.fixture(scope="module")
def chromium():
    """The browser; a skip where it or its driver is missing. It ends with the module: its loop bars others' asyncio."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is missing: install musebench-tasks[dev]"
    )
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no chromium here: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def opened(browser, path, *, at="", width=WIDE, height=900, scheme="light", javascript=True):
    """The page of a file, `at` a fragment. On leaving: nothing ran that should not, nothing was asked of a network."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=javascript, offline=True
    )
    faults = []
    context.on("request", lambda request: faults.append(request.url) if is_remote(request.url) else None)
    context.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    context.on("weberror", lambda error: faults.append(f"error: {error.error}"))
    context.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    context.on("page", lambda page: faults.append(f"opened {page.url}") if len(context.pages) > 1 else None)
    context.add_init_script(WATCH)
    page = context.new_page()
    try:
        page.goto(Path(path).resolve().as_uri() + at)
        yield page
        if javascript:
            faults += page.evaluate("window.violations")
        assert not faults, faults
    finally:
        context.close()


def wait_until(page, expression, timeout_s=10.0):
    """Until a JavaScript expression is true; the page's own policy forbids Playwright's way of waiting."""
    end = time.monotonic() + timeout_s
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(20)


def is_remote(url):
    """Whether a request would leave the machine."""
    return not url.startswith(("file:", "data:", "blob:", "about:"))


def axe_faults(page):
    """Faults of weight that axe-core finds: rule, what it is about, and where."""
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python is missing")
    page.evaluate(axe.AXE_SCRIPT)
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"][:5]
    ]


def too_wide(page):
    """By how many pixels the page itself can be scrolled sideways."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def keep(page, name, **options):
    """A picture of the page among the artefacts."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    path = ARTEFACTS / f"{name}.png"
    page.screenshot(path=path, **options)
    return path
