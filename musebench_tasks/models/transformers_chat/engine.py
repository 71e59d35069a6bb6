"""Answers all prompts of a medium: from their shared beginning where that is exact, else one by one.

Sharing is given up, with the reason in every response, where the prompts share no media, where media come after the
shared part, where the model cannot be led on from a cache, where something fails on the way, and where the first
shared batch of this process does not reproduce the logits of the plain path.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal

import torch

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.problems import described, reason
from musebench_tasks.base.records import PrefixUse
from musebench_tasks.models.transformers_chat.batching import (
    LARGEST_BATCH,
    batches,
    default_budget,
    free_memory,
    is_out_of_memory,
    require_device,
)
from musebench_tasks.models.transformers_chat.cache import Prefix, shared_length
from musebench_tasks.models.transformers_chat.prefix_decode import continue_rows
from musebench_tasks.models.transformers_chat.reference_path import (
    Ask,
    NotShareableError,
    Outcome,
    Prompts,
    checked,
    deviation,
    first_logits,
    generate,
    option_shares,
    tolerance,
)
from musebench_tasks.models.transformers_chat.sampling import PromptRow, make_row

Sharing = Literal["shared", "sequential", "plain"]


class Engine:
    """A model and what was learnt about leading it on from a shared beginning."""

    def __init__(self, model: Any, *, sharing: Sharing = "shared", batch_memory_gb: float | None = None) -> None:
        self.model = model
        self.sharing = sharing
        self.most = 1 if sharing == "sequential" else LARGEST_BATCH
        """Rows of a batch at most; halved for good when memory runs out."""
        self._budget = default_budget(model) if batch_memory_gb is None else batch_memory_gb * 2**30
        self._is_proven = False
        self._unfit: str | None = None
        """Why this model is not led on from a shared beginning."""

    def answer(
        self, prompts: Prompts, asks: Sequence[Ask], wanted: Collection[int], check: Collection[int] = ()
    ) -> Iterator[Outcome]:
        """An outcome for each wanted place among the planned prompts; `asks` has an entry for every prompt.

        Those whose place is in `check` are asked again plainly, and what came of it is told with them.
        """
        if len(prompts) == 1 or self.sharing == "plain":
            yield from (self.plain(prompts, asks[place], place) for place in wanted)
            return
        open_places = set(wanted)
        ids: Sequence[Sequence[int]] | None = None
        why = self._unfit
        try:
            if why is None:
                ids = prompts.ids()
            for outcome, logits in self._shared(prompts, ids, asks, open_places) if ids is not None else ():
                if outcome.place in check and outcome.error is None:
                    self._check(prompts, asks[outcome.place], outcome, logits)
                open_places.discard(outcome.place)
                yield outcome
        except NotShareableError as problem:
            why = reason(problem)
        except MuseError:
            raise
        except Exception as problem:
            require_device(self.model, problem)
            why = described(problem)
            if ids is not None and not self._is_proven and not is_out_of_memory(problem):
                self._unfit = why
        if why is not None:
            free_memory(self.model)
        for place in sorted(open_places):
            yield self.plain(prompts, asks[place], place, reason=why)

    def plain(self, prompts: Prompts, ask: Ask, place: int, *, reason: str | None = None) -> Outcome:
        """The outcome of one prompt that is read whole; an error is an outcome too."""
        outcome = Outcome(place, prefix=PrefixUse(mode="plain", reason=reason))
        try:
            inputs = prompts.anew(place) if self.sharing == "plain" else prompts.whole(place)
            if ask.letters:
                outcome.shares = option_shares(first_logits(self.model, inputs, prompts.extras), ask.letters)
            else:
                outcome.tokens = generate(self.model, inputs, prompts.extras, ask)
        except MuseError:
            raise
        except Exception as problem:
            require_device(self.model, problem)
            outcome.error = described(problem)
        if outcome.error is not None:
            free_memory(self.model)
        return outcome

    def _shared(
        self, prompts: Prompts, ids: Sequence[Sequence[int]], asks: Sequence[Ask], wanted: Collection[int]
    ) -> Iterator[tuple[Outcome, Any]]:
        """Outcomes with their first token's logits, batch by batch."""
        rows = [make_row(self.model, place, ids[place], asks[place]) for place in range(len(prompts))]
        with torch.inference_mode():
            prefix = Prefix(self.model, prompts, shared_length(ids, prompts.media_tokens))
        waiting = list(batches(prefix, rows, self._budget, self.most))
        alone = PrefixUse(mode="shared", tokens=prefix.length)
        while waiting:
            batch = waiting.pop(0)
            if not any(row.place in wanted for row in batch):
                continue
            fresh = [row.fresh() for row in batch]
            problem = self._lead_on(prefix, fresh)
            if problem is None:
                self._prove(prompts, fresh[-1])
                yield from (
                    (_outcome(prefix, row, len(fresh)), row.first_logits) for row in fresh if row.place in wanted
                )
            elif len(batch) == 1:
                yield Outcome(batch[0].place, prefix=alone, error=problem), None
            else:
                self.most = max(1, len(batch) // 2)
                waiting = [part for each in (batch, *waiting) for part in _cut(each, self.most)]

    def _lead_on(self, prefix: Prefix, rows: Sequence[PromptRow]) -> str | None:
        """Answer the rows; what there was to say where memory ran out."""
        try:
            continue_rows(prefix, rows)
        except Exception as problem:
            if not is_out_of_memory(problem):
                raise
            said = described(problem)
        else:
            return None
        free_memory(self.model)
        return said

    def _check(self, prompts: Prompts, ask: Ask, outcome: Outcome, logits: Any) -> None:
        """Ask a request again plainly, where there is memory for it; its answer stands either way."""
        try:
            check = checked(self.model, prompts, ask, outcome, logits)
        except Exception as problem:
            if not is_out_of_memory(problem):
                raise
        else:
            outcome.prefix = outcome.prefix.model_copy(update={"check": check})

    def _prove(self, prompts: Prompts, row: PromptRow) -> None:
        """Compare one row of the first shared batch with the plain path. Raises NotShareableError where they differ."""
        if self._is_proven:
            return
        plainly = first_logits(self.model, prompts.whole(row.place), prompts.extras)
        off = deviation(row.first_logits, plainly)
        if not off <= tolerance(self.model):
            self._unfit = f"self-check: first-token logits differ from the plain path by {off:.1e} of their spread"
            raise NotShareableError(self._unfit)
        self._is_proven = True


def _outcome(prefix: Prefix, row: PromptRow, together: int) -> Outcome:
    used = PrefixUse(mode="batched" if together > 1 else "shared", tokens=prefix.length)
    if row.ask.letters:
        return Outcome(row.place, shares=option_shares(row.first_logits, row.ask.letters), prefix=used)
    return Outcome(row.place, row.new, prefix=used)


def _cut(batch: Sequence[PromptRow], size: int) -> list[list[PromptRow]]:
    return [list(batch[at : at + size]) for at in range(0, len(batch), size)]
