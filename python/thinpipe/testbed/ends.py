"""Programs at the ends of flows, wherever a side of a network can start programs."""

from __future__ import annotations

import json
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from thinpipe._core import EmulationError
from thinpipe.namespaces import Command
from thinpipe.testbed.dns import PORT as DNS_PORT
from thinpipe.testbed.dns import Ask, Asked
from thinpipe.testbed.endpoints import Fetch, Fetched, Listener, Ping, Served
from thinpipe.testbed.media import Hear, Heard, Video, Voice
from thinpipe.testbed.quic import QuicFetch, QuicFetched, QuicListener

START_S: Final = 120.0
END_S: Final = 60.0
"""Limits for the start and the end of programs, far above what they take."""

ENDPOINTS: Final = ("-S", str(Path(__file__).with_name("endpoints.py")))
DNS: Final = ("-S", str(Path(__file__).with_name("dns.py")))
QUIC: Final = ("-P", str(Path(__file__).with_name("quic.py")))
MEDIA: Final = ("-P", str(Path(__file__).with_name("media.py")))
"""Programs of ends: those of the kernel's TCP and of DNS take no package, QUIC's take aioquic's."""


class BedError(EmulationError):
    """A test bed could not be made, differs from its plan, or a program in it failed."""


class Ends(ABC):
    """One side of a network, where programs start that are ends of flows."""

    name: str
    """Its name in errors."""

    @abstractmethod
    def popen(self, command: Command, **options: object) -> subprocess.Popen[Any]:
        """Start a program there; `options` are those of `subprocess.Popen`."""

    def fetch(self, flows: Sequence[Fetch]) -> Running[Fetched]:
        """Open TCP flows from this side, each at its time after this call."""
        return Running(self._endpoint("fetch", [asdict(each) for each in flows]), Fetched)

    def ping(self, task: Ping) -> Running[Echo]:
        """Send ICMP echo requests from this side."""
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
        """Begin a QUIC download from this side, and return once its first bytes are there.

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
