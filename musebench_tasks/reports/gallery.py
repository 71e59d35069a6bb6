"""`cards`: a gallery of example items, a pair for each category, as a page or as PNG pictures (MB-08, HQ-17).

A headless Chromium draws each picture from the page as it would be printed.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.files import folder_name
from musebench_tasks.base.records import DEFAULT_SEED, Item, MediaPart, Modality, Reference, TaskConfig
from musebench_tasks.base.text import nearest, shown
from musebench_tasks.items import Notes, load_items, load_notes, load_references
from musebench_tasks.media import shared_cache
from musebench_tasks.media.decode import DEFAULT_TIMEOUT_S, shared_process
from musebench_tasks.media.fetch import Fetcher
from musebench_tasks.pages import ItemCard, MediaFolder, make_card, page_environment, write_page
from musebench_tasks.pages.card import option_letters
from musebench_tasks.pages.text import seconds_text
from musebench_tasks.version import __version__

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


N_FRAMES = 5
FRAMES_A_SECOND = 4.0
FRAME_PIXELS = 256 * 144
OUTLINE_RATE = 8000
OUTLINE_COLUMNS = 240
OUTLINE_HEIGHT = 40


@dataclass(frozen=True)
class Frame:
    """One frame: a data URL, and its time as text."""

    address: str
    time: str


@dataclass(frozen=True)
class Strip:
    """Frames and sound of a window; `outline` is an SVG path in a box of OUTLINE_COLUMNS x OUTLINE_HEIGHT."""

    frames: tuple[Frame, ...] = ()
    outline: str | None = None
    missing: str | None = None
    """Why the medium cannot be shown."""


def make_strip(task: TaskConfig, item: Item) -> Strip:
    """The strip of an item; what cannot be decoded is said instead of shown."""
    if item.media is None:
        return Strip()
    try:
        return Strip(
            frames=_frames(item) if Modality.VIDEO in task.modalities else (),
            outline=_outline(item) if Modality.AUDIO in task.modalities else None,
        )
    except MuseError as problem:
        return Strip(missing=problem.text)


def _fetcher() -> Fetcher:
    return Fetcher(shared_cache(), shared_process(), DEFAULT_TIMEOUT_S)


def _part(item: Item, modality: Modality) -> MediaPart:
    assert item.media is not None
    return MediaPart(
        modality=modality,
        source=item.media,
        start_s=item.start_s,
        end_s=item.end_s,
        fps=FRAMES_A_SECOND if modality is Modality.VIDEO else None,
        max_pixels=FRAME_PIXELS if modality is Modality.VIDEO else None,
    )


def _frames(item: Item) -> tuple[Frame, ...]:
    entry = _fetcher().frames(_part(item, Modality.VIDEO), N_FRAMES)
    return tuple(
        Frame(f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}", seconds_text(time))
        for jpeg, time in zip(entry.parts, entry.details["times_s"], strict=True)
    )


def _outline(item: Item) -> str:
    """The loudest moment of each column, mirrored about the middle, on a scale of decibels down to -48."""
    samples = np.abs(np.frombuffer(_fetcher().audio(_part(item, Modality.AUDIO), OUTLINE_RATE, None).parts[0], "<f4"))
    if not len(samples):
        return ""
    edges = np.linspace(0, len(samples), OUTLINE_COLUMNS + 1).astype(int)
    peaks = [float(samples[start : max(end, start + 1)].max()) for start, end in pairwise(edges)]
    loudness = np.clip(1 + 20 * np.log10(np.maximum(peaks, 1e-6)) / 48, 0, 1)
    middle = OUTLINE_HEIGHT / 2
    return "".join(
        f"M{column}.5 {middle - reach:.1f}V{middle + reach:.1f}"
        for column, reach in enumerate(np.maximum(loudness * (middle - 1), 0.5))
    )


ASPECTS = ("kind", "cluster_id", "subdomain", "difficulty", "alignment")
"""In what two examples should differ, the most telling first."""


@dataclass(frozen=True)
class Group:
    """The examples of one category; the name is empty where items have none."""

    name: str
    items: tuple[Item, ...]


def choose_examples(
    items: Iterable[Item], categories: Sequence[str] = (), *, pairs: int = 1, seed: int = DEFAULT_SEED
) -> list[Group]:
    """`pairs` pairs of every category, or of `categories` (any case, or how they begin); InputError for others.

    The first item of a category is drawn by `seed`; each further one is the one that has most aspects no chosen item
    has, ties drawn. Same items and seed, same examples.
    """
    grouped: dict[str, list[Item]] = {}
    for item in items:
        grouped.setdefault(item.category or "", []).append(item)
    wanted = [_known(name, grouped) for name in categories] or sorted(grouped)
    return [Group(name, tuple(_examples(grouped[name], 2 * pairs, seed))) for name in dict.fromkeys(wanted)]


def _known(name: str, grouped: dict[str, list[Item]]) -> str:
    """The category that `name` names, or begins, in any case."""
    by_folded = {each.casefold(): each for each in grouped if each}
    folded = name.casefold()
    begun = [folded] if folded in by_folded else [each for each in by_folded if each.startswith(folded)]
    if len(begun) != 1:
        names = sorted(by_folded.values())
        raise InputError(f"category {shown(name)} is not known{nearest(name, names)}. Known: {', '.join(names)}.")
    return by_folded[begun[0]]


def _examples(items: Sequence[Item], n: int, seed: int) -> Iterator[Item]:
    drawn = sorted(items, key=lambda item: hashlib.sha256(f"{seed}|{item.id}".encode()).hexdigest())
    seen: set[tuple[str, str]] = set()
    for _ in range(min(n, len(drawn))):
        chosen = min(drawn, key=lambda item: tuple(aspect in seen for aspect in _aspects(item)))
        drawn.remove(chosen)
        seen.update(_aspects(chosen))
        yield chosen


def _aspects(item: Item) -> list[tuple[str, str]]:
    return [(name, str(getattr(item, name))) for name in ASPECTS]


PAGE = "index.html"
_TEMPLATES = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True)
class Example:
    """One item of the gallery."""

    card: ItemCard
    strip: Strip
    core_intent: str | None
    strategies: tuple[tuple[str, str], ...]
    """Letter of a wrong option, and what it is built on."""


@dataclass(frozen=True)
class Section:
    """One category, ready for the template."""

    name: str
    anchor: str
    examples: tuple[Example, ...]


def write_gallery(
    task: TaskConfig,
    folder: Path,
    categories: Sequence[str] = (),
    *,
    pairs: int = 1,
    seed: int = DEFAULT_SEED,
    offline: bool = False,
) -> Path:
    """Write `index.html` of a task's example items into `folder`, media beside it, and return its path.

    `pairs`, `categories` and `seed` are as in `choose_examples`. The page shows the gold. Raises InputError for data
    that cannot be read, a category that no item has, and a place that cannot be written.
    """
    items = load_items(task, offline=offline).items
    groups = choose_examples(items, categories, pairs=pairs, seed=seed)
    references, notes = load_references(task, offline=offline).references, load_notes(task, offline=offline)
    media = MediaFolder(folder)
    context = {
        "title": f"{task.task}: examples",
        "task": task,
        "n_items": len(items),
        "seed": seed,
        "sections": list(_sections(task, groups, media, references, notes)),
        "version": __version__,
    }
    template = page_environment(_TEMPLATES).get_template("gallery.html.jinja")
    write_page(folder / PAGE, template.generate(context))
    media.remove_others()
    return folder / PAGE


def _sections(
    task: TaskConfig,
    groups: Sequence[Group],
    media: MediaFolder,
    references: Mapping[str, Reference],
    notes: Mapping[str, Notes],
) -> Iterator[Section]:
    for place, group in enumerate(groups, start=1):
        examples = tuple(
            _example(task, item, references.get(item.id), notes.get(item.id, Notes()), media, f"g{place}-{number}")
            for number, item in enumerate(group.items, start=1)
        )
        yield Section(group.name or task.task, f"g{place}", examples)


def _example(
    task: TaskConfig, item: Item, reference: Reference | None, notes: Notes, media: MediaFolder, anchor: str
) -> Example:
    medium = media.medium(item, is_film=Modality.VIDEO in task.modalities)
    letters = option_letters(item)
    return Example(
        card=make_card(item, reference, (), medium, anchor=anchor),
        strip=make_strip(task, item),
        core_intent=notes.core_intent,
        strategies=tuple(
            (letter, notes.strategies[name]) for name, letter in letters.items() if name in notes.strategies
        ),
    )
