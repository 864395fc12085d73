"""The items of chapter VI: what each needs, draws and tabulates, and the words of the report."""

from __future__ import annotations

from typing import Final

from thinpipe.papers.hynderick2004.chapter6 import (
    advice,
    blackouts,
    buffers,
    contradictions,
    delays,
    figures,
    limits,
    parameters,
    queues,
    rates,
    readings,
    recovery,
    sharing,
    variants,
)
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item

_RECOVERY: Final = (
    Item(
        "set-up",
        "Chapter VI: the set-up",
        (
            "A file of 1 MB (10⁶ bytes) to a mobile over a dedicated channel; packets are 540 B "
            "or 1,540 B, 40 B of them headers. Values that the thesis does not state are in the "
            "scenario umts-thesis, each with its reason.",
            "A rate counts PDUs with their headers of 3 B; a fraction of a block per interval is "
            "carried over to the next.",
            "Modifications I-2, I-5, I-7, I-8 and II-3 repair faults of the module that ours "
            "never had; tests of the radio crate check what they require, and no fact counts "
            "them. III-2, RRC's timer, is a key of cells; chapter VI has one bearer, which stays "
            "open. What chapter II quotes about other networks (64 and 384 kbit/s, round trips of "
            "a few hundred ms to 1 s, delay spikes of several times that), the 5 MHz and the four "
            "codes of the first level are not results of the thesis. BSD's minimum timeout of 0.5 "
            "s and windows of 65,535 B are examples; ns-2 has neither.",
        ),
        (*parameters.RATE_POINTS, *recovery.cells(0.1, recovery.TOGETHER)),
        Detail.TABLES,
        tabulate=parameters.table_rates,
        traced=(*parameters.SAMPLE_POINTS, queues.over_time(4), parameters.FOREVER,
                parameters.TIMED),
    ),
    Item(
        "link-recovery",
        "Table VI.1 and figures VI.1 to VI.3: link-layer recovery",
        (
            "Tahoe, SF 8, 540 B, initial window 1, queue unlimited. The thesis's own link control "
            "(PDUs of 60 B, a timeout of 60 ms, feedback that names the next PDU expected) is "
            "compared with that of TS 25.322 at its best, which repairs each PDU by name.",
            "Without recovery nine PDUs at 1 % lose 8.6 % of segments, or 16.5 % if the data and "
            "the control channel of a block fail independently. The table also has one draw per "
            "block: no fact counts it.",
            "The text does not give the algorithm of its link control. Ours was fitted to Table "
            "VI.1 and to three numbers of VI.C at BLER 10 %, the best throughput and its RTT at "
            "120 kbit/s (q6-best, q6-rtt-best) and the RTT at 60 kbit/s (q4-worst): when a gap is "
            "requested, 3 B of header per PDU, two draws per block, and 50 ms of wire. Agreement "
            "here is a fit.",
            "Figure VI.1 of the thesis varies from 140 to 240 ms around a mean of 158; ours is "
            "nearly flat. Of Table VI.1 {c4-dev c5-dev c6-dev c7-dev} "
            "deviations differ.",
        ),
        recovery.TABLE_POINTS,
        Detail.TABLES,
        figures.link_recovery,
        recovery.table,
        traced=(
            *(
                point
                for drawn in (recovery.THESIS, recovery.TOGETHER, recovery.APART)
                for point in recovery.cells(0.01, (*recovery.WITHOUT, *drawn))
            ),
            *recovery.cells(0.01),
            recovery.shown(0.1),
        ),
        caption=(
            "Round-trip times without link-layer recovery (left) and with it: dots are samples, "
            "the blue line is their mean so far, dashed and dotted lines are the thesis's "
            "numbers."
        ),
    ),
    Item(
        "delays",
        "Figure VI.1: what delays packets without recovery",
        (
            "The thesis's packets wait up to 100 ms, 18 on average, behind a window that errors "
            "keep small. Here other windows run, and another receiver.",
            "A receiver whose ACK waits for a second packet (IV.A, 50 ms “for example”) delays "
            "packets that come alone, and throughput and mean RTT come out. It is a second "
            "reading only: Table VI.3 contradicts it (see there), figures V.11 to V.14 have an "
            "ACK for each packet, and the RTT's deviation is too great.",
        ),
        delays.POINTS,
        Detail.RESULT,
        delays.draw,
        delays.table,
        notes=delays.say,
        caption=(
            "Left, mean round-trip time against throughput, at BLER 1 % without recovery: neither "
            "variants of TCP nor fewer losses reach the thesis's mean. Right, deviation against "
            "mean; the line is of waits that are spread evenly."
        ),
    ),
    Item(
        "variants-alike",
        "Figures VI.4 to VI.7: with recovery all variants are the same",
        ("The same blocks are in error for each variant. ACK times are compared exactly.",),
        (*recovery.GRID_POINTS, *recovery.PATIENT_POINTS),
        Detail.TABLES,
        figures.alike,
        recovery.grid,
        traced=recovery.curves(),
        caption=(
            "The four pictures are alike: dots are throughput from one packet to the next, orange "
            "is the mean of the last ten, blue the mean so far."
        ),
    ),
    Item(
        "link-limits",
        "How much recovery: limits of retransmissions, delivery in and out of sequence",
        (
            "The thesis claims this without a figure. SF 8, 540 B, Tahoe, queue unlimited; when a "
            "PDU reaches the limit of retransmissions, it is given up with its packet.",
            "Without a limit no timeout is spurious here; some are at SF 128 with 1,540 B and "
            "BLER 10 to 30 %, which the figure does not show.",
        ),
        (*limits.LIMIT_POINTS, *limits.ORDER_POINTS),
        Detail.SEGMENTS,
        figures.limited,
        lambda outcomes: (*limits.table_limits(outcomes), *limits.table_orders(outcomes)),
        caption=(
            "Four results against the limit of retransmissions, one line per block error rate: "
            "the worse the channel, the higher the limit that it takes. Bars are the range over "
            "seeds."
        ),
    ),
)  # fmt: skip

