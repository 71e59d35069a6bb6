"""Citations of docs/spec: whatever code, tests, data and pages cite is there, once, and what is there is cited."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "docs" / "spec"
FOLDERS = ("musebench_tasks", "tests", "docs", "metrics", "dataset_scripts", "yaml_configs", "benchmarks")
SUFFIXES = {".py", ".md", ".yaml", ".jsonl", ".jinja", ".html", ".toml"}
MOST_WORDS = 12_000

PLACES = re.compile(r"\.md((?:(?:,| and| to)? (?:P?\d+(?:\.\d+)*|[mi]\d\d)(?![\w%]))+)")
NAME = re.compile(r"[a-z_]+\Z")
PLACE = re.compile(r"( to )?(P?\d+(?:\.\d+)*|[mi]\d\d)")
CODE = re.compile(r"\b(?:MB|HQ|MU)-\d\d\b")
POLICY = re.compile(r"\bP(?:1[0-2]|[1-9])\b")
DEFINITIONS = re.compile(
    r"^#+ (?P<section>\d+(?:\.\d+)*) |^\| (?P<row>\d+|[A-Z]{2}-\d\d|[mi]\d\d(?: [mi]\d\d)*) \||^\*\*(?P<policy>P\d+) ",
    re.MULTILINE,
)


@cache
def sources() -> dict[Path, str]:
    """Every text of the repository outside docs/spec, its lines joined."""
    inside = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    paths = [path for path in inside if SPEC not in path.parents and path != Path(__file__)]
    texts = {path: path.read_text(encoding="utf-8") for path in (*paths, *ROOT.glob("*.md"))}
    return {path: re.sub(r"\s+(?:# )?", " ", text.replace("\\_", "_")) for path, text in texts.items()}


@cache
def defined(page: str) -> Counter[str]:
    """How often each place of a page is defined: sections, policies, and the names in first cells of tables."""
    found: Counter[str] = Counter()
    for match in DEFINITIONS.finditer((SPEC / f"{page}.md").read_text(encoding="utf-8")):
        found.update((match["section"] or match["policy"] or match["row"]).split())
    return found


def pages() -> list[str]:
    return sorted(path.stem for path in SPEC.glob("*.md") if path.stem != "README")


def cited_places():
    """(file, page, place) of every citation; a range of rows of a table cites each."""
    for path, text in [*sources().items(), *((p, p.read_text(encoding="utf-8")) for p in SPEC.glob("*.md"))]:
        for match in PLACES.finditer(text):
            name, last = NAME.search(text, max(0, match.start() - 40), match.start()), ""
            page = name[0] if name else ""
            for is_end, place in PLACE.findall(match[1]):
                between = range(int(last) + 1, int(place)) if is_end and (last + place).isdigit() else ()
                yield from ((path, page, str(number)) for number in between)
                yield path, page, place
                last = place


def test_every_cited_place_is_on_its_page():
    lost = [
        f"{path.relative_to(ROOT)}: {page}.md {place}"
        for path, page, place in cited_places()
        if page not in pages() or defined(page)[place] != 1
    ]
    assert not lost


def test_every_cited_code_is_defined_once():
    codes = defined("papers")
    lost = [
        f"{path.relative_to(ROOT)}: {code}"
        for path, text in sources().items()
        for code in CODE.findall(text)
        if codes[code] != 1
    ]
    assert not lost
    policies = {
        code
        for path, text in sources().items()
        if "answers" in path.relative_to(ROOT).parts and path.suffix == ".py"
        for code in POLICY.findall(text)
    }
    assert policies
    assert not [code for code in policies if defined("answers")[code] != 1]


def test_nothing_stands_there_that_nobody_cites():
    everything = "\n".join(sources().values())
    assert not {code for code in defined("papers") if CODE.fullmatch(code)} - set(CODE.findall(everything))
    cited = {(page, place) for _, page, place in cited_places()}
    idle = [
        f"{page}.md {section}"
        for page in ("answers", "music_metrics", "statistics")
        for section in defined(page)
        if section[0].isdigit() and not any(p == page and (s + ".").startswith(section + ".") for p, s in cited)
    ]
    assert not idle
    assert sum(len(path.read_text(encoding="utf-8").split()) for path in SPEC.glob("*.md")) <= MOST_WORDS


@pytest.mark.parametrize("text", ["statistics.md 9.9", "nowhere.md 1", "faults_scoring.md 80 to 82", "answers.md P13"])
def test_a_citation_that_leads_nowhere_is_seen(text, monkeypatch):
    monkeypatch.setattr(f"{__name__}.sources", lambda: {ROOT / "README.md": text})
    with pytest.raises(AssertionError):
        test_every_cited_place_is_on_its_page()
