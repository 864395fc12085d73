"""What a set-up is: its link, flows and proxy, for kernels and for the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from thinpipe.acceptance.proxy.beside import GROUP, Quic
from thinpipe.acceptance.proxy.mixing import Mix
from thinpipe.point import Point, Value
from thinpipe.scenario import Scenario, find
from thinpipe.testbed import HOST, MOBILES, Fetch, Link, Listener, Plan, Proxy

Settings = tuple[tuple[str, Value], ...]

TIMESTAMPS: Final = 12
"""Bytes of the option that both ends send with each segment (RFC 7323)."""

HEADERS: Final = 40 + TIMESTAMPS

PORT: Final = 5001
"""Port of the first flow at the host; further flows use the next ones."""

LOCAL_PORT: Final = 41001
"""The same at the mobile."""

MORE_S: Final = 60.0
"""Extra time of a run beyond its expected duration."""


AROUND: Final = "around"
"""Packets that are not TCP pass the proxy at once."""


class Pinged(Enum):
    """Whether the mobile sends echo requests."""

    NO = "no"
    YES = "yes"


class Direction(Enum):
    """The direction of a flow's data, as in a scenario."""

    DOWN = "downlink"
    UP = "uplink"


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow that the mobile opens: start, size, tickets and direction."""

    at_s: float
    bytes: int
    tickets: int = 1
    direction: Direction = Direction.DOWN


@dataclass(frozen=True, slots=True)
class Box:
    """The proxy, `atcp`: one aggregate for each mobile.

    Attributes
    ----------
    clamp_bytes
        Its window towards a mobile.
    rate, round_trip, uplink_rate
        The radio in its profile; without an `uplink_rate`, uploads are not intercepted.
    mss
        The maximum MSS of SYNs, if below that of the interface.
    fractions
        Whether the window counts bytes rather than segments.
    others
        What becomes of packets that are not TCP.
    urgent
        Ports whose flows go first.
    """

    clamp_bytes: int
    rate: str
    round_trip: str
    uplink_rate: str | None = None
    mss: int | None = None
    fractions: bool = False
    others: str = AROUND
    urgent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Setup:
    """One run: a link, the flows over it, and an optional proxy.

    Attributes
    ----------
    link, settings
        Scenario of the link, and changes to it.
    mtu
        Of the radio leg, in bytes.
    window_bytes
        The mobile's maximum receive window; ``None`` leaves it to the kernel.
    lasts_s
        Approximate duration of the flows.
    ping_s
        Time between echo requests.
    quic, mix
        A download by QUIC beside the flows; a call, a VPN and DNS.
    takes_turns
        Whether it waits for others of this kind: all at once they would need too much processor
        time.
    seed
        Of the simulation; equal runs in the test bed differ in it alone.
    """

    link: str | Path
    flows: tuple[Flow, ...]
    lasts_s: float
    box: Box | None = None
    settings: Settings = ()
    control: str = "cubic"
    initial_window: int = 10
    mtu: int = 1500
    window_bytes: int | None = None
    pinged: Pinged = Pinged.NO
    ping_s: float = 1.0
    quic: Quic | None = None
    mix: Mix | None = None
    takes_turns: bool = False
    seed: int = 1

    @property
    def mss_bytes(self) -> int:
        """Payload of a full segment."""
        offered = self.mtu - 40
        mss = offered if self.box is None or self.box.mss is None else min(offered, self.box.mss)
        return mss - TIMESTAMPS

    @property
    def ports(self) -> dict[int, int]:
        """The host's ports with their tickets, where these differ."""
        tickets = {PORT + number: flow.tickets for number, flow in enumerate(self.flows)}
        return tickets if len(set(tickets.values())) > 1 else {}

    @property
    def point(self) -> Point:
        """The run, for the simulator."""
        scenario = find(self.link)
        named = [("flow.group", f"f{number + 2}") for number in range(len(self.flows) - 1)]
        named += [("flow.group", GROUP)] if self.quic is not None else []
        named += [("flow.group", name) for name in (self.mix.names if self.mix else [])]
        named += [("middlebox.atcp.classes", f"p{port}") for port in self._classes]
        source = scenario.source + "".join(f'\n[[{kind}]]\nname = "{n}"\n' for kind, n in named)
        return Point.of(Scenario(scenario.name, source), dict(self._simulated()))

    @property
    def _classes(self) -> dict[int, tuple[str, int]]:
        """What the proxy's class for each port says."""
        if self.box is None:
            return {}
        tickets = {port: ("tickets", count) for port, count in self.ports.items()}
        return tickets | dict.fromkeys(self.box.urgent, ("priority", 1))

    def _simulated(self) -> list[tuple[str, Value]]:
        """Return settings for the simulator that match kernel and daemon."""
        found: list[tuple[str, Value]] = [*self.settings, *LINUX]
        if self.pinged is Pinged.YES:
            found += BESIDE_ECHOES.get(self.link, ())
        quick = max(flow.bytes for flow in self.flows) <= QUICK_BYTES
        found += [
            ("tcp.delayed_ack", "off" if quick else "200 ms"),
            ("tcp.congestion_control", self.control),
            ("tcp.initial_window", self.initial_window),
            ("tcp.mss", f"{self.mss_bytes} B"),
            ("duration", f"{self.lasts_s + MORE_S} s"),
            ("seed", self.seed),
        ]
        if self.window_bytes is not None:
            found += [("tcp.receive_buffer", f"{self.window_bytes} B")]
        for number, flow in enumerate(self.flows):
            key = flow_key(number)
            found += [
                (f"{key}.bytes", f"{flow.bytes} B"),
                (f"{key}.direction", flow.direction.value),
                (f"{key}.opened_by", "sender" if flow.direction is Direction.UP else "receiver"),
                (f"{key}.port", PORT + number),
                (f"{key}.start", f"{flow.at_s} s"),
            ]
        if self.quic is not None:
            found += self.quic.simulated
        if self.mix is not None:
            found += self.mix.simulated(self.flows[0].at_s)
        if self.box is not None:
            found += [
                ("middlebox.kind", "atcp"),
                ("middlebox.atcp.clamp", f"{self.box.clamp_bytes} B"),
                ("middlebox.atcp.rate", self.box.rate),
                ("middlebox.atcp.round_trip", self.box.round_trip),
                ("middlebox.atcp.others", self.box.others),
            ]
            if self.box.fractions:
                found += [("middlebox.atcp.fractions", True)]
            if self.box.uplink_rate is not None:
                found += [("middlebox.atcp.uplink_rate", self.box.uplink_rate)]
        for port, (what, count) in self._classes.items():
            key = f"middlebox.atcp.classes.p{port}"
            found += [(f"{key}.port", port), (f"{key}.{what}", count)]
        return found

    @property
    def plan(self) -> Plan:
        """The plan of its test bed."""
        return Plan(
            link=Link(self.link, tuple(Point.of(self.link, dict(self.settings)).settings)),
            proxy=None if self.box is None else self._proxy(self.box),
            control=self.control,
            initial_window=self.initial_window,
            radio_mtu=self.mtu,
            window_bytes=self.window_bytes,
            capture=True,
        )

    def _proxy(self, box: Box) -> Proxy:
        mss = "" if box.mss is None else f"mss = {box.mss}\n"
        fractions = "fractions = true\n" if box.fractions else ""
        others = f'others = "{box.others}"\n'
        uplink = "" if box.uplink_rate is None else f'uplink_rate = "{box.uplink_rate}"\n'
        classes = "".join(
            f"[[profile.middlebox.atcp.classes]]\n"
            f'name = "p{port}"\nport = {port}\n{what} = {count}\n'
            for port, (what, count) in self._classes.items()
        )
        return Proxy(
            f'[[profile]]\nname = "gprs"\nmobiles = {list(MOBILES)}\n{mss}'
            f'rate = "{box.rate}"\n{uplink}round_trip = "{box.round_trip}"\n'
            f'[profile.middlebox.atcp]\nclamp = "{box.clamp_bytes} B"\n'
            f"{fractions}{others}{classes}"
        )

    @property
    def listeners(self) -> list[Listener]:
        """The listeners at the host."""
        return [
            Listener(
                PORT + number,
                does="absorb" if flow.direction is Direction.UP else "speak",
                bytes=flow.bytes,
                seed=number,
                control=self.control,
                initial_window=self.initial_window,
            )
            for number, flow in enumerate(self.flows)
        ]

    @property
    def fetches(self) -> list[Fetch]:
        """The flows that the mobile opens."""
        return [
            Fetch(
                HOST[0],
                PORT + number,
                at_s=flow.at_s,
                does="send" if flow.direction is Direction.UP else "get",
                bytes=flow.bytes,
                seed=number,
                local_port=LOCAL_PORT + number,
                limit_s=self.lasts_s + MORE_S,
            )
            for number, flow in enumerate(self.flows)
        ]


def flow_key(number: int) -> str:
    """Return the table of a flow in a scenario."""
    return "flow" if number == 0 else f"flow.group.f{number + 1}"


LINUX: Final = (
    ("tcp.profile", "modern"),
    ("tcp.recovery", "rack"),
    ("tcp.cubic.slow_start", "standard"),
)
"""Settings for the kernel's ends other than congestion control and delayed acknowledgements.

The kernel's HyStart leaves slow start into a CUBIC that grows faster than that, RFC 9406's into a
slower one. This and the delay of acknowledgements were chosen after the runs without a proxy had
been seen.
"""

QUICK_BYTES: Final = 32_768
"""Up to so much the kernel acknowledges each segment at once; where they are as far apart as here,
it delays every other acknowledgement by up to 200 ms afterwards (TCP_DELACK_MAX)."""

BESIDE_ECHOES: Final[dict[str | Path, Settings]] = {
    "gprs-live-40": (("link.rate", "39328 bit/s"), ("link.back.rate", "13328 bit/s")),
}
"""What 84 B a second leave of 40 and 14 kbit/s; of a UMTS channel's 64 kbit/s it is 1 %."""
