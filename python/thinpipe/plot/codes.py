"""The code tree of a cell: at one time, and over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.drawing import FEW, Mark, View, draw_marks
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FACTORS: Final = (4, 8, 16, 32, 64, 128, 256, 512)
"""Spreading factors of dedicated downlink channels."""

COMMON: Final = ((256, 0), (256, 1))
"""The codes of the primary common pilot and of P-CCPCH (TS 25.213 §5.2.1)."""

STATES: Final = ("free", "allocated", "common", "blocked")
"""States of a code; ``common`` are those of common channels."""

REFUSALS: Final = {
    "no-code": ("drop", "No code", Mark("x", 6)),
    "no-power": ("retransmission", "No power", Mark("v", 5)),
    "no-uplink": ("window", "No uplink", Mark("^", 5)),
}
"""Reasons of refusals, with their label and mark."""

MOBILES: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Colours of mobiles, used cyclically."""

_FILL: Final = {
    "free": "#FFFFFF",
    "allocated": "#0072B2",
    "common": "#E69F00",
    "blocked": "#D0D0D0",
}
_INK: Final = {"free": "#8A8A8A", "allocated": "#FFFFFF", "common": "#000000", "blocked": "#8A8A8A"}
_NARROW: Final = 32
"""From this spreading factor on, codes are too narrow for a label on one line."""
_LABELLED: Final = 1 / 32
"""Minimum width, as a share of the tree, of codes with a label."""


def allocations(codes: pl.DataFrame, cell: int, duration_s: float) -> pl.DataFrame:
    """Return a row per allocation of a cell's code: `ue`, `sf`, `code`, `start_s`, `end_s`.

    Parameters
    ----------
    codes
        Events of codes in order of time: `time_s`, `cell`, `ue`, `sf`, `code`, `event`.
    cell
        The cell's number.
    duration_s
        The end of allocations that were not released.
    """
    import polars as pl

    event = pl.col("event").cast(pl.String)
    of_cell = codes.filter(pl.col("cell") == cell, event.is_in(["allocated", "released"]))
    return (
        of_cell.with_columns(
            start_s=pl.col("time_s"),
            end_s=pl.col("time_s").shift(-1).over("sf", "code").fill_null(duration_s),
        )
        .filter(event == "allocated")
        .select("ue", "sf", "code", "start_s", "end_s")
    )


def busiest(codes: pl.DataFrame, cell: int, duration_s: float) -> float:
    """Return when mobiles first used the largest share of a cell's codes; 0 if they used none.

    For the parameters see `allocations`.
    """
    had = allocations(codes, cell, duration_s)
    if len(had) == 0:
        return 0.0
    share = 1 / had["sf"].to_numpy()
    time_s = np.concatenate([had["end_s"].to_numpy(), had["start_s"].to_numpy()])
    order = np.argsort(time_s, kind="stable")  # releases come before allocations of the same time
    used = np.cumsum(np.concatenate([-share, share])[order])
    return float(time_s[order][np.argmax(used)])


def holders(codes: pl.DataFrame, cell: int, time_s: float) -> pl.DataFrame:
    """Return the allocations at one time, as `allocations` does."""
    import polars as pl

    until_then = codes.filter(pl.col("time_s") <= time_s)
    return allocations(until_then, cell, np.inf).filter(pl.col("end_s") > time_s)


