"""The paper's figures, drawn like the paper's: same axes, ours, with the range over seeds."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.papers.lo2005.experiments import SEEDS, TBLERS, TRACED_SEED, Study, point
from thinpipe.papers.lo2005.model import PATH
from thinpipe.papers.lo2005.stated import stated
from thinpipe.papers.series import Steps, band
from thinpipe.plot.drawing import mark_spurious_timeouts
from thinpipe.plot.histogram import histogram_edges
from thinpipe.plot.series import sending_end
from thinpipe.plot.style import COLORS, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

NAMES = {"vegas": "Vegas", "reno": "Reno"}
MARKERS = {"vegas": "o", "reno": "s"}
DURATION_S = 1000.0
STATED = ((0, "throughput-vegas-0"), (30, "throughput-vegas-30"))
"""Block error rate in percent and the fact that gives the throughput."""

DERIVED = ((30, "throughput-reno-30"),)
"""The same, for what follows from the text."""

RTT_STATED = (
    ("min", 0.12),
    ("mean", stated("rtt-vegas-5-mean")),
    ("max", stated("rtt-vegas-5-greatest")),
)
"""Round-trip times of Vegas at 5 % that the paper gives (s). Ours was fitted to the least."""

GRID_S = 0.020
"""Width of a histogram's bar: round-trip times over a dedicated channel come in steps of it."""

BAND_S = 10.0
"""Interval of the range of round-trip times over seeds."""

BEFORE_TIMEOUT_S = 1.5
AFTER_TIMEOUT_S = 2.5

Drawing = Callable[["Outcomes"], "Figure"]


def styled(draw: Drawing) -> Drawing:
    """Draw in the common style."""

    @wraps(draw)
    def drawing(outcomes: Outcomes) -> Figure:
        with style():
            return draw(outcomes)

    return drawing


@styled
def throughput(outcomes: Outcomes) -> Figure:
    """Fig. 5(a): normalised throughput against transport block error rate."""
    study = Study(outcomes)
    figure, ax = _figure(6.0, 4.2)
    for variant in ("reno", "vegas"):
        shares = [
            [
                PATH.counted * (run.flow.normalized_throughput or 0.0)
                for run in study.runs(variant, tbler)
            ]
            for tbler in TBLERS
        ]
        color = COLORS[variant]
        means = [float(np.mean(each)) for each in shares]
        lows, highs = [min(each) for each in shares], [max(each) for each in shares]
        ax.fill_between(TBLERS, lows, highs, color=color, alpha=0.2, linewidth=0)
        ax.plot(TBLERS, means, color=color, marker=MARKERS[variant], label=NAMES[variant])
    for points, marker, label in (
        (STATED, "D", "stated in the paper"),
        (DERIVED, "h", "derived from the paper"),
    ):
        ax.plot(
            [tbler for tbler, _ in points],
            [stated(name) / 100 for _, name in points],
            linestyle="none",
            marker=marker,
            markersize=10,
            markerfacecolor="none",
            markeredgecolor=COLORS["paper"],
            label=label,
        )
    ax.set(
        xlabel="Transport block error rate (%)",
        ylabel="Throughput / 384 kbit/s",
        xlim=(-1, 31),
        ylim=(0, 1),
    )
    ax.legend()
    return figure


@styled
def cwnd_5(outcomes: Outcomes) -> Figure:
    """Fig. 5(b): congestion windows at 5 %."""
    figure, vegas = _cwnd(Study(outcomes), 5)
    peak_s = stated("cwnd-vegas-5-first-peak")
    _mark_height(vegas, stated("cwnd-vegas-5-mean"), "paper: mean")
    _mark_height(vegas, stated("cwnd-vegas-5-greatest"), "paper: peak")
    _mark_time(vegas, peak_s, f"paper: first peak, {peak_s:g} s")
    return figure


@styled
def cwnd_30(outcomes: Outcomes) -> Figure:
    """Fig. 7(a): congestion windows at 30 %, arrows at Vegas' spurious timeouts."""
    figure, vegas = _cwnd(Study(outcomes), 30)
    _mark_height(vegas, 2, "paper: half\nof the time")
    drop_s = stated("cwnd-vegas-30-first-drop")
    _mark_height(vegas, 4, "paper: end of\nslow start")
    _mark_time(vegas, drop_s, f"paper: down to 3, {drop_s:g} s")
    return figure


