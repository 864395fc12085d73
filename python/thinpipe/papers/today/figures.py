"""The study's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from thinpipe.papers.chakravorty2003.drawing import HUES, panels, styled
from thinpipe.papers.today import causes, experiments
from thinpipe.papers.today.idle_gap import COLUMNS, LONGEST_S, NETWORKS, columns
from thinpipe.papers.today.idle_gap import round_trips as after_gaps
from thinpipe.papers.today.low_orbit import POINTS as PINGS
from thinpipe.papers.today.low_orbit import SLOT_S, least, round_trips
from thinpipe.papers.today.measures import goodput, ping_p95
from thinpipe.papers.today.moving_rate import (
    PERIOD_S,
    TRACED,
    WINDOWS,
    allowed_ms,
    delays_ms,
    moving,
    ratio_db,
)
from thinpipe.papers.today.moving_rate import goodput as file_goodput
from thinpipe.papers.today.setup import NAMES, PIPES, ROWS, SEEDS, VARIANTS, download, heading
from thinpipe.papers.today.stated import FACTS
from thinpipe.sweep.interval import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

WORST: Final = "#F6D3B8"
BEST: Final = "#5AA5D6"
"""Light orange and blue (Okabe and Ito, 2008)."""

COLORS: Final = {
    "cubic": HUES[3],
    "static": HUES[1],
    "half": HUES[2],
    "radio": HUES[0],
    "westwood": HUES[4],
}
MARKERS: Final = dict(zip(COLORS, "sov^D", strict=True))
"""Of the windows of `moving_rate`."""

TICKS_MS: Final = (50, 100, 200, 500, 1000)

LABELS: Final = {
    "cubic": "CUBIC",
    "static": "atcp, fixed window",
    "half": "atcp, half the round trip",
    "radio": "atcp, window by reports",
    "westwood": "atcp, window by what arrives",
}


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean over seeds with its confidence interval."""
    found = Estimate.of(values)
    if found is None:
        raise ValueError("no values")
    return found


def over_seeds(
    outcomes: Outcomes, scenario: str, name: str, value: Callable[[Outcome], float]
) -> Estimate:
    """Return a value of the downloads of a row over a pipe."""
    pipe = PIPES[scenario]
    return estimate([value(outcomes[download(pipe, name, seed)]) for seed in SEEDS])


def rate_text(bps: float) -> str:
    """Return a rate in Mbit/s, kbit/s or bit/s as text."""
    if bps >= 1e6:  # noqa: PLR2004 - a Mbit/s
        return f"{bps / 1e6:.3g} Mbit/s"
    return f"{bps / 1e3:.3g} kbit/s" if bps >= 1e3 else f"{bps:.3g} bit/s"  # noqa: PLR2004


