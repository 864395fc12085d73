"""The link, §II: figure 1 and L1 to L11."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import (
    each,
    line_rate,
    mean,
    mobile_end,
    one_way,
    rate,
    rtts,
)
from thinpipe.papers.chakravorty2003.plain import LONG, long
from thinpipe.papers.chakravorty2003.setup import (
    FOUR_SLOTS,
    KB,
    RADIO,
    Settings,
    download,
    point,
    seeds,
    size,
)
from thinpipe.papers.chakravorty2003.stall import stalled
from thinpipe.papers.facts import WORDS
from thinpipe.papers.paper import Table
from thinpipe.plot.series import ACK, SYN, acks_received, sending_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

    Floats = NDArray[np.float64]

# --- L1: rates ------------------------------------------------------------------------------------

UPLINK: Final[Settings] = (
    ("flow.direction", "uplink"),
    *size(150),
    ("duration", "200 s"),
)


def four_slots() -> tuple[Point, ...]:
    """Return downloads with four slots."""
    return seeds(FOUR_SLOTS, LONG)


def uploads(scenario: str) -> tuple[Point, ...]:
    """Return transfers from the mobile."""
    return seeds(scenario, UPLINK)


def kb_per_s(run: Outcome) -> float:
    """Return the rate of IP packets of a bulk transfer in KB/s: the paper's are 1000 B."""
    return line_rate(run) / 1000


# --- L2, L3: single packets, figure 1 -------------------------------------------------------------

PACKETS: Final = 1000
PAUSE_S: Final = (4, 8)
"""Minimum and maximum pause between lone packets."""

PROBES: Final[Settings] = (
    ("flow.application", "probe"),
    ("flow.probe.count", PACKETS),
    ("flow.probe.bytes", "56 B"),
    ("flow.probe.least", f"{PAUSE_S[0]} s"),
    ("flow.probe.most", f"{PAUSE_S[1]} s"),
    ("duration", f"{PAUSE_S[1] * PACKETS + 60} s"),
)


def lone(direction: str) -> tuple[Point, ...]:
    """Return runs with 1000 lone packets of one direction."""
    return seeds(RADIO, PROBES, (("flow.direction", direction),))


DOWN: Final = lone("downlink")
UP: Final = lone("uplink")

GAP_S: Final = 9
"""From one burst to the next."""

BURSTS: Final = 200
FOLLOWERS: Final = 2
FOLLOWS_S: Final = 0.45
"""Between the packets of a burst: the mobile still listens after the one before."""


def bursts(more: Settings = ()) -> tuple[Point, ...]:
    """Return bursts of three lone packets, the SYNs of as many connections, one every 9 s."""
    followers = [
        (f"flow.group.follower{number}.{key}", value)
        for number in range(1, FOLLOWERS + 1)
        for key, value in (
            ("start", f"{number * FOLLOWS_S:g} s"),
            ("count", BURSTS),
            ("interval", f"{GAP_S} s"),
            ("bytes", "1 B"),
        )
    ]
    return seeds(
        RADIO,
        (
            ("flow.count", BURSTS),
            ("flow.interval", f"{GAP_S} s"),
            ("flow.bytes", "1 B"),
            ("flow.opened_by", "sender"),
            ("duration", f"{GAP_S * (BURSTS + 1)} s"),
            *followers,
        ),
        more,
    )


BURSTY: Final = bursts()

LISTENING: Final[Settings] = (("radio.gprs.paging", "off"),)
"""A mobile that always listens."""

IMMEDIATE: Final = bursts(LISTENING)
"""As during a transfer: none waits for a paging block, nor for the packet before."""

EXTENDED: Final = bursts((*LISTENING, ("radio.gprs.tbf.delayed_release", "1 s")))
"""As before, with the release of temporary block flows delayed, R99."""


def delays(run: Outcome) -> Floats:
    """Return the one-way delays of lone packets, in s."""
    table = one_way(run)
    found: Floats = table.filter(table["payload_bytes"] > 0)["delay_s"].to_numpy()
    return found


def opening_delays(run: Outcome) -> Floats:
    """Return the one-way delays of the first SYNs in order of flow, in s."""
    table = one_way(run)
    opens = (table["flags"] & (SYN | ACK)) == SYN
    firsts = table.filter(opens).unique("flow", keep="first", maintain_order=True)
    found: Floats = firsts.sort("flow")["delay_s"].to_numpy()
    return found


