"""Inspect's logs: JSON files, and .eval archives with a header and a file or folder a sample."""

from __future__ import annotations

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import SEEK_CUR
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.files import not_read
from musebench_tasks.base.problems import reason
from musebench_tasks.base.records import DecodingBlock, HarnessBlock, Status
from musebench_tasks.evaluation.read_answers import REFUSAL
from musebench_tasks.harnesses.logs.rows import (
    Log,
    LoggedAnswer,
    entries,
    identity,
    number,
    part,
    read_json,
    text,
    user_text,
    whole,
    with_failures,
)

HEADERS = ("header.json", "_journal/start.json")
"""What an archive tells of its run; only the second is there when the run did not end."""
ZIP = b"PK"
ZSTANDARD = 93
"""The number of this compression in archives (APPNOTE.TXT 4.4.5)."""
LOCAL_HEADER = struct.Struct("<4s5H3L2H")
"""What stands before a file in an archive, up to the lengths of its name and of what follows that (4.3.7)."""
WHOLE = re.compile(r"samples/.+_epoch_\d+\.json")
IN_CHUNKS = re.compile(r"(samples/.+_epoch_\d+/)sample\.json")


def is_archive(path: Path) -> bool:
    """Whether a log is such an archive, not JSON; InputError for one whose end is missing."""
    if zipfile.is_zipfile(path):
        return True
    try:
        with path.open("rb") as file:
            begins_so = file.read(len(ZIP)) == ZIP
    except OSError as problem:
        raise not_read(path, problem) from problem
    if begins_so or path.suffix == ".eval":
        found = "an archive without its end" if begins_so else "no archive"
        raise InputError(
            f"{path}: is {found}, so no .eval log that can be read. It may have been cut off while it was written or "
            "copied: copy it anew, or import the log that Inspect writes as JSON."
        )
    return False


def header_in(path: Path) -> Any:
    """What an archive tells of its run. InputError where it cannot be read, or is none of Inspect's."""
    with _opened(path) as archive:
        name = next((each for each in HEADERS if each in archive.namelist()), None)
        if name is None:
            raise InputError(f"{path}: has no {HEADERS[0]}, so is no log of Inspect.")
        return _json(archive, name)


def samples_in(path: Path) -> Iterator[tuple[str, Any]]:
    """Place and content of each sample, one after the other: they may hold media. InputError as for the header."""
    with _opened(path) as archive:
        names = sorted(set(archive.namelist()))
        for name in names:
            in_chunks = IN_CHUNKS.fullmatch(name)
            if in_chunks is not None:
                yield f"{path}/{name}", _joined(archive, in_chunks[1], names)
            elif WHOLE.fullmatch(name):
                yield f"{path}/{name}", _json(archive, name)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as problem:
        raise InputError(
            f"{path}: cannot be read ({reason(problem)}). Have Inspect write it as JSON: "
            f"`inspect log convert {path.name} --to json --output-dir json`."
        ) from problem


def _joined(archive: zipfile.ZipFile, folder: str, names: list[str]) -> Any:
    """A sample in chunks: its main file with its metadata, and its attachments by their numbers. Not its messages."""
    sample = _json(archive, f"{folder}sample.json")
    if not isinstance(sample, dict):
        return sample
    apart = f"{folder}metadata.json"
    starts = [int(each.removeprefix(f"{folder}attachments/").removesuffix(".json"))
              for each in names if each.startswith(f"{folder}attachments/")]  # fmt: skip
    chunks = [_json(archive, f"{folder}attachments/{start}.json") for start in sorted(starts)]
    attached = [text for chunk in chunks if isinstance(chunk, list) for text in chunk]
    return {
        **sample,
        "metadata": _json(archive, apart) if apart in names else {},
        "attachments": {str(number): text for number, text in enumerate(attached)},
    }


def _json(archive: zipfile.ZipFile, name: str) -> Any:
    return json.loads(_member(archive, name))


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The last file of that name."""
    about = archive.getinfo(name)
    if about.compress_type != ZSTANDARD or archive.fp is None:
        return archive.read(about)
    import pyarrow

    archive.fp.seek(about.header_offset)
    *_, name_length, extra_length = LOCAL_HEADER.unpack(archive.fp.read(LOCAL_HEADER.size))
    archive.fp.seek(name_length + extra_length, SEEK_CUR)
    packed = archive.fp.read(about.compress_size)
    content: bytes = pyarrow.decompress(packed, decompressed_size=about.file_size, codec="zstd", asbytes=True)
    if zlib.crc32(content) != about.CRC:
        raise zipfile.BadZipFile(f"{name} is damaged")
    return content


VERSION = 2
"""Of `EvalLog`, the last one known; a log that names none is of it."""
ENDED = "success"
ATTACHED = "attachment://"
OUT_OF_TIME = frozenset({"time", "working"})
"""Limits of a sample that are of time."""
WITHHELD = "content_filter"
"""Why a model stopped whose answer its server withheld or cut off, or that refused."""


def read_inspect(path: Path) -> Log:
    """The answers of one log."""
    in_archive = is_archive(path)
    header, samples = (header_in(path), samples_in(path)) if in_archive else _read_file(path)
    about = part(header, "eval")
    if not about:
        raise InputError(f'{path}: has no "eval", so is no log of Inspect.')
    _require_known_version(path, header)
    _require_order_kept(path, part(header, "plan"))
    answers = tuple(_answer(place, sample) for place, sample in _checked(samples))
    if header.get("invalidated"):
        raise _invalidated(str(path), None)
    settings = {**part(about, "model_generate_config"), **part(part(header, "plan"), "config")}
    return Log(
        source=str(path),
        answers=answers,
        harness=HarnessBlock(
            name=f"inspect_ai (EvalLog version {header.get('version', VERSION)})",
            version=text(part(about, "packages"), "inspect_ai"),
            git=text(part(about, "revision"), "commit"),
        ),
        model=text(about, "model"),
        decoding=DecodingBlock(
            temperature=number(settings, "temperature"),
            top_p=number(settings, "top_p"),
            max_tokens=whole(settings, "max_tokens"),
            seed=whole(settings, "seed"),
        ),
        warnings=tuple(_did_not_end(path, header)),
    )


def _read_file(path: Path) -> tuple[Any, Iterable[tuple[str, Any]]]:
    log = read_json(path)
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise InputError(f'{path}: has no "samples", so is no full log of Inspect (a header alone holds no answers).')
    return log, [(f"{path} sample {number}", each) for number, each in enumerate(log["samples"], start=1)]


def _require_known_version(path: Path, header: dict[str, Any]) -> None:
    version = header.get("version", VERSION)
    if version not in range(1, VERSION + 1):
        raise InputError(
            f"{path}: is a log of version {json.dumps(version)[:20]}; versions 1 to {VERSION} are known here. Have "
            "Inspect write it in a version that is."
        )


def _did_not_end(path: Path, header: dict[str, Any]) -> Iterator[str]:
    """A line where Inspect's run did not end well: what it did not ask, or lost, is missing."""
    status = header.get("status", ENDED)
    if status != ENDED:
        why = text(part(header, "error"), "message")
        told = f" ({' '.join(why.split())[:120]})" if why else ""
        found = f"{json.dumps(status)[:40]}{told}"
        yield f"{path}: its run did not end well, its status is {found}. What it lacks is missing."


