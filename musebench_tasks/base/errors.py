"""Errors for people: one line that says which file, row and field, what was found and what to do.

The command line prints the message of a MuseError without a traceback and exits with its `exit_code`.
"""

import difflib
import unicodedata
from collections.abc import Iterable, Sequence

_JOINERS = "\u200c\u200d"
"""Invisible signs that words of some languages, and composed pictures, are written with."""
_NO_SIGNS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of what breaks a line, steers a terminal or turns the direction of writing, and is not read."""


class MuseError(Exception):
    """The work failed for a reason that the user can understand (exit 1)."""

    exit_code = 1


class InputError(MuseError):
    """What the user gave is wrong (exit 2)."""

    exit_code = 2


class MediaError(MuseError):
    """A medium cannot be read as it should; `code` is one of faults_media.md."""

    def __init__(self, code: str, explanation: str) -> None:
        super().__init__(f"{code}: {explanation}")
        self.code = code
        self.explanation = explanation


class MediaUnavailableError(MediaError):
    """Nothing lies where the medium should be."""


class ModelUnusableError(MuseError):
    """The model or its server answers nothing at all, so that asking further is of no use: the run stops."""


class DeviceLostError(ModelUnusableError):
    """The device of this process does nothing more in it; in a new process it may: this one ends."""


class BudgetReachedError(MuseError):
    """What the run may cost is spent; everything answered so far is kept."""


class LeakError(MuseError):
    """Something that only the evaluator may know was about to be sent: the run stops before it is."""


class OfflineError(MuseError):
    """Something tried to reach the network in an offline run: the run stops."""


class BackendError(MuseError):
    """The model or its server failed."""


class BackendTimeoutError(BackendError):
    """The model or its server gave no answer in time."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to `name`, first one that differs in case alone; None if none resembles it."""
    names = list(known)
    same = next((each for each in names if each.casefold() == name.casefold()), None)
    return same or next(iter(difflib.get_close_matches(name, names, n=1, cutoff=0.5)), None)


def counted(number: int, one: str, several: str | None = None) -> str:
    """`1 item`, `2 items`, `3 media`."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def steers(sign: str) -> bool:
    """Whether a character steers a terminal or a page instead of being read."""
    return unicodedata.category(sign) in _NO_SIGNS and sign not in _JOINERS


def one_line(text: object) -> str:
    r"""`text` with what is not to be seen written out: a line feed as `\n`, a byte that is no UTF-8 as `\udcff`."""
    return "".join(ascii(sign)[1:-1] if steers(sign) else sign for sign in str(text))


def lines_of(text: object) -> str:
    """A text of several lines, each of them as `one_line` writes it."""
    return "\n".join(map(one_line, str(text).split("\n")))


def few(names: Sequence[str], most: int = 3) -> str:
    """`a, b, c and 4 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def few_lines(lines: Sequence[str], most: int, *, place: str = "", advice: str = "") -> list[str]:
    """The first `most` of `lines`, and how many more there are: `PLACE: and 3 more lines like these. ADVICE`."""
    if len(lines) <= most:
        return list(lines)
    rest = f"and {counted(len(lines) - most, 'more line')} like these."
    return [*lines[:most], f"{place}: {rest} {advice}".removeprefix(": ").rstrip()]


def cut(text: str, longest: int) -> str:
    """`text` on one line, and no longer than `longest` characters; the last is a `…` where some were left out."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def nearest(name: str, known: Iterable[str]) -> str:
    """` (nearest: …)` for the known name closest to `name`, or the empty string."""
    match = closest(name, known)
    return f" (nearest: {match})" if match else ""
