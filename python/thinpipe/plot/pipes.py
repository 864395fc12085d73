"""Pipes beside each other: a row each, with rates, round trip and loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from thinpipe.plot.drawing import log_scale
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.named_pipes import Pipe, Way

ROW: Final = 0.24
"""Inches that a pipe takes."""

HEAD: Final = 1.1
"""Inches that title and axes take."""


def draw_pipes(pipes: Sequence[Pipe], title: str) -> Figure:
    """Draw pipes with figures, those with the highest downlink first.

    Raises
    ------
    ValueError
        If none has figures: live radios have none of a moment.
    """
    from matplotlib.figure import Figure

    rows = [(pipe.name, pipe.down, pipe.up) for pipe in pipes if pipe.down and pipe.up]
    if not rows:
        raise ValueError("nothing to draw: no pipe with figures is listed")
    rows.sort(key=lambda row: (row[1].rate_bps or float("inf"), row[0]))
    figure = Figure(figsize=(10.0, HEAD + ROW * len(rows)))
    rates, rtts, losses = figure.subplots(1, 3, sharey=True, width_ratios=[3, 3, 1.6])
    _draw_rates(rates, [(down, up) for _, down, up in rows])
    for place, (_, down, up) in enumerate(rows):
        mean, most = (down.delay_s + up.delay_s) * 1e3, (down.jitter_s + up.jitter_s) * 1e3
        if mean > 0:
            rtts.plot([mean - most, mean + most], [place] * 2, color=COLORS["mean"], linewidth=2)
            rtts.plot(mean, place, "o", color=COLORS["mean"])
        losses.plot(down.loss * 100, place, "o", color=COLORS["mean"])
    rtts.set_xlabel("round trip without load (ms)")
    losses.set_xlabel("loss each way (%)")
    losses.set_xlim(left=-0.3)
    for ax in (rates, rtts):
        log_scale(ax, "x")
    rates.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize="small")
    rates.set_ylim(-0.6, len(rows) - 0.4)
    figure.suptitle(title, fontsize="medium")
    return figure


def _draw_rates(ax: Axes, rows: Sequence[tuple[Way, Way]]) -> None:
    looks = (("down", "o", COLORS["mean"], 5.0), ("up", "D", COLORS["latest"], 8.0))
    for of, (name, marker, color, size) in enumerate(looks):
        known = [
            (rate_bps / 1e6, place)
            for place, row in enumerate(rows)
            if (rate_bps := row[of].rate_bps) is not None
        ]
        x, y = ([pair[axis] for pair in known] for axis in (0, 1))
        filling = color if name == "down" else "none"
        ax.plot(x, y, marker, color=color, markerfacecolor=filling, markersize=size, label=name)
    ax.set_xlabel("rate (Mbit/s)")
    ax.legend(loc="lower right", fontsize="small")
