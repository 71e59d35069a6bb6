"""The gallery as a page: its items as every page shows them, with frames, sound, intent and the distractors' kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from musebench_tasks.base.records import DEFAULT_SEED, Item, Modality, Reference, TaskConfig
from musebench_tasks.items import Notes, load_items, load_notes, load_references
from musebench_tasks.pages import ItemCard, MediaFolder, make_card, page_environment, write_page
from musebench_tasks.pages.card import option_letters
from musebench_tasks.reports.gallery.choosing import Group, choose_examples
from musebench_tasks.reports.gallery.strip import Strip, make_strip
from musebench_tasks.version import __version__

PAGE = "index.html"
_TEMPLATES = Path(__file__).resolve().parent.parent / "templates"


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
