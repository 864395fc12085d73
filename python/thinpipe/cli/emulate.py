"""``thinpipe emulate``: run a program behind an emulated link, in real time."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Annotated, Final

import typer

from thinpipe import _core
from thinpipe.arguments import MOST_MTU
from thinpipe.cli import arguments, children, pages
from thinpipe.cli import verify as verification
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.meter import Meter
from thinpipe.cli.settings import Settings
from thinpipe.cli.signal_pipe import SignalPipe
from thinpipe.cli.times import seconds
from thinpipe.emulated_point import check
from thinpipe.emulation import LEAST_MTU
from thinpipe.emulation_record import EmulationRecord
from thinpipe.files import atomic_directory, check_writable, reason_of, write_atomically
from thinpipe.packet_log import atomic_log
from thinpipe.point import Point
from thinpipe.running_link import RunningLink, serve
from thinpipe.signals import signals_deferred

DONE: Final = 0
FAILED: Final = 125
"""Exit status if the emulator itself failed, as in env(1)."""
NOT_RUN: Final = 126
NOT_FOUND: Final = 127
BY_SIGNAL: Final = 128


@dataclass(frozen=True, slots=True)
class Request:
    """The checked arguments."""

    point: Point
    command: list[str]
    server: list[str]
    between: tuple[str, str] | None
    mtu: int
    log: Path | None
    pcap: Path | None
    snap: int | None
    record: Path | None
    linger_s: float
    meter: bool
    quiet: bool
    lab: socket.socket | None
    control: socket.socket | None


def emulate(  # noqa: PLR0913 - to typer, a parameter is an option
    scenario: Annotated[str, arguments.SCENARIO],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND", help="The program to run; a shell by default."),
    ] = None,
    *,
    settings: Annotated[list[str] | None, arguments.SETTINGS] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Seed of the random numbers.")
    ] = None,
    mtu: Annotated[
        int,
        typer.Option(
            metavar="BYTES",
            parser=arguments.whole("--mtu", LEAST_MTU, MOST_MTU),
            help="Longest IP packet.",
        ),
    ] = 1500,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Run this server at the network side; COMMAND starts once it listens, after 5 s "
            "at the latest.",
        ),
    ] = None,
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="IF1 IF2",
            help="Bridge two interfaces of this machine, the network's and the mobile's, by the "
            "link, until Ctrl-C; no COMMAND.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write one row per packet, to a .jsonl or .parquet file.",
        ),
    ] = None,
    pcap: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write captures at both ends. An earlier run's directory is replaced; it is an "
            "error if it holds other or changed files.",
        ),
    ] = None,
    snap: arguments.Snap = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all metrics as JSON."),
    ] = None,
    linger: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="How long the link stays up at most after COMMAND has ended, while packets are "
            "in flight or a connection of it is open.",
        ),
    ] = "2s",
    meter: Annotated[bool, typer.Option("--meter", help="Show the link's state live.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no summary.")] = False,
    lab: Annotated[
        bool,
        typer.Option(
            "--lab",
            help="Serve a page on which the link is seen and changed; its address is printed.",
        ),
    ] = False,
    port: pages.Port = pages.EMULATOR_PORT,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="In place of COMMAND, measure the link by ping, TCP, UDP and a page, and print "
            "what is set and what is measured; some 20 s. --record then has these figures.",
        ),
    ] = False,
    control: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run COMMAND behind an emulated link, in real time.

    COMMAND runs in a network namespace and reaches the network only through the link;
    THINPIPE_GATEWAY and THINPIPE_GATEWAY6 are this machine's addresses there. The exit status is
    COMMAND's; 2 for bad input or if the emulation cannot be set up, 125 if the emulator failed,
    126 and 127 if COMMAND cannot be run or found.
    """
    if between and (command or server):
        raise BadRequestError("--between runs no command and no --server")
    _check_outputs(log, pcap, record)
    if snap is not None and pcap is None:
        raise BadRequestError("--snap cuts the packets of captures: add --pcap DIR")
    asked = Settings.of(settings, seed=seed)
    with asked.named():
        point = Point.of(scenario, dict(asked.pairs))
        check(point)
    if verify:
        options = {
            "COMMAND": bool(command),
            "--server": server is not None,
            "--between": bool(between),
            "--log": log is not None,
            "--pcap": pcap is not None,
            "--lab": lab,
            "--meter": meter,
        }
        return verification.verify(point, options, record, mtu)
    request = Request(
        point=point,
        command=command or [],
        server=_split_command(server),
        between=between,
        mtu=mtu,
        log=log,
        pcap=pcap,
        snap=snap,
        record=record,
        linger_s=seconds("--linger", linger),
        meter=meter,
        quiet=quiet,
        lab=_listening(port) if lab else None,
        control=None if control is None else socket.socket(fileno=control),
    )
    try:
        raise typer.Exit(_run(request))
    except _FailedError as failure:
        typer.echo(f"thinpipe: {failure}", err=True)
        raise typer.Exit(failure.status) from None


