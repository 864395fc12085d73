"""Run the flows of a set-up in a test bed."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from threading import Semaphore
from typing import TYPE_CHECKING, Any, Final

from thinpipe.acceptance.proxy import mixing
from thinpipe.acceptance.proxy.mixing import Mixed, Mixing
from thinpipe.acceptance.proxy.setup import (
    LOCAL_PORT,
    MORE_S,
    PORT,
    Direction,
    Flow,
    Pinged,
    Setup,
)
from thinpipe.testbed import (
    HOST,
    Bed,
    BedError,
    Echo,
    Fetched,
    Ping,
    QuicFetched,
    Running,
    Served,
    bed,
)
from thinpipe.testbed.packets import TCP, Packet, Transfer, measure, of_capture
from thinpipe.testbed.processor import Punctuality, Ticks, Waits

if TYPE_CHECKING:
    from thinpipe.emulation_record import EmulationRecord

SETTLE_S: Final = 3.0
"""Wait after both ends have closed for packets still in flight; the queue is empty by then."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The results of a test bed run.

    Attributes
    ----------
    flows, served
        The reports of mobile and host on each flow, in the order of the set-up.
    transfers
        Each flow over the radio, at its sender's side: as the proxy sent it, the host, or the
        mobile.
    echoes
        The mobile's echo requests while flows were under way.
    start_s
        When each flow's SYN entered the link, on the emulator's clock.
    window_bytes
        The window that the first flow's receiver announced most of the time, where it announces no
        scale.
    handled
        Number of connections that the proxy intercepted.
    record
        The emulator's.
    punctuality
        How late the emulator and the latest of the ends and the proxy were.
    quic, mixed
        What was beside them until they ended.
    """

    flows: tuple[Fetched, ...]
    served: tuple[Served, ...]
    transfers: tuple[Transfer, ...]
    echoes: tuple[Echo, ...]
    start_s: tuple[float, ...]
    window_bytes: int
    handled: int
    record: EmulationRecord
    punctuality: Punctuality
    quic: QuicFetched | None = None
    mixed: Mixed | None = None


def carry(setup: Setup, ready: Callable[[], object] = lambda: None) -> Carried:
    """Run the flows of a set-up; `ready` is called, and may wait, when its test bed is complete.

    Raises
    ------
    BedError
        If the test bed cannot be made, an end differs from the set-up, a flow did not arrive
        intact, or bypassed the proxy.
    """
    with bed(setup.plan) as made:
        server = made.host.serve(setup.listeners, len(setup.fetches))
        others = [] if setup.quic is None else [made.host.serve_quic(setup.quic.listener)]
        senders = [] if setup.mix is None else mixing.serve(made, setup.mix, setup.control)
        ready()
        with TURN if setup.takes_turns else nullcontext():
            pinged = _start_pings(made, setup)
            before = _waits(made), Ticks.now()
            beside, mix = _start_quic(made, setup), _start_mix(made, setup, senders)
            flows = made.mobile.fetch(setup.fetches).all(setup.lasts_s + 2 * MORE_S)
            others += [] if beside is None else [beside.program]
            others += [] if mix is None else mix.programs
            others_wait_s = [Waits.of_process(each.pid).mean_since(Waits()) for each in others]
            quic = _end_quic(setup, beside, flows)
            mixed = mix.end(setup.mix.vpn_bytes) if mix and setup.mix else None
        _assert_whole(flows)
        served = server.all(MORE_S)
        _assert_whole(served)
        ends: list[Fetched | Served] = [*flows, *served]
        waits_s = [each.wait_s for each in ends] + [_waits(made).mean_since(before[0])]
        waits_s += others_wait_s
        stolen = Ticks.now().stolen_since(before[1])
        time.sleep(SETTLE_S)
        echoes = pinged.so_far() if pinged else []
        handled = 0 if setup.box is None else taken(made.status())
        record = made.finish()
        if record is None:
            raise BedError("the emulator left no record")
        flows.sort(key=lambda each: each.port)
        served.sort(key=lambda each: each.port)
        captured = [_captured(made, *each) for each in enumerate(setup.flows)]
        _assert_cut(setup, captured[0])
        transfers = tuple(measure(packets, ()) for packets in captured)
        rtt_s = min(each.rtt_median_s for each in transfers)
        carried = Carried(
            tuple(flows),
            tuple(served),
            transfers,
            _under_load(echoes, flows),
            _starts(made, flows),
            _window(captured[0]),
            handled,
            record,
            Punctuality(record.lateness_s, stolen + max(waits_s) / rtt_s),
            quic,
            mixed,
        )
    if setup.box is not None and carried.handled != len(setup.flows):
        raise BedError(f"the proxy took part in {carried.handled} flows of {len(setup.flows)}")
    return carried


TURN: Final = Semaphore()
"""Held by the run whose turn it is; all run in one process (`thinpipe.testbed.container`)."""


def _waits(made: Bed) -> Waits:
    """Return how long the proxy, if there is one, has waited for a processor."""
    return Waits() if made.daemon is None else Waits.of_process(made.daemon.pid)


def taken(status: dict[str, Any]) -> int:
    """Return how many connections the proxy intercepted."""
    return sum(profile["connections"]["taken"] for profile in status["profiles"])


def _start_pings(made: Bed, setup: Setup) -> Any:  # noqa: ANN401
    if setup.pinged is Pinged.NO:
        return None
    count = int((setup.lasts_s + MORE_S) / setup.ping_s)
    return made.mobile.ping(Ping(HOST[0], count, setup.ping_s))


def _start_quic(made: Bed, setup: Setup) -> Running[QuicFetched] | None:
    if setup.quic is None:
        return None
    return made.mobile.fetch_quic(setup.quic.fetch(setup.lasts_s + 2 * MORE_S))


def _start_mix(made: Bed, setup: Setup, senders: list[subprocess.Popen[str]]) -> Mixing | None:
    if setup.mix is None:
        return None
    return mixing.begin(made, setup.mix, senders, setup.lasts_s + 2 * MORE_S)


def _end_quic(
    setup: Setup, running: Running[QuicFetched] | None, flows: list[Fetched]
) -> QuicFetched | None:
    """End a download by QUIC, which must have been under way as long as the flows were."""
    if setup.quic is None or running is None:
        return None
    [quic] = running.so_far()
    if quic.error or quic.bytes == setup.quic.bytes:
        raise BedError(f"QUIC beside TCP: {quic.error or 'it ended before'}")
    began_s = min(flow.opened_s for flow in flows) - quic.opened_s
    if not quic.curve or quic.curve[0][0] > began_s:
        raise BedError("QUIC beside TCP: it began later")
    return quic


def _captured(made: Bed, number: int, flow: Flow) -> list[Packet]:
    """Return a flow's packets at the end of the link where its data enter."""
    if flow.direction is Direction.UP:
        return list(of_capture(made.captures / "mobile.pcapng", PORT + number))
    return list(of_capture(made.captures / "network.pcapng", LOCAL_PORT + number))


