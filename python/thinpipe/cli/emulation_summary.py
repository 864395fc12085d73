"""The summary of an emulation, on standard error."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from thinpipe.cli.terminal import console, show
from thinpipe.counted import counted
from thinpipe.emulation_record import Direction, EmulationRecord, Lateness, Traffic
from thinpipe.report.numbers import percent, short
from thinpipe.report.summary import energy_words

PRIORITY: Final = (
    "ran at normal priority, so other programs may delay it: real-time priority needs "
    "CAP_SYS_NICE or `ulimit -r 1`"
)


AHEAD: Final = "dropped ahead of it"
COPIES: Final = "duplicated"


def print_summary(record: EmulationRecord, notes: Sequence[str]) -> None:
    """Print what became of the packets in each direction, and further notes."""
    screen = console(sys.stderr)
    ways = {"down": record.down, "up": record.up}
    lines = [*_about(record), *notes]
    if any(way.entered.packets or way.dropped_before for way in ways.values()):
        columns = [_column(way, record.wall_s) for way in ways.values()]
        rows = [(name, *(column[name] for column in columns)) for name in columns[0]]
        if not any(way.dropped_before for way in ways.values()):
            rows = [row for row in rows if row[0] != AHEAD]
        if not any(way.duplicated.packets for way in ways.values()):
            rows = [row for row in rows if row[0] != COPIES]
        show(screen, ("", *ways), rows, text=frozenset({"", *ways}))
    else:
        lines.insert(0, "no packet entered the link in either direction")
    for text in lines:
        screen.print(text, style="dim", soft_wrap=True)
    if not record.lateness_s.within_bound:
        text = _too_late(record.lateness_s)
        screen.print(text, style="bold red", soft_wrap=True)


def _column(way: Direction, wall_s: float) -> dict[str, str]:
    rate = 8 * way.left.bytes / wall_s / 1000 if wall_s else None
    counts = dataclasses.asdict(way.dropped)
    del counts["total"]
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in counts.items() if count)
    ahead = counted(way.dropped_before, "packet") + ", by the kernel"
    return {
        AHEAD: ahead if way.dropped_before else "–",
        "in": _traffic(way.entered),
        COPIES: _traffic(way.duplicated),
        "out": _traffic(way.left),
        "dropped": reasons or "–",
        "queued": _traffic(way.queued),
        "rate, mean of the run": f"{short(rate)} kbit/s",
        "delay, median": _ms(way.delay_s.p50),
        "99 %": _ms(way.delay_s.p99),
        "max": _ms(way.delay_s.max),
    }


def _traffic(traffic: Traffic) -> str:
    if not traffic.packets:
        return "–"
    return f"{counted(traffic.packets, 'packet')}, {short(traffic.bytes / 1000)} kB"


def _ms(seconds: float | None) -> str:
    return "–" if seconds is None else f"{short(1000 * seconds)} ms"


def _about(record: EmulationRecord) -> Iterator[str]:
    longest = "" if record.mtu is None else f", packets of at most {record.mtu} B"
    yield f"{record.scenario}, seed {record.seed}: {short(record.wall_s, 4)} s{longest}"
    for name, way in (("down", record.down), ("up", record.up)):
        yield from _about_way(name, way)
    radio = record.radio
    if radio is not None and radio.blocks_sent:
        share = percent(radio.blocks_in_error / radio.blocks_sent, 2)
        yield (
            f"{radio.blocks_sent:,} radio blocks, {share} in error, "
            f"{radio.retransmitted_blocks:,} retransmitted"
        )
    if record.energy is not None:
        yield energy_words(record.energy)
    if record.lateness_s.samples:
        late = record.lateness_s
        yield (
            f"behind the model by {_ms(late.p50)} (median), {_ms(late.p99)} (99 %), "
            f"{_ms(late.max)} at most"
        )
    if record.scheduling == "normal":
        yield PRIORITY
    if record.left_behind:
        yield f"ended {counted(record.left_behind, 'process', 'processes')} left behind"


def _about_way(name: str, way: Direction) -> Iterator[str]:
    if way.unreadable:
        packets = counted(way.unreadable, "packet")
        yield f"{name}: {packets} of neither IPv4 nor IPv6"


def _too_late(lateness: Lateness) -> str:
    return (
        f"too late: {_ms(lateness.p99)} (99 %), where {_ms(lateness.bound)} is the bound; "
        "do not trust the timings of this run"
    )
