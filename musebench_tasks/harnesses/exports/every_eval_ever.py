"""Every Eval Ever 0.3.0: an aggregate record of a run's scores, and a record for each score of each answer.

Files lie where its data store wants them, `data/BENCHMARK/DEVELOPER/MODEL/UUID.json` and `UUID_samples.jsonl`.
Free-form values are text there; coverage, answered and refusal rate stand beside every score. The UUID has the form of
version 4 and is made of the record's SHA-256, so that the same run gives the same files.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from musebench_tasks.base.files import folder_name, write_text
from musebench_tasks.base.records import Counts, Scorecard, ScoreRow, Status, canonical_json
from musebench_tasks.evaluation.metrics.registry import number_of
from musebench_tasks.harnesses.exports.samples import Exported, result_id, sample_records
from musebench_tasks.items.locate import HUB_IDS, local_directory
from musebench_tasks.version import __version__

SCHEMA = "0.3.0"
RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
"""What whoever evaluated may be to the model."""
OWN = "musebench-tasks"
NOBODY = "undisclosed"
"""The developer of a model whose name tells none."""
OWN_MODELS = ("random", "dsp", "dsp:paper")
PREFIXES = ("transformers", "openai", "python", "command", "replay")
LOWER_IS_BETTER = ("accuracy_sd", "flip_rate", "position_bias.", "brier", "calibration_error")


@dataclass(frozen=True)
class Publisher:
    """What no file of a run tells."""

    organization: str = "unknown"
    relationship: str = "other"
    date_s: int = 0
    """When the answers were written, in seconds since 1970."""
    retry_rate: float | None = None
    """Share of requests that needed more than one attempt; None where the journals are not here."""
    with_gold: bool = False
    """Whether sample records may say what is right."""


def write_every_eval_ever(exported: Exported, folder: Path, publisher: Publisher) -> Path:
    """Write both files below `folder`; the aggregate record's path."""
    identity = model_id(exported)
    record = _aggregate(exported, identity, publisher)
    lines = [canonical_json(each) for each in sample_records(exported, identity, record, publisher.with_gold)]
    samples = "".join(f"{line}\n" for line in lines)
    content = canonical_json(record) + samples
    name = str(uuid.UUID(bytes=hashlib.sha256(content.encode()).digest()[:16], version=4))
    place = f"data/{folder_name(exported.config.benchmark.name)}/{identity}/{name}"
    record["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": f"{place}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(samples.encode()).hexdigest(),
        "total_rows": len(lines),
    }
    path = folder / f"{place}.json"
    write_text(folder / f"{place}_samples.jsonl", samples)
    write_text(path, json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    return path


def model_id(exported: Exported) -> str:
    """DEVELOPER/MODEL: the last two parts of the system's name, without our prefixes and a server's address."""
    name = exported.config.system.name
    kind, found, rest = name.partition(":")
    if found and kind in PREFIXES:
        name = rest.partition("@")[0] if kind == "openai" else rest
    parts = [folder_name(part) for part in name.split("/") if part.strip(". ")]
    if len(parts) > 1 and not name.startswith("/"):
        return "/".join(parts[-2:])
    provider = exported.config.system.provider
    developer = folder_name(provider) if provider else OWN if name in OWN_MODELS else NOBODY
    return f"{developer}/{parts[-1] if parts else NOBODY}"


def _aggregate(exported: Exported, identity: str, publisher: Publisher) -> dict[str, Any]:
    config = exported.config
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{config.task}/{identity}/{publisher.date_s}",
        "retrieved_timestamp": str(publisher.date_s),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": publisher.organization,
            "evaluator_relationship": publisher.relationship,
        },
        "eval_library": {
            "name": config.harness.name,
            "version": config.harness.version or "unknown",
            "additional_details": _texts(
                {"scorer": f"{OWN} {__version__}", "scorer_version": exported.card.scorer_version}
            ),
        },
        "model_info": _model_info(exported, identity),
        "evaluation_results": list(_results(exported, publisher)),
    }


def _model_info(exported: Exported, identity: str) -> dict[str, Any]:
    system, weights = exported.config.system, (exported.config.system.weights or "").casefold()
    here = system.name in OWN_MODELS or system.name.partition(":")[0] in ("transformers", "python")
    known = {"open": "open_weights", "closed": "closed_weights", "proprietary": "closed_weights"}
    return {
        "name": system.name,
        "id": identity,
        "additional_details": {
            "deployment_type": "self_deployed" if here else "unknown",
            "model_availability": next((told for word, told in known.items() if weights.startswith(word)), "unknown"),
            **_texts(
                {
                    "type": system.type,
                    "revision": system.revision,
                    "tier": system.tier,
                    "size": system.size,
                    "quantization": system.quantization,
                    "track": exported.config.protocol.track,
                    "tools": ", ".join(exported.config.protocol.tools),
                    "modalities": "+".join(exported.config.media.modalities or ()),
                    "audio_route": exported.card.audio_route,
                    "truncation": exported.card.truncation,
                }
            ),
        },
    }


