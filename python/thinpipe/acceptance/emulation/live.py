"""A transfer between the kernel's endpoints, through the emulator."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Semaphore
from typing import TYPE_CHECKING, Any, Final

from thinpipe._core import EmulationError
from thinpipe.acceptance.emulation.experiments import MSS, SETUPS
from thinpipe.emulation import EmulatedNetwork, emulate
from thinpipe.testbed.packets import TCP, Transfer, measure, of_capture
from thinpipe.testbed.processor import Punctuality, Ticks, repeated

if TYPE_CHECKING:
    from thinpipe.testbed.container import Ready

LIMIT_S: Final = 150.0
TRANSFER: Final = Path(__file__).with_name("transfer.py")


@dataclass(frozen=True, slots=True)
class Job:
    """A transfer to emulate.

    Attributes
    ----------
    scenario, settings, seed
        The emulated network.
    payload_bytes, window_bytes, mss_bytes, control
        Payload, approximate receive window, segment size and congestion control.
    at_once
        How many transfers with this number run at a time; ``None`` runs beside all others.
    """

    scenario: str
    settings: tuple[tuple[str, str], ...]
    seed: int
    payload_bytes: int
    window_bytes: int
    mss_bytes: int
    control: str
    at_once: int | None


@dataclass(frozen=True, slots=True)
class Carried:
    """An emulated transfer.

    Attributes
    ----------
    transfer
        The transfer, as its sender saw it.
    start_s
        When its SYN entered the emulator, on the emulator's clock.
    dropped
        The numbers of the packets that the link dropped, and would have dropped next: as the
        simulator counts arrivals (docs/models/losses.md).
    window_bytes
        The window that the receiver announced.
    punctuality
        How late the emulator and the receiver were.
    """

    transfer: Transfer
    start_s: float
    dropped: tuple[int, ...]
    window_bytes: int
    punctuality: Punctuality


def carry(job: Job, ready: Ready) -> Carried:
    """Emulate a transfer until nothing was late; the sender is at the network side.

    Raises
    ------
    EmulationError
        If emulation does not work on this machine, or its TCP does not match the job.
    """
    with ExitStack() as turn:
        if job.at_once is not None:
            ready()
            turn.enter_context(TURNS[job.at_once])
            ready = _at_once
        return repeated(partial(_carry, job), ready, TRIES)


def _at_once() -> None:
    """Wait for no other transfer."""


TRIES: Final = 3
"""Maximum number of attempts."""

TURNS: Final = {
    each: Semaphore(each) for each in {setup.at_once for setup in SETUPS.values()} if each
}


def _carry(job: Job, ready: Ready) -> Carried:
    with TemporaryDirectory() as folder:
        captures, log = Path(folder) / "captures", Path(folder) / "packets.jsonl"
        with emulate(
            job.scenario, dict(job.settings), seed=job.seed, pcap=captures, log=log
        ) as network:
            _plain_window(network)
            ready()
            before = Ticks.now()
            port, report, wait_s = _transfer(network, job)
            stolen = Ticks.now().stolen_since(before)
        packets = list(of_capture(captures / "network.pcapng", port))
        transfer = measure(packets, report["cwnd"])
        down = _down(log)
        announced = Counter(packet.window for packet in packets if not packet.sent)
        [(window_bytes, _)] = announced.most_common(1)
        carried = Carried(
            transfer,
            next(row["entered_s"] for row in down if row["protocol"] == TCP),
            _dropped(down, job),
            window_bytes,
            Punctuality(network.record.lateness_s, wait_s / transfer.rtt_median_s + stolen),
        )
        if not carried.punctuality.starved:  # what is not read in time makes the window smaller
            check_window(job, announced)
        return carried


def _transfer(network: EmulatedNetwork, job: Job) -> tuple[int, dict[str, Any], float]:
    """Run both ends; return the receiver's port, the sender's report, and the receiver's wait.

    That of the sender does not matter: its buffer is never empty.
    """
    program = [sys.executable, str(TRANSFER)]
    receiver = network.popen(
        [*program, "receive", str(job.window_bytes)], stdout=subprocess.PIPE, text=True
    )
    assert receiver.stdout is not None
    host, port = receiver.stdout.readline().split()
    words = [host, port, str(job.payload_bytes), job.control, str(job.mss_bytes)]
    sender = network.popen_outside(
        [*program, "send", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    report, errors = sender.communicate(timeout=LIMIT_S)
    if sender.returncode:
        raise EmulationError(errors.strip().splitlines()[-1])
    received, _ = receiver.communicate(timeout=LIMIT_S)
    return int(port), json.loads(report), float(received)


def _plain_window(network: EmulatedNetwork) -> None:
    """Disable window scaling at the mobile, so that captures show the real windows."""
    route = [str(network.gateway), "dev", "thin0", "scope", "link"]
    network.run(["ip", "route", "replace", *route, "window", str(UNSCALED_BYTES)], check=True)


UNSCALED_BYTES: Final = 65_535
"""The largest window without a scale (RFC 7323 §2.2)."""


def check_window(job: Job, announced: Counter[int]) -> None:
    """Check that the receiver announced about the wanted window most of the time.

    The kernel treats a buffer size as a hint, and measures how much of it packets need. Of segments
    that arrive together, as in a block of LTE, it acknowledges some before all are read: up to two
    segments less or more are the same window.

    Raises
    ------
    EmulationError
        If it announced another.
    """
    [(window, _)] = announced.most_common(1)
    near = sum(times for other, times in announced.items() if abs(other - window) <= 2 * MSS)
    if near < STEADY * announced.total():
        raise EmulationError(f"the kernel announces ever another window: {dict(announced)}")
    if abs(window - job.window_bytes) > ROOM * job.window_bytes:
        raise EmulationError(f"the kernel announces {window} B, not about {job.window_bytes} B")


STEADY: Final = 0.5
"""Minimum share of acknowledgements with the same window: out-of-order data reduce the others."""

ROOM: Final = 0.15
"""Tolerance of that window, relative to the requested one."""


def _down(log: Path) -> list[dict[str, Any]]:
    """Return what entered the link towards the mobile, in order."""
    with log.open(encoding="utf-8") as rows:
        down = [row for row in map(json.loads, rows) if row["direction"] == "down"]
    return sorted(down, key=lambda row: row["uid"])


def _dropped(down: list[dict[str, Any]], job: Job) -> tuple[int, ...]:
    """Return the numbers of dropped packets among those that count in the simulator.

    The emulator counts all packets, also pure acknowledgements and those that are not of the
    transfer. Drops that were yet to come keep their distance from the last packet.
    """
    counted = [row for row in down if row["protocol"] == TCP and row["bytes"] > PURE_ACK_BYTES]
    numbers = json.loads(dict(job.settings).get("link.drop_arrivals", "[]"))
    others = len(down) - len(counted)
    return (
        *(number for number, row in enumerate(counted) if row["fate"] == "list"),
        *(number - others for number in numbers if number >= len(down)),
    )


PURE_ACK_BYTES: Final = 52
"""IPv4, TCP and timestamps (RFC 7323); a SYN has more options."""
