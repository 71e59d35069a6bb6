"""What datasets cost: bytes to the first item over a network, assembling a MUB collection, checking many rows.

    python benchmarks/data.py [--only first_item assembly rows] [--tracks 5000] [--rows 100000]

Streaming asks a Hub on this machine (tests/fakes/hub), which counts every byte it sends, headers included. Every part
runs in a process of its own; times are CPU seconds, inputs are made first, untimed. Exits 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SEED = 42
DEMOS = ("musebench", "hummusqa", "mub")
MOST_BYTES = 2_000_000
SLACK_BYTES = 200_000
"""Beside footer and row group: headers, the README, listings of files, a block that is read twice."""
LARGE_MEDIUM = 3_000_000
LARGE_ROWS = 40
FIRST_ITEM = """
import os, sys, datasets
rows = datasets.load_dataset(sys.argv[1], split="test", streaming=True)
next(iter(rows.decode(False)))
os._exit(0)  # threads of pyarrow that still read ahead can end the interpreter with a signal
"""
WORDS = (
    *("amber", "river", "north", "paper", "silver", "garden", "winter", "signal", "harbour", "velvet", "copper"),
    *("moss", "window", "bridge", "shadow", "actor", "curtain", "horizon", "lantern", "mirror", "stairs", "orchard"),
)


class Line(NamedTuple):
    """One line of the table; met where `measured` is at most `target`."""

    what: str
    measured: float
    target: float
    unit: str


def main() -> None:
    """Measure the parts asked for, print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--tracks", type=int, default=5000)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(list(PARTS[options.part](options))))
        return
    missed = 0
    for part in options.only:
        for line in measured(part, options):
            print(f"{line.what:<66}{shown(line.measured, line.unit)}{verdict(line)}", flush=True)
            missed += line.measured > line.target
    raise SystemExit(1 if missed else 0)


def measured(part: str, options: argparse.Namespace) -> list[Line]:
    """The lines of a part, from a process of its own."""
    command = [sys.executable, __file__, "--part", part, "--tracks", str(options.tracks), "--rows", str(options.rows)]
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"Part {part} could not be measured:\n{done.stderr[-2000:]}")
    return [Line(*each) for each in json.loads(done.stdout.splitlines()[-1])]


def verdict(line: Line) -> str:
    """The target and whether it is met."""
    return f"   target {shown(line.target, line.unit)}  {'met' if line.measured <= line.target else 'MISSED'}"


def shown(number: float, unit: str) -> str:
    """`1,234,567 bytes`, `4.2 s`."""
    return f"{number:>12,.0f} {unit}" if unit == "bytes" else f"{number:>8,.1f} {unit}"


def first_item(_: argparse.Namespace) -> Iterator[Line]:
    """Bytes that `load_dataset(..., streaming=True)` takes until it gives the first item."""
    from musebench_tasks.base.resources import demo_directory

    for name in DEMOS:
        folder = demo_directory(name)
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        yield Line(f"first item of {name}_demo", bytes_to_first_item(files), MOST_BYTES, "bytes")
    files, least = large_set()
    what = f"first item of {LARGE_ROWS} rows of {LARGE_MEDIUM // 1_000_000} MB"
    yield Line(what, bytes_to_first_item(files), least + SLACK_BYTES, "bytes")


def large_set() -> tuple[dict[str, bytes], int]:
    """A repository of media too large for 1.5 MB, written as all are here; bytes of its first footer and row group."""
    import pyarrow.parquet as pq

    from musebench_tasks.assembly.repository import media_cell, write_shards
    from musebench_tasks.assembly.schemas import dataset_schema
    from musebench_tasks.base.resources import demo_directory

    chance = random.Random(SEED)
    like = pq.read_table(demo_directory("mub") / "default").slice(0, 1).to_pylist()[0]
    made = [
        like | {"id": f"{number}", "audio": media_cell(chance.randbytes(LARGE_MEDIUM), f"{number}.wav")}
        for number in range(LARGE_ROWS)
    ]
    with tempfile.TemporaryDirectory() as folder:
        shards = write_shards(Path(folder), dataset_schema("mub").columns, made)
        files = {f"data/{file.name}": file.read_bytes() for file in shards}
        metadata = pq.ParquetFile(shards[0]).metadata
    least = metadata.serialized_size + metadata.row_group(0).total_byte_size
    card = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: data/test-*.parquet\n---\n"
    return {"README.md": card.encode(), **files}, least


