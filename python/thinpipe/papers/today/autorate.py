"""CAKE ahead of a modem, with a rate that a script adapts by pings, as cake-autorate does.

A run cannot be steered while it runs, but it does not know the steps to come: with the steps so far
it is the same up to now. So each decision runs it anew from its start.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import polars as pl

from thinpipe.point import Point
from thinpipe.run import run_point

if TYPE_CHECKING:
    from thinpipe.run import Run

INTERVAL_S: Final = 0.3
"""From one decision to the next: bufferbloat_refractory_period_ms of cake-autorate 2."""

WINDOW: Final = 4
LATE: Final = 2
"""So many of the last pings are late upon bufferbloat: bufferbloat_detection_window and _thr."""

CUT: Final = 0.9
"""Of the achieved rate that is left upon bufferbloat: shaper_rate_adjust_bufferbloat."""

RAISE: Final = 1.01
"""With each ping under load: shaper_rate_adjust_load_high."""

LOADED: Final = 0.75
"""Share of the rate in use from which on it is load: high_load_thr."""

PACKET_BITS: Final = 8 * 1500


@dataclass(frozen=True, slots=True)
class Shaper:
    """A wire that shapes, and what the script is told of it.

    Attributes
    ----------
    wire, ping
        Names of the wire and of the group of flows that are pings.
    least_bps, first_bps, most_bps
        Bounds of the rate, and what it begins with.
    late_s
        How much longer than its least a ping takes that is late, beside the time of a packet at the
        rate: delay_thr_ms, which the script extends for slow links likewise. Default: the script's.
    """

    wire: str
    ping: str
    least_bps: int
    first_bps: int
    most_bps: int
    late_s: float = 0.025


class Script:
    """What the script knows: the rate, and the last pings."""

    def __init__(self, shaper: Shaper) -> None:
        """Begin at the first rate."""
        self.shaper = shaper
        self.rate_bps = float(shaper.first_bps)
        self.least_s = float("inf")
        self.pings_s: deque[float] = deque(maxlen=WINDOW)

    def decide(self, load: float, pings_s: list[float]) -> float:
        """Return the rate for the next interval, after `load` and those pings in the last."""
        self.least_s = min([self.least_s, *pings_s])
        self.pings_s.extend(pings_s)
        late_s = self.least_s + self.shaper.late_s + PACKET_BITS / self.rate_bps
        if pings_s and sum(ping > late_s for ping in self.pings_s) >= LATE:
            self.rate_bps *= CUT * min(load, 1.0)
            self.pings_s.clear()
        elif load >= LOADED:
            self.rate_bps *= RAISE ** len(pings_s)
        bounded = max(self.rate_bps, self.shaper.least_bps)
        self.rate_bps = min(bounded, self.shaper.most_bps)
        return self.rate_bps


def _steps(rates: list[float]) -> list[dict[str, str]]:
    """Return the schedule of a wire with these rates, one an interval."""
    return [
        {"at": f"{round(number * INTERVAL_S * 1000)} ms", "rate": f"{round(rate)} bit/s"}
        for number, rate in enumerate(rates)
        if number and round(rate) != round(rates[number - 1])
    ]


def _busy_s(run: Run, wire: str, until_s: float) -> float:
    """Return for how long a wire has sent so far, in s."""
    (share,) = (link.utilization for link in run.result.links if link.name == f"{wire}/down")
    return (share or 0.0) * until_s


@cache
def steered(base: Point, shaper: Shaper, seconds: float) -> Point:
    """Return a run with the rates that the script comes to, step by step."""
    script, rates, busy_s = Script(shaper), [float(shaper.first_bps)], 0.0

    def point(until_s: float) -> Point:
        more = (
            (f"wired.{shaper.wire}.rate", f"{shaper.first_bps} bit/s"),
            (f"wired.{shaper.wire}.schedule", _steps(rates)),
            ("duration", f"{round(until_s * 1000)} ms"),
        )
        return Point.of(base.scenario, {**dict(base.settings), **dict(more)})

    for number in range(1, round(seconds / INTERVAL_S)):
        now_s = number * INTERVAL_S
        run = run_point(point(now_s))
        arrived = pl.col("arrived_s") > now_s - INTERVAL_S
        flows = [flow.id for flow in run.result.flows if flow.group == shaper.ping]
        pings = run.datagrams.filter(arrived & pl.col("flow").is_in(flows))
        busy = _busy_s(run, shaper.wire, now_s)
        load, busy_s = (busy - busy_s) / INTERVAL_S, busy
        rates.append(script.decide(load, pings["delay_s"].to_list()))
    return point(seconds)
