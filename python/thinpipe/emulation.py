"""Run programs behind an emulated link, in real time.

>>> import thinpipe as tp
>>> with tp.emulate("umts-384", tbler=0.05) as net:  # doctest: +SKIP
...     net.run(["curl", f"http://{net.gateway}:8000/"])
...     net.change({"radio.tbler": "20 %"})
>>> net.record.down.dropped.total  # doctest: +SKIP
0
"""

from __future__ import annotations

import os
import select
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final, Self, cast

from thinpipe._core import EmulationError
from thinpipe.arguments import MOST_MTU, check_snap
from thinpipe.arguments import check as check_arguments
from thinpipe.emulated_point import check, key_of
from thinpipe.emulation_record import EmulationRecord
from thinpipe.namespaces import Command, within
from thinpipe.packet_log import read_log
from thinpipe.point import NO_SETTINGS, Point, Value
from thinpipe.programs import end_all, lacking, run_as
from thinpipe.running_link import RemoteLink
from thinpipe.scenario import Scenario, find, named
from thinpipe.values import as_text, refuse_twice

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.verification import Figure

LEAST_MTU: Final = 68
"""What every link of IPv4 takes, in bytes (RFC 791)."""

START_TIMEOUT_S: Final = 60.0
END_TIMEOUT_S: Final = 60.0
"""Limits for the start and the end of an emulator, far above what either takes."""


def emulate(  # noqa: PLR0913 - these are keywords
    scenario: str | os.PathLike[str] | Scenario,
    settings: Mapping[str, Value] = NO_SETTINGS,
    *,
    seed: int | None = None,
    mtu: int = 1500,
    log: str | os.PathLike[str] | None = None,
    pcap: str | os.PathLike[str] | None = None,
    snap: int | None = None,
    server: str | Sequence[str] | None = None,
    **overrides: Value,
) -> EmulatedNetwork:
    """Return a network behind an emulated link, as a context manager.

    Parameters
    ----------
    scenario
        A name of `thinpipe.scenarios()` or `thinpipe.pipes()`, the path of a file, or nested
        dicts as in `Scenario.of`.
    settings
        Dotted keys and values; text may carry a unit: ``{"radio.tbler": "5 %"}``.
    seed
        Seed of the random numbers; the scenario's by default.
    mtu
        The longest IP packet, in bytes.
    log
        A ``.jsonl`` or ``.parquet`` file with one row per packet; see `EmulatedNetwork.packets`.
    pcap
        A directory for captures at both ends, ``network.pcapng`` and ``mobile.pcapng``.
    snap
        How many bytes of each packet the captures keep at most; all by default.
    server
        A server to run at the network side; the block begins once it listens.
    **overrides
        Further settings, with ``__`` for the dot: ``radio__tbler="5 %"``. A key without it is one
        of the scenario's ``[radio]`` or, without a radio, ``[link]``: ``tbler=0.05``,
        ``delay="300 ms"``.

    Raises
    ------
    ScenarioError
        If the scenario or a setting is wrong, or a key is set twice; the message names the key and
        the nearest valid one.
    OSError
        If the scenario's file cannot be read.
    ValueError
        If `mtu` or `snap` is out of range, or `snap` is given without `pcap`.
    """
    check_arguments(settings=settings, mtu=mtu, log=log, pcap=pcap, snap=snap, server=server)
    if not LEAST_MTU <= mtu <= MOST_MTU:
        raise ValueError(f"mtu: must be from {LEAST_MTU} to {MOST_MTU}, not {mtu}")
    check_snap(snap, None if pcap else "pcap is not given")
    found = find(scenario)
    pairs = [*settings.items()]
    pairs += [(key_of(found, keyword), value) for keyword, value in overrides.items()]
    pairs += [] if seed is None else [("seed", seed)]
    point = Point(found, tuple((key, as_text(key, value)) for key, value in pairs))
    refuse_twice(point.settings)
    check(point)
    options = [f"--mtu={mtu}"]
    for option, path in (("log", log), ("pcap", pcap)):
        if path is not None:
            options.append(f"--{option}={os.fspath(path)}")
    if snap is not None:
        options.append(f"--snap={snap}")
    if server is not None:
        options.append(f"--server={server if isinstance(server, str) else shlex.join(server)}")
    return EmulatedNetwork(point, options, None if log is None else Path(log))


def unavailable() -> str | None:
    """Try an emulation; return in one line why it fails, ``None`` if it works."""
    plain = Scenario("trial", '[link]\ndelay = "0 ms"\nrate = "1 Gbit/s"\n')
    try:
        with emulate(plain):
            return None
    except EmulationError as error:
        return str(error)


