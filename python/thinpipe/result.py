"""The figures of a run, as typed records.

Names carry their units: ``_s`` seconds, ``_bps`` bit/s, ``_segments`` segments. A figure that does
not apply is ``None``.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar


@dataclass(frozen=True, slots=True)
class RttSummary:
    """Times in seconds: round trips of segments that were sent once, or responses."""

    samples: int
    min: float | None
    mean: float | None
    stdev: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class CwndSummary:
    """The congestion window in segments, its mean weighted by time."""

    mean: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """Packets waiting at a link, the mean weighted by time."""

    mean: float | None
    max: float | None


@dataclass(frozen=True, slots=True)
class Crossing:
    """How the data packets of a flow crossed the network: the metrics of yew2012.

    Attributes
    ----------
    delay_s
        One way, of each data packet from its departure at the sender to its arrival at the
        receiver, this transmission alone.
    throughput_bps
        Payload of every data packet that the receiver got, over the whole run.
    efficiency
        Data packets that the receiver got over those sent, retransmissions included. Packets that
        another node doubles count twice.
    longest_gap_s
        The longest time between two data packets that the receiver got one after the other: what a
        handover interrupts.
    """

    delay_s: RttSummary
    throughput_bps: float | None
    efficiency: float | None
    longest_gap_s: float | None


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages that arrived whole, and from request to last byte how long each took, in seconds."""

    count: int
    bytes: int
    response_s: RttSummary


@dataclass(frozen=True, slots=True)
class Datagrams:
    """What became of a flow's UDP datagrams. Their delays are those of its `Crossing`.

    Attributes
    ----------
    sent, received
        How many were sent, and how many of them arrived: each counts once.
    lost
        How many were dropped; the table ``datagrams`` has where and why.
    under_way
        How many were still on their way at the end.
    loss
        Lost over sent.
    jitter_s
        Interarrival jitter after the last that arrived (RFC 3550 §6.4.1).
    """

    sent: int
    received: int
    lost: int
    under_way: int
    loss: float | None
    jitter_s: float | None


@dataclass(frozen=True, slots=True)
class Flow:
    """One TCP connection, or one flow of UDP datagrams, of which ``variant`` is ``udp``.

    ``goodput_bps`` counts payload over the time of the transfer, from its start until it completed
    or the run ended, of datagrams until the last arrived. ``normalized_throughput`` counts the
    segments accepted in order, headers included, over the time of the whole run, as a share of the
    bottleneck's rate: that of the radio's downlink or of the link. A transfer that ends early has a
    small share. ``group`` is the ``[[flow.group]]`` that it belongs to, or ``flow``. ``echo_s`` are
    times from a keystroke to its echo; ``probe_s`` those of probes, one way. UDP has no figures of
    TCP: zero or ``None``.
    """

    id: int
    group: str
    variant: str
    bytes_acked: int
    goodput_bps: float | None
    normalized_throughput: float | None
    segments_sent: int
    retransmits: int
    timeouts: int
    spurious_timeouts: int
    fast_retransmits: int
    rtt_s: RttSummary
    network: Crossing
    cwnd_segments: CwndSummary
    started_s: float | None
    established_s: float | None
    completed_s: float | None
    given_up_s: float | None
    received_s: float | None
    pages: Pages | None
    echo_s: RttSummary | None
    probe_s: RttSummary | None
    datagrams: Datagrams | None


@dataclass(frozen=True, slots=True)
class Drops:
    """Packets dropped, by what dropped them.

    Full queue, RED or CoDel, chance, list, outage, given up by RLC, heard by nobody.
    """

    queue: int
    aqm: int
    loss: int
    list: int
    outage: int
    discarded: int
    unreachable: int


@dataclass(frozen=True, slots=True)
class Link:
    """One link, one way. ``marks`` counts packets marked in the place of being dropped."""

    name: str
    drops: int
    drops_by_reason: Drops
    marks: int
    utilization: float | None
    queue_packets: QueueSummary


@dataclass(frozen=True, slots=True)
class RadioBlocks:
    """Radio blocks and what the link control did."""

    blocks_sent: int
    blocks_in_error: int
    retransmitted_blocks: int
    status_pdus: int
    rlc_resets: int
    discarded_sdus: int
    bytes_sent: int
    bytes_delivered: int


