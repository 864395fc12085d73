"""The items: what each needs, draws and tabulates, and the words of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003 import (
    applications,
    figures,
    flow_control,
    laws,
    link,
    plain,
    queueing,
    recovery,
    sharing,
    short,
    skipack,
    stall,
)
from thinpipe.papers.chakravorty2003.open_ends import arrivals, mobiles, rate_steps, senders
from thinpipe.papers.chakravorty2003.open_ends import drawing as open_drawing
from thinpipe.papers.chakravorty2003.setup import RADIO
from thinpipe.papers.chakravorty2003.table1 import criteria, matrix
from thinpipe.papers.chakravorty2003.table1 import drawing as table1_drawing
from thinpipe.papers.chakravorty2003.vegas_rescued import drawing as vegas_drawing
from thinpipe.papers.chakravorty2003.vegas_rescued import study as vegas
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure

_LINK: Final = (
    Item(
        "link",
        "The link (§II)",
        (
            "GPRS with three time slots downlink and one uplink, coding scheme CS-2: 30 B a block, "
            "slot and 20 ms. The headers of the layers between and 3 % of the blocks in error "
            "leave the paper's rates of it.",
            "The text leaves coding scheme, block errors, delays of the core network, polls and "
            "the coupling of uplink and downlink open. They are fitted, together, to the rates "
            "(l1), the least delays of figure 1 (l2), the groups of acknowledgements (l8), the "
            "start of figure 2 (t1) and the 155 s of figure 11: docs/models/gprs.md has each fit. "
            "KB of rates and of the buffer are 1000 B, others 1024 B.",
        ),
        link.PLAIN_POINTS,
        Detail.TABLES,
        traced=link.LINK_TRACED,
    ),
    Item(
        "figure-1",
        "Figure 1: delays of single packets",
        (
            "1000 packets with ping's 56 B in either direction, as the paper does not say how "
            "large its packets were, with random pauses of 4 to 8 s. "
            "Bursts are of three SYNs 0.45 s apart, so that none waits for another. Drawn is the "
            "first of ten seeds. Delays of 300 and 250 ms in the core network, with jitter, are "
            "fitted to the least delays.",
            "The text gives the range of the delays and not their distribution. The table has "
            "what could make a tail of 3 s towards the mobile: block errors, outages and other "
            "cells lengthen the way back as well, beyond its 1.3 s. Only a set-up of downlink "
            "flows of up to 2.4 s would do, which is far from the 100 to 200 ms that §II names.",
        ),
        link.DELAY_POINTS,
        Detail.TABLES,
        figures.delays,
        link.tails,
        traced=link.DELAY_POINTS,
    ),
)

_PLAIN: Final = (
    Item(
        "figure-2",
        "Figure 2: start-up",
        (
            "Time counts from the mobile's SYN; the dotted line is at 10 s. Drawn is the first of "
            "ten seeds. KB are 1024 B. The scenario gprs-fifo beside "
            "the radio has the same rates and delays as a plain queue: what it shows is TCP's "
            "doing alone.",
        ),
        (),
        Detail.TABLES,
        figures.start_up,
        traced=plain.OPENING_POINTS,
    ),
    Item(
        "figure-3",
        "Figure 3: recovery with 40 KB outstanding",
        (
            "At the paper's 4.15 KB/s 40 KB leave within 10 s. Its figure has 30 s, and is of a "
            "slow radio of which it says no more than that it improved after the loss. Drawn are "
            "one with 1.3 KB/s, and 2 KB/s from 60 s on, chosen so that 40 KB take about 30 s, "
            "and one with the paper's rate.",
        ),
        (*plain.long(RADIO), *plain.narrow()),
        Detail.TABLES,
        figures.slow_recovery,
        traced=plain.LOSS_POINTS,
    ),
    Item(
        "figure-4",
        "Figure 4: a second transfer",
        (
            "The second transfer begins 10 s after the first, as in the paper. Its SYN is sent "
            "again twice only if the answer takes longer than 9 s. A good radio's queue is not as "
            "long then, but 20 s after the first transfer began it is; or the radio has become as "
            "slow as in figure 3.",
        ),
        (),
        Detail.TABLES,
        figures.starved,
        traced=plain.PAIR_POINTS,
    ),
    Item(
        "plain",
        "Idle times, and data nobody wants any more (§III)",
        (
            "Pages over one persistent connection, with 20 s between them; and a download that its "
            "reader aborts after 40 s.",
        ),
        (),
        Detail.TABLES,
        traced=plain.OTHER_POINTS,
    ),
)

_PROXY: Final = (
    Item(
        "figure-7",
        "Figure 7: skipack",
        (
            "Three connections send two packets each through the proxy, in turn; the first three "
            "packets, one of each, are lost. (In the paper b and c change places the second time.) "
            "Counted as the paper does, the skipack of each reaches 3 with the SACK for the sixth, "
            "as the table shows; its last row is what the proxy sent again.",
        ),
        (),
        Detail.TABLES,
        tabulate=skipack.table,
        traced=(skipack.RUN, skipack.LONE_LOSS),
    ),
    Item(
        "figure-9",
        "Figure 9: short transfers",
        (
            "Times count from SYN to the acknowledgement of FIN; bars are the standard deviation "
            "of 25 seeds. The window is 10 KB. The paper's mobile ran Linux 2.4, which begins with "
            "a window of 5392 B: so do the dashed lines, and the facts but p1-other. The other "
            "platform is Windows 2000. Gains are of medians.",
        ),
        (),
        Detail.RESULT,
        figures.transfer_times,
        short.table,
        traced=short.POINTS,
    ),
    Item(
        "figure-10",
        "Figure 10: fairness",
        (
            "The first transfer takes 60 s alone, the second begins 20 s after it. Traces are "
            "the sender's, and with the proxy the proxy's: what goes over the radio.",
        ),
        (),
        Detail.TABLES,
        figures.fairness,
        traced=sharing.POINTS,
    ),
    Item(
        "figure-11",
        "Figure 11: queueing",
        (
            "600 KB with windows of the proxy from 4 to 32 KB and without the proxy; without, the "
            "sender's congestion window stands for what is outstanding.",
        ),
        queueing.POINTS,
        Detail.TABLES,
        figures.queues,
        queueing.table,
    ),
    Item(
        "figure-12",
        "Figure 12: recovery from a stall",
        (
            "Nothing gets through the radio from 90 to 100 s, and nothing is lost. In grey, the "
            "same stall without the proxy. The paper does not say how long its stall was: with 5 "
            "to 7 s there is time for one probe, with 10 s for two. It compares with figure 3, "
            "another radio. In the same stall the sender's queue of 64 KB goes on at once, while "
            "the proxy waits for its probe; where the stall loses packets, the proxy is quicker.",
        ),
        (),
        Detail.TABLES,
        figures.swift_recovery,
        stall.table,
        traced=stall.POINTS,
    ),
    Item(
        "recovery",
        "Losses in bursts (§IV.E, §VIII)",
        (
            "The paper shows one stall; its text claims that losses in bursts are found sooner and "
            "repaired without needless back-off. Two downloads of 200 kB at once with windows of "
            "up to 64 KB or the proxy's 10 KB, over a link that loses packets in bursts behind the "
            "gateway (plain queue, Gilbert and Elliott), a radio with 20 % of its blocks in error "
            "that discards what waits longer than 2 s, and one with an outage. A repair counts "
            "from when a segment that is lost was first sent until the mobile acknowledges it.",
            "The last scheme is a split connection with as little under way as the proxy has: it "
            "differs from the proxy in that each flow finds its own losses.",
            "Without a box the two windows are more than the buffer of 120 KB, so a few of its "
            "losses are its own. With bursts one seed can make a mean: see the deviations. In "
            "bursts of four the proxy does not gain time, since the plain link changes its state "
            "with packets alone: where a long burst takes the whole window, a probe every 1.5 "
            "round-trip times stays in the bad state for as many probes as there are packets left.",
        ),
        recovery.POINTS,
        Detail.SEGMENTS,
        figures.repairs,
        recovery.table,
    ),
    Item(
        "http",
        "Pages over persistent connections (§VI.A)",
        (
            "One object a page, 20 s to read it; a connection a page, or one for all. The server "
            "has no Nagle algorithm, as servers of pages do: on one connection for all it would "
            "hold back the short last segment of a page until the rest is acknowledged, without "
            "the proxy over the radio.",
        ),
        applications.PAGE_POINTS,
        Detail.RESULT,
        tabulate=applications.page_table,
    ),
    Item(
        "priority",
        "Strict priority (§IV.B)",
        (
            "A keystroke every 5 s beside a download of 600 KB. Strict priority orders what waits "
            "in the proxy, as in the paper. The last row is an addition of ours: while there is "
            "something of a higher priority, lower ones leave at 90 % of the rate, so that less "
            "waits beyond the proxy.",
        ),
        applications.TYPING_POINTS,
        Detail.RESULT,
        tabulate=applications.typing_table,
    ),
    Item(
        "laws",
        "What the proxy keeps",
        (
            "Small segments are 100 of 100 B. The 20 mobiles have a bearer each and share nothing "
            "but the proxy. Windows are those that hosts are told.",
        ),
        (*laws.POINTS, *flow_control.POINTS),
        Detail.TABLES,
        traced=(*laws.TRACED, *flow_control.TRACED),
    ),
)

_BEYOND: Final = (
    Item(
        "table-1",
        "Table I, measured",
        (
            "Every scheme runs over the same radio with the same three seeds. A tick is a number "
            "within a threshold, and both stand in the table. Where a scheme's paper was not at "
            "hand, its reconstruction is named so in docs/models.",
            "“FDA-like”, not FDA: its paper could not be read, its description here can.",
        ),
        criteria.POINTS,
        Detail.TABLES,
        table1_drawing.heat_map,
        matrix.tables,
        traced=criteria.TRACED,
    ),
    Item(
        "vegas-rescued",
        "Vegas rescued: the future work of lo2005",
        (
            "lo2005 ends with the question whether a split connection or a proxy would help Vegas "
            "over UMTS. The boxes that can answer it are those of this paper: its I-TCP is the "
            "split, its Snoop the proxy, and flow aggregation stands beside.",
            f"The set-up is lo2005's, {vegas.LASTS_S} s of it.",
        ),
        vegas.POINTS,
        Detail.RESULT,
        vegas_drawing.rescued,
        vegas.table,
    ),
    Item(
        "rate-steps",
        "Open end: estimates of the bandwidth-delay product",
        (
            "atcp over a UMTS channel of 384 kbit/s that falls to 128 and to 64 kbit/s and comes "
            "back, with 5 % block errors.",
        ),
        rate_steps.POINTS,
        Detail.TABLES,
        open_drawing.windows,
        rate_steps.table,
    ),
    Item(
        "mobiles",
        "Open ends: mobiles as hosts, and the uplink",
        ("A transfer of 100 KB, and 20 KB more 20 s later.",),
        mobiles.POINTS,
        Detail.TABLES,
        tabulate=mobiles.table,
    ),
    Item(
        "shared-state",
        "Open end: state shared inside the sender (RFC 9040)",
        ("Eight objects of 10 KB, a connection each, 8 s apart.",),
        senders.POINTS,
        Detail.RESULT,
        tabulate=senders.table,
    ),
    Item(
        "arrivals",
        "Open end: a capture's connections as workload",
        ("Each connection of the capture begins when it did there and carries as much.",),
        arrivals.POINTS,
        Detail.RESULT,
        tabulate=arrivals.table,
    ),
)

ITEMS: Final = (*_LINK, *_PLAIN, *_PROXY, *_BEYOND)

MEASURES: Final[dict[str, Measure]] = {
    name: measure
    for part in (
        link,
        plain,
        skipack,
        short,
        sharing,
        queueing,
        stall,
        recovery,
        applications,
        laws,
        flow_control,
        matrix,
        vegas,
        rate_steps,
        mobiles,
        senders,
        arrivals,
    )
    for name, measure in part.MEASURES.items()
}
