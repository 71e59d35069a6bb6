"""MU-06: the statistics table; with counts as published it reads as published."""

from musebench_tasks.assembly.mub import as_csv, as_markdown, as_text, count_rows
from musebench_tasks.values import PitchKey, key_name

LABELS = {"Chorus ": 1231, "verse": 1114, "intro": 460, "outro": 427, "bridge": 1444}
METRES = {"4/4": 492, "3/4": 4, "6/8": 4}


def published():
    """500 rows with the published counts, however they may be spread over the recordings."""
    labels = [label for label, count in LABELS.items() for _ in range(count)]
    metres = [metre for metre, count in METRES.items() for _ in range(count)]
    keys = [key_name(PitchKey(pitch, mode)) for pitch in range(12) for mode in ("major", "minor")]
    return [
        {
            "tempo_bpm": 47.0 + 133 * (number == 499) + (number % 100) * (number < 499),
            "key": keys[number % 24],
            "time_signature": metres[number],
            "segments": [{"label": label} for label in labels[number::500]],
            "multi_valued": ["key"] if number < 3 else [],
        }
        for number in range(500)
    ]


def test_the_published_numbers_come_back():
    table = {each.name: each.value for each in count_rows(published())}
    assert table["keys covered"] == "24/24"
    assert table["tempo range, BPM"] == "47 to 180"
    assert table["intervals"] == "4,676"
    assert table["mean intervals per recording"] == "9.35"  # 4676/500 = 9.352
    assert [table[f"time signature {name}"] for name in ("4/4", "3/4", "6/8")] == ["492", "4", "4"]
    assert [table[f'label "{name}"'] for name in ("chorus", "verse", "intro", "outro")] == [
        "1,231",
        "1,114",
        "460",
        "427",
    ]
    assert table["recordings of several keys"] == "3"


def test_the_table_has_three_forms():
    table = count_rows(published()[:2])
    assert as_text(table).splitlines()[0].split() == ["recordings", "2"]
    assert as_csv(table).splitlines()[:2] == ["statistic,value", "recordings,2"]
    assert as_markdown(table, 1).splitlines()[2] == "| recordings | 2 |"
    assert as_markdown(table, 1).count("label") == 1


def test_a_collection_of_nothing_has_a_table_too():
    assert {each.name: each.value for each in count_rows([])}["mean intervals per recording"] == "–"
