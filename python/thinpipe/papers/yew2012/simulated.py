"""The items that need runs: what each draws and tabulates, and the words of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Final

from thinpipe.papers.facts import below
from thinpipe.papers.outcomes import Keep
from thinpipe.papers.paper import Item, Table
from thinpipe.papers.yew2012 import bands, claims, figures, setup
from thinpipe.papers.yew2012.measuring import delay_ms, efficiency, kbps, of, ratio
from thinpipe.papers.yew2012.printed import BY_RTT, SPACED, STANDARD, Row
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, TABLE_4, TABLES_2_3
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from decimal import Decimal

    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.measuring import Value
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

METRICS: Final[tuple[tuple[str, Value, Callable[[Row], Decimal]], ...]] = (
    ("delay ms", delay_ms, lambda row: row.delay_ms),
    ("kbit/s", kbps, lambda row: row.kbps),
    ("efficiency %", efficiency, lambda row: row.efficiency),
    ("ratio", ratio, lambda row: row.ratio),
)
"""The columns of Tables II to IV."""


def beside(
    caption: str,
    printed: Mapping[int, Row],
    runs: Mapping[int, Sequence[Point]],
    outcomes: Outcomes,
) -> Table:
    """Tabulate the paper's single numbers, ours over seeds, and how many of ours lie below."""
    rows = []
    for key, points in runs.items():
        cells = [str(key)]
        for _, value, column in METRICS:
            found, stated = of(outcomes, points, value), float(column(printed[key]))
            spread = f"{short(median(found))} ({short(min(found))} – {short(max(found))})"
            cells += [str(column(printed[key])), spread, f"{below(found, stated)}/{len(found)}"]
        rows.append(tuple(cells))
    head = [part for name, _, _ in METRICS for part in (f"paper: {name}", "ours", "below")]
    return Table(caption, ("", *head), tuple(rows))


def tables_2_3(outcomes: Outcomes) -> Sequence[Table]:
    """Place the rows of Tables II and III among our seeds."""
    return tuple(
        beside(caption, printed, {size: TABLES_2_3[size, spacing] for size in printed}, outcomes)
        for caption, printed, spacing in (
            ("Table II, bytes: standard Vegas", STANDARD, OFF),
            ("Table III, bytes: with packet spacing", SPACED, ALWAYS),
        )
    )


def table_4(outcomes: Outcomes) -> Sequence[Table]:
    """Place the rows of Table IV among our seeds, and add the column that the paper lacks."""
    with_spacing = {rtt: TABLE_4[rtt, ALWAYS] for rtt in BY_RTT}
    without = tuple(
        (
            str(rtt),
            *(short(median(of(outcomes, TABLE_4[rtt, OFF], value)), 4) for _, value, _ in METRICS),
        )
        for rtt in BY_RTT
    )
    head = ("RTT ms", *(name for name, _, _ in METRICS))
    return (
        beside("Table IV, RTT in ms: with packet spacing", BY_RTT, with_spacing, outcomes),
        Table("Without packet spacing, not in the paper: medians", head, without),
    )


METRICS_TEXT: Final = (
    "Network delay: the mean one-way delay from CN to MN of the data packets that arrived, each "
    "from its own transmission. Network throughput: payload of all data packets that arrived, "
    "over the whole run. Network efficiency: data packets that arrived over those sent. Delay "
    "w.r.t. throughput: equation 4 of the two means."
)

OPEN_TEXT: Final = (
    "What the paper leaves open is chosen so: cells of 200 m, 802.11b with CSMA/CA, α = 1 and "
    "β = 3, and a transfer that starts at a time drawn by each seed from the first 10 s, in which "
    "the mobile leaves home (5 s) and arrives at AR1 (10.8 s)."
)

SIMULATED: Final = (
    Item(
        "table-2-3",
        "Tables II and III and Figure 4: packet size",
        (
            METRICS_TEXT,
            OPEN_TEXT,
            "The paper's rows are single runs. They are placed among ten seeds of ours and not "
            "judged: “below” says how many of ours lie below. In 100 s the handover to AR2 begins "
            "and does not end.",
        ),
        tuple(point for points in TABLES_2_3.values() for point in points),
        Keep.RESULT,
        figures.ratio_by_size,
        tables_2_3,
    ),
    Item(
        "table-4",
        "Table IV and Figure 6: round-trip time",
        (
            "512 B, 50 packets, 500 s. The paper has no run without spacing; ours stand beside. "
            "Each RTT has seeds of its own.",
        ),
        tuple(point for points in TABLE_4.values() for point in points),
        Keep.RESULT,
        figures.by_rtt,
        table_4,
    ),
    Item(
        "figure-7-8",
        "Figures 7 and 8: throughput over time",
        ("One run of each RTT with spacing, whatever its band.",),
        tuple(setup.COURSES.values()),
        Keep.TABLES,
        figures.courses,
    ),
    Item(
        "bands",
        "The two bands",
        (
            "Vegas compares its throughput with what its base RTT, the smallest one seen, would "
            "allow. A transfer that begins at home learns a base RTT of 9 ms. After the move no "
            "round trip is as short, Vegas takes the difference for a queue, and keeps its window "
            "at a few packets. One that begins after the move learns the new path's.",
            "So the band is decided by where the transfer began, not by the RTT; the paper's own "
            "lower rows fit one base RTT of 19 ms (see own-numbers). With a base RTT that is "
            "learnt anew at each handover there is no lower band.",
        ),
        bands.POINTS,
        Keep.RESULT,
        bands.draw,
        bands.table,
    ),
    Item(
        "base-rtt",
        "The base RTT of each seed",
        (
            "With spacing, in the order in which transfers start. A base RTT below the least "
            "round trip that there still is was learnt elsewhere.",
        ),
        bands.SEEN,
        Keep.TABLES,
        tabulate=bands.seed_table,
    ),
    Item(
        "buffers",
        "A buffer of 0.835 bandwidth-delay products",
        ("The paper recommends these buffers and never ran them. Here every link has them.",),
        bands.BUFFERED_POINTS,
        Keep.RESULT,
        bands.draw_buffers,
        bands.buffer_table,
    ),
    Item(
        "slow-start",
        "Bursts: queues, losses and the end of slow start",
        ("512 B and 50 packets of buffer, with spacing against without, seed by seed.",),
        claims.BURSTS.points,
        Keep.TABLES,
        tabulate=lambda outcomes: claims.table(outcomes, (claims.BURSTS,)),
    ),
    Item(
        "claims",
        "The other claims",
        (
            "Each claim is tested seed by seed: Wilcoxon's signed-rank test for pairs, Kendall's "
            "rank correlation, exact binomial and Fisher tests for shares of runs. It holds where "
            "all its tests reject chance at 5 % (after Holm's correction), does not hold where one "
            "rejects the claim in favour of its opposite, and else cannot be told.",
        ),
        claims.POINTS,
        Keep.RESULT,
        tabulate=lambda outcomes: claims.table(outcomes, claims.CLAIMS),
    ),
)


def _told(claim: claims.Claim, outcomes: Outcomes) -> list[float]:
    """Return 1 where a claim holds, −1 where it does not, 0 where that cannot be told."""
    return [float(claim.told(outcomes).value)]


MEASURES: Final[dict[str, Measure]] = {
    **{claim.id: partial(_told, claim) for claim in (*claims.CLAIMS, claims.BURSTS)},
    **bands.MEASURES,
    "slope-upper": lambda outcomes: claims.slope(outcomes, upper=True),
    "slope-lower": lambda outcomes: claims.slope(outcomes, upper=False),
}
