"""The figures of a run, as typed records.

Names carry their units: ``_s`` seconds, ``_bps`` bit/s, ``_segments`` segments. A figure that does
not apply is ``None``. `scripts/records.py` writes this file from the summaries of the compiled
module, where each figure has its meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thinpipe.call_result import Call
from thinpipe.cell_result import Cell
from thinpipe.group_result import Group, RttSummary
from thinpipe.middlebox_result import Middlebox
from thinpipe.record import Record


@dataclass(frozen=True, slots=True)
class Crossing(Record):
    """The network as the data packets of a flow met it: the metrics of Yew, Ong and Ahmad 2012."""

    delay_s: RttSummary
    """One-way delay of each data packet, from the departure of this transmission to its arrival."""
    throughput_bps: float
    """Payload of every data packet that the receiver got, over the whole run."""
    longest_gap_s: float | None
    """The longest time between two successive data packets at the receiver: the interruption by a
    handover."""
    efficiency: float | None
    """Data packets received over data packets sent, retransmissions included."""


@dataclass(frozen=True, slots=True)
class CwndSummary(Record):
    """The congestion window over time."""

    mean: float | None
    """Weighted by time."""
    max: float | None
    """The largest."""


@dataclass(frozen=True, slots=True)
class LimitedBy(Record):
    """What kept a flow's senders from sending more.

    Shares of the time in which their connections were established and not yet complete; their sum
    is 1.
    """

    cwnd: float
    """The congestion window."""
    window: float
    """The most that the scenario allows in flight (``tcp.window``)."""
    receiver: float
    """The window that the receiver advertised."""
    pacing: float
    """Pacing."""
    application: float
    """The application: all that it wrote had been sent, and some was not yet acknowledged."""
    idle: float
    """There was nothing to send: all that the application wrote had been acknowledged."""


@dataclass(frozen=True, slots=True)
class Pages(Record):
    """The pages of a flow that arrived whole."""

    count: int
    """How many."""
    bytes: int
    """Their bytes."""
    response_s: RttSummary
    """From request to last byte."""


@dataclass(frozen=True, slots=True)
class Datagrams(Record):
    """The datagrams of a flow."""

    sent: int
    """How many were sent."""
    received: int
    """How many of them arrived."""
    lost: int
    """How many were dropped somewhere."""
    under_way: int
    """How many were still on their way at the end."""
    loss: float | None
    """Lost over sent."""
    jitter_s: float | None
    """Interarrival jitter (RFC 3550 §6.4.1) after the last that arrived."""


@dataclass(frozen=True, slots=True)
class Flow(Record):
    """The numbers of a flow."""

    id: int
    """From 0."""
    group: str
    """The name of its group."""
    variant: str
    """TCP variant; ``udp`` of datagrams."""
    bytes_acked: int
    """Payload that the sender knows to have arrived."""
    goodput_bps: float | None
    """Payload delivered, by TCP in order, over the time from the first packet to completion at both
    ends or the end of the run; of datagrams to the last arrival."""
    normalized_throughput: float | None
    """Segments accepted in order, or datagrams, with their headers and those of IP, over the rate
    of its direction of the radio (or of the bottleneck) in the mean of the run; ``None`` where
    sending takes no time."""
    segments_sent: int
    """Data segments sent, retransmissions included."""
    retransmits: int
    """Data segments retransmitted."""
    timeouts: int
    """Retransmission timeouts once the handshake is done."""
    handshake_timeouts: int
    """Retransmission timeouts of the handshake."""
    spurious_timeouts: int
    """Timeouts whose segment had not been lost."""
    fast_retransmits: int
    """Fast retransmits."""
    rtt_s: RttSummary
    """Round-trip times of data segments sent once whose acknowledgement did not wait for a
    retransmission."""
    network: Crossing
    """What the network did to its data packets."""
    cwnd_segments: CwndSummary
    """Congestion window, at most the window cap."""
    limited_by: LimitedBy | None
    """What kept its sender from sending more, where there is a connection."""
    started_s: float | None
    """First packet sent."""
    established_s: float | None
    """Handshake done."""
    completed_s: float | None
    """Last byte acknowledged."""
    given_up_s: float | None
    """The sender gave the connection up, or it was reset, before that."""
    received_s: float | None
    """When the receiver's application had the last byte."""
    pages: Pages | None
    """Pages, where the flow has them."""
    echo_s: RttSummary | None
    """Echoes, from a keystroke to the last byte of its echo, where the flow has them."""
    probe_s: RttSummary | None
    """Probes, one-way delay from the first transmission, where the flow has them."""
    datagrams: Datagrams | None
    """Datagrams, where the flow has them."""
    voip: Call | None
    """Quality at its receiver, where it is a call."""


