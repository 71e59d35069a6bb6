"""Which prompts go together: by the plan alone, within a memory budget, halved when memory runs out.

Batches are made from all planned prompts of a medium, not from those still open: a run that was stopped and goes on
makes the same batches, hence the same last bits.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from musebench_tasks.base.errors import DeviceLostError
from musebench_tasks.models.transformers_chat.cache import Prefix
from musebench_tasks.models.transformers_chat.sampling import PromptRow

LARGEST_BATCH = 32
CPU_BATCH_BYTES = 2 << 30
GPU_BATCH_SHARE = 0.5
_LOGIT_BYTES = 4
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "status_alloc_failed")


def batches(prefix: Prefix, rows: Sequence[PromptRow], budget: float, most: int) -> Iterator[list[PromptRow]]:
    """Rows in plan order, cut where the budget in bytes or `most` is reached; stacked rows are of one length."""
    if prefix.takes_any_mask:
        groups = [list(rows)]
    else:
        by_length: dict[int, list[PromptRow]] = {}
        for row in rows:
            by_length.setdefault(len(row.ids), []).append(row)
        groups = list(by_length.values())
    for group in groups:
        batch: list[PromptRow] = []
        for row in group:
            if batch and (len(batch) >= most or batch_bytes(prefix, [*batch, row]) > budget):
                yield batch
                batch = []
            batch.append(row)
        yield batch


def batch_bytes(prefix: Prefix, rows: Sequence[PromptRow]) -> float:
    """Memory that leading `rows` on together takes at most, in bytes."""
    own = [len(row.ids) - prefix.length for row in rows]
    to_come = [row.tokens_to_come for row in rows]
    logits = (len(rows) if prefix.keeps_few_logits else sum(own)) * prefix.vocabulary * 2 * _LOGIT_BYTES
    if prefix.takes_any_mask:
        led_on = prefix.length + sum(own) + sum(to_come)
        together = min(sum(own), prefix.own_at_once + max(own))
        read = prefix.length + together + sum(own)
        mask = together * (prefix.length + together) * _LOGIT_BYTES
        return max(led_on + sum(own), read) * prefix.token_bytes + led_on * prefix.widened_bytes + mask + logits
    return len(rows) * (prefix.bytes + (own[0] + max(to_come)) * prefix.token_bytes) + logits


def default_budget(model: Any) -> float:
    """Bytes that a batch may take: half of what the weights leave of a GPU; 2 GiB on a CPU.

    Not what is free at the moment: the same device gets the same batches.
    """
    device = model.device
    if device.type != "cuda":
        return CPU_BATCH_BYTES
    import torch

    weights = sum(each.numel() * each.element_size() for each in model.parameters() if each.device == device)
    left = float(torch.cuda.get_device_properties(device).total_memory - weights)
    return GPU_BATCH_SHARE * max(0.0, left)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, as torch, drivers and Python say it."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _OUT_OF_MEMORY)


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