def _check_outputs(log: Path | None, pcap: Path | None, record: Path | None) -> None:
    if log is not None and log.suffix not in (".jsonl", ".parquet"):
        raise BadRequestError(f"--log {log}: must end in .jsonl or .parquet")
    given = {"--log": log, "--pcap": pcap, "--record": record}
    ends = {
        f"{option} {path}": Path(os.path.realpath(path)) for option, path in given.items() if path
    }
    for (one, end), (other, place) in permutations(ends.items(), 2):
        if end.is_relative_to(place):
            raise BadRequestError(f"{one}: would be {other} or in it; choose another name")
    if record is not None:
        check_writable(record)


class _FailedError(Exception):
    """The emulator failed while running, or COMMAND did not start; the message is one line."""

    def __init__(self, reason: str, status: int = FAILED) -> None:
        super().__init__(reason)
        self.status = status


def _split_command(server: str | None) -> list[str]:
    try:
        words = [] if server is None else shlex.split(server)
    except ValueError as error:
        raise BadRequestError(f"--server {server}: {error}") from None
    if server is not None and not (words and shutil.which(words[0])):
        raise BadRequestError(f"--server {server}: no such program")
    return words


def _run(request: Request) -> children.Status:
    """Set up, run, tear down, report. Output files appear complete at the end, or not at all."""
    unwritten: list[str] = []
    with SignalPipe() as signals:
        with ExitStack() as stack:
            log = stack.enter_context(_output(request.log and atomic_log(request.log), unwritten))
            pcap = stack.enter_context(
                _output(request.pcap and atomic_directory(request.pcap), unwritten)
            )
            if not request.between:
                _core.enter_own_namespaces()
            emulation = _core.Emulation(
                request.point.scenario.source,
                request.point.scenario.name,
                request.point.settings,
                mtu=request.mtu,
                between=request.between,
                log=log,
                pcap=pcap,
                snap=request.snap,
            )
            notes = [*emulation.notes]
            with _emulator_errors({log: request.log, pcap: request.pcap}):
                try:
                    with _changeable(emulation, request):
                        status = _run_programs(emulation, request, signals, notes)
                finally:
                    record = json.loads(emulation.finish())
        record["command"] = None if request.between else (request.command or [_shell()])
        record["exit_status"] = None if request.between else status
        _report(request, json.dumps(record), notes, unwritten)
    if unwritten:
        raise _FailedError("; ".join(unwritten))
    return status


@contextmanager
def _output(
    whole: AbstractContextManager[Path] | None, unwritten: list[str]
) -> Iterator[Path | None]:
    """Open an output; if it cannot be written at the end, add the error to `unwritten`."""
    with ExitStack() as stack:
        yield None if whole is None else stack.enter_context(whole)
        with _collecting_errors(unwritten):
            stack.pop_all().close()


