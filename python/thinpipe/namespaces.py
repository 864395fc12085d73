"""Starting programs in the namespaces of a process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from errno import ENOENT
from pathlib import Path
from typing import Any, Final

Command = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""As of `subprocess.run`."""

FLAGS: Final = {"user": "--user", "net": "--net", "mnt": "--mount"}


def within(
    process: int, command: Command, options: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[str, Any]:
    """Return the options by which `subprocess.Popen` starts a program where a process is.

    Parameters
    ----------
    process
        Whose namespaces to enter: those of users, networks and mounts, if they are not ours.
    command, options
        As of `subprocess.Popen`.
    variables
        Added to the environment.

    Raises
    ------
    FileNotFoundError
        If there is no such program.
    ValueError
        If the command has no word.
    """
    words = _words(command, shell=options.get("shell", False))
    directory = Path(options.get("cwd") or Path.cwd())
    environment = {**(options.get("env") or os.environ), **variables}
    _require(words[0], directory, environment.get("PATH"))
    changed = {"cwd": directory, "env": environment, "shell": False}
    return {**options, **changed, "args": [*_entrance(process, directory), *words]}


def _words(command: Command, *, shell: bool) -> list[str]:
    words = [command] if isinstance(command, str | os.PathLike) else [*command]
    if not words:
        raise ValueError("a command needs a program for its first word")
    texts = [os.fspath(each) for each in words]
    return ["/bin/sh", "-c", *texts] if shell else texts


def _require(program: str, directory: Path, path: str | None) -> None:
    """Find a program as the kernel would, so that a missing one is an error here."""
    found = (directory / program).exists() if "/" in program else shutil.which(program, path=path)
    if not found:
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), program)


def _entrance(process: int, directory: Path) -> list[str]:
    """Return the command that runs another in the namespaces of a process; empty in our own."""
    flags = [
        flag
        for name, flag in FLAGS.items()
        if _namespace(process, name) != _namespace(os.getpid(), name)
    ]
    if not flags:
        return []
    # Whoever enters a mount namespace stands at its root.
    stay = ["/bin/sh", "-c", 'cd -- "$0" && exec "$@"', str(directory.absolute())]
    return ["nsenter", f"--target={process}", "--preserve-credentials", *flags, "--", *stay]


def _namespace(process: int, kind: str) -> str:
    return str(Path(f"/proc/{process}/ns/{kind}").readlink())
