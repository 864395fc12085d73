"""What a mobile's radio draws over time, and the energy that it used in each state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from thinpipe.plot.cells import STATES
from thinpipe.plot.drawing import label_rows
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from thinpipe.plot.drawing import View
    from thinpipe.result import Mobile

    Floats = NDArray[np.float64]

COLORS: Final = {
    **STATES,
    "idle": "#BDBDBD",
    "connection-setup": "#CC79A7",
    "dch-setup": "#56B4E9",
}
"""States with their colours: those of RRC with a connection as in pictures of cells."""

OTHERS: Final = ("#0072B2", "#E69F00", "#56B4E9", "#CC79A7", "#009E73", "#D55E00", "#F0E442")
"""Colours of states that have none above, in the order in which they come."""

OUTLINE: Final = "#555555"
"""Around a bar, which may be as light as the paper."""

CROWD: Final = 200
"""From this many changes on, outlines would hide the colours between them."""

STRIP: Final = 0.06
"""Height of the strip of states, over that of the highest power: many states draw nothing."""

MARGIN: Final = 1.35
"""Length of the axis over that of the longest bar, for the text behind it."""


class Powers(NamedTuple):
    """What a mobile's radio drew from each edge to the next."""

    edges_s: Floats
    power_w: Floats
    """The mean, with what was carried."""
    states: NDArray[np.str_]

    def between(self, start_s: float, end_s: float) -> Powers:
        """Return those of a part of the run: what lies outside would be a line at its ends."""
        begins, ends = self.edges_s[:-1], self.edges_s[1:]
        seen = (begins < end_s) & (ends > start_s)
        edges_s = np.append(begins[seen], ends[seen][-1:])
        kept_s = np.clip(edges_s, start_s, end_s)
        return Powers(kept_s, self.power_w[seen], self.states[seen])


def powers(rows: pl.DataFrame, duration_s: float, energy_j: float) -> Powers:
    """Return the powers of a mobile, given its rows of the table and the energy of the run.

    A power is the difference of two energies over that of their times, so that the area below is
    the energy.
    """
    edges_s = np.append(rows["time_s"].to_numpy(), duration_s)
    used_j = np.diff(np.append(rows["energy_j"].to_numpy(), energy_j))
    lasts = np.diff(edges_s) > 0
    states = rows["state"].to_numpy().astype(str)[lasts]
    kept_s = np.append(edges_s[:-1][lasts], duration_s)
    return Powers(kept_s, used_j[lasts] / np.diff(kept_s), states)


def colors(states: Sequence[str]) -> dict[str, str]:
    """Return the colour of each state."""
    found = dict.fromkeys(states)
    others = [state for state in found if state not in COLORS]
    own = {state: OTHERS[place % len(OTHERS)] for place, state in enumerate(others)}
    return {state: COLORS.get(state) or own[state] for state in found}


def draw_powers(ax: Axes, view: View, drawn: Powers, known: dict[str, str]) -> None:
    """Draw the power over time in the colour of the state, and below zero a strip of states."""
    ax.set_axisbelow(True)
    drawn = drawn.between(view.start_s, view.end_s)
    edges_s = drawn.edges_s
    strip_w = -STRIP * (drawn.power_w.max(initial=0.0) or 1.0)
    for state, color in known.items():
        of_state = drawn.states == state
        if not of_state.any():
            continue
        for height_w, label in ((drawn.power_w, state), (strip_w, None)):
            height = np.where(of_state, height_w, 0.0)
            ax.stairs(height, edges_s, fill=True, color=color, linewidth=0, label=label)
    if len(edges_s) < CROWD:
        ax.stairs(drawn.power_w, edges_s, color=OUTLINE, linewidth=0.6)
    ax.axhline(color=OUTLINE, linewidth=0.6)
    ax.set_ylim(bottom=1.5 * strip_w)


def draw_energies(ax: Axes, mobile: Mobile, known: dict[str, str]) -> None:
    """Draw a bar for the energy of each state, with its time behind it."""
    ax.set_axisbelow(True)
    rows = range(len(mobile.states))
    ax.barh(
        rows,
        [state.energy_j for state in mobile.states],
        height=0.7,
        color=[known[state.name] for state in mobile.states],
        edgecolor=OUTLINE,
        linewidth=0.6,
    )
    for row, state in zip(rows, mobile.states, strict=True):
        told = f" {short(state.energy_j, 3)} J in {short(state.time_s, 3)} s"
        ax.text(state.energy_j, row, told, va="center", fontsize="small")
    label_rows(ax, [state.name for state in mobile.states])
    longest_j = max((state.energy_j for state in mobile.states), default=0.0)
    ax.set_xlim(0, MARGIN * longest_j if longest_j > 0 else 1.0)
    each_j = mobile.per_megabyte_j
    goodput = "" if each_j is None else f", {short(each_j, 3)} J/MB of goodput"
    ax.set_xlabel(f"Energy of the whole run (J): {short(mobile.energy_j, 4)} in all{goodput}")
