"""The statistics table of a collection (MU-06): keys, tempi, segments, time signatures, labels; as text, CSV, Markdown.

The same table from any rows of the mub dataset, so that a collection can be set beside the published one.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

KEYS = 24
PLURALS = {"tempo": "tempi", "key": "keys", "time_signature": "time signatures"}


class Count(NamedTuple):
    """One line of the table."""

    name: str
    value: str


def count_rows(rows: Iterable[Mapping[str, Any]]) -> tuple[Count, ...]:
    """The table of rows with tempo_bpm, key, time_signature, segments, multi_valued.

    Labels are counted without regard to case and outer blanks; of equally frequent ones the alphabetically first leads.
    """
    rows = list(rows)
    labels = Counter(segment["label"].strip().casefold() for row in rows for segment in row["segments"])
    metres = Counter(row["time_signature"] for row in rows)
    intervals = labels.total()
    tempi = [float(row["tempo_bpm"]) for row in rows]
    several = Counter(name for row in rows for name in row["multi_valued"])
    modes = Counter(row["key"].rpartition(" ")[2] for row in rows)
    lines = [
        Count("recordings", f"{len(rows):,}"),
        Count("keys covered", f"{len({row['key'] for row in rows})}/{KEYS}"),
        Count("recordings in major", f"{modes['major']:,}"),
        Count("recordings in minor", f"{modes['minor']:,}"),
        Count("tempo range, BPM", f"{min(tempi):g} to {max(tempi):g}" if tempi else "–"),
        Count("intervals", f"{intervals:,}"),
        Count("mean intervals per recording", f"{intervals / len(rows):.2f}" if rows else "–"),
    ]
    lines += [Count(f"time signature {name}", f"{number:,}") for name, number in _most_first(metres)]
    lines += [Count(f"recordings of several {PLURALS[name]}", f"{number:,}") for name, number in _most_first(several)]
    return (*lines, *(Count(f'label "{name}"', f"{number:,}") for name, number in _most_first(labels)))


def as_text(table: Iterable[Count]) -> str:
    """Two aligned columns."""
    lines = list(table)
    names, values = max(len(each.name) for each in lines), max(len(each.value) for each in lines)
    return "".join(f"{each.name:<{names}}  {each.value:>{values}}\n" for each in lines)


def as_csv(table: Iterable[Count]) -> str:
    """CSV with a head line."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([("statistic", "value"), *table])
    return buffer.getvalue()


def as_markdown(table: Iterable[Count], most: int | None = None) -> str:
    """A Markdown table; of labels at most `most`."""
    lines = list(table)
    labels = [each for each in lines if each.name.startswith("label ")]
    shown = [each for each in lines if not each.name.startswith("label ")] + labels[:most]
    body = "".join(f"| {each.name.replace('|', chr(92) + '|')} | {each.value} |\n" for each in shown)
    return f"| statistic | value |\n|---|---:|\n{body}"


def _most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))
