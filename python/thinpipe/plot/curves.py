"""Curves of runs on the same axes: each has a colour, and beside others a label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from thinpipe.plot.drawing import RUN, View, curves_of_runs, draw_step_curve
from thinpipe.plot.style import ALGORITHMS, OTHER

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats
    from thinpipe.result import Flow, Result

DASHES: Final = ("-", (0, (5, 2)), (0, (2, 2)), (0, (6, 2, 1, 2)))
"""Of the first curve, the second and so on: where two are equal, both are seen."""


SAID_BY_VARIANT: Final = ("tcp.variant", "tcp.congestion_control", "tcp.recovery")


def draw_steps(
    ax: Axes, view: View, time_s: Floats, values: Floats, flow: Flow, label: str | None
) -> None:
    """Draw a step curve, if it has values in view."""
    style = {"color": color_of(ax, flow.variant), "linestyle": dashes_of(ax), "linewidth": 1.4}
    line = draw_step_curve(ax, view, time_s, values, {**style, "label": "_alone"})
    if line is not None:
        _name(ax, line, label or flow.variant)


def draw_means(ax: Axes, rates: Floats, edges: Floats, flow: Flow, label: str | None) -> None:
    """Draw a mean for each interval between `edges`, in seconds."""
    alone = f"Mean of {edges[1] - edges[0]:.3g} s each"
    color = color_of(ax, flow.variant)
    style = dashes_of(ax)
    steps = ax.stairs(rates, edges, color=color, linestyle=style, linewidth=1.2, label=alone)
    _name(ax, steps, label or flow.variant)


def color_of(ax: Axes, variant: str) -> str:
    """Return the colour of a variant's algorithm; if a curve has it already, another."""
    taken = {_color(each) for each in curves_of_runs(ax)}
    own = ALGORITHMS.get(variant.partition("+")[0], OTHER)
    free = [each for each in (own, *ALGORITHMS.values()) if each.lower() not in taken]
    return free[0] if free else own


def dashes_of(ax: Axes) -> Any:  # noqa: ANN401 - matplotlib's types of dashes are narrower
    """Return the line style of the next curve."""
    return DASHES[len(curves_of_runs(ax)) % len(DASHES)]


def labels(results: Sequence[Result], names: Sequence[str]) -> list[str]:
    """Return what distinguishes runs: the settings that differ, or else their names."""
    told = [
        {
            "scenario": each.scenario,
            "seed": str(each.seed),
            "variant": each.flows[0].variant,
            **{key: value for key, value in each.settings.items() if key not in SAID_BY_VARIANT},
        }
        for each in results
    ]
    keys = dict.fromkeys(key for each in told for key in each)
    differing = [key for key in keys if len({each.get(key) for each in told}) > 1]
    found = [
        ", ".join(_setting(key, each[key]) for key in differing if key in each) for each in told
    ]
    return [
        label if found.count(label) == 1 else f"{label} ({name})" if label else name
        for label, name in zip(found, names, strict=True)
    ]


def _setting(key: str, value: str) -> str:
    if key in ("scenario", "variant"):
        return value
    return f"{key.rpartition('.')[2]} {value}"


def _name(ax: Axes, curve: Artist, label: str) -> None:
    """Keep a curve's label, and show it once there are several."""
    curve.set_gid(f"{RUN}{label}")
    known = curves_of_runs(ax)
    if len(known) > 1:
        for each in known:
            each.set_label((each.get_gid() or "").removeprefix(RUN))


def _color(curve: Artist) -> str:
    from matplotlib.colors import to_hex
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if isinstance(curve, Line2D):
        return to_hex(curve.get_color())
    return to_hex(curve.get_edgecolor()) if isinstance(curve, Patch) else ""
