"""A network of cells over time: RRC states, and the load of shared channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from thinpipe.plot.drawing import View

    Floats = NDArray[np.float64]

STATES: Final = {
    "idle": "#F2F2F2",
    "cell-pch": "#CFE3F1",
    "ura-pch": "#E8D5E3",
    "cell-fach": "#E69F00",
    "cell-dch": "#0072B2",
}
"""RRC states with their colours, from idle to most resources."""


def stays(rrc: pl.DataFrame, ues: int, duration_s: float) -> pl.DataFrame:
    """Return each stay of a mobile in a state: `ue`, `state`, `start_s`, `end_s`.

    Parameters
    ----------
    rrc
        Changes of state in order of time: `time_s`, `ue`, `from`, `to`.
    ues
        The number of mobiles. One that never changes state has no stay.
    duration_s
        The end of the last stays.
    """
    import polars as pl

    rows = rrc.select("time_s", "ue", pl.col("from", "to").cast(pl.String))
    first = rows.group_by("ue", maintain_order=True).first()
    before = first.select("ue", state="from", start_s=pl.lit(0.0), end_s="time_s")
    after = rows.select(
        "ue",
        state="to",
        start_s="time_s",
        end_s=pl.col("time_s").shift(-1).over("ue").fill_null(duration_s),
    )
    return pl.concat([before, after]).filter(pl.col("ue") < ues)


def draw_states(ax: Axes, view: View, rrc: pl.DataFrame, ues: int, duration_s: float) -> None:
    """Draw the state of each mobile over time as a bar, the first mobile at the top."""
    from matplotlib.ticker import MaxNLocator

    spans = stays(rrc, ues, duration_s)
    for state, color in STATES.items():
        of_state = spans.filter(spans["state"] == state)
        start_s = np.maximum(of_state["start_s"].to_numpy(), view.start_s)
        end_s = np.minimum(of_state["end_s"].to_numpy(), view.end_s)
        seen = end_s > start_s
        if not seen.any():
            continue
        ax.barh(
            of_state["ue"].to_numpy()[seen],
            (end_s - start_s)[seen],
            left=start_s[seen],
            height=0.9,
            color=color,
            linewidth=0,
            label=state,
        )
    ax.set_ylim(ues - 0.5, -0.5)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def draw_shared(ax: Axes, view: View, common: pl.DataFrame, cell: int) -> None:
    """Draw the utilization of a cell's FACH and RACH per second."""
    for direction, name, color in (("down", "FACH", "data"), ("up", "RACH", "retransmission")):
        seconds, used = load(view, common, cell, direction)
        ax.stairs(100 * used, seconds, color=COLORS[color], linewidth=0.8, label=name)
    ax.set_ylim(0, 105)


def load(view: View, common: pl.DataFrame, cell: int, direction: str) -> tuple[Floats, Floats]:
    """Return the edges of the seconds in view, and which share of a shared channel each used."""
    seconds = np.arange(np.floor(view.start_s), np.ceil(view.end_s) + 1)
    rows = common.filter((common["cell"] == cell) & (common["direction"] == direction))
    used = np.zeros(len(seconds) - 1)
    place = np.searchsorted(seconds, rows["time_s"].to_numpy(), side="right") - 1
    inside = (place >= 0) & (place < len(used))
    used[place[inside]] = (rows["blocks"] / rows["capacity"]).to_numpy()[inside]
    return seconds, used
