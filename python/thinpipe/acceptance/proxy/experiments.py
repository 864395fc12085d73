"""The set-ups that are run between kernels, with the proxy and without, and simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Final

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


class Pinged(Enum):
    """Whether the mobile sends an echo request each second."""

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
    """

    clamp_bytes: int
    rate: str
    round_trip: str
    uplink_rate: str | None = None
    mss: int | None = None
    fractions: bool = False


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
        named += [("middlebox.atcp.classes", f"p{port}") for port in self._classes]
        source = scenario.source + "".join(f'\n[[{kind}]]\nname = "{n}"\n' for kind, n in named)
        return Point.of(Scenario(scenario.name, source), dict(self._simulated()))

    @property
    def _classes(self) -> dict[int, int]:
        return {} if self.box is None else self.ports

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
        if self.box is not None:
            found += [
                ("middlebox.kind", "atcp"),
                ("middlebox.atcp.clamp", f"{self.box.clamp_bytes} B"),
                ("middlebox.atcp.rate", self.box.rate),
                ("middlebox.atcp.round_trip", self.box.round_trip),
            ]
            if self.box.fractions:
                found += [("middlebox.atcp.fractions", True)]
            if self.box.uplink_rate is not None:
                found += [("middlebox.atcp.uplink_rate", self.box.uplink_rate)]
        for port, tickets in self._classes.items():
            key = f"middlebox.atcp.classes.p{port}"
            found += [(f"{key}.port", port), (f"{key}.tickets", tickets)]
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
        uplink = "" if box.uplink_rate is None else f'uplink_rate = "{box.uplink_rate}"\n'
        classes = "".join(
            f"[[profile.middlebox.atcp.classes]]\n"
            f'name = "p{port}"\nport = {port}\ntickets = {tickets}\n'
            for port, tickets in self._classes.items()
        )
        return Proxy(
            f'[[profile]]\nname = "gprs"\nmobiles = {list(MOBILES)}\n{mss}'
            f'rate = "{box.rate}"\n{uplink}round_trip = "{box.round_trip}"\n'
            f'[profile.middlebox.atcp]\nclamp = "{box.clamp_bytes} B"\n{fractions}{classes}'
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

# --- Flows under load: the figures to beat --------------------------------------------------------

LIVE_BOX: Final = Box(clamp_bytes=5_500, rate="40 kbit/s", round_trip="900 ms", fractions=True)
"""What the link carries in the round trip of a full segment, 0.93 s, and in most of the 0.2 s by
which acknowledgements come late; the fourth segment leaves as soon as the link has room for it."""

ALONE: Final = (Flow(0, 600_000),)
THREE: Final = (Flow(0, 300_000), Flow(8, 100_000), Flow(16, 10_000))
WEIGHTED: Final = (Flow(0, 300_000), Flow(8, 100_000, tickets=3), Flow(16, 10_000, tickets=3))


@dataclass(frozen=True, slots=True)
class Sender:
    """A sender: its name in the report, congestion control, and queue or proxy."""

    name: str
    control: str = "cubic"
    box: Box | None = None
    settings: Settings = ()


SENDERS: Final = {
    "cubic": Sender("no proxy, cubic"),
    "bbr": Sender("no proxy, BBR", control="bbr"),
    "fair": Sender("no proxy, cubic, fair queue", settings=(("queue.kind", "fair"),)),
    "proxy": Sender("thinpipe proxy, cubic", box=LIVE_BOX),
}
"""The fair queue is in the radio itself, out of a proxy's control: a benchmark."""


def live(flows: tuple[Flow, ...], sender: str, lasts_s: float, pinged: Pinged) -> Setup:
    """Return a run over the link of the reference measurements."""
    who = SENDERS[sender]
    return Setup(
        "gprs-live-40",
        flows,
        lasts_s,
        who.box,
        who.settings,
        control=who.control,
        pinged=pinged,
    )


ONCE: Final = {
    **{f"alone-{each}": live(ALONE, each, 130, Pinged.NO) for each in SENDERS},
    **{f"pinged-{each}": live(ALONE, each, 130, Pinged.YES) for each in SENDERS},
    **{f"three-{each}": live(THREE, each, 90, Pinged.NO) for each in SENDERS},
    "three-weighted": live(WEIGHTED, "proxy", 90, Pinged.NO),
}

REPEATED: Final = {
    name: (name, *(f"{name}-{seed}" for seed in (2, 3)))
    for name in ("three-proxy", "three-weighted")
}
"""Names of equal runs, by that of the first. One segment more ahead of the 10 kB is a twentieth of
their time, and a matter of chance."""

LOAD: Final = ONCE | {
    name: replace(ONCE[first], seed=seed)
    for first, names in REPEATED.items()
    for seed, name in enumerate(names, 1)
}

# --- Uploads --------------------------------------------------------------------------------------

UPLOAD_BOXES: Final = {
    "umts-384": Box(15_600, "384 kbit/s", "250 ms", uplink_rate="64 kbit/s"),
    "gprs-live-40": replace(LIVE_BOX, uplink_rate="14 kbit/s"),
}
"""Both clamps of a channel of UMTS are 1.3 times what fits in it, as the daemon would have them."""

UPLOADED: Final = {
    "umts-384": (Flow(0, 200_000, direction=Direction.UP), 27),
    "gprs-live-40": (Flow(0, 80_000, direction=Direction.UP), 52),
}
"""One upload for each link, and the seconds that it takes."""

MEANWHILE: Final = Flow(5, 100_000)
"""A download beside the upload."""


def upload(link: str, boxed: str) -> Setup:
    """Return an upload beside pings, through the proxy or without it."""
    flow, lasts_s = UPLOADED[link]
    box = UPLOAD_BOXES[link] if boxed == "proxy" else None
    return Setup(link, (flow,), lasts_s, box, pinged=Pinged.YES)


def both_ways(boxed: str) -> Setup:
    """Return an upload over a UMTS channel and the download beside it."""
    alone = upload("umts-384", boxed)
    return replace(alone, flows=(*alone.flows, MEANWHILE), lasts_s=45, pinged=Pinged.NO)


# --- The figures of Chakravorty et al. 2003 -------------------------------------------------------

KB: Final = 1024
"""Bytes of a KB: so read, 600 KB take the paper's 155 s at its 4.15 KB/s."""

OUTAGE: Final = (90, 100)
"""When nothing gets through, in s of the emulator's clock, which runs when the flow begins."""

WINDOWS: Final = {7: 190, 8: 155, 10: 155, 16: 155, 32: 155}
"""KB, and the seconds that 600 KB take with them."""

SIZES: Final = (5, 10, 15, 20, 25, 30)
"""KB."""

APART_S: Final = 20
"""Interval between short transfers."""


def paper_box(kb: int) -> Box:
    """Return the proxy with a window of so many KB."""
    return Box(clamp_bytes=kb * KB, rate="33200 bit/s", round_trip="1850 ms")


FIFO: Final[tuple[str, Settings]] = ("gprs-fifo", (("wired.LAN.delay", "0 s"),))
"""The paper's link as a plain queue."""

STALL: Final[tuple[str, Settings]] = (
    "gprs-3+1",
    (("wired.LAN.delay", "0 s"), ("radio.outages", [[f"{time} s" for time in OUTAGE]])),
)
"""The paper's radio, block by block; it sends packets of the outage afterwards."""


def gprs(
    flows: tuple[Flow, ...],
    lasts_s: float,
    kb: int | None,
    link: tuple[str, Settings] = FIFO,
    initial_window: int = 10,
) -> Setup:
    """Return a run over the paper's link, with a window of the proxy or none."""
    scenario, settings = link
    return Setup(
        scenario,
        flows,
        lasts_s,
        None if kb is None else paper_box(kb),
        settings,
        initial_window=initial_window,
        mtu=1348 + HEADERS,
        window_bytes=65_535,
    )


BOXES: Final = {"plain": None, "proxy": 10}
"""Without the proxy, and with it: for the paper's link with a window of 10 KB."""

UPLOADS: Final = {
    **{f"up-{link}-{name}": upload(link, name) for link in UPLOADED for name in BOXES},
    **{f"both-ways-{name}": both_ways(name) for name in BOXES},
}

SHORT: Final = tuple(Flow(APART_S * number, kb * KB) for number, kb in enumerate(SIZES))
PAIR: Final = (Flow(0, 235 * KB), Flow(20, 100 * KB))
LONG: Final = (Flow(0, 600 * KB),)

FIGURES: Final = {
    **{f"short-{name}": gprs(SHORT, 120, kb, initial_window=2) for name, kb in BOXES.items()},
    **{f"pair-{name}": gprs(PAIR, 100, kb) for name, kb in BOXES.items()},
    **{f"window-{kb}": gprs(LONG, lasts_s, kb) for kb, lasts_s in WINDOWS.items()},
    "window-none": gprs(LONG, 155, None),
    **{f"stall-{name}": gprs(LONG, 175, kb, STALL) for name, kb in BOXES.items()},
}

SETUPS: Final = {**LOAD, **UPLOADS, **FIGURES}
