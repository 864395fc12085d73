"""Print what a scenario's link meets under light and heavy load, as a load-dependent trace.

Trains of four packets, ten seconds apart, probe the idle link; a flow far above its rate saturates
it.

    python examples/record.py umts-384 > down.csv
    python examples/record.py umts-384 uplink > up.csv
"""

import math
import sys
from collections import Counter
from itertools import pairwise

import thinpipe as tp

IDLE_MS = 500
UDP = {"flow.application": "udp", "flow.udp.payload": "1472 B", "flow.bytes": "unlimited"}
TRAINS = {
    "flow.udp.rate": "11.776 Mbit/s",  # a packet a millisecond
    "flow.udp.on_time": "4 ms",
    "flow.udp.off_time": "9996 ms",
    "flow.udp.times": "constant",
}
SATURATED = {"flow.udp.rate": "20 Mbit/s"}


def arrivals(scenario: str, settings: dict[str, str]) -> list[tuple[float, float]]:
    """Return when each datagram that arrived was sent, and when it arrived, in milliseconds."""
    table = tp.run(scenario, {**UDP, **settings}).datagrams.drop_nulls("arrived_s")
    return [(1000 * sent, 1000 * came) for sent, came in table["time_s", "arrived_s"].iter_rows()]


def record(scenario: str, direction: str, duration: str) -> list[str]:
    """Return the lines of the trace of a direction of a scenario."""
    where = {"flow.direction": direction, "duration": duration}
    probes = arrivals(scenario, {**where, **TRAINS})
    saturated = arrivals(scenario, {**where, **SATURATED})
    base_ms = min(came - sent for sent, came in probes)
    heavy = Counter(math.ceil(came - base_ms) for _, came in saturated)
    begins_ms = [probes[0][0]]
    begins_ms += [after for (before, _), (after, _) in pairwise(probes) if after > before + IDLE_MS]
    lines = ["series,at_ms,ms,packets", f"idle,,{IDLE_MS},", f"delay,0,{base_ms:.3f},"]
    for begin_ms in begins_ms:
        at_ms = round(begin_ms - begins_ms[0])
        lines += [
            f"light,{at_ms},{came - begin_ms - base_ms:.3f},1"
            for sent, came in probes
            if begin_ms <= sent < begin_ms + IDLE_MS and at_ms < max(heavy)
        ]
    return lines + [f"heavy,{at_ms},,{heavy[at_ms]}" for at_ms in sorted(heavy)]


if __name__ == "__main__":
    scenario, direction = (*sys.argv[1:], "downlink")[:2]
    print("\n".join(record(scenario, direction, "200 s")))
