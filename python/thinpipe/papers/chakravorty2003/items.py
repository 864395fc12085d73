"""The items: what each needs, draws and tabulates, and the words of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003 import (
    figures,
    laws,
    link,
    plain,
    queueing,
    sharing,
    short,
    skipack,
    stall,
)
from thinpipe.papers.chakravorty2003.open_ends import arrivals, mobiles, rate_steps, senders
from thinpipe.papers.chakravorty2003.open_ends import drawing as open_drawing
from thinpipe.papers.chakravorty2003.setup import FIFO, RADIO
from thinpipe.papers.chakravorty2003.table1 import criteria, matrix
from thinpipe.papers.chakravorty2003.table1 import drawing as table1_drawing
from thinpipe.papers.chakravorty2003.vegas_rescued import drawing as vegas_drawing
from thinpipe.papers.chakravorty2003.vegas_rescued import study as vegas
from thinpipe.papers.outcomes import Keep
from thinpipe.papers.paper import Item

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure

_LINK: Final = (
    Item(
        "link",
        "The link (§II)",
        (
            "GPRS with three time slots downlink and one uplink, coding scheme CS-2: 30 B a block, "
            "slot and 20 ms. Control blocks and the headers of the layers between leave the "
            "paper's rates of it. The scenario gprs-fifo beside it has the same rates and delays "
            "as a plain queue: what it shows is TCP's doing alone.",
        ),
        link.PLAIN_POINTS,
        Keep.TABLES,
        traced=link.LINK_TRACED,
    ),
    Item(
        "figure-1",
        "Figure 1: delays of single packets",
        (
            "1000 packets with ping's 56 B in either direction, with random pauses of 4 to 8 s. "
            "Bursts are of three SYNs 0.45 s apart, so that none waits for another.",
        ),
        link.DELAY_POINTS,
        Keep.TABLES,
        figures.delays,
        traced=link.DELAY_POINTS,
    ),
)

_PLAIN: Final = (
    Item(
        "figure-2",
        "Figure 2: start-up",
        ("Time counts from the SYN. KB are 1024 B.",),
        (),
        Keep.TABLES,
        figures.start_up,
        traced=plain.OPENING_POINTS,
    ),
    Item(
        "figure-3",
        "Figure 3: recovery with 40 KB outstanding",
        (
            "The paper's figure is of a slow radio of which it says no more than that it improved "
            "after the loss. Here it carries 1.3 KB/s, and 2 KB/s from 60 s on.",
        ),
        (*plain.long(RADIO), *plain.long(FIFO)),
        Keep.TABLES,
        figures.slow_recovery,
        traced=(plain.degraded(),),
    ),
    Item(
        "figure-4",
        "Figure 4: a second transfer",
        (
            "Its SYN is sent again twice only if the answer takes longer than 9 s. With a good "
            "radio the queue is as long 20 s after the first transfer began; at the paper's 10 s "
            "the radio must have become slower, as in the figure: to the 1.3 KB/s of figure 3.",
        ),
        (),
        Keep.TABLES,
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
        Keep.TABLES,
        traced=plain.OTHER_POINTS,
    ),
)

_PROXY: Final = (
    Item(
        "figure-7",
        "Figure 7: skipack",
        (
            "Three connections send two packets each through the proxy; the first three packets "
            "are lost. Counted as the paper does, the skipack of each reaches 3 with the SACK for "
            "the sixth; what the proxy sent again stands below.",
        ),
        (),
        Keep.TABLES,
        tabulate=skipack.table,
        traced=(skipack.RUN,),
    ),
    Item(
        "figure-9",
        "Figure 9: short transfers",
        (
            "Times count from SYN to the acknowledgement of FIN; bars are the standard deviation "
            "of 25 seeds. The window is 10 KB. The receiver Linux 2.4 begins with a window of "
            "5392 B.",
        ),
        (),
        Keep.RESULT,
        figures.transfer_times,
        short.table,
        traced=short.POINTS,
    ),
    Item(
        "figure-10",
        "Figure 10: fairness",
        (
            "The first transfer takes 60 s alone, the second begins 20 s after it. Traces are "
            "those of whoever sends over the radio: with the proxy, the proxy.",
        ),
        (),
        Keep.TABLES,
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
        Keep.TABLES,
        figures.queues,
        queueing.table,
    ),
    Item(
        "figure-12",
        "Figure 12: recovery from a stall",
        (
            "Nothing gets through the radio from 90 to 100 s, and nothing is lost. In grey, the "
            "same stall without the proxy.",
        ),
        (),
        Keep.TABLES,
        figures.swift_recovery,
        traced=stall.POINTS,
    ),
    Item(
        "laws",
        "What the proxy keeps",
        (
            "Small segments are 100 of 100 B. The 20 mobiles have a bearer each and share the "
            "proxy.",
        ),
        laws.POINTS,
        Keep.TABLES,
        traced=laws.TRACED,
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
        Keep.TABLES,
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
        Keep.RESULT,
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
        Keep.TABLES,
        open_drawing.windows,
        rate_steps.table,
    ),
    Item(
        "mobiles",
        "Open ends: mobiles as hosts, and the uplink",
        ("A transfer of 100 KB, and 20 KB more 20 s later.",),
        mobiles.POINTS,
        Keep.TABLES,
        tabulate=mobiles.table,
    ),
    Item(
        "shared-state",
        "Open end: state shared inside the sender (RFC 9040)",
        ("Eight objects of 10 KB, a connection each, 8 s apart.",),
        senders.POINTS,
        Keep.RESULT,
        tabulate=senders.table,
    ),
    Item(
        "arrivals",
        "Open end: a capture's connections as workload",
        ("Each connection of the capture begins when it did there and carries as much.",),
        arrivals.POINTS,
        Keep.RESULT,
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
        laws,
        matrix,
        vegas,
        rate_steps,
        mobiles,
        senders,
        arrivals,
    )
    for name, measure in part.MEASURES.items()
}
