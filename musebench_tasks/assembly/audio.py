"""Audio of a dataset: how it is encoded, and the hash by which a rebuild is compared.

MP3, for three reasons: every browser, operating system and audio library reads it; its header says how many samples
the encoder added, so that what is decoded has exactly the samples that were given, at their rate (Opus decodes at
48 kHz whatever went in); and FFmpeg's integer decoder gives the same PCM on every machine, which a float decoder
does not. No tags are written: neither title nor encoder date says anything to a model.
"""

import hashlib
import io
from typing import Any

import av
import numpy as np

from musebench_tasks.errors import MediaError

SUFFIX = ".mp3"
DEFAULT_BIT_RATE = 48_000
_CONTAINER_OPTIONS = {"fflags": "+bitexact", "id3v2_version": "0", "write_id3v1": "0"}
_INTEGER_DECODER = "mp3"


def encode_audio(samples: Any, rate: int, bit_rate: int = DEFAULT_BIT_RATE) -> bytes:
    """MP3 bytes of float samples in -1..1, shape (n,) or (n, channels) with 1 or 2 channels, without tags.

    `rate` in Hz is one MP3 knows (8, 11.025, 12, 16, 22.05, 24, 32, 44.1, 48 kHz), `bit_rate` in bits per second.
    Same samples, same bytes.
    """
    planar = np.ascontiguousarray(np.atleast_2d(np.asarray(samples, dtype=np.float32).T))
    if planar.shape[0] not in (1, 2) or planar.shape[1] == 0:
        raise MediaError("zero_audio", f"shape {np.shape(samples)} is no mono or stereo signal")
    if not np.isfinite(planar).all():
        raise MediaError("non_finite", "the signal holds NaN or infinite samples")
    if np.abs(planar).max() > 1:
        raise MediaError("over_range", f"the peak is {np.abs(planar).max():.3f}; normalise to at most 1")
    layout = "mono" if planar.shape[0] == 1 else "stereo"
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp3", options=_CONTAINER_OPTIONS) as container:
        stream = container.add_stream("libmp3lame", rate=rate, layout=layout, options={"flags": "+bitexact"})
        stream.bit_rate = bit_rate
        frame = av.AudioFrame.from_ndarray(planar, format="fltp", layout=layout)
        frame.sample_rate = rate
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    return buffer.getvalue()


def decode_pcm(encoded: bytes) -> tuple[Any, int]:
    """The samples of an encoded audio file as signed 16-bit integers, shape (n, channels), and their rate in Hz.

    MP3 goes through FFmpeg's integer decoder, so that the numbers are the same everywhere.
    """
    with av.open(io.BytesIO(encoded)) as container:
        stream = container.streams.audio[0]
        is_mp3 = stream.codec_context.name.startswith("mp3")
        decoder = av.codec.CodecContext.create(_INTEGER_DECODER, "r") if is_mp3 else stream.codec_context
        packed = av.AudioResampler(format="s16")
        blocks = []
        for packet in container.demux(stream):
            for frame in decoder.decode(packet):
                blocks += [block.to_ndarray().reshape(-1) for block in packed.resample(frame)]
        blocks += [block.to_ndarray().reshape(-1) for block in packed.resample(None)]
        channels, rate = stream.codec_context.channels, stream.codec_context.sample_rate
    if not blocks:
        raise MediaError("zero_audio", "no samples could be decoded")
    return np.concatenate(blocks).reshape(-1, channels), int(rate)


def pcm_sha256(encoded: bytes) -> str:
    """SHA-256 of the decoded samples (16-bit little-endian, interleaved): equal for equal sound, whatever the bytes."""
    samples, _ = decode_pcm(encoded)
    return hashlib.sha256(samples.astype("<i2").tobytes()).hexdigest()
