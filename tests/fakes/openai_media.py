"""What a fake server makes of the media it was really sent: it decodes them, counts tokens, caches prefixes, and reads.

`MediaModel()` is a good server's model: it reads every number in the pictures and counts every beep. Its settings make
it one of the bad ones: pictures silently left out, sound silently cut, media mixed up in its caches.
"""

import base64
import binascii
import hashlib
import io
import re
import threading
import wave
from dataclasses import dataclass, field, replace
from functools import cache

import av
import numpy as np
from PIL import Image

from musebench_tasks.models.ping.arrival import CELL_WIDTH, HEIGHT, MARGIN, WIDTH, draw_digit

PATCH = 28
SOUND_TOKENS_PER_S = 25
BLOCK = 16
"""Only whole blocks of tokens are kept in a prefix cache."""
LIKE_A_DIGIT = 0.8
COARSE = 4
QUIET, STEP_S = 0.02, 0.025


class Unacceptable(Exception):
    """The server refuses the request: HTTP 400 with this explanation."""


@dataclass
class Piece:
    """A part of a prompt: text, an image, pictures as one video, a film (perhaps with sound), or sound."""

    kind: str
    text: str = ""
    frames: list = field(default_factory=list)
    fps: float = 0.0
    samples: np.ndarray | None = None
    rate: int = 0
    content: str = ""
    """Hash of what was sent."""

    @property
    def seconds(self):
        return 0.0 if self.samples is None else len(self.samples) / self.rate


