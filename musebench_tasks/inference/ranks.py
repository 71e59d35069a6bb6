"""Which of several processes this one is, as its launcher tells: torchrun, accelerate or srun. Nothing else is taken
from a launcher: no process group is formed, nobody waits for anybody."""

from __future__ import annotations

import os

RANK_VARIABLES = ("RANK", "SLURM_PROCID")
LOCAL_RANK_VARIABLES = ("LOCAL_RANK", "SLURM_LOCALID", "RANK")


def own_rank() -> int:
    """This process's number among all that were launched together; 0 without a launcher."""
    return _number(RANK_VARIABLES)


def own_local_rank() -> int:
    """This process's number among those launched together on its machine; 0 without a launcher."""
    return _number(LOCAL_RANK_VARIABLES)


def leads() -> bool:
    """Whether this process speaks for all: it talks to the terminal and writes the report."""
    return own_rank() == 0


def take_device_from_launcher() -> None:
    """Let models, which choose a device by LOCAL_RANK, find it where srun tells it under another name."""
    if "SLURM_LOCALID" in os.environ:
        os.environ.setdefault("LOCAL_RANK", str(own_local_rank()))


def _number(variables: tuple[str, ...]) -> int:
    """The first of the variables that holds a number. A launcher of today goes before the job it runs in."""
    for name in variables:
        text = os.environ.get(name, "")
        if text.isdigit():
            return int(text)
    return 0
