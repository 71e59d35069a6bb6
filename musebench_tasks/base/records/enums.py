"""The closed vocabularies: kinds of question, conditions, modalities, statuses."""

from enum import StrEnum


class Kind(StrEnum):
    """What a request asks for."""

    SINGLE = "single"
    MULTI = "multi"
    MUSIC = "music"


class Modality(StrEnum):
    """A stream of a medium that a model can take."""

    VIDEO = "video"
    AUDIO = "audio"


class Condition(StrEnum):
    """What of an item's media a model gets."""

    FULL = "full"
    NO_AUDIO = "no_audio"
    NO_VIDEO = "no_video"
    TEXT_ONLY = "text_only"
    NOISE = "noise"
    SILENCE = "silence"
    FROZEN_FRAME = "frozen_frame"
    SHUFFLED_FRAMES = "shuffled_frames"

    def modalities(self, of_task: frozenset[Modality]) -> frozenset[Modality]:
        """The streams a model receives under this condition, out of those the task uses."""
        if self is Condition.TEXT_ONLY:
            return frozenset()
        if self is Condition.NO_AUDIO:
            return of_task - {Modality.AUDIO}
        if self is Condition.NO_VIDEO:
            return of_task - {Modality.VIDEO}
        return of_task


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
