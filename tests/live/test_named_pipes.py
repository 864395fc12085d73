"""Real packets over a named pipe: its figures, by the model's clock."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import thinpipe as tp

PROBE = Path(__file__).parent / "probe.py"
ICMP = 1

pytestmark = pytest.mark.usefixtures("emulation")


@pytest.mark.parametrize("name", ["webpagetest:3g", "atc:edge-average"])
def test_packets_take_the_delay_and_the_rate_of_a_named_pipe(name, tmp_path):
    pipe = tp.pipes()[name]
    with tp.emulate(name, log=tmp_path / "packets.jsonl") as net:
        command = [sys.executable, str(PROBE), "icmp", str(net.gateway), "3"]
        done = net.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
        assert min(json.loads(done.stdout.splitlines()[-1])) >= pipe.rtt_s
    assert net.record.scenario == name
    for direction, way in (("down", pipe.down), ("up", pipe.up)):
        assert way is not None
        packets = net.packets.filter(protocol=ICMP, direction=direction)
        late_s = packets.select(
            late=pl.col("due_s") - pl.col("entered_s"), bits=pl.col("bytes") * 8
        )
        rate_bps = way.rate_bps or 0
        expected = [way.delay_s + bits / rate_bps for bits in late_s["bits"]]
        assert late_s["late"].to_list() == pytest.approx(expected, abs=1e-6)
