"""`run`: put tasks to models, answer what is open, score what was answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from musebench_tasks.api import prefix_checks
from musebench_tasks.api.pairs import ModelTaskPair, make_pairs
from musebench_tasks.api.resolve import (
    names_of,
    resolve,
    run_name,
    selection_of,
    with_protocol,
    with_settings,
    write_suite,
)
from musebench_tasks.api.settings import Failure, Listener, Quiet, RunOutcome, RunSettings
from musebench_tasks.base.errors import BudgetReachedError, InputError
from musebench_tasks.base.records import (
    Request,
    Response,
    Scorecard,
    TaskConfig,
)
from musebench_tasks.evaluation.leaks import make_guard
from musebench_tasks.evaluation.running import RunningHeadline
from musebench_tasks.evaluation.task_data import TaskData, load_data
from musebench_tasks.inference import (
    Job,
    Progress,
    RunBudget,
    Sharing,
    TaskPlan,
    build_requests,
    journal_sizes,
    open_tasks,
    plan_units,
    read_responses,
    retry_positions,
    run_here,
    run_processes,
    take_device_from_launcher,
)
from musebench_tasks.inference.budget import Spending, budget_spent_text
from musebench_tasks.inference.leases import clear_leases
from musebench_tasks.inference.run_folder import (
    RUN_FILE,
    SCORES_FILE,
    finishing,
    start,
    write_predictions,
)
from musebench_tasks.models import Model, load_model, model_slug
from musebench_tasks.models.offline import offline_rule
from musebench_tasks.models.prices import read_prices
from musebench_tasks.prompts.leak_guard import LeakGuard

if TYPE_CHECKING:
    from musebench_tasks.models.llm_judge import TextJudge


@dataclass(frozen=True)
class _Cell:
    """One task put to one model."""

    data: TaskData
    requests: tuple[Request, ...]
    plan: TaskPlan
    progress: Progress
    headline: RunningHeadline


def run(
    suite: str | Path | None = None,
    *,
    tasks: str | Sequence[str] = (),
    model: str | Sequence[str] | None = None,
    models: Sequence[str] = (),
    out: str | Path | None = None,
    conditions: str | Sequence[str] = (),
    limit: int | None = None,
    sample: str | None = None,
    settings: RunSettings | None = None,
    listener: Listener | None = None,
) -> RunOutcome:
    """Put tasks to models, answer what is open, score what was answered.

    `suite` names a suite (default `demo` when neither tasks nor models are given); `conditions` is a list of
    conditions or `["all"]`; `limit` takes the first items, `sample` is `stratified:N`. Asking again resumes.
    Raises InputError for wrong input and MuseError where the work cannot go on; what was answered is kept.
    """
    settings, listener = settings or RunSettings(), listener or Quiet()
    take_device_from_launcher()
    every_model = names_of([*names_of(model or (), "model"), *names_of(models, "models")], "models")
    asked, configs = resolve(
        suite,
        names_of(tasks, "tasks"),
        every_model,
        names_of(conditions, "conditions"),
        selection_of(limit, sample),
    )
    asked = with_settings(asked, settings)
    configs = [with_protocol(task, asked) for task in configs]
    folder = Path(out) if out is not None else Path("runs") / run_name(asked)
    loaded = _load_models(asked.models, settings)
    judge = _load_judge(settings.judge)
    data = [load_data(task, asked.selection, offline=settings.offline) for task in configs]
    for each in data:
        _tell_missing_media(each, listener)
    pairs = make_pairs(folder, loaded, data, asked.conditions, listener)
    sharing = Sharing(folder)
    write_suite(folder, asked)
    budget = _budget(settings, folder, pairs)
    guards = {each.task.task: make_guard(each.task, each.items, offline=settings.offline) for each in data}
    scorecards: list[Scorecard] = []
    failures: list[Failure] = []
    checks: list[prefix_checks.Checks] = []
    stopped = None
    for spec, system in loaded.items():
        cells = [_cell(pair, folder, settings, budget, guards) for pair in pairs if pair.spec == spec]
        _tell_unmatched(spec, system, cells, asked.selection, listener)
        checks.append(prefix_checks.begin(spec, system, [cell.plan for cell in cells], settings.verify_prefix))
        stopped = _answer(system, cells, checks[-1], settings, listener) or stopped
        for cell in cells:
            card, failed = _finish(spec, cell, judge, sharing)
            listener.ended(spec, card.task, cell.progress, card.row(card.headline))
            scorecards.append(card)
            failures += failed
    if scorecards:
        _write_all_scores(folder)
    stopped = _as_it_ended(stopped, budget)
    return RunOutcome(folder, _in_order(scorecards, configs), tuple(failures), sharing, stopped, tuple(checks))


def _load_judge(spec: str | None) -> TextJudge | None:
    if spec is None:
        return None
    from musebench_tasks.models.llm_judge import load_judge

    return load_judge(spec)


def _write_all_scores(folder: Path) -> None:
    from musebench_tasks.evaluation.run_scores import write_all_scores

    with finishing(folder):
        write_all_scores(folder)


def _in_order(scorecards: Sequence[Scorecard], tasks: Sequence[TaskConfig]) -> tuple[Scorecard, ...]:
    """In the order in which the tasks were asked for."""
    places = {task.task: place for place, task in enumerate(tasks)}
    return tuple(sorted(scorecards, key=lambda card: places[card.task]))


def _budget(settings: RunSettings, run: Path, pairs: Sequence[ModelTaskPair]) -> RunBudget | None:
    """What the run may cost: whatever was asked in its folder counts, earlier commands' answers too."""
    if settings.budget_usd is None:
        return None
    before = (file.parent for file in sorted(run.glob(f"*/*/{RUN_FILE}")))
    folders = tuple(dict.fromkeys([*(pair.folder for pair in pairs), *before]))
    return RunBudget(settings.budget_usd, folders, settings.processes)