def delay_text(seconds: float) -> str:
    """Return a delay in ms or s as text."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


@styled
def heat_map(outcomes: Outcomes) -> Figure:
    """Draw goodput over each pipe relative to the best of its column, and the delay of a ping."""
    from matplotlib.colors import LinearSegmentedColormap

    figure, (ax,) = panels(1, 1, 1.15 * len(PIPES) + 2.2, 6.4)
    rates = np.array(
        [[over_seeds(outcomes, pipe, name, goodput).mean for pipe in PIPES] for name in ROWS]
    )
    shares = rates / rates.max(axis=0)
    colors = LinearSegmentedColormap.from_list("share", [WORST, "#FFFFFF", BEST])
    image = ax.imshow(100 * shares, cmap=colors, vmin=0, vmax=100, aspect="auto")
    for y, name in enumerate(ROWS):
        for x, pipe in enumerate(PIPES):
            delay = over_seeds(outcomes, pipe, name, ping_p95).mean
            text = f"{rate_text(rates[y, x])}\n{delay_text(delay)}"
            ax.text(x, y, text, ha="center", va="center", fontsize=8)
    ax.set_xticks(range(len(PIPES)), [pipe.title for pipe in PIPES.values()], fontsize=9)
    ax.set_yticks(range(len(ROWS)), [heading(name) for name in ROWS])
    ax.xaxis.tick_top()
    ax.tick_params(top=False, left=False)
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    bar = figure.colorbar(image, ax=ax, shrink=0.7, pad=0.01)
    bar.set_label("Goodput (% of the best in the column)")
    return figure


@styled
def error_rate(outcomes: Outcomes) -> Figure:
    """Draw goodput over the share of blocks in error, for each variant."""
    figure, (ax,) = panels(1, 1, 6.4, 4.0)
    for number, name in enumerate(VARIANTS):
        found = [
            estimate(
                [goodput(outcomes[experiments.in_error(name, rate)(seed)]) / 1e6 for seed in SEEDS]
            )
            for rate in experiments.ERROR_RATES
        ]
        ax.errorbar(
            experiments.ERROR_RATES,
            [each.mean for each in found],
            yerr=[each.half or 0.0 for each in found],
            color=HUES[number],
            marker="os^Dv"[number],
            markerfacecolor="white",
            label=NAMES[name],
            capsize=2,
        )
    ax.set_xlabel("First transmissions in error (%)")
    ax.set_ylabel("Goodput (Mbit/s)")
    ax.set_ylim(bottom=0)
    ax.set_xticks(experiments.ERROR_RATES)
    figure.legend(loc="outside right upper")
    return figure


@styled
def without_causes(outcomes: Outcomes) -> Figure:
    """Draw what CUBIC and Vegas carry over a low orbit, with one cause after the other gone."""
    figure, (ax,) = panels(1, 1, 6.8, 3.6)
    steps = {
        "As it is": ((), True),
        "No changes": ((), False),
        "No losses\neither": ((causes.LOSSLESS,), False),
        "Nor other users\nof the beam": ((causes.OWN_BEAM, causes.LOSSLESS), False),
    }
    for number, name in enumerate(("cubic", "vegas")):
        found = [
            estimate(
                [
                    goodput(outcomes[experiments.leo(name, *more, changes=changes)(seed)]) / 1e6
                    for seed in SEEDS
                ]
            )
            for more, changes in steps.values()
        ]
        bars = ax.bar(
            np.arange(len(steps)) + 0.4 * (number - 0.5),
            [each.mean for each in found],
            0.36,
            yerr=[each.half or 0.0 for each in found],
            color=HUES[VARIANTS.index(name)],
            label=NAMES[name],
            capsize=2,
        )
        ax.bar_label(bars, fmt="%.1f", padding=2, fontsize=8)
    ax.set_xticks(range(len(steps)), list(steps))
    ax.set_ylabel("Goodput (Mbit/s)")
    ax.set_ylim(0, 56)
    ax.legend(loc="upper left")
    return figure


def _waits(ax: Axes, outcome: Outcome, name: str, color: str) -> None:
    """Draw how long packets wait in the cell's queue."""
    queue = outcome.tables["queue"].filter(
        (pl.col("link") == "Uu/down") & pl.col("delay_s").is_not_null()
    )
    spaced = queue.gather_every(max(1, len(queue) // 8_000))
    at, waits = (spaced[column].to_numpy() for column in ("time_s", "delay_s"))
    ax.plot(at, 1000 * waits, color=color, label=LABELS[name], linewidth=1.1)


@styled
def moving_rate(outcomes: Outcomes) -> Figure:
    """Draw the ratio of signal to noise, and what packets wait for it, for two periods."""
    figure, axes = panels(3, 1, 7.6, 7.4)
    begin = 4 * PERIOD_S
    times = np.linspace(begin, begin + 2 * PERIOD_S, 400)
    axes[0].plot(times, [ratio_db(at) for at in times], color=HUES[6])
    axes[0].set_ylabel("SNR (dB)")
    for name in TRACED:
        _waits(axes[1], outcomes[moving(name, SEEDS[0])], name, COLORS[name])
    axes[1].set_yscale("symlog", linthresh=10)
    axes[1].set_ylim(bottom=0)
    axes[1].set_ylabel("Wait in the queue (ms)")
    for ax in axes[:2]:
        ax.set_xlim(begin, begin + 2 * PERIOD_S)
        ax.set_xlabel("Time (s)")
    _compare(axes[2], outcomes)
    handles, labels = axes[1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _compare(ax: Axes, outcomes: Outcomes) -> None:
    """Draw goodput against the mean ping of each window."""
    names = [name for name in WINDOWS if name != "idle"]
    allowed = allowed_ms(outcomes)
    for name in names:
        rate = estimate([file_goodput(outcomes[moving(name, seed)]) / 1e6 for seed in SEEDS])
        ping = estimate([delays_ms(outcomes[moving(name, seed)]) for seed in SEEDS])
        ax.errorbar(
            ping.mean,
            rate.mean,
            xerr=ping.half,
            yerr=rate.half,
            marker=MARKERS[name],
            color=COLORS[name],
            markerfacecolor="white",
        )
        ax.annotate(
            LABELS[name],
            (ping.mean, rate.mean),
            xytext=(8, {"radio": 4, "westwood": -13}.get(name, -4)),
            textcoords="offset points",
        )
    ax.axvline(allowed, color=HUES[6], linestyle="--", linewidth=0.9)
    ax.annotate(
        "1.5 × the unloaded ping\nand a TTI",
        (allowed, 0.5),
        xycoords=("data", "axes fraction"),
        xytext=(4, 0),
        textcoords="offset points",
        fontsize=8,
    )
    ax.set_xscale("log")
    ax.set_xlim(40, 2_000)
    ax.set_xticks(TICKS_MS, [str(tick) for tick in TICKS_MS])
    ax.minorticks_off()
    ax.margins(y=0.25)
    ax.set_xlabel("Ping, mean (ms)")
    ax.set_ylabel("Goodput (Mbit/s)")


SHOWN_S: Final = 180
"""The part of pings that is drawn over time."""


@styled
def low_orbit(outcomes: Outcomes) -> Figure:
    """Draw pings over a low orbit with the least of each slot, and when packets are lost."""
    figure, (above, below) = panels(2, 1, 7.6, 5.6)
    run = outcomes[PINGS[0]]
    times, round_trips_ms = round_trips(run)
    shown = times < SHOWN_S
    above.plot(
        times[shown], round_trips_ms[shown], ".", color=HUES[5], markersize=2, label="A ping"
    )
    floors = least(run, SLOT_S)[: SHOWN_S // SLOT_S]
    edges = np.arange(len(floors) + 1) * SLOT_S
    above.stairs(
        floors, edges, color=HUES[1], linewidth=1.6, baseline=None, label="Least of a slot"
    )
    above.set_xlim(0, SHOWN_S)
    above.set_xticks(range(0, SHOWN_S + 1, 2 * SLOT_S))
    above.set_ylim(bottom=0)
    above.set_xlabel("Time (s)")
    above.set_ylabel("Round trip (ms)")
    above.legend(loc="upper right", ncols=2)
    bins = np.arange(0, SLOT_S + 0.25, 0.25)
    below.stairs(_lost_by_time_in_slot(outcomes, bins), bins, color=HUES[0], fill=True)
    below.set_xlim(0, SLOT_S)
    below.set_ylim(bottom=0)
    below.set_xlabel("Time in the slot (s)")
    below.set_ylabel("Lost (%)")
    return figure


def _lost_by_time_in_slot(outcomes: Outcomes, bins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of datagrams to the terminal that are lost, in percent, for each bin."""
    sent = pl.concat(
        outcomes[point].tables["datagrams"].filter(pl.col("flow") == outcomes[point].flow.id)
        for point in PINGS
    )
    lost = sent["lost_by"].is_not_null().to_numpy()
    within = sent["time_s"].to_numpy() % SLOT_S
    all_sent, _ = np.histogram(within, bins)
    all_lost, _ = np.histogram(within[lost], bins)
    return np.asarray(100 * all_lost / all_sent)


NO_GAP_S: Final = 0.006
"""Where a gap of none is drawn on a logarithmic axis."""

BINS: Final = 8
"""Of a column of gaps."""


@styled
def idle_gap(outcomes: Outcomes) -> Figure:
    """Draw the round trips of each network over the gap before them, beside those measured."""
    figure, axes = panels(2, 3, 10.2, 6.0)
    for ax, (name, network) in zip(axes, NETWORKS.items(), strict=True):
        for column in COLUMNS:
            _over_gaps(ax, outcomes, name, column)
        ax.plot(
            NO_GAP_S, network.round_trip_ms, "o", color=HUES[1], markerfacecolor="none", label="Set"
        )
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlim(NO_GAP_S / 1.4, 1.2 * LONGEST_S)
        ax.set_ylim(40, 2_000)
        ax.set_xticks([NO_GAP_S, 0.1, 1, 10], ["0", "0.1", "1", "10"])
        ax.set_yticks(TICKS_MS, [str(tick) for tick in TICKS_MS])
        ax.minorticks_off()
        ax.set_title(network.title, fontsize=10)
        ax.set_xlabel("Gap (s)")
    for ax in axes[::3]:
        ax.set_ylabel("Round trip (ms)")
    handles, labels = axes[0].get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    figure.legend(once.values(), once.keys(), loc="outside upper center", ncols=len(once))
    return figure


def _over_gaps(ax: Axes, outcomes: Outcomes, name: str, column: str) -> None:
    """Draw our round trips of a column, and the range that a fact has for it."""
    low, high = columns(NETWORKS[name])[column]
    gaps, round_trips_ms = after_gaps(outcomes, name, column, *SEEDS)
    if low == 0:
        low, gaps = NO_GAP_S / 1.2, np.full_like(gaps, NO_GAP_S)
        edges = np.array([low, NO_GAP_S * 1.2])
    else:
        edges = np.geomspace(low, high, BINS + 1)
    for fact in FACTS:
        if fact.id == f"{name}-{column}":
            ax.fill_between(
                [low, high], fact.low, fact.high, color=HUES[1], alpha=0.35, label="Measured"
            )
    bins = np.digitize(gaps, edges) - 1
    shown = range(len(edges) - 1)
    lowest, middle, highest = np.array(
        [np.quantile(round_trips_ms[bins == each], (0.1, 0.5, 0.9)) for each in shown]
    ).T
    ax.stairs(highest, edges, baseline=lowest, color=HUES[0], alpha=0.2, fill=True)
    ax.stairs(middle, edges, baseline=None, color=HUES[0], linewidth=1.6, label="Ours")
