"""What the scenarios of satellites show, beside what was measured."""

import dataclasses
from pathlib import Path

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
    steps = least_of_slots(tp.run("leo-calm", settings, duration="300 s"))
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
    assert lost.sum() / len(lost) == pytest.approx(0.0256, abs=0.003)


UDP = {"flow.application": "udp", "flow.udp.payload": "1200 B"}
NEVER = {"radio.leo.loses": "false"}


@pytest.mark.parametrize(
    ("name", "settings", "reasons"),
    [
        ("leo-15s", {"radio.leo.slot": "2 s"}, {"queue", "outage", "loss"}),
        ("leo-15s", {"radio.leo.slot": "2 s", **NEVER}, {"queue", "loss"}),
        ("leo-calm", {"radio.leo.slot": "2 s"}, {"queue", "outage"}),
        ("leo-calm", {"radio.leo.slot": "2 s", **NEVER}, {"queue"}),
        ("geo-12-3-lossy", {}, {"queue", "loss"}),
        ("satcom-edge", {"flow.direction": "uplink"}, {"queue", "loss"}),
    ],
)
def test_nothing_is_lost_without_a_reason(name, settings, reasons):
    """Datagrams are sent faster than they get through: some are dropped by the queue."""
    values = tp.scenarios()[name].values()
    way = settings.get("flow.direction", "downlink")
    left = 1 - float(values["radio.beam.background"])
    bps = 1.02 * left * float(values[f"radio.{way}.rate"].split()[0])
    unit = values[f"radio.{way}.rate"].split()[1]
    udp = {**UDP, "flow.udp.rate": f"{bps} {unit}"}
    run = tp.run(name, {**udp, **settings}, duration="30 s")
    sent = run.datagrams
    assert len(sent) > 500
    late = sent["time_s"] > 20
    unaccounted = sent["arrived_s"].is_null() & sent["lost_by"].is_null()
    assert not (unaccounted & ~late).any()
    [link] = [link for link in run.result.links if link.name.endswith(way.removesuffix("link"))]
    drops = {reason: n for reason, n in vars_of(link.drops_by_reason).items() if n}
    assert set(drops) == reasons
    assert sum(drops.values()) == link.drops
    assert sent["lost_by"].is_not_null().sum() == link.drops
    assert run.result.radio is not None
    assert run.result.radio.discarded_sdus == 0


def vars_of(record) -> dict[str, int]:
    return dataclasses.asdict(record)


def test_utilization_is_the_share_of_its_rates():
    udp = {**UDP, "flow.udp.rate": "3 Mbit/s"}
    down, up = tp.run("geo-12-3-lossy", udp, duration="100 s").result.links
    # IP and UDP add 28 B to each datagram of 1200 B.
    assert down.utilization == pytest.approx(0.25 * 1228 / 1200, rel=0.01)
    assert up.utilization == pytest.approx(0.0, abs=0.001)
    rain = {"radio.rain": "[{at = '0 s', share = '50 %'}]"}
    shared = {"radio.beam.background": "50 %"}
    busy, _ = tp.run("geo-12-3-lossy", {**udp, **shared}, duration="100 s").result.links
    assert busy.utilization == pytest.approx(2 * (down.utilization or 0), rel=0.01)
    wet, _ = tp.run("geo-12-3-lossy", {**udp, **rain}, duration="100 s").result.links
    assert wet.utilization == pytest.approx(2 * (down.utilization or 0), rel=0.01)


def test_a_recording_takes_the_place_of_the_orbit(tmp_path, monkeypatch):
    """Echoes take what the file says; the run is repeated with the file, or not if it changed."""
    monkeypatch.chdir(tmp_path)
    file = Path("seen.csv")
    file.write_text("time_s,rtt_ms\n0,40\n100,90\n200,25\n", encoding="utf-8")
    settings = {"flow.application": "telnet", "radio.trace": str(file)}
    run = tp.run("leo-calm", settings, duration="300 s")
    echoes = run.echoes
    for start, rtt_s in ((0, 0.040), (100, 0.090), (200, 0.025)):
        within = echoes.filter(pl.col("time_s").is_between(start, start + 99))
        assert within.height > 10
        assert within["echo_s"].min() == pytest.approx(rtt_s, abs=2e-4)
    run.save(tmp_path / "run")
    assert tp.again(tmp_path / "run").result == run.result
    file.write_text("time_s,rtt_ms\n0,41\n", encoding="utf-8")
    with pytest.raises(tp.ScenarioError, match=r"seen\.csv: has changed since that run"):
        tp.again(tmp_path / "run")


def test_recorded_rates_are_those_of_the_link(tmp_path):
    text = "time_s,rtt_ms,down_mbps,up_mbps\n0,40,8,1\n10,40,2,1\n20,40,0,0\n30,40,4,1\n"
    (tmp_path / "seen.csv").write_text(text, encoding="utf-8")
    udp = {**UDP, "flow.udp.rate": "20 Mbit/s"}
    recorded = {"radio.trace": str(tmp_path / "seen.csv"), "queue.bytes": "20 kB"}
    udp["flow.bytes"] = "unlimited"
    run = tp.run("geo-600", {**udp, **recorded}, duration="40 s")
    assert run.capacity.filter(link="Sat/down")["rate_bps"].to_list() == [8e6, 2e6, 0, 4e6]
    arrived = run.datagrams.drop_nulls("arrived_s")
    for start, bps in ((1, 8e6), (11, 2e6), (21, 0), (31, 4e6)):
        within = arrived.filter(pl.col("arrived_s").is_between(start, start + 8))
        carried_bps = within.height * 1228 * 8 / 8
        assert carried_bps == pytest.approx(bps, rel=0.03, abs=1e4)


def test_no_satellite_no_step():
    """The same terminal with a satellite that stays has one round-trip time."""
    settings = {"flow.application": "telnet", "flow.bytes": "unlimited"}
    steps = least_of_slots(tp.run("geo-600", settings, duration="300 s"))
    assert np.ptp(steps) < 1e-6
