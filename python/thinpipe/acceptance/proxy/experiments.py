"""The set-ups that are run between kernels, with the proxy and without, and simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from thinpipe.acceptance.proxy.beside import Quic
from thinpipe.acceptance.proxy.mixing import URGENT, VIDEO_PORT, Mix
from thinpipe.acceptance.proxy.setup import (
    HEADERS,
    Box,
    Direction,
    Flow,
    Pinged,
    Settings,
    Setup,
)
from thinpipe.testbed.media import Video

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


# --- QUIC beside TCP ------------------------------------------------------------------------------

OTHERS: Final = {
    "none": "no proxy",
    "around": "around the proxy",
    "scheduled": "scheduled by the proxy",
}
"""What becomes of packets that are not TCP: names in the report."""

CONTROLS: Final = {"reno": "Reno", "cubic": "CUBIC"}
"""QUIC's congestion controls; TCP's is the kernel's CUBIC."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A link that TCP and QUIC share.

    Attributes
    ----------
    box
        The proxy, but for what it makes of QUIC.
    lead_s
        By how much QUIC begins before TCP; its handshake is over by then.
    bytes, lasts_s
        TCP's, and about how long both take.
    ping_s
        Time between echo requests.
    takes_turns
        As of `Setup`.
    """

    box: Box
    lead_s: float
    bytes: int
    lasts_s: float
    ping_s: float
    takes_turns: bool = False


MIXED: Final = {
    "umts-384": Mixed(Box(15_600, "384 kbit/s", "250 ms"), 3, 600_000, 60, 0.3),
    "lte-cat1": Mixed(Box(97_500, "10 Mbit/s", "60 ms"), 3, 12_000_000, 40, 0.1, takes_turns=True),
}
"""Clamps as for uploads. Echo requests take at most 2 % of a link."""


def beside(link: str, control: str | None, others: str) -> Setup:
    """Return a download by TCP beside one by QUIC, or alone without a `control` for that."""
    mixed = MIXED[link]
    return Setup(
        link,
        (Flow(mixed.lead_s, mixed.bytes),),
        mixed.lasts_s,
        None if others == "none" else replace(mixed.box, others=others),
        pinged=Pinged.YES,
        ping_s=mixed.ping_s,
        takes_turns=mixed.takes_turns,
        quic=None if control is None else Quic(AMPLE * mixed.bytes, control),
    )


AMPLE: Final = 10
"""Times TCP's bytes: QUIC's, which do not end before TCP's do."""

BESIDE: Final = {
    f"beside-{link}-{control}-{others}": beside(link, control, others)
    for link in MIXED
    for control in CONTROLS
    for others in OTHERS
} | {f"beside-{link}-alone": beside(link, None, "around") for link in MIXED}

# --- A call, a VPN and DNS beside TCP -------------------------------------------------------------

TREATED: Final = {**OTHERS, "urgent": "scheduled, call and DNS first"}
"""What becomes of all of it."""

VIDEO: Final = Video(VIDEO_PORT, start_bps=150e3, least_bps=50e3, most_bps=1e6)
"""A small picture."""

MIXES: Final = {
    "umts-384": (
        Mixed(Box(15_600, "384 kbit/s", "250 ms"), 5, 400_000, 60, 0.3),
        Mix("amr-12.2", 20, 44, AMPLE * 400_000, VIDEO),
    ),
    "lte-cat1": (
        Mixed(Box(97_500, "10 Mbit/s", "60 ms"), 5, 12_000_000, 40, 0.1, takes_turns=True),
        Mix("amr-12.2", 20, 44, AMPLE * 12_000_000, replace(VIDEO, start_bps=5e5, most_bps=2.5e6)),
    ),
    "gprs-live-40": (
        Mixed(LIVE_BOX, 5, 25_000, 60, 1),
        Mix("g723.1", 60, 60, 20 * AMPLE * 25_000, None),
    ),
}
"""By links, with clamps as for uploads. Over GPRS a call has no picture, and two frames of voice a
packet: with one, more than half would be headers."""


def mixed(link: str, treated: str | None) -> Setup:
    """Return a download by TCP beside a mix, or alone if nothing is `treated`."""
    what, mix = MIXES[link]
    others = "scheduled" if treated in (None, "urgent") else treated
    urgent = URGENT if treated == "urgent" else ()
    return Setup(
        link,
        (Flow(what.lead_s, what.bytes),),
        what.lasts_s,
        None if treated == "none" else replace(what.box, others=others, urgent=urgent),
        pinged=Pinged.YES,
        ping_s=what.ping_s,
        takes_turns=what.takes_turns,
        mix=None if treated is None else mix,
    )


MIX: Final = {
    f"mix-{link}-{treated or 'alone'}": mixed(link, treated)
    for link in MIXES
    for treated in (*TREATED, None)
}

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

SETUPS: Final = {**LOAD, **UPLOADS, **BESIDE, **MIX, **FIGURES}
