"""UDP from the command line: metrics, tables, plots, captures, and errors."""

import json
import shutil
import subprocess
from pathlib import Path

import matplotlib.image
import polars as pl
import pytest
import thinpipe as tp

BURSTS = (
    "flow.application=udp",
    "flow.udp.rate=60 kbit/s",
    "flow.udp.off_time=1 s",
    "queue.packets=20",
    "duration=60s",
)
"""Bursts of half a second at more than the link's 50 kbit/s."""

LINK = """
[link]
rate = "50 kbit/s"
delay = "200 ms"
"""

GOOD = ("-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")


@pytest.fixture
def bursts(thinpipe, tmp_path):
    """Return arguments for bursts over a link that loses one datagram in ten."""
    (tmp_path / "thin.toml").write_text(LINK)

    def run(*more: str):
        settings = (*BURSTS, "link.loss=10 %")
        pairs = [word for setting in settings for word in ("--set", setting)]
        return thinpipe("run", "thin.toml", *pairs, *more)

    return run


def test_a_line_has_the_metrics(bursts):
    done = bursts()
    assert (done.returncode, done.stderr) == (0, "")
    head, row, foot = done.stdout.splitlines()
    shown = ["flow", "group", "datagrams", "received", "lost", "under", "way", "loss"]
    assert head.split()[:8] == shown
    assert row.split()[:2] == ["0", "flow"]
    assert "packets dropped" in foot
    flow = json.loads(bursts("--json").stdout)["flows"][0]
    of = flow["datagrams"]
    counts = [str(of[name]) for name in ("sent", "received", "lost", "under_way")]
    assert row.split()[2:6] == counts
    assert of["sent"] == of["received"] + of["lost"] + of["under_way"] > 300
    assert of["loss"] == of["lost"] / of["sent"]
    assert 0 < of["jitter_s"] < flow["network"]["delay_s"]["max"]
    assert flow["network"]["delay_s"]["samples"] == of["received"]
    assert flow["variant"] == "udp"
    assert (flow["segments_sent"], flow["rtt_s"]["samples"]) == (0, 0)


def test_a_row_a_datagram(bursts, tmp_path):
    assert bursts("--out", "out").returncode == 0
    run = tp.load(tmp_path / "out")
    of, rows = run.flows[0].datagrams, run.datagrams
    assert of is not None
    assert rows["number"].to_list() == list(range(of.sent))
    assert rows["time_s"].is_sorted()
    assert rows["bytes"].unique().to_list() == [210]
    arrived = rows.filter(pl.col("arrived_s").is_not_null())
    assert len(arrived) == of.received
    late = arrived["arrived_s"] - arrived["time_s"] - arrived["delay_s"]
    assert max(map(abs, late.to_list())) < 1e-9
    assert arrived["lost_by"].null_count() == of.received
    lost = rows.filter(pl.col("lost_by").is_not_null())
    assert len(lost) == of.lost
    assert lost["lost_at"].unique().to_list() == ["bottleneck/down"]
    counted = dict(lost["lost_by"].cast(str).value_counts().iter_rows())
    drops = run.links[0].drops_by_reason
    assert counted == {"loss": drops.loss, "queue": drops.queue}
    hops = run.hops.filter(pl.col("event") == "dropped")
    assert hops["time_s"].len() == of.lost


def test_a_picture_of_delays_and_losses(bursts, thinpipe, tmp_path):
    assert bursts("--out", "out").returncode == 0
    done = thinpipe("plot", "out", "--kind", "datagrams")
    assert (done.returncode, done.stdout, done.stderr) == (0, "out-datagrams.png\n", "")
    image = matplotlib.image.imread(tmp_path / "out-datagrams.png")
    assert image.shape[:2] == (750, 1350)
    run = tp.load(tmp_path / "out")
    of = run.flows[0].datagrams
    assert of is not None
    labels = [line.get_label() for line in run.plot.datagrams().axes[0].lines]
    assert labels == ["Datagram", "Mean so far", f"Lost: {of.lost}"]
    for kind in ("rtt", "cwnd", "goodput", "rtt-histogram"):
        assert thinpipe("plot", "out", "--kind", kind).returncode == 0, kind
    refused = thinpipe("plot", "out", "--kind", "time-sequence")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "thinpipe: --flow 0 is of UDP, which the kind datagrams shows\n"


