"""Panels one above the other, with one axis of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from thinpipe.plot.drawing import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAP: Final = 0.065
"""Height of the space above each panel, for its legend, as a share of the whole height."""


def stacked(ax: Axes, count: int, above: float = 0.0) -> list[Axes]:
    """Return panels of equal height, from the top, that replace `ax`; `above` stays empty."""
    height = (1.0 - above - GAP * (count - 1)) / count
    lower = [(count - 1 - number) * (height + GAP) for number in range(count)]
    return panels(ax, *((each, height) for each in lower))


def label_time_once(stack: Sequence[Axes]) -> None:
    """Leave the labels of the time to the lowest panel."""
    for upper in stack[:-1]:
        upper.set_xlabel("")
        upper.tick_params(labelbottom=False)
