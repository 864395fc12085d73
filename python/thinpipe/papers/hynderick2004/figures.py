"""The thesis's figures, drawn like the thesis's, and ours beside its formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.papers.hynderick2004 import formulas, theory
from thinpipe.papers.hynderick2004.check import completed_s, mean_share
from thinpipe.papers.hynderick2004.experiments import (
    BITS,
    BURSTS,
    DAMAGES,
    DROPS,
    FORMULA_WINDOW,
    LOSSES,
    OPENED,
    OTHERS,
    QUEUED,
    SIZES,
    SMALL_DROPS,
    SMALL_WINDOW,
    VARIANTS,
    VEGAS_BESIDE,
    VEGAS_DROPS,
    WIDE_WINDOW,
    Study,
    burst,
    four_drops,
    neighbours,
    one_window,
    opening,
    packet_bits,
    queueing,
    small_window,
    two_windows,
)
from thinpipe.papers.hynderick2004.tables import BURST_SERIES, NAMES
from thinpipe.plot.drawing import View
from thinpipe.plot.packets import draw_packets, traced
from thinpipe.plot.series import acks_received, segments_sent, sending_end
from thinpipe.plot.style import COLORS, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

MODULO: Final = 60
"""Where the thesis's packet numbers begin anew."""

SHOWN: Final = View(0.6, 3.3)
"""From before the drop until the last timeout is over."""

TIMEOUT: Final = "Timeout"

HUES: Final = {
    "tahoe": "#000000",
    "reno": "#0072B2",
    "newreno": "#E69F00",
    "sack": "#009E73",
    "fack": "#CC79A7",
}
"""Colours that are distinct with any colour vision (Okabe and Ito, 2008)."""

WINDOWS: Final = (1, 2, 5, 10, 20, 50)
"""Packets a round trip that an axis names."""

MARKERS: Final = {"tahoe": "o", "reno": "s", "newreno": "^", "sack": "D", "fack": "v"}

Drawing = Callable[["Outcomes"], "Figure"]


def styled(draw: Drawing) -> Drawing:
    """Draw in the common style."""

    @wraps(draw)
    def drawing(outcomes: Outcomes) -> Figure:
        with style():
            return draw(outcomes)

    return drawing