def _require_order_kept(path: Path, plan: dict[str, Any]) -> None:
    """InputError where the solver shuffled the options: then it rewrote what was shown and answered as if it had not.

    Answers that it could not read it left as they were, in letters of an order that the log does not tell.
    """
    steps = [each for each in entries(plan, "steps") if isinstance(each, dict) and "solver" in each]
    if any(part(each, "params").get("shuffle") for each in steps if each["solver"] == "multiple_choice"):
        raise InputError(
            f"{path}: its solver multiple_choice shuffled the options and rewrote the answers, so the order shown is "
            "not known. Shuffle the dataset instead (shuffle_choices), or not at all, and ask again."
        )


def _checked(samples: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, sample in samples:
        if not isinstance(sample, dict) or "id" not in sample:
            raise InputError(f'{place}: has no "id", so is no sample of Inspect.')
        if sample.get("invalidation"):
            raise _invalidated(place, text(part(sample, "invalidation"), "reason"))
        yield place, sample


def _invalidated(place: str, why: str | None) -> InputError:
    told = f" ({' '.join(why.split())[:120]})" if why else ""
    return InputError(
        f"{place}: is marked as invalidated{told}, so what it answers is no result. Have Inspect ask again what is "
        "marked so, and import that log."
    )


def _answer(place: str, sample: dict[str, Any]) -> LoggedAnswer:
    attached = part(sample, "attachments")
    told = {**part(sample, "metadata"), "id": sample["id"]}
    named = identity(told, place, ("item_id", "id"))
    epoch, choices = whole(sample, "epoch"), entries(sample, "choices")
    if named["run"] is None and epoch is not None:
        named["run"] = epoch - 1
    asked = sample.get("messages") or sample.get("input")
    return LoggedAnswer(
        place,
        **named,
        option_texts=tuple(_whole(str(each), attached) for each in choices) if choices else None,
        **_ending(sample, attached),
        shown="\n".join(_whole(each, attached) for each in user_text(asked)),
    )


def _ending(sample: dict[str, Any], attached: dict[str, Any]) -> dict[str, Any]:
    """Text and why it ended, or why there is none."""
    output = part(sample, "output")
    error = part(sample, "error").get("message") or output.get("error")
    if error:
        return {"failure": Status.BACKEND_ERROR, "error": str(error)}
    first = next(iter(entries(output, "choices")), None)
    content = part(first, "message").get("content")
    answer = _whole(str(output.get("completion") or ""), attached) or _spoken(content, attached)
    limit = text(part(sample, "limit"), "type")
    if not answer and limit is not None:
        status = Status.TIMEOUT if limit in OUT_OF_TIME else Status.BACKEND_ERROR
        return {"failure": status, "error": f"ended by its {limit} limit"}
    if not isinstance(first, dict):
        return {"failure": Status.BACKEND_ERROR, "error": "the sample has no output"}
    reason = text(first, "stop_reason")
    if reason == WITHHELD and not _is_refusal(content):
        return {"failure": Status.BACKEND_ERROR, "error": f"{WITHHELD}: the server withheld the answer"}
    return {**with_failures(answer), "finish_reason": REFUSAL if reason == WITHHELD else reason}


def _spoken(content: Any, attached: dict[str, Any]) -> str:
    """The text of a message, without the reasoning that may stand in a part of its own."""
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [each.get("text") for each in parts if isinstance(each, dict) and each.get("type") == "text"]
    return "\n".join(_whole(each, attached) for each in texts if isinstance(each, str))


def _is_refusal(content: Any) -> bool:
    """Whether a message is marked as the model's refusal."""
    return isinstance(content, list) and any(isinstance(each, dict) and each.get("refusal") for each in content)


def _whole(said: str, attached: dict[str, Any]) -> str:
    """The text itself where a sample keeps a long one apart."""
    return str(attached.get(said.removeprefix(ATTACHED), said)) if said.startswith(ATTACHED) else said