@styled
def rtt(outcomes: Outcomes) -> Figure:
    """Fig. 6(a): each round-trip time of Vegas at 5 %."""
    runs = Study(outcomes).runs("vegas", 5)
    table = _shown(runs).tables["rtt"]
    figure, ax = _figure(7.0, 3.8)
    edges = np.arange(0.0, DURATION_S + BAND_S, BAND_S)
    low, high = _range_over_runs(runs, edges)
    ax.stairs(high, edges, baseline=low, fill=True, color=COLORS["vegas"], alpha=0.2)
    ax.plot(
        table["time_s"].to_numpy(),
        table["rtt_s"].to_numpy(),
        linestyle="none",
        marker="+",
        markersize=3,
        markeredgewidth=0.5,
        color=COLORS["vegas"],
        rasterized=True,
    )
    ax.set(xlabel="Time (s)", ylabel="Round-trip time (s)", xlim=(0, DURATION_S), ylim=(0, 0.7))
    for name, value in RTT_STATED:
        _mark_height(ax, value, f"paper: {name}\n{value:g} s")
    return figure


@styled
def rtt_distribution(outcomes: Outcomes) -> Figure:
    """Fig. 6(b): how often each round-trip time of Vegas occurs at 5 %."""
    runs = [run.tables["rtt"]["rtt_s"].to_numpy() for run in Study(outcomes).runs("vegas", 5)]
    edges = histogram_edges(max(float(run.max()) for run in runs), GRID_S)
    counts = np.stack([np.histogram(run, edges)[0] for run in runs])
    centers = (edges[:-1] + edges[1:]) / 2
    mean = counts.mean(axis=0)
    figure, ax = _figure(6.0, 3.8)
    ax.bar(
        centers,
        mean,
        width=0.8 * GRID_S,
        yerr=np.stack([mean - counts.min(axis=0), counts.max(axis=0) - mean]),
        error_kw={"elinewidth": 0.8, "ecolor": COLORS["muted"]},
        color=COLORS["vegas"],
    )
    ax.set(xlabel="Round-trip time (s)", ylabel="Samples in 1000 s", xlim=(0, 0.7))
    for name, value in RTT_STATED:
        _mark_time(ax, value, f"paper\n{name}\n{value:g} s")
    return figure


@styled
def spurious_timeout(outcomes: Outcomes) -> Figure:
    """Fig. 7(b): segments and acknowledgements around a spurious timeout of Vegas at 30 %."""
    from matplotlib.ticker import MaxNLocator

    outcome = outcomes[point("vegas", 30, TRACED_SEED)]
    events, rows = outcome.tables["events"], sending_end(outcome.tables["segments"], flow=0)
    at = float(events.filter(events["event"] == "spurious_timeout")["time_s"][0])
    start_s, end_s = at - BEFORE_TIMEOUT_S, at + AFTER_TIMEOUT_S
    view = rows.filter((rows["time_s"] >= start_s) & (rows["time_s"] <= end_s))
    figure, ax = _figure(6.4, 4.2)
    sent = view.filter(view["event"] == "sent")
    heard = view.filter(view["event"] == "received")
    for rows, kind, marker, label in (
        (sent.filter(sent["transmission"] == 1), "data", "s", "segment"),
        (sent.filter(sent["transmission"] > 1), "retransmission", "^", "retransmitted, needlessly"),
    ):
        ax.plot(rows["time_s"].to_numpy(), _number(rows["seq"].to_numpy()), linestyle="none",
                marker=marker, color=COLORS[kind], label=label)  # fmt: skip
    ax.plot(heard["time_s"].to_numpy(), _number(heard["ack"].to_numpy()) - 1, linestyle="none",
            marker="x", color=COLORS["acknowledgement"], label="acknowledgement")  # fmt: skip
    ax.axvline(at, color=COLORS["timeout"], linestyle="--", linewidth=1, label="timeout (RTO)")
    ax.set(xlabel="Time (s)", ylabel="Segment number", xlim=(start_s, end_s))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="lower right")
    return figure


