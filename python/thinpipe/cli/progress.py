"""A progress bar: on a terminal, after the first second."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

SHOW_AFTER_S = 1.0
"""Seconds until the bar appears."""


class Bar:
    """A progress bar on standard error, called with the amount done and the total."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._start = time.monotonic()
        self._shown = sys.stderr.isatty()
        self._bar: tuple[Progress, TaskID] | None = None

    def __call__(self, done: float, total: float) -> None:
        """Update the bar."""
        if not self._shown or time.monotonic() - self._start < SHOW_AFTER_S:
            return
        progress, task = self._bar = self._bar or self._open()
        progress.update(task, completed=done, total=total)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar[0].stop()

    def _open(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import Progress

        progress = Progress(console=Console(stderr=True), transient=True)
        progress.start()
        return progress, progress.add_task(escape(self._label))
