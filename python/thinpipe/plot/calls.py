"""How calls are rated: their mean opinion scores over their delays, by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.plot.curves import distinct_colors
from thinpipe.plot.drawing import fit_unit, legend_above
from thinpipe.plot.groups import by_group, shapes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats
    from thinpipe.recording import Recording

SATISFACTION: Final = (
    (4.34, "very satisfied"),
    (4.03, "satisfied"),
    (3.60, "some dissatisfied"),
    (3.10, "many dissatisfied"),
    (2.58, "nearly all dissatisfied"),
)
"""From which MOS on users are so (ITU-T G.107 table B.1, from R = 90 down in tens)."""

ROOM: Final = 1.1
"""How much longer the axis of delay is than what it has to show."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The calls of a group that were heard."""

    name: str
    variant: str
    delay_s: Floats
    mos: Floats


def scores(run: Recording) -> list[Scores]:
    """Return the calls of each group of a run that were heard: delays and opinion scores."""
    rated = {each.name: each.voip for each in run.result.groups}
    found = []
    for group, flows in by_group(run).items():
        heard = [
            (call.mouth_to_ear_s, call.mos)
            for flow in flows
            if (call := flow.voip) is not None
            and call.mouth_to_ear_s is not None
            and call.mos is not None
        ]
        of = rated[group]
        if of is None or of.mos_mean is None or of.mos_min is None or not heard:
            continue
        name = f"{group}: MOS {of.mos_mean:.2f}"
        if of.count > 1:
            name += f" on average, {of.mos_min:.2f} at least"
        if of.count > len(heard):
            name += f"; {of.count - len(heard)} not heard"
        delay_s, mos = np.array(heard, dtype=np.float64).T
        found.append(Scores(name, flows[0].variant, delay_s, mos))
    return found


def draw_scores(ax: Axes, groups: Sequence[Scores]) -> None:
    """Draw a mark for each call, and how satisfied users are with such scores."""
    colors = distinct_colors([each.variant for each in groups])
    for group, color, shape in zip(groups, colors, shapes(colors), strict=True):
        mark: dict[str, Any] = {"marker": shape, "linestyle": "none", "alpha": 0.7}
        ax.plot(group.delay_s, group.mos, color=color, label=group.name, clip_on=False, **mark)
    widest = ROOM * max(float(np.max(group.delay_s)) for group in groups)
    for least, users in SATISFACTION:
        ax.axhline(least, color="0.8", linewidth=0.8, zorder=0)
        ax.annotate(users, (widest, least), xytext=(4, 0), textcoords="offset points",
                    ha="left", va="center", fontsize="x-small", color="0.4")  # fmt: skip
    ax.set(xlabel="One way from mouth to ear (s)", ylabel="Mean opinion score (MOS)")
    ax.set(xlim=(0, widest), ylim=(1, 4.6))
    ax.grid(visible=False, axis="y")
    fit_unit(ax.xaxis)
    legend_above(ax)