def packets(count: int) -> Drawing:
    """Return what draws figure V.10 + count: the traced packets of every variant."""
    drops = DROPS[count - 1]

    @styled
    def drawing(outcomes: Outcomes) -> Figure:
        figure, axes = _grid(2, 3, 10.0, 6.2)
        for ax, variant in zip(axes, VARIANTS, strict=False):
            _draw_packets(ax, outcomes[four_drops(variant, drops)])
            ax.set_title(NAMES[variant])
        known = {
            label: handle
            for ax in axes
            for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        axes[2].tick_params(labelbottom=True)  # nothing is below
        axes[-1].set_axis_off()
        axes[-1].legend(known.values(), known.keys(), loc="center", markerscale=1.6)
        figure.supxlabel("Time (s)")
        figure.supylabel(f"Packet number mod {MODULO}")
        return figure

    return drawing


@styled
def vegas(outcomes: Outcomes) -> Figure:
    """Fig. V.8: two neighbours dropped, or one in a small window; Vegas above and Reno below."""
    figure, axes = _grid(2, 3, 11.0, 6.2)
    alone, shown = SMALL_DROPS[0], []
    for variant in VEGAS_BESIDE:
        shown += [
            (f"{NAMES[variant]}, packets {drops[0]} and {drops[1]}", neighbours(variant, drops))
            for drops in VEGAS_DROPS
        ]
        title = f"{NAMES[variant]}, packet {alone}, window of {SMALL_WINDOW}"
        shown.append((title, small_window(variant, alone)))
    for ax, (title, point) in zip(axes, shown, strict=True):
        _draw_packets(ax, outcomes[point])
        ax.set_title(title)
    axes[0].legend(*axes[-1].get_legend_handles_labels(), markerscale=1.6, fontsize="small")
    figure.supxlabel("Time (s)")
    figure.supylabel(f"Packet number mod {MODULO}")
    return figure


def _draw_packets(ax: Axes, outcome: Outcome) -> None:
    rows = sending_end(outcome.tables["segments"], flow=0)
    seen = traced(
        outcome.tables["hops"], theory.BOTTLENECK, segments_sent(rows), acks_received(rows)
    )
    draw_packets(ax, SHOWN, seen, MODULO)
    for at_s in _timeouts_s(outcome):
        ax.axvline(at_s, color=COLORS["retransmission"], linestyle="--", linewidth=1, label=TIMEOUT)
    ax.set(xlim=(SHOWN.start_s, SHOWN.end_s), ylim=(-1, MODULO))


def _timeouts_s(outcome: Outcome) -> list[float]:
    events = outcome.tables["events"]
    return list(events.filter(events["event"] == "timeout")["time_s"])


@styled
def bursts(outcomes: Outcomes) -> Figure:
    """Time for the transfer against the drops of a burst; filled marks need a timeout."""
    figure, axes = _grid(1, 2, 9.0, 4.0)
    axes[1].sharey(axes[0])
    for ax, drops, title in (
        (axes[0], one_window, "In one window"),
        (axes[1], two_windows, "In two successive windows"),
    ):
        for name, variant, extra in BURST_SERIES:
            runs = [outcomes[burst(variant, drops(count), extra)] for count in BURSTS]
            _draw_bursts(ax, runs, variant, ":" if extra else "-", name)
        ax.set(title=title, xlabel="Packets dropped", xticks=BURSTS)
    axes[0].set(ylabel="Time for 200 packets (s)")
    axes[1].legend(title="filled: with a timeout", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _draw_bursts(ax: Axes, runs: Sequence[Outcome], variant: str, line: str, label: str) -> None:
    took_s = [completed_s(run) or np.nan for run in runs]
    how: dict[str, Any] = {"color": HUES[variant], "marker": MARKERS[variant], "markersize": 5}
    ax.plot(BURSTS, took_s, line, linewidth=1, markerfacecolor="white", label=label, **how)
    late_s = [s if run.flow.timeouts else np.nan for s, run in zip(took_s, runs, strict=True)]
    ax.plot(BURSTS, late_s, linestyle="none", **how)


@styled
def damage(outcomes: Outcomes) -> Figure:
    """Share of the bottleneck's rate that each variant reaches under random loss."""
    study = Study(outcomes)
    figure, axes = _grid(1, 1, 9.0, 3.6)
    names = (*VARIANTS, *OTHERS)
    width = 0.8 / len(DAMAGES)
    for place, (loss, color) in enumerate(zip(DAMAGES, ("#56B4E9", "#0072B2"), strict=True)):
        shares = [mean_share(study, variant, loss) for variant in names]
        at = np.arange(len(names)) + (place - (len(DAMAGES) - 1) / 2) * width
        axes[0].bar(at, shares, width=0.9 * width, color=color, label=f"{100 * loss:g} % loss")
    axes[0].set(
        ylabel="Goodput with headers (% of the rate)",
        xticks=np.arange(len(names)),
        xticklabels=[NAMES[variant] for variant in names],
        ylim=(0, 100),
    )
    axes[0].grid(visible=False, axis="x")
    axes[0].legend(loc="upper left")
    return figure


@styled
def tahoe_factor(outcomes: Outcomes) -> Figure:
    """Fig. IV.6: throughput by the loss probability per packet."""
    study = Study(outcomes)
    figure, axes = _grid(1, 1, 6.0, 4.0)
    _curve(axes[0], LOSSES, lambda p: formulas.tahoe_factor(p, FORMULA_WINDOW), "1/(1 + 2PW)")
    by_rounds = partial(formulas.tahoe_factor_by_rounds, window=FORMULA_WINDOW)
    _curve(axes[0], LOSSES, by_rounds, "all round trips counted", line=":")
    for variant in ("tahoe", "reno", "newreno", "sack"):
        values = [theory.factors(study, variant, loss) for loss in LOSSES]
        _points(axes[0], LOSSES, values, HUES[variant], MARKERS[variant], NAMES[variant])
    axes[0].set(
        xscale="log",
        xlabel="Probability P of losing a packet",
        ylabel="Throughput over that without loss",
        ylim=(0, 1.05),
        title=f"W = {FORMULA_WINDOW} packets",
    )
    axes[0].legend()
    return figure


@styled
def tahoe_factor_bits(outcomes: Outcomes) -> Figure:
    """Fig. IV.7: throughput by the loss probability per bit, for several packet sizes."""
    study = Study(outcomes)
    figure, axes = _grid(1, 1, 6.0, 4.0)
    for payload, color, marker in zip(SIZES, HUES.values(), MARKERS.values(), strict=False):
        formula = partial(
            formulas.tahoe_factor_of_bits, packet_bits=packet_bits(payload), window=FORMULA_WINDOW
        )
        _curve(axes[0], BITS, formula, None, color)
        values = [theory.factors_of_bits(study, loss, payload) for loss in BITS]
        _points(axes[0], BITS, values, color, marker, f"Tahoe, {payload} B of payload")
    axes[0].plot([], [], color=COLORS["muted"], linewidth=1, label="1/(1 + 2PSW)")
    axes[0].set(
        xscale="log",
        xlabel="Probability P of losing a bit",
        ylabel="Throughput over that without loss",
        ylim=(0, 1.05),
        title=f"W = {FORMULA_WINDOW} packets",
    )
    axes[0].legend()
    return figure


@styled
def steady_state(outcomes: Outcomes) -> Figure:
    """Packets sent a round trip against the probability of loss, Mathis and PFTK beside."""
    study = Study(outcomes)
    figure, axes = _grid(1, 1, 6.0, 4.4)
    ax = axes[0]
    _curve(ax, LOSSES, formulas.mathis, "Mathis: sqrt(3/2)/sqrt(p)", COLORS["muted"], "--")
    rtt_s = fmean(theory.rtt_s(run) for run in study.lossy("reno", LOSSES[0], WIDE_WINDOW))
    _curve(
        ax,
        LOSSES,
        lambda p: rtt_s * formulas.pftk(p, rtt_s, theory.FIRST_TIMEOUT_S, WIDE_WINDOW),
        "PFTK, full model",
    )
    for variant in ("reno", "newreno", "sack"):
        values = [
            [theory.sent_a_round_trip(run) for run in study.lossy(variant, loss, WIDE_WINDOW)]
            for loss in LOSSES
        ]
        _points(ax, LOSSES, values, HUES[variant], MARKERS[variant], NAMES[variant])
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="Probability p of losing a packet",
        ylabel="Packets sent a round trip",
        yticks=WINDOWS,
        yticklabels=WINDOWS,
    )
    ax.minorticks_off()
    ax.legend()
    return figure


@styled
def slow_start(outcomes: Outcomes) -> Figure:
    """How long slow start lasts, and what it needs of a buffer."""
    figure, (lasts, needs) = _grid(1, 2, 8.0, 3.4)
    lasting = [theory.opened_after(outcomes[opening(window)], window) for window in OPENED]
    needing = [theory.waiting(outcomes[queueing(window)]) for window in QUEUED]
    _against_window(lasts, OPENED, lasting, formulas.slow_start_round_trips, "log2 W")
    _against_window(needs, QUEUED, needing, formulas.slow_start_buffer, "W/2")
    lasts.set(ylabel="Slow start (round trips)", ylim=(0, None))
    needs.set(ylabel="Most packets in the buffer", ylim=(0, None))
    return figure


def _against_window(
    ax: Axes,
    windows: Sequence[int],
    ours: Sequence[float],
    formula: Callable[[float], float],
    label: str,
) -> None:
    _curve(ax, windows, formula, label)
    ax.plot(windows, ours, "o", color=COLORS["data"], label="ours")
    ax.set_xscale("log", base=2)
    ax.set(xlabel="Window W (packets)", xticks=windows, xticklabels=windows)
    ax.legend()


def _curve(
    ax: Axes,
    ends: Sequence[float],
    formula: Callable[[float], float],
    label: str | None,
    color: str = COLORS["muted"],
    line: str = "-",
) -> None:
    x = np.geomspace(ends[0], ends[-1], 200)
    ax.plot(x, [formula(float(each)) for each in x], line, color=color, linewidth=1, label=label)


def _points(
    ax: Axes,
    x: Sequence[float],
    values: Sequence[Sequence[float]],
    color: str,
    marker: str,
    label: str,
) -> None:
    """Draw means, and the range over seeds as lines."""
    mean = np.array([fmean(each) for each in values])
    low, high = (np.array([end(each) for each in values]) for end in (min, max))
    ax.errorbar(x, mean, yerr=[mean - low, high - mean], linestyle="none", color=color,
                marker=marker, markersize=5, markerfacecolor="none", elinewidth=0.8,
                label=label)  # fmt: skip


def _grid(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    many = rows * columns > 1
    axes = figure.subplots(rows, columns, squeeze=False, sharex=rows > 1, sharey=many and rows > 1)
    return figure, list(axes.flat)