def tree(in_use: pl.DataFrame) -> pl.DataFrame:
    """Return `sf`, `code` and `state` of every code, given those in use.

    Parameters
    ----------
    in_use
        `sf`, `code` and `state`: ``allocated`` or ``common``.

    Raises
    ------
    ValueError
        If there is no such code, or two of them are not orthogonal.
    """
    import polars as pl

    leaves = FACTORS[-1]
    covered = np.zeros(leaves, dtype=bool)
    known: dict[tuple[int, int], str] = {}
    for sf, code, state in in_use.select("sf", "code", "state").iter_rows():
        if sf not in FACTORS or not 0 <= code < sf:
            raise ValueError(f"C({sf}, {code}): there is no such code")
        below = covered[code * leaves // sf : (code + 1) * leaves // sf]
        if below.any():
            raise ValueError(f"C({sf}, {code}): a code above or below it is in use")
        below[:] = True
        known[sf, code] = state
    rows = []
    for sf in FACTORS:
        for code, blocked in enumerate(np.any(covered.reshape(sf, -1), axis=1).tolist()):
            rows.append((sf, code, known.get((sf, code), "blocked" if blocked else "free")))
    return pl.DataFrame(rows, schema=["sf", "code", "state"], orient="row")


def tree_at(
    codes: pl.DataFrame, cell: int, time_s: float, common: Sequence[tuple[int, int]] = COMMON
) -> pl.DataFrame:
    """Return the state of every code of a cell at one time, as `tree` does.

    Parameters
    ----------
    codes, cell
        As of `allocations`.
    time_s
        The time; events at that time are included.
    common
        Spreading factor and number of the codes of common channels.
    """
    import polars as pl

    had = holders(codes, cell, time_s)
    rows = [(sf, code, "allocated") for sf, code in had.select("sf", "code").iter_rows()]
    rows += [(sf, code, "common") for sf, code in common]
    return tree(pl.DataFrame(rows, schema=["sf", "code", "state"], orient="row"))


def draw_tree(ax: Axes, states: pl.DataFrame, had: pl.DataFrame | None = None) -> None:
    """Draw a code tree, one row per spreading factor, each code above its descendants.

    Codes that are wide enough are labelled with their mobile or their number.

    Parameters
    ----------
    ax
        The axes to draw into.
    states
        `sf`, `code` and `state` of each code, as `tree` returns them.
    had
        The allocations, as `holders` returns them.
    """
    import polars as pl
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    owners = [] if had is None else had.select("sf", "code", "ue").iter_rows()
    of = {(sf, code): f"UE {ue}" if sf < _NARROW else f"UE\n{ue}" for sf, code, ue in owners}
    shown = []
    for state in STATES:
        codes = states.filter(pl.col("state") == state)
        if len(codes) == 0:
            continue
        sf, number = codes["sf"].to_numpy(), codes["code"].to_numpy()
        row = np.log2(sf) - np.log2(FACTORS[0])
        boxes = _boxes(number / sf, (number + 1) / sf, row - 0.5, row + 0.5)
        width = np.minimum(0.8, 40 / sf)  # so that lines do not hide narrow codes
        edge = "#8A8A8A" if state in ("free", "blocked") else "#000000"
        ax.add_collection(
            PolyCollection(boxes, facecolors=_FILL[state], edgecolors=edge, linewidths=width)
        )
        shown.append(Patch(facecolor=_FILL[state], edgecolor=edge, label=state.capitalize()))
        for each_sf, code in zip(sf.tolist(), number.tolist(), strict=True):
            if 1 / each_sf >= _LABELLED:
                ax.text(
                    (code + 0.5) / each_sf,
                    np.log2(each_sf / FACTORS[0]),
                    of.get((each_sf, code), str(code)),
                    ha="center",
                    va="center",
                    fontsize="x-small",
                    linespacing=0.9,
                    color=_INK[state],
                )
    ax.set(xlabel="Share of the codes", ylabel="Spreading factor", xlim=(0, 1))
    ax.set_ylim(len(FACTORS) - 0.5, -0.5)
    ax.set_xticks(np.arange(0, 1.01, 0.25))
    ax.set_yticks(range(len(FACTORS)), [str(sf) for sf in FACTORS])
    ax.grid(visible=False)
    ax.legend(
        handles=shown,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(STATES),
        borderaxespad=0.2,
    )


def draw_codes(ax: Axes, view: View, codes: pl.DataFrame, cell: int, duration_s: float) -> None:
    """Draw the allocations of a cell's codes over time, and refused requests.

    A code's bar is as high as its share of the tree, in the colour of its mobile. Refused requests
    are marked at the top. For `codes`, `cell` and `duration_s` see `allocations`.
    """
    import polars as pl
    from matplotlib.collections import PolyCollection

    had = allocations(codes, cell, duration_s).filter(
        pl.col("end_s") > view.start_s, pl.col("start_s") < view.end_s
    )
    sf, number, ue = (had[column].to_numpy() for column in ("sf", "code", "ue"))
    start_s = np.maximum(had["start_s"].to_numpy(), view.start_s)
    end_s = np.minimum(had["end_s"].to_numpy(), view.end_s)
    boxes = _boxes(start_s, end_s, number / sf, (number + 1) / sf)
    mobiles = sorted(set(ue.tolist()))
    of = {mobile: MOBILES[place % len(MOBILES)] for place, mobile in enumerate(mobiles)}
    ax.add_collection(
        PolyCollection(
            boxes,
            facecolors=[of[mobile] for mobile in ue.tolist()],
            edgecolors="white",
            linewidths=0.3,
            rasterized=len(had) > FEW,
            zorder=2,
        )
    )
    if len(mobiles) <= len(MOBILES):
        for mobile in mobiles:
            ax.plot([], [], "s", color=of[mobile], label=f"UE {mobile}")
    for event, (kind, label, mark) in REFUSALS.items():
        asked = codes.filter(pl.col("cell") == cell, pl.col("event").cast(pl.String) == event)
        time_s = asked["time_s"].to_numpy()
        time_s = time_s[view.holds(time_s)]
        height = 1.03 + 0.04 * list(REFUSALS).index(event)
        draw_marks(ax, time_s, np.full(len(time_s), height), kind, f"{label} ({len(time_s)})", mark)
    ax.set_ylim(0, 1.04 + 0.04 * len(REFUSALS))
    ax.set_yticks(np.arange(0, 1.01, 0.25))
    ax.axhline(1, color=COLORS["muted"], linewidth=0.6)


def _boxes(left: Floats, right: Floats, bottom: Floats, top: Floats) -> list[Floats]:
    """Return the corners of each rectangle, x and y."""
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    return list(np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1))