_QUEUES: Final = (
    Item(
        "queue-level",
        "Figures VI.8, VI.9 and VI.13 to VI.15: queues",
        (
            "Recovery, Tahoe, 1 MB, mean of five seeds.",
            "No fact counts that 5,700 and 1,015 ms are 20 packets at 72 and 71 % of the rate: "
            "that follows from the RTTs.",
        ),
        (*queues.POINTS, *queues.TOGETHER_POINTS),
        Detail.RESULT,
        figures.queue_level,
        queues.table,
        caption=(
            "Retransmissions fall and round-trip times rise with the queue, while throughput "
            "gains little from a long one. Bars are the range over seeds, stars the thesis's "
            "numbers."
        ),
    ),
    Item(
        "queue-table",
        "Table VI.2 in two readings",
        (
            "Table VI.2 does not state its error rate. We take 0 %: the text has 67.2 kbit/s and "
            "325 ms at 10 %, and the table 87.5 and 251, for one row. Read as printed, {q9-*-kbps} "
            "throughputs and {q9-*-rtt} mean RTTs differ.",
            "The second reading: a packet of 500 B costs some 600 B of the channel, not 567, and "
            "the rows for 240 kbit/s, 500 B and 60 kbit/s, 1,500 B ran queues of 8 and 4, not 6 "
            "and 2. Whole frames would cost that: 600 B are eight, four or two frames of 10 ms at "
            "60, 120 and 240 kbit/s. No key makes frames whole; 7 B of header a PDU make 603 B.",
            "No fact rests on it, as it is no rule for all packets. One of 1,500 B at 240 kbit/s "
            "would take six frames, 1,800 B in the place of 1,638, and at 480 kbit/s one frame "
            "for each packet of 500 B is at most 50,000 B/s, where Table VI.1 has 51,344. With "
            "7 B of header for those, too, they are as far off as the table below says. What the "
            "text has of BLER 10 % needs 5 B.",
            "The captions of figures VI.23 to VI.34 call 60, 120 and 480 kbit/s 57k, 112k and "
            "460k: the shares that they leave fit 3 B of header, or frames filled by packets of "
            "500 B, better than 5 or 7 B of header.",
        ),
        readings.POINTS,
        Detail.RESULT,
        readings.draw,
        readings.tables,
        caption=(
            "Throughput (left) and mean round-trip time (right) of the rows of Table VI.2 above, "
            "and below how far ours are from the thesis. The second reading of a row differs "
            "from the printed one in the queue or in what a small packet costs."
        ),
    ),
    Item(
        "outstanding",
        "Figures VI.10 to VI.12: outstanding data",
        ("Over time: 60 kbit/s, 500 B, BLER 10 %.",),
        queues.OUTSTANDING_POINTS,
        Detail.SEGMENTS,
        figures.outstanding,
        traced=(queues.over_time(4), queues.over_time(50)),
        caption=(
            "Left, the mean of outstanding data against the queue, on a logarithmic axis: per "
            "packet it grows more slowly beyond 15 packets. Middle and right, outstanding data "
            "over time: each change, the mean of the samples so far, and the mean weighted by "
            "time."
        ),
    ),
    Item(
        "queue-variants",
        "Figure VI.16: the variants against the queue",
        (
            "BLER 10 %. The thesis does not say at which rate and packet size: the figure has "
            "all.",),
        queues.VARIANT_POINTS,
        Detail.RESULT,
        figures.queue_variants,
        queues.variants,
        caption=(
            "Throughput against the queue, small packets above and large ones below: Reno needs "
            "the longest queue, NewReno and SACK the shortest."
        ),
    ),
)  # fmt: skip

