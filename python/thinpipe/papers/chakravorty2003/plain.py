"""TCP over GPRS without a proxy, §III: figures 2 to 4, and what T1 to T6 are measured on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import (
    MOMENT_S,
    delivered,
    each,
    full_at,
    late_rtt,
    line_rate,
    mean,
    opening_end,
    overlap_s,
    rate,
    received_s,
    rtts,
    sent_until,
    syn_again,
)
from thinpipe.papers.chakravorty2003.setup import (
    BDP,
    FIFO,
    KB,
    MSS,
    PACKET,
    RADIO,
    RATE,
    Settings,
    clamp,
    download,
    point,
    second,
    seeds,
)
from thinpipe.plot.series import SYN, acks_received, outstanding, segments_sent, sending_end

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

# --- T1, T2: figure 2 -----------------------------------------------------------------------------

OPENING: Final[Settings] = (*download(64), ("duration", "60 s"))
"""Long enough for the window to pass the bandwidth-delay product."""


def openings(scenario: str) -> tuple[Point, ...]:
    """Return the runs of a connection's first seconds."""
    return seeds(scenario, OPENING)


def boxed() -> tuple[Point, ...]:
    """Return the same with the proxy."""
    return seeds(RADIO, OPENING, clamp(10))


def worse_opening() -> Point:
    """Return the connection of figure 2 under slightly worse radio conditions."""
    return point(RADIO, OPENING, (("radio.gprs.coding_scheme", "cs-1"),))


# --- T3: figure 3 ---------------------------------------------------------------------------------

LONG: Final[Settings] = (*download(600), ("duration", "600 s"))


def long(scenario: str) -> tuple[Point, ...]:
    """Return plain downloads of 600 KB."""
    return seeds(scenario, LONG)


OUTSTANDING: Final = 40 * KB
"""Bytes outstanding at the loss, §III."""

DEGRADED: Final = 1300
IMPROVED: Final = 2000
"""B/s of the radio in figure 3 before and after it improves: 40 KB in 30 s are 1.4 KB/s."""

IMPROVES_S: Final = 60
"""When it does: while the loss is being recovered from, §III."""

LOST: Final = 40
"""The packet that is lost: 40 KB are outstanding when that is noticed."""

LOST_WIDE: Final = 60
"""The same for 64 KB."""