def _under_load(echoes: list[Echo], flows: list[Fetched]) -> tuple[Echo, ...]:
    """Return the echo requests during flows; times count from the first one."""
    start_s = min(each.opened_s for each in flows)
    end_s = max(each.opened_s + (each.last_s or each.total_s) for each in flows)
    return tuple(
        Echo(each.sent_s - start_s, each.rtt_s)
        for each in sorted(echoes, key=lambda each: each.sent_s)
        if start_s <= each.sent_s and each.sent_s + (each.rtt_s or 0) <= end_s
    )


def _starts(made: Bed, flows: list[Fetched]) -> tuple[float, ...]:
    """Return when each flow's SYN entered the link."""
    with made.packets.open(encoding="utf-8") as rows:
        first_s: float = next(
            row["entered_s"]
            for row in map(json.loads, rows)
            if row["direction"] == "up" and row["protocol"] == TCP
        )
    opened_s = min(flow.opened_s for flow in flows)
    return tuple(first_s + flow.opened_s - opened_s for flow in flows)


def _window(packets: list[Packet]) -> int:
    """Return the window that a flow's receiver announced most of the time."""
    announced = Counter(packet.window for packet in packets if not packet.sent)
    [(window, _)] = announced.most_common(1)
    return window


def _assert_whole(ends: Sequence[Fetched | Served]) -> None:
    for each in ends:
        whole = each.whole if isinstance(each, Fetched) else True
        if each.error or not whole:
            said = each.error or "other bytes than were sent"
            raise BedError(f"the flow to port {each.port}: {said}")


def _assert_cut(setup: Setup, packets: list[Packet]) -> None:
    """Check the size of segments over the radio; a host may cut others for a proxy's window."""
    largest = max(packet.length for packet in packets if packet.sent)
    if largest != setup.mss_bytes:
        raise BedError(f"segments have {largest} B over the radio, not {setup.mss_bytes} B")
