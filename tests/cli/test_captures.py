"""Captures: Wireshark's analysis finds only the anomalies that the run counts."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import thinpipe as tp

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark")

HOSTS = ("host", "UE")
FIELDS = ("frame.time_relative", "tcp.seq", "tcp.len")
AGAIN = (
    "tcp.analysis.retransmission or tcp.analysis.fast_retransmission"
    " or tcp.analysis.spurious_retransmission"
)
AMISS = (
    "tcp.checksum.status == 0 or ip.checksum.status == 0 or _ws.malformed"
    " or tcp.analysis.lost_segment or tcp.analysis.ack_lost_segment or tcp.analysis.window_full"
    " and tcp.analysis.out_of_order"
)


@pytest.fixture(scope="module")
def traced(tmp_path_factory) -> tuple[Path, tp.Run]:
    """Return a run with spurious timeouts and the directory of its captures."""
    directory = tmp_path_factory.mktemp("captures") / "run"
    settings = {"tcp.variant": "vegas", "radio.tbler": "30 %"}
    run = tp.run("umts-dch-384", settings, duration="300 s", seed=1, trace=True)
    run.save(directory)
    return directory, run


def tshark(file: Path, display: str) -> list[dict[str, str]]:
    """Return the fields of the packets that a display filter selects."""
    checks = ("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
    fields = [word for field in FIELDS for word in ("-e", field)]
    command = ["tshark", "-n", "-r", str(file), *checks, "-Y", display, "-T", "fields", *fields]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("host", HOSTS)
def test_every_packet_is_whole(traced, host):
    directory, run = traced
    packets = tshark(directory / f"{host}.pcapng", "tcp")
    name = run.segments["endpoint"].cast(str).str.split(":").list.first()
    assert len(packets) == (name == host).sum()
    assert tshark(directory / f"{host}.pcapng", AMISS) == []


@pytest.mark.parametrize("host", HOSTS)
def test_handshake_opens_the_connection(traced, host):
    file = traced[0] / f"{host}.pcapng"
    syn, answer, third = tshark(file, "frame.number <= 3")
    assert [row["tcp.seq"] for row in (syn, answer, third)] == ["0", "0", "1"]
    assert len(tshark(file, "tcp.flags.syn == 1")) == 2


def test_retransmissions_are_those_of_the_run(traced):
    directory, run = traced
    again = [row for row in tshark(directory / "host.pcapng", AGAIN) if row["tcp.len"] != "0"]
    assert len(again) == run.flows[0].retransmits > 0


def test_times_are_those_of_the_run(traced):
    directory, run = traced
    shown = [float(row["frame.time_relative"]) for row in tshark(directory / "UE.pcapng", "tcp")]
    segments = run.segments
    own = segments.filter(segments["endpoint"].cast(str).str.starts_with("UE"))["time_s"]
    assert shown == pytest.approx((own - own[0]).to_list(), abs=1e-6)


def test_a_snap_length_cuts_what_captures_keep_and_not_what_they_tell(thinpipe, tmp_path):
    command = ("run", "plain-384", "--duration", "5 s", "--out")
    assert thinpipe(*command, "whole").returncode == 0
    assert thinpipe(*command, "cut", "--snap", "96").returncode == 0
    kept = [tmp_path / run / "sender.pcapng" for run in ("whole", "cut")]
    whole, cut = (tshark(file, "tcp") for file in kept)
    assert whole == cut
    assert len(tshark(kept[1], "frame.cap_len <= 96")) == len(cut)
    assert len(tshark(kept[1], "frame.len > 96")) > 10
    again = thinpipe("run", "--again", "cut")
    assert (again.returncode, again.stderr) == (0, "the same as in cut\n")


def test_captures_show_the_code_point_of_a_flow(tmp_path):
    settings = {"flow.dscp": "10"}
    tp.run("lte-voice", settings, duration="2 s", trace=True).save(tmp_path / "run")
    for host in HOSTS:
        file = tmp_path / "run" / f"{host}.pcapng"
        for protocol, code in (("udp", 46), ("tcp", 10)):
            own = tshark(file, f"{protocol} and ip.dsfield.dscp == {code}")
            assert own == tshark(file, protocol)
            assert len(own) > 50


ENDS = [("ip.src", "tcp.srcport", "udp.srcport"), ("ip.dst", "tcp.dstport", "udp.dstport")]


def comments(file: Path) -> list[tuple[frozenset[tuple[str, ...]], str]]:
    """Return of each packet with ports its ends, whichever sent it, and its comment."""
    fields = [word for field in (*sum(ENDS, ()), "frame.comment") for word in ("-e", field)]
    command = ["tshark", "-n", "-r", str(file), "-T", "fields", *fields]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    halves = [(tuple(row[:3]), tuple(row[3:6]), row[6]) for row in rows]
    return [(frozenset((one, two)), said) for one, two, said in halves if any(one[1:])]


GROUPS = {
    "flow.group.bbr.count": "2",
    "flow.group.far.delay": "20 ms",
    "flow.group.voice.application": "udp",
    "flow.group.web.application": "web",
    "flow.group.web.web.protocol": "http/1.0",
    "flow.group.web.web.reading": "100 ms",
}


def test_packets_of_several_groups_say_whose_they_are(tmp_path):
    run = tp.run("bbr-beside-cubic", GROUPS, duration="2 s", trace=True)
    run.save(tmp_path / "run")
    found: Counter[str] = Counter()
    connections: dict[frozenset[tuple[str, ...]], set[str]] = {}
    for file in (tmp_path / "run").glob("*.pcapng"):
        for ends, comment in comments(file):
            found[comment] += 1
            connections.setdefault(ends, set()).add(comment)
    names = [f"flow {flow.id}, {flow.group}" for flow in run.flows]
    assert found.keys() == {*names}
    assert {len(said) for said in connections.values()} == {1}, "a connection is of one flow"
    for flow, name in zip(run.flows, names, strict=True):
        if flow.datagrams is None:
            assert found[name] == (run.segments["flow"] == flow.id).sum()
        else:
            assert found[name] == flow.datagrams.sent + flow.datagrams.received


@pytest.mark.parametrize("scenario", ["plain-384", "hmipv6-handover"])
def test_packets_of_one_group_say_nothing(tmp_path, scenario):
    tp.run(scenario, duration="3 s", trace=True).save(tmp_path / "run")
    for file in (tmp_path / "run").glob("*.pcapng"):
        assert {comment for _, comment in comments(file)} <= {""}


def test_packets_in_tunnels_say_whose_they_are(tmp_path):
    settings = {"flow.count": "1", "flow.group.two.start": "1 s"}
    run = tp.run("hmipv6-handover", settings, duration="20 s", trace=True)
    run.save(tmp_path / "run")
    for file in (tmp_path / "run").glob("*.pcapng"):
        said = Counter(comment for _, comment in comments(file))
        assert said.keys() <= {"flow 0, flow", "flow 1, two"}, file.name
    assert min(said.values()) > 10


def test_a_middlebox_says_whose_packets_it_sends(tmp_path):
    settings = {"middlebox.kind": "split", "flow.count": "1", "flow.group.two.count": "2"}
    tp.run("gprs-3+1", settings, duration="20 s", trace=True).save(tmp_path / "run")
    said = Counter(comment for _, comment in comments(tmp_path / "run" / "CGSN.pcapng"))
    assert said.keys() == {"flow 0, flow", "flow 1, two", "flow 2, two"}
