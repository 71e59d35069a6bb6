"""Position bias of single-select items: whether answers follow the place of an option."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from musebench_tasks.base.records import LETTERS, Kind
from musebench_tasks.evaluation.cases import Case, as_cases
from musebench_tasks.evaluation.measurement import Measurement, mean_over_items, plain_number
from musebench_tasks.evaluation.metrics.record import Definition, Measure, Number
from musebench_tasks.statistics.bias import position_bias

NOBODY: frozenset[str] = frozenset()


def bias(cases: Sequence[Case]) -> list[Measurement]:
    """Position bias on single-select items (MB-58): shares over answers that were read, recalls over all items."""
    single = as_cases(cases).of_kind(Kind.SINGLE)
    parsed = [case for case in single if case.chosen]
    first = np.array(
        [(case.shown[0] in (case.chosen or NOBODY)) - (case.shown[0] in case.gold) for case in parsed], float
    )
    rows = [mean_over_items("position_bias.excess_first", "1", parsed, first, binary=False, bounds=(-1.0, 1.0))]
    if single:
        whole = position_bias(
            [_letter(case, case.chosen) for case in single],
            [_letter(case, case.gold) or "" for case in single],
            [len(case.shown) for case in single],
        )
        everyone = mean_over_items("accuracy", "1", single, single.hits)
        rows += [
            plain_number("position_bias.rstd", "1", whole.rstd, everyone),
            plain_number("position_bias.jsd_bits", "1", whole.jsd_bits, rows[0]),
        ]
    return rows


def _letter(case: Case, options: frozenset[str] | None) -> str | None:
    """The place of a single option as a letter; None where there is none."""
    return LETTERS[case.shown.index(next(iter(options)))] if options else None


MEASURES = (
    Measure(
        "position_bias",
        bias,
        (
            Number("position_bias.excess_first", bounds=(-1.0, 1.0)),
            Number("position_bias.rstd", bounds=(0.0, inf)),
            Number("position_bias.jsd_bits"),
        ),
        "Choice questions",
        (
            Definition(
                "Position bias",
                ("position_bias.excess_first/1", "position_bias.rstd/1", "position_bias.jsd_bits/1"),
                position_bias,
            ),
        ),
        has_baselines=False,
    ),
)