@dataclass(frozen=True, slots=True)
class Radio(RadioBlocks):
    """Radio blocks of both directions together, and of each."""

    downlink: RadioBlocks
    uplink: RadioBlocks


@dataclass(frozen=True, slots=True)
class StateShares:
    """Shares of the time that mobiles spent in each RRC state, all together."""

    idle: float
    cell_dch: float
    cell_fach: float
    cell_pch: float
    ura_pch: float


@dataclass(frozen=True, slots=True)
class Blocked:
    """Requests for dedicated channels that were refused, each time that one was."""

    code: int
    power: int
    uplink: int


@dataclass(frozen=True, slots=True)
class CodesInUse:
    """Codes of mobiles over time, and the share of the code trees that they take."""

    mean: float
    max: int
    occupancy: float


@dataclass(frozen=True, slots=True)
class Handovers:
    """Changes of the cells of mobiles on dedicated channels."""

    soft: int
    softer: int
    hard: int
    failed: int


@dataclass(frozen=True, slots=True)
class SharedBlocks:
    """Radio blocks on the shared channels."""

    fach: int
    rach: int


@dataclass(frozen=True, slots=True)
class Cell:
    """What a network of cells did."""

    ues: int
    cells: int
    time_share: StateShares
    state_changes: int
    blocked: Blocked
    common_codes: tuple[tuple[int, int], ...]
    codes_in_use: CodesInUse
    handovers: Handovers
    shared: SharedBlocks


@dataclass(frozen=True, slots=True)
class Middlebox:
    """What a middlebox did.

    Attributes
    ----------
    held_bytes
        Payload that it held at the end: accepted, and not yet acknowledged by whom it was for.
    held_max
        The most bytes that it held for one mobile.
    held_mean, held_max_total
        Bytes that it held for all mobiles together, the mean weighted by time.
    stall_s
        How long it heard nothing from mobiles that it waited for, all together.
    rtt_s
        Round-trip times between it and the mobiles.
    """

    kind: str
    at: str
    mobiles: int
    packets_in: int
    packets_out: int
    flows: int
    bypassed: int
    released: int
    held_bytes: int
    held_max: int
    held_mean: float
    held_max_total: int
    retransmissions: int
    timeouts: int
    suppressed: int
    zero_windows: int
    discarded_bytes: int
    stall_s: float
    rtt_s: RttSummary


@dataclass(frozen=True, slots=True)
class Handover:
    """A change of a mobile to another access router. What did not happen is ``None``.

    Attributes
    ----------
    mobile, router, router_before
        The mobile's name, the access router's number, and that of the one before.
    link_down_s, link_up_s
        When the last link before was lost, if that was ahead of the new one, and when that came up.
    advertised_s, address_s
        When the router was heard of, and an address there could be used.
    registered_s, home_registered_s
        When the mobile learnt that the first agent (the MAP, where there is one) reaches it by
        another address, and that the home agent does, if that had to be told.
    latency_s
        From the loss of the link before, or where there were two from the new one, to the last of
        these.
    """

    mobile: str
    router: int
    router_before: int | None
    link_down_s: float | None
    link_up_s: float
    advertised_s: float | None
    address_s: float | None
    registered_s: float | None
    home_registered_s: float | None
    latency_s: float | None


@dataclass(frozen=True, slots=True)
class Lost:
    """Packets that went no further than a host or an agent.

    Attributes
    ----------
    unreachable
        The mobile was bound nowhere, or not where the packet came from.
    incomplete
        Pieces of packets of which others did not come.
    too_big
        Larger than a tunnel takes, which told the source.
    """

    unreachable: int
    incomplete: int
    too_big: int


@dataclass(frozen=True, slots=True)
class Mobility:
    """How mobiles moved: their changes, and bindings made or renewed, ended and given up.

    ``routers`` are the names of the access routers, by their numbers; ``latency_s`` are the
    latencies of all ``handovers``, which `polars.DataFrame` takes as a table.
    """

    routers: tuple[str, ...]
    handovers: tuple[Handover, ...]
    latency_s: RttSummary
    bindings: int
    unbindings: int
    given_up: int
    lost: Lost


