"""Which tokens stand for an option's letter, as it follows what the chat template writes before an answer."""

from collections.abc import Sequence
from typing import Any

VARIANTS = ("{}", " {}")
"""`A` and ` A` are different tokens, and either may be what the model would say."""


class LetterTokens:
    """The letter tokens of one tokenizer, looked up once for each beginning of an answer."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[tuple[str, str], tuple[int, ...]] = {}
        self._special = [token for token in tokenizer.all_special_tokens if token]

    def of(self, prompt: str, labels: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        """For each label the tokens that `prompt` may go on with to say it; () where one of them has none.

        A label has a token where it adds exactly one to the prompt's own.
        """
        header = prompt[self._header_start(prompt) :]
        found = tuple(self._of_label(header, label) for label in labels)
        flat = [token for tokens in found for token in tokens]
        return found if all(found) and len(set(flat)) == len(flat) else ()

    def _header_start(self, prompt: str) -> int:
        """Where the last special token begins: nothing before it can change how what follows is cut."""
        return max([0, *(prompt.rfind(token) for token in self._special)])

    def _of_label(self, header: str, label: str) -> tuple[int, ...]:
        if (header, label) not in self._known:
            before = self._ids(header)
            after = [self._ids(header + variant.format(label)) for variant in VARIANTS]
            fitting = [ids[-1] for ids in after if ids[:-1] == before]
            self._known[header, label] = tuple(dict.fromkeys(fitting))
        return self._known[header, label]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
