"""Media: from a source to the frames, sound or masked file that a model gets, decoded once in a killable process."""

from musebench_tasks.media.cache import MediaCache, shared_cache
from musebench_tasks.media.counts import DecodeCounts, decode_counts, reset_decode_counts
from musebench_tasks.media.group import MediaGroup
from musebench_tasks.media.signals import AudioSignal, FrameBatch
from musebench_tasks.media.unpack import media_sha256, read_media_bytes

__all__ = [
    "AudioSignal",
    "DecodeCounts",
    "FrameBatch",
    "MediaCache",
    "MediaGroup",
    "decode_counts",
    "media_sha256",
    "read_media_bytes",
    "reset_decode_counts",
    "shared_cache",
]