@dataclass
class MediaModel:
    """Answers a chat-completions body from the media in it."""

    takes: frozenset = frozenset({"image_url", "video_url", "input_audio", "audio_url"})
    takes_pictures_as_video: bool = True
    most_pictures: int | None = None
    """Refuses more of them, as a server with --limit-mm-per-prompt does."""
    keeps_pictures: int | None = None
    """Silently leaves out all pictures after so many."""
    spreads_pictures: int | None = None
    """Silently takes so many of them, evenly spread."""
    pixel_budget: int | None = None
    """Makes the pictures of one request smaller until they fit."""
    film_fps: float | None = None
    """Pictures a second taken from a film; None = all."""
    most_seconds: float | None = None
    """Silently cuts sound there."""
    hears_seconds: float | None = None
    """Counts tokens for all sound, and hears the first so many seconds."""
    piece_s: int | None = None
    """Counts sound in pieces of so many seconds."""
    is_deaf_to_films: bool = True
    drops_sound_beside_pictures: bool = False
    counts_tokens: bool = True
    counts_media: bool = True
    caches: bool = True
    tells_cached: bool = True
    sightings: int = 1
    """How often a beginning must have been seen to be kept."""
    mixes_up: str = ""
    """"prefix": placeholders in the prefix cache carry no content; "processor": nor in the cache of decoded media."""
    can_read: bool = True
    is_constant: bool = False
    """Tells the same probabilities whatever was sent."""
    has_logprobs: bool = True
    longest: int | None = None
    """Tokens of the context."""

    def __post_init__(self):
        self._lock = threading.Lock()
        self._kept = {}
        self._decoded = {}

    def answer(self, body):
        """(text, usage or None, {token: logprob} or None, tokens that were in no cache).

        Text None = not a question about the media.
        """
        pieces = [self._arrived(piece) for piece in self._alone(self._pieces(body))]
        with self._lock:
            tokens, pieces, cached = self._cached(self._processed(pieces))
        if self.longest is not None and len(tokens) > self.longest:
            raise Unacceptable(f"This model's maximum context length is {self.longest} tokens, not {len(tokens)}.")
        question, pieces = pieces[-1].text, [self._heard(piece) for piece in pieces]
        text = read(question, pieces) if self.can_read else ("I see shapes." if read(question, pieces) else None)
        told = tokens if self.counts_media else [token for token in tokens if isinstance(token, bytes)]
        usage = {"prompt_tokens": len(told), "completion_tokens": 1}
        if self.tells_cached:
            usage["prompt_tokens_details"] = {"cached_tokens": min(cached, len(told) - 1)}
        likely = self._likely(pieces) if self.has_logprobs else None
        return text, usage if self.counts_tokens else None, likely, len(tokens) - cached

    def _heard(self, piece):
        if piece.samples is None or self.hears_seconds is None:
            return piece
        return replace(piece, samples=piece.samples[: round(self.hears_seconds * piece.rate)])

    def _pieces(self, body):
        for message in body["messages"]:
            content = message["content"]
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if part["type"] != "text" and part["type"] not in self.takes:
                    raise Unacceptable(f"Unknown part type: {part['type']}")
                piece = decoded(part)
                if piece.kind == "pictures" and not self.takes_pictures_as_video:
                    raise Unacceptable("video_url: moov atom not found")
                yield piece

    def _alone(self, pieces):
        """All pieces, or those that are taken into account."""
        pieces = list(pieces)
        pictures = [piece for piece in pieces if piece.kind == "image"]
        if self.most_pictures is not None and len(pictures) > self.most_pictures:
            raise Unacceptable(f"At most {self.most_pictures} image(s) may be provided in one prompt.")
        left = pictures
        if self.keeps_pictures is not None:
            left = pictures[: self.keeps_pictures]
        if self.spreads_pictures is not None and len(pictures) > self.spreads_pictures:
            left = spread(pictures, self.spreads_pictures)
        if self.drops_sound_beside_pictures and pictures:
            pieces = [piece for piece in pieces if piece.kind != "sound"]
        pieces = [piece for piece in pieces if piece.kind != "image" or any(piece is each for each in left)]
        return self._smaller(pieces)

    def _smaller(self, pieces):
        pixels = sum(frame.shape[0] * frame.shape[1] for piece in pieces for frame in piece.frames)
        if self.pixel_budget is None or pixels <= self.pixel_budget:
            return pieces
        share = (self.pixel_budget / pixels) ** 0.5
        return [replace(piece, frames=[resized(frame, share) for frame in piece.frames]) for piece in pieces]

    def _arrived(self, piece):
        frames, samples = piece.frames, piece.samples
        if piece.kind == "film":
            seconds = len(frames) / piece.fps
            wanted = len(frames) if self.film_fps is None else max(1, min(len(frames), round(seconds * self.film_fps)))
            frames = spread(frames, min(wanted, self.spreads_pictures or wanted))
            return replace(piece, frames=frames, samples=None if self.is_deaf_to_films else samples)
        if samples is not None and self.most_seconds is not None:
            samples = samples[: round(self.most_seconds * piece.rate)]
        return replace(piece, samples=samples)

    def _processed(self, pieces):
        """The pieces out of the cache of decoded media, whose keys may lack the content."""
        if self.mixes_up != "processor":
            return pieces
        return [piece if piece.kind == "text" else self._decoded.setdefault(shape(piece), piece) for piece in pieces]

    def _cached(self, pieces):
        """The prompt's tokens, its pieces as the model sees them, and how many tokens another prompt began with."""
        told = [self._tokens(piece) for piece in pieces]
        tokens = [token for each in told for token in each]
        blocks, best, donor = list(block_names(tokens)), 0, None
        for number, name in enumerate(blocks, start=1):
            times, kept = self._kept.get(name, (0, None))
            if not self.caches or times < self.sightings:
                break
            best, donor = number * BLOCK, kept
        if donor:
            pieces = self._from(donor, pieces, told, best)
        for name in blocks:
            times, kept = self._kept.get(name, (0, pieces))
            self._kept[name] = (times + 1, kept)
        return tokens, pieces, min(best, len(tokens) - 1)

    def _from(self, donor, pieces, told, cached):
        """What lies in the cached prefix was computed from the donor's media."""
        end, seen = 0, []
        for number, piece in enumerate(pieces):
            end += len(told[number])
            is_old = piece.kind != "text" and end <= cached and number < len(donor)
            seen.append(donor[number] if is_old else piece)
        return seen

    def _tokens(self, piece):
        if piece.kind == "text":
            raw = piece.text.encode()
            return [raw[at : at + 4] for at in range(0, len(raw), 4)]
        name = shape(piece) if self.mixes_up else piece.content
        count = sum(-(-frame.shape[0] // PATCH) * -(-frame.shape[1] // PATCH) for frame in piece.frames)
        seconds = -(-piece.seconds // self.piece_s) * self.piece_s if self.piece_s else piece.seconds
        return [(name, number) for number in range(count + round(seconds * SOUND_TOKENS_PER_S))]

    def _likely(self, pieces):
        """Probabilities of the letters A to D, which hang on all that was seen."""
        seen = "" if self.is_constant else "".join(piece.content for piece in pieces)
        asked = re.search(r"letter ([A-D])", pieces[-1].text)
        weights = hashlib.sha256(seen.encode()).digest()
        likely = {letter: -1.0 - weights[at] / 64 for at, letter in enumerate("ABCD")}
        if asked:
            likely[asked[1]] = -0.05
        return dict(sorted(likely.items(), key=lambda pair: -pair[1]))


def block_names(tokens):
    """A name for each whole block, which hangs on all tokens up to its end."""
    name = None
    for start in range(0, len(tokens) - BLOCK + 1, BLOCK):
        name = hash((name, *tokens[start : start + BLOCK]))
        yield name


def shape(piece):
    return f"{piece.kind} {[frame.shape for frame in piece.frames]} {piece.seconds}"


def spread(things, count):
    return [things[at] for at in sorted({round(at) for at in np.linspace(0, len(things) - 1, count)})]


def resized(frame, share):
    size = max(1, int(frame.shape[1] * share)), max(1, int(frame.shape[0] * share))
    return np.asarray(Image.fromarray(frame).resize(size))


@cache
def _decoded(kind, content):
    name = hashlib.sha256(content).hexdigest()
    try:
        if kind == "image_url":
            with Image.open(io.BytesIO(content)) as image:
                return Piece("image", frames=[np.asarray(image.convert("RGB"))], content=name)
        if kind in ("input_audio", "audio_url"):
            with wave.open(io.BytesIO(content)) as file:
                samples = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
                return Piece("sound", samples=samples, rate=file.getframerate(), content=name)
        return _film(content, name)
    except (OSError, EOFError, wave.Error, av.FFmpegError) as error:
        raise Unacceptable(f"{kind} cannot be decoded: {error}") from error


def _film(content, name):
    with av.open(io.BytesIO(content)) as container:
        video = container.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video)]
        film = Piece("film", frames=frames, fps=float(video.average_rate), content=name)
        if not container.streams.audio:
            return film
    with av.open(io.BytesIO(content)) as container:
        sound = container.streams.audio[0]
        samples = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(sound)])
        return replace(film, samples=samples, rate=sound.rate)


