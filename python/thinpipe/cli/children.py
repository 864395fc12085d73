"""Child programs at either end of the link: terminal, signals and termination."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from thinpipe.cli.signal_pipe import SignalPipe

TERM_TIMEOUT_S: Final = 5.0
"""From SIGTERM to SIGKILL."""

LISTEN_TIMEOUT_S: Final = 5.0
"""Limit for a server to listen."""

POLL_S: Final = 0.01
"""Interval at which to poll whether the link is busy."""

Status = int
"""An exit status as in a shell: 128 plus the signal number if a signal ended the program."""

Answer = TypeVar("Answer")


def wait(pid: int, signals: SignalPipe, tick: Callable[[], float]) -> Status:
    """Wait for a child to end, and forward signals to it; kill it if it does not end in time.

    SIGINT and SIGQUIT are not forwarded: the terminal sends these to the child itself.

    Parameters
    ----------
    tick
        Called periodically; returns the seconds until its next call.
    """
    kill_at_s = None
    with _open(os.pidfd_open(pid)) as ended:
        while not _wait_for(ended, signals, _limited(tick(), kill_at_s)):
            for number in signals.drain():
                if number not in (signal.SIGINT, signal.SIGQUIT):
                    os.kill(pid, number)
                    kill_at_s = kill_at_s or time.monotonic() + TERM_TIMEOUT_S
            if kill_at_s is not None and time.monotonic() >= kill_at_s:
                os.kill(pid, signal.SIGKILL)
                kill_at_s += TERM_TIMEOUT_S
    return _status(pid)


def linger(is_busy: Callable[[], bool], signals: SignalPipe, limit_s: float) -> None:
    """Wait until the link is idle, for at most `limit_s`, or until a signal arrives.

    It must be idle twice in a row: a program's last packet may not have reached it yet.
    """
    end_s = time.monotonic() + limit_s
    was_idle = is_idle = False
    while not (was_idle and is_idle) and time.monotonic() < end_s and not signals.drain():
        was_idle, is_idle = is_idle, not is_busy()
        _wait_for(None, signals, _limited(POLL_S, end_s))


def wait_for_a_signal(signals: SignalPipe, tick: Callable[[], float]) -> None:
    """Wait for a signal."""
    while not signals.drain():
        _wait_for(None, signals, tick())


@contextmanager
def terminal_reclaimed() -> Iterator[None]:
    """Take the terminal back after the block, from programs that took it, as shells do."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:  # no terminal
        yield
        return
    with _open(terminal):
        ours = os.tcgetpgrp(terminal) == os.getpgrp()
        try:
            yield
        finally:
            if ours:
                former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
                with suppress(OSError):  # it was closed
                    os.tcsetpgrp(terminal, os.getpgrp())
                signal.pthread_sigmask(signal.SIG_SETMASK, former)


def as_server(command: list[str]) -> list[str]:
    """Return the command in its own session: without terminal, Ctrl-C or standard output."""
    return ["setsid", "sh", "-c", 'exec "$@" </dev/null >&2', "sh", *command]


@contextmanager
def ending(server: int) -> Iterator[None]:
    """Terminate a server, which leads its session, after the block."""
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(server, number)
            if _poll_until(lambda: not _is_running(server) or None, TERM_TIMEOUT_S):
                os.waitpid(server, 0)
                break


def wait_until_it_listens(server: int, signals: SignalPipe) -> bool:
    """Wait until a server listens or ends, a signal arrives, or the time is up.

    Returns
    -------
    bool
        ``False`` if the time is up.
    """

    def answered() -> bool | None:
        signalled = select.select([signals], [], [], 0)[0]
        return True if signalled or _listens(server) or not _is_running(server) else None

    return _poll_until(answered, LISTEN_TIMEOUT_S) is not None


def ended_with(child: int) -> Status | None:
    """Return the exit status of a child that has ended; it still has to be waited for."""
    end = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if end is None:
        return None
    return end.si_status + (0 if end.si_code == os.CLD_EXITED else 128)


def _wait_for(ended: int | None, signals: SignalPipe, timeout_s: float) -> bool:
    awaited = [signals.fileno()] if ended is None else [signals.fileno(), ended]
    return ended in select.select(awaited, [], [], timeout_s)[0]


def _limited(timeout_s: float, deadline_s: float | None) -> float:
    if deadline_s is None:
        return timeout_s
    return min(timeout_s, max(deadline_s - time.monotonic(), 0.0))


def _is_running(child: int) -> bool:
    return ended_with(child) is None


def _status(child: int) -> Status:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _poll_until(ask: Callable[[], Answer | None], limit_s: float) -> Answer | None:
    """Poll until there is an answer, for at most `limit_s`."""
    end_s = time.monotonic() + limit_s
    while (answer := ask()) is None and time.monotonic() < end_s:
        time.sleep(0.01)
    return answer


def _listens(session: int) -> bool:
    """Return whether a process of a session listens on TCP or has an open UDP port."""
    wanted = {f"socket:[{inode}]" for inode in _listening(session)}
    return any(
        link in wanted
        for process in Path("/proc").glob("[0-9]*")
        if _session(process) == session
        for link in _open_files(process)
    )


def _listening(process: int) -> Iterator[str]:
    """Yield the inodes of listening TCP and unconnected UDP sockets in its namespace."""
    for protocol, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        with suppress(OSError):
            for line in Path(f"/proc/{process}/net/{protocol}").read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == state:
                    yield words[9]


def _session(process: Path) -> int | None:
    with suppress(OSError):
        after_name = (process / "stat").read_text().rpartition(")")[2].split()
        return int(after_name[3])
    return None


def _open_files(process: Path) -> Iterator[str]:
    with suppress(OSError):
        for file in (process / "fd").iterdir():
            with suppress(OSError):
                yield str(file.readlink())


@contextmanager
def _open(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)