SEGMENTS_40_KB: Final = -(-OUTSTANDING // MSS)
NARROW: Final[Settings] = (("tcp.window", SEGMENTS_40_KB),)
"""A window of 40 KB."""


def one_lost(window: int = SEGMENTS_40_KB) -> Point:
    """Return a download of which a packet is lost, with 40 KB outstanding, at the paper's rate."""
    lost = (("link.drop_arrivals", [LOST_WIDE if window > SEGMENTS_40_KB else LOST]),)
    return point(FIFO, download(300), (("tcp.window", window),), lost)


LOST_TOGETHER: Final = (LOST, LOST + 2)
"""Two packets of one window."""


def some_lost(*packets: int) -> Point:
    """Return a download with 40 KB outstanding of which these packets are lost."""
    lost = (("link.drop_arrivals", list(packets)),)
    return point(FIFO, download(200), NARROW, lost if packets else ())


def longer_by_losses(outcomes: Outcomes) -> list[float]:
    """Return the time of a download with two losses beside that without, in % of difference."""
    lossy, whole = (received_s(outcomes[some_lost(*packets)]) for packets in (LOST_TOGETHER, ()))
    return [100 * (lossy / whole - 1)]


def narrow() -> tuple[Point, ...]:
    """Return plain downloads with 40 KB outstanding."""
    return seeds(RADIO, LONG, NARROW)


def degraded() -> Point:
    """Return the download of figure 3: a slow radio, a packet lost, a better radio."""
    slow, better = (f"{8 * each} bit/s" for each in (DEGRADED, IMPROVED))
    return point(
        FIFO,
        download(200),
        NARROW,
        (
            ("link.rate", slow),
            ("link.schedule", [{"at": f"{IMPROVES_S} s", "rate": better}]),
            ("link.drop_arrivals", [LOST]),
        ),
    )


SEGMENTS: Final = {48: "64 KB", 8: "10 KB"}
"""Receiver's windows in segments."""

LOST_TWICE: Final = LOST_WIDE
"""The number of the packet that is lost; its retransmission comes a window later."""


def lost_twice(window: int) -> Point:
    """Return a download in which a packet and its retransmission are lost."""
    lost = (("link.drop_arrivals", [LOST_TWICE, LOST_TWICE + window]),)
    return point(FIFO, download(300), lost, (("tcp.window", window),))


def timer_s(run: Outcome) -> float:
    """Return the time from the first retransmission of that packet to the second, in s."""
    sent = segments_sent(sending_end(run.tables["segments"], flow=0))
    data = sent.only(sent.carries_data)
    times_s = data.time_s[data.first == data.first[LOST_TWICE - 1]]
    return float(times_s[2] - times_s[1])


def inflated(outcomes: Outcomes) -> list[float]:
    """Return that time with 64 KB beside that with 10 KB, in % of difference."""
    wide, slim = (timer_s(outcomes[lost_twice(window)]) for window in SEGMENTS)
    return [100 * (wide / slim - 1)]


def excess(run: Outcome) -> float:
    """Return what is under way in a long download beyond 10 KB, over 10 KB."""
    return late_rtt(run) * line_rate(run) / BDP - 1


def recovery_s(run: Outcome) -> float:
    """Return the time from the first selective acknowledgement until all sent by then is there."""
    rows = sending_end(run.tables["segments"], flow=0)
    heard, sent = acks_received(rows), segments_sent(rows)
    noticed_s = float(heard.time_s[heard.sack_to > heard.sack_from][0])
    highest = sent.last[sent.time_s <= noticed_s].max()
    return float(heard.time_s[heard.ack >= highest][0]) - noticed_s


# --- T4: figure 4 ---------------------------------------------------------------------------------

FIRST_KB: Final = 400
SECOND_KB: Final = 100


def pair(scenario: str, after_s: int, more: Settings = ()) -> tuple[Point, ...]:
    """Return two plain downloads, the second begun so many seconds after the first."""
    return seeds(scenario, download(FIRST_KB), second(after_s, SECOND_KB), more)


def pair_at_10() -> Point:
    """Return such a pair, 10 s apart, and from then on the slow radio of figure 3."""
    slower = (("link.schedule", [{"at": "10 s", "rate": f"{8 * DEGRADED} bit/s"}]),)
    return pair(FIFO, 10, slower)[0]


def second_rtt(run: Outcome) -> float:
    """Return the median round-trip time of the second flow while the first was there, in s."""
    table = run.tables["rtt"]
    _, end_s = overlap_s(run)
    mine = table.filter((table["flow"] == SECOND) & (table["time_s"] <= end_s))
    return float(np.median(mine["rtt_s"].to_numpy()))


def of_equal_share(run: Outcome) -> float:
    """Return the second flow's payload while both were there over half of all, in per cent."""
    start_s, end_s = overlap_s(run)
    mine, other = (rate(run, start_s, end_s, flow) for flow in (1, 0))
    return 100 * 2 * mine / (mine + other)


SECOND: Final = 1
"""The number of the second flow."""


def handshake_timeouts(run: Outcome) -> float:
    """Count the SYNs of the second flow that either end retransmitted without having heard one."""
    rows = run.tables["segments"]
    rows = rows.filter((rows["flow"] == SECOND) & ((rows["flags"] & SYN) > 0))
    sent, heard = (rows.filter(rows["event"] == event) for event in ("sent", "received"))
    answers = [
        any(
            abs(time_s - other_s) < MOMENT_S and end == other
            for other_s, other in zip(heard["time_s"], heard["endpoint"], strict=True)
        )
        for time_s, end in zip(sent["time_s"], sent["endpoint"], strict=True)
    ]
    return float(len(sent) - sum(answers) - 1)


def timed_out(outcomes: Outcomes) -> list[float]:
    """Return for how many of the runs the second flow's SYN timed out, in per cent."""
    found = [syn_again(outcomes[point], 1) >= 1 for point in pair(RADIO, 10)]
    return [100 * sum(found) / len(found)]


# --- T5, T6 ---------------------------------------------------------------------------------------

PAGES: Final[Settings] = (
    ("flow.application", "web"),
    ("flow.web.main.median", "20 kB"),
    ("flow.web.main.sigma", 0),
    ("flow.web.objects.most", 1),
    ("flow.web.protocol", "http/1.1"),
    ("flow.web.connections", 1),
    ("flow.web.reading", "20 s"),
    ("duration", "300 s"),
)
"""One persistent connection with idle times between pages."""

IDLE_S: Final = 20
"""An idle time longer than the retransmission timer, after which the window restarts."""


def browsing() -> tuple[Point, ...]:
    """Return pages over one persistent connection."""
    return seeds(RADIO, PAGES)


def windows_after_idle(run: Outcome) -> list[float]:
    """Return the segments sent at once after each idle time of the server."""
    rows = run.tables["segments"]
    served = rows.filter((rows["event"] == "sent") & (rows["payload_bytes"] == MSS))
    sent = segments_sent(rows.filter(rows["endpoint"] == served["endpoint"][0]))
    data = sent.only(sent.carries_data & ~sent.retransmitted)
    idle = np.flatnonzero(np.diff(data.time_s) > IDLE_S) + 1
    found = []
    for first in idle:
        # Below the time of a packet on the radio.
        burst = data.time_s[first:] - data.time_s[first] < 0.1  # noqa: PLR2004
        found.append(float(np.argmin(burst)) if not burst.all() else float(burst.sum()))
    return [each for each in found if each >= 1]


ABORT_S: Final = 40
ABORTED: Final[Settings] = (
    *download(600),
    ("flow.abort", f"{ABORT_S} s"),
    ("duration", "120 s"),
)
"""A download that its reader aborts."""


def aborted(scenario: str, more: Settings = ()) -> tuple[Point, ...]:
    """Return downloads that are aborted after 40 s."""
    return seeds(scenario, ABORTED, more)


def stale_s(run: Outcome) -> float:
    """Return how long data of the aborted download go on arriving, in s."""
    table = run.tables["segments"]
    data = table.filter((table["event"] == "sent") & (table["payload_bytes"] > 0))["uid"]
    left = run.tables["hops"].filter(
        (run.tables["hops"]["event"] == "left") & run.tables["hops"]["uid"].is_in(data.implode())
    )
    return max(float(left["time_s"].max()) - ABORT_S, 0.0)  # type: ignore[arg-type]


def stale_over_drain(run: Outcome) -> float:
    """Return that time over what the data under way at the abort take at the line's rate."""
    data = outstanding(sending_end(run.tables["segments"], flow=0))
    place = int(np.searchsorted(data.time_s, ABORT_S, side="right")) - 1
    return stale_s(run) / float(data.instant_bytes[place] * PACKET / MSS / RATE)


def first_ten_s(run: Outcome) -> float:
    """Return the bytes that the mobile had acknowledged 10 s after the connection began."""
    return float(delivered(run).at(np.array([10.0]))[0])


def underused(outcomes: Outcomes) -> list[float]:
    """Return what 10 s of a connection carry beside those with the proxy, in % of difference."""
    plain, box = (mean(outcomes, runs, first_ten_s) for runs in (openings(RADIO), boxed()))
    return [100 * (plain / box - 1)]


# --- Measures -------------------------------------------------------------------------------------


def ramp_s(run: Outcome) -> float:
    """Return how long after the mobile's SYN the sender's window was 10 KB, in s."""
    asked_s = float(opening_end(run)["time_s"][0])
    return full_at(run) + (run.flow.started_s or 0.0) - asked_s


def _full(run: Outcome) -> float:
    return sent_until(run, full_at(run)) / KB


def _idle(outcomes: Outcomes) -> list[float]:
    return [window for point in browsing() for window in windows_after_idle(outcomes[point])]


MEASURES: Final[dict[str, Measure]] = {
    "t1": each(openings(RADIO), ramp_s),
    "t1-fifo": each(openings(FIFO), ramp_s),
    "t1-first-10": underused,
    "t2": each(openings(RADIO), _full),
    "t2-fifo": each(openings(FIFO), _full),
    "t3-buffered": each(long(RADIO), excess),
    "t3-rtt": each(narrow(), late_rtt),
    "t3-rtt-slow": each([degraded()], lambda run: float(rtts(run).max())),
    "t3-rtt-64": each(long(RADIO), late_rtt),
    "t3-timer": inflated,
    "t3-recovery": each([one_lost()], recovery_s),
    "t3-many": each([one_lost(max(SEGMENTS)), lost_twice(max(SEGMENTS))], recovery_s),
    "t3-sack": longer_by_losses,
    "t3-recovery-slow": each([degraded()], recovery_s),
    "t4-syn": each(pair(RADIO, 10), partial(syn_again, flow=1)),
    "t4-syn-either": each(pair(RADIO, 10), handshake_timeouts),
    "t4-times-out": timed_out,
    "t4-syn-20": each(pair(RADIO, 20), partial(syn_again, flow=1)),
    "t4-syn-slow": each([pair_at_10()], partial(syn_again, flow=1)),
    "t4-rtt": each(pair(RADIO, 10), second_rtt),
    "t4-starved": each(pair(RADIO, 10), of_equal_share),
    "t5": _idle,
    "t6": each(aborted(RADIO), stale_s),
    "t6-fifo": each(aborted(FIFO), stale_over_drain),
}

OPENING_POINTS: Final = (*openings(RADIO), *openings(FIFO), *boxed(), worse_opening())
LOSS_POINTS: Final = (
    some_lost(),
    some_lost(*LOST_TOGETHER),
    one_lost(),
    one_lost(max(SEGMENTS)),
    degraded(),
    *(lost_twice(window) for window in SEGMENTS),
)
PAIR_POINTS: Final = (*pair(RADIO, 10), *pair(RADIO, 20), pair_at_10())
OTHER_POINTS: Final = (*browsing(), *aborted(RADIO), *aborted(FIFO))
