"""Exit on signals: Ctrl-C, a closed terminal, ``kill``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

from thinpipe.signals import ENDING


def exit_on_signals() -> None:
    """Let a signal end the program by an exception, so that partial files are removed.

    The exit status is 128 plus the signal's number. Ignored signals stay ignored.
    """
    _set_handlers(_exit)


def ignore_signals() -> None:
    """Ignore further signals during clean-up."""
    _set_handlers(_ignore)


def _set_handlers(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _exit(number: int, _frame: FrameType | None) -> None:
    """Exit; a second signal must not interrupt the clean-up after the first."""
    ignore_signals()
    sys.exit(128 + number)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    pass
