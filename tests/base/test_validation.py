"""Whatever is wrong with a record is told in this project's words, with its place and what was found."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import musebench_tasks
from musebench_tasks.base import records
from musebench_tasks.base.records import Prediction, PublishedRow, Record, RunConfig, Submission, TaskConfig
from musebench_tasks.base.text import shown
from musebench_tasks.base.validation import Code, faults, first_phrase

EVERY_RECORD = [kind for name in records.__all__ if isinstance(kind := getattr(records, name), type)]
EVERY_RECORD = [kind for kind in EVERY_RECORD if issubclass(kind, Record) and kind is not Record]
NO_VALUES = [
    None,
    True,
    -7,
    1.5,
    10**400,
    "\ud800",
    "x" * 5000,
    "",
    "\x1b[2J",
    [],
    [[]],
    [None],
    {},
    {"a": {}},
    [{"a": 1}],
]
PYDANTIC = re.compile(
    r"\bInput\b|\bString\b|\bvalid\b|instance|Tuple|Dict|dictionary|pydantic|error|parse|Extra|Field|bytes", re.ASCII
)
QUOTED = re.compile(r"'[^']*'")
WORDS = re.compile(r"(should |is missing\. |is no known |is not JSON \()")


def told(record, data):
    try:
        record.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        return list(faults(error, record, data))
    return []


@pytest.mark.parametrize("record", EVERY_RECORD, ids=lambda each: each.__name__)
def test_every_wrong_value_of_every_field_is_told_in_our_words(record):
    named = set()
    for value in NO_VALUES:
        for fault in told(record, {**dict.fromkeys(record.model_fields, value), "no such field": 1}):
            asked = QUOTED.sub("", fault.message.partition(", found ")[0].partition("Known: ")[0])
            assert fault.code in set(Code), fault
            assert WORDS.match(fault.message), fault
            assert not PYDANTIC.search(asked), fault
            assert len(fault.message) < 700, fault
            named.update(fault.location[:1])
    assert {
        "no such field",
        *(name for name, field in record.model_fields.items() if field.annotation is not Any),
    } <= named


@pytest.mark.parametrize("text", ["", "{", "[1", '{"a": \ud800}', "nul"])
def test_what_is_no_json_is_one_fault(text):
    with pytest.raises(ValidationError) as caught:
        Prediction.model_validate_json(text.encode("utf-8", "surrogatepass"))
    (fault,) = faults(caught.value, Prediction, text)
    assert (fault.code, fault.location, fault.advice) == (Code.NOT_JSON, (), "Write it anew.")
    assert re.fullmatch(r"is not JSON \(.*\)\.", fault.found)


@pytest.mark.parametrize(
    ("record", "data", "location", "words"),
    [
        (Prediction, {"run": "0"}, ("run",), 'should be a whole number, found "0".'),
        (Prediction, {"status": "okk"}, ("status",), "'missing', found \"okk\" (nearest: ok)."),
        (
            Prediction,
            {"parsed": {"tempo": {"status": "ok", "flags": "x"}}},
            ("parsed", "tempo", "flags"),
            "a list, found",
        ),
        (Prediction, {"parsed": 5}, ("parsed",), "should be a list or a mapping (key: value), found 5."),
        (Prediction, {"option_order": ["a", 2]}, ("option_order", 1), "should be text, found 2."),
        (Prediction, {"frames": {"used": 1}}, ("frames", "policy"), "is missing. Add it."),
        (Prediction, {"frames": {"usd": 1}}, ("frames", "usd"), 'is no known field (nearest known field: "used").'),
        (RunConfig, {"max_tokens": 1}, ("max_tokens",), 'is no known field (belongs under "decoding").'),
        (TaskConfig, {"overlap_s": 1}, ("overlap_s",), 'is no known field (belongs under "protocol.chunking").'),
        (Submission, {"run_sha256": "abc"}, ("run_sha256",), "should be of the form ^[0-9a-f]{64}$, found"),
        (PublishedRow, {"scores": {"accuracy": "high"}}, ("scores", "accuracy"), 'should be a number, found "high".'),
    ],
)
def test_each_fault_names_its_place_as_it_is_written(record, data, location, words):
    found = [each.message for each in told(record, data) if each.location == location]
    assert len(found) == 1
    assert words in found[0]


def test_what_was_understood_in_one_way_is_not_told_of_the_others():
    """Of `parsed`, a list of options or fields of music, only what is wrong with the one that was meant."""
    places = [each.location for each in told(Prediction, {"parsed": {"key": {"status": "fine"}}})]
    assert ("parsed", "key", "status") in places
    assert ("parsed",) not in places


def test_what_was_found_steers_no_terminal_and_is_cut():
    assert shown("a\x1b\u202eb\ud800") == r'"a\u001b\u202eb\ud800"'
    assert shown("x" * 1000).endswith('x…" (1000 characters)')


def test_one_value_alone_is_told_in_the_same_words():
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(int).validate_python("four")
    assert first_phrase(caught.value) == "should be a whole number"


def test_no_other_module_tells_what_pydantic_says():
    package = Path(musebench_tasks.__file__).parent
    own = package / "base" / "validation.py"
    tell = re.compile(r"""\[["']msg["']\]""")
    assert [str(file) for file in package.rglob("*.py") if file != own and tell.search(file.read_text())] == []
