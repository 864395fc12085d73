"""The paper's runs: scenario, parameters and seeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from thinpipe.papers.yew2012.arithmetic import whole
from thinpipe.papers.yew2012.letter import Letter
from thinpipe.papers.yew2012.printed import BUFFER, BY_RTT, PACKET, RTTS, SIZES
from thinpipe.point import Point

if TYPE_CHECKING:
    from collections.abc import Iterable

    from thinpipe.point import Value

SCENARIO: Final = "hmipv6-handover"
SEEDS: Final = 10
"""Of each variant, unless told otherwise."""

SEEDS_APART: Final = 100
"""Between the first seeds of two RTTs."""

OFF: Final = "off"
ALWAYS: Final = "always"
SLOW_START: Final = "slow-start"

Settings = tuple[tuple[str, "Value"], ...]

AS_IS: Final[Settings] = ()

BASE: Final[Settings] = (("tcp.spacing_rtt", "base"),)
"""Spacing by the base RTT, in the place of the current one."""

RENEWED: Final[Settings] = (("tcp.vegas.base_rtt", "renewed-at-handover"),)
"""Vegas learns its base RTT anew at each handover."""

RENO: Final[Settings] = (("tcp.variant", "reno"),)

NS2_CAP: Final = 1000
"""The most bytes that a packet of ns-2's FTP takes, §VI (i): more go in two packets."""

SHORT_KB: Final = (10, 30, 100)
"""Short transfers; kB are 1000 B."""

SETTLED_S: Final = 40
"""From here on the mobile is known to be at AR1, and no handover is near for 20 s more."""

BUFFERS: Final = {rtt: whole(rtt) for rtt in RTTS}
"""Table VI: 0.835 of a bandwidth-delay product."""

WIRED: Final = "link"
"""A scenario without mobile or radio."""


NS2: Final[Settings] = (
    ("mobile_ip.reverse_tunnel", "false"),
    ("mobile_ip.duplicate_address_detection", "off"),
    ("wlan.rate", "1 Mbit/s"),
    ("wlan.basic_rate", "1 Mbit/s"),
    ("wlan.rts_threshold", "0 B"),
    ("wlan.access_point.HA.position", ["250 m", "0 m"]),
    ("wlan.mobile.MN.position", ["100 m", "0 m"]),
)
"""What ns-2 has by default: a mobile answers from its home address at once and checks no addresses,
and its 802.11 sends at 1 Mbit/s, after RTS and CTS. The cells of home and AR1 overlap from 300 to
450 m, which is our choice."""

BARE: Final[Settings] = (("wlan.rts_threshold", "off"),)
FAST: Final[Settings] = (("wlan.rate", "11 Mbit/s"),)
TUNNELLED: Final[Settings] = (("mobile_ip.reverse_tunnel", "true"),)
APART: Final[Settings] = (
    ("wlan.access_point.HA.position", ["0 m", "0 m"]),
    ("wlan.mobile.MN.position", ["0 m", "0 m"]),
)
"""Parts of it otherwise; the last is the shipped scenario's home."""

SINGLE: Final[Settings] = (("mobile_ip.kind", "mipv6"),)
"""One tunnel in the place of two."""

GAP: Final[Settings] = (("wlan.access_point.AR2.position", ["980 m", "0 m"]),)
"""The other reading of “80 meters apart”: AR1 is heard until 700 m, AR2 from 780 m on."""

LETTER: Final[Settings] = (("tcp.congestion_control", Letter),)
"""Vegas that grows as equation 2 has it."""

MAC: Final[Settings] = (("wlan.access", "csma-ca"),)
"""Stations of 802.11 back off at random, as those of ns-2 do."""

GOLDEN: Final = 0.6180339887498949
"""Multiples of this, without their whole part, spread evenly however many there are."""

STARTS_MS: Final = 10_000
"""Within this time transfers start: the mobile is at home until 5 s, leaves, and is at AR1 from
10.8 s on. The paper does not say when its transfer starts, so that this time is a choice, and with
it the share of runs in either band: nothing is concluded from that share."""

