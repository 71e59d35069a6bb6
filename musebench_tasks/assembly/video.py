"""Clips of a dataset: frame-exact cuts and drawn frames, encoded anew, and the hashes by which a rebuild is compared.

H.264 with AAC in MP4, the index in front: what every browser and every decoder reads. Clips are always encoded anew,
because a stream copy starts at a key frame before the cut and hides the difference in an edit list (faults_media.md
m28). Time starts at 0 in both streams. No tags, no encoder name: a clip says nothing but its pictures and sound.
"""

import hashlib
import io
import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import av
import numpy as np
from PIL import Image
from pydantic import Field

from musebench_tasks.base.errors import MediaError
from musebench_tasks.base.records import Record

SUFFIX = ".mp4"
_CONTAINER_OPTIONS = {"movflags": "+faststart+negative_cts_offsets", "fflags": "+bitexact"}
_FLAGS = {"flags": "+bitexact"}
_SEEK_MARGIN_S = 5
_INTEGER_DECODERS = {"aac": "aac_fixed", "mp3": "mp3", "mp3float": "mp3"}
"""Decoders that give the same PCM on every machine, by the codec's usual decoder."""


WholeBlocks = Annotated[int, Field(gt=0, multiple_of=16)]
"""Pixels. x264 codes blocks of 16; a size that cuts one leaves memory in the picture that differs from run to run."""


class ClipEncoding(Record):
    """How a clip is encoded: picture size in pixels, x264 settings, bits per second of the mono sound."""

    width: WholeBlocks
    height: WholeBlocks
    crf: float
    preset: str = "slow"
    key_frame_every: int = 48
    """Frames from one key frame to the next at most."""
    audio_bit_rate: int = 64_000


class ClipFacts(Record):
    """What decoding a clip gave: counts, sizes and the hashes of everything decoded."""

    width: int
    height: int
    frames: int
    duration_s: float
    """Frames over frame rate."""
    frames_sha256: str
    """Over the planes of all frames in yuv420p, in order."""
    sample_rate: int | None = None
    samples: int | None = None
    pcm_sha256: str | None = None
    """Over 16-bit little-endian interleaved samples; None without sound."""


def cut_clip(source: Path, start_s: float, end_s: float, encoding: ClipEncoding) -> bytes:
    """MP4 bytes of the frames with start_s <= time < end_s and of the sound between, mixed to mono.

    Seconds are on the container's clock. Same source, window and encoding: same decoded frames. Pictures keep their
    spacing in time and are scaled to the size of `encoding` (choose it with the source's aspect).
    """
    if not 0 <= start_s < end_s:
        raise MediaError("bad_window", f"{source}: {start_s} to {end_s} s is no window; give 0 <= start_s < end_s")
    sound = _window_sound(source, start_s, end_s)
    with av.open(str(source)) as container:
        stream = container.streams.video[0]
        pictures = _resized(_window_frames(container, stream, start_s, end_s), encoding)
        encoded = _encoded(pictures, stream.average_rate, stream.time_base, encoding, sound)
    if encoded is None:
        raise MediaError("no_frames", f"{source}: no frame lies between {start_s} and {end_s} s")
    return encoded


def encode_clip(
    frames: Iterable[Any], frame_rate: int, samples: Any, sample_rate: int, encoding: ClipEncoding
) -> bytes:
    """MP4 bytes of drawn frames (uint8, height x width x RGB) and of mono sound (float32 from -1 to 1).

    Frames of another size than that of `encoding` are scaled to it; the sound is cut, or filled with silence, to the
    length of the pictures. Same frames, samples and encoding: same decoded frames.
    """
    pictures = list(_drawn(frames, frame_rate, encoding))
    sound = np.zeros(round(len(pictures) * sample_rate / frame_rate), dtype=np.float32)
    kept = np.asarray(samples, dtype=np.float32)[: len(sound)]
    sound[: len(kept)] = kept
    encoded = _encoded(pictures, Fraction(frame_rate), Fraction(1, frame_rate), encoding, (sound, sample_rate))
    if encoded is None:
        raise MediaError("no_frames", "no frame was drawn; a clip needs at least one")
    return encoded