def decoded(part):
    """A content part as a Piece; what it holds is decoded, whatever its header says."""
    kind = part["type"]
    if kind == "text":
        return Piece("text", text=part["text"], content=part["text"])
    if kind == "input_audio":
        if part[kind]["format"] != "wav":
            raise Unacceptable(f"input_audio: unknown format {part[kind]['format']}")
        return _decoded(kind, _bytes(part[kind]["data"]))
    head, _, data = part[kind]["url"].partition(";base64,")
    if not head.startswith(f"data:{kind.removesuffix('_url')}/"):
        raise Unacceptable(f"{kind}: only data URLs are taken, not {head[:40]}")
    if head == "data:video/jpeg":
        frames = [frame for each in data.split(",") for frame in _decoded("image_url", _bytes(each)).frames]
        return Piece("pictures", frames=frames, content=hashlib.sha256(data.encode()).hexdigest())
    return _decoded(kind, _bytes(data))


def _bytes(data):
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise Unacceptable(f"no base64: {error}") from error


def read(question, pieces):
    """The true answer to a question about numbers, beeps or a letter; None for any other question."""
    if match := re.search(r"letter ([A-D])\b", question):
        return match[1]
    if "beep" in question:
        return str(sum(beeps(piece) for piece in pieces if piece.samples is not None))
    if "number" in question:
        numbers = [number for piece in pieces for frame in piece.frames if (number := number_in(frame)) is not None]
        shown = numbers[:1] if "first" in question else numbers
        return ", ".join(map(str, shown)) or "There is no number."
    return None


def number_in(frame):
    """The three digits in a picture, None where there are none."""
    grey = np.asarray(Image.fromarray(frame).convert("L").resize((WIDTH // COARSE, HEIGHT // COARSE)), dtype=float)
    cells = [grey[:, (MARGIN + CELL_WIDTH * at) // COARSE :][:, : CELL_WIDTH // COARSE] for at in range(3)]
    likeness = _standard(np.stack([cell.ravel() for cell in cells])) @ _templates().T
    best = likeness.argmax(axis=1)
    return int("".join(map(str, best))) if likeness.max(axis=1).min() > LIKE_A_DIGIT else None


@cache
def _templates():
    drawn = [Image.fromarray(draw_digit(digit)).convert("L") for digit in range(10)]
    small = [image.resize((CELL_WIDTH // COARSE, HEIGHT // COARSE)) for image in drawn]
    return _standard(np.stack([np.asarray(image, dtype=float).ravel() for image in small]))


def _standard(rows):
    """Each row with mean 0 and length 1, so that products are correlations."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    return centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)


def beeps(piece):
    """How often it becomes loud."""
    step = round(STEP_S * piece.rate)
    whole = piece.samples[: len(piece.samples) // step * step].reshape(-1, step)
    loud = np.sqrt((whole**2).mean(axis=1)) > QUIET
    return int(np.count_nonzero(loud[1:] & ~loud[:-1]) + bool(loud[:1].any()))
