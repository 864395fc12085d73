"""What may happen to a radio happens to real packets as well: black-outs, modes, cells."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import thinpipe as tp

PROBE = Path(__file__).parent / "probe.py"
BLACKOUT = "[{at = '2 s', coverage = false}, {at = '5 s', coverage = true}]"

pytestmark = pytest.mark.usefixtures("emulation")


def pings(net, *words: str) -> Any:
    """Ask for echoes, as `probe.py` does, and return their round-trip times in seconds."""
    command = [sys.executable, str(PROBE), *words[:1], str(net.gateway), *words[1:]]
    done = net.run(command, stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def accounts_balance(record) -> None:
    """Check that what entered is what left, was dropped or was held, either way."""
    for way in record.directions.values():
        assert way.entered.packets == way.left.packets + way.dropped.total + way.queued.packets


def test_a_black_out_holds_a_ping_back_until_coverage_returns():
    """In acknowledged mode RLC repeats what was lost: the ping is late, and none is lost."""
    with tp.emulate("umts-384", {"radio.schedule": BLACKOUT}) as net:
        rtts = pings(net, "icmp", "50")
    accounts_balance(net.record)
    late = [number for number, rtt in enumerate(rtts) if rtt > 0.5]
    assert len(late) == 1
    assert 5 <= late[0] < 45
    before_s = sum(rtts[: late[0]])
    assert before_s < 2.2
    assert before_s + rtts[late[0]] > 4.8
    assert rtts[late[0]] < 3.7
    assert net.record.down.dropped.total == net.record.up.dropped.total == 0
    assert net.record.radio is not None
    assert net.record.radio.blocks_in_error > 0


def test_the_module_of_the_thesis_asks_again_once_more_comes():
    with tp.emulate("umts-thesis", {"radio.schedule": BLACKOUT}) as net:
        rtts = pings(net, "every", "0.2", "35")
    accounts_balance(net.record)
    assert None not in rtts
    assert 12 <= sum(rtt > 0.5 for rtt in rtts) <= 16
    assert max(rtts) > 2.5
    assert rtts[-1] < 0.2


def test_a_black_out_loses_what_nobody_repeats():
    settings = {"radio.schedule": BLACKOUT, "radio.rlc.mode": "um"}
    with tp.emulate("umts-384", settings) as net:
        heard = pings(net, "every", "0.2", "35")
    accounts_balance(net.record)
    lost = [number for number, rtt in enumerate(heard) if rtt is None]
    assert lost == list(range(lost[0], lost[-1] + 1))
    assert 12 <= len(lost) <= 17
    assert lost[0] > 0
    assert lost[-1] < 34


def test_a_delay_spike_is_waited_for():
    spike = {"radio.spikes": "[{at = '1 s', lasts = '1500 ms'}]", "queue.per_flow": "true"}
    with tp.emulate("umts-384", spike) as net:
        rtts = pings(net, "icmp", "20")
    accounts_balance(net.record)
    assert sum(rtt > 0.5 for rtt in rtts) == 1
    assert 1.2 < max(rtts) < 1.8


def test_a_program_is_the_one_mobile_of_its_cells():
    with tp.emulate("umts-handover", {"radio.ue.walker.velocity": "80 m/s, 0 m/s"}) as net:
        rtts = pings(net, "icmp", "40")
    accounts_balance(net.record)
    assert rtts[0] > 0.25 > sorted(rtts)[20]  # the connection comes first
    assert net.record.down.left.packets == len(rtts)
    assert net.record.radio is not None
    assert net.record.radio.blocks_sent > 2 * len(rtts)


def test_one_mobile_of_several_is_none():
    with pytest.raises(tp.ScenarioError, match=r"^umts-cell-50: has 50 mobiles, and an emulated"):
        tp.emulate("umts-cell-50")
    with tp.emulate("umts-cell-50", {"radio.ues": 1}) as net:
        assert len(pings(net, "icmp", "3")) == 3
