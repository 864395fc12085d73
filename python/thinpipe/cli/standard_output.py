"""Standard output whose errors name it, and which ends the program once its reader has gone."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress
from errno import EBADF, EPIPE
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

NAME: Final = "standard output"

BROKEN_PIPE: Final = 128 + signal.SIGPIPE
"""Exit status if the reader of standard output has closed it: as if SIGPIPE had ended us."""


def prepare_streams() -> None:
    """Let errors of standard output name it; writing to it if it is closed is an error."""
    _occupy_closed()
    given = sys.stdout
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(1, "w", closefd=False)),
        encoding="utf-8" if given is None else given.encoding,
        errors="strict" if given is None else given.errors,
        line_buffering=given is not None and bool(given.line_buffering),
    )
    sys.stderr = sys.stderr or devnull()


def devnull() -> TextIO:
    """Return a stream that discards all."""
    return Path(os.devnull).open("w", encoding="utf-8")


class _Output(io.FileIO):
    """The descriptor of standard output. After an error it discards what is still buffered."""

    _is_lost = False

    def write(self, content: ReadableBuffer, /) -> int:
        """Write; click and rich would each end the program with a status of their own."""
        if self._is_lost:
            return memoryview(content).nbytes
        try:
            return super().write(content)
        except OSError as error:
            self._is_lost = True
            if error.errno == EPIPE:
                raise SystemExit(BROKEN_PIPE) from None
            reason = "is closed" if error.errno == EBADF else error.strerror
            raise OSError(error.errno, reason, NAME) from None


def _occupy_closed() -> None:
    """Open closed descriptors so that they cannot be used: else the next file gets the number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_WRONLY if number == 0 else os.O_RDONLY)