@styled
def beyond(outcomes: Outcomes) -> Figure:
    """Throughput from 0 to 50 %, on a logarithmic scale: where Vegas collapses."""
    study = Study(outcomes)
    tblers = (*TBLERS, 40, 50)
    figure, ax = _figure(6.0, 3.6)
    for variant in ("reno", "vegas"):
        shares = [
            [
                PATH.counted * (run.flow.normalized_throughput or np.nan)
                for run in study.runs(variant, tbler)
            ]
            for tbler in tblers
        ]
        color = COLORS[variant]
        ax.fill_between(tblers, np.nanmin(shares, axis=1), np.nanmax(shares, axis=1), color=color,
                        alpha=0.2, linewidth=0)  # fmt: skip
        ax.plot(tblers, np.nanmean(shares, axis=1), color=color, marker=MARKERS[variant],
                label=NAMES[variant])  # fmt: skip
    ax.set(xlabel="Transport block error rate (%)", ylabel="Throughput / 384 kbit/s", yscale="log")
    _mark_height(ax, stated("throughput-vegas-30") / 100, "paper:\nVegas, 30 %")
    ax.legend()
    return figure


def _cwnd(study: Study, tbler: int) -> tuple[Figure, Axes]:
    """Draw both variants above and Vegas alone below; return the latter's axes too."""
    figure, (both, vegas) = _figures(7.0, 5.6, [2, 1])
    for variant in ("reno", "vegas"):
        curves = [Steps.cwnd(run) for run in study.runs(variant, tbler)]
        _curve(both, variant, curves)
        if variant == "vegas":
            _curve(vegas, variant, curves)
    shown = _shown(study.runs("vegas", tbler))
    curve = Steps.cwnd(shown)
    mark_spurious_timeouts(both, shown.tables["events"], curve.time_s, curve.value)
    both.set(ylabel="Congestion window (segments)", xlim=(0, DURATION_S), ylim=(0, 70))
    both.legend(loc="center right", title=f"{tbler} % block errors")
    vegas.set(xlabel="Time (s)", ylabel="Vegas alone", ylim=(0, None))
    return figure, vegas


def _curve(ax: Axes, variant: str, curves: list[Steps]) -> None:
    grid_s = np.linspace(0.0, DURATION_S, 1001)
    low, high = band(curves, grid_s)
    # The outline keeps the band in sight where all seeds agree.
    ax.fill_between(grid_s, low, high, step="post", color=COLORS[variant], alpha=0.25, linewidth=1)
    shown = curves[0]
    time_s = np.append(shown.time_s, shown.end_s)
    value = np.append(shown.value, shown.value[-1])
    ax.step(time_s, value, where="post", color=COLORS[variant], linewidth=1, label=NAMES[variant])


def _range_over_runs(runs: list[Outcome], edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the maximum round-trip time of all runs within each interval."""
    low, high = np.full(len(edges) - 1, np.inf), np.zeros(len(edges) - 1)
    for run in runs:
        table = run.tables["rtt"]
        place = np.searchsorted(edges, table["time_s"].to_numpy(), side="right") - 1
        rtt_s = table["rtt_s"].to_numpy()
        np.minimum.at(low, place, rtt_s)
        np.maximum.at(high, place, rtt_s)
    return low, high


def _mark_height(ax: Axes, value: float, label: str) -> None:
    """Mark a value of the paper on the vertical axis."""
    ax.axhline(value, color=COLORS["paper"], linestyle=":", linewidth=0.9)
    ax.text(1.01, value, label, transform=ax.get_yaxis_transform(), va="center", fontsize=7.5)


def _mark_time(ax: Axes, value: float, label: str) -> None:
    """Mark a value of the paper on the horizontal axis."""
    ax.axvline(value, color=COLORS["paper"], linestyle=":", linewidth=0.9)
    ax.text(value, 1.02, label, transform=ax.get_xaxis_transform(), ha="center", fontsize=7.5)


def _shown(runs: list[Outcome]) -> Outcome:
    """Return the run that a curve shows: the first seed's, whatever it looks like."""
    return runs[list(SEEDS).index(TRACED_SEED)]


def _number(sequence: np.ndarray) -> np.ndarray:
    numbers: np.ndarray = (sequence.astype(np.int64) - 1) / PATH.mss
    return numbers


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    return figure, figure.subplots()


def _figures(width: float, height: float, ratios: list[int]) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    axes = figure.subplots(len(ratios), 1, sharex=True, gridspec_kw={"height_ratios": ratios})
    return figure, list(axes)
