"""The class that every metric of `metrics/` extends: `evaluate.Metric` with inputs checked before they are stored."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import evaluate

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.text import nearest
from musebench_tasks.metric_modules.inputs import Kind, checked_columns

EXAMPLES = {
    "num_options": "how many options each question has, for example num_options=[4, 4, 8] or num_options=4",
    "recordings": "the references of all recordings, one with its id each",
    "categories": "all categories that a rater may choose, for example categories=[0, 1, 2, 3, 4, 5]",
}
"""What a setting without a default is."""


class CheckedMetric(evaluate.Metric):  # type: ignore[misc]
    """A metric whose rows are checked when they are added, and whose settings are checked before anything is computed.

    A wrong row refuses the batch it stands in; what was added before stays.
    """

    row_kinds: ClassVar[Mapping[str, Kind]] = {}
    """The kind of value of each feature."""

    def compute(self, *, predictions: Any = None, references: Any = None, **named: Any) -> dict[str, Any] | None:
        """Check the rows given and the settings, then compute over all rows that were added.

        In several processes the first gets the result and the settings count there; the others get None.
        """
        self._check_settings(named)
        given = (predictions, references, *(named.get(name) for name in self.row_kinds))
        if self.writer is None and all(each is None for each in given):
            raise InputError(f"There are no rows. Give {' and '.join(self.row_kinds)}, or add rows before.")
        try:
            result: dict[str, Any] | None = super().compute(predictions=predictions, references=references, **named)
        except Exception:
            self._forget_computation()
            raise
        self.filelocks = self.file_paths = None
        return result

    def add_batch(self, *, predictions: Any = None, references: Any = None, **named: Any) -> None:
        """Check a batch of rows and add it; a wrong row refuses the whole batch."""
        given = {"predictions": predictions, "references": references, **named}
        super().add_batch(**checked_columns(given, self.row_kinds, first_row=len(self)))

    def add(self, *, prediction: Any = None, reference: Any = None, **named: Any) -> None:
        """Check one row and add it."""
        given = {"predictions": prediction, "references": reference, **named}
        columns = {name: [value] for name, value in given.items() if name in self.row_kinds or value is not None}
        super().add_batch(**checked_columns(columns, self.row_kinds, first_row=len(self)))

    def _check_settings(self, named: Mapping[str, Any]) -> None:
        takes = inspect.signature(self._compute).parameters
        settings = [name for name in takes if name not in self.row_kinds]
        unknown = next((name for name in named if name not in takes), None)
        if unknown is not None:
            raise InputError(f"{self.name} takes no {unknown!r}{nearest(unknown, settings)}. It takes {settings}.")
        needed = (name for name in settings if takes[name].default is inspect.Parameter.empty)
        missing = next((name for name in needed if named.get(name) is None), None)
        if missing is not None and self.process_id == 0:
            raise InputError(f"{self.name} needs {missing}: {EXAMPLES[missing]}.")

    def _enforce_nested_string_type(self, schema: Any, obj: Any) -> None:
        """Nothing more to enforce: every value of every row was checked, where `evaluate` looks at a first one."""

    def _forget_computation(self) -> None:
        """Give back what a computation that failed still holds, so that the next one starts afresh.

        Rows that are still being added (a writer is open) stay.
        """
        if self.writer is not None:
            return
        self.data = None
        paths: list[str] = self.file_paths or []
        locks: list[Any] = self.filelocks or []
        for path in paths:
            Path(path).unlink(missing_ok=True)
        for lock in locks:
            lock.release()
        self.filelocks = self.file_paths = None