@dataclass(frozen=True, slots=True)
class Drops(Record):
    """Packets dropped, by what dropped them."""

    queue: int
    """The queue was full."""
    aqm: int
    """RED or ``CoDel``."""
    loss: int
    """Lost at random."""
    list: int
    """On the list of packets to drop."""
    outage: int
    """Sent during an outage, or on the way when one satellite followed another."""
    discarded: int
    """Given up by RLC or PDCP."""
    unreachable: int
    """Heard by nobody: its mobile was elsewhere."""


@dataclass(frozen=True, slots=True)
class Disorder(Record):
    """Packets that came out of a link otherwise than they went in."""

    reordered: int
    """Arrived behind one that was sent later (RFC 4737 §3.3)."""
    duplicated: int
    """Arrived twice."""
    corrupted: int
    """Arrived with a wrong bit, for which their receiver discards them."""


@dataclass(frozen=True, slots=True)
class QueueSummary(Record):
    """A queue over time."""

    mean: float
    """Weighted by time."""
    max: int
    """The longest."""


@dataclass(frozen=True, slots=True)
class Link(Record):
    """One direction of a link or bearer."""

    name: str
    """``Gi/down``, ``Uu/up``."""
    drops: int
    """Packets dropped or discarded."""
    drops_by_reason: Drops
    """The same by what dropped them."""
    marks: int
    """Packets marked instead of dropped (RFC 3168)."""
    disorder: Disorder | None
    """Packets that it disordered, where it may."""
    utilization: float | None
    """Busy share of the time (a bearer: of the blocks; by satellite: of the bytes that its rates
    carry; a trace: of its opportunities).

    Of a WLAN that of the media of its access points, on average, which both directions share.
    """
    queue_packets: QueueSummary
    """Packets waiting or in transmission."""
    queue_delay_s: float | None
    """How long a packet that was taken in waited or was in transmission, on average; ``None`` if
    there was none."""


@dataclass(frozen=True, slots=True)
class RadioBlocks(Record):
    """The radio blocks of one direction."""

    blocks_sent: int
    """Blocks sent, of any kind."""
    blocks_in_error: int
    """Those that arrived in error."""
    harq_repeats: int
    """Blocks that hybrid ARQ sent again."""
    harq_given_up: int
    """Blocks that erred in their last transmission, so that hybrid ARQ gave them up."""
    retransmitted_blocks: int
    """Data blocks retransmitted."""
    status_pdus: int
    """Status reports sent."""
    rlc_resets: int
    """RLC resets begun, or radio links that failed and began anew."""
    discarded_sdus: int
    """Packets that RLC gave up."""
    bytes_sent: int
    """Channel bytes that the blocks sent took: data, padding and control, retransmissions included.

    Divided by ``bytes_delivered`` it is the effort of a delivery.
    """
    bytes_delivered: int
    """Packets delivered, in bytes at the IP layer."""


@dataclass(frozen=True, slots=True)
class Radio(Record):
    """The radio's blocks."""

    blocks_sent: int
    """Blocks sent, of any kind."""
    blocks_in_error: int
    """Those that arrived in error."""
    harq_repeats: int
    """Blocks that hybrid ARQ sent again."""
    harq_given_up: int
    """Blocks that erred in their last transmission, so that hybrid ARQ gave them up."""
    retransmitted_blocks: int
    """Data blocks retransmitted."""
    status_pdus: int
    """Status reports sent."""
    rlc_resets: int
    """RLC resets begun, or radio links that failed and began anew."""
    discarded_sdus: int
    """Packets that RLC gave up."""
    bytes_sent: int
    """Channel bytes that the blocks sent took: data, padding and control, retransmissions included.

    Divided by ``bytes_delivered`` it is the effort of a delivery.
    """
    bytes_delivered: int
    """Packets delivered, in bytes at the IP layer."""
    downlink: RadioBlocks
    """Towards the mobile."""
    uplink: RadioBlocks
    """From the mobile."""


@dataclass(frozen=True, slots=True)
class StateEnergy(Record):
    """The energy of a state of mobiles' radios."""

    name: str
    """What the state is called."""
    power_w: float
    """What a mobile draws in it, in W, without what it carries."""
    time_s: float
    """How long mobiles were in it, all together."""
    energy_j: float
    """What they used in it, in J, with what they carried."""