class EmulatedNetwork:
    """An emulated link and the network namespace behind it, for the duration of a ``with`` block.

    Programs inside reach the network only through the link; `gateway` is this machine, with what
    `server` and `popen_outside` run. The end of the block terminates programs that still run. If
    this process dies, the emulator ends as well.
    """

    def __init__(self, point: Point, options: Sequence[str], log: Path | None) -> None:
        self._point: Final = point
        self._options: Final = options
        self._log: Final = log
        self._stack: Final = ExitStack()
        self._programs: Final[list[subprocess.Popen[Any]]] = []
        self._emulator: subprocess.Popen[str] | None = None
        self._holder: int | None = None
        self._link: RemoteLink | None = None
        self._environment: dict[str, str] = {}
        self._record: EmulationRecord | None = None

    def __enter__(self) -> Self:
        if self._emulator is not None:
            raise RuntimeError("an emulated network is entered once; call emulate() for another")
        if lacks := lacking("nsenter"):
            raise EmulationError(lacks)
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="thinpipe-")))
            self._record_file = folder / "record.json"
            self._stderr = stack.enter_context((folder / "said").open("w+", encoding="utf-8"))
            self._emulator = stack.enter_context(self._start(folder))
            stack.callback(self._end)
            answer = _answer(self._emulator)
            if answer is None:
                self._end()
                raise EmulationError(self._last_error())
            self._holder, self._environment = answer
            self._stack.push(stack.pop_all())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._holder = None
        with self._stack:
            end_all(self._programs)
            self._end()
            if self._record_file.exists():
                text = self._record_file.read_text(encoding="utf-8")
                record = EmulationRecord.from_json(text)
                self._record = replace(record, command=None, exit_status=None)
            elif error is None:
                raise EmulationError(self._last_error())

    @property
    def gateway(self) -> IPv4Address:
        """The address by which programs inside reach the network side."""
        return IPv4Address(self.environment["THINPIPE_GATEWAY"])

    @property
    def gateway6(self) -> IPv6Address | None:
        """The IPv6 address of the gateway; ``None`` if the kernel has no IPv6."""
        address = self.environment.get("THINPIPE_GATEWAY6")
        return None if address is None else IPv6Address(address)

    @property
    def pid(self) -> int:
        """The process ID of the emulator."""
        return cast("subprocess.Popen[str]", self._emulator).pid

    @property
    def environment(self) -> dict[str, str]:
        """Variables added to the environment of programs.

        Raises
        ------
        RuntimeError
            If the block has not begun.
        """
        if not self._environment:
            raise RuntimeError(ONLY_WITHIN)
        return dict(self._environment)

    @property
    def changeable(self) -> dict[str, str]:
        """The keys that can be changed in the block, each with its value now.

        Raises
        ------
        EmulationError
            If the emulator has stopped.
        RuntimeError
            If it is not called in the ``with`` block.
        """
        return self._running().changeable

    @property
    def black_out_s(self) -> float:
        """For how many seconds nothing gets through yet; 0 without a black-out."""
        return self._running().black_out_s

    def change(self, settings: Mapping[str, Value]) -> None:
        """Change keys at once: ``{"link.rate": "256 kbit/s"}``.

        A change is one more step of the link's or the radio's schedule, now. What is on the wire
        keeps its arrival, and no packet overtakes another.

        Raises
        ------
        ScenarioError
            If a key cannot be changed or a value is wrong; nothing has changed then.
        EmulationError
            If the emulator has stopped.
        RuntimeError
            If it is not called in the ``with`` block.
        """
        check_arguments(settings=settings)
        self._running().change(settings)

    def black_out(self, seconds: float) -> None:
        """Let nothing through for so many seconds from now on; 0 ends a black-out.

        A link loses what it sends meanwhile, as in one of ``link.outages`` in both directions; a
        radio has no coverage.

        Raises
        ------
        ScenarioError
            If `seconds` is out of range, or this network has no black-outs.
        EmulationError
            If the emulator has stopped.
        RuntimeError
            If it is not called in the ``with`` block.
        """
        self._running().black_out(seconds)

    def meter(self) -> dict[str, Any]:
        """Return how the link fares.

        ``at_s`` is the time since the start; ``down`` and ``up`` have ``left`` and ``queue``
        (packets and bytes, so far and now), ``drops`` so far, and ``rate_bps`` and ``delay_s``
        since the last call. ``late_s`` is the 99th percentile of the emulator's lateness.

        Raises
        ------
        EmulationError
            If the emulator has stopped.
        RuntimeError
            If it is not called in the ``with`` block.
        """
        return self._running().meter()

    def verify(self) -> Iterator[Figure]:
        """Measure the link by ping, TCP, UDP and a page of programs, for some 20 s.

        Yields
        ------
        Figure
            What is set and what was measured, as each is known: `thinpipe.verification.Figure`.

        Raises
        ------
        EmulationError
            If a program fails, or the emulator has stopped.
        RuntimeError
            If it is not called in the ``with`` block.
        """
        from thinpipe.verification import figures

        self._inside()
        return figures(self, self._point)

    @property
    def record(self) -> EmulationRecord:
        """The summary of all packets; available after the block.

        Raises
        ------
        RuntimeError
            If the block is not over.
        """
        if self._record is None:
            raise RuntimeError("the record is there after the block")
        return self._record

    @property
    def packets(self) -> pl.DataFrame:
        """The log as a table (see `thinpipe.packet_log.read_log`); available after the block.

        Raises
        ------
        ValueError
            If no log was asked for.
        """
        if self._log is None:
            raise ValueError("the table of packets needs emulate(…, log=FILE)")
        return read_log(self._log)

    def run(
        self, command: Command, *, check: bool = False, **options: object
    ) -> subprocess.CompletedProcess[Any]:
        """Run a program inside and wait for it; `options` are those of `subprocess.run`.

        Raises
        ------
        OSError, subprocess.SubprocessError
            As `subprocess.run` does.
        RuntimeError
            If it is not called in the ``with`` block.
        """
        return run_as(self._within(self._inside(), command, options), command, check=check)

    def popen(self, command: Command, **options: object) -> subprocess.Popen[Any]:
        """Start a program inside; `options` are those of `subprocess.Popen`.

        Raises
        ------
        OSError
            As `subprocess.Popen` does.
        RuntimeError
            If it is not called in the ``with`` block.
        """
        return self._started(self._within(self._inside(), command, options), command)

    def run_outside(
        self, command: Command, *, check: bool = False, **options: object
    ) -> subprocess.CompletedProcess[Any]:
        """Run a program at the network side; otherwise as `run`."""
        return run_as(self._within(self._outside(), command, options), command, check=check)

    def popen_outside(self, command: Command, **options: object) -> subprocess.Popen[Any]:
        """Start a program at the network side; otherwise as `popen`."""
        return self._started(self._within(self._outside(), command, options), command)

    def _inside(self) -> int:
        if self._holder is None:
            raise RuntimeError(ONLY_WITHIN)
        return self._holder

    def _running(self) -> RemoteLink:
        self._inside()
        return cast("RemoteLink", self._link)

    def _outside(self) -> int:
        self._inside()
        return self.pid

    def _started(self, options: dict[str, Any], command: Command) -> subprocess.Popen[Any]:
        program: subprocess.Popen[Any] = subprocess.Popen(**options)
        program.args = command
        self._programs.append(program)
        return program

    def _within(self, process: int, command: Command, options: Mapping[str, Any]) -> dict[str, Any]:
        return within(process, command, options, self._environment)

    def _start(self, folder: Path) -> subprocess.Popen[str]:
        settings = [f"--set={key}={value}" for key, value in self._point.settings]
        program = [sys.executable, "-m", "thinpipe", "emulate", self._scenario(folder)]
        tail = [f"--record={self._record_file}", "--quiet", "--", *HOLDER]
        ours, theirs = socket.socketpair()
        with theirs:
            emulator = subprocess.Popen(
                [*program, *settings, *self._options, f"--control={theirs.fileno()}", *tail],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                text=True,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for this process, which ends it in turn
            )
        self._link = RemoteLink(ours)
        return emulator

    def _scenario(self, folder: Path) -> str:
        """Return the scenario's name, or the path of a file with it."""
        scenario = self._point.scenario
        file = Path(scenario.name)
        if named().get(scenario.name) == scenario:
            return scenario.name
        if not (file.is_file() and file.read_text(encoding="utf-8") == scenario.source):
            file = folder / f"{file.stem}.toml"
            file.write_text(scenario.source, encoding="utf-8")
        return str(file)

    def _end(self) -> None:
        """End the emulator: it ends with its command, which ends when its input is closed."""
        emulator = self._emulator
        if emulator is None or emulator.stdin is None:
            return
        emulator.stdin.close()
        cast("RemoteLink", self._link).close()
        try:
            emulator.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            emulator.kill()

    def _last_error(self) -> str:
        """Return the emulator's last error message."""
        self._stderr.seek(0)
        lines = [each for each in self._stderr if each.startswith(ERROR_PREFIX)]
        status = None if self._emulator is None else self._emulator.poll()
        message = lines[-1].removeprefix(ERROR_PREFIX).strip() if lines else ""
        return message or f"the emulator ended with status {status}"


HOLDER: Final = ("/bin/sh", "-c", "env | grep ^THINPIPE_; echo $$; exec cat")
"""Prints its environment and its process ID, then waits until its input ends."""

ONLY_WITHIN: Final = "there is a network in the block of `with emulate(…) as net:` only"

ERROR_PREFIX: Final = "thinpipe: "


def _answer(emulator: subprocess.Popen[str]) -> tuple[int, dict[str, str]] | None:
    """Return the holder's process ID and the environment variables that the emulator adds.

    ``None`` if the emulator ended or prints nothing in time.
    """
    output = cast("IO[str]", emulator.stdout)
    waiting = select.poll()  # which takes any descriptor, where select stops at 1023
    waiting.register(output, select.POLLIN)
    ready = waiting.poll(START_TIMEOUT_S * 1000)
    added: dict[str, str] = {}
    for line in output if ready else ():
        name, equals, value = line.rstrip("\n").partition("=")
        if not equals:
            return int(name), added
        added[name] = value
    return None
