"""How prompts met the others of their medium: what is told of it at the end of a run.

`--verify-prefix K`: K requests of a run are asked again with their prompts read whole. Which ones is chosen by a hash
of their keys, so that they are spread over the run and the same for all its workers. Each worker checks those it comes
upon and writes what it found into the response.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.inference import TaskPlan
from musebench_tasks.inference.plan_of_task import Answered
from musebench_tasks.inference.run_folder import run_folders
from musebench_tasks.models import Model, model_slug
from musebench_tasks.models.transformers_chat.asking import NO_SHARED_MEDIA
from musebench_tasks.records import PrefixCheck, PrefixUse

_TELLING = b'"check":{'
"""What the journal line of a checked response holds."""
_WHOLE = b'"mode":"plain","reason":'
"""What the line of one holds whose prompt was read whole although sharing was tried."""
NOTHING_OPEN = (
    "no open request shares its medium with another, so that --verify-prefix has nothing to check; "
    "where all are answered, another --out asks anew"
)
NOTHING_SHARED = "reads no prompts in this process, so that --verify-prefix has nothing to check"
READ_WHOLE = "reads every prompt whole, so that --verify-prefix has nothing to check; leave --prefix plain out"


def keys_to_check(plans: Sequence[TaskPlan], count: int) -> tuple[str, ...]:
    """Keys of `count` requests that are open and share a medium with others, those with the lowest hashes."""
    open_keys = set()
    for plan in plans:
        answered = Answered(plan)
        groups = [group for unit in plan.units for group in unit.groups if group[0].parts]
        for keys in ({request.key for request in group} for group in groups):
            open_keys |= {key for key in keys if key not in answered and len(keys) > 1}
    return tuple(sorted(open_keys, key=lambda key: (hashlib.sha256(key.encode()).hexdigest(), key))[:count])


def begin(model: Model, plans: Sequence[TaskPlan], count: int, notice: Callable[[str], None]) -> dict[str, Any]:
    """Have `model` check `count` requests; keyword arguments with which workers load it. `notice` is told why not."""
    if not count:
        return {}
    prefix = getattr(model, "prefix", None)
    keys = keys_to_check(plans, count)
    if prefix in (None, "plain") or not keys:
        notice(NOTHING_SHARED if prefix is None else READ_WHOLE if prefix == "plain" else NOTHING_OPEN)
        return {}
    model.verify_keys = frozenset(keys)  # type: ignore[attr-defined]
    return {"verify_keys": keys}


def prefix_lines(run: Path, models: Sequence[str]) -> Iterator[tuple[str, str]]:
    """TASK · MODEL and a text: what checks in the journals of `run` found, and why prompts were read whole."""
    names = {model_slug(model): model for model in models}
    for folder in run_folders(run):
        if folder.parent.name in names:
            where = f"{folder.name} · {names[folder.parent.name]}"
            uses = list(_uses(folder))
            checks = [use.check for use in uses if use.check is not None]
            if checks:
                yield where, _told(checks)
            reasons = Counter(use.reason for use in uses if use.reason and use.reason != NO_SHARED_MEDIA)
            for reason, count in sorted(reasons.items()):
                yield where, f"{count} {'prompt' if count == 1 else 'prompts'} read whole, which takes longer: {reason}"


def _told(checks: Sequence[PrefixCheck]) -> str:
    is_warning = any(check.answer_changed or not check.is_exact for check in checks)
    changed = sum(check.answer_changed for check in checks)
    known = [check.logit_difference for check in checks if check.logit_difference is not None]
    difference = f"logits differ by at most {max(known):.1e}" if known else "logits not compared"
    requests = "request" if len(checks) == 1 else "requests"
    answers = "answer" if changed == 1 else "answers"
    told = f"{len(checks)} {requests} asked again plainly: {difference}, {changed or 'no'} {answers} changed"
    if not is_warning:
        return told
    return f"{told}. Ask with --prefix plain and another --out for answers that owe nothing to shared beginnings."


def _uses(folder: Path) -> Iterator[PrefixUse]:
    """What telling lines of the journals say, once a request."""
    seen = set()
    for path in sorted((folder / "responses").glob("worker-*.jsonl")):
        with path.open("rb") as file:
            for raw in file:
                if raw.endswith(b"\n") and (_TELLING in raw or _WHOLE in raw):
                    line = json.loads(raw)
                    if line["key"] not in seen and line.get("prefix"):
                        seen.add(line["key"])
                        yield PrefixUse.model_validate(line["prefix"])
