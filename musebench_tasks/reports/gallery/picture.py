"""The gallery as PNG pictures, one an example: a headless Chromium draws the page as it would be printed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import folder_name

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1100, 900
PIXELS_A_POINT = 2


def write_pictures(page: Path) -> list[Path]:
    """Write `CATEGORY-NUMBER.png` of every example of a gallery's page beside it; returns the paths.

    Needs the package playwright and a Chromium; InputError says how to get what is missing.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as missing:
        raise InputError("Pictures are drawn by a browser: pip install playwright, and install Chromium.") from missing
    with sync_playwright() as playwright:
        browser = _launched(playwright)
        try:
            view = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=PIXELS_A_POINT)
            view.emulate_media(media="print", color_scheme="light")
            view.goto(page.resolve().as_uri())
            return [
                _draw(example, page.parent / f"{_file_name(section)}-{number}.png")
                for section in view.locator(".gallery").all()
                for number, example in enumerate(section.locator(".example").all(), start=1)
            ]
        finally:
            browser.close()


def _launched(playwright: Playwright) -> Browser:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        raise InputError(f"No browser is here to draw pictures (looked for {', '.join(BROWSERS)}). Install Chromium.")
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])


def _file_name(section: Locator) -> str:
    """The category as a file name."""
    heading = section.locator("h2").inner_text()
    name = folder_name(heading).replace("_", "-").strip("-").lower()
    return name if name[:1].isalnum() else f"items{name}"


def _draw(example: Locator, path: Path) -> Path:
    example.screenshot(path=path)
    return path
