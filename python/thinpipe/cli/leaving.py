"""Leaving early: Ctrl-C, a closed terminal, ``kill``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

from thinpipe.signals import ENDING


def leave_tidily() -> None:
    """Let a signal end the program as an exception does, so that what is half written goes.

    The exit status is the shell's: 128 and the signal's number. What is ignored stays ignored.
    """
    _answer(_leave)


def stay() -> None:
    """Let no signal disturb what is left to do."""
    _answer(_ignore)


def _answer(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _leave(number: int, _frame: FrameType | None) -> None:
    """Leave; a second signal must not disturb the tidying up after the first."""
    stay()
    sys.exit(128 + number)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    pass
