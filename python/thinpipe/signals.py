"""Signals that ask the program to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

ENDING: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
"""A closed terminal, Ctrl-C, ``kill``."""


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Defer signals to the end of the block. Only the main thread ever receives them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    handlers = {number: signal.getsignal(number) for number in ENDING}
    try:
        for number, handler in handlers.items():
            if callable(handler):
                signal.signal(number, lambda came, _: held.append(came))
        yield
    finally:
        for number, handler in handlers.items():
            if callable(handler):
                signal.signal(number, handler)
        for came in held[:1]:
            signal.raise_signal(came)
