"""The device that a model lies on: memory given back, and whether it still does anything at all.

After an assertion that failed in one of its kernels, or an access out of bounds, a GPU refuses everything that this
process asks of it: every further request would fail in an instant.
"""

from typing import Any

import torch

from musebench_tasks.base.errors import DeviceLostError
from musebench_tasks.models.transformers_chat.batching import is_out_of_memory


def free_memory(model: Any) -> None:
    """Give back what a failed attempt held."""
    if model.device.type == "cuda":
        torch.cuda.empty_cache()


def require_device(model: Any, problem: Exception) -> None:
    """Raises DeviceLostError where `problem` left the model without its device."""
    if is_lost(model.device):
        told = str(problem).partition("\n")[0].rstrip(".")
        raise DeviceLostError(
            f"{model.device} failed ({told}) and does nothing more in this process. Everything answered is kept; "
            "give the same command again to go on."
        ) from problem


def is_lost(device: Any) -> bool:
    """Whether not even one number can be worked out on the device, though it has memory."""
    if device.type == "cpu":
        return False
    try:
        torch.ones(1, device=device).sum().item()
    except Exception as problem:
        return not is_out_of_memory(problem)
    return False
