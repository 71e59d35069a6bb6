"""What lm-eval and lmms-eval write beside their samples: the model, their version, how text was generated.

`results_DATE.json` or `NAME_DATE.json` (lm-eval), `DATE_results.json` (lmms-eval); in early versions `results.json`
(lm-eval) or the object around the samples (lmms-eval).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import DecodingBlock, HarnessBlock
from musebench_tasks.harnesses.logs.rows import number, part, read_json, text, whole

LM_EVAL, LMMS_EVAL = "lm_eval", "lmms_eval"
LM_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
LMMS_FILE = re.compile(r"(?P<date>\d{8}_\d{6})_samples_(?P<task>.+)\.jsonl")
UNDATED = "results.json"
"""What early versions of lm-eval call their results; so do many others."""
DRAWN = re.compile(r"[a-z0-9]{8}")
"""A name that lm-eval draws for a model without one (`random_name_id`)."""
NAMING = ("pretrained", "model", "model_version", "model_name", "model_id", "path", "engine")
"""Arguments that name a model, where the results do not, the surest first."""


class Results(NamedTuple):
    """What is known of a run of a harness."""

    harness: HarnessBlock
    model: str | None
    revision: str | None
    decoding: DecodingBlock


def results_of(harness: str, file: Path, around: dict[str, Any]) -> Results:
    """What the results that belong to a sample file tell; `around`: what stands around its samples."""
    told = {"config": part(around, "args"), "configs": {file.stem: part(around, "model_configs")}}
    if not around:
        told = _beside(harness, file)
    return Results(
        harness=_harness(harness, told),
        model=_model(harness, told),
        revision=text(part(told, "config"), "model_sha"),
        decoding=_decoding(told, file),
    )


def _beside(harness: str, file: Path) -> dict[str, Any]:
    """The results that were written with a sample file, empty where they do not lie beside it."""
    path = next((each for name in _names(harness, file) for each in sorted(file.parent.glob(name))), None)
    if path is None:
        return {}
    told = read_json(path)
    if isinstance(told, dict) and "configs" in told:
        return told
    if path.name == UNDATED:
        return {}
    raise InputError(f"{path}: is no results file of {harness}.")


def _names(harness: str, file: Path) -> tuple[str, ...]:
    """What the results of a sample file may be called."""
    found = (LM_FILE if harness == LM_EVAL else LMMS_FILE).fullmatch(file.name)
    if harness == LMMS_EVAL:
        return (f"{found['date']}_results.json",) if found else ()
    return (f"results_{found['date']}.json", f"*_{found['date']}.json") if found else (UNDATED,)


def _model(harness: str, told: dict[str, Any]) -> str | None:
    """The model's name, or the argument that names it: `pretrained=org/x,dtype=float32`, or an object of them.

    lm-eval draws a name at random where no argument names the model: that one names nothing.
    """
    arguments = part(told, "config").get("model_args")
    if isinstance(arguments, str):
        arguments = dict(each.split("=", 1) for each in arguments.split(",") if "=" in each)
    given = arguments if isinstance(arguments, dict) else {}
    named = next((found for name in NAMING if (found := text(given, name))), None)
    name = text(told, "model_name")
    is_drawn = harness == LM_EVAL and arguments is not None and named is None and DRAWN.fullmatch(name or "")
    return named if name is None or is_drawn else name


def _harness(harness: str, told: dict[str, Any]) -> HarnessBlock:
    version = text(told, f"{harness}_version")
    if version is not None and version.startswith("unknown"):
        version = None
    transformers = text(told, "transformers_version")
    return HarnessBlock(
        name=f"{harness} (samples jsonl)",
        version=version,
        git=text(told, "git_hash"),
        packages={} if transformers is None else {"transformers": transformers},
    )


def _decoding(told: dict[str, Any], file: Path) -> DecodingBlock:
    """How text was generated, by the settings of the file's task, or of the only one."""
    configs = part(told, "configs")
    found = LM_FILE.fullmatch(file.name) or LMMS_FILE.fullmatch(file.name)
    task = found["task"] if found else next(iter(configs), "") if len(configs) == 1 else ""
    settings = part(part(configs, task), "generation_kwargs")
    return DecodingBlock(
        temperature=0.0 if settings.get("do_sample") is False else number(settings, "temperature"),
        top_p=number(settings, "top_p"),
        max_tokens=whole(settings, "max_gen_toks" if "max_gen_toks" in settings else "max_new_tokens"),
    )
