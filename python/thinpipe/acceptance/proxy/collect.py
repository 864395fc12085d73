"""Run all set-ups in parallel, and simulate each with the same start times."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from threading import Barrier, BrokenBarrierError
from typing import TYPE_CHECKING, Final

from thinpipe._core import EmulationError
from thinpipe.acceptance.proxy.carry import Carried, carry
from thinpipe.acceptance.proxy.experiments import SETUPS, Setup, flow_key
from thinpipe.acceptance.proxy.seen import Seen, of_carried, of_simulated
from thinpipe.papers.outcomes import Detail, Outcome
from thinpipe.run import run
from thinpipe.testbed import START_S, BedError

if TYPE_CHECKING:
    from thinpipe.point import Point, Value

SEED: Final = 1
TRIES: Final = 2
"""Maximum number of attempts until the emulator is punctual."""


@dataclass(frozen=True, slots=True)
class Compared(Outcome):
    """A set-up, run in a test bed and simulated with the same start times."""

    setup: Setup
    carried: Carried
    live: tuple[Seen, ...]
    simulated: tuple[Seen, ...]


def collect(
    wanted: Iterable[tuple[Point, Detail]],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Point, Outcome]:
    """Run all set-ups in parallel, whatever `jobs` says: they need little processor time.

    Raises
    ------
    EmulationError
        If a test bed cannot be made, or its kernel does not match the set-up.
    """
    del jobs
    setups = {setup.point: setup for setup in SETUPS.values()}
    points = list(dict.fromkeys(point for point, _ in wanted))
    found: dict[Point, Outcome] = {}
    # Making test beds needs processor time: flows begin when all are complete.
    all_stand = Barrier(max(1, len(points)))
    with ThreadPoolExecutor(max(1, len(points))) as pool:
        runs = {pool.submit(_compare, setups[point], all_stand): point for point in points}
        for done in as_completed(runs):
            if isinstance(done.exception(), BrokenBarrierError):
                continue  # the error of another set-up is the cause
            found[runs[done]] = done.result()
            if progress is not None:
                progress(len(found), len(points))
    return {point: found[point] for point in points}


def _compare(setup: Setup, all_stand: Barrier) -> Compared:
    """Run a set-up until the emulator was punctual, and simulate it."""
    [name] = (name for name, each in SETUPS.items() if each is setup)
    try:
        carried = carry(setup, lambda: all_stand.wait(START_S))
    except EmulationError as error:
        raise BedError(f"{name}: {error}") from error
    finally:
        all_stand.abort()  # the others have passed it, or must not wait for this one
    for _ in range(1, TRIES):
        if carried.record.lateness_s.within_bound:
            break
        carried = carry(setup)
    return _simulate(setup, carried)


def compared(outcome: Outcome) -> Compared:
    """Return an outcome of `collect` with its type.

    Raises
    ------
    TypeError
        If it is an outcome of another paper.
    """
    if not isinstance(outcome, Compared):
        raise TypeError(f"{outcome!r} was not run in a test bed")
    return outcome


def _simulate(setup: Setup, carried: Carried) -> Compared:
    """Simulate a set-up whose flows start when those in the test bed did."""
    more: dict[str, Value] = {
        f"{flow_key(number)}.start": f"{start_s:.9f} s"
        for number, start_s in enumerate(carried.start_s)
    }
    if setup.window_bytes is not None:
        more["tcp.receive_buffer"] = f"{carried.window_bytes} B"
    point = setup.point
    settings = {**dict(point.settings), "seed": SEED, **more}
    done = run(point.scenario, settings, trace=True)
    simulated = of_simulated(Outcome(done.result, {"segments": done.segments}))
    return Compared(done.result, {}, setup, carried, of_carried(carried), simulated)
