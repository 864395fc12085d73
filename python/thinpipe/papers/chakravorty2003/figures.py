"""The figures of the paper, in its style."""

from __future__ import annotations

from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.papers.chakravorty2003 import (
    link,
    plain,
    queueing,
    recovery,
    sharing,
    short,
    stall,
)
from thinpipe.papers.chakravorty2003.drawing import (
    BLACK,
    GREY,
    HUES,
    how,
    in_flight,
    one_legend,
    panels,
    styled,
    trace,
)
from thinpipe.papers.chakravorty2003.measuring import delivered, syns_s
from thinpipe.papers.chakravorty2003.setup import BDP, KB, MSS, PLAIN, RADIO, RATE, clamp
from thinpipe.plot.series import outstanding, sending_end

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

TIME: Final = "Time (s)"
SEQUENCE: Final = "Sequence number (KB)"
OUTSTANDING: Final = "Outstanding data (KB)"
BDP_KB: Final = BDP / KB


DELAYS_S: Final = 3.5
"""The longest delay shown."""


@styled
def delays(outcomes: Outcomes) -> Figure:
    """Figure 1: one-way delays of lone packets, and of those in bursts."""
    figure, axes = panels(1, 3, 13.0, 3.2)
    edges = np.arange(0, DELAYS_S, 0.05).tolist()
    for ax, run, title, ends in zip(
        axes[:2],
        (link.DOWN, link.UP),
        ("(a) Downlink", "(b) Uplink"),
        ((0.6, 3.0), (0.4, 1.3)),
        strict=True,
    ):
        ax.axvspan(*ends, color=GREY, alpha=0.2, linewidth=0, label="range in the paper")
        found = link.delays(outcomes[run[0]])
        ax.hist(found, bins=edges, weights=_per_cent(found), color=HUES[0])
        if run is link.DOWN:
            found = link.delays(outcomes[link.tail(link.AWAKE, "downlink")])
            weights = _per_cent(found)
            ax.hist(
                found,
                bins=edges,
                weights=weights,
                histtype="step",
                color=HUES[1],
                label=link.AWAKE,
            )
        ax.set_title(title)
    parts = link.first_and_rest(outcomes[link.BURSTY[0]])
    for found, name, hue in zip(parts, ("first of three", "those that follow"), HUES, strict=False):
        look: dict[str, Any] = {"color": hue, "label": name, "alpha": 0.7}
        axes[2].hist(found, bins=edges, weights=_per_cent(found), **look)
    axes[2].set_title("(c) Bursts, downlink")
    for ax in axes:
        ax.set(xlabel="Time in flight (s)", ylabel="Packets (%)", xlim=(0, DELAYS_S))
    axes[0].legend(loc="upper right")
    axes[2].legend(loc="upper right")
    return figure


def _per_cent(found: np.ndarray) -> np.ndarray:
    """Return weights with which a histogram counts per cent."""
    return np.full(len(found), 100 / len(found))


@styled
def start_up(outcomes: Outcomes) -> Figure:
    """Figure 2: the first seconds of a connection."""
    figure, axes = panels(1, 2, 10.0, 3.8)
    shown = (
        ("good radio", plain.openings(RADIO)[0], HUES[0]),
        ("worse radio", plain.worse_opening(), HUES[1]),
    )
    for name, point, hue in shown:
        data = outstanding(sending_end(outcomes[point].tables["segments"], flow=0))
        axes[0].step(data.time_s, data.instant_bytes / KB, where="post", color=hue, label=name)
    axes[0].axhline(BDP_KB, color=BLACK, linestyle="--", linewidth=1, label="BDP, 10 KB")
    axes[0].set(xlabel=TIME, ylabel=OUTSTANDING, xlim=(0, 15), ylim=(0, 32))
    axes[0].set_title("(a) Data in flight")
    axes[0].legend(loc="upper left")
    trace(axes[1], outcomes[shown[0][1]])
    for name, point, hue in (
        ("acknowledged at the mobile", shown[0][1], HUES[2]),
        ("the same with the proxy", plain.boxed()[0], GREY),
    ):
        got = delivered(outcomes[point])
        axes[1].step(got.time_s, got.value / KB, where="post", color=hue, label=name)
    axes[1].axvline(10, color=BLACK, linestyle=":", linewidth=1, label="the first 10 s")
    axes[1].set(xlabel=TIME, ylabel=SEQUENCE, xlim=(0, 15), ylim=(0, 60))
    axes[1].set_title("(b) Slow start, good radio")
    axes[1].legend(loc="upper left")
    return figure