HOME_MS: Final = 7_000
"""Until then the mobile hears its home: at 100 m/s from 5 s on it is at the cell's 200 m."""


SWEEP_STEP_MS: Final = 500
SWEEP_MS: Final = 30_000
"""How far apart, and within what time, the transfers start that show what a start makes."""

LOWER_RTT: Final = 90
"""ms: the row of the lower band with the longest round trip, which other windows reach first."""

SWEEP_RTT: Final = 100
"""ms: the RTT of Table I."""


def start_ms(number: int, within_ms: int = STARTS_MS) -> int:
    """Return when the transfer of the run of that number starts.

    >>> [start_ms(number) for number in (1, 2, 3)]
    [6180, 2361, 8541]
    """
    return round(within_ms * (number * GOLDEN % 1))


@dataclass(frozen=True, slots=True)
class Starts:
    """When transfers start: within some time from a second on."""

    from_s: int = 0
    within_ms: int = STARTS_MS

    def at_ms(self, number: int) -> int:
        """Return when the transfer of the run of that number starts."""
        return 1000 * self.from_s + start_ms(number, self.within_ms)


ANY: Final = Starts()
HOME: Final = Starts(within_ms=5_000)
"""Before the mobile leaves."""

AWAY: Final = Starts(from_s=12)
"""At AR1, where the mobile has its addresses and rests."""


Points = tuple[Point, ...]


def at(ms: int, seed: int, settings: Iterable[tuple[str, Value]]) -> Point:
    """Return the run of a transfer that starts at a time."""
    return Point.of(SCENARIO, dict([*MAC, *settings, ("flow.start", f"{ms} ms"), ("seed", seed)]))


def begins_at_home(point: Point) -> bool:
    """Whether the transfer of a run starts while the mobile hears its home."""
    return int(str(dict(point.settings)["flow.start"]).split()[0]) < HOME_MS


def of_rtt(rtt_ms: int, spacing: str, buffer: int = BUFFER) -> Settings:
    """Return the settings of a row of Table IV, or of Table VI with its `buffer`."""
    return (
        ("ftp.packet_size", f"{PACKET} B"),
        ("wan.rtt", f"{rtt_ms} ms"),
        ("queue.packets", buffer),
        ("tcp.spacing", spacing),
        ("duration", "500 s"),
    )


