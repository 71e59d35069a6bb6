"""`--model-repo`: scores on a model's own page, `.eval_results/*.yaml` by pull request."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import folder_name
from musebench_tasks.base.records import Condition, Counts, RunConfig, Scorecard
from musebench_tasks.base.resources import resource
from musebench_tasks.hub.connection import Hub
from musebench_tasks.hub.parcel import EMPTY, Content, HubState, Parcel, Repository
from musebench_tasks.hub.sending import PushedFiles, propose
from musebench_tasks.items.demonstration import DEMO

FOLDER = ".eval_results"
METRICS = {
    "accuracy": "accuracy",
    "caa": "caa",
    "choice_consistency": "choice_consistency",
    "key": "mub.key.symmetric",
    "tempo": "mub.tempo.acc1",
    "time_signature": "mub.time_signature.accuracy",
    "segments": "mub.segments.iou_f1",
}
"""From the tasks of an eval.yaml to metrics: higher is better in all."""
SOURCE_NAME = "musebench-tasks submission"
_COMMIT = re.compile(r"[0-9a-f]{40}")


class ResultEntry(NamedTuple):
    """One number of one benchmark, as a model's page shows it; per cent."""

    file: str
    dataset: str
    revision: str | None
    task: str
    value: float
    notes: str


def require_whole(card: Scorecard) -> None:
    """InputError where a model's page is no place for a number: of a demonstration, or of some items only."""
    if card.benchmark.endswith(DEMO):
        raise InputError(f"{card.task}: is a demonstration; its numbers do not go onto a model's page.")
    if card.selection is not None:
        raise InputError(
            f"{card.task}: asked only {card.selection} of the items; such a number does not go onto a model's page."
        )


def entries_of(card: Scorecard, config: RunConfig, dataset: str) -> list[ResultEntry]:
    """The headline numbers of a scorecard, one file a condition, as those of `dataset` on the Hub."""
    require_whole(card)
    revision = config.benchmark.version if _COMMIT.fullmatch(config.benchmark.version) else None
    found = [
        ResultEntry(file_name(card.benchmark, condition), dataset, revision, task, round(100 * value, 2), notes)
        for condition in config.protocol.conditions
        for task, value, notes in _values(card, config, condition)
    ]
    if not found:
        raise InputError(f"{card.task}: has none of the numbers that {card.benchmark} declares in its eval.yaml.")
    return found


def results_parcel(
    entries: Sequence[ResultEntry], model: str, source_url: str, day: str, present: Mapping[str, str] | None = None
) -> Parcel:
    """The files of a pull request to a model's repository; what else `present` files (by path) say stays in them."""
    try:
        from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml
    except ImportError as problem:
        raise InputError(
            "--model-repo needs a newer huggingface_hub: pip install -U huggingface_hub. Without it the submission can "
            "be sent alone."
        ) from problem
    files = []
    for name in dict.fromkeys(entry.file for entry in entries):
        own = [entry for entry in entries if entry.file == name]
        made = [
            EvalResultEntry(
                dataset_id=entry.dataset,
                task_id=entry.task,
                value=entry.value,
                dataset_revision=entry.revision,
                date=day,
                source_url=source_url,
                source_name=SOURCE_NAME,
                notes=entry.notes,
            )
            for entry in own
        ]
        path = f"{FOLDER}/{name}"
        kept = _others(path, (present or {}).get(path, ""), {(entry.dataset, entry.task) for entry in own})
        listed = [*kept, *eval_result_entries_to_yaml(made)]
        files.append(Content(path, yaml.safe_dump(listed, sort_keys=False, allow_unicode=True, width=120).encode()))
    benchmarks = ", ".join(dict.fromkeys(entry.dataset for entry in entries))
    return Parcel(
        Repository("model", model),
        f"Add results on {benchmarks}",
        tuple(files),
        description=f"Answers of every item, settings and scores: {source_url}",
    )


