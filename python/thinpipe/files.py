"""Files and directories that are there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EEXIST
from pathlib import Path


def refuse_foreign(target: Path, ours: Callable[[str], bool]) -> None:
    """Check that a directory may be put in the place of `target`.

    Raises
    ------
    FileExistsError
        If `target` is a file, or a directory holding a name that `ours` says no to.
    """
    if target.is_dir():
        for entry in sorted(os.listdir(target)):  # noqa: PTH208 - names are all it needs
            if not ours(entry):
                raise FileExistsError(
                    EEXIST, f"holds {entry!r}, which no run wrote; choose another directory", target
                )
    elif target.exists():
        raise FileExistsError(EEXIST, "is a file, not a directory", target)


@contextmanager
def whole_directory(target: Path, ours: Callable[[str], bool]) -> Iterator[Path]:
    """Yield an empty directory that takes the place of `target` when the block ends well.

    Until then it is a hidden sibling, and it vanishes if the block is left by an exception. A
    directory that stood there before is replaced if all of it is `ours`.

    Raises
    ------
    FileExistsError
        If something that is not `ours` stands there.
    OSError
        If the directory cannot be made.
    """
    target = target.resolve()
    refuse_foreign(target, ours)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    former = target.with_name(f".{target.name}.{os.getpid()}.former")
    partial.mkdir()
    try:
        yield partial
        if target.exists():
            target.rename(former)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if former.exists():
            if target.exists():
                shutil.rmtree(former)
            else:
                former.rename(target)


def write_whole(target: Path, content: bytes) -> None:
    """Write a file in one step: readers see the former content or the new one.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
