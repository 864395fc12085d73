"""The programs of others that parts of thinpipe run."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from thinpipe.namespaces import Command

PACKAGES: Final = {
    "ip": "iproute2",
    "nft": "nftables",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "wg": "wireguard-tools",
    "wireguard-go": "wireguard-go",
}
"""The packages that they are in."""


def lacking(*programs: str) -> str | None:
    """Return in one line which of these programs is missing, ``None`` if all are there."""
    missing = (program for program in programs if shutil.which(program) is None)
    return next((f"needs {name}, which is in {PACKAGES[name]}" for name in missing), None)


def run_as(
    options: dict[str, Any], command: Command, *, check: bool
) -> subprocess.CompletedProcess[Any]:
    """Run a program; results and errors show the user's command, without our prefix."""
    try:
        done: subprocess.CompletedProcess[Any] = subprocess.run(**options, check=False)
    except subprocess.TimeoutExpired as error:
        error.cmd = command
        raise
    done.args = command
    if check:
        done.check_returncode()
    return done


def end_all(programs: Sequence[subprocess.Popen[Any]]) -> None:
    """Terminate programs that still run, and close all pipes."""
    running = [program for program in programs if program.poll() is None]
    for program in running:
        program.terminate()
    for program in running:
        try:
            program.wait(TERM_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
    for pipe in (each for one in programs for each in (one.stdin, one.stdout, one.stderr)):
        if pipe is not None:
            pipe.close()


TERM_TIMEOUT_S: Final = 2.0
"""From SIGTERM to SIGKILL."""
