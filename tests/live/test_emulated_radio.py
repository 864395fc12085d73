"""Radio events apply to real packets, too: black-outs, modes, cells."""

import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl
import pytest
import thinpipe as tp

PROBE = Path(__file__).parent / "probe.py"
BEGINS_S, ENDS_S = 6, 9
"""Black-out on the emulator's clock; pings have started by then."""

BLACKOUT = f"[{{at = '{BEGINS_S} s', coverage = false}}, {{at = '{ENDS_S} s', coverage = true}}]"

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


def log(net) -> pl.DataFrame:
    """Return the echo packets that entered, with their delays by the model."""
    rows: pl.DataFrame = net.packets.filter(protocol=1).sort("entered_s")
    return rows.with_columns(delay_s=pl.col("due_s") - pl.col("entered_s"))


def test_a_black_out_holds_a_ping_back_until_coverage_returns(tmp_path):
    """In acknowledged mode RLC retransmits lost blocks: pings are late, and none is lost."""
    file = tmp_path / "packets.jsonl"
    with tp.emulate("umts-384", {"radio.schedule": BLACKOUT}, log=file) as net:
        rtts = pings(net, "icmp", "80")
    accounts_balance(net.record)
    echoes = log(net)
    assert echoes.height == 2 * len(rtts)
    late = echoes.filter(pl.col("delay_s") > 0.5)
    assert late.height == 1, "the next one waits for its reply"
    assert 0 < late["due_s"].item() - ENDS_S < 0.7
    assert net.record.down.dropped.total == net.record.up.dropped.total == 0
    assert net.record.radio is not None
    assert net.record.radio.blocks_in_error > 0


def test_the_module_of_the_thesis_asks_again_once_more_comes(tmp_path):
    file = tmp_path / "packets.jsonl"
    with tp.emulate("umts-thesis", {"radio.schedule": BLACKOUT}, log=file) as net:
        rtts = pings(net, "every", "0.2", "60")
    accounts_balance(net.record)
    assert None not in rtts
    echoes = log(net)
    waited = echoes.filter(pl.col("entered_s").is_between(BEGINS_S, ENDS_S - 0.5))
    assert waited.height > 0
    assert (waited["due_s"] > ENDS_S).all()
    assert (echoes.filter(pl.col("entered_s") > ENDS_S + 1)["delay_s"] < 0.2).all()


def test_a_black_out_loses_what_nobody_repeats(tmp_path):
    settings = {"radio.schedule": BLACKOUT, "radio.rlc.mode": "um"}
    with tp.emulate("umts-384", settings, log=tmp_path / "packets.jsonl") as net:
        heard = pings(net, "every", "0.2", "60")
    accounts_balance(net.record)
    assert None in heard
    echoes = log(net)
    # As one comes to the radio, or is on it.
    gone = pl.col("entered_s").is_between(BEGINS_S, ENDS_S - 0.2)
    assert set(echoes.filter(gone)["fate"]) == {"discarded"}
    before_or_after = ~pl.col("entered_s").is_between(BEGINS_S - 0.2, ENDS_S)
    assert set(echoes.filter(before_or_after)["fate"]) == {"delivered"}


def test_a_delay_spike_is_waited_for(tmp_path):
    spike = {"radio.spikes": "[{at = '6 s', lasts = '3 s'}]", "queue.per_flow": "true"}
    with tp.emulate("umts-384", spike, log=tmp_path / "packets.jsonl") as net:
        pings(net, "icmp", "80")
    accounts_balance(net.record)
    late = log(net).filter(pl.col("delay_s") > 0.5)
    assert late.height == 1, "the next one waits for its reply"
    assert 0 < late["due_s"].item() - ENDS_S < 0.7


def test_a_program_is_the_one_mobile_of_its_cells(tmp_path):
    settings = {"radio.ue.walker.velocity": "80 m/s, 0 m/s"}
    with tp.emulate("umts-handover", settings, log=tmp_path / "packets.jsonl") as net:
        rtts = pings(net, "icmp", "40")
    accounts_balance(net.record)
    first_s, *later_s = log(net).filter(direction="up")["delay_s"]
    assert first_s > 0.2 > median(later_s)  # the connection comes first
    assert net.record.down.left.packets == len(rtts)
    assert net.record.radio is not None
    assert net.record.radio.blocks_sent > 2 * len(rtts)


def test_one_mobile_of_several_is_none():
    with pytest.raises(tp.ScenarioError, match=r"^umts-cell-50: has 50 mobiles, and an emulated"):
        tp.emulate("umts-cell-50")
    with tp.emulate("umts-cell-50", {"radio.ues": 1}) as net:
        assert len(pings(net, "icmp", "3")) == 3
