"""Catch signals while a child program runs, and handle them in the main loop."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

from thinpipe.signals import ENDING

CAUGHT: Final = (*ENDING, signal.SIGQUIT)
"""Also SIGQUIT, which the terminal sends to the running program, as it does SIGINT."""


class SignalPipe:
    """Collects signals that ask to end, instead of their default action (a self-pipe).

    Signals that the caller ignores stay ignored. Child programs inherit only ignored signals, and
    Python ignores SIGXFSZ: it is caught here as well, so that they do not inherit that.
    """

    def __init__(self) -> None:
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._former_fd = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        kept = [number for number in CAUGHT if signal.getsignal(number) is signal.SIG_IGN]
        for number in {signal.SIGXFSZ, *CAUGHT}.difference(kept):
            self._former[number] = signal.signal(number, lambda _number, _frame: None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._former_fd)
        os.close(self._read)
        os.close(self._write)

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when a signal arrives."""
        return self._read

    def drain(self) -> list[signal.Signals]:
        """Return the signals since the last call."""
        with suppress(BlockingIOError):
            numbers = os.read(self._read, 64)
            return [number for number in CAUGHT if number in numbers]
        return []