def _as_it_ended(stopped: str | None, budget: RunBudget | None) -> str | None:
    """Why not all was asked, with the sum once all that was on its way has been answered."""
    if stopped is None or budget is None:
        return stopped
    spent_usd = Spending(budget).spent_usd()
    return budget_spent_text(budget, spent_usd) if spent_usd >= budget.usd else stopped


def _tell_missing_media(data: TaskData, listener: Listener) -> None:
    """Requests on media that are not there will end as media_unavailable: better known before than after."""
    missing, count = data.missing_media()
    if missing:
        from musebench_tasks.assembly.links import fetch_advice

        text = f"{len(missing)} of {count} media files cannot be read; the first: {missing[0]}"
        listener.noticed(data.task.task, text + fetch_advice(Path(missing[0])))


def _tell_unmatched(spec: str, model: Model, cells: Sequence[_Cell], selection: str | None, listener: Listener) -> None:
    """A model that replays answers may hold some that nothing asks for: then ids or conditions do not fit."""
    unmatched = getattr(model, "unmatched", None)
    if unmatched is not None and selection is None:
        line = unmatched([request for cell in cells for request in cell.requests])
        if line is not None:
            listener.noticed(spec, line)


def _load_models(specs: Sequence[str], settings: RunSettings) -> dict[str, Model]:
    """Every model, loaded before anything is asked, so that a wrong spec or price is found at once."""
    if settings.prices is not None:
        read_prices(settings.prices)
    by_slug: dict[str, str] = {}
    for spec in specs:
        other = by_slug.setdefault(model_slug(spec), spec)
        if other != spec:
            raise InputError(
                f'models "{other}" and "{spec}" would share the folder {model_slug(spec)}. Run them apart.'
            )
    with offline_rule((), settings.offline):
        return {spec: load_model(spec, **settings.load_options) for spec in specs}