def _results(exported: Exported, publisher: Publisher) -> Iterator[dict[str, Any]]:
    source, settings = _source(exported), _generation(exported)
    for row in exported.card.scores:
        if row.value is None:
            continue
        lowest, highest = number_of(row.metric).bounds
        name, identity = exported.config.task, result_id(row.metric, row.version, row.condition)
        if row.slice is not None:
            name, identity = f"{name} · {row.slice} {row.slice_value}", f"{identity}:{row.slice}={row.slice_value}"
        yield {
            "evaluation_result_id": identity,
            "evaluation_name": name,
            "source_data": source,
            "metric_config": {
                "metric_id": row.metric if row.metric == "accuracy" else f"musebench.{row.metric}",
                "metric_name": row.metric,
                "metric_parameters": {"version": row.version, "condition": str(row.condition)},
                "lower_is_better": row.metric.startswith(LOWER_IS_BETTER),
                "score_type": "continuous",
                "min_score": lowest,
                "max_score": highest if isfinite(highest) else "Infinity",
            },
            "score_details": {
                "score": row.value,
                "details": _texts(_details(exported.card, row, publisher)),
                "uncertainty": _uncertainty(row),
            },
            "generation_config": settings,
        }


def _details(card: Scorecard, row: ScoreRow, publisher: Publisher) -> dict[str, Any]:
    """Text beside a score: how many requests it stands on and how they ended, over the whole condition."""
    count = next((each for each in card.counts if each.condition is row.condition and each.field is None), None)
    told: dict[str, Any] = {
        "condition": str(row.condition),
        "n": row.n,
        "n_clusters": row.n_clusters,
        "retry_rate": publisher.retry_rate,
        "note": row.note,
    }
    if count is not None and count.planned:
        told |= {"planned": count.planned, "coverage": count.coverage, "answered": count.answered}
        told["refusal_rate"] = _rate(count, Status.REFUSED)
        told |= {f"rate_{status}": _rate(count, Status(status)) for status in count.statuses}
    return told


def _rate(count: Counts, status: Status) -> float:
    return count.statuses.get(status.value, 0) / count.planned


def _uncertainty(row: ScoreRow) -> dict[str, Any]:
    told: dict[str, Any] = {"num_samples": row.n}
    if row.standard_error is not None:
        told["standard_error"] = {"value": row.standard_error, "method": "clustered by medium"}
    if row.interval is not None:
        told["confidence_interval"] = {
            "lower": row.interval.low,
            "upper": row.interval.high,
            "confidence_level": 0.95,
            "method": row.interval.method,
        }
        if row.interval.draws is not None:
            told["num_bootstrap_samples"] = row.interval.draws
    return told


def _source(exported: Exported) -> dict[str, Any]:
    asked, path = exported.config.benchmark, exported.task.dataset_path
    hub_id = HUB_IDS.get(path) or path if local_directory(exported.task) is None else None
    where = {"source_type": "other"}
    if hub_id is not None:
        where = {"source_type": "hf_dataset", "hf_repo": hub_id, "hf_split": asked.split}
    return {
        "dataset_name": asked.name,
        **where,
        "additional_details": _texts(
            {
                "version": asked.version,
                "split": asked.split,
                "data_sha256": asked.data_sha256,
                "references_sha256": exported.card.hashes.references_sha256,
                "selection": asked.selection or "all",
            }
        ),
    }


def _generation(exported: Exported) -> dict[str, Any]:
    decoding, protocol = exported.config.decoding, exported.config.protocol
    known = {"temperature": decoding.temperature, "top_p": decoding.top_p, "max_tokens": decoding.max_tokens}
    return {
        "generation_args": {name: value for name, value in known.items() if value is not None},
        "additional_details": _texts(
            {
                "answering": decoding.answering,
                "seed": decoding.seed,
                "reasoning": decoding.reasoning,
                "prompt": exported.config.prompt.id,
                "prompt_sha256": exported.config.prompt.sha256,
                "runs": protocol.runs,
                "option_order": protocol.option_order,
                "order_seed": protocol.seed,
            }
        ),
    }


def _texts(told: Mapping[str, Any]) -> dict[str, str]:
    """What is known, as text."""
    known = {name: value for name, value in told.items() if value not in (None, "")}
    return {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in known.items()}
