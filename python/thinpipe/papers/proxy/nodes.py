"""Network namespaces without names, and the programs in them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from thinpipe._core import EmulationError
from thinpipe.namespaces import Command, within
from thinpipe.papers.proxy.ends import Fetch, Fetched, Listener, Ping, Served

START_S: Final = 120.0
END_S: Final = 30.0
"""How long anything may take to begin and to end: far more than it does."""

POLL_S: Final = 0.02

THINPIPE: Final = (sys.executable, "-m", "thinpipe")

ENDS: Final = Path(__file__).with_name("ends.py")


class BedError(EmulationError):
    """A bed that does not stand, or not as it was asked for."""


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
"""Holds namespaces until its input ends, as it does when this process dies, and ends what still
runs in them by then; /sys shows the interfaces that are there."""


class Node:
    """A network namespace, for the time of a ``with`` block, and the programs in it."""

    def __init__(self, name: str) -> None:
        self.name: Final = name
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
            end(program)
        self._holder.communicate(timeout=END_S)

    @property
    def pid(self) -> int:
        """The process that holds it."""
        return self._holder.pid

    def popen(self, command: Command, **options: object) -> subprocess.Popen[Any]:
        """Start a program; `options` are those of `subprocess.Popen`. It ends with the block."""
        given = {"stdin": subprocess.DEVNULL, **options}
        process: subprocess.Popen[Any] = subprocess.Popen(**within(self.pid, command, given, {}))
        process.args = command
        self._programs.append(process)
        return process

    def run(
        self, command: Command, *, check: bool = True, **options: object
    ) -> subprocess.CompletedProcess[Any]:
        """Run a program; text goes in and comes out.

        Raises
        ------
        BedError
            If its status is not 0; with `check` only.
        """
        given = {"text": True, "capture_output": True, "timeout": START_S, **options}
        done: subprocess.CompletedProcess[Any] = subprocess.run(
            **within(self.pid, command, given, {}), check=False
        )
        if check and done.returncode:
            raise BedError(f"{self.name}: {command}: {done.stderr.strip()}")
        return done

    def ip(self, *lines: str) -> None:
        """Run commands of ``ip``, one a line."""
        self.run(["ip", "-batch", "-"], input="\n".join(lines))

    def shown(self, *words: str) -> list[dict[str, Any]]:
        """Return what ``ip`` shows in JSON."""
        told = self.run(["ip", "-details", "-json", *words]).stdout
        found: list[dict[str, Any]] = json.loads(told or "[]")
        return found

    def sysctl(self, **values: int) -> None:
        """Set values below ``net``; ``__`` stands for the slash."""
        lines = (
            f"echo {value} > /proc/sys/net/{key.replace('__', '/')}"
            for key, value in values.items()
        )
        self.run(["/bin/sh", "-ec", "\n".join(lines)])

    def fetch(self, flows: Sequence[Fetch]) -> Running[Fetched]:
        """Start flows."""
        return Running(self._end("fetch", [asdict(each) for each in flows]), Fetched)

    def ping(self, task: Ping) -> Running[Echo]:
        """Start a series of echo requests."""
        return Running(self._end("ping", asdict(task)), Echo)

    def serve(
        self, listeners: Sequence[Listener], connections: int | None = None
    ) -> Running[Served]:
        """Start a server; it listens when this returns, and ends after so many connections."""
        program = self._end("serve", [[asdict(each) for each in listeners], connections])
        assert program.stdout is not None
        if not program.stdout.readline():
            raise BedError(f"{self.name}: no server: {program.communicate()[1].strip()}")
        return Running(program, Served)

    def _end(self, what: str, asked: object) -> subprocess.Popen[str]:
        return self.popen(
            [sys.executable, "-S", str(ENDS), what, json.dumps(asked)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class Echo:
    """An echo request: when it was sent on the monotonic clock, and its round-trip time."""

    sent_s: float
    rtt_s: float | None


class Running(Generic[Told]):
    """A program that tells of what it does, a JSON object a line."""

    def __init__(self, program: subprocess.Popen[str], told: Callable[..., Told]) -> None:
        self.program: Final = program
        self._told: Final = told

    def all(self, limit_s: float) -> list[Told]:
        """Wait until it ends by itself, and return all it told.

        Raises
        ------
        BedError
            If it failed, or did not end in time.
        """
        try:
            told, said = self.program.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired as error:
            raise BedError(f"{self.program.args!r}: still runs after {limit_s:g} s") from error
        if self.program.returncode:
            raise BedError(said.strip())
        return [self._told(**json.loads(line)) for line in told.splitlines()]

    def so_far(self) -> list[Told]:
        """End it, and return all it told."""
        self.program.terminate()
        told, _ = self.program.communicate(timeout=END_S)
        return [self._told(**json.loads(line)) for line in told.splitlines()]


def end(program: subprocess.Popen[Any]) -> None:
    """Let a program end; kill it if it does not. Its pipes are closed."""
    if program.poll() is None:
        program.send_signal(signal.SIGCONT)
        program.terminate()
    try:
        program.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        program.kill()
        program.communicate()


# --- The bed --------------------------------------------------------------------------------------


def soon(
    there: Callable[[], bool], program: subprocess.Popen[str], said: Callable[[], str]
) -> None:
    """Wait until something is so that a program brings about.

    Raises
    ------
    BedError
        If the program ended, or took too long; with what it said.
    """
    give_up_s = time.monotonic() + START_S
    while not there():
        if program.poll() is not None or time.monotonic() > give_up_s:
            told = (said().strip().splitlines() or ["nothing was said"])[-1]
            raise BedError(f"{program.args!r}: status {program.poll()}: {told}")
        time.sleep(POLL_S)
