"""What the scenarios of satellites show, beside what was measured."""

import numpy as np
import polars as pl
import pytest
import thinpipe as tp

SLOT_S = 15
LIGHT = 299_792_458.0
LOW, HIGH = 550_000, 1_123_000
"""How far a satellite of the first shell of Starlink is at the zenith and at 25°, in metres."""


def least_of_slots(run: tp.Run) -> np.ndarray:
    """Return the least time of an echo in each slot, in seconds."""
    slot = (run.echoes["time_s"] / SLOT_S).cast(pl.Int64)
    times = run.echoes.with_columns(slot.alias("slot")).group_by("slot").agg(pl.col("echo_s").min())
    return times.sort("slot")["echo_s"].to_numpy()


def test_round_trips_step_every_15_s():
    settings = {"flow.application": "telnet", "radio.leo.loses": "false"}
    steps = least_of_slots(tp.run("leo-15s", settings, duration="300 s"))
    changes = np.abs(np.diff(steps))
    assert np.median(changes) > 0.5e-3  # a satellite that moves changes it by some µs a second
    ground_s = 2 * 0.008
    assert steps.min() > ground_s + 4 * LOW / LIGHT
    assert steps.max() < ground_s + 4 * HIGH / LIGHT + 5e-3


def test_a_geostationary_satellite_is_600_ms_away_and_its_start_is_what_costs():
    flow = tp.run("geo-600", {"tcp.profile": "modern"}).flows[0]
    assert flow.rtt_s.min == pytest.approx(0.600, abs=0.003)
    assert flow.completed_s is not None
    # By the link alone 10 MB take 0.84 s and half a round trip.
    assert flow.completed_s > 4


def test_bursts_take_2_56_percent_of_the_time():
    run = tp.run(
        "geo-12-3-lossy",
        {"flow.application": "udp", "flow.udp.rate": "2 Mbit/s"},
        duration="600 s",
    )
    sent = run.datagrams
    lost = sent["arrived_s"].is_null() & (sent["time_s"] < 598)
    assert float(lost.mean() or 0) == pytest.approx(0.0256, abs=0.003)


def test_no_satellite_no_step():
    """The same terminal with a satellite that stays has one round-trip time."""
    settings = {"flow.application": "telnet", "flow.bytes": "unlimited"}
    steps = least_of_slots(tp.run("geo-600", settings, duration="300 s"))
    assert np.ptp(steps) < 1e-6