def _encoded(
    pictures: Iterable[Any],
    frame_rate: Fraction,
    time_base: Fraction,
    encoding: ClipEncoding,
    sound: tuple[Any, int] | None,
) -> bytes | None:
    """The whole file, packets in order of time; None without any picture."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / f"clip{SUFFIX}"
        with av.open(str(target), "w", format="mp4", options=_CONTAINER_OPTIONS) as output:
            video = output.add_stream("libx264", rate=frame_rate, options=_x264_options(encoding))
            video.width, video.height, video.pix_fmt = encoding.width, encoding.height, "yuv420p"
            video.codec_context.time_base = time_base
            audio = output.add_stream("aac", rate=sound[1], layout="mono", options=_FLAGS) if sound else None
            if audio is not None:
                audio.bit_rate = encoding.audio_bit_rate
            output.start_encoding()
            packets = list(_encode_pictures(video, pictures))
            if not packets:
                return None
            if audio is not None and sound is not None:
                packets += _encode_sound(audio, *sound)
            for packet in sorted(packets, key=lambda each: each.dts * each.time_base):
                output.mux(packet)
        return target.read_bytes()


def _x264_options(encoding: ClipEncoding) -> dict[str, str]:
    """One thread and no processor-specific code, so that the same pictures give the same bytes on every machine."""
    return {
        **_FLAGS,
        "x264-params": "asm=0",
        "crf": str(encoding.crf),
        "preset": encoding.preset,
        "g": str(encoding.key_frame_every),
        "threads": "1",
    }


def _window_frames(container: Any, stream: Any, start_s: float, end_s: float) -> Iterator[Any]:
    """The decoded frames of a window, found by their own times, whatever the key frames."""
    container.seek(max(0, int((start_s - _SEEK_MARGIN_S) / stream.time_base)), stream=stream)
    half_tick = stream.time_base / 2
    for frame in container.decode(stream):
        time = frame.pts * stream.time_base + half_tick
        if time >= end_s:
            return
        if time >= start_s:
            yield frame


def _resized(frames: Iterable[Any], encoding: ClipEncoding) -> Iterator[Any]:
    """Frames in the clip's size, timed from 0."""
    first = None
    for frame in frames:
        first = frame.pts if first is None else first
        small = av.VideoFrame.from_ndarray(_resized_planes(frame, encoding), format="yuv420p")
        small.pts, small.time_base = frame.pts - first, frame.time_base
        yield small


