"""Accuracy and speed of the emulator, as a program, because it needs its own network namespace.

``unshare --net python benches/emulator.py`` prints the rows of `ROWS` as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Final

import thinpipe as tp
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.emulation import EmulatedNetwork
    from thinpipe.emulation_record import EmulationRecord

Row = tuple[str, str, str]

HERE: Final = Path(__file__).parent
TICKS: Final = os.sysconf("SC_CLK_TCK")
PINGS: Final = 200
PING_BYTES: Final = 100
HEADER_BYTES: Final = 20
"""Header of IPv4."""

DOWN_BPS, UP_BPS, DELAY_S = 384e3, 64e3, 0.060
TRANSFER_S: Final = 5
FAST: Final = {"queue.packets": "4000"}
SMALL_BYTES: Final = 100


def main() -> None:
    """Run all measurements in sequence."""
    rows = [row for measure in (accuracy, bulk, small_packets, slow, many) for row in measure()]
    json.dump(rows, sys.stdout)


def accuracy() -> list[Row]:
    """Send pings over a thin link and compare with the ideal from rate and delay."""
    settings = {"link.rate": "384 kbit/s", "link.back.rate": "64 kbit/s", "link.delay": "60 ms"}
    with tp.emulate("link", settings) as net:
        told = _start(net.popen, "ping", str(net.gateway), str(PINGS), str(PING_BYTES))
        rtts = json.loads(_line(told))
    bits = 8 * (PING_BYTES + HEADER_BYTES)
    ideal = bits / DOWN_BPS + bits / UP_BPS + 2 * DELAY_S
    cuts = quantiles([1000 * (rtt - ideal) for rtt in rtts], n=100)
    return [
        ("ping less ideal, 384/64 kbit/s, 60 ms: p50, ms", short(cuts[49]), "≤ 0.3"),
        ("… p99, ms", short(cuts[98]), "≤ 2"),
        ("its own lateness then: p99, ms", *_late(net.record)),
        ("scheduling", net.record.scheduling, "fifo"),
    ]


def bulk() -> list[Row]:
    """Measure the maximum throughput over an unlimited link."""
    done = _transfer("link", FAST, 1)
    return [
        ("TCP in packets of 1500 B: Gbit/s of payload", short(done.rate_bps / 1e9), "≥ 1"),
        ("… packets/s, both ways", _rate(done.record), ""),
        ("… CPU, % of one processor", short(done.cpu_percent), ""),
        ("… peak memory of the process, MB", short(done.memory_mb), ""),
    ]


def small_packets() -> list[Row]:
    """Send small datagrams at the maximum rate of one sender."""
    with tp.emulate("link", FAST) as net:
        server = _start(net.popen_outside, "sink")
        port = _line(server)
        words = (str(net.gateway), port, str(TRANSFER_S), str(SMALL_BYTES))
        _line(_start(net.popen, "flood", *words))
    up = net.record.up
    return [
        ("UDP of 100 B: packets/s forwarded", _rate(net.record), ""),
        ("… dropped ahead of it by the kernel", short(up.dropped_before, 6), "counted"),
    ]


def slow() -> list[Row]:
    """Measure the load at 2 Mbit/s."""
    settings = {"link.rate": "2 Mbit/s", "link.delay": "30 ms"}
    plain = _transfer("link", {**settings, "queue.packets": "50"}, 1)
    radio = _transfer("umts-384", {"radio.downlink.rate": "2 Mbit/s"}, 1)
    return [
        (f"CPU at 2 Mbit/s over {over}, %", short(done.cpu_percent), "≤ 3")
        for over, done in (("a plain link", plain), ("a radio bearer", radio))
    ]


def many() -> list[Row]:
    """Measure the load of a hundred connections over 20 Mbit/s."""
    settings = {"link.rate": "20 Mbit/s", "link.delay": "30 ms", "queue.packets": "200"}
    done = _transfer("link", settings, 100)
    return [
        ("100 connections over 20 Mbit/s: Mbit/s of payload", short(done.rate_bps / 1e6), "≤ 19.3"),
        ("… CPU, %", short(done.cpu_percent), ""),
        ("… lateness p99, ms", *_late(done.record)),
        ("… peak memory of the process, MB", short(done.memory_mb), ""),
    ]


@dataclass(frozen=True)
class Transfer:
    """The results of a download."""

    record: EmulationRecord
    rate_bps: float
    cpu_percent: float
    memory_mb: float


def _transfer(scenario: str, settings: dict[str, str], connections: int) -> Transfer:
    """Download for `TRANSFER_S`."""
    with tp.emulate(scenario, settings) as net:
        server = _start(net.popen_outside, "source")
        port = _line(server)
        before, start = _cpu_s(net), time.monotonic()
        words = (str(net.gateway), port, str(TRANSFER_S), str(connections))
        taken = int(_line(_start(net.popen, "download", *words)))
        cpu = 100 * (_cpu_s(net) - before) / (time.monotonic() - start)
        memory = _peak_mb(net)
    return Transfer(net.record, 8 * taken / TRANSFER_S, cpu, memory)


def _start(popen: Callable[..., subprocess.Popen[str]], *words: str) -> subprocess.Popen[str]:
    program = [sys.executable, str(HERE / "traffic.py"), *words]
    return popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _line(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip()


def _late(record: EmulationRecord) -> tuple[str, str]:
    """Return the lateness (99th percentile, ms) and its bound."""
    late = record.lateness_s
    return short(1000 * (late.p99 or 0)), f"≤ {1000 * late.bound:g}"


def _rate(record: EmulationRecord) -> str:
    packets = record.down.left.packets + record.up.left.packets
    return short(packets / TRANSFER_S)


def _cpu_s(net: EmulatedNetwork) -> float:
    """Return the CPU time of the emulator (proc(5): utime and stime)."""
    words = Path(f"/proc/{net.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(int(word) for word in words[11:13]) / TICKS


def _peak_mb(net: EmulatedNetwork) -> float:
    lines = Path(f"/proc/{net.pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


if __name__ == "__main__":
    main()
