"""The closed vocabularies: kinds of question and statuses."""

from enum import StrEnum


class Kind(StrEnum):
    """What a request asks for."""

    SINGLE = "single"
    MULTI = "multi"
    MUSIC = "music"


class Status(StrEnum):
    """How a planned request ended; every one ends in exactly one (answers.md 1)."""

    OK = "ok"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    OUT_OF_RANGE = "out_of_range"
    MEDIA_ERROR = "media_error"
    MEDIA_UNAVAILABLE = "media_unavailable"
    BACKEND_ERROR = "backend_error"
    TIMEOUT = "timeout"
    MISSING = "missing"

    @property
    def is_answer(self) -> bool:
        """Whether a model answered, readable or not: what coverage counts."""
        return self in ANSWERED_BY_A_MODEL


ANSWERED_BY_A_MODEL = frozenset({Status.OK, Status.UNPARSED, Status.REFUSED, Status.TRUNCATED, Status.OUT_OF_RANGE})
FAILURES = frozenset({Status.MEDIA_ERROR, Status.MEDIA_UNAVAILABLE, Status.BACKEND_ERROR, Status.TIMEOUT})
MUSIC_FIELDS = ("tempo", "key", "time_signature", "segments")
