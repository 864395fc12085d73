"""Real packets by satellite: what the model says happens to them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import thinpipe as tp

PROBE = Path(__file__).parent / "probe.py"
SCENARIOS = ("leo-15s", "leo-calm", "geo-600", "geo-12-3-lossy", "satcom-edge")
LIGHT = 299_792_458.0
LOW = 550_000
LEAST_S = {
    # Twice up and down to a satellite overhead, and 8 ms on the ground each way.
    "leo-15s": 4 * LOW / LIGHT + 0.016,
    "leo-calm": 4 * LOW / LIGHT + 0.016,
    "geo-600": 0.599,
    "geo-12-3-lossy": 0.599,
    # What it commits to carries a ping without a request.
    "satcom-edge": 0.745,
}
"""The least round-trip time of each."""
MOST_S = {
    # With the detour, and a few frames of other users.
    "leo-15s": 0.12,
    "leo-calm": 0.04,
    "geo-600": 0.602,
    "geo-12-3-lossy": 0.602,
    "satcom-edge": 0.9,
}
"""The longest that the model makes of an idle round trip."""

pytestmark = pytest.mark.usefixtures("emulation")


def pings(net, *words: str) -> Any:
    """Send echo requests with `probe.py`, and return the round-trip times in seconds."""
    command = [sys.executable, str(PROBE), *words[:1], str(net.gateway), *words[1:]]
    done = net.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def accounts_balance(record) -> None:
    """Check in each direction that entered = left + dropped + queued."""
    for way in (record.down, record.up):
        assert way.entered.packets == way.left.packets + way.dropped.total + way.queued.packets
        assert way.dropped.discarded == 0


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_ping_takes_the_way_to_the_satellite(name, tmp_path):
    # Without what is lost, so that each has its echo.
    calm = {
        "leo-15s": {
            "radio.leo.loses": "false",
            **{f"radio.gilbert_elliott.{state}": "0 %" for state in ("good", "bad")},
        },
        "leo-calm": {"radio.leo.loses": "false"},
        "geo-12-3-lossy": {"radio.gilbert_elliott.bad": "0 %"},
        "satcom-edge": {f"radio.gilbert_elliott.{state}": "0 %" for state in ("good", "bad")},
    }
    settings = calm.get(name, {})
    log = tmp_path / "packets.jsonl"
    with tp.emulate(name, settings, log=log) as net:
        rtts = pings(net, "icmp", "4")
    assert len(rtts) == 4
    assert min(rtts) >= LEAST_S[name]
    accounts_balance(net.record)
    # By the model's clock, whatever the machine does besides.
    packets = net.packets.filter(protocol=1)
    delays = packets.with_columns(delay_s=pl.col("due_s") - pl.col("entered_s"))
    ways = [delays.filter(direction=way)["delay_s"].to_list() for way in ("down", "up")]
    assert LEAST_S[name] <= sum(map(min, ways)) <= MOST_S[name]


def test_what_is_in_the_air_at_a_change_is_lost_to_an_outage(tmp_path):
    settings = {"radio.leo.slot": "1 s", "radio.leo.pause": "100 ms"}
    with tp.emulate("leo-calm", settings, log=tmp_path / "packets.jsonl") as net:
        heard = pings(net, "every", "0.005", "600")
    accounts_balance(net.record)
    assert None in heard
    packets = net.packets.filter(protocol=1)
    lost = packets.filter(pl.col("fate") != "delivered")
    assert set(lost["fate"]) == {"outage"}
    # Each entered within 40 ms of the end of a slot, and none left in a pause; the first slot has
    # none.
    assert (lost["entered_s"] % 1 > 1 - 0.04).all()
    left = packets.filter(pl.col("fate") == "delivered", pl.col("due_s") > 1)["due_s"] % 1
    assert left.len() > 100
    assert not left.is_between(0.04, 0.1).any()


def test_bursts_lose_packets_at_random(tmp_path):
    with tp.emulate("geo-12-3-lossy", log=tmp_path / "packets.jsonl") as net:
        pings(net, "every", "0.005", "800")
    accounts_balance(net.record)
    lost = net.packets.filter(pl.col("fate") != "delivered")
    assert set(lost["fate"]) == {"loss"}
    assert 0.002 < lost.height / net.packets.height < 0.12


def test_a_satellite_changes_its_rates_and_is_blacked_out():
    with tp.emulate("leo-calm") as net:
        assert net.changeable == {
            "radio.downlink.rate": "50 Mbit/s",
            "radio.uplink.rate": "10 Mbit/s",
        }
        net.change({"radio.uplink.rate": "1 Mbit/s"})
        assert net.changeable["radio.uplink.rate"] == "1 Mbit/s"
        assert len(pings(net, "icmp", "3")) == 3
        with pytest.raises(
            tp.ScenarioError,
            match=r"^radio\.leo\.slot: cannot be changed while it runs; these can: "
            r"radio\.downlink\.rate, radio\.uplink\.rate$",
        ):
            net.change({"radio.leo.slot": "1 s"})
        net.black_out(300)
        assert net.black_out_s > 290
        net.black_out(0)
        assert len(pings(net, "icmp", "3")) == 3
    assert net.record.up.dropped.total == 0
