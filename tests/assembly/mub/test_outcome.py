"""The numbers of an assembly add up: every track of the archive is in one line of what is told, and in one only."""

import csv
import json
import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from musebench_tasks.assembly.mub import assemble, load_config, report_text
from musebench_tasks.base.errors import InputError

HEAD = (
    "track_id,title,artist,license,attribution,source,submission_id,start_s,end_s,label,tempo_bpm,key,time_signature\n"
)
GOOD = "s1,0,20,verse,100,C major,4/4"
KINDS = {
    "good": GOOD,
    "fast": "s1,0,20,verse,150,A minor,3/4",
    "faulty": "s1,0,20,verse,quick,C major,4/4",
    "backwards": "s1,20,0,verse,100,C major,4/4",
    "without key": "s1,0,20,verse,100,,4/4",
    "without segments": "s1,,,,100,C major,4/4",
    "unlabelled": "s1,0,20,,100,C major,4/4",
    "not annotated": ",,,,,,",
    "said twice": f"{GOOD}\n%s,s1,0,20,verse,120,C major,4/4",
}


def written(kinds, same_name):
    """A table with a track of each of `kinds`; those whose place is in `same_name` have one title and artist."""
    text = HEAD
    for place, kind in enumerate(kinds):
        facts = f"t{place},{'Same' if place in same_name else f'Title {place}'},Band,CC0-1.0,Band,https://example.org"
        text += f"{facts},{KINDS[kind].replace('%s', facts)}\n"
    return text


def numbers(text):
    """The number of tracks in the archive, and how many each line says became of them."""
    lines = {line[:12].strip(): line[12:] for line in text.splitlines() if line[:12].strip()}
    (archive,) = re.findall(r"^([\d,]+) tracks?, ", lines["archive"])
    (collection,) = re.findall(r"^([\d,]+) recordings?", lines["collection"])
    left = 0 if lines["left out"] == "none" else sum(int(part.split()[0]) for part in lines["left out"].split(", "))
    return int(archive), left, int(lines.get("not drawn", 0)), int(collection)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=9), st.sets(st.integers(0, 8)), st.integers(1, 6))
def test_every_track_is_counted_once(tmp_path_factory, kinds, same_name, size):
    place = tmp_path_factory.mktemp("mub")
    (place / "archive").mkdir()
    (place / "archive" / "all.csv").write_text(written(kinds, same_name))
    if not {"good", "fast"} & set(kinds):
        with pytest.raises(InputError, match="no track can be used"):
            assemble(place / "archive", place / "set", load_config(size=size), with_audio=False)
        return
    outcome = assemble(place / "archive", place / "set", load_config(size=size), with_audio=False)
    assert set(outcome.track_outcomes) == {f"t{place}" for place in range(len(kinds))}
    archive, left, not_drawn, collection = numbers(report_text(outcome))
    assert archive == len(kinds) == left + not_drawn + collection
    made = place / "set.assembly"
    told = [json.loads(line) for line in (made / "provenance.jsonl").read_text().splitlines()]
    assert [each["track_id"] for each in told] == sorted(outcome.track_outcomes)
    with (made / "left_out.csv").open(newline="") as file:
        assert len({row["track_id"] for row in csv.DictReader(file)}) == left


def test_what_is_missing_and_what_nobody_annotated_is_no_fault(tmp_path):
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "all.csv").write_text(written(["good", *KINDS], set()))
    outcome = assemble(tmp_path / "archive", tmp_path / "set", load_config(size=1), with_audio=False)
    kinds = Counter(each.kind for each in outcome.track_outcomes.values())
    assert kinds == {
        "chosen": 1,
        "not drawn": 2,
        "with faults": 3,
        "with a field missing": 3,
        "not annotated": 1,
    }
    assert "left out    3 with faults, 3 with a field missing, 1 not annotated\n" in report_text(outcome)
