"""A transfer between the kernel's endpoints, through the emulator: a program.

``python -m thinpipe.acceptance.emulation.live JOB`` takes a `Job` and tells a `Carried`, as JSON.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from thinpipe._core import EmulationError
from thinpipe.emulation import EmulatedNetwork, emulate
from thinpipe.emulation_record import Lateness
from thinpipe.testbed.packets import TCP, Packet, Transfer, measure, of_capture

LIMIT_S: Final = 150.0
TRANSFER: Final = Path(__file__).with_name("transfer.py")


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be carried.

    Attributes
    ----------
    scenario, settings, seed
        Over which network.
    payload_bytes, window_bytes, mss_bytes, control
        How much is sent, about how much the receiver announces, and the kernel's sender.
    """

    scenario: str
    settings: tuple[tuple[str, str], ...]
    seed: int
    payload_bytes: int
    window_bytes: int
    mss_bytes: int
    control: str


@dataclass(frozen=True, slots=True)
class Carried:
    """What the emulator carried.

    Attributes
    ----------
    transfer
        The transfer, as its sender saw it.
    start_s
        When its SYN entered the emulator, on the emulator's clock.
    window_bytes
        The window that the receiver announced.
    lateness_s
        How punctual the emulator was.
    """

    transfer: Transfer
    start_s: float
    window_bytes: int
    lateness_s: Lateness

    @classmethod
    def from_json(cls, text: str) -> Carried:
        """Read what the program told."""
        told = json.loads(text)
        transfer = told["transfer"]
        for name in ("rtt", "cwnd"):
            transfer[name] = tuple((time_s, value) for time_s, value in transfer[name])
        lateness = Lateness(**told["lateness_s"])
        return cls(Transfer(**transfer), told["start_s"], told["window_bytes"], lateness)


def carry(job: Job) -> Carried:
    """Carry a transfer; the sender is at the network's side.

    Raises
    ------
    EmulationError
        If this machine does not allow an emulation, or its TCP is not what was asked for.
    """
    with TemporaryDirectory() as folder:
        captures, log = Path(folder) / "captures", Path(folder) / "packets.jsonl"
        with emulate(job.scenario, job.settings, seed=job.seed, pcap=captures, log=log) as network:
            _plain_window(network)
            port, told = _transfer(network, job)
        packets = list(of_capture(captures / "network.pcapng", port))
        transfer = measure(packets, told["cwnd"])
        window_bytes = _window(job, packets)
        return Carried(transfer, _start(log), window_bytes, network.record.lateness_s)


def _transfer(network: EmulatedNetwork, job: Job) -> tuple[int, dict[str, Any]]:
    """Have both ends transfer, and return the receiver's port and what the sender told."""
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
    told, said = sender.communicate(timeout=LIMIT_S)
    if sender.returncode:
        raise EmulationError(said.strip().splitlines()[-1])
    receiver.communicate(timeout=LIMIT_S)
    return int(port), json.loads(told)


def _plain_window(network: EmulatedNetwork) -> None:
    """Have the mobile announce windows without a scale, so that the captured are the real ones."""
    route = [str(network.gateway), "dev", "thin0", "scope", "link"]
    network.run(["ip", "route", "replace", *route, "window", str(UNSCALED_BYTES)], check=True)


UNSCALED_BYTES: Final = 65_535
"""The largest window without a scale (RFC 7323 §2.2)."""


def _window(job: Job, packets: list[Packet]) -> int:
    """Return the window that the receiver announced most of the time.

    The kernel takes the size of a buffer as a wish, and finds out on the way how much of it
    packets take.
    """
    announced = Counter(packet.window for packet in packets if not packet.sent)
    [(window, times)] = announced.most_common(1)
    if times < STEADY * announced.total():
        raise EmulationError(f"the kernel announces ever another window: {dict(announced)}")
    if abs(window - job.window_bytes) > ROOM * job.window_bytes:
        raise EmulationError(f"the kernel announces {window} B, not about {job.window_bytes} B")
    return window


STEADY: Final = 0.5
"""The least share of acknowledgements that announce the same window: what waits for a lost segment
takes room meanwhile."""

ROOM: Final = 0.15
"""How far that window may lie from the one asked for."""


def _start(log: Path) -> float:
    """Return when the SYN entered the emulator."""
    with log.open(encoding="utf-8") as rows:
        entered: float = next(
            row["entered_s"]
            for row in map(json.loads, rows)
            if row["direction"] == "down" and row["protocol"] == TCP
        )
    return entered


def main() -> None:
    """Carry what the command line asks for."""
    asked = json.loads(sys.argv[1])
    settings = tuple((key, value) for key, value in asked.pop("settings"))
    carried = carry(Job(settings=settings, **asked))
    sys.stdout.write(json.dumps(dataclasses.asdict(carried)))


if __name__ == "__main__":
    main()
