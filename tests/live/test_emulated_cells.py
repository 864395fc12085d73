"""Real packets over cells of LTE, NR, NB-IoT and HSDPA: what the model says happens to them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import thinpipe as tp

PROBE = Path(__file__).parent / "probe.py"

CALM = {
    "radio.fading.deviation": "0 dB",
    "radio.downlink.bler": "0 %",
    "radio.uplink.bler": "0 %",
}
"""No block is repeated."""

pytestmark = pytest.mark.usefixtures("emulation")


def pings(net, *words: str) -> Any:
    """Send echo requests with `probe.py`, and return the round-trip times in seconds."""
    command = [sys.executable, str(PROBE), *words[:1], str(net.gateway), *words[1:]]
    done = net.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def delays(net, direction: str) -> list[float]:
    """Return how long each echo took by the model's clock, in seconds."""
    chosen = net.packets.filter(protocol=1, direction=direction)
    delay = pl.col("due_s") - pl.col("entered_s")
    found: list[float] = chosen.select(delay_s=delay)["delay_s"].to_list()
    return found


@pytest.mark.parametrize("name", ["lte-cat4", "lte-cat1"])
def test_an_idle_mobile_is_promoted_and_then_waits_for_grants(name, tmp_path):
    with tp.emulate(name, CALM, log=tmp_path / "packets.jsonl") as net:
        assert len(pings(net, "icmp", "6")) == 6
    for way in (net.record.down, net.record.up):
        assert way.entered.packets == way.left.packets + way.dropped.total + way.queued.packets
    first, *later = delays(net, "up")
    # Promotion, then a request and its grant; DRX and requests delay later ones by a cycle each.
    assert first > 0.260
    assert all(0.010 <= delay <= 0.060 for delay in later)
    assert all(0.002 <= delay <= 0.060 for delay in delays(net, "down"))


def test_an_outage_holds_packets_back(tmp_path):
    with tp.emulate("lte-cat1", CALM, log=tmp_path / "packets.jsonl") as net:
        assert len(pings(net, "icmp", "2")) == 2
        # Long enough for a slow machine to send its first echo before the end.
        net.black_out(5)
        heard = pings(net, "icmp", "2")
    assert len(heard) == 2
    assert max(delays(net, "up")[2:]) > 0.1
    assert net.record.up.dropped.total == 0
    assert net.record.down.dropped.total == 0


def test_energy_of_an_emulated_mobile_adds_up(tmp_path):
    with tp.emulate("lte-cat1", CALM, log=tmp_path / "packets.jsonl") as net:
        pings(net, "icmp", "3")
    spent = net.record.energy
    assert spent is not None
    assert {"promotion", "active", "tail"} <= {state.name for state in spent.states}
    assert sum(state.energy_j for state in spent.states) == pytest.approx(spent.total_j)
    promoted = [state.time_s for state in spent.states if state.name == "promotion"]
    assert promoted == [pytest.approx(0.260, abs=0.001)]


@pytest.mark.parametrize(
    ("name", "least_s"), [("hsdpa-3.6", 0.05), ("nr-tdd-100", 0.002), ("nb-iot", 0.1)]
)
def test_every_cell_carries_pings(name, least_s, tmp_path):
    with tp.emulate(name, log=tmp_path / "packets.jsonl") as net:
        assert len(pings(net, "icmp", "2")) == 2
    for way in (net.record.down, net.record.up):
        assert way.entered.packets == way.left.packets + way.dropped.total + way.queued.packets
        assert way.dropped.total == 0
    assert min(delays(net, "up")) + min(delays(net, "down")) > least_s
