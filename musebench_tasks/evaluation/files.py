"""Reads what the scorer wrote."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Scorecard


def read_scorecard(file: Path) -> Scorecard:
    """One scores.json of a MODEL/TASK folder."""
    try:
        return Scorecard.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as problem:
        raise InputError(f"{file}: not a scorecard of this version. Make it again with `musebench score`.") from problem