@contextmanager
def _collecting_errors(unwritten: list[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        unwritten.append(f"cannot write {reason_of(error)}")


@contextmanager
def _emulator_errors(names: Mapping[Path | None, Path | None]) -> Iterator[None]:
    """Turn errors of a running emulator into `_FailedError`: those of its set-up are bad input."""
    try:
        yield
    except _core.EmulationError as error:
        message = str(error)
        for partial, given in names.items():  # errors name the final path
            message = message.replace(str(partial), str(given)) if partial else message
        raise _FailedError(message) from None


def _report(request: Request, record: str, notes: Sequence[str], unwritten: list[str]) -> None:
    if request.record is not None:
        with _collecting_errors(unwritten):
            write_atomically(request.record, f"{record}\n".encode())
    if not request.quiet:
        with signals_deferred():
            from thinpipe.cli.emulation_summary import print_summary

        print_summary(EmulationRecord.from_json(record), notes)


def _listening(port: int) -> socket.socket:
    """Return a socket for the lab, which stays on this machine's loopback."""
    pages.demand_packages()
    from thinpipe.lab import link_api, live_link  # noqa: F401 - no program waits for them later

    return pages.listening("--port", port)


@contextmanager
def _changeable(emulation: _core.Emulation, request: Request) -> Iterator[None]:
    """Let the link be changed meanwhile: by the parent process, and on a page."""
    link = RunningLink(emulation)
    if request.control is not None:
        request.control.set_inheritable(False)  # it is not for COMMAND
        answering = (link, request.control)
        threading.Thread(target=serve, args=answering, name="control", daemon=True).start()
    if request.lab is None:
        yield
        return
    from thinpipe.lab import link_api
    from thinpipe.lab.access import kept_token
    from thinpipe.lab.live import application
    from thinpipe.lab.live_link import link as source
    from thinpipe.lab.serving import served

    token = kept_token()
    shown = source(request.point.scenario.name, lambda: emulation.meter(reader="page"))
    app = application(shown, token, more=link_api.routes(link))
    with request.lab, served(app, request.lab):
        pages.announce("the link", request.lab, token, is_opened=False)
        yield


def _run_programs(
    emulation: _core.Emulation, request: Request, signals: SignalPipe, notes: list[str]
) -> children.Status:
    """Run the programs, or bridge until a signal.

    Print the `notes` for the user ahead of all that COMMAND prints; leave later ones in them.
    """
    with ExitStack() as stack:
        server = None
        if request.server:
            server = stack.enter_context(_serving(emulation, request.server, signals, notes))
        early = signals.drain()
        if early:
            return BY_SIGNAL + early[0]
        for note in () if request.quiet else notes:
            typer.echo(f"thinpipe: {note}", err=True)
        notes.clear()
        meter = stack.enter_context(closing(Meter(emulation.meter, shown=request.meter)))
        if request.between:
            children.wait_for_a_signal(signals, meter.tick)
            return DONE
        stack.enter_context(children.terminal_reclaimed())
        try:
            pid = _start(emulation, request)
        except OSError as error:
            reason = error.strerror or str(error).partition(" (os error")[0]
            status = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUN
            name = (request.command or [_shell()])[0]
            raise _FailedError(f"{name}: {reason}", status) from None
        status = children.wait(pid, signals, meter.tick)
        ended = None if server is None else children.ended_with(server)
        if ended is not None:
            name = shlex.join(request.server)
            notes.append(f"--server {name}: ended before COMMAND did, with status {ended}")
        children.linger(emulation.is_busy, signals, request.linger_s)
        return status


def _start(emulation: _core.Emulation, request: Request) -> int:
    environment = dict(emulation.environment)
    if request.command:
        return emulation.spawn("mobile", request.command, environment)
    if sys.stdin is not None and sys.stdin.isatty() and not request.quiet:
        gateway = environment.get("THINPIPE_GATEWAY", "")
        name = request.point.scenario.name
        typer.echo(
            f"thinpipe: a shell behind {name}; this machine is {gateway} from here; "
            "`exit` or Ctrl-D ends it",
            err=True,
        )
    return emulation.spawn("mobile", [_shell()], environment | _prompt(request))


def _shell() -> str:
    return os.environ.get("SHELL") or "/bin/sh"


def _prompt(request: Request) -> dict[str, str]:
    """Return environment variables that put the scenario's name into a shell's prompt.

    bash sets PS1 from a file, so PROMPT_COMMAND changes it before the first prompt.
    """
    name = re.sub(r"[^\w.-]", "", Path(request.point.scenario.name).stem, flags=re.ASCII)
    if Path(_shell()).name == "bash":
        return {"PROMPT_COMMAND": f'PS1="[{name}] $PS1"; unset PROMPT_COMMAND'}
    return {"PS1": f"[{name}] {os.environ.get('PS1', '# ' if os.geteuid() == 0 else '$ ')}"}


@contextmanager
def _serving(
    emulation: _core.Emulation, command: list[str], signals: SignalPipe, notes: list[str]
) -> Iterator[int]:
    """Run a server at the network side and yield its process ID; add a note if it is late."""
    name = f"--server {shlex.join(command)}"
    pid = emulation.spawn("network", children.as_server(command), dict(emulation.environment))
    with children.ending(pid):
        in_time = children.wait_until_it_listens(pid, signals)
        early = children.ended_with(pid)
        if early is not None:
            raise BadRequestError(f"{name}: ended with status {early}")
        if not in_time:
            notes.append(f"{name}: did not listen within {children.LISTEN_TIMEOUT_S:g} s")
        yield pid
