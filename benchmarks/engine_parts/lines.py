"""What the parts of the engine's benchmark share: lines of the table, CPU seconds, a process for each part."""

from __future__ import annotations

import os
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "TORCH_NUM_THREADS"), "1"
)
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}


class Line(NamedTuple):
    """One line of the table."""

    what: str
    ours: str
    peer: str
    theirs: str
    measured: float
    unit: str
    """times (at least), at most, or note (nothing is promised)."""
    target: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the target is reached; a note always is."""
        if self.target is None:
            return True
        return self.measured <= self.target if self.unit == "at most" else self.measured >= self.target


def print_line(line: Line) -> None:
    number = f"{line.measured:.2f}" if line.measured < 1000 else f"{line.measured:.0f}"
    wanted = "" if line.target is None else f"{'at most' if line.unit == 'at most' else 'target'} {line.target:g}"
    missed = "" if line.is_met else "  missed"
    print(f"  {line.what:<44} {line.ours:>12}   {line.peer:<30} {line.theirs:>12} {number:>9}   {wanted}{missed}")


def children_cpu_s() -> float:
    """CPU seconds of all processes that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of(work: Callable[[], Any], extra: Callable[[], float] = lambda: 0.0) -> float:
    """CPU seconds of this process while `work` runs, and what `extra` counts up beside it."""
    before, beside = time.process_time(), extra()
    work()
    return time.process_time() - before + extra() - beside


def paired(first: Callable[[], float], second: Callable[[], float], pairs: int) -> tuple[float, float, float]:
    """Medians of both and of their ratio first/second, measured in turns: each pair begins with the other one."""
    found: list[tuple[float, float]] = []
    for number in range(pairs):
        if number % 2:
            late = second()
            found.append((first(), late))
        else:
            found.append((first(), second()))
    ours, theirs = zip(*found, strict=True)
    return statistics.median(ours), statistics.median(theirs), statistics.median(a / b for a, b in found)


def seconds(value: float) -> str:
    return f"{value:.3f} s" if value < 10 else f"{value:.1f} s"


def single_threaded() -> None:
    """Torch on one thread, for processes that have it."""
    import torch

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)


def environment(**more: str) -> dict[str, str]:
    """The environment of a measured process: one thread a library, nothing from the network."""
    return {
        **os.environ,
        **ONE_THREAD,
        **OFFLINE,
        "PYTHONWARNINGS": "ignore",
        "TOKENIZERS_PARALLELISM": "false",
        **more,
    }
