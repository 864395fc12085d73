"""Packet spacing, network metrics of flows, and the study of where pacing helps."""

from __future__ import annotations

import pytest
import thinpipe as tp
from thinpipe.papers.yew2012 import spacing
from thinpipe.papers.yew2012.spacing import Aspect, Cell, Change

LONG = Aspect("long: goodput", "kbit/s", None, lambda *_: 0.0, more_is_better=True)
TIME = Aspect("10 kB: time", "s", 10_000, lambda *_: 0.0)


def test_spacing_spreads_a_window_over_a_round_trip() -> None:
    settings = {"flow.segments": 40, "tcp.initial_window": 20}
    burst = tp.run("bottleneck", settings)
    spaced = tp.run("bottleneck", settings, tcp__spacing="always")
    queues = [
        next(link for link in run.links if link.name == "bottleneck/down").queue_packets.max
        for run in (burst, spaced)
    ]
    assert (queues[1] or 0.0) < (queues[0] or 0.0) / 2


def test_pacing_and_spacing_exclude_each_other() -> None:
    with pytest.raises(tp.ScenarioError, match=r"tcp\.pacing and tcp\.spacing exclude each other"):
        tp.run("bottleneck", tcp__pacing="always", tcp__spacing="slow-start")


def test_the_network_of_a_single_flow() -> None:
    run = tp.run("plain-384", duration="100 s", tcp__window=1, tcp__initial_window=1)
    network = run.flows[0].network
    # 512 B and 40 B of headers at 384 kbit/s, then 60 ms; a round trip adds an ACK's path.
    alone_s = 552 * 8 / 384_000 + 0.060
    assert network.delay_s.min == pytest.approx(alone_s)
    assert network.delay_s.max == pytest.approx(alone_s)
    assert network.delay_s.samples in {run.flows[0].segments_sent, run.flows[0].segments_sent - 1}
    assert network.throughput_bps == pytest.approx(network.delay_s.samples * 512 * 8 / 100)
    assert network.efficiency == network.delay_s.samples / run.flows[0].segments_sent


def test_what_is_lost_is_sent_and_not_received() -> None:
    run = tp.run("bottleneck", {"link.drop_arrivals": [14, 28]})
    flow = run.flows[0]
    assert flow.network.efficiency == (flow.segments_sent - 2) / flow.segments_sent
    assert flow.network.delay_s.samples == flow.segments_sent - 2


def test_vegas_alone_tells_its_base() -> None:
    vegas = tp.run("plain-384", duration="10 s", tcp__variant="vegas")
    reno = tp.run("plain-384", duration="10 s", tcp__variant="reno")
    assert vegas.base_rtt["base_rtt_s"].min() == vegas.flows[0].rtt_s.min
    with pytest.raises(ValueError, match="nothing of the kind"):
        _ = reno.base_rtt


@pytest.mark.parametrize(
    ("change", "gain"),
    [
        (Change(TIME, 2.0, 1.0, clear=True), 0.5),
        (Change(TIME, 2.0, 3.0, clear=True), -0.5),
        (Change(LONG, 2.0, 3.0, clear=True), 0.5),
        (Change(LONG, 2.0, 3.0, clear=False), 0.0),
        (Change(LONG, 2.0, 2.01, clear=True), 0.0),
        (Change(TIME, 0.0, 3.0, clear=True), -float("inf")),
        (Change(TIME, 0.0, 0.0, clear=False), 0.0),
    ],
)
def test_gain(change: Change, gain: float) -> None:
    assert change.gain == gain


def test_a_cell_says_where_it_is() -> None:
    cell = Cell(spacing.PLACES[0], 8, "Vegas", "always", Change(TIME, 2.0, 1.5, clear=True))
    assert str(cell) == "−25 % (Vegas, wired, 50 packets, 8 flows, 10 kB: time)"


def test_every_cell_has_its_runs_among_the_points() -> None:
    points = set(spacing.POINTS)
    assert len(points) == len(spacing.POINTS)
    assert all(set(case.points(way)) <= points for case in spacing.cases() for way in spacing.WAYS)


def test_the_runs_of_a_cell_differ_in_delay() -> None:
    for case in spacing.cases(("Vegas",)):
        key, middle_ms = case.place.delay
        delays = [dict(point.settings)[key] for point in case.points("off")]
        assert delays == [f"{middle_ms + more} ms" for more in range(-5, 5)]


@pytest.mark.parametrize("key", ["tcp.pacing", "tcp.spacing"])
@pytest.mark.parametrize("variant", ["sack", "cubic"])
@pytest.mark.parametrize("delay_ms", [50, 56, 58])
def test_a_loss_does_not_stop_a_spaced_sender(key: str, variant: str, delay_ms: int) -> None:
    # ACKs arrive before the next segment may leave; the window must grow anyway.
    settings = {
        "link.rate": "2 Mbit/s",
        "link.delay": f"{delay_ms} ms",
        "queue.packets": "12",
        "tcp.mss": "512 B",
        "tcp.variant": variant,
        "flow.bytes": "unlimited",
        key: "always",
    }
    run = tp.run("link", settings, duration="60 s")
    assert (run.flows[0].goodput_bps or 0.0) > 2e6 / 2
