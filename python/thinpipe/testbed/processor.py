"""How late the ends of a comparison with the clock were: they waited for a processor."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from thinpipe.emulation_record import Lateness
    from thinpipe.testbed.container import Ready

STARVED: Final = 0.02
"""Largest lateness of an end, as a share of the round-trip time.

A round trip is longer by it, and a transfer that a window limits as much slower: by two thirds of
the narrowest band of throughput.
"""

PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Waits:
    """How often threads began to run, and the seconds that they were ready before and waited."""

    times: int = 0
    waited_s: float = 0.0

    @classmethod
    def of(cls, schedstat: str) -> Waits:
        """Read what the kernel counts of a thread (its documentation, scheduler/sched-stats)."""
        _, waited_ns, times = map(int, schedstat.split())
        return cls(times, waited_ns / 1e9)

    @classmethod
    def of_process(cls, pid: int, proc: Path = PROC) -> Waits:
        """Add up the threads that a process and its children have now."""
        total = cls()
        for thread in (proc / str(pid) / "task").glob("*"):
            with suppress(OSError):  # it ends meanwhile
                total += cls.of((thread / "schedstat").read_text(encoding="ascii"))
                for child in (thread / "children").read_text(encoding="ascii").split():
                    total += cls.of_process(int(child), proc)
        return total

    def __add__(self, other: Waits) -> Waits:
        return Waits(self.times + other.times, self.waited_s + other.waited_s)

    def mean_since(self, before: Waits) -> float:
        """Return the mean wait since `before`, in seconds."""
        times = self.times - before.times
        return (self.waited_s - before.waited_s) / times if times > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Ticks:
    """Time of all processors of this machine, and what its host gave to others of it."""

    all: int
    stolen: int

    @classmethod
    def of(cls, stat: str) -> Ticks:
        """Read the first line of /proc/stat (proc(5)); guests count as user."""
        ticks = [int(each) for each in stat.split("\n", 1)[0].split()[1:9]]
        return cls(sum(ticks), ticks[-1])

    @classmethod
    def now(cls) -> Ticks:
        """Read what this machine counts."""
        return cls.of((PROC / "stat").read_text(encoding="ascii"))

    def stolen_since(self, before: Ticks) -> float:
        """Return the share of the time since `before` that was stolen."""
        elapsed = self.all - before.all
        return (self.stolen - before.stolen) / elapsed if elapsed > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Punctuality:
    """How late the emulator of a run was, and the latest of its ends.

    That of the ends is a share of the round-trip time.
    """

    emulator: Lateness
    ends: float

    @property
    def starved(self) -> bool:
        """Whether the machine was too busy for an end."""
        return self.ends > STARVED

    @property
    def in_time(self) -> bool:
        """Whether neither the emulator nor an end was late."""
        return self.emulator.within_bound and not self.starved


class Timed(Protocol):
    """A run on the real clock."""

    @property
    def punctuality(self) -> Punctuality:
        """How late it was."""


RunT = TypeVar("RunT", bound=Timed)


def repeated(carry: Callable[[Ready], RunT], ready: Ready, tries: int) -> RunT:
    """Repeat a run until it is in time, but run it at most `tries` times; return the last run."""
    carried = carry(ready)
    for _ in range(1, tries):
        if carried.punctuality.in_time:
            break
        carried = carry(lambda: None)
    return carried
