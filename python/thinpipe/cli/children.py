"""Programs at either end of the link: their terminal, their signals, their end."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from thinpipe.cli.bell import Bell

PATIENCE_S: Final = 5.0
"""Between asking a program to end and ending it."""

LISTENING_S: Final = 5.0
"""How long a server may take until it listens."""

LOOK_S: Final = 0.01
"""Between two looks at what the link has to do."""

Status = int
"""As a shell has it: 128 and the number of the signal that ended the program."""

Answer = TypeVar("Answer")


def wait(pid: int, bell: Bell, tick: Callable[[], float]) -> Status:
    """Wait for a child to end, and hand on to it what asks us to end; after a while, insist.

    SIGINT and SIGQUIT are the child's business: the terminal sends it those as well.

    Parameters
    ----------
    tick
        Called at least as often as it asks for: after so many seconds.
    """
    insist_s = None
    with _open(os.pidfd_open(pid)) as ended:
        while not _wait_for(ended, bell, _sooner(tick(), insist_s)):
            for number in bell.heard():
                if number not in (signal.SIGINT, signal.SIGQUIT):
                    os.kill(pid, number)
                    insist_s = insist_s or time.monotonic() + PATIENCE_S
            if insist_s is not None and time.monotonic() >= insist_s:
                os.kill(pid, signal.SIGKILL)
                insist_s += PATIENCE_S
    return _status(pid)


def linger(is_busy: Callable[[], bool], bell: Bell, limit_s: float) -> None:
    """Wait until the link has nothing to do, for so long at most, or until a signal comes.

    Twice in a row: a packet that a program sent last may not have come to the link yet.
    """
    end_s = time.monotonic() + limit_s
    was_idle = is_idle = False
    while not (was_idle and is_idle) and time.monotonic() < end_s and not bell.heard():
        was_idle, is_idle = is_idle, not is_busy()
        _wait_for(None, bell, _sooner(LOOK_S, end_s))


def wait_for_a_signal(bell: Bell, tick: Callable[[], float]) -> None:
    """Wait until something asks us to end."""
    while not bell.heard():
        _wait_for(None, bell, tick())


@contextmanager
def terminal_lent() -> Iterator[None]:
    """Let programs take the terminal, as shells do, and take it back after the block."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:  # there is none
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
    """Return the command in a session of its own: no terminal, no Ctrl-C, no standard output."""
    return ["setsid", "sh", "-c", 'exec "$@" </dev/null >&2', "sh", *command]


@contextmanager
def ending(server: int) -> Iterator[None]:
    """End a server, which leads its session, after the block."""
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(server, number)
            if _until(lambda: not _runs(server) or None, PATIENCE_S):
                os.waitpid(server, 0)
                break


def wait_until_it_listens(server: int, bell: Bell) -> bool:
    """Wait until a server listens, ends or takes too long, or a signal comes.

    Returns
    -------
    bool
        Whether it was in time.
    """

    def answered() -> bool | None:
        rung = select.select([bell], [], [], 0)[0]
        return True if rung or _listens(server) or not _runs(server) else None

    return _until(answered, LISTENING_S) is not None


def ended_with(child: int) -> Status | None:
    """Return the exit status of a child that has ended; it can be waited for as before."""
    end = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if end is None:
        return None
    return end.si_status + (0 if end.si_code == os.CLD_EXITED else 128)


def _wait_for(ended: int | None, bell: Bell, timeout_s: float) -> bool:
    awaited = [bell.fileno()] if ended is None else [bell.fileno(), ended]
    return ended in select.select(awaited, [], [], timeout_s)[0]


def _sooner(timeout_s: float, moment_s: float | None) -> float:
    if moment_s is None:
        return timeout_s
    return min(timeout_s, max(moment_s - time.monotonic(), 0.0))


def _runs(child: int) -> bool:
    return ended_with(child) is None


def _status(child: int) -> Status:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _until(ask: Callable[[], Answer | None], limit_s: float) -> Answer | None:
    """Ask until there is an answer, or for so long."""
    end_s = time.monotonic() + limit_s
    while (answer := ask()) is None and time.monotonic() < end_s:
        time.sleep(0.01)
    return answer


def _listens(session: int) -> bool:
    """Say whether a process of a session listens for TCP, or has an open port of UDP."""
    wanted = {f"socket:[{inode}]" for inode in _listening(session)}
    return any(
        link in wanted
        for process in Path("/proc").glob("[0-9]*")
        if _session(process) == session
        for link in _open_files(process)
    )


def _listening(process: int) -> Iterator[str]:
    """Yield the inodes of all sockets of its namespace that wait for a stranger."""
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
