"""The metrics that a task may name: their versions and the kinds of item they are defined for.

Light on purpose: the formulas live in `scoring`, which listing tasks must not import.
"""

from typing import NamedTuple

from musebench_tasks.base.records import Kind

CHOICE_KINDS = frozenset({Kind.SINGLE, Kind.MULTI})
MUSIC_KINDS = frozenset({Kind.MUSIC})


class Metric(NamedTuple):
    """What a task file may say about one metric."""

    kinds: frozenset[Kind]
    versions: tuple[str, ...] = ("1",)
    """Known versions, the default first."""
    field: str | None = None
    """The music field it scores."""


METRICS: dict[str, Metric] = {
    "accuracy": Metric(CHOICE_KINDS),
    # Chance adjustment needs one right option among K (statistics.md 2.1): single-select only.
    "caa": Metric(frozenset({Kind.SINGLE})),
    # On single-select items exact match is accuracy and sets have one element (MB-52, MB-53).
    "exact_match": Metric(frozenset({Kind.MULTI})),
    "set_f1": Metric(frozenset({Kind.MULTI})),
    "option_probabilities": Metric(frozenset({Kind.SINGLE})),
    "choice_consistency": Metric(CHOICE_KINDS),
    "position_bias": Metric(frozenset({Kind.SINGLE})),
    "mub_tempo": Metric(MUSIC_KINDS, ("acc1/1", "acc2/1"), "tempo"),
    "mub_key": Metric(
        MUSIC_KINDS,
        (
            "symmetric/2",
            "exact/1",
            "mirex_symmetric/1",
            "mirex_ascending/1",
            "legacy_directional_a/1",
            "legacy_directional_b/1",
        ),
        "key",
    ),
    "mub_time_signature": Metric(MUSIC_KINDS, ("accuracy/1",), "time_signature"),
    "mub_segments": Metric(MUSIC_KINDS, ("iou_f1/1",), "segments"),
}


def default_version(metric: str) -> str:
    """The version that stands where a task names none."""
    return METRICS[metric].versions[0]
