"""The thesis as a whole: its items and the words of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from thinpipe.papers.hynderick2004 import chapter6, figures, tables
from thinpipe.papers.hynderick2004.check import MEASURES, Measure
from thinpipe.papers.hynderick2004.experiments import (
    BITS,
    BURSTS,
    COMPARED,
    DAMAGES,
    DROPS,
    FORMULA_WINDOW,
    GUARDED,
    LASTING_S,
    LOSSES,
    LOST_AGAIN,
    OPENED,
    OTHERS,
    QUEUED,
    SEEDS,
    SIZES,
    SMALL_DROPS,
    SMALL_WINDOW,
    VARIANTS,
    VEGAS_BESIDE,
    VEGAS_DROPS,
    WIDE_WINDOW,
    Study,
    avoiding,
    burst,
    damaged,
    four_drops,
    lossy,
    lossy_bits,
    neighbours,
    one_window,
    opening,
    queueing,
    small_window,
    two_windows,
)
from thinpipe.papers.hynderick2004.stated import FACTS
from thinpipe.papers.hynderick2004.walk import spelled
from thinpipe.papers.hynderick2004.wrong_models import WRONG_MODELS
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Outcomes, Paper
from thinpipe.point import Point

NUMBERS: Final = ("one", "two", "three", "four")


def _measure(measure: Measure) -> Callable[[Outcomes], Sequence[float]]:
    return lambda outcomes: measure(Study(outcomes))


def _drops(count: int, text: tuple[str, ...], points: tuple[Point, ...] = ()) -> Item:
    """Return the item of one of figures V.11 to V.14."""
    number, drops = NUMBERS[count - 1], DROPS[count - 1]
    plural = "s" if count > 1 else ""
    mine = tuple(four_drops(variant, drops) for variant in (*VARIANTS, *OTHERS))
    return Item(
        f"{number}-drop{plural}",
        f"Figure V.{10 + count}: packet{plural} {spelled(drops)} dropped",
        text,
        (*mine, *points),
        Detail.TRACE,
        figures.packets(count),
        tables.recovery(count),
        caption=(
            "Each packet at the bottleneck's queue: a square when it arrives and when it leaves, "
            "a cross where it is dropped, a dot where its ACK reaches the sender; a dashed line "
            "is a timeout. Packets are numbered modulo 60, and packet 0 is the SYN."
        ),
    )


ITEMS: Final = (
    _drops(
        1,
        (
            "In the thesis two further connections overflow the queue to cause the drops; here a "
            "list drops the packets and no queue overflows. FACK, which the thesis had to "
            "exclude, is shown for comparison.",
        ),
    ),
    _drops(2, ()),
    _drops(3, ()),
    _drops(
        4,
        ("The facts on all four figures together are shown here, too.",),
        tuple(four_drops(variant, drops) for variant in VARIANTS for drops in DROPS),
    ),
    Item(
        "vegas-retransmit",
        "Figure V.8: Vegas' retransmission",
        (
            "Two neighbours are dropped, early or later; or a single packet in a window of "
            f"{SMALL_WINDOW}, where too few packets follow for three duplicate ACKs.",
        ),
        (
            *(neighbours(variant, drops) for variant in VEGAS_BESIDE for drops in VEGAS_DROPS),
            *(small_window(variant, drop) for variant in VEGAS_BESIDE for drop in SMALL_DROPS),
        ),
        Detail.TRACE,
        figures.vegas,
        tabulate=tables.vegas,
        caption=(
            "Vegas above, Reno below, with the same packets dropped; marks are those of figure "
            "V.11. Where Reno waits for a timeout, Vegas retransmits early."
        ),
    ),
    Item(
        "bursts",
        "Bursts of drops, and a lost retransmission",
        (
            "The window of slow start that holds packets 31 to 62 loses its first packets; or the "
            "window 15 to 30 and the next one each lose half of the burst at their ends.",
            "Tahoe retransmits packets that had arrived, and the duplicate ACKs that this causes "
            "look like another loss: without the later guard (tcp.recover_guard) it halves its "
            "threshold again and again. With the guard it does what the thesis expects of it.",
        ),
        (
            *(
                burst(variant, drops(count))
                for variant in VARIANTS
                for drops in (one_window, two_windows)
                for count in BURSTS
            ),
            *(
                burst("tahoe", drops(count), GUARDED)
                for drops in (one_window, two_windows)
                for count in BURSTS
            ),
            *(burst(variant, LOST_AGAIN) for variant in VARIANTS),
        ),
        Detail.TRACE,
        figures.bursts,
        tables.bursts,
        caption=(
            "Transfer time against the number of packets dropped. Reno and Tahoe without its "
            "guard slow down abruptly, SACK and FACK least."
        ),
    ),
    Item(
        "damage",
        "A constant error rate",
        (
            "The same path, with packets lost at random. Of all variants here, only BBR ignores "
            "losses as a sign of congestion up to a share of 2 % (its draft's BBRLossThresh): the "
            "case that the thesis's “as long as” leaves open.",
        ),
        tuple(
            damaged(variant, loss, seed)
            for variant in (*VARIANTS, *OTHERS)
            for loss in DAMAGES
            for seed in SEEDS
        ),
        Detail.RESULT,
        figures.damage,
        tables.damage,
        caption=(
            "Goodput by variant, with packets lost at random: the variants from Vegas to BBR keep "
            "more of the rate than the older ones."
        ),
    ),
    Item(
        "slow-start",
        "Slow start and congestion avoidance",
        ("The SYN counts as the window of one packet with which slow start begins.",),
        (
            *(opening(window) for window in OPENED),
            *(queueing(window) for window in QUEUED),
            avoiding(),
        ),
        Detail.TABLES,
        figures.slow_start,
        tables.slow_start,
        caption=(
            "Left, the round trips of slow start to a window of W; right, the packets that it "
            "puts into the buffer. Lines are the thesis's formulas, dots ours."
        ),
    ),
    Item(
        "tahoe-factor",
        "Figure IV.6: throughput against losses per packet",
        (f"Only a window of {FORMULA_WINDOW} packets limits the throughput without loss.",),
        tuple(
            lossy(variant, loss, seed, FORMULA_WINDOW)
            for variant in COMPARED
            for loss in (0.0, *LOSSES)
            for seed in SEEDS
        ),
        Detail.RESULT,
        figures.tahoe_factor,
        tables.tahoe_factor,
        caption=(
            "Throughput falls faster than the thesis's formula (solid), and much as the one that "
            "counts all round trips (dotted). Lines at the points are the range over five seeds."
        ),
    ),
    Item(
        "tahoe-factor-bits",
        "Figure IV.7: throughput against losses per bit",
        ("S counts the packet on the wire, with 40 B of headers; five seeds.",),
        tuple(
            lossy_bits(loss, payload, seed)
            for payload in SIZES
            for loss in (0.0, *BITS)
            for seed in SEEDS
        ),
        Detail.RESULT,
        figures.tahoe_factor_bits,
        caption=(
            "Each packet size has one colour: its formula is the line, our throughput the points "
            "below it. Larger packets suffer more."
        ),
    ),
    Item(
        "steady-state",
        "Mathis and PFTK",
        (
            f"Only losses limit the window, which may reach {WIDE_WINDOW} packets. A run lasts "
            f"{LASTING_S} s.",
        ),
        tuple(
            lossy(variant, loss, seed, WIDE_WINDOW)
            for variant in ("reno", "newreno", "sack")
            for loss in LOSSES
            for seed in SEEDS
        ),
        Detail.RESULT,
        figures.steady_state,
        tables.steady_state,
        caption=(
            "Packets sent in a round trip against losses, on logarithmic scales: where losses are "
            "frequent the variants follow PFTK's full model and not Mathis' square root."
        ),
    ),
)

PAPER: Final = Paper(
    id="hynderick2004",
    citation=(
        "O. Hynderick, S. Raes: TCP performance over WCDMA, master's thesis, 2004; chapters IV "
        "to VI: TCP's equilibrium, how its versions recover from drops, and TCP over UMTS"
    ),
    text=(
        "A sender, 8 Mbit/s and 0.1 ms to a router, 0.8 Mbit/s and 100 ms to a receiver: the "
        "set-up of Fall and Floyd (1996), with which the thesis walks packet by packet through "
        "the recovery of each version of TCP. TCP here behaves like ns-2 at that time: the "
        "profile ns2-1996, packets of 1000 B of payload, a window of 28.",
        "Where a fact lists packets, ours must be the same packets in the same order.",
        *chapter6.TEXT,
    ),
    items=(*ITEMS, *chapter6.ITEMS),
    facts=(*FACTS, *chapter6.FACTS),
    measures={
        **{name: _measure(measure) for name, measure in MEASURES.items()},
        **chapter6.MEASURES,
    },
    wrong_models=WRONG_MODELS,
    not_reproduced=(
        "Without recovery the thesis's round-trip times vary from 140 to 240 ms (figure VI.1), "
        "ours hardly, whatever the window. Of Table VI.1 {c4-rate c5-rate c6-rate c7-rate} "
        "throughputs differ, {c4-rtt c5-rtt c6-rtt c7-rtt} mean RTTs and {c4-dev c5-dev c6-dev "
        "c7-dev} deviations: its module must delay packets, and request retransmissions, by "
        "another rule than the one fitted here. Of Table VI.2 {q9-*-kbps} throughputs and "
        "{q9-*-rtt} mean RTTs differ; all come out if a packet of 500 B costs 600 B of the channel "
        "and some rows ran other queues, which other numbers contradict. Of Table VI.3 {s3-*} "
        "throughputs differ; 8,441 B/s is below that over a quarter of the rate. That a jump down "
        "costs three packets with a queue of 2 and none with 4 is true at some moments, but not on "
        "average; with a queue of 6 nothing is lost after a rise; falls to 60 and to 30 kbit/s do "
        "lead to spurious timeouts, of retransmissions. SACK is ahead by less than counts as "
        "better. Black-outs: data that pass at 100 % errors are a fault of the module; the times "
        "of figure VI.38 contradict one another, and ours are different. Chapter IV's formula for "
        "Tahoe omits congestion avoidance, and chapter V's walk has slips. It considers Tahoe "
        "better at bursts than it is, and SACK better than NewReno when a window has one or two "
        "drops. Not modelled, because no run of the thesis uses them: the circuit-switched domain "
        "and inner-loop power control (II.B); of the channels BCCH, PCCH, CCCH and CTCH (Table "
        "II.2), BCH, CPCH and DSCH (Table II.3), PDSCH, PCPCH and P-CCPCH but for its code (Table "
        "II.4), and the TFCI but for its bits of a slot. Nor is a spreading factor that follows "
        "retransmissions (III, modification I-2), which the thesis's module does not have either, "
        "nor priorities of MAC as keys and reconfiguration of an open bearer beyond its rate "
        "(II.C), because chapter VI has one flow on one bearer."
    ),
)
"""The thesis with its facts and checks."""
