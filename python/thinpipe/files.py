"""Atomic writes of files and directories."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR, ELOOP
from pathlib import Path
from typing import Final

from thinpipe.arguments import is_utf8
from thinpipe.signals import signals_deferred

MANIFEST: Final = "thinpipe.sha256"
"""Lists the files of a directory with digests, as sha256sum does; only these may be replaced."""


class ContentError(ValueError):
    """A file does not hold what it should; the message begins with its path."""


class _CheckedError(Exception):
    """Ends a block that only checks."""


def reason_of(error: OSError) -> str:
    """Return what an error says as one line that begins with its path."""
    parts = [str(part) for part in (error.filename, error.strerror) if part]
    return ": ".join(parts) or str(error) or type(error).__name__


def resolved(given: Path) -> Path:
    """Return the absolute path that a path names, without symbolic links and ``..``.

    Checks and writes take this one: nothing is found at ``missing/../here``, but once the missing
    directory is made, it is ``here``.

    Raises
    ------
    OSError
        If symbolic links lead in a circle.
    """
    end = Path(os.path.realpath(given))
    if end.is_symlink():
        raise OSError(ELOOP, os.strerror(ELOOP), str(given))
    return end


def check_directory(given: Path) -> None:
    """Check that `atomic_directory` can write `given`, before the work begins.

    Raises
    ------
    FileExistsError
        If something else exists there.
    OSError
        If the directory cannot be written.
    """
    with suppress(_CheckedError), atomic_directory(given):
        raise _CheckedError


@contextmanager
def atomic_directory(given: Path) -> Iterator[Path]:
    """Yield an empty directory that becomes `given` when the block ends without an exception.

    Until then it is a hidden sibling; an exception in the block removes it. An existing directory
    is replaced if its manifest lists all of its files, unchanged.

    Raises
    ------
    FileExistsError
        If something else exists there.
    OSError
        If the directory cannot be written; the error names the final path.
    """
    target = resolved(given)
    if not is_utf8(str(target)):  # Rust writes captures in it, and takes paths as text
        raise OSError(f"{given}: its absolute path must be UTF-8")
    _check_replaceable(target, given)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    former = target.with_name(f".{target.name}.{os.getpid()}.former")
    missing = [each for each in target.parents if not each.exists()]
    try:
        _make(partial, given)
        with named_as(given, partial):
            yield partial
            write_manifest(partial)
            _check_replaceable(target, given)
            if target.exists():
                target.rename(former)
            partial.rename(target)
    finally:
        with signals_deferred():
            _clean_up(target, partial, former, missing)


def write_atomically(target: Path, content: bytes) -> None:
    """Write a file atomically: readers see the old content or the new.

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


def check_writable(target: Path) -> None:
    """Check that `write_atomically` can write `target`, before the work begins.

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
    """Return the file that a path names, with symbolic links resolved.

    Raises
    ------
    OSError
        If it exists and is no regular file, since a rename would replace a device or a pipe; or if
        it is a file of a run.
    """
    end = resolved(target)
    for path in (target, end):  # a pipe in /dev/fd has no other path
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(target))
        if path.exists() and not path.is_file():
            raise FileExistsError(f"{target}: is no regular file")
    if end.name in listed(end.parent):
        raise FileExistsError(f"{target}: is a file of a run; choose another name")
    return end


def listed(directory: Path) -> dict[str, str]:
    """Return the digests by file name from a directory's manifest, which counts as listed."""
    file = directory / MANIFEST
    if not file.is_file():
        return {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return {}
    rows = [line.partition("  ") for line in lines]
    return {MANIFEST: "", **{name: digest for digest, _, name in rows}}


def read_listed(directory: Path, name: str) -> bytes:
    """Return the content of a file as a directory's manifest lists it.

    Raises
    ------
    OSError
        If it cannot be read.
    ContentError
        If the manifest has another digest or none.
    """
    file = directory / name
    content = file.read_bytes()
    known = listed(directory)
    if name not in known:
        raise ContentError(f"{file}: is not listed in {directory / MANIFEST}")
    if known[name] != hashlib.sha256(content).hexdigest():
        raise ContentError(f"{file}: is damaged: {directory / MANIFEST} has another digest")
    return content


def write_manifest(directory: Path) -> None:
    """Write the manifest of a directory's files.

    Raises
    ------
    OSError
        If a file cannot be read or written.
    """
    files = [each for each in sorted(directory.iterdir()) if each.name != MANIFEST]
    lines = [f"{_digest(file)}  {file.name}\n" for file in files]
    write_file(directory / MANIFEST, "".join(lines).encode())


def write_file(file: Path, content: bytes | memoryview) -> None:
    """Write a file; errors name it, which Python's do only on opening.

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
            _remove_own(former)
        else:
            former.rename(target)
    if not target.exists():
        with suppress(OSError):
            for parent in missing:
                parent.rmdir()


def _remove_own(directory: Path) -> None:
    """Remove a directory and what its manifest lists; anything else stays, and is an error."""
    known = listed(directory)
    for entry in directory.iterdir():
        if entry.name in known and not entry.is_dir():
            entry.unlink()
    directory.rmdir()


@contextmanager
def named_as(given: Path, partial: Path) -> Iterator[None]:
    """Let errors about `partial` or a file in it name the path under `given` instead."""
    try:
        yield
    except OSError as error:
        path = Path(os.fsdecode(error.filename or ""))
        if error.errno is None or not path.is_relative_to(partial):
            raise
        name = str(given / path.relative_to(partial))
        raise OSError(error.errno, error.strerror, name) from None


def _check_replaceable(target: Path, given: Path) -> None:
    """Check that `target` may be replaced by a new directory; errors name `given`."""
    if not target.is_dir():
        if target.exists():
            raise FileExistsError(f"{given}: is a file, not a directory")
        return
    with named_as(given, target):
        known = listed(target)
        for entry in sorted(target.iterdir()):
            if entry.is_symlink() or not entry.is_file() or entry.name not in known:
                reason = f"holds {entry.name!r}, which no run wrote"
            elif entry.name != MANIFEST and known[entry.name] != _digest(entry):
                reason = f"holds {entry.name!r}, changed since a run wrote it"
            else:
                continue
            raise FileExistsError(f"{given}: {reason}; choose another directory")


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
