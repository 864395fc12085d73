"""Middleboxes on the command line: every kind runs, is measured, saved and plotted."""

import json
import struct

import polars as pl
import pytest
import thinpipe as tp
from thinpipe import _core
from thinpipe.outline import outline

from tests.expected import EXPECTED, words

KINDS = [kind for kind in words("middlebox.kind") if kind != "none"]
SPLITTING = ("atcp", "i-tcp", "split")
SCENARIO = "gprs-fifo"
BYTES = 100_000
SETTINGS = {"flow.bytes": f"{BYTES} B", "flow.count": "3", "flow.interval": "2 s"}
LENGTH = ("--duration", "300s")


def _arguments(kind, **more):
    settings = {**SETTINGS, "middlebox.kind": kind, **more}
    return [each for key, value in settings.items() for each in ("--set", f"{key}={value}")]


def check_line(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_brings_all_flows_to_their_end(thinpipe, kind):
    done = thinpipe("run", SCENARIO, *_arguments(kind), *LENGTH, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    box = result["middlebox"]
    assert (box["kind"], box["at"]) == (kind, "proxy")
    assert box["packets_in"] > 0
    assert box["packets_out"] > 0
    assert box["flows"] + box["bypassed"] >= 3
    assert box["held_bytes"] == 0, "all has been delivered"
    for flow in result["flows"]:
        assert flow["bytes_acked"] == BYTES
        assert flow["given_up_s"] is None
        assert flow["started_s"] < flow["received_s"] < result["duration_s"]
        assert flow["group"] == "flow"
        assert flow["goodput_bps"] < 33_200, "no more than the link carries"
        early = flow["completed_s"] < flow["received_s"]
        assert early <= (kind in SPLITTING), "only a split connection is acknowledged early"


def test_a_buffer_too_small_for_the_window_holds_nobody_up(thinpipe):
    # Data beyond its buffer leave a hole, which only forwarded segments can fill.
    settings = ("flow.bytes=300 kB", "middlebox.kind=w-tcp", "middlebox.w_tcp.buffer_segments=10")
    pairs = [word for setting in settings for word in ("--set", setting)]
    done = thinpipe("run", "plain-384", *pairs, *LENGTH, "--json")
    (flow,) = json.loads(done.stdout)["flows"]
    assert flow["received_s"] < 60


def test_a_sweep_over_boxes_has_each_column_once(thinpipe, tmp_path):
    done = thinpipe(
        "sweep", SCENARIO, "--vary", "middlebox.kind=none,atcp", "--set", "flow.bytes=10 kB",
        "--set", "middlebox.at=proxy", "--seeds", "1..2", *LENGTH, "--out", "s.parquet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    frame = pl.read_parquet(tmp_path / "s.parquet")
    assert frame["middlebox.kind"].to_list() == ["none", "none", "atcp", "atcp"]
    assert (frame["middlebox.packets_in"].is_null()).to_list() == [True, True, False, False]


def test_without_a_box_there_is_nothing_to_tell(thinpipe):
    done = thinpipe("run", SCENARIO, *_arguments("none"), *LENGTH, "--json")
    result = json.loads(done.stdout)
    assert result["middlebox"] is None
    for flow in result["flows"]:
        assert flow["received_s"] < flow["completed_s"]


def test_people_are_shown_a_table(thinpipe):
    done = thinpipe("run", SCENARIO, *_arguments("split"), *LENGTH)
    lines = done.stdout.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("middlebox "))
    head, row = lines[at : at + 2]
    assert head.split()[:4] == ["middlebox", "at", "mobiles", "flows"]
    assert row.split()[:4] == ["split", "proxy", "1", "3"]


def test_an_outline_names_the_box():
    source = _core.shipped()[SCENARIO]
    for settings, expected in (
        ([], False),
        ([("middlebox.kind", "split")], "split middlebox"),
        ([("middlebox.kind", "atcp"), ("middlebox.at", "proxy")], "atcp middlebox at proxy"),
    ):
        last = outline(dict(_core.values(source, SCENARIO, settings))).split("; ")[-1]
        assert last == expected if expected else "middlebox" not in last


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    settings = {**SETTINGS, "middlebox.kind": "split", "link.outages": '[["20 s", "30 s"]]'}
    directory = tmp_path_factory.mktemp("box") / "run"
    run = tp.run(SCENARIO, settings, duration="300 s", trace=True)
    run.save(directory)
    return directory


def test_both_legs_are_captured(saved):
    names = {path.stem for path in saved.glob("*.pcapng")}
    assert names == {"host", "proxy", "receiver"}
    assert _packets(saved / "proxy.pcapng") == _at_box(saved).height


def test_segments_at_the_box_belong_to_their_flows_and_ways(saved):
    run = tp.load(saved)
    box = _at_box(saved)
    assert set(box["flow"]) == {0, 1, 2}
    for flow in range(3):
        of_flow = run.segments.filter(pl.col("flow") == flow)
        sent = of_flow.filter((pl.col("event") == "sent") & (pl.col("payload_bytes") > 0))
        last = sent.group_by("endpoint").agg((pl.col("seq") + pl.col("payload_bytes")).max())
        assert last.height == 2, "the sender and the box"
        assert set(last["seq"]) == {BYTES + 1}, "numbers are alike on both legs"
        assert set(sent["towards"]) == {"receiver"}


def test_the_box_numbers_its_transmissions(saved):
    sent = _at_box(saved).filter((pl.col("event") == "sent") & (pl.col("payload_bytes") > 0))
    again = sent.filter(pl.col("transmission") > 1).height
    box = tp.load(saved).middlebox
    assert box is not None
    assert again == box.retransmissions > 0
    assert sent.filter(pl.col("transmission") == 1).height > 0


def test_tables_of_the_box(saved):
    run = tp.load(saved)
    box = run.middlebox
    assert box is not None
    backlog, rtt, events = run.middlebox_backlog, run.middlebox_rtt, run.middlebox_events
    assert backlog.columns == ["time_s", "mobile", "queued_bytes", "in_flight_bytes", "cwnd_bytes"]
    assert rtt.columns == ["time_s", "mobile", "connection", "rtt_s"]
    assert events.columns == ["time_s", "mobile", "connection", "event", "offset"]
    for table in (backlog, rtt, events):
        assert table["time_s"].is_sorted()
        assert set(table["mobile"]) <= {0}
    assert len(rtt) == box.rtt_s.samples
    assert rtt["rtt_s"].mean() == pytest.approx(box.rtt_s.mean)
    again = events.filter(pl.col("event").cast(pl.String).str.starts_with("retransmitted"))
    assert len(again) == box.retransmissions


@pytest.mark.parametrize("kind", ["middlebox", "packets", "time-sequence"])
def test_pictures(thinpipe, saved, tmp_path, kind):
    done = thinpipe("plot", str(saved), "--kind", kind, "--out", "x.png")
    assert (done.returncode, done.stdout) == (0, "x.png\n"), done.stderr
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_pictures_that_cannot_be(thinpipe, saved):
    done = thinpipe("plot", str(saved), "--kind", "middlebox", "--mobile", "1")
    check_line(done, "--mobile 1: 1 is none of the box's, 0 to 0")
    done = thinpipe("plot", str(saved), "--mobile", "0")
    check_line(done, "--mobile 0: only --kind middlebox, waits, handover, snr or energy takes it")
    thinpipe("run", "plain-384", "--duration", "5s", "--out", "plain")
    done = thinpipe("plot", "plain", "--kind", "middlebox")
    check_line(done, "--kind middlebox: needs a run with middlebox.kind other than none")
    done = thinpipe("plot", str(saved), "--kind", "waits")
    nothing = "needs a run whose middlebox has packets wait that it does not read"
    check_line(done, f"--kind waits: {nothing}")
    idle = ("--set", "middlebox.kind=atcp", "--set", "flow.start=10s", "--duration", "5s")
    thinpipe("run", SCENARIO, *idle, "--out", "idle")
    done = thinpipe("plot", "idle", "--kind", "middlebox")
    check_line(done, "--kind middlebox: that of this run took part in no connection")


CALL = {
    "flow.count": "0",
    "flow.group.other.encrypted": "true",
    "flow.group.call.application": "voip",
    "middlebox.kind": "atcp",
    "middlebox.atcp.estimator": "westwood",
    "middlebox.atcp.rate": "384 kbit/s",
    "middlebox.atcp.round_trip": "200 ms",
    "middlebox.atcp.classes.voice.port": "5004",
    "middlebox.atcp.classes.voice.priority": "1",
}
"""A call with a class of its own beside a flow that nobody can read."""


def test_what_a_box_does_not_read_is_in_results_tables_and_pictures(thinpipe, tmp_path):
    run = tp.run("umts-384", CALL, duration="20 s", trace=True)
    box = run.middlebox
    assert box is not None
    voice, none = box.classes
    assert (voice.name, none.name) == ("voice", "none")
    assert voice.waited_s.p95 is not None
    assert none.waited_s.p95 is not None
    assert voice.waited_s.p95 < none.waited_s.p95
    waits = run.middlebox_waits
    assert waits.columns == ["time_s", "mobile", "class", "bytes", "waited_s", "release"]
    sent = waits.filter(pl.col("release").cast(pl.String).is_in(["sent", "marked"]))
    for each in box.classes:
        rows = sent.filter(pl.col("class").cast(pl.String) == each.name)
        assert (len(rows), rows["bytes"].sum()) == (each.sent, each.sent_bytes)
        assert rows["waited_s"].mean() == pytest.approx(each.waited_s.mean)
    assert box.echoes is not None
    assert len(run.middlebox_echoes) == box.echoes.rtt_s.samples
    [mobile] = box.by_mobile
    assert mobile.echoes_answered == box.echoes.rtt_s.samples
    assert mobile.packets == voice.packets + none.packets
    run.save(tmp_path / "run")
    assert tp.load(tmp_path / "run").middlebox_waits.equals(waits)
    done = thinpipe("plot", str(tmp_path / "run"), "--kind", "waits", "--out", "x.png")
    assert (done.returncode, done.stdout) == (0, "x.png\n"), done.stderr
    measured = tp.frame([run], complete=True)["middlebox.classes.voice.waited_s.p95"]
    assert measured.to_list() == [voice.waited_s.p95]


@pytest.mark.parametrize("kind", KINDS)
def test_many_threads_change_nothing(kind):
    settings = {**SETTINGS, "middlebox.kind": kind, "link.loss": "2 %"}
    points = [tp.Point.of(SCENARIO, settings, seed=seed, duration="60 s") for seed in (1, 2, 3)]
    one, many = (_metrics(tp.run_many(points, jobs=jobs)) for jobs in (1, 3))
    assert one == many


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("run", SCENARIO, "--set", "middlebox.kind=slit"),
            f"--set middlebox.kind=slit: must be {EXPECTED['middlebox.kind']}; did you mean split?",
        ),
        (
            ("run", SCENARIO, "--set", "middlebox.kind=split", "--set", "middlebox.at=BSC"),
            "--set middlebox.at=BSC: must be a node between the hosts: proxy",
        ),
        (
            ("run", "plain-384", "--set", "middlebox.kind=split", "--set", "middlebox.at=UE"),
            "--set middlebox.at=UE: must be a node between the hosts: proxy",
        ),
        (
            ("run", SCENARIO, "--set", "middlebox.knd=split"),
            "--set middlebox.knd=split: unknown key; did you mean middlebox.kind?",
        ),
        (
            ("run", SCENARIO, *_arguments("split", **{"middlebox.snoop.max_tries": 3})),
            "--set middlebox.snoop.max_tries=3: middlebox.snoop is for middlebox.kind = snoop or "
            "fda-like alone",
        ),
        (
            ("emulate", SCENARIO, "--set", "middlebox.kind=split"),
            f"{SCENARIO}: has a middlebox, and an emulated network has none: "
            "--set middlebox.kind=none",
        ),
    ],
)
def test_bad_input(thinpipe, arguments, expected):
    check_line(thinpipe(*arguments), expected)


def _at_box(directory):
    segments = tp.load(directory).segments
    return segments.filter(pl.col("endpoint") == "proxy/middlebox")


def _metrics(runs):
    return [json.loads(run.json()) for run in runs]


def _packets(path):
    """Count the enhanced packet blocks of a pcapng file."""
    data, at, count = path.read_bytes(), 0, 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        count += kind == 6
        at += length
    return count
