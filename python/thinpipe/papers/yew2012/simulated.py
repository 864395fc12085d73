"""The items that need runs: what each draws and tabulates, and the words of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.drawing import styled
from thinpipe.papers.facts import below
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Table
from thinpipe.papers.yew2012 import bands, by_band, cells, claims, figures, rules, starts
from thinpipe.papers.yew2012.measuring import (
    bound_s,
    delay_ms,
    dropped,
    efficiency,
    kbps,
    of,
    queue_at,
    ratio,
)
from thinpipe.papers.yew2012.printed import BY_RTT, SPACED, STANDARD, Row
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, Plan
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

OTHERS: Final[tuple[tuple[str, Value], ...]] = (
    ("retransmitted", lambda run: run.flow.retransmits),
    ("timeouts", lambda run: run.flow.timeouts),
    ("dropped by full queues", dropped),
    ("largest queue N1–MAP", partial(queue_at, link="wan/down")),
    ("largest queue MAP–AR1", partial(queue_at, link="AR1/down")),
    ("largest queue of an access point", partial(queue_at, link="WLAN/down")),
    ("bound by AR1 s", partial(bound_s, router="AR1")),
    ("bound by AR2 s", partial(bound_s, router="AR2")),
)
"""Values that the paper does not report."""


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


def tables_2_3(plan: Plan, outcomes: Outcomes) -> Sequence[Table]:
    """Place the rows of Tables II and III among our seeds."""
    return tuple(
        beside(
            caption, printed, {size: plan.tables_2_3[size, spacing] for size in printed}, outcomes
        )
        for caption, printed, spacing in (
            ("Table II, bytes: standard Vegas", STANDARD, OFF),
            ("Table III, bytes: with packet spacing", SPACED, ALWAYS),
        )
    )


def table_4(plan: Plan, outcomes: Outcomes) -> Sequence[Table]:
    """Place the rows of Table IV among our seeds, and add the column that the paper lacks."""
    with_spacing = {rtt: plan.table_4[rtt, ALWAYS] for rtt in BY_RTT}
    without = tuple(
        (
            str(rtt),
            *(
                short(median(of(outcomes, plan.table_4[rtt, OFF], value)), 4)
                for _, value, _ in METRICS
            ),
        )
        for rtt in BY_RTT
    )
    head = ("RTT ms", *(name for name, _, _ in METRICS))
    return (
        beside("Table IV, RTT in ms: with packet spacing", BY_RTT, with_spacing, outcomes),
        Table("Without packet spacing, not in the paper: medians", head, without),
    )


def others(what: str, runs: Mapping[tuple[int, str], Sequence[Point]], outcomes: Outcomes) -> Table:
    """Tabulate what the paper does not report, as medians over seeds."""
    rows = [
        (
            f"{key}, {spacing}",
            *(short(median(of(outcomes, points, value)), 4) for _, value in OTHERS),
        )
        for (key, spacing), points in runs.items()
    ]
    head = (what, *(name for name, _ in OTHERS))
    return Table("Further results, not in the paper: medians", head, tuple(rows))


METRICS_TEXT: Final = (
    "Network delay: the mean one-way delay from CN to MN of the data packets that arrived, each "
    "from its own transmission.",
    "Network throughput: payload of all data packets that arrived, over the whole run.",
    "Network efficiency: data packets that arrived, divided by those sent.",
    "Delay w.r.t. throughput: equation 4, network delay divided by network throughput of a run.",
    "Upper band: a network throughput of at least half of the bottleneck's 1 Mbit/s.",
)
"""The paper defines none of them but the fourth."""

OPEN_TEXT: Final = (
    "Where the paper is silent we chose: cells of 200 m, 802.11b with CSMA/CA, α = 1 and β = 3, "
    "and transfers that start within the first 10 s, in which the mobile leaves home (5 s), no "
    "longer hears it (7 s) and arrives at AR1 (10.8 s). Start times are spread evenly, one per "
    "seed, and are the same for everything that is compared."
)

WALK_TEXT: Final = (
    "At 70 s the mobile enters the overlap, a second later it has a second address and the MAP "
    "binds that one instead of the first (RFC 5380), and at 150 s it leaves AR1's cell and the "
    "first address ends: in 100 s the handover begins and does not end, in 500 s it ends."
)

JUDGING_TEXT: Final = (
    "Runs are compared in pairs with the same seed and start time, and long RTTs with short ones "
    "by start time. Wilcoxon's signed-rank test is applied to the differences, McNemar's test to "
    "the pairs in which only one run is in the upper band, and the binomial test to whether more "
    "than half of some runs are. All three are exact, also with ties, and assume that without an "
    "effect both signs of a difference are equally likely. Pairs without a difference do not "
    "count; if no pair differs, the p-value against the claim is the probability of that if half "
    "of them were to differ as claimed. Kendall's rank correlation is used for runs with seeds of "
    "their own, by the normal approximation; if runs of a seed or a start time belong together, "
    "each such group has a correlation, and the signed-rank test is applied to these.",
    "Each test is one-sided at 5 %, once for the claim and once against it; p-values are shown "
    "uncorrected. A claim holds if all its tests hold, none of them corrected. It does not hold "
    "if a test is against it at 5 % after correction for the number of its tests (Bonferroni's, "
    "which for the minimum p-value is Holm's), so a single test against it may leave it open. "
    "There is no correction for the number of claims: if all fourteen were false, less than one "
    "would hold by chance.",
    "The share of runs in a band is not tested, because it depends on when transfers start (see "
    "starts). Instead, runs with the same start time are compared, or only runs that are in the "
    "lower band or began at home. The effect of 1024 B compared with 512 B is opposite in the two "
    "bands, and is tested separately. The other verdicts are for all our start times, most of "
    "which are at home; notes say where later starts differ.",
)

SHARE_TEXT: Final = (
    "The number of all runs in the upper band has no meaning, because the start times are our "
    "choice; runs begun at home and later are therefore counted separately."
)


def items(plan: Plan) -> tuple[Item, ...]:
    """Return the items that need runs, but for the one beyond the paper."""
    return (
        rules.item(plan),
        by_band.item(plan),
        *_tables(plan),
        *_bands(plan),
        *_claims(plan),
    )


def _tables(plan: Plan) -> tuple[Item, ...]:
    return (
        Item(
            "table-2-3",
            "Tables II and III and Figure 4: packet size",
            (
                *METRICS_TEXT,
                OPEN_TEXT,
                WALK_TEXT,
                "The paper's rows are read as single runs. The table compares them with "
                f"{plan.seeds} seeds of ours, as medians and ranges: “below” says how many of "
                "ours are below the paper's. Most seeds begin at home, some after the move (see "
                "starts); by-band has runs of the row's own band, and judges them.",
            ),
            tuple(point for points in plan.tables_2_3.values() for point in points),
            Detail.RESULT,
            styled(partial(figures.by_size, plan)),
            lambda outcomes: (
                *tables_2_3(plan, outcomes),
                others("packet, spacing", plan.tables_2_3, outcomes),
            ),
            caption=(
                "Blue is the median of ours with the range over seeds, orange the paper's single "
                "runs; without spacing on the left, with it on the right."
            ),
        ),
        Item(
            "table-4",
            "Table IV and Figure 6: round-trip time",
            (
                "512 B, 50 packets, 500 s. The paper has no runs without spacing; ours are "
                f"shown. Each RTT has {plan.seeds} seeds of its own, and the same start times.",
            ),
            tuple(point for points in plan.table_4.values() for point in points),
            Detail.RESULT,
            styled(partial(figures.by_rtt, plan)),
            lambda outcomes: (
                *table_4(plan, outcomes),
                others("RTT ms, spacing", plan.table_4, outcomes),
            ),
            caption=(
                "Rings and squares are our runs, lines their medians, stars the paper's rows. "
                "Throughput and losses are in two bands."
            ),
        ),
        Item(
            "figure-7-8",
            "Figures 7 and 8: throughput over time",
            (
                "One run of each RTT with spacing: the start times in turn, whatever their band.",
                "Throughput: payload acknowledged in 5 s. Cumulative throughput: payload "
                "acknowledged so far, divided by the time so far. Values above 1 Mbit/s were "
                "delivered at home, before the mobile left.",
            ),
            tuple(plan.courses.values()),
            Detail.TABLES,
            styled(partial(figures.courses, plan)),
            caption=(
                "Throughput over 5 s (above) and so far (below): each run settles in the upper or "
                "the lower band, whatever its RTT."
            ),
        ),
    )


def _bands(plan: Plan) -> tuple[Item, ...]:
    compared, buffered = bands.kinds(plan), bands.buffered(plan)
    return (
        Item(
            "starts",
            "Why there are two bands",
            (
                "One transfer per run, starting at 0.25 to 29.75 s. Those that start while the "
                "mobile hears its home see a round trip of 9 ms there; after the move none is as "
                "short.",
                "So the share of runs in the upper band depends on when transfers start, which "
                "the paper does not say: it is zero if all start while the mobile is at home, and "
                "grows with the number that start after that.",
            ),
            starts.points(plan),
            Detail.RESULT,
            styled(partial(starts.draw, plan)),
            partial(starts.table, plan),
            caption=(
                "Above, transfers by their start: those that saw a round trip at home are in the "
                "lower band, later ones in the upper. Below, the share in the upper band of all "
                "that start until then."
            ),
        ),
        Item(
            "bands",
            "The two bands",
            (
                "Vegas compares its throughput with what its base RTT, the smallest one seen, "
                "would allow. A transfer that begins at home measures a base RTT of 9 ms. After "
                "the move no round trip is as short, Vegas takes the difference for a queue, and "
                "keeps its window at a few packets. A transfer that begins after the move "
                "measures the base RTT of the new path. So does, rarely, one that was reduced to "
                "one segment per round trip, after which Vegas restarts its base RTT.",
                "So the band depends on where the transfer began, not on RTT or spacing; the "
                "paper's own lower rows are windows of four segments (see own-numbers). The third "
                "kind of runs tests this cause: its base RTT is measured anew after each "
                "handover, everything else equal.",
                SHARE_TEXT,
            ),
            bands.all_of(compared),
            Detail.RESULT,
            styled(partial(bands.draw, compared=compared)),
            partial(bands.table, compared=compared),
            caption=(
                "Each mark is a run. Two bands appear with spacing and without; with a base RTT "
                "renewed at the handover only the upper one."
            ),
        ),
        Item(
            "base-rtt",
            "The base RTT of each seed",
            (
                "With spacing, in the order of start times. A base RTT below the minimum round "
                "trip of the new path was measured elsewhere.",
            ),
            bands.seen(plan),
            Detail.TABLES,
            tabulate=partial(bands.seed_table, plan),
        ),
        Item(
            "buffers",
            "A buffer of 0.835 bandwidth-delay products",
            (
                "The paper recommends these buffers and never ran them. Here every link has them.",
                SHARE_TEXT,
            ),
            bands.all_of(buffered),
            Detail.RESULT,
            styled(partial(bands.draw, compared=buffered)),
            partial(bands.table, compared=buffered),
            caption=(
                "Each mark is a run: the two bands are the same with either buffer, with spacing "
                "and without."
            ),
        ),
    )


def _claims(plan: Plan) -> tuple[Item, ...]:
    bursts, accuracy = (claims.bursts(plan),), (claims.accuracy(plan),)
    others = claims.claims(plan)
    return (
        Item(
            "slow-start",
            "Bursts: queues, losses and the end of slow start",
            (
                "512 B and a buffer of 50 packets, with spacing compared with none, seed by seed; "
                "the tests are those of the other claims.",
            ),
            claims.points(bursts),
            Detail.TABLES,
            tabulate=lambda outcomes: claims.table(outcomes, bursts),
        ),
        Item(
            "accuracy",
            "What spacing takes for the round-trip time",
            (
                "Equation 3 needs an RTT when a segment leaves. The paper takes the latest sample "
                "and not the base RTT, because a mobile moves. Both are compared with the round "
                "trip that the segment then has, RTT 100 ms, 500 s, seed by seed.",
            ),
            claims.points(accuracy),
            Detail.TABLES,
            tabulate=lambda outcomes: claims.table(outcomes, accuracy),
        ),
        Item(
            "claims",
            "The other claims",
            (
                *JUDGING_TEXT,
                "With fifty seeds instead of ten every claim has the same verdict except C5 and "
                "C6, which ten leave open, with three that begin later; notes say where single "
                "tests of a claim differ.",
                "C4 and C13 contain a word that has one meaning in all papers; it judges "
                "their facts, and their tests are shown beside them.",
            ),
            tuple(dict.fromkeys((*claims.points(others), *claims.on_a_wire(plan)))),
            Detail.RESULT,
            tabulate=lambda outcomes: claims.table(outcomes, others),
        ),
    )


def _told(claim: claims.Claim, outcomes: Outcomes) -> list[float]:
    """Return 1 where a claim holds, −1 where it does not, 0 where that cannot be told."""
    return [float(claim.verdict(outcomes).value)]


def measures(plan: Plan) -> dict[str, Measure]:
    """Return the measures of facts that need runs, by id."""
    return {
        **{
            claim.id: partial(_told, claim)
            for claim in (*claims.claims(plan), claims.bursts(plan), claims.accuracy(plan))
        },
        **{name: partial(measure, plan) for name, measure in bands.MEASURES.items()},
        **cells.measures(plan),
        **by_band.measures(plan),
        **rules.measures(plan),
        "starts-band": partial(starts.made_by_start, plan),
        "c4": partial(claims.grows_with_size, plan),
        "c7-delay": partial(claims.grows_with_rtt, plan),
        "c13": partial(claims.less_than_wired, plan, at_home=True),
        "c13-later": partial(claims.less_than_wired, plan, at_home=False),
        "slope-upper": partial(claims.slope, plan),
        "slope-lower": partial(by_band.slope, plan),
    }
