"""Audio of a dataset: how it is encoded, and the hash by which a rebuild is compared.

Two codecs. MP3, where length and rate must come back as they were given: its header says how many samples the encoder
added, and FFmpeg's integer decoder gives the same PCM on every machine. Opus in Ogg, where a dataset must be small: at
16 kbit/s music keeps its notes and strokes; it decodes at 48 kHz whatever went in, without the samples that the encoder
put before the first, and as many as were given. Opus is decoded by its own library, whose 16-bit output needs no choice
of ours. No tags are written: neither title nor encoder date says anything to a model.
"""

import hashlib
import io
from typing import Any

import av
import numpy as np

from musebench_tasks.base.errors import MediaError

DEFAULT_BIT_RATE = 48_000
OPUS_BIT_RATE = 16_000
_MP3_CONTAINER = {"fflags": "+bitexact", "id3v2_version": "0", "write_id3v1": "0"}
_OGG_CONTAINER = {"fflags": "+bitexact"}
_OPUS_OPTIONS = {"application": "audio", "vbr": "constrained", "frame_duration": "20", "compression_level": "10"}
_BIT_EXACT = {"flags": "+bitexact"}
_PORTABLE_DECODERS = {"mp3float": "mp3", "mp3": "mp3", "opus": "libopus", "libopus": "libopus"}
"""Decoder by what FFmpeg would choose: one whose 16-bit samples are the same everywhere."""


def encode_audio(samples: Any, rate: int, bit_rate: int = DEFAULT_BIT_RATE) -> bytes:
    """MP3 bytes of float samples in -1..1, shape (n,) or (n, channels) with 1 or 2 channels, without tags.

    `rate` in Hz is one MP3 knows (8, 11.025, 12, 16, 22.05, 24, 32, 44.1, 48 kHz), `bit_rate` in bits per second.
    Same samples, same bytes.
    """
    planar = _checked(samples)
    return _encoded(planar, rate, bit_rate, "libmp3lame", "fltp", ("mp3", _MP3_CONTAINER), _BIT_EXACT)


def encode_opus(samples: Any, rate: int, bit_rate: int = OPUS_BIT_RATE) -> bytes:
    """Opus in Ogg of float samples in -1..1, shape (n,) or (n, 1), without tags.

    `rate` in Hz is one Opus knows (8, 12, 16, 24, 48 kHz), `bit_rate` in bits per second (a twentieth more with the
    container). Decoded at 48 kHz, n x 48000 / rate samples come back. Same samples, same bytes.
    """
    planar = _checked(samples)
    if len(planar) != 1:
        raise MediaError("zero_audio", f"shape {np.shape(samples)} is no mono signal")
    return _encoded(planar, rate, bit_rate, "libopus", "flt", ("ogg", _OGG_CONTAINER), _BIT_EXACT | _OPUS_OPTIONS)


def _checked(samples: Any) -> Any:
    """Samples as channels x n in float32; MediaError where they are no signal within full scale."""
    planar = np.ascontiguousarray(np.atleast_2d(np.asarray(samples, dtype=np.float32).T))
    if planar.shape[0] not in (1, 2) or planar.shape[1] == 0:
        raise MediaError("zero_audio", f"shape {np.shape(samples)} is no mono or stereo signal")
    if not np.isfinite(planar).all():
        raise MediaError("non_finite", "the signal holds NaN or infinite samples")
    if np.abs(planar).max() > 1:
        raise MediaError("over_range", f"the peak is {np.abs(planar).max():.3f}; normalise to at most 1")
    return planar


def _encoded(
    planar: Any,
    rate: int,
    bit_rate: int,
    codec: str,
    sample_format: str,
    container_format: tuple[str, dict[str, str]],
    options: dict[str, str],
) -> bytes:
    """The bytes of a file that holds one stream."""
    layout = "mono" if len(planar) == 1 else "stereo"
    format_name, format_options = container_format
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=format_name, options=format_options) as container:
        stream = container.add_stream(codec, rate=rate, layout=layout, options=options)
        stream.bit_rate = bit_rate
        frame = av.AudioFrame.from_ndarray(planar, format=sample_format, layout=layout)
        frame.sample_rate, frame.pts = rate, 0
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    return buffer.getvalue()


def decode_pcm(encoded: bytes) -> tuple[Any, int]:
    """The samples of an encoded audio file as signed 16-bit integers, shape (n, channels), and their rate in Hz.

    MP3 and Opus go through decoders whose numbers are the same everywhere.
    """
    with av.open(io.BytesIO(encoded)) as container:
        stream = container.streams.audio[0]
        decoder = _portable_decoder(stream.codec_context)
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


def _portable_decoder(found: Any) -> Any:
    """A decoder for a stream whose 16-bit samples do not depend on the machine, where one is known."""
    if found.name not in _PORTABLE_DECODERS:
        return found
    decoder = av.codec.CodecContext.create(_PORTABLE_DECODERS[found.name], "r")
    decoder.extradata = found.extradata
    return decoder


def pcm_sha256(encoded: bytes) -> str:
    """SHA-256 of the decoded samples (16-bit little-endian, interleaved): equal for equal sound, whatever the bytes."""
    samples, _ = decode_pcm(encoded)
    return hashlib.sha256(samples.astype("<i2").tobytes()).hexdigest()
