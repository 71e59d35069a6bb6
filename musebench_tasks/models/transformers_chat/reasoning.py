"""What a model writes before its answer, taken apart from the answer: by tokens, never by looking for words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from musebench_tasks.models.transformers_chat.families import Thinking


@dataclass(frozen=True)
class Told:
    """Generated tokens, read."""

    answer: str
    finish_reason: str
    """`stop` where the model ended its answer itself, `length` where a budget did."""
    reasoning: str | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True)
class Budget:
    """Tokens that a request may take."""

    answer: int
    reasoning: int = 0
    """0 = reasoning was not asked for, and what there is counts as part of the answer's budget."""

    @property
    def tokens(self) -> int:
        """All together."""
        return self.answer + self.reasoning


class Reader:
    """Reads the tokens of one checkpoint."""

    def __init__(self, tokenizer: Any, thinking: Thinking | None, end_tokens: int | Sequence[int] | None) -> None:
        self._tokenizer = tokenizer
        self._thinking = thinking
        ends = end_tokens if isinstance(end_tokens, Sequence) else [end_tokens]
        self._ends = {each for each in ends if each is not None}
        marks = (thinking.start, thinking.end) if thinking else ()
        self._marks = tuple(int(tokenizer.convert_tokens_to_ids(mark)) for mark in marks)

    def read(self, prompt: Sequence[int], new: Sequence[int], budget: Budget) -> Told:
        """Answer and reasoning of the tokens `new` that followed `prompt`.

        What stands within the reasoning is no answer, also where the budget ran out there: then the answer is empty
        and the finish reason `length`.
        """
        if not self._marks or not (self._is_open(prompt) or self._marks[0] in new):
            return self._answer(new, budget.answer)
        end = self._marks[1]
        closed = end in new
        length = len(new) if not closed else len(new) - 1 - list(reversed(new)).index(end)
        thought = [each for each in new[:length] if each not in self._ends]
        answer = self._after(new, length, budget) if closed else Told("", self._finish(new, budget.tokens))
        return replace(answer, reasoning=self._thought(thought), reasoning_tokens=length)

    def _after(self, new: Sequence[int], length: int, budget: Budget) -> Told:
        """The answer behind a reasoning of `length` tokens and its mark; none where it took more than it may."""
        if budget.reasoning and length > budget.reasoning:
            return Told("", "length")
        left = budget.answer if budget.reasoning else max(0, budget.answer - length - 1)
        told = self._answer(new[length + 1 :], left)
        return replace(told, answer=told.answer.lstrip("\n"))

    def _is_open(self, prompt: Sequence[int]) -> bool:
        """Whether the prompt itself has begun the reasoning and not ended it."""
        start, end = self._marks
        last = next((each for each in reversed(prompt) if each in (start, end)), None)
        return last == start

    def _answer(self, tokens: Sequence[int], limit: int) -> Told:
        kept = tokens[:limit]
        text = str(self._tokenizer.decode(kept, skip_special_tokens=True))
        return Told(text, "length" if len(tokens) > limit else self._finish(tokens, limit))

    def _finish(self, tokens: Sequence[int], limit: int) -> str:
        return "length" if len(tokens) >= limit and (not tokens or tokens[-1] not in self._ends) else "stop"

    def _thought(self, tokens: Sequence[int]) -> str:
        assert self._thinking is not None
        body = list(tokens)
        if self._marks[0] in body:
            body = body[body.index(self._marks[0]) + 1 :]
        text = str(self._tokenizer.decode(body, skip_special_tokens=True)).strip()
        return text.removeprefix(self._thinking.heading).strip()