@styled
def slow_recovery(outcomes: Outcomes) -> Figure:
    """Figure 3: a loss with 40 KB outstanding, over a slow radio and at the paper's rate."""
    figure, axes = panels(1, 3, 14.0, 3.8)
    slow, better, full = (each / 1000 for each in (plain.DEGRADED, plain.IMPROVED, RATE))
    rates = f"{slow:g}, then {better:g} KB/s", f"{full:g} KB/s"
    for ax, point, hue, letter, rate in (
        (axes[0], plain.degraded(), HUES[0], "a", rates[0]),
        (axes[1], plain.one_lost(), HUES[1], "b", rates[1]),
    ):
        run = outcomes[point]
        trace(ax, run, hue=hue)
        ax.set(xlabel=TIME, ylabel=SEQUENCE, ylim=(0, 130))
        ax.set_title(f"({letter}) {rate}: recovery in {plain.recovery_s(run):.0f} s")
        ax.legend(loc="upper left")
        in_flight(axes[2], run, color=hue, label=rate)
    axes[0].set_xlim(20, 100)
    axes[1].set_xlim(0, 40)
    axes[2].set(xlabel=TIME, ylabel=OUTSTANDING, xlim=(0, 100), ylim=(0, 60))
    axes[2].set_title("(c) Outstanding data")
    axes[2].legend(loc="upper right")
    return figure


@styled
def starved(outcomes: Outcomes) -> Figure:
    """Figure 4: two transfers without the proxy."""
    figure, axes = panels(1, 1, 8.0, 4.2)
    run = outcomes[plain.pair(RADIO, 10)[0]]
    trace(axes[0], run, 0, HUES[0], "f1, sequence number")
    trace(axes[0], run, 1, HUES[1], "f2, sequence number")
    asked_s = syns_s(run, 1)
    axes[0].plot(asked_s, np.zeros(len(asked_s)), "^", color=HUES[3], label="f2, SYN of the mobile")
    axes[0].set(xlabel=TIME, ylabel=SEQUENCE, xlim=(0, 150), ylim=(-8, 420))
    axes[0].legend(loc="upper left")
    return figure


@styled
def repairs(outcomes: Outcomes) -> Figure:
    """How soon losses in bursts are repaired, and when both downloads are there."""
    figure, axes = panels(1, 2, 11.0, 4.2)
    width = 0.8 / len(recovery.SCHEMES)
    places = np.arange(len(recovery.CONDITIONS))
    for number, scheme in enumerate(recovery.SCHEMES):
        look: dict[str, Any] = {"color": HUES[number], "width": width, "label": scheme}
        at = places + width * (number - (len(recovery.SCHEMES) - 1) / 2)
        medians = [recovery.repair_s(outcomes, each, scheme) for each in recovery.CONDITIONS]
        axes[0].bar(at, medians, **look)
        times = [recovery.times_s(outcomes, each, scheme) for each in recovery.CONDITIONS]
        low, middle, high = np.percentile(times, (25, 50, 75), axis=1)
        axes[1].bar(at, middle, yerr=(middle - low, high - middle), capsize=2, **look)
    axes[0].set(ylabel="Loss to repair, median (s)")
    axes[1].set(ylabel="Both downloads, median and quartiles (s)")
    for ax in axes:
        ax.set_xticks(places, [each.replace(" of ", "\nof ") for each in recovery.CONDITIONS])
    one_legend(figure, axes[:1])
    return figure


@styled
def transfer_times(outcomes: Outcomes) -> Figure:
    """Figure 9: transfer times by size, bars the standard deviation of 25."""
    figure, axes = panels(1, 1, 7.5, 4.4)
    for number, (name, more) in enumerate(short.SERIES.items()):
        found = [short.times(outcomes, more, kb) for kb in short.SIZES]
        axes[0].errorbar(
            [kb + 0.25 * (number - 1.5) for kb in short.SIZES],
            [fmean(each) for each in found],
            yerr=[stdev(each) for each in found],
            elinewidth=0.9,
            capsize=2,
            label=name,
            **how(number, linestyle="--" if "Linux" in name else "-"),
        )
    axes[0].set(xlabel="Transfer size (KB)", ylabel="Transfer time (s)", ylim=(0, None))
    axes[0].set_xticks(list(short.SIZES))
    axes[0].legend(loc="upper left")
    return figure


