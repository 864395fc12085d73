"""The items: their runs, figures, tables, and text in the report."""

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
            "GPRS with three time slots downlink and one uplink, coding scheme CS-2: 30 B per "
            "block, slot and 20 ms. The headers of the lower layers and 3 % of the blocks in "
            "error reduce this to the paper's rates.",
            "The text does not give the coding scheme, block errors, delays of the core network, "
            "polls and the coupling of uplink and downlink. They are fitted together to the rates "
            "(l1), the minimum delays of figure 1 (l2), the groups of ACKs (l8), the start of "
            "figure 2 (t1) and the 155 s of figure 11: docs/models/gprs.md has each fit. KB of "
            "rates and of the buffer are 1000 B, others 1024 B.",
        ),
        link.PLAIN_POINTS,
        Detail.TABLES,
        traced=link.LINK_TRACED,
    ),
    Item(
        "figure-1",
        "Figure 1: delays of single packets",
        (
            "1000 packets with ping's 56 B in each direction, because the paper does not give the "
            "size of its packets, with random pauses of 4 to 8 s. Bursts are three SYNs 0.45 s "
            "apart. Delays of 300 and 250 ms in the core network, with jitter, are fitted to the "
            "minimum delays.",
            "The text gives the range of the delays and not their distribution. The table lists "
            "possible causes of a tail of 3 s towards the mobile: block errors, outages and other "
            "cells delay the uplink as well, beyond its 1.3 s. Paging does not: a mobile that was "
            "quiet for longer than the non-DRX time learns of a downlink flow only in its own "
            "paging block, once in 2 to 9 multiframes of 235 ms (TS 45.002 §6.5.2). With 8 the "
            "tail ends nearest to the paper's. The 100 to 200 ms that §II gives for a flow of "
            "blocks are those of flows set up during a transfer, while the mobile listens.",
        ),
        link.DELAY_POINTS,
        Detail.TABLES,
        figures.delays,
        link.tails,
        traced=link.DELAY_POINTS,
        caption=(
            "How long single packets take down and up, and in bursts of three; grey is the "
            "paper's range. The figure shows the first of ten seeds."
        ),
    ),
)

