"""Tables II to IV by band: each row beside runs that begin as its band asks for."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.papers.chakravorty2003.drawing import BLACK, HUES, how, one_legend, panels, styled
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Table
from thinpipe.papers.yew2012.arithmetic import WIRES_MS, band, by_letter, grown
from thinpipe.papers.yew2012.cells import COLUMNS, DELAY, II, III, ITEM, IV, KBPS, TABLES, held
from thinpipe.papers.yew2012.claims import per_ms
from thinpipe.papers.yew2012.figures import LABELS
from thinpipe.papers.yew2012.measuring import delay_ms, kbps, of
from thinpipe.papers.yew2012.printed import PACKET, RTTS, SIZES, SPACED, TABLE_RTT
from thinpipe.papers.yew2012.setup import (
    APART,
    AS_IS,
    BARE,
    FAST,
    GAP,
    LETTER,
    LOWER_RTT,
    SINGLE,
    SWEEP_RTT,
    TUNNELLED,
    Plan,
    Points,
    Settings,
)
from thinpipe.papers.yew2012.verdicts import mean_rank
from thinpipe.plot.drawing import log_scale
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.cells import Column, Printed

    Measure = Callable[[Outcomes], Sequence[float]]

FOUR: Final = 4
"""Segments of the lower band."""

BEYOND_MS: Final = float(
    np.mean([float(row.delay_ms) - rtt / 2 for rtt, row in band(upper=False).items()]) + WIRES_MS
)
"""By how much a round trip of the lower band is longer than the RTT of its row."""


def points(plan: Plan) -> Points:
    """Return the runs behind the rows, and those with a part of the set-up otherwise."""
    rows = (point for table in TABLES for key in table.rows for point in table.runs(plan, key))
    others = (*_otherwise(plan).values(), *_literal(plan))
    return (*rows, *(point for points in others for point in points))


def _otherwise(plan: Plan) -> dict[str, Points]:
    """Return runs with one part of the set-up otherwise, by fact id."""
    return {
        "lower-bare": plan.in_band(LOWER_RTT, BARE),
        "lower-fast": plan.in_band(LOWER_RTT, FAST),
        "lower-tunnelled": plan.in_band(LOWER_RTT, TUNNELLED),
        "lower-apart": plan.in_band(LOWER_RTT, APART),
        "upper-single": plan.in_band(min(band(upper=True)), SINGLE),
        "upper-gap": plan.in_band(SWEEP_RTT, GAP),
    }


def queueing_grows(plan: Plan, outcomes: Outcomes) -> list[float]:
    """Return the mean rank correlation of the delay beyond RTT/2 and the RTT, upper band."""
    beyond = {
        rtt: [delay - rtt / 2 for delay in of(outcomes, plan.in_band(rtt), delay_ms)]
        for rtt in band(upper=True)
    }
    return [mean_rank(beyond)]


def falls(ends: tuple[Points, Points], outcomes: Outcomes) -> list[float]:
    """Return by how much throughput falls from the first to the last RTT, in %."""
    first, last = (median(of(outcomes, points, kbps)) for points in ends)
    return [100 * (1 - last / first)]


def _ends(plan: Plan, more: Settings = AS_IS) -> tuple[Points, Points]:
    """Return the runs of the first and the last row of the upper band."""
    first, *_, last = (plan.in_band(rtt, more) for rtt in band(upper=True))
    return first, last


def slope(plan: Plan, outcomes: Outcomes) -> list[float]:
    """Return by how much the delay of the lower band grows per ms of RTT, by least squares."""
    runs = {rtt: of(outcomes, plan.in_band(rtt), delay_ms) for rtt in band(upper=False)}
    return per_ms(runs)


def _literal(plan: Plan) -> tuple[Points, Points]:
    """Return those of a Vegas to the letter; three, as Python is slow and chance small."""
    first, last = _ends(plan, LETTER)
    return first[:3], last[:3]


def measures(plan: Plan) -> dict[str, Measure]:
    """Return the measures by fact id."""

    def middle(points: Points, outcomes: Outcomes) -> list[float]:
        return [median(of(outcomes, points, kbps))]

    return {
        "c7": partial(queueing_grows, plan),
        "upper-falls": partial(falls, _ends(plan)),
        "upper-letter": partial(falls, _literal(plan)),
        **{name: partial(middle, points) for name, points in _otherwise(plan).items()},
    }


def _beside(
    ax: Axes, table: Printed, keys: Iterable[int], column: Column, look: int, label: str,
    runs: Mapping[int, list[float]],
) -> None:  # fmt: skip
    """Draw the paper's rows, and beside them medians of ours with the range over seeds."""
    chosen = [*keys]
    style = how(look, linestyle="none", markersize=5)
    star = {**style, "marker": "*", "markersize": 8, "markerfacecolor": HUES[look]}
    stated = [float(column.printed(table.rows[key])) for key in chosen]
    ax.plot(chosen, stated, label=f"paper, {label}", **star)
    aside = [key + 2 if table is IV else key * (1.08 if table is II else 1.16) for key in chosen]
    middles = [median(runs[key]) for key in chosen]
    below = [middle - min(runs[key]) for key, middle in zip(chosen, middles, strict=True)]
    above = [max(runs[key]) - middle for key, middle in zip(chosen, middles, strict=True)]
    ax.errorbar(aside, middles, yerr=[below, above], label=f"ours, {label}", capsize=2, **style)


