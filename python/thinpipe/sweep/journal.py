"""What a sweep has finished, beside the file that it will write: an interrupted one goes on."""

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
from thinpipe.sweep.figures import Figures

FIRST_LINE: Final = b'{"thinpipe":"sweep"}\n'
"""By which a journal is known from anybody else's file."""


class Journal:
    """Rows of finished points by the points' digests, one line each.

    A line is written in one step and carries a checksum of its row; one that was cut off or damaged
    is as good as none. Rows of points that are no longer asked for do no harm.
    """

    def __init__(self, file: FileIO) -> None:
        self._file: Final = file
        self._rows: Final = _read(file)

    def row(self, digest: str) -> str | None:
        """Return the row of a point, if it was finished, as JSON."""
        return self._rows.pop(digest, None)

    def add(self, digest: str, row: str) -> None:
        """Keep the row of a point."""
        check = crc32(row.encode())
        line = memoryview(f'{{"point":"{digest}","check":{check},"figures":{row}}}\n'.encode())
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
    """Open the journal beside `target`. It vanishes when the block ends well, or if it is empty.

    Raises
    ------
    OSError
        If it cannot be written, another sweep is writing it, or it is somebody else's file.
    """
    path = journal_of(target)
    with named_as(target.with_name(path.name), path), path.open("a+b", buffering=0) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(EAGAIN, "another sweep is writing it", str(path)) from None
        start = file.tell()
        _refuse_foreign(file, path)
        try:
            kept = Journal(file)
            yield kept
        except BaseException:
            if file.seek(0, os.SEEK_END) <= len(FIRST_LINE) and start == 0:
                path.unlink()
            raise
        path.unlink()


def encoded(figures: Figures) -> str:
    """Return a row as JSON, from which each number comes back as it was."""
    return json.dumps(figures, separators=(",", ":"), ensure_ascii=False)


def _refuse_foreign(file: FileIO, path: Path) -> None:
    file.seek(0)
    first = file.read(len(FIRST_LINE))
    if not FIRST_LINE.startswith(first):
        raise FileExistsError(EEXIST, "stands in the way, and no sweep wrote it", str(path))
    if first != FIRST_LINE:
        file.truncate(0)
        file.write(FIRST_LINE)


def _read(file: FileIO) -> dict[str, str]:
    """Return the rows of a journal, and cut off what was not written to its end."""
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
