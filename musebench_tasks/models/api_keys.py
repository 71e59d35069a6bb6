"""The key of a server: read from an environment variable, sent in one header, and masked wherever it could be told."""

from __future__ import annotations

import json
import os
import re
import urllib.parse
from dataclasses import dataclass, field

from musebench_tasks.base.errors import InputError

KEY_VARIABLE = "OPENAI_API_KEY"
BEARER = "Authorization"
MASK = "***"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class ApiKey:
    """A key and the environment variable that it stands in. No text made of it shows the key."""

    variable: str = KEY_VARIABLE
    secret: str | None = field(default=None, repr=False)
    """None = the variable holds none."""

    def headers(self, name: str = BEARER) -> dict[str, str]:
        """What a request carries: the key in the header `name`, in that of tokens as one."""
        if not self.secret:
            return {}
        return {name: f"Bearer {self.secret}" if name == BEARER else self.secret}

    @property
    def remedy(self) -> str:
        """What to do where a server does not take the key."""
        return f"Put a valid API key into {self.variable}"

    def masked(self, text: str) -> str:
        """`text` without the key, however it is spelt there: as it is, escaped, or as part of an address."""
        for spelling in self._spellings():
            text = re.sub(re.escape(spelling), MASK, text, flags=re.IGNORECASE if "%" in spelling else 0)
        return text

    def masked_bytes(self, content: bytes) -> bytes:
        """A server's words without the key: before they are cut, so that no part of it is left at the cut."""
        return self.masked(content.decode("utf-8", errors="replace")).encode() if self.secret else content

    def _spellings(self) -> list[str]:
        """The longest first, so that no part of one is left over."""
        if not self.secret:
            return []
        spellings = {
            self.secret,
            repr(self.secret)[1:-1],
            json.dumps(self.secret)[1:-1],
            self.secret.replace("\\", "\\\\").replace("'", "\\'"),
            urllib.parse.quote(self.secret),
            urllib.parse.quote(self.secret, safe=""),
            urllib.parse.quote_plus(self.secret),
        }
        return sorted(spellings, key=lambda each: (-len(each), each))


def read_api_key(variable: str = KEY_VARIABLE) -> ApiKey:
    """The key in an environment variable, without white space around it.

    InputError names the variable, never what stands in it, where that can be no key.
    """
    if not _VARIABLE.fullmatch(variable):
        # Somebody may have written the key itself there: it is not repeated.
        raise InputError(
            "api_key_variable: what is given is no name of an environment variable. Put the key into a variable, and "
            f"write the variable's name here, for example {KEY_VARIABLE}."
        )
    secret = os.environ.get(variable, "").strip()
    if not secret.isascii():
        raise _unusable(variable, "a character outside ASCII")
    if not secret.isprintable():
        raise _unusable(variable, "a line break or another control character")
    return ApiKey(variable, secret or None)


def _unusable(variable: str, what: str) -> InputError:
    return InputError(
        f"the API key in the environment variable {variable} holds {what}, which no key does. "
        "Copy the key again, on one line and alone."
    )
