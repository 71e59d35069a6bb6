"""How prompts met the others of their medium: what is told of it at the end of a run.

`--verify-prefix K`: K requests of each model are asked again with their prompts read whole. Which ones is chosen by a
hash of their keys, so that they are spread over the run and the same for all its workers. Each worker checks those it
comes upon and writes what it found into the response.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from musebench_tasks.base.records import PrefixCheck, PrefixUse, Response
from musebench_tasks.base.records.answers import NO_SHARED_MEDIA
from musebench_tasks.base.text import counted
from musebench_tasks.inference import TaskPlan, read_responses
from musebench_tasks.inference.asking import answers_in
from musebench_tasks.inference.run_folder import run_folders
from musebench_tasks.inference.task_plan import Answered
from musebench_tasks.models import Model, model_slug

_TELLING = b'"check":{'
"""What the journal line of a checked response holds."""
_WHOLE = b'"mode":"plain","reason":'
"""What the line of one holds whose prompt was read whole although sharing was tried."""
NOTHING_SHARED = "--verify-prefix has no object: the model reads no prompts in this process"
READ_WHOLE = "--verify-prefix has no object: the model's card has every prompt read whole"


@dataclass(frozen=True)
class Checks:
    """What `--verify-prefix` wants of one model, decided before anything is asked."""

    model: str
    wanted: int
    keys: tuple[str, ...] = ()
    """Keys of the requests that are to be asked again."""
    idle: str | None = None
    """Why the model has nothing that could be checked, whatever is asked."""
    fewer: str = ""
    """Where `keys` are fewer than wanted, what became of the others."""
    before: frozenset[str] = frozenset()
    """Keys whose checks stood in the run's journals already."""

    @property
    def load_options(self) -> dict[str, Any]:
        """Keyword arguments with which workers load the model."""
        return {"verify_keys": self.keys} if self.keys else {}


def begin(spec: str, model: Model, plans: Sequence[TaskPlan], wanted: int) -> Checks:
    """Choose what is asked again, and tell `model`."""
    prefix = getattr(model, "prefix", None)
    if not wanted or prefix in (None, "plain"):
        return Checks(spec, wanted, idle=NOTHING_SHARED if prefix is None else READ_WHOLE)
    keys, fewer = choose(plans, wanted)
    model.verify_keys = frozenset(keys)  # type: ignore[attr-defined]
    before = (key for plan in plans for key, use in _uses(plan.folder) if use.check is not None)
    return Checks(spec, wanted, keys, fewer=fewer, before=frozenset(before))


def choose(plans: Sequence[TaskPlan], wanted: int) -> tuple[tuple[str, ...], str]:
    """Keys of `wanted` requests that will be asked and share a medium with others, those with the lowest hashes.

    And where they are fewer, what became of the others.
    """
    every, still_open, sharing, copied = set[str](), set[str](), set[str](), set[str]()
    for plan in plans:
        answered = Answered(plan)
        groups = [(group, {each.key for each in group}) for unit in plan.units for group in unit.groups]
        every |= {key for _, keys in groups for key in keys}
        still_open |= {key for _, keys in groups for key in keys if key not in answered}
        sharing |= {key for group, keys in groups if group[0].parts and len(keys) > 1 for key in keys}
        copied |= answers_in(plan.reuse).keys()
    able = (still_open & sharing) - copied
    keys = sorted(able, key=lambda key: (hashlib.sha256(key.encode()).hexdigest(), key))[:wanted]
    left_out = {
        "answered before": len(every - still_open),
        "answered in another run or task": len(still_open & copied),
        "sharing no medium with others": len(still_open - sharing - copied),
    }
    told = ", ".join(f"{count} {how}" for how, count in left_out.items() if count)
    return tuple(keys), "" if len(
        keys
    ) == wanted else f"of {len(every)} in all: {told}" if told else f"{len(every)} in all"


def prefix_lines(run: Path, models: Sequence[str], wanted: Sequence[Checks] = ()) -> Iterator[tuple[str, str]]:
    """TASK · MODEL, or MODEL, and a text: what the checks of this run found, and why prompts were read whole."""
    folders = {model: [each for each in run_folders(run) if each.parent.name == model_slug(model)] for model in models}
    for checks in wanted:
        if checks.wanted:
            yield from ((checks.model, text) for text in _told_of(checks, folders.get(checks.model, [])))
    for model, places in folders.items():
        for folder in places:
            reasons = Counter(use.reason for _, use in _uses(folder) if use.reason and use.reason != NO_SHARED_MEDIA)
            for reason, count in sorted(reasons.items()):
                yield f"{folder.name} · {model}", f"{counted(count, 'prompt')} read whole, which takes longer: {reason}"


def _told_of(checks: Checks, folders: Sequence[Path]) -> Iterator[str]:
    """How many of the wanted requests were asked again, why not all, and what came of it."""
    if checks.idle is not None:
        yield checks.idle
        return
    found = {key: use.check for folder in folders for key, use in _uses(folder) if use.check is not None}
    new = [check for key, check in found.items() if key not in checks.before]
    unchecked = [key for key in checks.keys if key not in found]
    why = "; ".join(each for each in (checks.fewer, _why_unchecked(unchecked, folders)) if each)
    told = f"{len(new)} of {checks.wanted} requests asked again plainly{f' ({why})' if why else ''}"
    yield f"{told}: {_difference(new)}" if new else told
    earlier = [check for key, check in found.items() if key in checks.before]
    if earlier:
        yield f"{len(earlier)} asked again before, when this run was begun: {_difference(earlier)}"


def _why_unchecked(keys: Sequence[str], folders: Sequence[Path]) -> str:
    """What became of requests that were to be asked again and were not."""
    if not keys:
        return ""
    ended = {key: response for folder in folders for key, response in read_responses(folder).items()}
    counts = Counter(_fate(ended.get(key)) for key in keys)
    return ", ".join(f"{count} {fate}" for fate, count in counts.items())


def _fate(response: Response | None) -> str:
    if response is None:
        return "not asked yet"
    if response.failure is not None:
        return "without an answer"
    if response.prefix is None or response.prefix.mode == "plain":
        return "read whole in the first place"
    return "not asked again, for lack of memory"


def _difference(checks: Sequence[PrefixCheck]) -> str:
    is_warning = any(check.answer_changed or not check.is_exact for check in checks)
    changed = sum(check.answer_changed for check in checks)
    known = [check.logit_difference for check in checks if check.logit_difference is not None]
    difference = f"logits differ by at most {max(known):.1e}" if known else "logits not compared"
    told = f"{difference}, {changed or 'no'} {'answer' if changed == 1 else 'answers'} changed"
    if not is_warning:
        return told
    return f"{told}. Ask with --prefix plain and another --out for answers that owe nothing to shared beginnings."


def _uses(folder: Path) -> Iterator[tuple[str, PrefixUse]]:
    """What telling lines of the journals say, once a request."""
    seen = set()
    for path in sorted((folder / "responses").glob("worker-*.jsonl")):
        with path.open("rb") as file:
            for raw in file:
                if raw.endswith(b"\n") and (_TELLING in raw or _WHOLE in raw):
                    line = json.loads(raw)
                    if line["key"] not in seen and line.get("prefix"):
                        seen.add(line["key"])
                        yield line["key"], PrefixUse.model_validate(line["prefix"])
