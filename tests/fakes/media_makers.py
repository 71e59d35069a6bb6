"""Media made on the spot with PyAV, numpy and byte edits."""

import struct
import wave
import zlib
from fractions import Fraction

import av
import numpy as np
from av.stream import Disposition

RATE = 44_100


def picture(number, width=160, height=120):
    """A frame that tells its number: a grey background of that level, a red bar on the left, noise at the top."""
    pixels = np.full((height, width, 3), 20 + number * 2 % 200, np.uint8)
    pixels[: height // 8] = np.random.default_rng(number).integers(0, 120, (height // 8, width, 3))
    pixels[:, : width // 10] = (230, 20, 20)
    return pixels


def tone(seconds, rate=RATE, frequency=440.0, amplitude=0.5):
    return (amplitude * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def encode_video(container, stream, times, base, make=picture):
    for number, time in enumerate(times):
        frame = av.VideoFrame.from_ndarray(make(number), format="rgb24")
        frame.pts, frame.time_base = time, base
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def encode_audio(container, stream, samples, rate, layout="mono", format="fltp", offset=0):
    rows = np.atleast_2d(samples)
    for start in range(0, rows.shape[1], 1024):
        chunk = rows[:, start : start + 1024]
        if not format.endswith("p"):
            chunk = chunk.T.reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(chunk), format=format, layout=layout)
        frame.sample_rate, frame.pts = rate, start + offset
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def film(
    path,
    *,
    frames=100,
    rate=25,
    codec="libx264",
    pix_fmt="yuv420p",
    size=(160, 120),
    sounds=None,
    options=None,
    make=None,
    times=None,
    base=None,
    setup=None,
    format=None,
    container_options=None,
    metadata=None,
):
    """A film of `frames` pictures and one sound track for each array in `sounds` (default: four seconds of 440 Hz)."""
    sounds = [tone(frames / rate)] if sounds is None else sounds
    defaults = {"preset": "ultrafast"} if codec == "libx264" else {}
    with av.open(str(path), "w", format=format, options=container_options or {}) as container:
        container.metadata.update(metadata or {})
        video = container.add_stream(codec, rate=rate, options={**defaults, **(options or {})})
        video.width, video.height, video.pix_fmt = *size, pix_fmt
        if base:
            video.codec_context.time_base = base
        tracks = [container.add_stream("aac", rate=RATE, layout="mono") for _ in sounds]
        if setup:
            setup(video, tracks)
        draw = make or (lambda number: picture(number, *size))
        encode_video(container, video, times or range(frames), base or Fraction(1, rate), draw)
        for track, samples in zip(tracks, sounds, strict=True):
            encode_audio(container, track, samples, RATE)
    return path


def sound(path, samples, rate=RATE, codec="pcm_s16le", layout="mono", options=None, setup=None, container_options=None):
    """A sound file; `samples` is channels x samples."""
    with av.open(str(path), "w", options=container_options or {}) as container:
        stream = container.add_stream(codec, rate=rate, layout=layout, options=options or {})
        if setup:
            setup(stream)
        if codec == "libmp3lame":
            stream.codec_context.format = "fltp"
        format = stream.codec_context.format.name if stream.codec_context.format else "fltp"
        rows = np.atleast_2d(samples)
        if format.startswith("s16"):
            rows = np.rint(rows * 32767).astype(np.int16)
        encode_audio(container, stream, rows, rate, layout, format)
    return path


def remuxed(source, target, *, format=None, options=None, keep=lambda packet: True, shift_s=0.0):
    """The packets of a file in another container, unchanged but for a shift in time."""
    with av.open(str(source)) as old, av.open(str(target), "w", format=format, options=options or {}) as new:
        streams = {each.index: new.add_stream_from_template(each) for each in old.streams}
        for packet in old.demux():
            if not packet.size or not keep(packet):
                continue
            shift = round(shift_s / packet.time_base)
            packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
            packet.stream = streams[packet.stream_index]
            new.mux(packet)
    return target


def silent_wav(path, frames, rate=16_000):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"\0\0" * frames)
    return path


def png_header(path, width, height):
    """A PNG that claims its size and holds next to nothing."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 64)) + chunk(b"IEND", b""))
    return path


class Makers:
    """The builders above, for tests."""

    film = staticmethod(film)
    sound = staticmethod(sound)
    tone = staticmethod(tone)
    picture = staticmethod(picture)
    remuxed = staticmethod(remuxed)
    silent_wav = staticmethod(silent_wav)
    png_header = staticmethod(png_header)
    Disposition = Disposition
    rate = RATE
