"""Figures and tables of what is not TCP behind atcp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from thinpipe.papers.chakravorty2003.drawing import HUES, panels, styled
from thinpipe.papers.paper import Table
from thinpipe.papers.today import all_traffic
from thinpipe.papers.today.all_traffic import (
    AHEAD,
    RATES_BPS,
    STEERED,
    STEP_S,
    UPLINKS_KBPS,
    WAYS,
    bulk_bps,
    group,
    mos,
    ping_s,
    pings,
)
from thinpipe.papers.today.setup import SEEDS
from thinpipe.plot.drawing import log_scale

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

LABELS: Final = {
    "alone": "No uploads",
    "none": "No box",
    "fair": "Fair queue in the modem",
    "box": "atcp, subscriber's side",
    "high": "CAKE, 95 % of 384 kbit/s",
    "low": "CAKE, 95 % of 64 kbit/s",
    "adapted": "CAKE, script as it ships",
    "patient": "CAKE, script, late at 0.2 s",
    "static": "atcp, fixed window",
    "westwood": "atcp, window by what arrives",
    "radio": "atcp, window by reports",
}

COLORS: Final = {
    "alone": HUES[2],
    "none": HUES[3],
    "fair": HUES[1],
    "box": HUES[0],
    "high": HUES[2],
    "low": HUES[6],
    "adapted": HUES[5],
    "patient": HUES[2],
    "static": HUES[1],
    "westwood": HUES[4],
    "radio": HUES[0],
}

MARKERS: Final = dict(zip(AHEAD, "oDvs^ooo", strict=True))

DRAWN: Final = ("none", "patient", "static", "westwood", "radio")
"""Those whose pings are drawn over time."""


@styled
def uploads(outcomes: Outcomes) -> Figure:
    """Draw what a ping takes, what uploads carry and what is left of a call, by rate."""
    figure, axes = panels(3, 1, 7.6, 7.2)
    values: Sequence[tuple[str, Callable[[Outcome], float], tuple[str, ...]]] = (
        ("Ping up, mean (ms)", lambda run: 1000 * ping_s(run), ("alone", "none", "fair", "box")),
        (
            "Uploads (% of the rate)",
            lambda run: 100 * bulk_bps(run),
            ("none", "fair", "box"),
        ),
        ("MOS of the call", mos, ("alone", "none", "fair", "box")),
    )
    for ax, (title, value, names) in zip(axes, values, strict=True):
        for place, name in enumerate(names):
            heights = [
                value(outcomes[all_traffic.uploads(name, seed)])
                / (1000 * UPLINKS_KBPS[seed] if title.startswith("Uploads") else 1)
                for seed in SEEDS
            ]
            at = np.arange(len(SEEDS)) + 0.2 * (place - (len(names) - 1) / 2)
            ax.bar(at, heights, 0.18, color=COLORS[name], label=LABELS[name])
        ax.set_xticks(range(len(SEEDS)), [f"{UPLINKS_KBPS[seed]} kbit/s" for seed in SEEDS])
        ax.set_ylabel(title)
    log_scale(axes[0])
    axes[2].set_ylim(1, 4.5)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def _over_time(ax: Axes, outcome: Outcome, name: str) -> None:
    """Draw the mean of each second's pings."""
    second = pl.col("time_s").floor().alias("second")
    means = pings(outcome).group_by(second).agg(pl.col("delay_s").mean()).sort("second")
    at, delays = (means[column].to_numpy() for column in ("second", "delay_s"))
    ax.plot(at + 0.5, delays, color=COLORS[name], label=LABELS[name], linewidth=1.2)


def _time_axis(ax: Axes) -> None:
    log_scale(ax)
    ax.set_xlim(0, STEP_S * len(RATES_BPS))
    ax.set_xticks(range(0, STEP_S * len(RATES_BPS) + 1, 10))
    ax.set_xlabel("Time (s)")
    ax.set_ylabel("Ping, one way (s)")


@styled
def steered(outcomes: Outcomes) -> Figure:
    """Draw pings over time, and what uploads carry against them."""
    figure, (above, below) = panels(2, 1, 7.6, 7.0)
    for name in DRAWN:
        _over_time(above, all_traffic.outcome_of(outcomes, name, STEERED[0]), name)
    _time_axis(above)
    for name in AHEAD:
        runs = [all_traffic.outcome_of(outcomes, name, seed) for seed in STEERED]
        delays, rates = [ping_s(run) for run in runs], [bulk_bps(run) / 1000 for run in runs]
        below.plot(
            delays,
            rates,
            MARKERS[name],
            color=COLORS[name],
            markerfacecolor="white",
            label=LABELS[name],
        )
    below.set_xlim(0.2, 12)
    log_scale(below, "x")
    below.set_ylim(bottom=0)
    below.set_xlabel("Ping, one way, mean (s)")
    below.set_ylabel("Uploads (kbit/s)")
    above.legend(loc="upper right", fontsize=8)
    below.legend(loc="lower right", fontsize=8)
    return figure


def compared(outcomes: Outcomes) -> Sequence[Table]:
    """Return pings and rates of all that is ahead of the modem."""

    def cells(name: str) -> tuple[str, str, str]:
        runs = [all_traffic.outcome_of(outcomes, name, seed) for seed in STEERED]
        late = [group(run, "ping").delay_s.p95 or 0.0 for run in runs]
        return (
            ", ".join(f"{ping_s(run):.2f} s" for run in runs),
            ", ".join(f"{each:.2f} s" for each in late),
            ", ".join(f"{bulk_bps(run) / 1000:.0f} kbit/s" for run in runs),
        )

    rows = tuple((LABELS[name], *cells(name)) for name in AHEAD)
    head = ("ahead of the modem", "ping, mean", "95 %", "uploads")
    return (Table("Each seed", head, rows),)


@styled
def sixth(outcomes: Outcomes) -> Figure:
    """Draw pings over time, down and up, and what a window for the rate allows."""
    figure, axes = panels(2, 1, 7.6, 6.4)
    for ax, way in zip(axes, WAYS, strict=True):
        for name in ("none", "static", "westwood", "radio"):
            _over_time(ax, outcomes[all_traffic.sixth(way, name, SEEDS[0])], name)
        edges = [STEP_S * number for number in range(len(RATES_BPS) + 1)]
        limits = [all_traffic.allowed_s(way, rate) for rate in RATES_BPS]
        ax.stairs(limits, edges, baseline=None, color="black", linestyle="--", linewidth=0.9)
        _time_axis(ax)
        ax.set_title(way.capitalize(), fontsize=10)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure
