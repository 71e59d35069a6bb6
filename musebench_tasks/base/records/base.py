"""What every record is: frozen, strict about unknown fields, with one canonical JSON form."""

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from musebench_tasks.base.text import steers


class Record(BaseModel):
    """A frozen pydantic model that refuses unknown fields and non-finite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    def canonical_json(self) -> str:
        """One line of JSON with sorted keys: equal records give equal bytes."""
        return canonical_json(self.model_dump(mode="json"))


def canonical_json(value: Any) -> str:
    """`value` as one line of JSON, keys sorted, no blanks, no escapes for letters, no NaN."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def readable(text: str) -> str:
    """`text` if people can read all of it on one line; ValueError names what steers a terminal or a page instead."""
    for place, sign in enumerate(text, start=1):
        if steers(sign):
            raise ValueError(f"should be one line of signs that can be read: character {place} is U+{ord(sign):04X}")
    return text


def readable_name(text: str) -> str:
    """`text` if it is readable and not blank."""
    if not text.strip():
        raise ValueError("should not be blank")
    return readable(text)


ReadableText = Annotated[str, AfterValidator(readable)]
"""One line for people: no control characters, line ends or changes of direction."""
ReadableName = Annotated[str, AfterValidator(readable_name)]
"""Such a line that is not blank."""
