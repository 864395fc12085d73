"""Nodes: unnamed network namespaces, and the programs in them."""

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
from thinpipe.testbed.dns import PORT as DNS_PORT
from thinpipe.testbed.dns import Ask, Asked
from thinpipe.testbed.endpoints import Fetch, Fetched, Listener, Ping, Served
from thinpipe.testbed.media import Hear, Heard, Video, Voice
from thinpipe.testbed.quic import QuicFetch, QuicFetched, QuicListener

START_S: Final = 120.0
END_S: Final = 60.0
"""Limits for the start and the end of programs, far above what they take."""

POLL_S: Final = 0.02

THINPIPE: Final = (sys.executable, "-m", "thinpipe")

ENDPOINTS: Final = ("-S", str(Path(__file__).with_name("endpoints.py")))
DNS: Final = ("-S", str(Path(__file__).with_name("dns.py")))
QUIC: Final = ("-P", str(Path(__file__).with_name("quic.py")))
MEDIA: Final = ("-P", str(Path(__file__).with_name("media.py")))
"""Programs of ends: those of the kernel's TCP and of DNS take no package, QUIC's take aioquic's."""


class BedError(EmulationError):
    """A test bed could not be made, differs from its plan, or a program in it failed."""


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


class Node:
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

    def fetch(self, flows: Sequence[Fetch]) -> Running[Fetched]:
        """Open TCP flows from this node, each at its time after this call."""
        return Running(self._endpoint("fetch", [asdict(each) for each in flows]), Fetched)

    def ping(self, task: Ping) -> Running[Echo]:
        """Send ICMP echo requests from this node."""
        return Running(self._endpoint("ping", asdict(task)), Echo)

    def serve(
        self, listeners: Sequence[Listener], connections: int | None = None
    ) -> Running[Served]:
        """Start a server, and return once it listens.

        Parameters
        ----------
        listeners
            Its behaviour on each port.
        connections
            The number of connections after which it ends; ``None`` is unlimited.

        Raises
        ------
        BedError
            If it cannot listen.
        """
        program = self._endpoint("serve", [[asdict(each) for each in listeners], connections])
        self._await_ready(program)
        return Running(program, Served)

    def serve_quic(self, listener: QuicListener) -> subprocess.Popen[str]:
        """Start a QUIC server, and return once it listens; the end of the block ends it.

        Raises
        ------
        BedError
            If it cannot listen.
        """
        program = self._endpoint("serve", asdict(listener), QUIC)
        self._await_ready(program)
        return program

    def fetch_quic(self, task: QuicFetch) -> Running[QuicFetched]:
        """Begin a QUIC download from this node, and return once its first bytes are there.

        `Running.so_far` ends it. One that fails before says so in its record.
        """
        program = self._endpoint("fetch", asdict(task), QUIC)
        self._await_ready(program)
        return Running(program, QuicFetched)

    def send_media(self, stream: Voice | Video) -> subprocess.Popen[str]:
        """Start a sender of voice or video, and return once it listens; the block's end ends it."""
        what = "voice" if isinstance(stream, Voice) else "video"
        program = self._endpoint(what, asdict(stream), MEDIA)
        self._await_ready(program)
        return program

    def hear(self, task: Hear) -> Running[Heard]:
        """Ask for such a stream, and return once it has begun; `Running.so_far` ends it."""
        program = self._endpoint("hear", asdict(task), MEDIA)
        self._await_ready(program)
        return Running(program, Heard)

    def answer_dns(self, port: int = DNS_PORT) -> subprocess.Popen[str]:
        """Answer questions of DNS until the end of the block."""
        program = self._endpoint("answer", port, DNS)
        self._await_ready(program)
        return program

    def ask_dns(self, task: Ask) -> Running[Asked]:
        """Ask questions of DNS, and return with the first answer; `Running.so_far` ends it."""
        program = self._endpoint("ask", asdict(task), DNS)
        self._await_ready(program)
        return Running(program, Asked)

    def _await_ready(self, server: subprocess.Popen[str]) -> None:
        assert server.stdout is not None
        if not server.stdout.readline():
            said = server.communicate()[1].strip().splitlines()
            raise BedError(f"{self.name}: it does not begin: {(said or ['nothing was said'])[-1]}")

    def _endpoint(
        self, what: str, asked: object, program: tuple[str, ...] = ENDPOINTS
    ) -> subprocess.Popen[str]:
        return self.popen(
            [sys.executable, *program, what, json.dumps(asked)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


RecordT = TypeVar("RecordT")


@dataclass(frozen=True, slots=True)
class Echo:
    """An echo request, times in seconds.

    Attributes
    ----------
    sent_s
        When it was sent, on the machine's monotonic clock.
    rtt_s
        Its round-trip time; ``None`` if no answer came.
    """

    sent_s: float
    rtt_s: float | None


class Running(Generic[RecordT]):
    """A program that reports JSON lines, each of which becomes a record."""

    def __init__(self, program: subprocess.Popen[str], told: Callable[..., RecordT]) -> None:
        self.program: Final = program
        self._record: Final = told

    def all(self, limit_s: float) -> list[RecordT]:
        """Wait until it ends, and return all its records.

        Parameters
        ----------
        limit_s
            How long to wait, in seconds.

        Raises
        ------
        BedError
            If it failed, or did not end in time.
        """
        try:
            output, errors = self.program.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired as error:
            raise BedError(f"{self.program.args!r}: still runs after {limit_s:g} s") from error
        if self.program.returncode:
            raise BedError(errors.strip())
        return [self._record(**json.loads(line)) for line in output.splitlines()]

    def so_far(self) -> list[RecordT]:
        """Terminate it, and return its records so far."""
        self.program.terminate()
        output, _ = self.program.communicate(timeout=END_S)
        return [self._record(**json.loads(line)) for line in output.splitlines()]


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
