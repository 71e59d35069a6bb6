"""What `--retry errors` asks again: failures that stood in the journals when the retrying began.

The first process notes where every journal ended then; those that join it, or go on after a kill, find the note, so
that each failure is asked again once. The note goes when all is answered.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from musebench_tasks.base.files import write_text
from musebench_tasks.inference.locks import locked

_FILE = "retry.json"


def retry_positions(folder: Path) -> dict[int, int]:
    """Worker number -> bytes of its journal that hold failures to be asked again."""
    place = folder / "leases" / _FILE
    with locked(place.with_name(".lock")):
        with suppress(OSError, ValueError):
            return {int(worker): int(size) for worker, size in json.loads(place.read_text(encoding="utf-8")).items()}
        sizes = journal_sizes(folder)
        write_text(place, json.dumps(sizes))
        return sizes


def journal_sizes(folder: Path) -> dict[int, int]:
    """Bytes in every worker's journal."""
    sizes: dict[int, int] = {}
    for path in (folder / "responses").glob("worker-*.jsonl"):
        sizes[int(path.stem.removeprefix("worker-"))] = path.stat().st_size
    return sizes