def send_results(hub: Hub, entries: Sequence[ResultEntry], model: str, source_url: str, day: str) -> PushedFiles:
    """Open the pull request to the model's repository, or find the one that says the same."""
    repository = Repository("model", model)
    state = hub.state(repository)
    return propose(hub, results_parcel(entries, model, source_url, day, _present(hub, repository, state, entries)))


def preview(
    hub: Hub | None, entries: Sequence[ResultEntry], model: str, source_url: str, day: str
) -> tuple[Parcel, HubState]:
    """What would be sent, and to what; nothing is known of the repository without `hub`."""
    repository = Repository("model", model)
    state = EMPTY if hub is None else hub.state(repository)
    present = {} if hub is None else _present(hub, repository, state, entries)
    return results_parcel(entries, model, source_url, day, present), state


def same_model(system: str, model: str) -> None:
    """InputError where a run's spec names another model of the Hub than the repository the results are to go to."""
    kind, _, name = system.partition(":")
    if kind == "transformers" and re.fullmatch(r"[\w.-]+/[\w.-]+", name) and not Path(name).exists() and name != model:
        raise InputError(f"--model-repo is {model}, but the run asked {name}. Its results belong to {name}.")


def _present(hub: Hub, repository: Repository, state: HubState, entries: Sequence[ResultEntry]) -> dict[str, str]:
    paths = {f"{FOLDER}/{entry.file}" for entry in entries}
    with tempfile.TemporaryDirectory() as cache:
        return {
            path: hub.read(repository, path, str(state.commit), Path(cache)).decode(errors="replace")
            for path in sorted(paths)
            if path in state.files
        }


def _others(path: str, text: str, own: set[tuple[str, str]]) -> list[Any]:
    """The entries of a file on the Hub that are about something else; InputError where it is no list of entries."""
    try:
        listed = yaml.safe_load(text) or []
    except (yaml.YAMLError, ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise InputError(
            f"{path}: lies in the model's repository, but is no list of results. Have it corrected or removed there "
            "first, so that nothing in it is lost."
        )
    return [each for each in listed if _about(each) not in own]


def _about(entry: dict[str, Any]) -> tuple[str, str]:
    dataset = entry.get("dataset")
    told = dataset if isinstance(dataset, dict) else {}
    return str(told.get("id")), str(told.get("task_id"))


def file_name(benchmark: str, condition: Condition) -> str:
    """What the file of a benchmark's results under a condition is called in a model's repository."""
    name = benchmark if condition is Condition.FULL else f"{benchmark}-{condition!s}"
    return f"{folder_name(name)}.yaml"


def _values(card: Scorecard, config: RunConfig, condition: Condition) -> Iterator[tuple[str, float, str]]:
    count = next((each for each in card.counts if each.condition is condition and each.field is None), None)
    for task in _declared(card.benchmark):
        row = card.row(METRICS[task], condition=condition) if task in METRICS else None
        if row is not None and row.value is not None:
            yield task, row.value, _notes(card, config, condition, count)


def _declared(benchmark: str) -> tuple[str, ...]:
    """The tasks of a benchmark's eval.yaml; the usual one where this package knows no such benchmark."""
    path = resource("dataset_scripts") / folder_name(benchmark) / "eval.yaml"
    if not path.is_file():
        return ("accuracy",)
    return tuple(str(each["id"]) for each in yaml.safe_load(path.read_text(encoding="utf-8"))["tasks"])


def _notes(card: Scorecard, config: RunConfig, condition: Condition, count: Counts | None) -> str:
    told = [str(condition), *filter(None, ["+".join(config.media.modalities or ())])]
    if config.media.audio_route:
        told.append(f"audio as {config.media.audio_route}")
    if count is not None:
        told += [f"{name} {value:.3f}" for name, value in (("coverage", count.coverage), ("answered", count.answered))
                 if value is not None]  # fmt: skip
    chance_adjusted = card.row("caa", condition=condition)
    if chance_adjusted is not None and chance_adjusted.value is not None:
        told.append(f"CAA {100 * chance_adjusted.value:.2f}")
    return ", ".join(told)
