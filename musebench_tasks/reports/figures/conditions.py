"""What a condition changes, and how requests ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.base.records import Condition, Counts, Status
from musebench_tasks.pages.figures import (
    Change,
    Changes,
    Figure,
    Stack,
    Stacks,
    Words,
    draw_changes,
    draw_stacks,
)
from musebench_tasks.pages.figures.look import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from musebench_tasks.reports.figures.material import (
    Material,
    System,
    headline_words,
    listed,
    number_words,
    sentence,
    with_interval,
)
from musebench_tasks.reports.item_scores import difference
from musebench_tasks.reports.tables import condition_name, spokesman

MOST_ROWS = 24
MOST_NAMES = 4
_TONES = {
    Status.OK: SKY,
    Status.UNPARSED: ORANGE,
    Status.REFUSED: PURPLE,
    Status.TRUNCATED: GREEN,
    Status.OUT_OF_RANGE: "#f0e442",
    Status.MEDIA_ERROR: VERMILION,
    Status.MEDIA_UNAVAILABLE: "#e0a080",
    Status.BACKEND_ERROR: BLUE,
    Status.TIMEOUT: "#7a8fa6",
    Status.MISSING: "#d0d0d0",
}


def condition_figure(material: Material) -> Iterator[Figure]:
    """Each condition minus `full` for each system asked both, on the same items, with paired intervals."""
    if material.answers is None:
        return
    groups: dict[Condition, list[Change]] = {}
    names: dict[Condition, str] = {}
    for system in material.shown:
        for condition, change in _changes(material, system):
            groups.setdefault(condition, []).append(change)
            names[condition] = condition_name(condition, spokesman([each.card for each in material.shown]))
    ordered = [condition for condition in CONDITIONS.values() if condition in groups]
    if not ordered:
        return
    drawn = tuple(Changes(_heading(condition, names[condition]), tuple(groups[condition])) for condition in ordered)
    measure = headline_words(material.answers.task)
    numbers = [f"{group.heading}: " + ", ".join(_change_words(row) for row in group.rows) for group in drawn]
    words = Words(
        "conditions",
        _change_title([(condition, row) for condition in ordered for row in groups[condition]], measure),
        sentence("; ".join(numbers)),
        f"Difference of {measure} to the full medium, item by item; lines are 95 % intervals, from 10 items on."
        + material.left_out(),
    )
    looks = tuple(system.name for system in material.shown)
    yield draw_changes(drawn, looks, words, material.prefix("conditions"))


def _changes(material: Material, system: System) -> Iterator[tuple[Condition, Change]]:
    full = material.scores(system, Condition.FULL)
    for condition in system.answered.conditions if full is not None and system.answered else ():
        other = None if condition is Condition.FULL else material.scores(system, condition)
        if full is None or other is None:
            continue
        value, interval = difference(other, full)
        if value is not None:
            yield condition, Change(system.name, with_interval(value, len(other.item_ids), interval))


def _heading(condition: Condition, name: str) -> str:
    return condition.phrase if name == condition.label else f"{name}: {condition.phrase}"


def _change_words(row: Change) -> str:
    return f"{row.name} {number_words(row.value)}, n {row.value.n}"


def _change_title(changes: Sequence[tuple[Condition, Change]], measure: str) -> str:
    clear = [
        (condition, row)
        for condition, row in changes
        if row.value.low is not None and row.value.high is not None and (row.value.low > 0 or row.value.high < 0)
    ]
    if all(row.value.low is None for _, row in changes):
        return "Too few items to tell what a condition changes"
    if not clear:
        return f"No condition clearly changes {measure}"
    condition, row = max(clear, key=lambda each: abs(each[1].value.value))
    verb, size = ("loses", -row.value.value) if row.value.value < 0 else ("gains", row.value.value)
    return f"{sentence(condition.phrase).removesuffix('.')} {row.name} {verb} {size:.2f} of {measure}"


def status_figure(material: Material) -> Iterator[Figure]:
    """How requests ended, for the systems, conditions and music fields where not all gave a readable answer."""
    counts = [(system, count) for system in material.systems for count in system.card.counts if count.planned]
    opened = [(system, count) for system, count in counts if count.statuses.get(Status.OK.value, 0) < count.planned]
    whole = [(system, count) for system, count in opened if not _repeats(system, count)]
    if not whole:
        return
    rows = tuple(Stack(system.name, _in_order(count), _detail(system, count)) for system, count in whole[:MOST_ROWS])
    classes = tuple(status.value.replace("_", " ") for status in Status)
    stacks = Stacks(classes, rows, tuple(_TONES[status] for status in Status))
    shown = [system for system, _ in whole]
    fine = [system.name for system in material.systems if system not in shown]
    others = listed(fine) if len(fine) <= MOST_NAMES else f"the other {len(fine)} systems"
    rest = f" All requests to {others} gave a readable answer." if fine else ""
    more = f" {len(whole) - MOST_ROWS} more rows stand in the table." if len(whole) > MOST_ROWS else ""
    numbers = [
        f"{row.name}{', ' * bool(row.detail)}{row.detail}, of {sum(row.counts)}: "
        + ", ".join(f"{n} {c}" for c, n in zip(classes, row.counts, strict=True) if n)
        for row in rows
    ]
    words = Words(
        "statuses",
        _status_title(whole),
        sentence("; ".join(numbers)),
        f"How the planned requests ended. What was not answered counts as wrong.{rest}{more}",
    )
    yield draw_stacks(stacks, words, material.prefix("statuses"))


def _repeats(system: System, count: Counts) -> bool:
    """Whether a music field ended as the whole requests did."""
    same = [each for each in system.card.counts if each.condition is count.condition and each.field is None]
    return count.field is not None and bool(same) and same[0].statuses == count.statuses


def _detail(system: System, count: Counts) -> str:
    words = [] if count.condition is Condition.FULL else [condition_name(count.condition, system.card)]
    words += [count.field.replace("_", " ")] if count.field else []
    return ", ".join(words)


def _in_order(count: Counts) -> tuple[int, ...]:
    return tuple(count.statuses.get(status.value, 0) for status in Status)


def _status_title(rows: Sequence[tuple[System, Counts]]) -> str:
    def share(count: Counts) -> float:
        return 1 - count.statuses.get(Status.OK.value, 0) / count.planned

    system, count = max(rows, key=lambda each: share(each[1]))
    without = count.planned - count.statuses.get(Status.OK.value, 0)
    detail = _detail(system, count)
    asked = f"{system.name} ({detail})" if detail else system.name
    return f"{asked} gave no readable answer to {without} of {count.planned}"
