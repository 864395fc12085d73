"""Emulate transfers, and simulate them with the same start time."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from thinpipe.acceptance.emulation.experiments import CONTROLS, MSS, SETUPS, Setup
from thinpipe.acceptance.emulation.live import LIMIT_S, Carried, Job, carry
from thinpipe.papers.outcomes import Outcome
from thinpipe.point import Point, Value
from thinpipe.programs import lacking
from thinpipe.run import run
from thinpipe.testbed.container import unshared
from thinpipe.testbed.packets import Transfer, measure, of_segments

if TYPE_CHECKING:
    from thinpipe.testbed.container import Task


@dataclass(frozen=True, slots=True)
class Compared(Outcome):
    """A transfer, simulated and emulated over the same radio with the same start time."""

    simulated: Transfer
    carried: Carried

    @property
    def emulated(self) -> Transfer:
        """The transfer as the kernel's sender saw it."""
        return self.carried.transfer

    @property
    def throughput_error(self) -> float:
        """The relative error of the emulated throughput, compared with the simulated."""
        return self.emulated.goodput_bps / self.simulated.goodput_bps - 1

    @property
    def rtt_error(self) -> float:
        """The relative error of the emulated median round-trip time."""
        return self.emulated.rtt_median_s / self.simulated.rtt_median_s - 1

    @property
    def starved(self) -> bool:
        """Whether the machine was too busy for the kernel's ends."""
        return self.carried.punctuality.starved


def task(point: Point) -> Task:
    """Return what emulates the transfer of `point` with the kernel's TCP."""
    setup, control, seed = _transfers()[point]
    job = Job(
        scenario=os.fspath(setup.scenario),
        settings=tuple(Point.of(setup.scenario, setup.network(seed)).settings),
        seed=seed,
        payload_bytes=setup.payload_bytes,
        window_bytes=setup.window_bytes,
        mss_bytes=MSS,
        control=control,
        at_once=setup.at_once,
    )
    return partial(carry, job)


def simulated(point: Point, carried: Carried) -> Compared:
    """Simulate a transfer that starts when the emulated one did.

    The radio's errors, the phase of its TTIs and of a trace are functions of time: both have the
    same. Of packets that are dropped by number both lose the same.
    """
    more: dict[str, Value] = {
        "tcp.receive_buffer": f"{carried.window_bytes} B",
        "flow.start": f"{carried.start_s:.9f} s",
        "duration": f"{carried.start_s + LIMIT_S:.9f} s",
    }
    if carried.dropped:
        more["link.drop_arrivals"] = carried.dropped
    done = run(point.scenario, {**dict(point.settings), **more}, trace=True)
    first = done.flows[0].started_s or 0.0
    sender = done.segments["endpoint"][0]
    cwnd = done.cwnd.select("time_s", "cwnd_segments").iter_rows()
    transfer = measure(
        of_segments(done.segments, sender), ((time_s - first, window) for time_s, window in cwnd)
    )
    return Compared(done.result, {}, transfer, carried)


def compared(outcome: Outcome) -> Compared:
    """Return an outcome of `simulated` with its type.

    Raises
    ------
    TypeError
        If it is an outcome of another paper.
    """
    if not isinstance(outcome, Compared):
        raise TypeError(f"{outcome!r} was not emulated")
    return outcome


def missing() -> str | None:
    """Return why emulation does not work on this machine; ``None`` if it works."""
    if lacks := lacking("unshare"):
        return lacks
    words = ["-m", "thinpipe", "emulate", "--quiet", "plain-384", "--", "true"]
    tried = subprocess.run(
        [*unshared(), sys.executable, *words], capture_output=True, text=True, check=False
    )
    if tried.returncode == 0:
        return None
    return (tried.stderr.strip().splitlines() or ["?"])[-1].removeprefix("thinpipe: ")


@cache
def _transfers() -> dict[Point, tuple[Setup, str, int]]:
    """Return by its point each transfer: set-up, congestion control and seed."""
    return {
        setup.point(control, seed): (setup, control, seed)
        for setup in SETUPS.values()
        for control in CONTROLS
        for seed in setup.seeds
    }
