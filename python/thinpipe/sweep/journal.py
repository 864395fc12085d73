"""The journal of a sweep: finished rows, beside the output, to resume an interrupted sweep."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EAGAIN, EEXIST
from io import FileIO
from pathlib import Path
from typing import Final
from zlib import crc32

from thinpipe.files import destination, named_as
from thinpipe.sweep.metrics import Metrics

FIRST_LINE: Final = b'{"thinpipe":"sweep"}\n'
"""Marks a file as a journal."""


class Journal:
    """Rows of finished points by the points' digests, one line each.

    Each line has a checksum of its row; truncated or damaged lines are ignored, and so are rows of
    points that are no longer in the plan.
    """

    def __init__(self, file: FileIO) -> None:
        self._file: Final = file
        self._rows: Final = _read(file)

    def row(self, digest: str) -> str | None:
        """Return the row of a finished point as JSON; ``None`` for others."""
        return self._rows.pop(digest, None)

    def add(self, digest: str, row: str) -> None:
        """Append the row of a point."""
        line = memoryview(line_of(digest, row))
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._file.name) from None


def journal_of(target: Path) -> Path:
    """Return the journal of the sweep that will write `target`."""
    end = destination(target)
    return end.with_name(f"{end.name}.partial")


@contextmanager
def journal(target: Path) -> Iterator[Journal]:
    """Open the journal beside `target`; remove it after success, or if it is new and empty.

    Raises
    ------
    OSError
        If it cannot be written, another sweep writes it, or it is not a journal.
    """
    path = journal_of(target)
    with named_as(target.with_name(path.name), path), path.open("a+b", buffering=0) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(EAGAIN, "another sweep is writing it", str(path)) from None
        start = file.tell()
        _check_ours(file, path)
        try:
            kept = Journal(file)
            yield kept
        except BaseException:
            if file.seek(0, os.SEEK_END) <= len(FIRST_LINE) and start == 0:
                path.unlink()
            raise
        path.unlink()


def line_of(digest: str, row: str) -> bytes:
    """Return the line of a finished point."""
    return f'{{"point":"{digest}","check":{crc32(row.encode())},"figures":{row}}}\n'.encode()


def encoded(figures: Metrics) -> str:
    """Return a row as JSON, which preserves each number exactly."""
    return json.dumps(figures, separators=(",", ":"), ensure_ascii=False)


def _check_ours(file: FileIO, path: Path) -> None:
    file.seek(0)
    first = file.read(len(FIRST_LINE))
    if not FIRST_LINE.startswith(first):
        raise FileExistsError(EEXIST, "stands in the way, and no sweep wrote it", str(path))
    if first != FIRST_LINE:
        file.truncate(0)
        file.write(FIRST_LINE)


def _read(file: FileIO) -> dict[str, str]:
    """Return the rows of a journal, and truncate an incomplete last line."""
    file.seek(len(FIRST_LINE))
    rows: dict[str, str] = {}
    good = len(FIRST_LINE)
    for line in file.readall().splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        good += len(line)
        try:
            entry = json.loads(line)
            point, row = entry["point"], encoded(entry["figures"])
            if entry["check"] == crc32(row.encode()):
                rows[point] = row
        except (ValueError, KeyError, TypeError):
            continue
    file.truncate(good)
    return rows
