"""What is asked (Item, without any gold) and what is right (Reference)."""

from typing import Any

from musebench_tasks.base.records.base import Record
from musebench_tasks.base.records.enums import Kind
from musebench_tasks.base.records.options import Option


class MediaSource(Record):
    """Where a medium lies: a file, or one cell of a Parquet file (`row` counts from 0 in the whole file)."""

    path: str
    row: int | None = None
    column: str | None = None
    sha256: str | None = None
    """SHA-256 of the encoded bytes, 64 hex digits; None while nobody could read them."""
    declared: str | None = None
    """Of a link: what the data say of the medium, as one hash; fetched copies may differ in their bytes."""

    @property
    def content(self) -> str:
        """What names the medium: its hash, wherever it lies; its place only while there is no hash."""
        return self.sha256 or f"{self.path}#{self.row}"


class Item(Record):
    """One question, or one recording to annotate. Holds no gold."""

    id: str
    benchmark: str
    kind: Kind
    media: MediaSource | None = None
    start_s: float | None = None
    end_s: float | None = None
    duration_s: float | None = None
    question: str | None = None
    options: tuple[Option, ...] = ()
    """In the stored order."""
    transcript: str | None = None
    alignment: str | None = None
    cluster_id: str
    category: str | None = None
    subdomain: str | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    license: str | None = None
    attribution: str | None = None

    @property
    def option_ids(self) -> tuple[str, ...]:
        """Option ids in the stored order."""
        return tuple(option.id for option in self.options)

    @property
    def window_s(self) -> float | None:
        """Seconds of media in the item's window, where known."""
        if self.start_s is not None and self.end_s is not None:
            return self.end_s - self.start_s
        return self.duration_s


class Segment(Record):
    """A labelled stretch of a recording, in seconds from its start."""

    start_s: float
    end_s: float
    label: str = ""


class MusicTruth(Record):
    """Ground truth of a recording (MU-07). None = not annotated, not scored."""

    tempo_bpm: float | None = None
    beat_unit: str | None = None
    key: str | None = None
    """`Tonic mode`, spelled with C C# D Eb E F F# G Ab A Bb B and major/minor."""
    time_signature: str | None = None
    segments: tuple[Segment, ...] | None = None
    multi_valued: tuple[str, ...] = ()


class Reference(Record):
    """The gold of one item: option ids for a choice item, `music` for a recording."""

    item_id: str
    answer: tuple[str, ...] | None = None
    """Option ids, in the stored order of the item."""
    music: MusicTruth | None = None


def slice_value(item: Item, dimension: str) -> str | None:
    """The item's value of a slice dimension (`category`, `subdomain`, `difficulty`, `kind`); None if it has none."""
    value: Any = getattr(item, dimension)
    return None if value is None else str(value)
