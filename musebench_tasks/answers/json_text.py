"""JSON as models write it: found in any text, read tolerantly, never completed (answers.md 4, "Reading JSON").

Tolerated: fences, prose around, trailing and missing commas, surplus closing brackets, single quotes, unquoted keys
and words, comments, Python tuples and constants, JSON encoded twice. Kept apart: duplicate keys, and what was cut
off (`CUT`, `complete`): a number at the end of the text may lack digits and is no value.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

_DEPTH = 24
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?(?:\*/|\Z)|#[ ][^\n]*)+", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?(?=\s*(?:[,\]})\"'\n]|//|/\*|[ ]#[ ]|\Z))")
_BAREWORD = re.compile(r"[^,\[\]{}()\"'\n:]+")
_BARE_VALUE = re.compile(r"[^,\]}\"\n]+")
_KEY = re.compile(r"[A-Za-z_][\w -]{0,40}?(?=\s*[:=])")
_CONSTANTS: Final[dict[str, Any]] = {
    "null": None,
    "none": None,
    "true": True,
    "false": False,
    "nan": Decimal("NaN"),
    "infinity": Decimal("Infinity"),
    "+infinity": Decimal("Infinity"),
    "-infinity": Decimal("-Infinity"),
    "inf": Decimal("Infinity"),
    "-inf": Decimal("-Infinity"),
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class _Cut:
    """The mark of a value that the end of the text cut off."""

    def __repr__(self) -> str:
        return "CUT"


CUT: Final = _Cut()


@dataclass
class JsonObject:
    """Key and value pairs as written, in order, duplicates kept; `complete` is False if the text ended inside it."""

    pairs: list[tuple[str, Any]] = field(default_factory=list)
    complete: bool = True

    def values(self, *names: str) -> list[Any]:
        """The values under any of `names` (lower case, blanks and hyphens as `_`), in order."""
        return [value for key, value in self.pairs if field_name(key) in names]


@dataclass
class JsonArray:
    """Values in order; `complete` is False if the text ended inside it."""

    values: list[Any] = field(default_factory=list)
    complete: bool = True


@dataclass
class FoundJson:
    """An object or array and where it stands."""

    value: JsonObject | JsonArray
    start: int
    end: int


class _NotJsonError(Exception):
    """What stands here is no data."""


def find_json(text: str) -> list[FoundJson]:
    """Every outermost object or array of `text`, in order."""
    found: list[FoundJson] = []
    reader = _JsonReader(text)
    position = 0
    while (start := _next_opening(text, position)) >= 0:
        value = reader.container(start)
        if value is None:
            # What opens deeper than is read makes no data of what stands around it: go on where it opens.
            position = max(start + 1, reader.too_deep)
        else:
            found.append(FoundJson(value, start, reader.position))
            position = reader.position
    return found


def fenced_blocks(text: str) -> Iterator[str]:
    """The contents of code fences; the last one may lack its closing fence."""
    if "```" in text:
        for match in _FENCE.finditer(text):
            yield match[1]


def decoded_twice(text: str) -> str | None:
    """The text inside, where JSON was encoded twice; else None."""
    if '\\"' not in text:
        return None
    inner = text.strip()
    if len(inner) > 1 and inner[0] == inner[-1] == '"':
        inner = inner[1:-1]
    return inner.replace("\\\\", "\\").replace('\\"', '"').replace("\\n", "\n")


def field_name(key: str) -> str:
    """A key in the form in which field names are compared."""
    return key.strip().lower().replace(" ", "_").replace("-", "_")


def is_container(value: Any) -> bool:
    """Whether `value` is an object or an array."""
    return isinstance(value, (JsonObject, JsonArray))


_OPENING = re.compile(r"[\[{(]")


def _next_opening(text: str, position: int) -> int:
    match = _OPENING.search(text, position)
    return match.start() if match else -1


class _JsonReader:
    """A recursive reader that gives up instead of guessing; its total work is bounded by the length of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.work = 16 * len(text) + 10_000
        self.too_deep = 0

    def container(self, start: int) -> JsonObject | JsonArray | None:
        """The object or array that opens at `start`, or None."""
        self.position = start
        try:
            value = self._container(0)
        except _NotJsonError:
            return None
        return value if isinstance(value, (JsonObject, JsonArray)) else None

    def _spend(self, start: int) -> None:
        self.work -= 1 + self.position - start
        if self.work < 0:
            raise _NotJsonError

    def _skip(self) -> None:
        match = _BLANK.match(self.text, self.position)
        if match:
            start, self.position = self.position, match.end()
            self._spend(start)

    def _peek(self) -> str:
        return self.text[self.position] if self.position < len(self.text) else ""

    def _container(self, depth: int) -> Any:
        if depth > _DEPTH:
            self.too_deep = self.position
            raise _NotJsonError
        opening = self._peek()
        self.position += 1
        self._spend(self.position - 1)
        return self._object(depth) if opening == "{" else self._array(depth, "]" if opening == "[" else ")")

    def _object(self, depth: int) -> JsonObject:
        result = JsonObject()
        while True:
            self._skip()
            character = self._peek()
            if character == "":
                result.complete = False
                return result
            if character == "}":
                self.position += 1
                return result
            if character == ",":
                self.position += 1
                self._spend(self.position - 1)
                continue
            if character in "])" and result.pairs:
                return result
            key = self._key()
            if key is CUT:
                result.complete = False
                return result
            self._skip()
            if self._peek() == "":
                result.complete = False
                return result
            if self._peek() not in ":=":
                raise _NotJsonError
            self.position += 1
            self._skip()
            value = self._value(depth, in_object=True)
            result.pairs.append((key.strip(), value))

    def _array(self, depth: int, closing: str) -> JsonArray:
        result = JsonArray()
        while True:
            self._skip()
            character = self._peek()
            if character == "":
                result.complete = False
                return result
            if character == closing:
                self.position += 1
                return result
            if character == ",":
                self.position += 1
                self._spend(self.position - 1)
                continue
            if character in ")]}:":
                if depth and result.values:
                    return result
                raise _NotJsonError
            result.values.append(self._value(depth, in_object=False))

    def _key(self) -> Any:
        if self._peek() in "\"'":
            return self._string()
        match = _KEY.match(self.text, self.position)
        if match is None:
            if re.fullmatch(r"[\w -]{0,40}", self.text[self.position : self.position + 41]):
                self.position = len(self.text)
                return CUT
            raise _NotJsonError
        self.position = match.end()
        return match[0]

    def _value(self, depth: int, *, in_object: bool) -> Any:
        character = self._peek()
        if character == "":
            return CUT
        if character in "{[(":
            return self._container(depth + 1)
        if character in "\"'":
            return self._string()
        number = _NUMBER.match(self.text, self.position)
        if number is not None:
            start, self.position = self.position, number.end()
            self._spend(start)
            return CUT if self.position == len(self.text) else _decimal(number[0])
        return self._bareword(in_object)

    def _bareword(self, in_object: bool) -> Any:
        """A word without quotes: a constant, or text such as `6/8`, `~128`, `120 bpm`, `C# minor`."""
        pattern = _BARE_VALUE if in_object else _BAREWORD
        match = pattern.match(self.text, self.position)
        if match is None:
            raise _NotJsonError
        start, self.position = self.position, match.end()
        self._spend(start)
        if self.position == len(self.text):
            return CUT
        word = re.split(r"//|/\*|\s#\s", match[0], maxsplit=1)[0].strip()
        if "{" in word or ("[" in word and in_object):
            raise _NotJsonError
        return _CONSTANTS.get(word.lower(), word)

    def _string(self) -> Any:
        quote = self._peek()
        start = self.position
        position = start + 1
        pieces: list[str] = []
        while position < len(self.text):
            end = self._next_special(position, quote)
            pieces.append(self.text[position:end])
            if end >= len(self.text):
                break
            if self.text[end] == quote:
                if self._closes(end, quote):
                    self.position = end + 1
                    self._spend(start)
                    return "".join(pieces)
                pieces.append(quote)
                position = end + 1
                continue
            escaped, position = self._escape(end)
            pieces.append(escaped)
        self.position = len(self.text)
        self._spend(start)
        return CUT

    def _next_special(self, position: int, quote: str) -> int:
        match = _SPECIAL[quote].search(self.text, position)
        return match.start() if match else len(self.text)

    def _closes(self, position: int, quote: str) -> bool:
        """An apostrophe inside a single-quoted word ("Don't") does not close it."""
        return quote == '"' or not self.text[position + 1 : position + 2].isalnum()

    def _escape(self, position: int) -> tuple[str, int]:
        following = self.text[position + 1 : position + 2]
        if following == "u":
            digits = self.text[position + 2 : position + 6]
            if re.fullmatch(r"[0-9A-Fa-f]{4}", digits):
                return chr(int(digits, 16)), position + 6
        return _ESCAPES.get(following, following), position + 2


_SPECIAL = {quote: re.compile(rf"[{quote}\\]") for quote in "\"'"}


def _decimal(text: str) -> Any:
    try:
        return Decimal(text)
    except InvalidOperation:
        return text