_RATES: Final = (
    Item(
        "rate-steps",
        "Figures VI.17 and VI.18: rates that step",
        (
            "500 B, BLER 0 %, Tahoe, queue 4, which the thesis does not state. Facts cover twenty "
            "moments of the first jump; the figure shows the first.",
        ),
        (
            *rates.all_of(rates.FALLING, rates.COPING, rates.STEP_MOMENTS_S),
            *rates.all_of(rates.RISING, rates.COPING, rates.STEP_MOMENTS_S),
        ),
        Detail.TRACE,
        figures.rate_steps,
        caption=(
            "The mean of the last ten packets (orange) follows the link's rate (black) at once, "
            "the mean so far (blue) hardly."
        ),
    ),
    Item(
        "step-sequences",
        "Figures VI.19 to VI.22: the jumps packet by packet",
        (
            "The thesis does not state the moment of the jump; the figure shows a typical one of "
            "twenty, at which neither queue overflows because of it.",
            "At four of the twenty, such as 20.35 s, both queues behave as in the thesis: three "
            "drops at the jump with a queue of 2, none with one of 4.",
        ),
        rates.STEP_POINTS,
        Detail.TRACE,
        figures.step_sequences,
        caption=(
            "Segments, retransmissions and drops between the lines of ACKs (green) and of the "
            "window (yellow), around a change of rate (dotted)."
        ),
    ),
    Item(
        "rate-falls",
        "Figures VI.23 to VI.28: falls from 480 kbit/s",
        ("Facts cover five moments of the jump; the figure shows the first.",),
        (*rates.FALL_POINTS, *rates.RISE_POINTS, *rates.STEP_POINTS),
        Detail.TRACE,
        figures.rate_falls,
        rates.table,
        caption=(
            "Segments, retransmissions and drops around a fall of the rate (dotted): the longer "
            "the queue, the fewer packets are dropped."
        ),
    ),
    Item(
        "rate-rises",
        "Figures VI.29 to VI.34: rises to 480 kbit/s",
        (
            "The mean of the last ten packets hardly shows that the channel is idle for a while; "
            "the capacity that a queue of 4 leaves unused shows in the mean so far.",
        ),
        rates.RISE_POINTS,
        Detail.TRACE,
        figures.rate_rises,
        caption=(
            "The mean of the last ten packets (orange) is near the new rate (black) soon after "
            "the rise; with the shortest queue it dips again and again."
        ),
    ),
)

_BLACK_OUTS: Final = (
    Item(
        "black-outs",
        "Figures VI.35 to VI.37: two black-outs",
        (),
        (blackouts.scenario_a(),),
        Detail.TRACE,
        figures.black_outs,
        caption=(
            "Scenario A: round-trip times (left), the transfer (middle) and its first black-out "
            "(right). Nothing passes in the grey intervals."
        ),
    ),
    Item(
        "long-black-out",
        "Figure VI.38: a black-out of 50 s",
        (
            "Tahoe, 1,500 B, 120 kbit/s, queue 2. In the thesis the link is back at 50 s, which "
            "it calls a black-out of 50 s: we ran both readings, with link-layer recovery and "
            "without.",
        ),
        (
            *blackouts.B_POINTS,
            *(
                blackouts.ceiled(blackouts.CEILINGS_S[-1], length_s, recovery.WITHOUT)
                for length_s in blackouts.UNLUCKY_S
            ),
        ),
        Detail.SEGMENTS,
        figures.long_black_out,
        blackouts.table_b,
        traced=blackouts.B_POINTS,
        caption=(
            "Without recovery (above) the transfer resumes only with the timeout after the "
            "black-out (grey); with recovery (below) it resumes as soon as the link is back."
        ),
    ),
    Item(
        "maximum-timeout",
        "The maximum retransmission timeout",
        ("The thesis's trade-off without a figure: black-outs from 15 s on, queue 2.",),
        blackouts.CEILING_POINTS,
        Detail.SEGMENTS,
        tabulate=blackouts.table_ceilings,
    ),
    Item(
        "black-out-variants",
        "Variants around a black-out",
        (
            "BLER 10 %, 120 kbit/s, 1,500 B, queue 4, one black-out from 15 s on, forty seeds. "
            "The time lost is the time of the transfer minus that without a black-out.",
        ),
        variants.POINTS,
        Detail.TABLES,
        figures.black_out_variants,
        variants.table,
        caption=(
            "Four results against the length of the black-out, means of all seeds: Reno takes "
            "longest and has the most timeouts."
        ),
    ),
    Item(
        "black-out-queues",
        "Figures VI.39 and VI.40: black-outs and queues",
        ("Scenario C at 120 kbit/s, without other errors, mean of twenty moments.",),
        (
            *blackouts.C_POINTS,
            *(
                point
                for payload in queues.PAYLOADS
                for queue in queues.QUEUES
                for point in queues.runs(120, payload, 0.1, queue)
            ),
        ),
        Detail.RESULT,
        figures.black_out_queues,
        blackouts.table_c,
        traced=(blackouts.scenario_c(4, 500),),
        caption=(
            "A longer queue adds little throughput (left) and multiplies the round-trip time "
            "(right), per packet more slowly beyond 15 packets: the axis of queues is logarithmic. "
            "Bars are the range over moments."
        ),
    ),
)

