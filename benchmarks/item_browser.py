"""How quick the item browser is in Chromium on the largest benchmark's 4,016 items with three systems.

    python benchmarks/item_browser.py [--items 4016] [--repeats 3]

Peer in the same run: the same page with every card standing in it instead of being built when it comes near. Targets:
first paint under 1 s, a change of filter under 150 ms. Needs playwright and chromium.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from fakes import browser as chromium
from fakes import synthetic_page

PEER = (("</header>\n<noscript>", "</header>\n"), ("</noscript></article>", "</article>"))
FILTERS = (
    ("category", "Stage"),
    ("outcome", "wrong"),
    ("compare", "differ"),
    ("outcome", ""),
    ("category", ""),
    ("compare", ""),
)
CHANGE = """async ([name, value]) => {
    const control = document.querySelector(`.filter [name=${name}]`);
    const start = performance.now();
    control.value = value;
    control.dispatchEvent(new Event("change", { bubbles: true }));
    await new Promise((seen) => requestAnimationFrame(() => setTimeout(seen, 0)));
    return performance.now() - start;
}"""
LOADED = """() => [
    performance.getEntriesByName("first-contentful-paint")[0].startTime,
    performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
]"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=4016)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, chromium.PROGRAMS)), None)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        pages = write_pages(Path(scratch), options.items)
        for name, page in pages.items():
            measured = []
            for _ in range(options.repeats):
                browser = driver.chromium.launch(executable_path=program, args=chromium.ARGUMENTS)
                measured.append(measure(browser, page))
                browser.close()
            report(name, page, [statistics.median(values) for values in zip(*measured, strict=True)])


def write_pages(folder: Path, count: int) -> dict[str, Path]:
    """The page, and its peer."""
    synthetic_page.write_media(folder)
    items = [synthetic_page.film_item(number) for number in range(count)]
    page = synthetic_page.write_items(folder / "near.html", [("large", synthetic_page.film_cards(count), items)])
    text = page.read_text()
    for old, new in PEER:
        text = text.replace(old, new)
    peer = folder / "all.html"
    peer.write_text(text)
    return {"built when near": page, "all at once": peer}


def measure(browser: Browser, path: Path) -> tuple[float, ...]:
    """Milliseconds to the first paint and until the page answers, of the slowest filter and a search; DOM nodes."""
    with chromium.opened(browser, path) as page:
        chromium.wait_until(page, "document.querySelector('output')?.textContent.endsWith('items')", timeout_s=120)
        page.wait_for_timeout(3000)
        first_ms, ready_ms = page.evaluate(LOADED)
        slowest_ms = max(page.evaluate(CHANGE, [name, value]) for name, value in FILTERS)
        search_ms = page.evaluate(CHANGE, ["q", "hold view 39"])
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        return first_ms, ready_ms, slowest_ms, search_ms, found["Nodes"]


def report(name: str, path: Path, values: list[float]) -> None:
    first_ms, ready_ms, slowest_ms, search_ms, nodes = values
    print(f"{name}: {path.stat().st_size / 2**20:.1f} MiB, {nodes:.0f} nodes")
    print(f"  first paint {first_ms:5.0f} ms   ready {ready_ms:6.0f} ms   (target 1000 ms to the first paint)")
    print(f"  slowest filter {slowest_ms:5.0f} ms   search {search_ms:5.0f} ms   (target 150 ms)")


if __name__ == "__main__":
    main()
