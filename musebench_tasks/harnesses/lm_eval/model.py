"""One of our models as a model of lm-eval: it takes sound, and reads each medium once for all its questions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from musebench_tasks.base.conditions import find_condition
from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Request, Response
from musebench_tasks.harnesses.questions import Document, questions
from musebench_tasks.models import Model, load_model


def musebench_lm(spec: str, **options: Any) -> Any:
    """The model that `spec` names (`transformers:ID_OR_DIR`, `openai:MODEL@URL`, `replay:FILE`…) for `simple_evaluate`.

    It answers the tasks of `musebench tasks path lm_eval` under every condition. It asks with the task's own
    generation settings, and generates only. InputError where lm-eval is missing.
    """
    try:
        base = import_module("lm_eval.api.model").LM
    except ImportError as error:
        raise InputError(
            "musebench_lm works inside lm-eval, which is not installed here: pip install lm_eval."
        ) from error
    made: Any = type("MusebenchLM", (_Answering, base), {})
    return made(load_model(spec, **options))


class _Answering:
    """What lm-eval asks of a model, answered by one of ours."""

    MULTIMODAL = True

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model
        self._planned: dict[tuple[str, str], dict[tuple[str, int], Request]] = {}

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        """The model's text for each request; "" where none came, which counts as wrong, and why on standard error."""
        planned = [self._request(request.doc) for request in requests]
        answers = {each.key: each for each in _answers(self.model, planned)}
        ended = [answers[request.key] for request in planned]
        failures = Counter(str(each.failure) for each in ended if each.failure is not None)
        if failures:
            told = ", ".join(f"{count} {failure}" for failure, count in sorted(failures.items()))
            first = next(each for each in ended if each.failure is not None)
            print(f"{told} of {len(ended)} requests; the first, {first.item_id}: {first.error}", file=sys.stderr)
        return [each.raw or "" for each in ended]

    def set_cache_hook(self, cache_hook: Any) -> None:
        """Refused: lm-eval would keep a failed request as an empty answer, and not ask it again."""
        raise InputError(
            "lm-eval's cache would keep failed requests of musebench_lm as answers. Leave use_cache out; "
            "`musebench run` asks a model so that nothing is lost."
        )

    def loglikelihood(self, requests: Sequence[Any], disable_tqdm: bool = False) -> Any:
        """Not offered: our tasks are answered in text."""
        raise InputError("musebench_lm generates text; it ranks no given continuations. Ask tasks of musebench.")

    loglikelihood_rolling = loglikelihood

    def _request(self, document: Document | None) -> Request:
        name = (document or {}).get("musebench_task")
        if document is None or name is None:
            raise InputError("musebench_lm answers the tasks of `musebench tasks path lm_eval` only.")
        asked = (name, document["condition"])
        if asked not in self._planned:
            self._planned[asked] = _requests(self.model, *asked)
        return self._planned[asked][document["item_id"], document["run"]]


def _requests(model: Model, task: str, condition: str) -> dict[tuple[str, int], Request]:
    """Every planned request of a condition to this model; InputError where it does not take what that gives."""
    from musebench_tasks.inference.requests import build_requests, unsupported

    config, by_id = questions(task)
    items, wanted = list(by_id.values()), find_condition(condition)
    missing = wanted.modalities(config.modalities) - model.limits.modalities
    reason = f"takes no {' and no '.join(sorted(missing))}" if missing else unsupported(config, items, model, wanted)
    if reason is not None:
        raise InputError(f"{model.name} {reason}: it cannot be asked {task} under the condition {condition}.")
    return {(each.item_id, each.run): each for each in build_requests(config, items, model, [wanted])}


def _answers(model: Model, planned: Sequence[Request]) -> Iterator[Response]:
    """A response to each request, medium by medium, the longest first."""
    from musebench_tasks.inference.asking import Asking
    from musebench_tasks.inference.work_units import plan_units

    asking = Asking(model, model.limits, known={}, before_asking=lambda: None)
    for unit in plan_units(planned):
        yield from asking.answers_to(unit, is_open=lambda _: True)
