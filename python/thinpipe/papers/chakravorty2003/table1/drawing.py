"""Table I as a heat map."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.drawing import panels, styled
from thinpipe.papers.chakravorty2003.table1.criteria import ROWS
from thinpipe.papers.chakravorty2003.table1.matrix import TICK, matrix
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes

TICKED: Final = "#B9D8EC"
CROSSED: Final = "#F6D3B8"
"""Light blue and light orange (Okabe and Ito, 2008)."""


@styled
def heat_map(outcomes: Outcomes) -> Figure:
    """Table I: our value and tick in each cell, the paper's beside; a frame where they differ."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch, Rectangle

    cells = matrix(outcomes)
    figure, (ax,) = panels(1, 1, 11.25, 8.6)
    ticked = np.array([[cell.ours for cell in row] for row in cells], dtype=float)
    ax.imshow(ticked, cmap=ListedColormap([CROSSED, TICKED]), aspect="auto", vmin=0, vmax=1)
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            paper = "" if cell.paper is None else f"\npaper {TICK[cell.paper]}"
            text = f"{short(cell.value)}  {TICK[cell.ours]}{paper}"
            ax.text(x, y, text, ha="center", va="center", fontsize=9)
            if cell.agrees is False:
                corner = (x - 0.47, y - 0.45)
                ax.add_patch(Rectangle(corner, 0.94, 0.9, fill=False, linewidth=1.6))
    names = [f"{fill(row.name, 17)}\n{fill(row.metric, 17)}\n✓: {row.threshold()}" for row in ROWS]
    ax.set_xticks(range(len(ROWS)), names, fontsize=8)
    ax.set_yticks(range(len(cells)), [row[0].scheme.name for row in cells])
    ax.xaxis.tick_top()
    keys = (
        Patch(color=TICKED, label="within the threshold"),
        Patch(color=CROSSED, label="not within it"),
        Patch(fill=False, linewidth=1.6, label="the paper has the other"),
    )
    figure.legend(handles=keys, loc="outside lower center", ncols=len(keys))
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for side in ("left", "bottom", "top", "right"):
        ax.spines[side].set_visible(False)
    return figure
