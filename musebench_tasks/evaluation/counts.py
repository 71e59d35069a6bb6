"""How requests ended: counts of statuses with coverage and answered, and the status of what has several fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from musebench_tasks.base.records import Condition, Counts, Status

WITHOUT_A_VALUE = (
    *(Status.TRUNCATED, Status.OUT_OF_RANGE, Status.REFUSED, Status.UNPARSED),
    *(Status.MEDIA_ERROR, Status.MEDIA_UNAVAILABLE, Status.BACKEND_ERROR, Status.TIMEOUT, Status.MISSING),
)
"""What has no readable field takes the first of these that occurs in its fields."""


def count_statuses(condition: Condition, field: str | None, statuses: Sequence[Status]) -> Counts:
    """Counts of `statuses`, one a planned request; both shares are None where nothing was planned.

    Coverage is the share that ended in a model's answer, readable or not; answered the share that was read.
    """
    found = Counter(statuses)
    n_answers = sum(count for status, count in found.items() if status.is_answer)
    return Counts(
        condition=condition,
        field=field,
        planned=len(statuses),
        statuses={status.value: found[status] for status in Status if found[status]},
        coverage=n_answers / len(statuses) if statuses else None,
        answered=found[Status.OK] / len(statuses) if statuses else None,
    )


def status_of_fields(statuses: Collection[Status], otherwise: Status) -> Status:
    """The status of what has fields: ok if one is, else the first of `WITHOUT_A_VALUE`; `otherwise` without fields."""
    if Status.OK in statuses:
        return Status.OK
    return next((status for status in WITHOUT_A_VALUE if status in statuses), otherwise)
