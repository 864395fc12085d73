"""Data sent and not yet acknowledged, over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinpipe.plot.curves import Curve, Steps, draw_steps, looks, whole
from thinpipe.plot.drawing import Unit, draw_held, finish
from thinpipe.plot.series import Outstanding, outstanding

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.shown import Shown


def outstanding_of(shown: Shown) -> Outstanding:
    """Return the outstanding data of a flow."""
    return outstanding(shown.at_sender())


def draw_outstanding(ax: Axes, curves: Sequence[Curve[Outstanding]]) -> None:
    """Draw the outstanding data; of one flow also their means."""
    unit = Unit.of(max(float(each.data.instant_bytes.max(initial=0)) for each in curves))
    if len(curves) == 1:
        [curve] = curves
        data = curve.data
        for values, kind, label, width in (
            (data.instant_bytes, "instant", curve.label or "Outstanding", 0.8),
            (data.mean_bytes, "mean", "Mean of the samples so far", 1.4),
            (data.weighted_bytes, "weighted", "Time-weighted mean", 1.4),
        ):
            draw_held(ax, curve.view, data.time_s, unit.of_bytes(values), kind, label, width)
    else:
        draw_steps(
            ax,
            curves,
            lambda of: Steps(of.time_s, unit.of_bytes(of.instant_bytes)),
            looks(curves),
        )
    finish(ax, whole(curves), f"Outstanding data ({unit.name})")
