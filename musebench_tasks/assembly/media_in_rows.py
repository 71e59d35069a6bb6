"""What stops media, told of the rows that use them: for the sheet that comes back, and to count its rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from musebench_tasks.assembly.errors_sheet import row_numbers
from musebench_tasks.assembly.item_checks import CheckedItems, shown_file
from musebench_tasks.assembly.media_checks import Checked
from musebench_tasks.assembly.media_findings import Medium, unusable
from musebench_tasks.assembly.rules.findings import findings_of, judged
from musebench_tasks.base.problems import Effect, Problem


def findings_in_rows(items: CheckedItems, media: Sequence[Medium], checked: Sequence[Checked]) -> list[Problem]:
    """The findings that stop media of `items`, one for each row concerned; `checked` is what was found in `media`."""
    own = set(map(id, items.media))
    return [
        finding
        for medium, each in zip(media, checked, strict=True)
        if id(medium) in own
        for finding in _of_medium(items, medium, each)
    ]


def _of_medium(items: CheckedItems, medium: Medium, checked: Checked) -> Iterator[Problem]:
    positions: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(items.names):
        positions[name].append(position)
    numbers, file = row_numbers(items.table), shown_file(items.table)
    for each in checked.findings:
        if each.effect is not Effect.STOP:
            continue
        problem = replace(judged(unusable(each)), column=items.media_column)
        for name in dict.fromkeys(each.items or [use.item for use in medium.uses]):
            for position in positions[name]:
                yield from findings_of([problem], file, numbers[position], name)
