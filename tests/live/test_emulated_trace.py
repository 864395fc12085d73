"""A load-dependent trace holds for real packets, too."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import thinpipe as tp

ROOT = Path(__file__).parents[2]
PROBE = Path(__file__).parent / "probe.py"
IDLE_S = 0.1
LEAST_DELAY_S = 0.018
FETCH = """
import sys, urllib.request
sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1], timeout=300).read())
"""

pytestmark = pytest.mark.usefixtures("emulation")


def expected_s(way: str, begins_s: float) -> float:
    """Return the delay of the first packet of a burst that fits into one opportunity."""
    file = ROOT / "scenarios" / "traces" / f"lte-drive-{way}.csv"
    table = pl.read_csv(file, comment_prefix="#")
    period_ms = table["at_ms"].max()
    assert isinstance(period_ms, int)

    def last(series: str, at_s: float) -> float:
        within_ms = 1000 * at_s % period_ms
        before = table.filter(pl.col("at_ms") <= within_ms, series=series)
        return float(before.filter(at_ms=before["at_ms"].max())["ms"][0])

    wait_ms = last("light", begins_s)
    return (wait_ms + last("delay", begins_s + wait_ms / 1000)) / 1000


def test_echo_requests_from_idle_meet_the_trains(tmp_path):
    with tp.emulate("lte-drive", log=tmp_path / "log.parquet") as net:
        probe = [sys.executable, str(PROBE), "every", str(net.gateway), "0.4", "20"]
        net.run(probe, stdout=subprocess.DEVNULL, timeout=300, check=True)
    for way in ("up", "down"):
        packets = net.packets.filter(direction=way).sort("entered_s")
        idle = packets.with_columns(idle_s=pl.col("entered_s") - pl.col("due_s").shift())
        first = idle.filter(pl.col("idle_s") > IDLE_S, protocol=1)
        assert first.height > 10
        for entered_s, due_s in first["entered_s", "due_s"].iter_rows():
            expected = expected_s(way, entered_s)
            assert due_s - entered_s == pytest.approx(expected, abs=1e-6), (way, entered_s)
    assert net.record.down.dropped.total == net.record.up.dropped.total == 0


def test_a_delay_comes_on_top_while_a_transfer_runs(tmp_path):
    (tmp_path / "file").write_bytes(content := os.urandom(400_000))
    server = [sys.executable, "-m", "http.server", "8000", "--directory", str(tmp_path)]
    with tp.emulate("lte-drive", log=tmp_path / "log.parquet", server=server) as net:
        assert set(net.changeable) == {
            f"link.{way}{key}"
            for way in ("", "back.")
            for key in ("delay", "loss", "jitter", "reorder", "duplicate", "corrupt")
        }
        with pytest.raises(tp.ScenarioError, match=r"^link\.rate: cannot be changed"):
            net.change({"link.rate": "1 Mbit/s"})
        net.change({"link.delay": "200 ms"})
        changed_s = float(net.meter()["at_s"])
        fetch = [sys.executable, "-c", FETCH, f"http://{net.gateway}:8000/file"]
        fetched = net.run(fetch, stdout=subprocess.PIPE, timeout=300, check=True)
    assert fetched.stdout == content
    came = net.packets.filter(pl.col("entered_s") > changed_s, fate="delivered")
    assert came.height > 200
    assert came.filter(pl.col("due_s") - pl.col("entered_s") < 0.2 + LEAST_DELAY_S).is_empty()
