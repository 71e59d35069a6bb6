"""Inspect's `EvalLog`: one JSON file, or the .eval archive of a header and a file a sample.

Read by its keys alone, without inspect_ai. A sample's epoch, which counts from 1, is our run, which counts from 0; a
sample that ended in an error is a failed request, not a missing one. Facts: inspect_ai 0.3.285, log version 2.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from os import SEEK_CUR
from pathlib import Path
from typing import Any

from musebench_tasks.bridges.logs.rows import Log, LoggedAnswer, identity, read_json, with_failures
from musebench_tasks.errors import InputError
from musebench_tasks.records import DecodingBlock, HarnessBlock, Status

HEADERS = ("header.json", "_journal/start.json")
"""What an archive tells of its run; only the second is there when the run did not end."""
ATTACHED = "attachment://"
ZSTANDARD = 93
"""The number of this compression in archives (APPNOTE.TXT 4.4.5)."""
LOCAL_HEADER = struct.Struct("<4s5H3L2H")
"""What stands before a file in an archive, up to the lengths of its name and of what follows that (4.3.7)."""
OUT_OF_TIME = frozenset({"time", "working"})
"""Limits of a sample that are of time."""


def read_inspect(path: Path) -> Log:
    """The answers of one log."""
    header, samples = _archive(path) if zipfile.is_zipfile(path) else _file(path)
    about = header.get("eval")
    if not isinstance(about, dict):
        raise InputError(f'{path}: has no "eval", so is no log of Inspect.')
    packages = _part(about, "packages")
    settings = {**_part(about, "model_generate_config"), **_part(_part(header, "plan"), "config")}
    return Log(
        source=str(path),
        answers=tuple(_answer(place, sample) for place, sample in samples),
        harness=HarnessBlock(
            name=f"inspect_ai (EvalLog version {header.get('version')})",
            version=packages.get("inspect_ai"),
            git=_part(about, "revision").get("commit"),
        ),
        model=about.get("model"),
        decoding=DecodingBlock(
            temperature=settings.get("temperature"),
            top_p=settings.get("top_p"),
            max_tokens=settings.get("max_tokens"),
            seed=settings.get("seed"),
        ),
    )


def _file(path: Path) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    log = read_json(path)
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise InputError(f'{path}: has no "samples", so is no full log of Inspect (a header alone holds no answers).')
    return log, list(_checked((f"{path} sample {number}", each) for number, each in enumerate(log["samples"], start=1)))


def _archive(path: Path) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            name = next((each for each in HEADERS if each in names), None)
            if name is None:
                raise InputError(f"{path}: has no {HEADERS[0]}, so is no log of Inspect.")
            header = json.loads(_member(archive, name))
            files = sorted(each for each in names if each.startswith("samples/") and each.endswith(".json"))
            samples = [(f"{path}/{each}", json.loads(_member(archive, each))) for each in files]
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as problem:
        raise InputError(
            f"{path}: cannot be read ({problem}). Have Inspect write it as JSON: "
            f"`inspect log convert {path.name} --to json --output-dir json`."
        ) from problem
    if not isinstance(header, dict):
        raise InputError(f"{path}: {name} is no JSON object.")
    return header, list(_checked(iter(samples)))


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """A file of an archive. Inspect compresses with Zstandard, which `zipfile` reads in later versions of Python."""
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


def _checked(samples: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, sample in samples:
        if not isinstance(sample, dict) or "id" not in sample:
            raise InputError(f'{place}: has no "id", so is no sample of Inspect.')
        yield place, sample


def _answer(place: str, sample: dict[str, Any]) -> LoggedAnswer:
    attached = _part(sample, "attachments")
    told = {"id": sample["id"], **_part(sample, "metadata")}
    named = identity(told, place, ("item_id", "id"))
    if named["run"] is None and isinstance(sample.get("epoch"), int):
        named["run"] = sample["epoch"] - 1
    choices = sample.get("choices")
    output = _part(sample, "output")
    first = next(iter(output.get("choices") or ()), None) or {}
    return LoggedAnswer(
        place,
        **named,
        option_texts=tuple(_whole(str(each), attached) for each in choices) if choices else None,
        finish_reason=first.get("stop_reason"),
        **_ending(sample, output, attached),
        shown=_shown(sample.get("messages") or sample.get("input"), attached),
    )


def _ending(sample: dict[str, Any], output: dict[str, Any], attached: dict[str, Any]) -> dict[str, Any]:
    """Text, or why there is none."""
    error = _part(sample, "error").get("message") or output.get("error")
    text = _whole(str(output.get("completion") or ""), attached)
    if error:
        return {"failure": Status.BACKEND_ERROR, "error": str(error)}
    limit = _part(sample, "limit").get("type")
    if not text and limit is not None:
        status = Status.TIMEOUT if limit in OUT_OF_TIME else Status.BACKEND_ERROR
        return {"failure": status, "error": f"ended by its {limit} limit"}
    if not output.get("choices"):
        return {"failure": Status.BACKEND_ERROR, "error": "the sample has no output"}
    return with_failures(text)


def _shown(messages: Any, attached: dict[str, Any]) -> str | None:
    """The words that the model was shown."""
    if isinstance(messages, str):
        return _whole(messages, attached)
    if not isinstance(messages, list):
        return None
    asked = [each.get("content") for each in messages if isinstance(each, dict) and each.get("role") == "user"]
    texts = []
    for content in asked:
        parts = content if isinstance(content, list) else [{"text": content}]
        texts += [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "\n".join(_whole(text, attached) for text in texts)


def _whole(text: str, attached: dict[str, Any]) -> str:
    """The text itself where a sample keeps a long one apart."""
    return str(attached.get(text.removeprefix(ATTACHED), text)) if text.startswith(ATTACHED) else text


def _part(told: dict[str, Any], name: str) -> dict[str, Any]:
    found = told.get(name)
    return found if isinstance(found, dict) else {}