def round_trips(run: Outcome) -> Floats:
    """Return the times from each SYN to its answer, in s."""
    flows = run.result.flows
    return np.array([(f.established_s or np.inf) - (f.started_s or 0.0) for f in flows])


def first_and_rest(run: Outcome) -> tuple[Floats, Floats]:
    """Return the delays of the first packet of each burst, and of those that follow it, in s."""
    found = opening_delays(run)
    return found[:BURSTS], found[BURSTS:]


def first_last(run: Outcome) -> float:
    """Return in how many bursts the first packet is the slowest, in per cent."""
    first, rest = first_and_rest(run)
    return 100 * float(np.mean(first > rest.reshape(FOLLOWERS, BURSTS).max(axis=0)))


def more_jitter(run: Outcome) -> float:
    """Return the standard deviation of the first of a burst beside the others', in % more.

    Of those that follow it is the mean over their places in the burst.
    """
    first, rest = first_and_rest(run)
    return 100 * float(first.std() / rest.reshape(FOLLOWERS, BURSTS).std(axis=1).mean() - 1)


def saved(outcomes: Outcomes, times: Callable[[Outcome], Floats]) -> list[float]:
    """Return by how much a delayed release shortens mean times of bursts, in s."""
    return [
        float(times(outcomes[before]).mean() - times(outcomes[after]).mean())
        for before, after in zip(IMMEDIATE, EXTENDED, strict=True)
    ]


AWAKE: Final = "a mobile that always listens"

TAILS: Final[dict[str, Settings]] = {
    "as shipped": (),
    AWAKE: LISTENING,
    "· core network: jitter 0.4": (*LISTENING, ("radio.gprs.core.jitter", 0.4)),
    "· another cell each minute, 2 s": (
        *LISTENING,
        (
            "radio.reselections",
            [{"at": f"{60 * each} s", "lasts": "2 s"} for each in range(1, 100)],
        ),
    ),
    "· outages, 120 s apart": (*LISTENING, ("radio.outage.every", "120 s")),
    "· 15 % of blocks in error": (*LISTENING, ("radio.tbler", "15 %")),
    "· 30 % of blocks in error": (*LISTENING, ("radio.tbler", "30 %")),
}
"""Possible causes of a long tail: others than paging are tried without it."""


def tail(name: str, direction: str) -> Point:
    """Return 1000 lone packets of one direction over such a radio."""
    return point(RADIO, PROBES, (("flow.direction", direction),), TAILS[name])


SHARES: Final = (0, 1, 50, 99, 100)
"""The percentiles in the table."""