def test_only_udp_has_such_a_picture(thinpipe, tmp_path):
    assert thinpipe("run", "link", "--out", "out").returncode == 0
    refused = thinpipe("plot", "out", "--kind", "datagrams")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "thinpipe: --flow 0 has no datagrams, as application = udp has\n"
    assert not (tmp_path / "out" / "datagrams.parquet").exists()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            ("flow.udp.rat=64 kbit/s",),
            "--set flow.udp.rat=64 kbit/s: unknown key; did you mean flow.udp.rate?",
        ),
        (
            ("flow.udp.rate=64",),
            "--set flow.udp.rate=64: a rate needs its unit (bit/s, kbit/s, Mbit/s or Gbit/s), "
            "as in 64 kbit/s",
        ),
        (
            ("flow.udp.times=pareto", "flow.udp.off_time=1s"),
            "--set flow.udp.times=pareto: must be constant or exponential",
        ),
    ],
)
def test_bad_keys_are_one_line(thinpipe, settings, expected):
    pairs = [word for setting in settings for word in ("--set", setting)]
    done = thinpipe("run", "plain-384", *pairs)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


def test_sweeps_have_its_metrics():
    parameters = {"flow.udp.rate": ["40 kbit/s", "80 kbit/s"]}
    settings = {"flow.application": "udp", "link.rate": "50 kbit/s", "queue.packets": "10"}
    study = tp.sweep("link", parameters, settings=settings, seeds=[1])
    losses = study["datagrams.loss"].to_list()
    assert losses[0] == 0 < losses[1]
    assert study["flows.datagrams.sent"].dtype.is_integer()


def tshark(file: Path, display: str, *fields: str) -> list[tuple[str, ...]]:
    """Return `fields` of the packets that a display filter selects."""
    named = [word for field in fields for word in ("-e", field)]
    command = ["tshark", "-n", "-r", str(file), *GOOD, "-Y", display, "-T", "fields", *named]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")


@needs_tshark
def test_captures_over_ipv4(tmp_path):
    """A capture at a box that splits TCP has each datagram on arrival and departure."""
    text = tp.scenarios()["gprs-3+1"].source
    group = '\n[[flow.group]]\nname = "voice"\napplication = "udp"\nudp.rate = "8 kbit/s"\n'
    (tmp_path / "both.toml").write_text(text + group)
    settings = {"middlebox.kind": "atcp", "flow.bytes": "50 kB", "duration": "60 s"}
    run = tp.run(tmp_path / "both.toml", settings, trace=True)
    run.save(tmp_path / "run")
    of = run.flows[1].datagrams
    assert of is not None
    held = of.under_way
    seen = {}
    for node in ("host", "CGSN", "UE"):
        file = tmp_path / "run" / f"{node}.pcapng"
        assert tshark(file, "_ws.malformed", "frame.number") == []
        fields = ("udp.dstport", "udp.length", "udp.checksum.status", "ip.checksum.status")
        rows = tshark(file, "frame", "frame.time_epoch", "tcp.stream", *fields)
        times = [float(time) for time, *_ in rows]
        assert times == sorted(times)
        assert any(connection for _, connection, *_ in rows), node
        datagrams = [(float(time), *row) for time, _, *row in rows if row[0]]
        assert {tuple(row) for _, *row in datagrams} == {("9", "218", "1", "1")}, node
        seen[node] = [time for time, *_ in datagrams]
    assert (len(seen["host"]), len(seen["UE"])) == (of.sent, of.received)
    assert 2 * of.received <= len(seen["CGSN"]) <= 2 * (of.received + held)
    assert seen["host"] == pytest.approx((run.datagrams["time_s"] + 1).to_list(), abs=1e-6)


@needs_tshark
@pytest.mark.parametrize("payload", [210, 3000])
def test_captures_over_ipv6(tmp_path, payload):
    """In tunnels, and in fragments that Wireshark reassembles."""
    settings = {"flow.application": "udp", "flow.udp.payload": payload, "wlan.loss": "none"}
    run = tp.run("hmipv6-handover", settings, duration="30 s", trace=True)
    run.save(tmp_path / "run")
    of = run.flows[0].datagrams
    assert of is not None
    for node in ("CN", "MAP", "MN"):
        file = tmp_path / "run" / f"{node}.pcapng"
        amiss = "_ws.malformed or udp.checksum.status == 0 and not icmpv6"
        assert tshark(file, amiss, "frame.number") == []
        whole = tshark(file, f"udp.length == {payload + 8} and not icmpv6", "udp.dstport")
        if node == "CN":
            assert len(whole) == of.sent
        if node == "MN":
            assert len(whole) >= of.received > 0
