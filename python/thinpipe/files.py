"""Files and directories that are there whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST, EISDIR, ELOOP
from pathlib import Path
from typing import Final

from thinpipe.signals import undisturbed

MANIFEST: Final = "thinpipe.sha256"
"""Names each file of a directory and its digest, as sha256sum does: what may be replaced."""


def refuse_foreign(target: Path) -> None:
    """Check that a directory may be put in the place of `target`.

    Raises
    ------
    FileExistsError
        If `target` is a file, or a directory holding anything but what its manifest names.
    """
    if target.is_dir():
        known = _read_manifest(target)
        for entry in sorted(target.iterdir()):
            if entry.is_symlink() or not entry.is_file() or entry.name not in known:
                reason = f"holds {entry.name!r}, which no run wrote"
            elif entry.name != MANIFEST and known[entry.name] != _digest(entry):
                reason = f"holds {entry.name!r}, changed since a run wrote it"
            else:
                continue
            raise FileExistsError(EEXIST, f"{reason}; choose another directory", target)
    elif target.exists():
        raise FileExistsError(EEXIST, "is a file, not a directory", target)


@contextmanager
def whole_directory(given: Path) -> Iterator[Path]:
    """Yield an empty directory that takes the place of `given` when the block ends well.

    Until then it is a hidden sibling, and it vanishes if the block is left by an exception. A
    directory that stood there before is replaced if all of it was made here.

    Raises
    ------
    FileExistsError
        If something else stands there.
    OSError
        If the directory cannot be made; errors that name a file in it name it as it would be.
    """
    refuse_foreign(given)
    target = given.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    former = target.with_name(f".{target.name}.{os.getpid()}.former")
    missing = [each for each in target.parents if not each.exists()]
    try:
        _make(partial, given)
        with named_as(given, partial):
            yield partial
            _write_manifest(partial)
            refuse_foreign(given)
            if target.exists():
                target.rename(former)
            partial.rename(target)
    finally:
        with undisturbed():
            _clean_up(target, partial, former, missing)


def write_whole(target: Path, content: bytes) -> None:
    """Write a file in one step: readers see the former content or the new one.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    end = destination(target)
    partial = end.with_name(f".{end.name}.{os.getpid()}.partial")
    end.parent.mkdir(parents=True, exist_ok=True)
    try:
        with named_as(target, partial):
            write_file(partial, content)
            partial.replace(end)
    finally:
        partial.unlink(missing_ok=True)


def refuse_unwritable(target: Path) -> None:
    """Check that `write_whole` can write `target`, before the work whose outcome goes there.

    Raises
    ------
    OSError
        If it cannot.
    """
    end = destination(target)
    partial = end.with_name(f".{end.name}.{os.getpid()}.partial")
    end.parent.mkdir(parents=True, exist_ok=True)
    with named_as(target, partial):
        partial.touch()
        partial.unlink()


def destination(target: Path) -> Path:
    """Return the file that a path means, with symbolic links followed.

    Raises
    ------
    OSError
        If something stands there that is no regular file, such as a device or a pipe: what takes
        its place in one step would do away with it.
    """
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(target))
    if target.exists() and not target.is_file():
        raise FileExistsError(EEXIST, "is no regular file", str(target))
    end = Path(os.path.realpath(target))
    if end.is_symlink():
        raise OSError(ELOOP, os.strerror(ELOOP), str(target))
    return end


def write_file(file: Path, content: bytes | memoryview) -> None:
    """Write a file, and name it if that fails, as Python does only where it opens one.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    try:
        file.write_bytes(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from None


def _make(partial: Path, given: Path) -> None:
    try:
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.mkdir()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(given)) from None


def _clean_up(target: Path, partial: Path, former: Path, missing: list[Path]) -> None:
    shutil.rmtree(partial, ignore_errors=True)
    if former.exists():
        if target.exists():
            shutil.rmtree(former)
        else:
            former.rename(target)
    if not target.exists():
        with suppress(OSError):
            for parent in missing:
                parent.rmdir()


@contextmanager
def named_as(given: Path, partial: Path) -> Iterator[None]:
    """Let errors about `partial`, or a file in it, name what the caller gave."""
    try:
        yield
    except OSError as error:
        path = Path(os.fsdecode(error.filename or ""))
        if error.errno is None or not path.is_relative_to(partial):
            raise
        name = str(given / path.relative_to(partial))
        raise OSError(error.errno, error.strerror, name) from None


def _write_manifest(directory: Path) -> None:
    lines = [f"{_digest(file)}  {file.name}\n" for file in sorted(directory.iterdir())]
    write_file(directory / MANIFEST, "".join(lines).encode())


def _read_manifest(directory: Path) -> dict[str, str]:
    """Return the digest of each file that a directory's manifest names, itself included."""
    try:
        lines = (directory / MANIFEST).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, IsADirectoryError, UnicodeDecodeError):
        return {}
    rows = [line.partition("  ") for line in lines]
    return {MANIFEST: "", **{name: digest for digest, _, name in rows}}


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
