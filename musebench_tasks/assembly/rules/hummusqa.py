"""The rules of a row of hummusqa (HQ-01, HQ-02, HQ-05, HQ-06)."""

import re
from collections.abc import Iterator

from musebench_tasks.assembly.rules.cells import Row, address_flaws, vocabulary
from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.known import as_known
from musebench_tasks.assembly.rules.times import excerpt_flaws
from musebench_tasks.assembly.schemas import DIFFICULTIES, MUSIC_CATEGORIES
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import shown

TITLES = ("song_name", "artist_name", "album_name")


def hummusqa_flaws(row: Row, duration_s: float | None = None) -> Iterator[Problem]:
    """What is wrong with a row's columns, its texts as such aside."""
    yield from as_known(
        lambda: vocabulary("main_category", row["main_category"], MUSIC_CATEGORIES),
        lambda: vocabulary("difficulty", row["difficulty"], DIFFICULTIES),
        lambda: secondary_flaws(row.get("main_category"), row["secondary_categories"] or ""),
        lambda: address_flaws("song_license_url", row["song_license_url"]),
        lambda: excerpt_flaws(row["excerpt_start_time"], row["excerpt_end_time"], duration_s),
    )


def secondary_flaws(main: str | None, secondary: str) -> Iterator[Problem]:
    """Secondary categories that are none, or stand twice; written with commas, semicolons, bars or as a list."""
    column = "secondary_categories"
    names = [each for name in re.split(r"[,;|]", secondary) if (each := name.strip(" []'\""))]
    for place, name in enumerate(names):
        yield from vocabulary(column, name, MUSIC_CATEGORIES)
        if name == main:
            yield flaw("CATEGORY_REPEATED", column, f"{shown(name)} is the main category too.", "Name it once.")
        elif name in names[:place]:
            yield flaw("CATEGORY_REPEATED", column, f"{shown(name)} stands twice.", "Name it once.")
