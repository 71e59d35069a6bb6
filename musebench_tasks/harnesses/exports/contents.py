"""What every exporter gets: one MODEL/TASK folder, read and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from musebench_tasks.base.records import Item, Prediction, Reference, Request, RunConfig, Scorecard, TaskConfig
from musebench_tasks.harnesses.questions import Address, AnyModel, address_of
from musebench_tasks.inference.requests import build_requests


@dataclass(frozen=True)
class Exported:
    """A run of one system on one task."""

    config: RunConfig
    card: Scorecard
    task: TaskConfig
    """With the runs and orders of the run."""
    items: Mapping[str, Item]
    references: Mapping[str, Reference]
    predictions: Mapping[Address, Prediction]

    @cached_property
    def requests(self) -> tuple[Request, ...]:
        """Every planned request, in the plan's order."""
        items = list(self.items.values())
        return build_requests(self.task, items, AnyModel(), self.config.protocol.conditions)

    def answers(self) -> Iterator[tuple[Request, Prediction | None]]:
        """Every planned request with its prediction, None where there is none."""
        for request in self.requests:
            yield request, self.predictions.get(address_of(request))
