"""What exporters start from: one MODEL/TASK folder, read and scored sample by sample, with its files' contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from musebench_tasks.base.records import (
    Condition,
    Item,
    Prediction,
    Reference,
    Request,
    RunConfig,
    Scorecard,
    Status,
    TaskConfig,
    canonical_json,
)
from musebench_tasks.evaluation.cases import make_case
from musebench_tasks.evaluation.metrics.registry import measure
from musebench_tasks.evaluation.scorecard import with_orders
from musebench_tasks.harnesses.questions import Address, AnyModel, address_of
from musebench_tasks.harnesses.scores import NOT_CARRIED, OF_WHOLE_RUNS
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


def sample_records(
    exported: Exported, model_id: str, aggregate: Mapping[str, Any], with_gold: bool
) -> Iterator[dict[str, Any]]:
    """Records in the plan's order; scores of whole runs (consistency, position bias) have none.

    `with_gold`: what is right stands under `reference`; without it the list is empty.
    """
    shared = {
        "schema_version": aggregate["schema_version"],
        "evaluation_id": aggregate["evaluation_id"],
        "model_id": model_id,
        "evaluation_name": exported.config.task,
        "interaction_type": "single_turn",
    }
    plain = [each for each in exported.task.metric_list if each.by is None and each.macro is None]
    metrics = [each for each in plain if each.metric not in (*OF_WHOLE_RUNS, *NOT_CARRIED)]
    several = exported.task.protocol.runs > 1
    for request, prediction in exported.answers():
        item, reference = exported.items[request.item_id], exported.references[request.item_id]
        cases = with_orders(exported.task, [make_case(item, reference, request.run, prediction)])
        told = {
            **shared,
            "sample_id": f"{item.id}#{request.run}" if several else item.id,
            "input": _input(request, reference if with_gold else None),
            "output": {"raw": [prediction.raw] if prediction is not None and prediction.raw is not None else []},
            "answer_attribution": _attribution(request, prediction),
            "error": _error(prediction),
            "metadata": _metadata(request, prediction, item.category, item.cluster_id),
        }
        for metric in metrics:
            found = next(iter(measure(metric, cases)), None)
            if found is not None and found.value is not None:
                yield {
                    **told,
                    "evaluation_result_id": result_id(found.metric, found.version, request.condition),
                    "evaluation": {"score": found.value, "is_correct": found.value == 1.0},
                }


def result_id(metric: str, version: str, condition: Condition) -> str:
    """What tells one score of a run from all others but those of slices: `accuracy/1:full`."""
    return f"{metric}/{version}:{condition!s}"


def _input(request: Request, reference: Reference | None) -> dict[str, Any]:
    return {
        "raw": request.prompt,
        "reference": [] if reference is None else _right(request, reference),
        "choices": [option.text for option in request.options] or None,
    }


def _right(request: Request, reference: Reference) -> list[str]:
    """What is right, as text."""
    if reference.answer is not None:
        return [option.text for option in request.options if option.id in reference.answer]
    music = reference.music.model_dump(mode="json", exclude_none=True) if reference.music else {}
    return [canonical_json(music)]


def _attribution(request: Request, prediction: Prediction | None) -> list[dict[str, Any]]:
    """What was read in the text, and by whom; nothing where nothing could be read."""
    if prediction is None or prediction.parsed is None or prediction.parser is None:
        return []
    if isinstance(prediction.parsed, dict):
        fields = {name: answer.model_dump(mode="json")["value"] for name, answer in prediction.parsed.items()}
        value = canonical_json(fields)
    else:
        value = "; ".join(option.text for option in request.options if option.id in prediction.parsed)
    return [
        {
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": value,
            "extraction_method": f"{prediction.parser.method}/{prediction.parser.version}",
            "is_terminal": True,
        }
    ]


def _error(prediction: Prediction | None) -> str | None:
    """How a request ended that got no readable answer."""
    status = Status.MISSING if prediction is None else prediction.status
    return None if status is Status.OK else status.value


def _metadata(request: Request, prediction: Prediction | None, category: str | None, cluster: str) -> dict[str, str]:
    told = {
        "item_id": request.item_id,
        "run": str(request.run),
        "condition": str(request.condition),
        "kind": request.kind.value,
        "status": _error(prediction) or Status.OK.value,
        "rule": (prediction.rule if prediction else None) or "",
        "finish_reason": (prediction.finish_reason if prediction else None) or "",
        "category": category or "",
        "cluster_id": cluster,
        "option_order": " ".join(request.option_order or ()),
    }
    return {name: value for name, value in told.items() if value}
