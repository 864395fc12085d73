"""Trace files of ns-2: compared with those of ns-2.35, and invariants."""

import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import thinpipe as tp

NS2 = shutil.which("ns")
SCRIPT = Path(__file__).with_name("ns2_bottleneck.tcl")
PRINTED_S = 1e-6
"""The resolution of times."""

HEADERS = 40

needs_ns2 = pytest.mark.skipif(NS2 is None, reason="needs ns2")


@dataclass(frozen=True)
class Line:
    """A line of a trace file."""

    event: str
    time_s: float
    link: tuple[int, int]
    kind: str
    size: int
    flags: str
    flow: int
    source: str
    destination: str
    number: int
    packet: int

    @property
    def what(self) -> tuple[object, ...]:
        """Everything that two simulators share: not the time, and of addresses not the ports."""
        nodes = self.source.partition(".")[0], self.destination.partition(".")[0]
        return self.event, self.link, self.kind, self.size, self.flags, nodes, self.number


def read(file: Path) -> list[Line]:
    """Read a trace file of either simulator."""
    lines = []
    for line in file.read_text().splitlines():
        event, time, start, end, kind, size, flags, flow, source, to, number, packet = line.split()
        link = (int(start), int(end))
        ints = (int(number), int(packet))
        lines.append(
            Line(event, float(time), link, kind, int(size), flags, int(flow), source, to, *ints)
        )
    return lines


def ours(directory: Path, scenario: str, **settings: Any) -> tuple[list[Line], tp.Run]:
    """Run a scenario with a trace file of ns-2."""
    run = tp.run(scenario, trace="ns2", **settings)
    run.save(directory)
    return read(directory / "ns2.tr"), run


def bottleneck(directory: Path, *, kbps: int, queue: int, variant: str = "reno") -> list[Line]:
    """Run the script's network on our simulator, for 20 s."""
    return ours(
        directory,
        "bottleneck",
        tcp__profile="ns2-2.35",
        tcp__variant=variant,
        tcp__mss=512,
        link__rate=f"{kbps} kbit/s",
        link__delay="60 ms",
        queue__packets=queue,
        flow__segments=10**8,
        duration="20 s",
    )[0]


def theirs(directory: Path, **arguments: object) -> list[Line]:
    """Run the script on ns-2 with ``trace-all``."""
    file = directory / "theirs.tr"
    given = {"delay": "60ms", "mss": 512, "duration": 20, "trace": file, **arguments}
    command = [NS2 or "ns", str(SCRIPT), *(f"{key}={value}" for key, value in given.items())]
    subprocess.run(command, capture_output=True, check=True, timeout=120)
    return read(file)


def without_options(lines: list[Line]) -> list[tuple[object, ...]]:
    """Return the events, with the handshake as long as ns-2's, which has no options."""
    return [(line if line.number else replace(line, size=HEADERS)).what for line in lines]


@needs_ns2
@pytest.mark.parametrize("variant", ["tahoe", "reno", "newreno", "sack", "fack"])
def test_a_transfer_without_drops_is_the_same_line_by_line(tmp_path, variant):
    mine = bottleneck(tmp_path / "run", kbps=384, queue=50, variant=variant)
    other = theirs(tmp_path, rate="384kb", queue=50, variant=variant)
    assert len(mine) > 10_000
    assert without_options(mine) == without_options(other)
    assert [line.packet for line in mine] == [line.packet for line in other]
    # Options make our SYN longer over either link, and its answer over the access back.
    late_s = 8 * (mine[0].size - HEADERS) * (1 / 384e3 + 2 / 100e6)
    start_s = next(line.time_s for line in mine if line.number == 1 and line.kind == "tcp")
    for line, reference in zip(mine, other, strict=True):
        if line.time_s >= start_s:
            # ns-2's way back has a rate, of 10 Gbit/s: 32 ns for an acknowledgement.
            assert line.time_s - reference.time_s == pytest.approx(late_s, abs=4 * PRINTED_S)


