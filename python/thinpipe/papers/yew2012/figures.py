"""The paper's figures, and what its tables look like."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from thinpipe.papers.chakravorty2003.drawing import BLACK, HUES, how, one_legend, panels
from thinpipe.papers.yew2012.arithmetic import band
from thinpipe.papers.yew2012.cells import COLUMNS, DELAY, KBPS, LOST, Column
from thinpipe.papers.yew2012.measuring import of, ratio, throughput_course
from thinpipe.papers.yew2012.printed import ACCESS_BPS, BY_RTT, RTTS, SIZES, SPACED, STANDARD
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, Plan
from thinpipe.plot.drawing import log_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes

STEP_S: Final = 5.0
"""Over so long the throughput of figure 7 is a mean."""

TICKS: Final = (10, 30, 100, 300, 1000, 3000, 10_000)

LABELS: Final = {
    DELAY.name: "Network delay (ms)",
    KBPS.name: "Throughput (kbit/s)",
    LOST.name: "Packets lost (%)",
    "ratio": "Delay / throughput\n(ms per kbit/s)",
}
"""Of the axes, by the name of a column."""

RATIO: Final = Column(
    "ratio",
    "ms per kbit/s",
    lambda row: f"delay over throughput {row.ratio}",
    lambda row: row.ratio,
    ratio,
)
"""The last column of the tables, which no fact counts: it follows from two others (eq4)."""


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
    columns = (*COLUMNS, RATIO)
    figure, axes = panels(len(columns), 2, 8.4, 11.0)
    for number, column in enumerate(columns):
        pair = axes[2 * number : 2 * number + 2]
        pair[1].sharey(pair[0])
        for ax, spacing, printed in zip(pair, (OFF, ALWAYS), (STANDARD, SPACED), strict=True):
            runs = (plan.tables_2_3[size, spacing] for size in SIZES)
            found = [of(outcomes, points, column.measured) for points in runs]
            ax.fill_between(SIZES, [*map(min, found)], [*map(max, found)], color=HUES[0],
                            alpha=0.2, linewidth=0, label="ours, range over seeds")  # fmt: skip
            ax.plot(SIZES, [*map(median, found)], label="ours, median", **how(0))
            stated = [float(column.printed(printed[size])) for size in SIZES]
            ax.plot(SIZES, stated, label="paper", **how(1, linestyle="--"))
            ax.set(xscale="log")
            ax.set_xticks(SIZES, [str(size) for size in SIZES], minor=False)
            _scale(ax, column)
        pair[0].set(ylabel=LABELS[column.name])
    axes[0].set(title="without spacing")
    axes[1].set(title="with spacing")
    for ax in axes[-2:]:
        ax.set(xlabel="Packet size (B)")
    one_legend(figure, axes, columns=3)
    return figure


def by_rtt(plan: Plan, outcomes: Outcomes) -> Figure:
    """Table IV and Fig. 6: its columns against RTT, each seed a mark; a line is the median."""
    figure, axes = panels(len(COLUMNS), 1, 6.8, 8.6)
    for ax, column in zip(axes, COLUMNS, strict=True):
        for number, (spacing, label) in enumerate(((ALWAYS, "with spacing"), (OFF, "without"))):
            found = [of(outcomes, plan.table_4[rtt, spacing], column.measured) for rtt in RTTS]
            shifted = [rtt + 2.4 * (number - 0.5) for rtt in RTTS]
            for at, values in zip(shifted, found, strict=True):
                look = how(number, linestyle="none", markersize=4)
                ax.plot([at] * len(values), values, label=label, **look)
            ax.plot(shifted, [*map(median, found)], color=HUES[number], linewidth=1.1,
                    label=f"{label}, median")  # fmt: skip
        stated = [float(column.printed(row)) for row in BY_RTT.values()]
        ax.plot(RTTS, stated, "*", color=BLACK, markersize=8, label="paper, with spacing")
        ax.set(ylabel=LABELS[column.name], xticks=RTTS)
        _scale(ax, column)
    axes[0].set(ylim=(0, None))
    axes[-1].set(xlabel="RTT (ms)")
    one_legend(figure, axes, columns=3)
    return figure


def _scale(ax: Axes, column: Column) -> None:
    """Draw a column on a logarithmic scale, but for delays."""
    if column is not DELAY:
        log_scale(ax)
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
