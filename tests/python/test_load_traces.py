"""Traces that depend on load: the shipped ones, and what bursts and transfers meet on them."""

import runpy
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
import thinpipe as tp

ROOT = Path(__file__).parents[2]
LTE_DRIVE = runpy.run_path(str(ROOT / "scripts" / "lte_drive.py"))
RECORD = runpy.run_path(str(ROOT / "examples" / "record.py"))
FILE = ROOT / "scenarios" / "traces" / "lte-drive-down.csv"
PERIOD_MS = 30_000

UDP = {"flow.application": "udp", "flow.bytes": "unlimited", "flow.udp.payload": "1472 B"}
"""Datagrams that fill an opportunity, with their headers."""
BURST = 8


class Row(NamedTuple):
    """A row of a series; what it does not have is 0."""

    at_ms: float
    ms: float
    packets: int


def rows(series: str) -> list[Row]:
    table = pl.read_csv(FILE, comment_prefix="#").filter(series=series).fill_null(0)
    return [Row(at, ms, packets) for _, at, ms, packets in table.iter_rows()]


def delay_ms(at_ms: float) -> float:
    return [row.ms for row in rows("delay") if row.at_ms <= at_ms % PERIOD_MS][-1]


def train_ms(start_ms: float) -> list[float]:
    """Return when each packet of the train of a burst leaves, from its start."""
    within = [row for row in rows("light") if row.at_ms <= start_ms % PERIOD_MS]
    train = [row for row in within if row.at_ms == within[-1].at_ms]
    whole = [row for row in rows("light") if row.at_ms == train[0].at_ms]
    return [row.ms for row in whole for _ in range(row.packets)]


def test_the_files_are_as_they_are_made():
    for file, text in LTE_DRIVE["files"]().items():
        assert file.read_text(encoding="utf-8") == text
        assert file.stat().st_size < 100_000


def test_pandas_reads_a_trace():
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(FILE, comment="#")
    assert list(table.columns) == ["series", "at_ms", "ms", "packets"]
    assert set(table["series"]) == {"idle", "delay", "light", "heavy"}


def test_a_drive_moves_between_1_and_40_mbit_per_s():
    heavy = rows("heavy")
    assert heavy[-1].at_ms == PERIOD_MS
    seconds = range(0, PERIOD_MS, 1000)
    mbps = [
        sum(row.packets for row in heavy if from_ms < row.at_ms <= from_ms + 1000) * 0.012
        for from_ms in seconds
    ]
    assert 1 < min(mbps) < 3
    assert 30 < max(mbps) < 40
    delays = [row.ms for row in rows("delay")]
    assert 20 < sum(delays) / len(delays) < 30


@pytest.mark.parametrize("start_ms", [0, 4600, 9400, 20_010, 33_330])
def test_a_short_burst_gets_what_light_says(start_ms):
    burst = {"flow.udp.rate": "1 Gbit/s", "flow.bytes": f"{BURST * 1472} B"}
    sent = tp.run("lte-drive", {**UDP, **burst, "flow.start": f"{start_ms} ms"}).datagrams
    assert sent.height == BURST
    train = [start_ms + after for after in train_ms(start_ms)[:BURST]]
    assert len(train) > BURST / 2
    expected = [leaves + delay_ms(leaves) for leaves in train]
    came = [1000 * each for each in sent["arrived_s"]]
    assert came[: len(train)] == pytest.approx(expected, abs=0.2)


def test_a_saturated_transfer_gets_what_heavy_says():
    saturated = {**UDP, "flow.udp.rate": "60 Mbit/s", "queue.bytes": "unlimited"}
    run = tp.run("lte-drive", {**saturated, "duration": "31 s"})
    arrived_ms = [1000 * each for each in run.datagrams["arrived_s"].drop_nulls()]
    for from_ms, to_ms in ((1_000, 4_000), (4_000, 9_000), (12_000, 29_000)):
        packets = sum(row.packets for row in rows("heavy") if from_ms < row.at_ms <= to_ms)
        first_ms, last_ms = (each + delay_ms(each) for each in (from_ms, to_ms))
        came = sum(first_ms < each <= last_ms for each in arrived_ms)
        assert came == pytest.approx(packets, abs=0.01 * packets)


def test_plain_replay_is_optimistic_for_short_bursts(tmp_path):
    stamps = [str(int(row.at_ms)) for row in rows("heavy") for _ in range(row.packets)]
    (tmp_path / "heavy.down").write_text("\n".join(stamps) + "\n", encoding="utf-8")
    least_ms = min(row.ms for row in rows("delay"))
    plain = {"link.trace.down": str(tmp_path / "heavy.down"), "link.delay": f"{least_ms} ms"}
    times = {"rate": "11.2 Mbit/s", "on_time": "10 ms", "off_time": "490 ms", "times": "constant"}
    bursts = {**UDP, **{f"flow.udp.{key}": value for key, value in times.items()}}

    def mean_s(settings: dict[str, str]) -> float:
        run = tp.run("lte-drive", {**bursts, **settings, "duration": "30 s"})
        return sum(delays := run.datagrams["delay_s"].drop_nulls()) / len(delays)

    assert mean_s(plain) < 0.8 * mean_s({})


def test_a_recorded_radio_carries_bursts_and_transfers_as_the_radio_does(tmp_path):
    recorded = RECORD["record"]("umts-384", "downlink", "20 s")
    (tmp_path / "umts.csv").write_text("\n".join(recorded), encoding="utf-8")
    replay = {"link.trace.down": str(tmp_path / "umts.csv")}

    def came_ms(scenario: str, settings: dict[str, str]) -> list[float]:
        run = tp.run(scenario, {**UDP, "duration": "15 s", **settings})
        return [1000 * each for each in run.datagrams["arrived_s"].drop_nulls()]

    burst = {**RECORD["TRAINS"], "flow.bytes": "5888 B"}
    radio = came_ms("umts-384", burst)
    assert len(radio) == 4
    assert came_ms("link", {**burst, **replay}) == pytest.approx(radio, abs=0.01)
    saturated = RECORD["SATURATED"]
    radio, replayed = came_ms("umts-384", saturated), came_ms("link", {**saturated, **replay})
    assert len(replayed) == pytest.approx(len(radio), rel=0.02)