@needs_ns2
def test_drops_fall_on_the_same_packets(tmp_path):
    mine = bottleneck(tmp_path / "run", kbps=384, queue=8)
    other = theirs(tmp_path, rate="384kb", queue=8)
    dropped = [(line.number, line.packet) for line in mine if line.event == "d"]
    assert len(dropped) > 5
    assert dropped == [(line.number, line.packet) for line in other if line.event == "d"]
    # ns-2 says that it has reduced its window without ECN too, when it reads no such letter.
    other = [replace(line, flags=line.flags.replace("A", "-")) for line in other]
    assert without_options(mine) == without_options(other)
    # Timeouts may be a tick apart: the phase of ns-2's clock is random.
    tick_s = 0.01
    assert all(
        abs(line.time_s - reference.time_s) < tick_s
        for line, reference in zip(mine, other, strict=True)
    )


SCENARIOS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("umts-dch-384", {"radio__tbler": "20 %", "duration": "30 s"}),
    ("umts-64", {"duration": "30 s"}),
    ("umts-thesis", {"duration": "30 s"}),
    ("umts-cell-50", {"duration": "20 s"}),
    ("umts-handover", {"duration": "60 s"}),
    ("gprs-3+1", {"flow__bytes": "100 kB", "middlebox__kind": "atcp"}),
    ("gprs-8+1", {"flow__bytes": "100 kB", "middlebox__kind": "snoop"}),
    ("hmipv6-handover", {"duration": "40 s"}),
    ("hmipv6-handover", {"duration": "40 s", "ftp__packet_size": 1024, "ftp__cap": 1000}),
    ("hmipv6-handover", {"duration": "40 s", "mobile_ip__route_optimization": "true"}),
    ("wlan-11b-fringe", {"duration": "20 s"}),
    ("satellite-geo", {"duration": "20 s", "queue__kind": "codel"}),
    ("link", {"duration": "5 s", "flow__count": 4, "queue__kind": "fair", "link__loss": "5 %"}),
    ("dumbbell-100", {"duration": "2 s"}),
    ("umts-dch-384", {"duration": "20 s", "flow__application": "udp"}),
    (
        "hmipv6-handover",
        {"duration": "40 s", "flow__application": "udp", "flow__udp__payload": "1600 B"},
    ),
    (
        "bottleneck",
        {"duration": "20 s", "flow__count": 3, "queue__packets": 10, "tcp__ecn": "true"},
    ),
)


@pytest.fixture(scope="module", params=SCENARIOS, ids=lambda case: case[0])
def traced(request, tmp_path_factory):
    """Return lines, the run and its directory."""
    directory = tmp_path_factory.mktemp("ns2") / "run"
    scenario, settings = request.param
    lines, run = ours(directory, scenario, **settings)
    return lines, run, directory


def test_each_packet_is_enqueued_dequeued_and_received_or_dropped(traced):
    lines, run, _ = traced
    assert lines
    steps: dict[tuple[int, int], str] = {}
    for line in lines:
        way = (line.link[0], line.packet)
        before = steps.pop(way, "")
        assert before + line.event in ("+", "+-", "+-r", "+-d", "+d"), line
        if line.event in "+-":
            steps[way] = before + line.event
    events = Counter(line.event for line in lines)
    assert events["+"] == events["r"] + events["d"] + len(steps)
    assert events["d"] == sum(link.drops for link in run.links)


def test_times_do_not_fall(traced):
    lines, run, _ = traced
    times = [line.time_s for line in lines]
    assert all(earlier <= later for earlier, later in pairwise(times))
    assert times[0] >= 0
    assert times[-1] <= run.result.duration_s


def test_lines_are_the_hops(traced):
    lines, run, _ = traced
    steps = Counter((line.event, line.packet) for line in lines if line.event != "-")
    letters = pl.col("event").replace_strict({"entered": "+", "left": "r", "dropped": "d"})
    names = {name for link in run.links for name in (link.name, link.name.rpartition("/")[0])}
    at_links = pl.col("machine").cast(pl.String).is_in(names)
    hops = Counter(run.hops.filter(at_links).select(letters, "uid").iter_rows())
    # A multicast to all mobiles of an access point appears as one copy per mobile.
    to_all = {packet for _, packet in hops - steps}
    assert not steps - hops
    assert len(to_all) == 0 or run.has("mobility")


def test_a_packet_is_one_and_the_same_all_the_way(traced):
    lines, _, _ = traced
    seen: dict[int, Line] = {}
    for line in lines:
        first = seen.setdefault(line.packet, line)
        same = (first.kind, first.flow, first.number)
        assert (line.kind, line.flow, line.number) == same


