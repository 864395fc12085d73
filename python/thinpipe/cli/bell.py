"""Signals while somebody else's program runs: heard, and answered where it is convenient."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

from thinpipe.signals import ENDING

HEARD: Final = (*ENDING, signal.SIGQUIT)
"""The terminal's other signal besides, which is a running program's business as Ctrl-C is."""


class Bell:
    """Notes the signals that ask to end, in place of what they would do.

    What the caller ignores stays ignored. Programs that start within inherit nothing of this: only
    to ignore a signal is inherited, as Python does SIGXFSZ, which is heard here as well.
    """

    def __init__(self) -> None:
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._former_fd = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        kept = [number for number in HEARD if signal.getsignal(number) is signal.SIG_IGN]
        for number in {signal.SIGXFSZ, *HEARD}.difference(kept):
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
        """Return what becomes readable when a signal comes."""
        return self._read

    def heard(self) -> list[signal.Signals]:
        """Return the signals since the last call."""
        with suppress(BlockingIOError):
            numbers = os.read(self._read, 64)
            return [number for number in HEARD if number in numbers]
        return []