def bytes_to_first_item(files: dict[str, bytes]) -> int:
    """What a Hub with `files` sends to a fresh process that takes the first item."""
    with counting_hub() as hub, tempfile.TemporaryDirectory() as folder:
        hub.create("datasets", "ORG/set", files)
        environment = os.environ | hub.environment(Path(folder), token=None)
        command = [sys.executable, "-c", FIRST_ITEM, "ORG/set"]
        subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True, timeout=300)
        return hub.sent


def counting_hub() -> Any:
    """A fake Hub that knows how many bytes went out."""
    from fakes.hub import FakeHub

    class CountingHub(FakeHub):
        sent = 0

        def _server(self) -> Any:
            server, hub = super()._server(), self

            class Handler(server.RequestHandlerClass):  # type: ignore[misc, name-defined]
                def setup(self) -> None:
                    super().setup()
                    write = self.wfile.write

                    def counted(data: bytes) -> Any:
                        written = write(data)
                        with hub.lock:
                            hub.sent += len(data)
                        return written

                    self.wfile.write = counted

            server.RequestHandlerClass = Handler
            return server

    return CountingHub()


def assembly(options: argparse.Namespace) -> Iterator[Line]:
    """CPU seconds of a MUB collection of 500 without audio, out of an archive that is made up."""
    from benchmarks.mub_archive import write_archive
    from musebench_tasks.assembly.mub import assemble, load_config

    with tempfile.TemporaryDirectory() as folder:
        archive = write_archive(Path(folder) / "archive", options.tracks)
        begun = time.process_time()
        assemble(archive, Path(folder) / "collection", load_config(size=500), with_audio=False)
        spent = time.process_time() - begun
    yield Line(f"500 of {options.tracks:,} tracks assembled, without audio", spent, 60, "s")


def rows(options: argparse.Namespace) -> Iterator[Line]:
    """CPU seconds of every rule over many rows of musebench."""
    from musebench_tasks.assembly.rules import check_items

    made = [row(number) for number in range(options.rows)]
    begun = time.process_time()
    findings = check_items(made, "musebench", media=False)
    spent = time.process_time() - begun
    if findings.stopping:
        raise SystemExit(f"The rows were meant to be right: {findings.stopping[0].line}")
    yield Line(f"{options.rows:,} rows checked by all rules, {len(findings.findings):,} findings", spent, 10, "s")


def row(number: int) -> dict[str, Any]:
    """A row that breaks no rule, of words drawn by its number."""
    from musebench_tasks.assembly import choice_columns

    chance = random.Random(f"{SEED}|{number}")
    name, right = f"item-{number}", chance.randrange(4)
    texts = [" ".join(chance.sample(WORDS, 5)) for _ in range(4)]
    strategies = ("factual error", "technical misread", "over-simplification")
    wrong = dict(zip(texts[:right] + texts[right + 1 :], strategies, strict=True))
    return {
        "id": name,
        "start_s": 0.0,
        "end_s": 20.0,
        "cluster_id": f"clip-{number // 4}",
        "category": "Cinematic",
        "subdomain": "Cinematography",
        "kind": "single",
        "question": f"What of {' '.join(chance.sample(WORDS, 6))} leads to {number}?",
        "transcript": None,
        "alignment": "visual",
        "core_intent": "what is made up",
        "license": "CC-BY-4.0",
        "attribution": "nobody",
        "version": "1.0",
    } | choice_columns(name, (texts[right],), wrong)


PARTS = {"first_item": first_item, "assembly": assembly, "rows": rows}


if __name__ == "__main__":
    main()
