"""What every record is: frozen, strict about unknown fields, with one canonical JSON form."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen pydantic model that refuses unknown fields and non-finite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def canonical_json(self) -> str:
        """One line of JSON with sorted keys: equal records give equal bytes."""
        return canonical_json(self.model_dump(mode="json"))


def canonical_json(value: Any) -> str:
    """`value` as one line of JSON, keys sorted, no blanks, no escapes for letters, no NaN."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
