"""What stands on the terminal while a run goes on: one line a task, or plain lines where it is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from musebench_tasks.base.records import ScoreRow

if TYPE_CHECKING:
    from musebench_tasks.api import Listener
    from musebench_tasks.inference import Progress

Headline = Callable[[], ScoreRow | None]
LIVE_EVERY_S = 0.5
PLAIN_EVERY_S = 20.0
NAME_WIDTH = 22


def make_listener() -> AbstractContextManager[Listener]:
    """The listener that fits standard output. Of processes launched together only the first says anything."""
    from musebench_tasks.api import leads
    from musebench_tasks.api.settings import Quiet

    if not leads():
        return nullcontext(Quiet())
    return TerminalListener(live=sys.stdout is not None and sys.stdout.isatty())


class TerminalListener(AbstractContextManager["TerminalListener"]):
    """Shows progress: rewritten in place on a terminal, a line now and then elsewhere."""

    def __init__(self, live: bool) -> None:
        self._every_s = LIVE_EVERY_S if live else PLAIN_EVERY_S
        self._lines: dict[str, str] = {}
        """What stands behind each name, in the order in which the names came up."""
        self._due: dict[tuple[str, str], float] = {}
        self._live: Any = _live_display() if live else None

    def __enter__(self) -> TerminalListener:
        """Begin."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the last state standing."""
        if self._live is not None:
            self._live.stop()

    def noticed(self, task: str, text: str) -> None:
        """Say what is to be known about a task."""
        self._say(task, text, several=text)

    def skipped(self, model: str, task: str, condition: str, reason: str) -> None:
        """Say what is not asked, and why."""
        self._say(f"{task} · {model}", f"{condition} not asked: {reason}", several=condition)

    def progressed(self, model: str, task: str, progress: Progress, headline: Headline) -> None:
        """Show the state of a task, at most every so often; on a terminal also when it is complete."""
        now = time.monotonic()
        live = self._live is not None
        due = self._due.setdefault((model, task), now if live else now + self._every_s)
        complete = progress.answered >= progress.planned
        if live if complete else now >= due:
            self._due[model, task] = now + self._every_s
            self._say(f"{task} · {model}", state_text(progress, headline()))

    def ended(self, model: str, task: str, progress: Progress, headline: ScoreRow | None) -> None:
        """Show the last state of a task."""
        self._say(f"{task} · {model}", state_text(progress, headline))

    def _say(self, name: str, text: str, several: str = "") -> None:
        """Show `text` behind `name`; in place of what stood there, unless `several` tells the two apart."""
        self._lines[f"{name}\0{several}"] = text
        names = [each.partition("\0")[0] for each in self._lines]
        width = max(NAME_WIDTH, *map(len, names))
        if self._live is None:
            with suppress(BrokenPipeError):
                print(f"{name:<{width}}   {text}", flush=True)
        else:
            lines = zip(names, self._lines.values(), strict=True)
            self._live.update(_text("\n".join(f"{each:<{width}}   {line}" for each, line in lines)))


def state_text(progress: Progress, row: ScoreRow | None) -> str:
    """How far, how many failed, the headline so far with its interval, time left."""
    left = progress.time_left_s()
    parts = [
        f"{progress.answered:>{len(str(progress.planned))}}/{progress.planned}",
        f"{progress.failed} failed",
        headline_text(row),
        "" if progress.answered >= progress.planned or left is None else f"{duration_text(left)} left",
    ]
    return "   ".join(part for part in parts if part)


def headline_text(row: ScoreRow | None) -> str:
    """`key 0.83 ± 0.05`: the value and half its 95 % interval, or the value and n where n is small."""
    if row is None or row.value is None:
        return ""
    name = row.metric.removeprefix("mub.").replace("_", " ").replace(".", " ")
    if row.interval is None:
        return f"{name} {row.value:.2f} (n {row.n})"
    return f"{name} {row.value:.2f} ± {(row.interval.high - row.interval.low) / 2:.2f}"


def duration_text(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def _live_display() -> Any:
    from rich.live import Live

    return Live(_text(""), refresh_per_second=4, transient=False)


def _text(content: str) -> Any:
    from rich.text import Text

    return Text(content, no_wrap=True, overflow="ellipsis")
