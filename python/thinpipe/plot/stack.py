"""Panels one above the other, with one axis of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from thinpipe.plot.drawing import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axes._base import _AxesBase
    from matplotlib.backend_bases import RendererBase
    from matplotlib.transforms import Bbox

GAP: Final = 0.065
"""Height of the space above each panel, for its legend, as a share of the whole height."""


def stacked(ax: Axes, count: int, above: float = 0.0) -> list[Axes]:
    """Return panels of equal height, from the top, that replace `ax`; `above` stays empty."""
    height = (1.0 - above - GAP * (count - 1)) / count
    lower = [(count - 1 - number) * (height + GAP) for number in range(count)]
    return panels(ax, *((each, height) for each in lower))


def make_room(ax: Axes, stack: Sequence[Axes], above: float = 0.0) -> None:
    """Move panels that `stacked` has placed apart, where a legend has more than one row."""
    gaps = [0.0, *(_room(ax, panel) for panel in stack[1:])]
    height = (1.0 - above - sum(gaps)) / len(stack)
    top = 1.0 - above
    for panel, gap in zip(stack, gaps, strict=True):
        top -= gap + height
        panel.set_axes_locator(_place(ax, top, height))


def _room(ax: Axes, panel: Axes) -> float:
    """Return the height of a panel's legend with the space below and above it, at least `GAP`."""
    legend = panel.get_legend()
    if legend is None:
        return GAP
    of, top = legend.get_window_extent(), panel.get_window_extent().y1
    room = float(of.y0 - top + of.y1 - top)
    return max(GAP, room / float(ax.get_window_extent().height))


def _place(ax: Axes, low: float, height: float) -> Callable[[_AxesBase, RendererBase], Bbox]:
    """Return what says where a panel is in its figure: all the width of `ax`, from `low` on."""
    from matplotlib.transforms import Bbox, TransformedBbox

    bounds = Bbox.from_bounds(0.0, low, 1.0, height)

    def place(panel: _AxesBase, _: RendererBase) -> Bbox:
        to_figure = ax.transAxes - panel.figure.transSubfigure
        return Bbox(TransformedBbox(bounds, to_figure).get_points())

    return place


def label_time_once(stack: Sequence[Axes]) -> None:
    """Leave the labels of the time to the lowest panel."""
    for upper in stack[:-1]:
        upper.set_xlabel("")
        upper.tick_params(labelbottom=False)
