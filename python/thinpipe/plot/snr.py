"""The ratio of signal to noise of a mobile, and its way from cell to cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from thinpipe.plot.drawing import Mark, View, draw_marks, draw_step_curve
from thinpipe.plot.style import COLORS
from thinpipe.tables import NoTableError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from thinpipe.recording import Recording

    Floats = NDArray[np.float64]

DIRECTIONS: Final = {
    "down": {"color": COLORS["data"], "linewidth": 1.2},
    "up": {"color": COLORS["acknowledgement"], "linewidth": 1.2, "linestyle": (0, (4, 2))},
}
"""The directions, each with its line."""

CHANGES: Final = {
    "hard": ("Handover", "window", Mark("^", 6)),
    "failed": ("Radio link failed", "drop", Mark("x", 6)),
}
"""Changes of the cell by their event: a name, the kind of a colour, and a mark."""


class Ratio(NamedTuple):
    """The ratio of a direction: `snr_db` from each of `time_s` to the next."""

    time_s: Floats
    snr_db: Floats


class Change(NamedTuple):
    """A change of the cell: when, the ratio there in decibels, and the number of the cell."""

    time_s: float
    snr_db: float
    cell: int


def mobiles(run: Recording) -> list[str]:
    """Return the names of the mobiles of a cell, up to the last that has a ratio."""
    count = int(run.snr.select("ue").max().item()) + 1
    named = [mobile.name for mobile in run.mobiles[:count]]
    return named if len(named) == count else [f"mobile {ue}" for ue in range(count)]


def ratios(run: Recording, ue: int) -> dict[str, Ratio]:
    """Return the ratio of each direction in which a mobile has one."""
    rows = run.snr.filter(run.snr["ue"] == ue)
    found = {}
    for direction in DIRECTIONS:
        some = rows.filter(rows["direction"].cast(str) == direction)
        if len(some):
            found[direction] = Ratio(some["time_s"].to_numpy(), some["snr_db"].to_numpy())
    return found


def changes(run: Recording, ue: int, ratio: Ratio) -> dict[str, list[Change]]:
    """Return the changes of a mobile's cell by their event, each at the `ratio` that it had."""
    try:
        rows = run.handovers
    except NoTableError:
        return {}
    rows = rows.filter(rows["ue"] == ue)
    found: dict[str, list[Change]] = {}
    for time_s, cell, event in rows.select("time_s", "cell", "event").iter_rows():
        place = max(int(np.searchsorted(ratio.time_s, time_s)) - 1, 0)
        found.setdefault(event, []).append(Change(time_s, float(ratio.snr_db[place]), cell))
    return found


def draw_ratios(ax: Axes, view: View, run: Recording, ue: int) -> None:
    """Draw the ratio of each direction, and marks where the mobile goes to another cell."""
    drawn = ratios(run, ue)
    for direction, ratio in drawn.items():
        line = {**DIRECTIONS[direction], "label": direction}
        draw_step_curve(ax, view, ratio.time_s, ratio.snr_db, line)
    if not drawn:
        return
    made = changes(run, ue, next(iter(drawn.values())))
    for event, (name, kind, mark) in CHANGES.items():
        at = [each for each in made.get(event, ()) if view.start_s <= each.time_s <= view.end_s]
        times, heights = (np.array([each[column] for each in at]) for column in (0, 1))
        draw_marks(ax, times, heights, kind, f"{name} ({len(at)})", mark)
    # The bands of an envelope would else end the axis, and cut marks in halves.
    ax.use_sticky_edges = False
    ax.margins(y=0.05)
