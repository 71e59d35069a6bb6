"""Leads several prompts on from their shared beginning: side by side in one row, or as rows of equal length.

Side by side (full attention): the prompts' own tokens follow the beginning in one row, each seeing the beginning and
itself only; the beginning lies in memory once. As rows: the cache is repeated; no row is padded, since padding would
fill sliding windows and recurrent states.
"""

from collections.abc import Sequence
from typing import Any

import torch

from musebench_tasks.models.transformers_chat.cache import Prefix
from musebench_tasks.models.transformers_chat.reference_path import NOT_NUMBERS, NotShareableError
from musebench_tasks.models.transformers_chat.sampling import PromptRow, choose

BEGINNING = -1
"""Owner of the tokens that every row sees."""


def continue_rows(prefix: Prefix, rows: Sequence[PromptRow]) -> None:
    """Read what is each row's own and choose its tokens until all have ended."""
    with torch.inference_mode():
        if len(rows) > 1 and prefix.takes_any_mask:
            _side_by_side(prefix, rows)
        else:
            _stacked(prefix, rows)


def _side_by_side(prefix: Prefix, rows: Sequence[PromptRow]) -> None:
    device = prefix.model.device
    own = [len(row.ids) - prefix.length for row in rows]
    parts = [_read_own(prefix, part) for part in _parts(rows, own, prefix.own_at_once)]
    if all(row.ended for row in rows):
        return
    cache = prefix.fork(room=sum(own) + sum(row.tokens_to_come for row in rows))
    for part in parts:
        prefix.append(cache, part)
    del parts
    owner = torch.cat([torch.full((prefix.length,), BEGINNING), _readers(own)])
    while going := [at for at, row in enumerate(rows) if not row.ended]:
        reader = torch.tensor(going)
        owner = torch.cat([owner, reader])
        mask = (owner == BEGINNING) | (owner == reader[:, None])
        ids = torch.tensor([[rows[at].new[-1] for at in going]])
        positions = torch.tensor([[prefix.positions.start + own[at] + len(rows[at].new) - 1 for at in going]])
        every = torch.arange(len(going))
        logits = prefix.forward(cache, ids.to(device), positions.to(device), mask[None, None].to(device), every)[0]
        choose([rows[at] for at in going], logits.float())


def _read_own(prefix: Prefix, rows: Sequence[PromptRow]) -> list[tuple[Any, Any] | None]:
    """Read what is each row's own, choose its first token; the states of these tokens."""
    device = prefix.model.device
    own = [row.ids[prefix.length :] for row in rows]
    sizes = [len(each) for each in own]
    cache = prefix.fork(room=sum(sizes))
    reader = _readers(sizes)
    owner = torch.cat([torch.full((prefix.length,), BEGINNING), reader])
    columns = torch.arange(len(owner))
    seen = (owner == BEGINNING) | (owner == reader[:, None])
    mask = seen & (columns <= columns[prefix.length :, None])
    last = torch.tensor(sizes).cumsum(0) - 1
    positions = torch.cat([prefix.positions.own(size) for size in sizes])
    ids = torch.tensor([[token for each in own for token in each]])
    logits = prefix.forward(cache, ids.to(device), positions[None].to(device), mask[None, None].to(device), last)
    _start(rows, logits[0])
    return prefix.own_states(cache)


def _readers(sizes: Sequence[int]) -> Any:
    """Of each token the number of the row whose own it is."""
    return torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))


def _parts(rows: Sequence[PromptRow], sizes: Sequence[int], at_once: int) -> list[list[PromptRow]]:
    """Rows in order, cut where a part would hold more than `at_once` tokens; a longer row is a part of its own."""
    parts: list[list[PromptRow]] = [[]]
    held = 0
    for row, size in zip(rows, sizes, strict=True):
        if parts[-1] and held + size > at_once:
            parts.append([])
            held = 0
        parts[-1].append(row)
        held += size
    return parts


def _stacked(prefix: Prefix, rows: Sequence[PromptRow]) -> None:
    device = prefix.model.device
    own = torch.tensor([row.ids[prefix.length :] for row in rows], device=device)
    cache = prefix.fork(own.shape[1] + rows[0].tokens_to_come) if len(rows) == 1 else prefix.forks(len(rows))
    length = prefix.length + own.shape[1]
    positions = prefix.positions.own(own.shape[1]).expand(len(rows), -1).to(device)
    mask = torch.ones((len(rows), length), dtype=torch.long, device=device)
    last = torch.tensor([own.shape[1] - 1])
    _start(rows, prefix.forward(cache, own, positions, mask, last)[:, 0])
    while not all(row.ended for row in rows):
        going = [row for row in rows if not row.ended]
        ids = torch.tensor([[row.new[-1] if row.new else row.ids[-1]] for row in rows], device=device)
        positions = positions[:, -1:] + 1
        length += 1
        mask = torch.ones((len(rows), length), dtype=torch.long, device=device)
        logits = prefix.forward(cache, ids, positions, mask, torch.tensor([0]))[:, 0]
        choose(going, logits[[at for at, row in enumerate(rows) if not row.ended]].float())


def _start(rows: Sequence[PromptRow], logits: Any) -> None:
    """Take the first token's logits (rows, vocabulary), and the first token of rows that want one.

    Raises NotShareableError where they are no numbers: the plain path says of which prompt. To draw by them would end a
    GPU's work for the whole process.
    """
    logits = logits.float()
    if logits.isnan().any():
        raise NotShareableError(NOT_NUMBERS)
    for row, own in zip(rows, logits, strict=True):
        row.first_logits = own
    going = [at for at, row in enumerate(rows) if not row.ended]
    if going:
        choose([rows[at] for at in going], logits[going])
