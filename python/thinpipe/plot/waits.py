"""How long packets that a middlebox does not read wait there, by class, and at which rate it sends.

The rate is what the middlebox estimates that the radio carries, beside what the radio reports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.curves import distinct_colors
from thinpipe.plot.drawing import (
    FEW,
    Mark,
    draw_envelope,
    draw_marks,
    draw_step_curve,
)
from thinpipe.plot.envelope import envelope_of_samples
from thinpipe.plot.style import COLORS
from thinpipe.tables import NoTableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from thinpipe.plot.drawing import View
    from thinpipe.recording import Recording

LOSSES = {"late": "x", "crowded": "v"}
"""Releases that are losses, with the shapes of their marks."""


def rates_of(run: Recording, mobile: int) -> pl.DataFrame | None:
    """Return the rates of a mobile's radio; ``None`` where nothing estimates them."""
    try:
        rows = run.middlebox_rates
    except NoTableError:
        return None
    rows = rows.filter(rows["mobile"] == mobile)
    return rows if len(rows) else None


def by_class(waits: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Yield the name of each class that has rows, a colour and its rows, in the box's order."""
    import polars as pl

    classes, kinds = waits["class"].cast(str), waits["class"].dtype
    names = kinds.categories.to_list() if isinstance(kinds, pl.Enum) else []
    names = [each for each in names if (classes == each).any()]
    for name, color in zip(names, distinct_colors(names), strict=True):
        yield name, color, waits.filter(classes == name)


def named(name: str) -> str:
    """Return a class in words."""
    return "in no class" if name == "none" else f"class {name}"


def draw_waits(ax: Axes, view: View, waits: pl.DataFrame) -> None:
    """Draw how long each packet waited that went on, by class, and below zero those dropped."""
    top = 0.0
    for name, color, rows in by_class(waits):
        dropped = rows["release"].cast(str).is_in([*LOSSES])
        sent = rows.filter(~dropped)
        seen = view.holds(sent["time_s"].to_numpy())
        time_s, waited_s = (sent[column].to_numpy()[seen] for column in ("time_s", "waited_s"))
        top = max(top, float(waited_s.max(initial=0.0)))
        mean = f", mean {waited_s.mean():.3g} s" if len(waited_s) else ""
        _draw(ax, view, time_s, waited_s, color, f"{named(name)}{mean}")
        for release, shape in LOSSES.items():
            lost_s = rows.filter(rows["release"].cast(str) == release)["time_s"].to_numpy()
            lost_s = lost_s[view.holds(lost_s)]
            label = f"{named(name)}: {len(lost_s):,} {release}"
            draw_marks(ax, lost_s, np.zeros(len(lost_s)), color, label, Mark(shape, 5))


def _draw(
    ax: Axes,
    view: View,
    time_s: NDArray[np.float64],
    waited_s: NDArray[np.float64],
    color: str,
    label: str,
) -> None:
    if len(time_s) > FEW:
        envelope = envelope_of_samples(view.columns(), time_s, waited_s)
        draw_envelope(ax, envelope, {"color": color, "label": label, "linewidth": 1.2})
    else:
        draw_marks(ax, time_s, waited_s, color, label, Mark(".", 4))


def draw_rates(ax: Axes, view: View, rates: pl.DataFrame) -> None:
    """Draw the rate that is estimated and the one that the radio reports."""
    for column, color, label, width in (
        ("reported_bps", "muted", "Reported by the radio", 2.2),
        ("estimate_bps", "data", "Estimated by the middlebox", 1.2),
    ):
        rows = rates.drop_nulls(column)
        style = {"color": COLORS[color], "label": label, "linewidth": width}
        time_s, bps = (rows[name].to_numpy() for name in ("time_s", column))
        if len(rows):
            draw_step_curve(ax, view, time_s, bps / 1000, style)