@dataclass(frozen=True, slots=True)
class Energy(Record):
    """The energy of the radios of all mobiles."""

    total_j: float
    """What the radios of all mobiles used together, in J."""
    mean_w: float | None
    """What the radio of a mobile drew in the mean, in W; ``None`` if no time passed."""
    life_per_wh_s: float | None
    """How long it lives on a battery of 1 Wh, in s; ``None`` if it draws nothing."""
    per_megabyte_j: float | None
    """What all used over the payload that flows to or from a mobile delivered, in J for each
    1,000,000 bytes; ``None`` if nothing was, or if that is not known."""
    states: Sequence[StateEnergy]
    """By state that they were or could have been in."""


@dataclass(frozen=True, slots=True)
class Mobile(Record):
    """The energy of the radio of a mobile."""

    name: str
    """Its node."""
    energy_j: float
    """What its radio used, in J."""
    mean_w: float | None
    """What its radio drew in the mean, in W; ``None`` if no time passed."""
    life_per_wh_s: float | None
    """How long it lives on a battery of 1 Wh, in s; ``None`` if it draws nothing."""
    per_megabyte_j: float | None
    """What it used over the payload of its flows, in either direction, in J for each 1,000,000
    bytes; ``None`` if nothing was delivered."""
    states: Sequence[StateEnergy]
    """By state that it was in."""


@dataclass(frozen=True, slots=True)
class Handover(Record):
    """A change of a mobile to another access router. What did not happen in the run is ``None``."""

    mobile: str
    """The mobile's name."""
    router: int
    """The access router's number, from 0."""
    router_before: int | None
    """That of the one before, if there was one."""
    link_down_s: float | None
    """When the last link before was lost, if that was before the new one came up."""
    link_up_s: float
    """When the new link came up."""
    advertised_s: float | None
    """When its router's advertisement came."""
    address_s: float | None
    """When an address there could be used."""
    registered_s: float | None
    """When the mobile learnt that the first agent reaches it by another address: the MAP, where
    there is one."""
    home_registered_s: float | None
    """When it learnt the same of the home agent, if that had to be updated."""
    latency_s: float | None
    """From the loss of the link before, or with two links from when the new one came up, to when
    the last of these agents reached it."""


@dataclass(frozen=True, slots=True)
class Lost(Record):
    """Packets dropped by hosts or agents."""

    unreachable: int
    """The mobile was bound nowhere, or not where the packet came from."""
    incomplete: int
    """Fragments whose other fragments did not come."""
    too_big: int
    """Larger than a tunnel takes; its entry notified the source."""


@dataclass(frozen=True, slots=True)
class Mobility(Record):
    """How mobiles moved through the network."""

    routers: Sequence[str]
    """The names of the access routers, by their numbers."""
    handovers: Sequence[Handover]
    """Each change of a mobile to another access router, in order of time."""
    latency_s: RttSummary
    """Their latencies."""
    bindings: int
    """Bindings that agents and correspondents made or renewed."""
    unbindings: int
    """Bindings that ended."""
    given_up: int
    """How often a mobile gave up having an address bound."""
    lost: Lost
    """Packets dropped by hosts or agents; drops of links are counted there."""


@dataclass(frozen=True, slots=True)
class Result(Record):
    """All figures of a run. Equal runs have equal ones."""

    schema: int
    """The layout of these figures: it grows by one where a field goes or changes its meaning."""
    version: str
    """The version of thinpipe."""
    settings: dict[str, str]
    """What was set beside the scenario's text, as text by key."""
    scenario: str
    """The scenario's name."""
    seed: int
    """The seed of all chance."""
    duration_s: float
    """Simulated time."""
    events: int
    """Packets that came out of wires and middleboxes, and wakes of all other machines."""
    hints: Sequence[str]
    """What explains the numbers and is easily overlooked, in a line each."""
    made: Sequence[str]
    """A line for each group of flows that a setting made."""
    total: Group
    """All flows together."""
    groups: Sequence[Group]
    """One entry for each group of flows."""
    flows: Sequence[Flow]
    """One entry for each flow."""
    links: Sequence[Link]
    """One entry for each direction of each link or bearer."""
    radio: Radio | None
    """The radio's blocks, where there is a radio."""
    energy: Energy | None
    """The energy of the radios of mobiles, where their kind of radio has powers."""
    mobiles: Sequence[Mobile]
    """One entry for each mobile whose radio's energy is known."""
    cell: Cell | None
    """The network of cells, where there is one."""
    middlebox: Middlebox | None
    """The middlebox, where there is one."""
    mobility: Mobility | None
    """How mobiles moved, where they do."""