def test_nodes_have_names(traced):
    lines, _, directory = traced
    rows = [line.split(" ", 1) for line in (directory / "ns2.nodes").read_text().splitlines()]
    assert [int(number) for number, _ in rows] == list(range(len(rows)))
    known = {int(number) for number, _ in rows} | {-1}
    assert {node for line in lines for node in line.link} <= known
    ends = {end for line in lines for end in (line.source, line.destination)}
    assert {int(end.partition(".")[0]) for end in ends} <= known


def test_segments_are_counted_as_ns_2_does(traced):
    """Data packets reach a flow's receiver with every number up to the highest acknowledged."""
    lines, run, _ = traced
    arrived: dict[int, set[int]] = {}
    for line in lines:
        if line.event == "r" and line.kind == "tcp" and line.size > 100:
            arrived.setdefault(line.flow, set()).add(line.number)
    for flow in run.flows:
        if run.middlebox is None and flow.bytes_acked > 0 and flow.pages is None:
            mss = run.segments["payload_bytes"].max()
            segments = -(-flow.bytes_acked // mss)
            assert set(range(1, segments + 1)) <= arrived.get(flow.id, set()), flow


def test_datagrams_are_numbered_one_by_one(tmp_path):
    rate = {"flow__application": "udp", "flow__udp__rate": "2 Mbit/s", "duration": "10 s"}
    lines, run = ours(tmp_path, "bottleneck", queue__packets=5, **rate)
    at_source = [line for line in lines if line.event == "+" and line.link[0] == lines[0].link[0]]
    sent = [line.number for line in at_source]
    found = run.flows[0].datagrams
    assert found is not None
    assert sent == list(range(found.sent))
    assert {(line.kind, line.flow) for line in lines} == {("cbr", 0)}
    dropped = {line.number for line in lines if line.event == "d"}
    assert len(dropped) == found.lost > 0


def test_marks_and_requests_of_ecn_are_letters(tmp_path):
    lines, run = ours(
        tmp_path / "run",
        "bottleneck",
        tcp__ecn="true",
        tcp__window=64,
        flow__segments=600,
        queue__ecn="true",
        queue__kind="red",
        duration="60 s",
    )
    assert [line.flags for line in lines if line.number == 0 and line.event == "r"] == [
        "C------"
    ] * 4
    marked = [link.marks for link in run.links]
    experienced = [line for line in lines if "E" in line.flags]
    assert Counter(line.event for line in experienced) == dict.fromkeys("-r", sum(marked))
    assert {line.flags for line in experienced} <= {"----E-N", "---AE-N"}
    reduced = {line.packet for line in lines if line.flags[3] == "A"}
    assert 0 < len(reduced) <= sum(marked)
    assert {line.flags for line in lines if line.kind == "ack"} == {"-------", "C------"}


def test_same_seed_same_bytes(tmp_path):
    files = []
    for name in ("a", "b"):
        ours(tmp_path / name, "gprs-3+1", flow__bytes="30 kB", seed=4)
        files.append((tmp_path / name / "ns2.tr").read_bytes())
    assert files[0] == files[1]
    ours(tmp_path / "c", "gprs-3+1", flow__bytes="30 kB", seed=5)
    assert (tmp_path / "c" / "ns2.tr").read_bytes() != files[0]


def test_awk_reads_the_throughput(tmp_path):
    """As in docs/ns2.md."""
    _, run = ours(tmp_path / "run", "bottleneck", duration="60 s", flow__segments=200)
    program = (
        '$1 == "r" && $4 == 2 && $5 == "tcp" && $6 > 40 { bytes += $6 - 40; last = $2 } '
        'END { print 8 * bytes / last / 1000, "kbit/s" }'
    )
    file = str(tmp_path / "run" / "ns2.tr")
    done = subprocess.run(["awk", program, file], capture_output=True, text=True, check=True)
    [flow] = run.flows
    assert flow.received_s is not None
    expected = 8 * flow.bytes_acked / flow.received_s / 1000
    assert float(done.stdout.split()[0]) == pytest.approx(expected, rel=1e-4)


def test_only_what_was_asked_for_is_written(tmp_path):
    tp.run("bottleneck", trace=True, duration="2 s").save(tmp_path / "run")
    assert not list((tmp_path / "run").glob("ns2*"))


def test_no_such_format():
    with pytest.raises(ValueError, match="trace: must be True, False or 'ns2', not \"ns3\""):
        tp.run("bottleneck", trace="ns3")  # type: ignore[arg-type]
