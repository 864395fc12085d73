"""Start programs in the namespaces of another process."""

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
    """Return options for `subprocess.Popen` that start a program in the namespaces of a process.

    Parameters
    ----------
    process
        Whose user, network and mount namespaces to enter, where they differ from ours.
    command, options
        As of `subprocess.Popen`.
    variables
        Added to the environment.

    Raises
    ------
    FileNotFoundError
        If the program does not exist.
    ValueError
        If the command is empty.
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
    """Look a program up as the kernel would, so that a missing one raises here."""
    found = (directory / program).exists() if "/" in program else shutil.which(program, path=path)
    if not found:
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), program)


def _entrance(process: int, directory: Path) -> list[str]:
    """Return the command prefix that enters the namespaces of a process; empty if they are ours."""
    flags = [
        flag
        for name, flag in FLAGS.items()
        if _namespace(process, name) != _namespace(os.getpid(), name)
    ]
    if not flags:
        return []
    # Entering a mount namespace resets the working directory to its root.
    change = ["/bin/sh", "-c", 'cd -- "$0" && exec "$@"', str(directory.absolute())]
    return ["nsenter", f"--target={process}", "--preserve-credentials", *flags, "--", *change]


def _namespace(process: int, kind: str) -> str:
    return str(Path(f"/proc/{process}/ns/{kind}").readlink())