_PLAIN: Final = (
    Item(
        "figure-2",
        "Figure 2: start-up",
        (
            "Time counts from the mobile's SYN. KB are 1024 B. For comparison, the scenario "
            "gprs-fifo has the same rates and delays as a plain queue: it shows the effect of TCP "
            "alone.",
        ),
        (),
        Detail.TABLES,
        figures.start_up,
        traced=plain.OPENING_POINTS,
        caption=(
            "Left, data in flight over two radios, and the bandwidth-delay product (dashed). "
            "Right, sequence numbers over the good radio, and the same with the proxy; the dotted "
            "line is at 10 s. The figure shows the first of ten seeds."
        ),
    ),
    Item(
        "figure-3",
        "Figure 3: recovery with 40 KB outstanding",
        (
            "At the paper's 4.15 KB/s 40 KB leave within 10 s. Its figure has 30 s, with a slow "
            "radio of which it says only that it improved after the loss. Ours shows a radio with "
            "1.3 KB/s, and 2 KB/s from 60 s on, chosen so that 40 KB take about 30 s, and one "
            "with the paper's rate.",
        ),
        (*plain.long(RADIO), *plain.narrow()),
        Detail.TABLES,
        figures.slow_recovery,
        traced=plain.LOSS_POINTS,
        caption=(
            "One segment is lost with a full queue: the retransmission (cross) arrives only "
            "behind the whole queue, on the slow radio (a) much later than at the paper's rate "
            "(b)."
        ),
    ),
    Item(
        "figure-4",
        "Figure 4: a second transfer",
        (
            "The second transfer begins 10 s after the first, as in the paper. Its SYN is "
            "retransmitted twice only if the answer takes longer than 9 s. The queue of a good "
            "radio is not that long then, but it is 20 s after the first transfer began; or the "
            "radio has become as slow as in figure 3.",
        ),
        (),
        Detail.TABLES,
        figures.starved,
        traced=plain.PAIR_POINTS,
        caption=(
            "While the first transfer (blue) fills the queue, the second (orange) hardly gets "
            "anything through. Triangles are SYNs of its mobile, crosses retransmissions."
        ),
    ),
    Item(
        "plain",
        "Idle times, and data after an abort (§III)",
        (
            "Pages over one persistent connection, with 20 s between them; and a download that "
            "its reader aborts after 40 s.",
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
            "packets, one of each, are lost. (In the paper b and c are swapped the second time.) "
            "Counted as in the paper, the skipack of each reaches 3 with the SACK for the sixth, "
            "as the table shows; its last row is what the proxy retransmitted.",
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
            "Times count from SYN to the ACK of FIN. The window is 10 KB. The paper's mobile ran "
            "Linux 2.4, which begins with a window of 5392 B; the dashed lines, and all facts "
            "except p1-other and p1-open, use it too. The other platform is Windows 2000. Gains "
            "are of medians.",
        ),
        (),
        Detail.RESULT,
        figures.transfer_times,
        short.table,
        traced=short.POINTS,
        caption=(
            "With the proxy short transfers take less time, to either receiver. Bars are the "
            "standard deviation of 25 seeds."
        ),
    ),
    Item(
        "figure-10",
        "Figure 10: fairness",
        (
            "The first transfer takes 60 s alone, the second begins 20 s after it. Traces are the "
            "sender's, or with the proxy the proxy's: they show what goes over the radio.",
        ),
        (),
        Detail.TABLES,
        figures.fairness,
        traced=sharing.POINTS,
        caption=(
            "Without the proxy (above) the second flow waits until the first has nearly ended; "
            "with it (below) both share the link at once."
        ),
    ),
    Item(
        "figure-11",
        "Figure 11: queueing",
        (
            "600 KB with windows of the proxy from 4 to 32 KB and without the proxy; without it, "
            "the x-axis is the sender's congestion window as a measure of the data outstanding.",
        ),
        queueing.POINTS,
        Detail.TABLES,
        figures.queues,
        queueing.table,
        caption=(
            "Each colour is a window of the proxy: except for the smallest, the transfer takes "
            "the same time with each, and the round trip grows with the window."
        ),
    ),
    Item(
        "figure-12",
        "Figure 12: recovery from a stall",
        (
            "Nothing gets through the radio from 90 to 100 s, and nothing is lost. The paper does "
            "not say how long its stall was: with 5 to 7 s there is time for one probe, with 10 s "
            "for two. It compares with figure 3, which shows another radio. In the same stall the "
            "sender's queue of 64 KB continues at once, while the proxy waits for its probe; if "
            "the stall loses packets, the proxy is faster.",
            "The paper's rules to the letter (middlebox.atcp.single_probe and restore_window): "
            "each probe of a stall is the same packet, and the window that the host is told is "
            "open again at once, whatever waits in the proxy. Ours sends another packet each time, "
            "because a mobile may be silent about one connection only, and counts a window from "
            "what it has sent over the radio.",
        ),
        (),
        Detail.TABLES,
        figures.swift_recovery,
        stall.table,
        traced=stall.POINTS,
        caption=(
            "A stall (grey area), with the proxy in blue and without it in grey: with it "
            "round-trip times and outstanding data are small before and after."
        ),
    ),
    Item(
        "recovery",
        "Burst losses (§IV.E, §VIII)",
        (
            "The paper shows one stall; its text claims that burst losses are detected sooner and "
            "repaired without unnecessary back-off. Two downloads of 200 kB at once with windows "
            "of up to 64 KB or the proxy's 10 KB, over a link that loses packets in bursts behind "
            "the gateway (plain queue, Gilbert and Elliott), a radio with 20 % of its blocks in "
            "error that discards packets queued longer than 2 s, and one with an outage. A repair "
            "lasts from the first transmission of a lost segment until the mobile acknowledges "
            "it.",
            "The last scheme is a split connection with as little data in flight as the proxy "
            "has: it differs from the proxy in that each flow detects its own losses.",
            "Without a middlebox the two windows exceed the buffer of 120 KB, so a few losses are "
            "its own. With bursts one seed can dominate a mean: see the deviations. With bursts "
            "of four the proxy does not gain time, and a third of its retransmissions are by "
            "timeout (r3-no-timeout); why the split connection with as little under way repairs "
            "sooner there is not known. The plain link changes its state only with packets.",
        ),
        recovery.POINTS,
        Detail.SEGMENTS,
        figures.repairs,
        recovery.table,
        caption=(
            "Left, the time from a loss to its repair, right that of both downloads; one group "
            "per kind of loss, one colour per middlebox. Bars are quartiles."
        ),
    ),
    Item(
        "http",
        "Pages over persistent connections (§VI.A)",
        (
            "One object per page, 20 s to read it; one connection per page, or one for all. The "
            "server does not use Nagle's algorithm, like real web servers: on one connection for "
            "all it would hold back the short last segment of a page until the rest is "
            "acknowledged, which without the proxy takes a round trip over the radio.",
        ),
        applications.PAGE_POINTS,
        Detail.RESULT,
        tabulate=applications.page_table,
    ),
    Item(
        "priority",
        "Strict priority (§IV.B)",
        (
            "A keystroke every 5 s during a download of 600 KB. Strict priority orders the queue "
            "in the proxy, as in the paper. The last row is our addition: while there is data of "
            "a higher priority, lower priorities leave at 90 % of the rate, so that the queue "
            "beyond the proxy is shorter.",
        ),
        applications.TYPING_POINTS,
        Detail.RESULT,
        tabulate=applications.typing_table,
    ),
    Item(
        "laws",
        "Invariants of the proxy",
        (
            "Small segments are 100 of 100 B. The 20 mobiles have a bearer each and share only "
            "the proxy. Windows are those advertised to hosts.",
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
            "within a threshold, and both are in the table. If a scheme's paper was not "
            "available, docs/models says that it is a reconstruction.",
            "“FDA-like”, not FDA: its paper was not available, only its description here.",
        ),
        criteria.POINTS,
        Detail.TABLES,
        table1_drawing.heat_map,
        matrix.tables,
        traced=criteria.TRACED,
        caption=(
            "Each cell has our value, with a tick if it is within the threshold that the head of "
            "its column gives, and below it the paper's. A frame marks where the two differ."
        ),
    ),
    Item(
        "vegas-rescued",
        "Vegas rescued: the future work of lo2005",
        (
            "lo2005 ends with the question whether a split connection or a proxy would help Vegas "
            "over UMTS. The middleboxes of this paper can answer it: its I-TCP is the split, its "
            "Snoop the proxy, and flow aggregation is a third.",
            f"The set-up is lo2005's, {vegas.LASTS_S} s of it.",
        ),
        vegas.POINTS,
        Detail.RESULT,
        vegas_drawing.rescued,
        vegas.table,
        caption=(
            "Above, what rescues Vegas: another TCP on the radio's side, by a split or by flow "
            "aggregation. Below, what does not: anything with Vegas on the radio."
        ),
    ),
    Item(
        "rate-steps",
        "Open end: estimates of the bandwidth-delay product",
        (
            "atcp over a UMTS channel of 384 kbit/s that falls to 128 and to 64 kbit/s and "
            "returns, with 5 % block errors.",
        ),
        rate_steps.POINTS,
        Detail.TABLES,
        open_drawing.windows,
        rate_steps.table,
        caption=(
            "Window (above) and round-trip time (below) of three estimates: a window that stays "
            "lets the queue grow when the rate falls, Westwood's is too small at any rate."
        ),
    ),
    Item(
        "mobiles",
        "Open ends: mobiles as hosts, and the uplink",
        ("A transfer of 100 KB, and another of 20 KB 20 s later.",),
        mobiles.POINTS,
        Detail.TABLES,
        tabulate=mobiles.table,
    ),
    Item(
        "shared-state",
        "Open end: state shared inside the sender (RFC 9040)",
        ("Eight objects of 10 KB, one connection each, 8 s apart.",),
        senders.POINTS,
        Detail.RESULT,
        tabulate=senders.table,
    ),
    Item(
        "arrivals",
        "Open end: a capture's connections as workload",
        ("Each connection of the capture begins at its time there and carries as many bytes.",),
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
