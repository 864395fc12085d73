"""A map of where spacing helps and where it harms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.style import style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    from thinpipe.papers.yew2012.spacing import Cell, Change

HELPS: Final = "#0072B2"
HARMS: Final = "#D55E00"
"""Blue and vermilion, distinct with any colour vision (Okabe and Ito, 2008)."""

FULL: Final = 0.5
"""A change of this share has the full colour."""

TENFOLD: Final = 10
"""From ten times as much on there is no number."""

MUTED: Final = "#8A8A8A"


def heat_map(panels: Mapping[str, Sequence[Sequence[Cell]]]) -> Figure:
    """Draw a panel for each comparison: two columns, and last one beside the scale."""
    from matplotlib.figure import Figure

    with style():
        rows = len(panels) // 2
        figure = Figure(figsize=(11.25, 3.9 * (rows + 1)))
        axes = figure.subplots(rows + 1, 2)
        order = [*axes[:rows, 0], *axes[:rows, 1], *axes[rows]]
        for (title, cells), ax in zip(panels.items(), order, strict=False):
            _panel(ax, title, cells, named=ax in axes[:, 0])
        for ax in order[len(panels) :]:
            _scale(figure, ax)
        return figure


def _colors() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("helps", [HARMS, "#FFFFFF", HELPS])


def _panel(ax: Axes, title: str, cells: Sequence[Sequence[Cell]], *, named: bool) -> None:
    gains = np.array([[cell.change.gain for cell in row] for row in cells])
    ax.imshow(gains, cmap=_colors(), vmin=-FULL, vmax=FULL, aspect="auto")
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            dark = abs(cell.change.gain) > 0.6 * FULL
            color = "white" if dark else "black" if cell.change.gain else MUTED
            ax.text(x, y, _number(cell.change), ha="center", va="center", fontsize=8, color=color)
    _mark_places(ax, cells[0])
    names = [row[0].change.aspect.name for row in cells] if named else []
    ax.set_yticks(range(len(names)), names, fontsize=9)
    ax.set_title(title, pad=10)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)


def _mark_places(ax: Axes, row: Sequence[Cell]) -> None:
    """Write the number of flows below each column, and below those the networks."""
    ax.set_xticks(range(len(row)), [str(cell.flows) for cell in row], fontsize=8)
    places = list(dict.fromkeys(cell.place.name for cell in row))
    wide = len(row) / len(places)
    below = ax.secondary_xaxis(-0.08)
    below.set_xticks([wide * (number + 0.5) - 0.5 for number in range(len(places))], places)
    below.tick_params(length=0, labelsize=8)
    below.spines["bottom"].set_visible(False)
    ax.set_xlabel("flows that share the network", fontsize=9, labelpad=32)
    for number in range(1, len(places)):
        ax.axvline(wide * number - 0.5, color="white", linewidth=3)


def _number(change: Change) -> str:
    if change.before == change.after:
        return "0"
    if not change.before:
        return "new"
    if abs(change.share) >= TENFOLD:
        return "≫"
    percent = round(100 * change.share)
    return f"{percent:+}".replace("-", "−") if percent else "0"


def _scale(figure: Figure, ax: Axes) -> None:
    """Say what colours and numbers mean."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    ax.set_axis_off()
    values = ScalarMappable(Normalize(-100 * FULL, 100 * FULL), _colors())
    place = ax.inset_axes((0.05, 0.75, 0.9, 0.08))
    bar = figure.colorbar(values, cax=place, orientation="horizontal", extend="both")
    bar.set_ticks(ticks := [-40, -20, 0, 20, 40], labels=[str(abs(tick)) for tick in ticks])
    bar.set_label("worse by (%)                    better by (%)")
    ax.text(
        0.5,
        0.45,
        "Better is a shorter time or queue, fewer drops,\n"
        "more goodput. White: runs disagree, or the\n"
        "change is below 1 %. “new”: there were none\n"
        "before; “≫”: more than 1000 % more.",
        ha="center",
        va="top",
        transform=ax.transAxes,
    )
