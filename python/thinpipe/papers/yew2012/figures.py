"""The paper's figures, and what its tables look like."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from thinpipe.papers.chakravorty2003.drawing import BLACK, HUES, how, one_legend, panels
from thinpipe.papers.yew2012.arithmetic import band
from thinpipe.papers.yew2012.measuring import (
    delay_ms,
    efficiency,
    kbps,
    of,
    ratio,
    throughput_course,
)
from thinpipe.papers.yew2012.printed import ACCESS_BPS, BY_RTT, RTTS, SIZES, SPACED, STANDARD
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, Plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.printed import Row

STEP_S: Final = 5.0
"""Over so long the throughput of figure 7 is a mean."""

TICKS: Final = (10, 30, 100, 300, 1000, 3000, 10_000)

COLUMNS: Final[
    tuple[tuple[str, str, Callable[[Outcome], float], Callable[[Row], Decimal]], ...]
] = (
    ("Network delay (ms)", "linear", delay_ms, lambda row: row.delay_ms),
    ("Throughput (kbit/s)", "log", kbps, lambda row: row.kbps),
    ("Efficiency (%)", "linear", efficiency, lambda row: row.efficiency),
    ("Delay / throughput\n(ms per kbit/s)", "log", ratio, lambda row: row.ratio),
)
"""Of Tables II to IV: name, scale of the axis, ours, and the paper's."""


def two_states(_: Outcomes) -> Figure:
    """Table IV: throughput, and the delay beyond half an RTT, in either band."""
    figure, (above, below) = panels(2, 1, 6.4, 5.0)
    for number, (upper, name) in enumerate(((False, "lower band"), (True, "upper band"))):
        rows = band(upper=upper)
        look = how(number, linestyle="none", markersize=6, markerfacecolor=HUES[number])
        above.plot([*rows], [float(row.kbps) for row in rows.values()], label=name, **look)
        waits = [float(row.delay_ms) - rtt / 2 for rtt, row in rows.items()]
        below.plot([*rows], waits, label=name, **look)
    above.axhline(ACCESS_BPS / 2000, color=HUES[-1], linestyle=":", linewidth=0.9)
    above.text(151, ACCESS_BPS / 2000 + 15, "half of 1 Mbit/s", ha="right", fontsize=8)
    for ax in (above, below):
        ax.axvline(95, color=HUES[-1], linestyle="--", linewidth=0.9)
    above.text(96, 30, "“upper boundary” of the text", ha="left", fontsize=8)
    above.text(94, 30, "“lower boundary” of the text", ha="right", fontsize=8)
    above.set(ylabel="Throughput (kbit/s)", ylim=(0, 1100))
    below.set(xlabel="RTT (ms)", ylabel="Delay − RTT/2 (ms)", ylim=(20, 30))
    above.legend(loc="upper center", ncols=2)
    return figure


def by_size(plan: Plan, outcomes: Outcomes) -> Figure:
    """Tables II and III and Fig. 4: their columns against packet size; bands are the range."""
    figure, axes = panels(len(COLUMNS), 2, 8.4, 11.0)
    for number, (name, scale, measured, stated) in enumerate(COLUMNS):
        pair = axes[2 * number : 2 * number + 2]
        pair[1].sharey(pair[0])
        for ax, spacing, printed in zip(pair, (OFF, ALWAYS), (STANDARD, SPACED), strict=True):
            found = [of(outcomes, plan.tables_2_3[size, spacing], measured) for size in SIZES]
            ax.fill_between(SIZES, [*map(min, found)], [*map(max, found)], color=HUES[0],
                            alpha=0.2, linewidth=0, label="ours, range over seeds")  # fmt: skip
            ax.plot(SIZES, [*map(median, found)], label="ours, median", **how(0))
            ax.plot(SIZES, [float(stated(printed[size])) for size in SIZES], label="paper",
                    **how(1, linestyle="--"))  # fmt: skip
            ax.set(xscale="log", yscale=scale)
            ax.set_xticks(SIZES, [str(size) for size in SIZES], minor=False)
            _plain_ticks(ax, scale)
        pair[0].set(ylabel=name)
    axes[0].set(title="without spacing")
    axes[1].set(title="with spacing")
    for ax in axes[-2:]:
        ax.set(xlabel="Packet size (B)")
    one_legend(figure, axes, columns=3)
    return figure


def by_rtt(plan: Plan, outcomes: Outcomes) -> Figure:
    """Table IV and Fig. 6: its columns against RTT, each seed a mark; a line is the median."""
    columns = COLUMNS[:-1]
    figure, axes = panels(len(columns), 1, 6.8, 8.6)
    for ax, (name, scale, measured, stated) in zip(axes, columns, strict=True):
        for number, (spacing, label) in enumerate(((ALWAYS, "with spacing"), (OFF, "without"))):
            found = [of(outcomes, plan.table_4[rtt, spacing], measured) for rtt in RTTS]
            shifted = [rtt + 2.4 * (number - 0.5) for rtt in RTTS]
            look = how(number, linestyle="none", markersize=4)
            for at, values in zip(shifted, found, strict=True):
                ax.plot([at] * len(values), values, label=label, **look)
            ax.plot(shifted, [*map(median, found)], color=HUES[number], linewidth=1.1,
                    label=f"{label}, median")  # fmt: skip
        ax.plot(RTTS, [float(stated(row)) for row in BY_RTT.values()], "*", color=BLACK,
                markersize=8, label="paper, with spacing")  # fmt: skip
        ax.set(ylabel=name, yscale=scale, xticks=RTTS)
        _plain_ticks(ax, scale)
    axes[0].set(ylim=(0, None))
    axes[-1].set(xlabel="RTT (ms)")
    one_legend(figure, axes, columns=3)
    return figure


def _plain_ticks(ax: Axes, scale: str) -> None:
    from matplotlib.ticker import LogLocator

    if scale == "log":
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter(lambda tick, _: f"{tick:g}")
    ax.minorticks_off()


def courses(plan: Plan, outcomes: Outcomes) -> Figure:
    """Fig. 7 and 8: throughput and cumulative throughput over time, a curve an RTT.

    At home nothing but 802.11b bounds the throughput, hence logarithms.
    """
    import matplotlib as mpl

    figure, (above, below) = panels(2, 1, 7.4, 6.8)
    colors = mpl.colormaps["viridis"].resampled(len(RTTS) + 1)
    for number, (rtt, point) in enumerate(plan.courses.items()):
        time_s, each, whole = throughput_course(outcomes[point], STEP_S)
        look: dict[str, Any] = {"color": colors(number), "label": f"{rtt} ms"}
        above.stairs(each, [0.0, *time_s], baseline=None, linewidth=1.0, **look)
        below.plot(time_s, whole, linewidth=1.2, **look)
    above.set(ylabel=f"Throughput over {STEP_S:g} s (kbit/s)")
    below.set(xlabel="Time (s)", ylabel="Cumulative throughput (kbit/s)")
    for ax in (above, below):
        ax.set(xlim=(0, None), yscale="log", ylim=(10, 10_000))
        ax.set_yticks(TICKS, [f"{tick:,}" for tick in TICKS])
        ax.minorticks_off()
    one_legend(figure, (above, below), columns=6)
    return figure