def _lines(left: Axes, right: Axes) -> None:
    """Draw what explains the bands: four segments a round trip, and equation 2 to the letter."""
    look: dict[str, Any] = {"color": BLACK, "linestyle": "--", "linewidth": 1.0}
    rtts = np.linspace(RTTS[0], RTTS[-1], 100)
    left.plot(rtts, 8 * PACKET * FOUR / (rtts + BEYOND_MS), **look)
    round_trips = [float(row.delay_ms) + TABLE_RTT / 2 + WIRES_MS for row in SPACED.values()]
    sent = [8 * size * FOUR / time for size, time in zip(SIZES, round_trips, strict=True)]
    right.plot(SIZES, sent, label="four segments a round trip", **look)
    upper = [*band(upper=True)]
    literal = [grown(rtt, by_letter) for rtt in upper]
    look["linestyle"] = ":"
    left.plot(upper, literal, label="equation 2 to the letter", **look)


def draw(plan: Plan, outcomes: Outcomes) -> Figure:
    """Draw throughput above and delay below: Table IV against RTT, II and III against size."""
    figure, axes = panels(2, 2, 9.6, 7.2)
    for row, column in enumerate((KBPS, DELAY)):
        left, right = axes[2 * row : 2 * row + 2]
        found = {
            each.name: {
                key: of(outcomes, each.runs(plan, key), column.measured) for key in each.rows
            }
            for each in TABLES
        }
        for look, (upper, label) in enumerate(((True, "upper band"), (False, "lower band"))):
            _beside(left, IV, band(upper=upper), column, look, label, found["IV"])
        for look, each in ((2, II), (3, III)):
            label = f"Table {each.name}"
            _beside(right, each, each.rows, column, look, label, found[each.name])
        left.set(xticks=RTTS, ylabel=LABELS[column.name], ylim=(0, None))
        right.set(xscale="log", ylim=(0, None))
        right.set_xticks(SIZES, [str(size) for size in SIZES], minor=False)
    _lines(*axes[:2])
    axes[0].set(title="Table IV")
    axes[1].set(title="Tables II and III", ylim=(10, 500))
    log_scale(axes[1])
    axes[2].set(xlabel="RTT (ms)")
    axes[3].set(xlabel="Packet size (B)")
    for ax in axes[1::2]:
        ax.minorticks_off()
    one_legend(figure, axes, columns=5)
    return figure


def table(plan: Plan, outcomes: Outcomes) -> Sequence[Table]:
    """Tabulate each row: its window by the paper's numbers, its columns, and ours."""
    rows = []
    for each in TABLES:
        for key, row in each.rows.items():
            line = [f"{each.name}, {key} {each.unit}", "upper" if row.is_upper else "lower"]
            line.append(f"{held(each, key):.2f}")
            for column in COLUMNS:
                values = of(outcomes, each.runs(plan, key), column.measured)
                spread = f"{short(median(values))} ({short(min(values))} – {short(max(values))})"
                line += [str(column.printed(row)), spread]
            rows.append(tuple(line))
    columns = [part for column in COLUMNS for part in (f"paper: {column.name}", "ours")]
    head = ("row", "band", "segments by the paper's numbers", *columns)
    return (Table("Delay in ms, throughput in kbit/s, packets lost in %", head, tuple(rows)),)


def item(plan: Plan) -> Item:
    """Return the item."""
    return Item(
        ITEM,
        "Tables II to IV by band",
        (
            "The paper's rows are single runs in one of two bands, and which band depends on where "
            "the transfer begins (see starts). So each row is compared with runs of its own band.",
            f"Upper band: {plan.seeds} transfers that begin after the move, at 12 to 22 s, in the "
            "set-up of the other items.",
            f"Lower band: {plan.seeds} transfers that begin before the mobile leaves, at 0 to 5 s, "
            "with what ns-2 has by default: no tunnel back to the home agent, no check of new "
            "addresses, 802.11 at 1 Mbit/s with RTS and CTS. Their home's cell overlaps with that "
            "of AR1. With 802.11 at 1 Mbit/s the upper band is out of reach, so that no set-up of "
            "ours gives both bands.",
        ),
        points(plan),
        Detail.RESULT,
        styled(partial(draw, plan)),
        partial(table, plan),
        caption=(
            "Stars are the paper's rows, other marks ours: medians with the range over seeds. The "
            "lower band is four segments a round trip (dashed). The upper one falls with the RTT "
            "in the paper, as if the window grew by 1/CWND a round trip from three segments on, "
            "up to packets of 592 B at 1 Mbit/s (dotted), and not in ours."
        ),
    )