def _cell(
    pair: ModelTaskPair, run: Path, settings: RunSettings, budget: RunBudget | None, guards: Mapping[str, LeakGuard]
) -> _Cell:
    """What is to be asked of one pair, and what is known already; its run.yaml is written."""
    task = pair.data.task
    requests = build_requests(task, pair.data.items, pair.model, pair.conditions)
    guard = guards[task.task]
    guard.check_requests(requests)
    with finishing(run):
        start(pair.folder, pair.config, task)
    units = plan_units(requests)
    responses = read_responses(pair.folder).values()
    known = [each for each in responses if each.failure is None or not settings.retry_errors]
    headline = RunningHeadline(task, pair.data.items, pair.data.references, requests)
    for response in known:
        headline.add(response)
    plan = TaskPlan(
        task=task.task,
        folder=pair.folder,
        units=units,
        limits=pair.model.limits,
        retry_before=retry_positions(pair.folder) if settings.retry_errors else {},
        reuse=_reusable(run, pair, settings.reuse),
        budget=budget,
        guard=guard,
        unit_timeout_s=settings.unit_timeout_s,
    )
    return _Cell(pair.data, requests, plan, Progress(requests, units, known), headline)


def _reusable(run: Path, pair: ModelTaskPair, reuse: Sequence[Path]) -> tuple[Path, ...]:
    """Folders with answers of the same model: those named by --reuse, and the other tasks of this run."""
    found = [folder for root in (*reuse, run) for folder in _task_folders(root, pair.spec)]
    return tuple(folder for folder in found if folder != pair.folder)


def _task_folders(root: Path, spec: str) -> list[Path]:
    """The MODEL/TASK folders of the model in a run; or `root` itself, if it is one."""
    if not root.is_dir():
        raise InputError(f"--reuse {root}: no run lies there.")
    return [root] if (root / RUN_FILE).is_file() else sorted((root / model_slug(spec)).glob("*"))


def _answer(
    model: Model, cells: Sequence[_Cell], checks: prefix_checks.Checks, settings: RunSettings, listener: Listener
) -> str | None:
    """Have every open request of the cells answered, here or by worker processes; says what stopped it before."""
    spec = checks.model
    by_task = {cell.data.task.task: cell for cell in cells}
    for task, cell in by_task.items():
        listener.progressed(spec, task, cell.progress, cell.headline.row)

    def observe(task: str, response: Response) -> None:
        cell = by_task[task]
        cell.progress.add(response)
        cell.headline.add(response)
        listener.progressed(spec, task, cell.progress, cell.headline.row)

    plans = tuple(cell.plan for cell in cells)
    job = Job(spec, plans, {**settings.load_options, **checks.load_options}, settings.offline)
    if not open_tasks(job.plans):
        return None
    try:
        if settings.processes > 1:
            run_processes(job, settings.processes, observe, lambda told: listener.noticed(spec, told))
        else:
            run_here(job, model, observe, may_end=settings.may_end_process)
    except BudgetReachedError as reached:
        return reached.text
    return None


def _finish(spec: str, cell: _Cell, judge: TextJudge | None, sharing: Sharing) -> tuple[Scorecard, list[Failure]]:
    """Write predictions and scores of a task that is asked no more; of several processes only the first does."""
    from musebench_tasks.evaluation.files import read_scorecard
    from musebench_tasks.evaluation.read_answers import read_answers
    from musebench_tasks.evaluation.run_scores import score_folder

    place, task = cell.plan.folder, cell.data.task
    state = [sorted(journal_sizes(place).items()), None if judge is None else judge.name]
    with sharing.turn(f"{place.parent.name}/{place.name}", state) as mine:
        responses = read_responses(place)
        if mine or not (place / SCORES_FILE).is_file():
            write_predictions(place, read_answers(cell.requests, responses))
            card = score_folder(place, data=cell.data, judge=judge)
        else:
            card = read_scorecard(place / SCORES_FILE)
        ended = [responses[request.key] for request in cell.requests if request.key in responses]
        if len(ended) == len(cell.requests):
            clear_leases(place)
    for response in ended:
        cell.progress.add(response)
    return card, list(_failures(spec, task.task, ended))


def _failures(spec: str, task: str, ended: Sequence[Response]) -> Iterator[Failure]:
    counts = Counter(response.failure for response in ended if response.failure is not None)
    for status, count in sorted(counts.items()):
        example = next(response.error or "" for response in ended if response.failure is status)
        yield Failure(spec, task, status, count, example)