@dataclass(frozen=True, slots=True)
class Result:
    """All figures of a run. ``wall_s``, the time it took, is the only one that varies."""

    scenario: str
    seed: int
    duration_s: float
    events: int
    wall_s: float
    flows: tuple[Flow, ...]
    links: tuple[Link, ...]
    radio: Radio | None
    cell: Cell | None
    middlebox: Middlebox | None
    mobility: Mobility | None

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Read what ``thinpipe run --json`` prints."""
        data = json.loads(text)
        return record_of(
            cls,
            data,
            flows=tuple(_flow(flow) for flow in data["flows"]),
            links=tuple(link_of(link) for link in data["links"]),
            radio=None if data["radio"] is None else radio_of(data["radio"]),
            cell=None if data.get("cell") is None else cell_of(data["cell"]),
            middlebox=_middlebox(data.get("middlebox")),
            mobility=_mobility(data.get("mobility")),
        )


Record = TypeVar("Record")


def record_of(kind: type[Record], data: Mapping[str, Any], **nested: object) -> Record:
    """Return a record of `kind` whose fields are `nested` or else those of `data`."""
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: nested[name] if name in nested else data[name] for name in names})


def _flow(data: Mapping[str, Any]) -> Flow:
    rtt = record_of(RttSummary, data["rtt_s"])
    cwnd = record_of(CwndSummary, data["cwnd_segments"])
    return record_of(
        Flow,
        data,
        group=data.get("group", "flow"),
        rtt_s=rtt,
        network=_crossing(data.get("network")),
        cwnd_segments=cwnd,
        received_s=data.get("received_s"),  # not in runs that version 0.1 saved
        pages=_pages(data.get("pages")),
        echo_s=_times(data.get("echo_s")),
        probe_s=_times(data.get("probe_s")),
        datagrams=_datagrams(data.get("datagrams")),
    )


def _crossing(data: Mapping[str, Any] | None) -> Crossing:
    if data is None:  # in runs that version 0.1 saved
        nothing = RttSummary(0, *[None] * 7)
        return Crossing(nothing, throughput_bps=None, efficiency=None, longest_gap_s=None)
    return record_of(Crossing, data, delay_s=record_of(RttSummary, data["delay_s"]))


def _times(data: Mapping[str, Any] | None) -> RttSummary | None:
    return None if data is None else record_of(RttSummary, data)


def _datagrams(data: Mapping[str, Any] | None) -> Datagrams | None:
    return None if data is None else record_of(Datagrams, data)


def _middlebox(data: Mapping[str, Any] | None) -> Middlebox | None:
    if data is None:
        return None
    return record_of(Middlebox, data, rtt_s=record_of(RttSummary, data["rtt_s"]))


def _mobility(data: Mapping[str, Any] | None) -> Mobility | None:
    if data is None:
        return None
    handovers = tuple(record_of(Handover, each) for each in data["handovers"])
    return record_of(
        Mobility,
        data,
        routers=tuple(data["routers"]),
        handovers=handovers,
        latency_s=record_of(RttSummary, data["latency_s"]),
        lost=record_of(Lost, data["lost"]),
    )


def _pages(data: Mapping[str, Any] | None) -> Pages | None:
    if data is None:
        return None
    return record_of(Pages, data, response_s=record_of(RttSummary, data["response_s"]))


def link_of(data: Mapping[str, Any]) -> Link:
    """Read one of the ``links`` of a result."""
    reasons = data["drops_by_reason"]
    none = {"unreachable": 0}  # not in runs that version 0.1 saved
    drops = record_of(Drops, none | reasons)
    queue = record_of(QueueSummary, data["queue_packets"])
    return record_of(Link, data, drops_by_reason=drops, queue_packets=queue)


def cell_of(data: Mapping[str, Any]) -> Cell:
    """Read the ``cell`` of a result."""
    return record_of(
        Cell,
        data,
        time_share=record_of(StateShares, data["time_share"]),
        blocked=record_of(Blocked, data["blocked"]),
        common_codes=tuple((sf, code) for sf, code in data["common_codes"]),
        codes_in_use=record_of(CodesInUse, data["codes_in_use"]),
        handovers=record_of(Handovers, data["handovers"]),
        shared=record_of(SharedBlocks, data["shared"]),
    )


def radio_of(data: Mapping[str, Any]) -> Radio:
    """Read the ``radio`` of a result."""
    downlink, uplink = (record_of(RadioBlocks, data[way]) for way in ("downlink", "uplink"))
    return record_of(Radio, data, downlink=downlink, uplink=uplink)
