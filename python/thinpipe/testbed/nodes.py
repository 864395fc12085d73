"""Nodes: unnamed network namespaces, and the programs in them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from thinpipe.namespaces import Command, within
from thinpipe.testbed.ends import END_S, START_S, BedError, Ends

POLL_S: Final = 0.02

THINPIPE: Final = (sys.executable, "-m", "thinpipe")

HOLDER: Final = (
    *("unshare", "--net", "--mount", "--", "/bin/sh", "-c"),
    """
    mount -t sysfs sysfs /sys && ip link set lo up && echo held || exit
    cat > /dev/null
    for each in /proc/[0-9]*; do
        if [ $each != /proc/$$ ] && [ $each/ns/net -ef /proc/$$/ns/net ]; then
            kill -KILL ${each#/proc/}
        fi
    done
    """,
)
"""Holds the namespaces until its input ends, also by the death of this process, and then kills the
programs in them; it mounts a /sys that shows the namespace's interfaces."""


class Node(Ends):
    """A network namespace and the programs in it, for the duration of a ``with`` block.

    Parameters
    ----------
    name
        Its name in errors; the namespace itself has none.

    Raises
    ------
    BedError
        On entry, if the kernel refuses a namespace, for example without root.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._programs: Final[list[subprocess.Popen[Any]]] = []
        self._holder = subprocess.Popen(
            HOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Node:
        assert self._holder.stdout is not None
        if self._holder.stdout.readline() != "held\n":
            _, said = self._holder.communicate(timeout=END_S)
            raise BedError(f"no namespace: {said.strip()}")
        return self

    def __exit__(self, *_: object) -> None:
        for program in reversed(self._programs):
            stop(program)
        self._holder.communicate(timeout=END_S)

    @property
    def pid(self) -> int:
        """The process ID of its holder."""
        return self._holder.pid

    def path(self, path: str) -> Path:
        """Return where this process finds an absolute path of the node, such as one in /sys."""
        return Path(f"/proc/{self.pid}/root{path}")

    def popen(self, command: Command, **options: object) -> subprocess.Popen[Any]:
        """Start a program; the end of the block terminates it.

        Parameters
        ----------
        command, options
            As of `subprocess.Popen`; standard input is empty unless given.

        Raises
        ------
        FileNotFoundError
            If there is no such program.
        """
        given = {"stdin": subprocess.DEVNULL, **options}
        process: subprocess.Popen[Any] = subprocess.Popen(**within(self.pid, command, given, {}))
        process.args = command
        self._programs.append(process)
        return process

    def run(
        self, command: Command, *, check: bool = True, **options: object
    ) -> subprocess.CompletedProcess[Any]:
        """Run a program to its end, its output captured as text.

        Parameters
        ----------
        command, options
            As of `subprocess.run`; `timeout` is 120 s by default.
        check
            Whether an exit status other than 0 is an error.

        Raises
        ------
        BedError
            With `check`, if the exit status is not 0.
        FileNotFoundError
            If there is no such program.
        subprocess.TimeoutExpired
            If it did not end in time.
        """
        given = {"text": True, "capture_output": True, "timeout": START_S, **options}
        done: subprocess.CompletedProcess[Any] = subprocess.run(
            **within(self.pid, command, given, {}), check=False
        )
        if check and done.returncode:
            raise BedError(f"{self.name}: {command}: {done.stderr.strip()}")
        return done

    def ip(self, *lines: str) -> None:
        """Run commands of ``ip`` in one batch, such as ``"address add 10.0.0.1/24 dev eth0"``.

        Raises
        ------
        BedError
            If one of them fails.
        """
        self.run(["ip", "-batch", "-"], input="\n".join(lines))

    def shown(self, *words: str) -> list[dict[str, Any]]:
        """Return the output of ``ip -details -json``, such as ``shown("route", "show")``.

        Raises
        ------
        BedError
            If ``ip`` fails.
        """
        output = self.run(["ip", "-details", "-json", *words]).stdout
        found: list[dict[str, Any]] = json.loads(output or "[]")
        return found

    def sysctl(self, **values: int | str) -> None:
        """Set kernel parameters below ``net``; ``__`` stands for the slash.

        Raises
        ------
        BedError
            If the kernel does not know a parameter, or rejects its value.
        """
        lines = (
            f"echo {value} > /proc/sys/net/{key.replace('__', '/')}"
            for key, value in values.items()
        )
        self.run(["/bin/sh", "-ec", "\n".join(lines)])


def stop(program: subprocess.Popen[Any]) -> None:
    """Terminate a program, kill it if it does not end, and close its pipes."""
    if program.poll() is None:
        program.send_signal(signal.SIGCONT)
        program.terminate()
    try:
        program.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        program.kill()
        program.communicate()


def wait_until(
    there: Callable[[], bool], program: subprocess.Popen[str], said: Callable[[], str]
) -> None:
    """Wait until `there` returns true, which `program` causes.

    Parameters
    ----------
    there
        Called every 20 ms.
    program
        Must not end before.
    said
        Returns the program's output, whose last line the error quotes.

    Raises
    ------
    BedError
        If the program ended, or took longer than 120 s.
    """
    give_up_s = time.monotonic() + START_S
    while not there():
        if program.poll() is not None or time.monotonic() > give_up_s:
            last = (said().strip().splitlines() or ["nothing was said"])[-1]
            raise BedError(f"{program.args!r}: status {program.poll()}: {last}")
        time.sleep(POLL_S)
