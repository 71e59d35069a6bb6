"""What is read in every case of tests/cases."""

import json
from collections.abc import Iterator
from pathlib import Path

from goldens.handles import read_answer

CASES = Path(__file__).parents[1] / "cases"


def cases() -> Iterator[tuple[str, str]]:
    """Of every case: file and id, and its result as JSON. Some ids stand twice in a file, for two kinds."""
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            kind = case.get("kind") or case.get("field") or "music"
            yield f"{path.stem}/{case['id']}/{kind}", json.dumps(read_answer(case), ensure_ascii=False, sort_keys=True)