def tails(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate delays by possible causes of their tail."""
    rows = []
    for name in TAILS:
        found = [delays(outcomes[tail(name, way)]) for way in ("downlink", "uplink")]
        cells = [" ".join(f"{np.percentile(each, share):.2f}" for share in SHARES)
                 for each in found]  # fmt: skip
        rows.append((name, *cells))
    caption = "Delays of 1000 single packets in s: min, 1 %, median, 99 %, max"
    paper = ("the paper's figure 1", "0.6 … 3.0", "0.4 … 1.3")
    return (Table(caption, ("", "downlink", "uplink"), (paper, *rows)),)


# --- L4: the buffer -------------------------------------------------------------------------------

DATAGRAM: Final = 1000
"""Bytes, headers of UDP and IP included."""

BURST: Final[Settings] = (
    ("flow.application", "udp"),
    ("flow.udp.payload", f"{DATAGRAM - 28} B"),
    ("flow.udp.rate", "10 Mbit/s"),
    ("flow.bytes", "250 kB"),
    ("duration", "60 s"),
)
"""250 KB of UDP in one burst."""


def burst(scenario: str) -> Point:
    """Return a burst that is longer than any buffer."""
    return point(scenario, BURST)


def buffered_kb(run: Outcome) -> float:
    """Return what a queue held when it dropped the first packet of the burst, in KB of 1000 B."""
    hops = run.tables["hops"]
    drop = hops.filter(hops["event"] == "dropped").row(0, named=True)
    here = hops.filter(hops["machine"] == drop["machine"])
    events = here["event"][: int(np.flatnonzero((here["uid"] == drop["uid"]).to_numpy())[0])]
    entered, left = (int(np.sum(events.to_numpy() == way)) for way in ("entered", "left"))
    return (entered - left) * DATAGRAM / 1000


# --- L5, L6, L10, L11: losses ---------------------------------------------------------------------

SHORT_S: Final = 5
LONG_S: Final = 40
OUTAGE_AT_S: Final = 60


def outage(lasts_s: int) -> tuple[Point, ...]:
    """Return downloads with one outage."""
    more = stalled(RADIO, OUTAGE_AT_S, lasts_s)
    return seeds(RADIO, download(600), (("duration", "300 s"),), more)


RESET_AT_S: Final = 60
RESTART_S: Final = 30
"""From the reset until the session is begun anew."""


def reset() -> Point:
    """Return a download during which the mobile stops listening."""
    more = (
        ("radio.resets", [f"{RESET_AT_S} s"]),
        ("radio.gprs.restart", f"{RESTART_S} s"),
        ("duration", "300 s"),
    )
    return point(RADIO, download(600), more)


def lost(run: Outcome) -> float:
    """Count the packets dropped or discarded anywhere."""
    return float(sum(link.drops for link in run.result.links))


def lost_share(run: Outcome) -> float:
    """Return packets lost over segments sent, in per cent."""
    return 100 * lost(run) / run.flow.segments_sent


def lost_numbers(run: Outcome) -> NDArray[np.int64]:
    """Return the places, in the order of sending, of the data segments that did not arrive."""
    table = run.tables["segments"]
    data = table.filter(table["payload_bytes"] > 0)
    sent = data.filter(data["event"] == "sent")["uid"]
    got = data.filter(data["event"] == "received")["uid"]
    during = data.filter(data["event"] == "sent")["time_s"] < OUTAGE_AT_S + LONG_S
    return np.flatnonzero((~sent.is_in(got.implode()) & during).to_numpy())


SEVERAL: Final = WORDS["several"].low
"""Segments lost in a row: a burst."""


def longest_burst(run: Outcome) -> int:
    """Return the most segments lost in an outage that stood in one row."""
    numbers = lost_numbers(run)
    return max(map(len, np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)))


def some_lost(outcomes: Outcomes) -> list[float]:
    """Return in how many of the short outages a packet is lost, in per cent."""
    return [100 * mean(outcomes, outage(SHORT_S), lambda run: lost(run) > 0)]


def burst_lost(outcomes: Outcomes) -> list[float]:
    """Return in how many of the long outages several segments in a row are lost, in per cent."""
    return [100 * mean(outcomes, outage(LONG_S), lambda run: longest_burst(run) >= SEVERAL)]


def after_reset(run: Outcome) -> float:
    """Return the bytes that the mobile acknowledged from 1 s after the reset to the restart."""
    return rate(run, RESET_AT_S + 1, RESET_AT_S + RESTART_S) * (RESTART_S - 1)


def overtaken(run: Outcome) -> float:
    """Count data segments that reached the mobile after one that was sent later."""
    rows = mobile_end(run.tables["segments"])
    data = rows.filter((rows["event"] == "received") & (rows["payload_bytes"] > 0))
    sender = sending_end(run.tables["segments"], flow=0)
    order = {uid: place for place, uid in enumerate(sender["uid"])}
    places = np.array([order[uid] for uid in data["uid"]])
    return float(np.sum(np.diff(places) < 0))


# --- L7 to L9 -------------------------------------------------------------------------------------

TWO: Final[Settings] = (("radio.ues", 2), ("flow.count", 2), *download(200))


def contention(outcomes: Outcomes) -> list[float]:
    """Return the rate of one of two mobiles beside that of one alone, in % of difference."""
    alone = fmean(kb_per_s(outcomes[each]) for each in one())
    return [100 * (kb_per_s(outcomes[each]) / alone - 1) for each in two()]


def one() -> tuple[Point, ...]:
    """Return the same download of a mobile alone."""
    return seeds(RADIO, download(200))


def two() -> tuple[Point, ...]:
    """Return downloads of two mobiles at once."""
    return seeds(RADIO, TWO)


TOGETHER_S: Final = 0.05
"""An acknowledgement and its headers take up to three radio blocks of 20 ms on one slot."""


def group_sizes(run: Outcome) -> list[int]:
    """Return for each acknowledgement how many arrive in its group.

    Each of a group comes within `TOGETHER_S` of the one before.
    """
    heard = acks_received(sending_end(run.tables["segments"], flow=0))
    groups = np.split(heard.time_s, np.flatnonzero(np.diff(heard.time_s) > TOGETHER_S) + 1)
    return [len(each) for each in groups for _ in each]


def alone(times_s: Floats) -> NDArray[np.bool_]:
    """Return which of these times have no other within `TOGETHER_S`."""
    apart = np.concatenate([[True], np.diff(times_s) > TOGETHER_S, [True]])
    both: NDArray[np.bool_] = apart[:-1] & apart[1:]
    return both


def bunched(run: Outcome) -> float:
    """Return the share of acknowledgements that leave alone and arrive in a group, in per cent."""
    mobile = mobile_end(run.tables["segments"])
    left = mobile.filter((mobile["event"] == "sent") & (mobile["payload_bytes"] == 0))
    sender = sending_end(run.tables["segments"], flow=0)
    came = sender.filter((sender["event"] == "received") & (sender["payload_bytes"] == 0))
    smooth = left.filter(alone(left["time_s"].to_numpy()))["uid"]
    grouped = came.filter(~alone(came["time_s"].to_numpy()))["uid"]
    return 100 * float(grouped.is_in(smooth.implode()).sum()) / len(came)


def group(run: Outcome) -> float:
    """Return the size of the group in which the median acknowledgement arrives."""
    return float(np.median(group_sizes(run)))


SCHEMES: Final = ("cs-1", "cs-2")


def scheme(name: str, more: Settings = ()) -> tuple[Point, ...]:
    """Return downloads with one coding scheme."""
    return seeds(RADIO, download(300), (("radio.gprs.coding_scheme", name),), more)


LONE: Final[Settings] = (("tcp.window", 1),)
"""One packet at a time: the round-trip time without a queue."""


def product(outcomes: Outcomes) -> list[float]:
    """Return the rate times the round trip of a lone packet, in KB, one value per coding scheme."""
    return [
        mean(outcomes, scheme(name), line_rate)
        * mean(outcomes, scheme(name, LONE), lambda run: float(rtts(run).mean()))
        / KB
        for name in SCHEMES
    ]


def product_ratio(outcomes: Outcomes) -> list[float]:
    """Return that product with CS-1 over that with CS-2."""
    robust, fast = product(outcomes)
    return [robust / fast]


MEASURES: Final[dict[str, Measure]] = {
    "l1-down-3": each(long(RADIO), kb_per_s),
    "l1-down-4": each(four_slots(), kb_per_s),
    "l1-up": each(uploads(RADIO), kb_per_s),
    "l2-down-min": each(DOWN, lambda run: float(delays(run).min())),
    "l2-down-max": each(DOWN, lambda run: float(delays(run).max())),
    "l2-up-min": each(UP, lambda run: float(delays(run).min())),
    "l2-up-max": each(UP, lambda run: float(delays(run).max())),
    "l2-rtt": each(DOWN, lambda run: float(rtts(run).min())),
    "l3-small": lambda outcomes: saved(outcomes, lambda run: first_and_rest(run)[1]),
    "l3-later": each(BURSTY, first_last),
    "l3-jitter": each(BURSTY, more_jitter),
    "l3-extended": lambda outcomes: saved(outcomes, round_trips),
    "l4": each([burst(RADIO)], buffered_kb),
    "l5": each(long(RADIO), lost_share),
    "l6-short": some_lost,
    "l6-long": burst_lost,
    "l7": contention,
    "l8": each(long(RADIO), group),
    "l8-bunched": each(long(RADIO), bunched),
    "l9": product_ratio,
    "l9-bdp": lambda outcomes: product(outcomes)[1:],
    "l10": each([reset()], after_reset),
    "l11": each(long(RADIO), overtaken),
}

PLAIN_POINTS: Final = (
    *four_slots(),
    *uploads(RADIO),
    *one(),
    *two(),
    *(each for name in SCHEMES for more in ((), LONE) for each in scheme(name, more)),
)
DELAY_POINTS: Final = (
    *DOWN,
    *UP,
    *(tail(name, way) for name in TAILS for way in ("downlink", "uplink")),
    *BURSTY,
    *IMMEDIATE,
    *EXTENDED,
)
LINK_TRACED: Final = (
    burst(RADIO),
    *outage(SHORT_S),
    *outage(LONG_S),
    reset(),
    *long(RADIO),
)