@styled
def fairness(outcomes: Outcomes) -> Figure:
    """Figure 10: the second of two transfers, without and with the proxy."""
    figure, axes = panels(2, 2, 10.0, 6.6)
    for row, (name, more) in enumerate((("without", PLAIN), ("with", sharing.BOX))):
        run = outcomes[sharing.runs(RADIO, more)[0]]
        for flow in (0, 1):
            ax = axes[2 * row + flow]
            trace(ax, run, flow, HUES[flow])
            ax.set(xlabel=TIME, ylabel=SEQUENCE, xlim=(0, 120))
            ax.set_ylim((-10, 260) if flow == 0 else (-5, 140))
            ax.set_title(f"{('First', 'Second')[flow]} flow, {name} proxy")
            ax.legend(loc="lower right" if flow == 0 else "upper left")
    return figure


@styled
def queues(outcomes: Outcomes) -> Figure:
    """Figure 11: outstanding data and round-trip times by window."""
    figure, axes = panels(1, 2, 11.0, 4.4)
    shown = (
        *((f"{kb} KB", clamp(kb)) for kb in (6, 10, 12, 16, 32)),
        ("no proxy (in (a) the sender's window)", PLAIN),
    )
    for number, (name, window) in enumerate(shown):
        run = outcomes[queueing.runs(RADIO, window)[0]]
        colour: dict[str, Any] = {"color": HUES[number], "label": name}
        time_s, flight = _flight(run)
        axes[0].step(time_s, flight / KB, where="post", linewidth=1, **colour)
        times_s, found = rtt_curve(run)
        axes[1].plot(times_s, found, linewidth=1, **colour)
    axes[0].set(xlabel=TIME, ylabel=OUTSTANDING, xlim=(0, 260), ylim=(0, 70))
    axes[0].set_title("(a) Outstanding data")
    axes[1].set(xlabel=TIME, ylabel="RTT (s)", xlim=(0, 260), ylim=(0, None))
    axes[1].set_title("(b) Round-trip times")
    one_legend(figure, axes[:1])
    return figure


def _flight(run: Outcome) -> tuple[np.ndarray, np.ndarray]:
    """Return the data in flight over the radio: of the box, or the sender's window."""
    if run.result.middlebox is not None:
        table = run.tables["middlebox_backlog"]
        return table["time_s"].to_numpy(), table["in_flight_bytes"].to_numpy().astype(np.float64)
    table, over_s = run.tables["cwnd"], run.flow.completed_s or run.result.duration_s
    window = table["cwnd_segments"].to_numpy() * MSS
    return np.append(table["time_s"].to_numpy(), over_s), np.append(window, 0)


def rtt_curve(run: Outcome) -> tuple[np.ndarray, np.ndarray]:
    """Return the round-trip times over the radio and when each was taken."""
    name = "rtt" if run.result.middlebox is None else "middlebox_rtt"
    table = run.tables[name]
    return table["time_s"].to_numpy(), table["rtt_s"].to_numpy()


@styled
def swift_recovery(outcomes: Outcomes) -> Figure:
    """Figure 12: a stall at 90 s with the proxy, and in grey without it."""
    figure, axes = panels(2, 2, 10.0, 6.6)
    box, bare = (outcomes[stall.runs(RADIO, more)[0]] for more in (stall.BOX, PLAIN))
    for run, hue, name in ((bare, GREY, "without proxy"), (box, HUES[0], "with proxy")):
        axes[0].plot(*rtt_curve(run), ".", markersize=3, color=hue, label=name)
        in_flight(axes[1], run, color=hue, linewidth=1, label=name)
        seconds = np.arange(60.0, 160.0)
        curve = delivered(run)
        rates = (curve.at(seconds + 1) - curve.at(seconds)) / KB
        axes[2].step(seconds, rates, where="post", color=hue, linewidth=1, label=name)
    trace(axes[3], box)
    for ax, (title, label) in zip(
        axes,
        (
            ("(a) Round-trip times", "RTT (s)"),
            ("(b) Outstanding data", OUTSTANDING),
            ("(c) Throughput at the receiver", "Throughput (KB/s)"),
            ("(d) Sender trace, with proxy", SEQUENCE),
        ),
        strict=True,
    ):
        ax.set(xlabel=TIME, ylabel=label, xlim=(70, 130))
        ax.set_title(title)
        span: dict[str, Any] = {"color": GREY, "alpha": 0.2, "linewidth": 0}
        ax.axvspan(stall.START_S, stall.END_S, label="stall", **span)
    axes[3].set_ylim(200, 520)
    axes[3].legend(*(each[:-1] for each in axes[3].get_legend_handles_labels()), loc="upper left")
    one_legend(figure, axes[1:2])
    return figure
