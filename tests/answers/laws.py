"""What holds for every text that the parsers read: used by the property tests and by the fuzzers."""

import json
import time
import zlib

from musebench_tasks.answers import (
    parse_choice,
    parse_key,
    parse_music,
    parse_segments,
    parse_tempo,
    parse_time_signature,
)
from musebench_tasks.base.records import Status
from musebench_tasks.values import Metre, is_admissible, key_name, metre_name, parse_key_name, parse_metre

FIELDS = ("tempo", "key", "time_signature", "segments")
STATUSES = {Status.OK, Status.UNPARSED, Status.REFUSED, Status.TRUNCATED, Status.OUT_OF_RANGE, Status.BACKEND_ERROR}
OPTION_LISTS = (
    ("Violin", "Cello", "Trumpet", "A minor", "None of the above"),
    ("C major", "A minor", "F# minor", "Bb major"),
    ("About 90 BPM", "About 128 BPM", "It changes", "C", "AABA", "The bass guitar", "Guitar", "Yes"),
)
TRACE = "<think>Answer: D, 90 BPM in G minor.</think>"
_SHORT, _LONG = 3_000, 12_000
"""Characters of the two texts by whose times growth is judged."""


def obey_choice(text, options=OPTION_LISTS[0], multi=False):
    """Raise AssertionError where a reading of `text` as a choice breaks a law."""
    answer = parse_choice(text, options, multi)
    letters = "ABCDEFGH"[: len(options)]
    assert answer.status in STATUSES, answer
    assert set(answer.labels) <= set(letters), answer
    assert list(answer.labels) == sorted(set(answer.labels)), answer
    if answer.status is not Status.OK:
        assert answer.labels == (), answer
    elif multi:
        assert answer.labels or answer.rule == "explicit_none", answer
    else:
        assert len(answer.labels) == 1, answer
    assert parse_choice(text, options, multi) == answer, "the same text reads differently the second time"
    for dressed in _dressed(text, answer.status):
        other = parse_choice(dressed, options, multi)
        assert other[:2] == answer[:2], (answer, other)
    assert parse_choice(text, options, multi, "stop") == answer
    cut = parse_choice(text, options, multi, "length")
    assert cut.labels == answer.labels, (answer, cut)
    assert cut.status in (answer.status, Status.TRUNCATED), (answer, cut)


def obey_music(text, duration_s=60.0):
    """Raise AssertionError where a reading of `text` as a music answer breaks a law."""
    answers = parse_music(text, FIELDS, duration_s)
    alone = {
        "tempo": parse_tempo(text),
        "key": parse_key(text),
        "time_signature": parse_time_signature(text),
        "segments": parse_segments(text, duration_s),
    }
    for name, answer in answers.items():
        assert answer.status in STATUSES, answer
        assert (answer.value is None) == (answer.status is not Status.OK), answer
        assert (answer.status, answer.rule, answer.flags) == alone[name][1:], (answer, alone[name])
    assert parse_music(text, FIELDS, duration_s) == answers, "the same text reads differently the second time"
    statuses = {each.status for each in answers.values()}
    for dressed in _dressed(text, Status.BACKEND_ERROR if Status.BACKEND_ERROR in statuses else Status.OK):
        for name, other in parse_music(dressed, FIELDS, duration_s).items():
            answer = answers[name]
            assert (other.value, other.status) == (answer.value, answer.status), (name, dressed, answer, other)
    for name, cut in parse_music(text, FIELDS, duration_s, "length").items():
        assert cut.value == answers[name].value, (name, cut)
        assert cut.status in (answers[name].status, Status.TRUNCATED), (name, cut)
    _values_are_admissible({name: answer.value for name, answer in alone.items()}, duration_s)


def obey_linear(read, text):
    """Raise AssertionError where four times the text takes far more than four times as long."""
    if not text:
        return
    short, long = (text * (length // len(text) + 1) for length in (_SHORT, _LONG))
    grows = [_seconds(read, long) < 10 * _seconds(read, short) + 0.03 for _ in range(1)]
    if not grows[0]:
        assert any(_seconds(read, long) < 10 * _seconds(read, short) + 0.03 for _ in range(6)), "work grows too fast"


def is_chosen(text, one_in):
    """Whether a text is one of every `one_in`, for checks too slow for each; the same text always or never."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % one_in == 0


def _dressed(text, status):
    yield f"\n\n{text}\n\n \n"
    if status is not Status.BACKEND_ERROR:
        yield TRACE + text


def _values_are_admissible(values, duration_s):
    tempo, key, metre, segments = (values[name] for name in FIELDS)
    if tempo is not None:
        assert isinstance(tempo, float), tempo
        assert 10 <= tempo <= 600, tempo
        assert parse_tempo(json.dumps({"tempo": tempo})).value == tempo, tempo
    if key is not None:
        assert key_name(parse_key_name(key)) == key
        assert parse_key(key).value == key
    if metre is not None:
        assert is_admissible(*parse_metre(metre)), metre
        assert metre_name(Metre(*parse_metre(metre))) == metre
        assert parse_time_signature(metre).value == metre
    if segments is not None:
        _segments_are_admissible(segments, duration_s)


def _segments_are_admissible(segments, duration_s):
    end_before = 0.0
    for start, end, label in segments:
        assert end_before <= start < end <= duration_s, segments
        assert isinstance(label, str)
        assert label == label.strip()
        end_before = end
    times = [[start, end] for start, end, _ in segments]
    again = parse_segments(json.dumps(times), duration_s)
    assert again.value == [[*each, ""] for each in times], (segments, again)


def _seconds(read, text):
    start = time.process_time()
    read(text)
    return time.process_time() - start