_ADVICE: Final = (
    Item(
        "windows",
        "Windows and the path's bandwidth-delay product",
        (),
        advice.WINDOW_POINTS,
        Detail.RESULT,
        tabulate=advice.table_windows,
    ),
    Item(
        "initial-window",
        "Table VI.3: the initial window",
        (
            "With recovery, which the thesis does not state: without it our throughputs at SF 64 "
            "are less than half. Rates count from when the connection is established, as the "
            "thesis's must (s3-8-2); the table also has those that count from the SYN. Of the "
            "throughputs {s3-*} differ.",
            "8,441 B/s at SF 8 with an initial window of 1 fits neither clock: it is less than "
            "over a quarter of the rate.",
        ),
        advice.SHORT_POINTS,
        Detail.RESULT,
        figures.initial_windows,
        advice.table,
        caption=("Rings are medians of twenty seeds, dots the seeds, stars the thesis's numbers."),
    ),
    Item(
        "packet-sizes",
        "Packet sizes with and without recovery",
        (),
        advice.SIZE_POINTS,
        Detail.RESULT,
        tabulate=advice.table_sizes,
    ),
    Item(
        "buffer-manager",
        "The thesis's future work: a buffer that RRC manages",
        (
            "The bearer steps through 480, 60, 480, 120, 480, 240, 480 and 60 kbit/s, 15 s each; "
            "540 B, no errors, a window of 64 packets. The manager lets a flow queue its share of "
            "one product of rate and round-trip time (BDP), half of it if the flow is "
            "interactive, and never less than three packets; it uses the coming rate one round "
            "trip ahead of a change. The table has other factors, too.",
        ),
        buffers.POINTS,
        Detail.TABLES,
        figures.managed,
        buffers.table,
        caption=(
            "Throughput against mean RTT: up and to the left is better. Managed queues (blue, "
            "orange) reach the throughput of fixed ones (grey, with their packets) at a shorter "
            "RTT."
        ),
    ),
    Item(
        "shared-buffer",
        "The same for a bulk and an interactive flow on one bearer",
        (
            "The interactive flow requests 400 B, a packet, about once a second. One fixed queue "
            "for both is compared with a queue for each of its own size: half a BDP for the "
            "interactive flow, 1 to 1,000 for the bulk flow. Both are sent in order of arrival or "
            "in turn.",
            "The best is a queue of its own for each flow, served in turn: then the bulk flow's "
            "may be as long as its throughput requires. By its size alone, in one order of "
            "arrival, the manager beats short queues only.",
            "Throughput can at most equal that of an unlimited queue, which keeps the channel "
            "busy.",
        ),
        sharing.POINTS,
        Detail.RESULT,
        figures.shared,
        sharing.table,
        caption=(
            "Throughput of both flows against the response time of the interactive one: up and to "
            "the left is better. A queue for each flow, served in turn, keeps responses short "
            "however long the bulk flow's queue is."
        ),
    ),
    Item(
        "contradictions",
        "Where chapter VI contradicts itself",
        (),
        (),
        Detail.RESULT,
        traced=(*blackouts.B_POINTS, blackouts.scenario_a()),
    ),
)

ITEMS: Final = (*_RECOVERY, *_QUEUES, *_RATES, *_BLACK_OUTS, *_ADVICE)

MEASURES: Final = {
    **parameters.MEASURES,
    **recovery.MEASURES,
    **delays.MEASURES,
    **limits.MEASURES,
    **queues.MEASURES,
    **readings.MEASURES,
    **rates.MEASURES,
    **blackouts.MEASURES,
    **variants.MEASURES,
    **advice.MEASURES,
    **buffers.MEASURES,
    **sharing.MEASURES,
    **contradictions.MEASURES,
}
"""The measurement of each fact of the chapter, by its id."""