@dataclass(frozen=True)
class Plan:
    """All runs, each variant over so many seeds: as many as lie between the RTTs' at most."""

    seeds: int = SEEDS

    def __post_init__(self) -> None:
        """Check the number of seeds."""
        if not 1 <= self.seeds <= SEEDS_APART:
            raise ValueError(f"from 1 to {SEEDS_APART} seeds, not {self.seeds}")

    def runs(
        self, settings: Iterable[tuple[str, Value]], first: int = 1, starts: Starts = ANY
    ) -> Points:
        """Return a run for each seed.

        Runs of one number start at one time, whatever is varied and from whatever seed on.
        """
        return tuple(
            at(starts.at_ms(1 + number), first + number, settings) for number in range(self.seeds)
        )

    def by_size(
        self,
        size: int,
        spacing: str,
        more: Settings = AS_IS,
        cap: int | None = NS2_CAP,
        starts: Starts = ANY,
    ) -> Points:
        """Return the runs behind a row of Table II or III; `cap` ``None`` sends packets whole."""
        return self.runs(
            (
                ("ftp.packet_size", f"{size} B"),
                ("ftp.cap", "off" if cap is None else f"{cap} B"),
                ("tcp.spacing", spacing),
                ("duration", "100 s"),
                *more,
            ),
            starts=starts,
        )

    def by_rtt(
        self,
        rtt_ms: int,
        spacing: str,
        more: Settings = AS_IS,
        buffer: int = BUFFER,
        starts: Starts = ANY,
    ) -> Points:
        """Return the runs behind a row of Table IV, or of Table VI with its `buffer`.

        Each RTT has seeds of its own, and all have the same starts.
        """
        return self.runs(
            (*of_rtt(rtt_ms, spacing, buffer), *more),
            first=1 + SEEDS_APART * RTTS.index(rtt_ms),
            starts=starts,
        )

    def sized_in_band(self, size: int, spacing: str) -> Points:
        """Return the runs for a row of Table II or III, all of which are in the lower band."""
        return self.by_size(size, spacing, NS2, starts=HOME)

    def in_band(self, rtt_ms: int, more: Settings = AS_IS) -> Points:
        """Return the runs for a row of Table IV, begun as its band asks for."""
        if BY_RTT[rtt_ms].is_upper:
            return self.by_rtt(rtt_ms, ALWAYS, more, starts=AWAY)
        changed = {**dict(NS2), **dict(more)}
        return self.by_rtt(rtt_ms, ALWAYS, tuple(changed.items()), starts=HOME)

    def short(self, kb: int, spacing: str) -> Points:
        """Return short transfers to the mobile in its domain."""
        settings = (("flow.bytes", f"{kb} kB"), ("tcp.spacing", spacing), ("duration", "70 s"))
        return self.runs(settings, starts=Starts(from_s=SETTLED_S))

    def wired(self, more: Settings) -> Points:
        """Return the path without mobile or radio: one link of its lowest rate and its delay."""
        settings: Settings = (
            ("link.rate", "1 Mbit/s"),
            ("link.delay", "54 ms"),
            ("queue.packets", BUFFER),
            ("tcp.mss", f"{PACKET} B"),
            ("tcp.window", 1000),
            ("flow.bytes", "unlimited"),
            ("duration", "100 s"),
            *more,
        )
        return tuple(
            Point.of(
                WIRED, dict([*settings, ("seed", seed), ("flow.start", f"{start_ms(seed)} ms")])
            )
            for seed in range(1, 1 + self.seeds)
        )

    @cached_property
    def tables_2_3(self) -> dict[tuple[int, str], Points]:
        """By packet size and spacing."""
        return {
            (size, spacing): self.by_size(size, spacing)
            for size in SIZES
            for spacing in (OFF, ALWAYS)
        }

    @cached_property
    def table_4(self) -> dict[tuple[int, str], Points]:
        """By RTT and spacing; the paper has no column without."""
        return {
            (rtt, spacing): self.by_rtt(rtt, spacing) for rtt in RTTS for spacing in (OFF, ALWAYS)
        }

    @cached_property
    def table_6(self) -> dict[tuple[int, str], Points]:
        """The same with the buffers that the paper recommends, and never ran."""
        return {
            (rtt, spacing): self.by_rtt(rtt, spacing, buffer=BUFFERS[rtt])
            for rtt in RTTS
            for spacing in (OFF, ALWAYS)
        }

    @cached_property
    def renewed_4(self) -> dict[int, Points]:
        """With spacing, and a base RTT that is learnt anew at a handover."""
        return {rtt: self.by_rtt(rtt, ALWAYS, RENEWED) for rtt in RTTS}

    @cached_property
    def by_start(self) -> dict[int, Point]:
        """By start in ms, whatever the number of seeds, with seeds that no RTT has."""
        first = 1 + SEEDS_APART * len(RTTS)
        starts = range(SWEEP_STEP_MS // 2, SWEEP_MS, SWEEP_STEP_MS)
        settings = of_rtt(SWEEP_RTT, ALWAYS)
        return {ms: at(ms, seed, settings) for seed, ms in enumerate(starts, first)}

    @property
    def courses(self) -> dict[int, Point]:
        """The run of each RTT that figures 7 and 8 show: starts in turn, whatever their band."""
        return {
            rtt: self.table_4[rtt, ALWAYS][place % self.seeds] for place, rtt in enumerate(RTTS)
        }
