"""Emulate transfers, and simulate them with the same start time."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from thinpipe._core import EmulationError
from thinpipe.acceptance.emulation.experiments import MSS, SETUPS, Setup
from thinpipe.acceptance.emulation.live import LIMIT_S, Carried, Job
from thinpipe.papers.outcomes import Detail, Outcome
from thinpipe.point import Point
from thinpipe.run import run
from thinpipe.testbed.packets import Transfer, measure, of_segments

TRIES: Final = 3
"""Maximum number of attempts until the emulator is punctual."""


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
    def valid(self) -> bool:
        """Whether the emulator was punctual."""
        return self.carried.lateness_s.within_bound


def collect(
    wanted: Iterable[tuple[Point, Detail]],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Point, Outcome]:
    """Emulate all transfers in parallel, whatever `jobs` says: they need little processor time.

    The radio's errors, the phase of its TTIs and of a trace are functions of time: a simulation
    that starts when the kernel's SYN entered the emulator has the same.

    Raises
    ------
    EmulationError
        If this machine's kernel does not match the set-up.
    """
    del jobs
    points = [point for point, _ in wanted]
    left, found = points, dict[Point, Outcome]()
    for _ in range(TRIES):
        for point, carried in zip(left, _carry([_job(point) for point in left]), strict=True):
            found[point] = _simulate(point, carried)
            if progress is not None:
                progress(len(found), len(points))
        left = [point for point in points if not compared(found[point]).valid]
        if not left:
            break
    return found


def compared(outcome: Outcome) -> Compared:
    """Return an outcome of `collect` with its type.

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
    if shutil.which("unshare") is None:
        return "needs unshare (util-linux)"
    words = ["-m", "thinpipe", "emulate", "--quiet", "plain-384", "--", "true"]
    tried = subprocess.run(
        [*_alone(), sys.executable, *words], capture_output=True, text=True, check=False
    )
    return None if tried.returncode == 0 else (tried.stderr.strip().splitlines() or ["?"])[-1]


def _alone() -> list[str]:
    """Return a command prefix for a separate network namespace; without root we have one."""
    return ["unshare", "--net"] if os.geteuid() == 0 else []


def _carry(jobs: list[Job]) -> list[Carried]:
    """Emulate transfers in parallel, each in its own process and network namespace."""
    program = [*_alone(), sys.executable, "-m", "thinpipe.acceptance.emulation.live"]
    workers = [
        subprocess.Popen(
            [*program, json.dumps(dataclasses.asdict(job))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for job in jobs
    ]
    try:
        return [_outcome(worker) for worker in workers]
    finally:
        for worker in workers:
            worker.terminate()
            worker.communicate()


def _outcome(worker: subprocess.Popen[str]) -> Carried:
    told, said = worker.communicate(timeout=LIMIT_S)
    if worker.returncode:
        raise EmulationError(said.strip().splitlines()[-1])
    return Carried.from_json(told)


def _job(point: Point) -> Job:
    """Return the job for the kernel that corresponds to `point`."""
    setup, control, seed = _setup(point)
    return Job(
        scenario=os.fspath(setup.scenario),
        settings=tuple(Point.of(setup.scenario, dict(setup.settings)).settings),
        seed=seed,
        payload_bytes=setup.payload_bytes,
        window_bytes=setup.window_bytes,
        mss_bytes=MSS,
        control=control,
    )


def _setup(point: Point) -> tuple[Setup, str, int]:
    settings = dict(point.settings)
    control, seed = settings["tcp.congestion_control"], int(settings["seed"])
    setup = next(each for each in SETUPS.values() if each.point(control, seed) == point)
    return setup, control, seed


def _simulate(point: Point, carried: Carried) -> Compared:
    """Simulate a transfer that starts when the emulated one did."""
    more = {
        "tcp.receive_buffer": f"{carried.window_bytes} B",
        "flow.start": f"{carried.start_s:.9f} s",
        "duration": f"{carried.start_s + LIMIT_S:.9f} s",
    }
    done = run(point.scenario, dict(point.settings) | more, trace=True)
    first = done.flows[0].started_s or 0.0
    sender = done.segments["endpoint"][0]
    cwnd = done.cwnd.select("time_s", "cwnd_segments").iter_rows()
    transfer = measure(
        of_segments(done.segments, sender), ((time_s - first, window) for time_s, window in cwnd)
    )
    return Compared(done.result, {}, transfer, carried)