def _resized_planes(frame: Any, encoding: ClipEncoding) -> Any:
    """The three planes of a frame, scaled by Pillow (integers: the same on every machine), stacked as PyAV packs them.

    Chroma planes are half as high and wide and lie, two to a row of the luma, below it.
    """
    width, height = frame.width // 2 * 2, frame.height // 2 * 2
    packed = frame.reformat(width=width, height=height, format="yuv420p").to_ndarray()
    luma, chroma = packed[:height], packed[height:].reshape(2, height // 2, width // 2)
    size = (encoding.width, encoding.height)
    half = (encoding.width // 2, encoding.height // 2)
    planes = [_resized_plane(luma, size), *(_resized_plane(plane, half) for plane in chroma)]
    return np.concatenate([plane.reshape(-1, encoding.width) for plane in planes])


def _drawn(frames: Iterable[Any], frame_rate: int, encoding: ClipEncoding) -> Iterator[Any]:
    """Drawn RGB frames as pictures of the clip, timed from 0."""
    size = (encoding.width, encoding.height)
    for index, pixels in enumerate(frames):
        scaled = pixels if pixels.shape[1::-1] == size else _resized_plane(pixels, size)
        picture = av.VideoFrame.from_ndarray(_planes(scaled), format="yuv420p")
        picture.pts, picture.time_base = index, Fraction(1, frame_rate)
        yield picture


def _planes(pixels: Any) -> Any:
    """The planes of an RGB picture in BT.601, limited range, by integers (the same on every machine), stacked.

    Chroma comes from the mean of four pixels.
    """
    red, green, blue = (pixels[..., channel].astype(np.int32) for channel in range(3))
    luma = ((66 * red + 129 * green + 25 * blue + 128) >> 8) + 16
    red, green, blue = (
        (each[::2, ::2] + each[1::2, ::2] + each[::2, 1::2] + each[1::2, 1::2] + 2) >> 2 for each in (red, green, blue)
    )
    blue_difference = ((-38 * red - 74 * green + 112 * blue + 128) >> 8) + 128
    red_difference = ((112 * red - 94 * green - 18 * blue + 128) >> 8) + 128
    width = pixels.shape[1]
    return np.concatenate([each.reshape(-1, width) for each in (luma, blue_difference, red_difference)]).astype(
        np.uint8
    )


def _resized_plane(plane: Any, size: tuple[int, int]) -> Any:
    """One plane of bytes, or one RGB picture, in another size."""
    return np.asarray(Image.fromarray(plane).resize(size, Image.Resampling.LANCZOS))


def _encode_pictures(video: Any, frames: Iterable[Any]) -> Iterator[Any]:
    """Packets of the pictures without x264's note about itself (SEI units)."""
    without_notes = av.BitStreamFilterContext("filter_units=remove_types=6", in_stream=video)
    for frame in (*frames, None):
        for packet in video.encode(frame):
            yield from without_notes.filter(packet)
    yield from without_notes.filter(None)


def _encode_sound(audio: Any, samples: Any, rate: int) -> list[Any]:
    """Packets of a mono signal."""
    frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="fltp", layout="mono")
    frame.sample_rate, frame.time_base, frame.pts = rate, Fraction(1, rate), 0
    return [*audio.encode(frame), *audio.encode(None)]


def _window_sound(source: Path, start_s: float, end_s: float) -> tuple[Any, int] | None:
    """The window's sound as the mean of its channels (float32, its own rate in Hz); None where there is no sound."""
    with av.open(str(source)) as container:
        if not container.streams.audio:
            return None
        stream = container.streams.audio[0]
        rate = stream.codec_context.sample_rate
        first, last = round(start_s * rate), round(end_s * rate)
        container.seek(max(0, int((start_s - _SEEK_MARGIN_S) / stream.time_base)), stream=stream)
        mono = np.zeros(last - first, dtype=np.float32)
        planar = av.AudioResampler(format="fltp")
        for frame in container.decode(stream):
            begin = round(frame.pts * stream.time_base * rate) - first
            if begin >= len(mono):
                break
            block = np.concatenate([part.to_ndarray() for part in planar.resample(frame)], axis=1).mean(axis=0)
            kept = block[max(0, -begin) : len(mono) - begin]
            mono[max(0, begin) : max(0, begin) + len(kept)] = kept
    return mono, rate


def clip_facts(encoded: bytes) -> ClipFacts:
    """Decode a clip whole and say what is in it; the numbers are the same on every machine."""
    digest, frames = hashlib.sha256(), 0
    with av.open(io.BytesIO(encoded)) as container:
        stream = container.streams.video[0]
        for frame in container.decode(stream):
            digest.update(np.ascontiguousarray(frame.to_ndarray(format="yuv420p")).tobytes())
            frames += 1
        width, height, rate = stream.codec_context.width, stream.codec_context.height, stream.average_rate
    facts = ClipFacts(
        width=width, height=height, frames=frames, duration_s=float(frames / rate), frames_sha256=digest.hexdigest()
    )
    return facts.model_copy(update=_sound_facts(encoded))


def _sound_facts(encoded: bytes) -> dict[str, Any]:
    """The sound fields of ClipFacts; empty where there is no sound."""
    with av.open(io.BytesIO(encoded)) as container:
        if not container.streams.audio:
            return {}
        stream = container.streams.audio[0]
        name = stream.codec_context.name
        decoder = av.codec.CodecContext.create(_INTEGER_DECODERS.get(name, name), "r")
        decoder.extradata = stream.codec_context.extradata
        packed = av.AudioResampler(format="s16")
        blocks = [
            block.to_ndarray().reshape(-1)
            for packet in container.demux(stream)
            for frame in decoder.decode(packet)
            for block in packed.resample(frame)
        ]
        blocks += [block.to_ndarray().reshape(-1) for block in packed.resample(None)]
        rate, channels = stream.codec_context.sample_rate, stream.codec_context.channels
    pcm = np.concatenate(blocks).astype("<i2")
    return {
        "sample_rate": int(rate),
        "samples": len(pcm) // channels,
        "pcm_sha256": hashlib.sha256(pcm.tobytes()).hexdigest(),
    }
