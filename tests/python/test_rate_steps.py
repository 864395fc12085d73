"""A radio whose rate falls to a sixth and rises again under what is not TCP alone.

How soon an estimated window of an aggregating proxy follows: tests/rate_steps.rs of the crate
`middlebox` asks the same of connections.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import polars as pl
import pytest
import thinpipe as tp

if TYPE_CHECKING:
    from typing import TypeAlias

    from thinpipe.point import Value

    Settings: TypeAlias = dict[str, Value]

RATES_BPS = (384_000, 64_000, 384_000)
STEP_S = 40
"""Rates one after the other, and for how long each."""

SETTLES_S = 2.0
"""How soon after a step the delay is that of the window for the new rate."""

HEADERS = 28
PACKET = 1500
"""Bytes of IP and UDP headers, and of a full packet."""

PING: Settings = {"application": "udp", "udp.payload": "56 B", "udp.rate": "1792 bit/s"}
FLOWS: dict[str, Settings] = {
    "encrypted": {"bytes": "unlimited", "encrypted": True},
    "datagrams": {"application": "udp", "udp.payload": "1172 B", "udp.rate": "500 kbit/s"},
}


def stepped(flow: str, estimator: str) -> tp.Run:
    """Run one such flow and a ping over the steps."""
    schedule = [
        {"at": f"{STEP_S * number} s", "rate": f"{rate} bit/s"}
        for number, rate in enumerate(RATES_BPS)
        if number
    ]
    groups = {"other": FLOWS[flow], "ping": {**PING, "udp.times": "constant"}}
    settings: Settings = {
        f"flow.group.{name}.{key}": value for name in groups for key, value in groups[name].items()
    }
    box = {"estimator": estimator, "rate": f"{RATES_BPS[0]} bit/s", "round_trip": "130 ms"}
    settings |= {f"middlebox.atcp.{key}": value for key, value in box.items()}
    common: Settings = {
        "flow.count": 0,
        "radio.downlink.schedule": schedule,
        "middlebox.kind": "atcp",
    }
    duration = f"{STEP_S * len(RATES_BPS)} s"
    return tp.run("umts-384", common | settings, duration=duration, trace=True)


def arrivals(run: tp.Run) -> pl.DataFrame:
    """Return when packets arrived, and their bytes, whatever they are of."""
    datagrams = run.datagrams.filter(pl.col("arrived_s").is_not_null())
    bytes_of = (pl.col("bytes") + HEADERS).cast(pl.Int64).alias("bytes")
    tables = [datagrams.select(pl.col("arrived_s").alias("time_s"), bytes_of)]
    if run.traced and run.has("segments"):
        data = run.segments.filter((pl.col("event") == "received") & (pl.col("payload_bytes") > 0))
        whole = (pl.col("payload_bytes") + PACKET - 1448).cast(pl.Int64).alias("bytes")
        tables.append(data.select("time_s", whole))
    return pl.concat(tables)


@pytest.mark.parametrize("estimator", ["westwood", "radio"])
@pytest.mark.parametrize("flow", FLOWS)
def test_the_window_follows(flow, estimator):
    """Two seconds after a step a ping takes what the window allows, and the radio is busy."""
    run = stepped(flow, estimator)
    pings = run.datagrams.filter((pl.col("bytes") < 100) & pl.col("delay_s").is_not_null())
    came = arrivals(run)
    for number, rate in enumerate(RATES_BPS):
        since, until = STEP_S * number + SETTLES_S, STEP_S * (number + 1)
        span = pl.col("time_s").is_between(since, until - 1)
        carried = int(came.filter(span)["bytes"].sum()) * 8 / (until - 1 - since) / rate
        delays: list[float] = pings.filter(span)["delay_s"].to_list()
        case = f"{flow}, {estimator}, {rate} bit/s: {carried}, {max(delays)} s, {fmean(delays)} s"
        assert carried >= 0.9, case
        # An idle UMTS bearer takes 40 ms; a window is rate times round trip, three tenths, and two
        # packets.
        assert max(delays) <= 0.04 + 1.3 * 0.13 + 3 * PACKET * 8 / rate, case
