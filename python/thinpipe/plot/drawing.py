"""Elements of several plots: time range, step curves, marks, legends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, cast

import numpy as np

from thinpipe.arguments import check
from thinpipe.plot.envelope import COLUMNS, Envelope, edges, envelope_of_samples, envelope_of_steps
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, StepPatch
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Chosen = NDArray[np.bool_]

T = TypeVar("T")

FEW: Final = 4 * COLUMNS
"""Maximum number of points drawn one by one: curves and samples with more become envelopes.

More marks of single events are rasterized in SVG and PDF.
"""

BAND: Final = 0.4
"""Opacity of the range of an envelope."""

ROW: Final = 5
"""Maximum number of entries in a row of a legend."""

ROWS: Final = 6
"""Maximum number of rows of a legend above axes: about a quarter of a picture's height."""

LAST: Final = 4
"""Entries at the end of a legend that are shown of however many: what lines and marks mean."""

EDGE: Final = 0.04
"""Height of half a mark, as a share of that of the axes."""

MARGIN: Final = 0.02
"""Time shown after the end of a flow, as a share of the time shown before."""

POINTS: Final = 72
"""Points per inch."""

ROW_FONT: Final = 8.5
"""Maximum size of the labels of rows, in points."""

LINE_SPACING: Final = 1.3
"""Height of a line of text over the size of its font, with a gap."""

ENVELOPE: Final = "envelope"
"""The group id of the bands of envelopes."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of an axis for bytes."""

    name: str
    bytes: int

    @classmethod
    def of(cls, max_bytes: float) -> Unit:
        """Return kB, or MB where kB would have five digits."""
        return cls("kB", 10**3) if max_bytes < 10**7 else cls("MB", 10**6)

    def of_bytes(self, values: Floats | Integers) -> Floats:
        """Convert bytes to this unit."""
        return values / self.bytes


class Fit(NamedTuple):
    """A unit of an axis, its numbers over those drawn, and the least that the axis reaches."""

    name: str
    factor: float
    least: float


UNITS: Final = {
    "kbit/s": (Fit("Gbit/s", 1e-6, 1e7), Fit("Mbit/s", 1e-3, 1e4), Fit("kbit/s", 1.0, 0.0)),
    "s": (Fit("s", 1.0, 0.1), Fit("ms", 1e3, 0.0)),
}
"""The units that an axis in a unit may have, so that its numbers have one to four digits."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A matplotlib marker, its size in points, and whether it is filled."""

    shape: str = "."
    size: float = 3
    fill: Literal["full", "none"] = "full"


@dataclass(frozen=True, slots=True)
class View:
    """The time range of a plot, in seconds of the simulation, ends included."""

    start_s: float
    end_s: float

    @classmethod
    def of(
        cls, start_s: float, end_s: float | None, duration_s: float, over_s: float | None = None
    ) -> View:
        """Return the view from `start_s` to `end_s`, or to the end of a run.

        If the flow ended before, at `over_s`, the view ends shortly after that.

        Raises
        ------
        ValueError
            If it is empty or begins outside of the run.
        """
        check(start_s=start_s, end_s=end_s)
        if not 0 <= start_s < duration_s:
            raise ValueError(
                f"start_s: must be from 0 s to below {duration_s:g} s, not {start_s:g} s"
            )
        if end_s is not None and not end_s > start_s:
            raise ValueError(f"end_s: must be after the start, {start_s:g} s, not {end_s:g} s")
        if end_s is None and over_s is not None and over_s > start_s:
            end_s = over_s + MARGIN * (over_s - start_s)
        return cls(start_s, duration_s if end_s is None else min(end_s, duration_s))

    def columns(self) -> Floats:
        """Return the edges of the columns of envelopes."""
        return edges(self.start_s, self.end_s)

    def holds(self, time_s: Floats) -> Chosen:
        """Return which times are in view."""
        chosen: Chosen = (time_s >= self.start_s) & (time_s <= self.end_s)
        return chosen

    def held(self, time_s: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Return the part of a step curve in view.

        It begins with the value at the start of the view, if there is one, and extends to the end
        of the view.
        """
        inside = self.holds(time_s)
        times, shown = time_s[inside], values[inside]
        before = int(np.searchsorted(time_s, self.start_s)) - 1
        if before >= 0:
            times, shown = np.r_[self.start_s, times], np.r_[values[before], shown]
        if len(times):
            times, shown = np.r_[times, self.end_s], np.r_[shown, shown[-1]]
        return times, shown


def draw_held(
    ax: Axes, view: View, time_s: Floats, values: Floats, kind: str, label: str, width: float = 1.2
) -> None:
    """Draw a step curve, if it has values in view; with more than `FEW` of them, its envelope."""
    style = {"color": COLORS[kind], "label": label, "linewidth": width}
    draw_step_curve(ax, view, time_s, values, style)


def draw_step_curve(
    ax: Axes, view: View, time_s: Floats, values: Floats, style: Mapping[str, Any]
) -> Line2D | None:
    """Draw a step curve, or its envelope, with properties of a line; return the line.

    Without values in view, draw nothing.
    """
    times, shown = view.held(time_s, values)
    if len(times) == 0:
        return None
    if len(times) > FEW:
        return draw_envelope(ax, envelope_of_steps(view.columns(), times, shown), style)
    [line] = ax.step(times, shown, where="post", **style)
    return line


def draw_samples(
    ax: Axes, view: View, time_s: Floats, values: Floats, kind: str, label: str
) -> None:
    """Draw a dot for each sample in view; of more than `FEW`, the envelope."""
    seen = view.holds(time_s)
    if seen.sum() > FEW:
        envelope = envelope_of_samples(view.columns(), time_s[seen], values[seen])
        draw_envelope(ax, envelope, {"color": COLORS[kind], "label": label, "linewidth": 1.2})
    else:
        draw_marks(ax, time_s[seen], values[seen], kind, label, Mark())


def draw_envelope(ax: Axes, envelope: Envelope, style: Mapping[str, Any]) -> Line2D:
    """Draw the range of each column as a band, and the medians as a line, which it returns.

    `legend_above` says once for all envelopes what they are.
    """
    ax.stairs(
        envelope.high,
        envelope.edges_s,
        baseline=envelope.low,
        fill=True,
        color=style["color"],
        alpha=BAND,
        linewidth=0,
        gid=ENVELOPE,
    )
    held = np.append(envelope.median, envelope.median[-1:])
    [line] = ax.step(envelope.edges_s, held, where="post", **style)
    return line


def draw_marks(
    ax: Axes, times: Floats, values: Floats | Integers, kind: str, label: str, mark: Mark
) -> None:
    """Draw a mark for each value, in a colour or that of a kind; of none, add no legend entry."""
    if len(times) == 0:
        return
    ax.plot(
        times,
        values,
        linestyle="none",
        marker=mark.shape,
        markersize=mark.size,
        fillstyle=mark.fill,
        color=COLORS.get(kind, kind),
        label=label,
        rasterized=len(times) > FEW,
    )


def draw_bars(
    ax: Axes,
    times: Floats,
    span: tuple[Floats, Floats],
    kind: str,
    label: str,
    *,
    width: float = 1.8,
    point: float = 0.0,
) -> None:
    """Draw vertical bars over a span, in front of lines.

    A dot of `point` points at the top keeps short bars visible.
    """
    if len(times) == 0:
        return
    gap = np.full(len(times), np.nan)
    color, many = COLORS[kind], len(times) > FEW
    # One line with gaps, because a million lines would take minutes.
    ax.plot(
        np.repeat(times, 3),
        np.stack([*span, gap], axis=1).ravel(),
        color=color,
        linewidth=width,
        solid_capstyle="butt",
        label=label,
        rasterized=many,
        zorder=3,
    )
    if point:
        ax.plot(times, span[1], ".", color=color, markersize=point, rasterized=many, zorder=3)


def mark_spurious_timeouts(ax: Axes, events: pl.DataFrame, time_s: Floats, window: Floats) -> None:
    """Mark spurious timeouts by arrows at the window."""
    spurious = events.filter(events["event"] == "spurious_timeout")["time_s"].to_numpy()
    for at in spurious:
        height = float(window[max(np.searchsorted(time_s, at) - 1, 0)])
        ax.annotate(
            "",
            xy=(float(at), height),
            xytext=(0, 16),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-|>", "color": COLORS["timeout"], "shrinkB": 1},
        )


def finish(ax: Axes, view: View, ylabel: str, *, bottom: float | None = 0.0) -> None:
    """Label the axes, set the time range, and put the legend above."""
    ax.set(xlabel="Time (s)", ylabel=ylabel)
    if bottom == 0.0:
        begin_at_zero(ax)
    fit_unit(ax.yaxis)
    margin = 0.01 * (view.end_s - view.start_s)
    ax.set_xlim(view.start_s - margin, view.end_s + margin)
    if not ax.has_data():
        ax.text(0.5, 0.5, "nothing to show", transform=ax.transAxes, ha="center", va="center")
    legend_above(ax)


def begin_at_zero(ax: Axes) -> None:
    """Begin the y-axis at zero, or below it if marks there would be cut in halves.

    A logarithmic axis has no zero.
    """
    if ax.get_yscale() == "log":
        return
    top = ax.get_ylim()[1]
    marked = [line.get_ydata() for line in ax.lines if line.get_marker() not in ("None", "", " ")]
    values = np.concatenate([np.asarray(each, dtype=np.float64) for each in (*marked, [top])])
    ax.set_ylim(bottom=-EDGE * top if np.nanmin(values) < EDGE * top else 0.0)


def fit_unit(axis: Axis) -> None:
    """Show the numbers of an axis in the unit that suits its size, if its label names a unit."""
    from matplotlib.ticker import ScalarFormatter

    label = axis.get_label_text()
    drawn = next((unit for unit in UNITS if label.endswith(f"({unit})")), None)
    if drawn is None:
        return
    top = max(map(abs, axis.get_view_interval()))
    unit = next(each for each in UNITS[drawn] if top >= each.least)
    axis.set_label_text(f"{label.removesuffix(f'({drawn})')}({unit.name})")
    plain = ScalarFormatter()
    as_drawn = unit.name == drawn
    axis.set_major_formatter(plain if as_drawn else lambda at, _: f"{unit.factor * at:.12g}")


def log_scale(ax: Axes, which: Literal["x", "y"] = "y") -> None:
    """Draw values on a logarithmic scale with plain numbers: 1, 2, 5 of each decade, if few."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set(**{f"{which}scale": "log"})
    axis = ax.xaxis if which == "x" else ax.yaxis
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1,) if high > FEW_DECADES * low else (1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


FEW_DECADES: Final = 1000
"""Ratio of the ends of a scale above which only powers of ten have numbers."""


def keep_marks_whole(ax: Axes) -> None:
    """Extend the axis from zero so that marks at zero and at the top are whole."""
    height = ax.get_ylim()[1]
    ax.set_ylim(-EDGE * height, (1.0 + EDGE) * height)


def legend_above(ax: Axes, entries: Mapping[str, Artist] | None = None) -> None:
    """Put a legend in rows above the axes, by default of all that they show.

    Rows are read one after the other, and of more than `ROWS` those in the middle are counted. Its
    last entry is on envelopes, if there are any.
    """
    from matplotlib.patches import Patch

    handles, labels = ax.get_legend_handles_labels()
    if entries is not None:
        handles, labels = [*entries.values()], [*entries]
    if columns_s := [_column_s(each) for each in ax.patches if each.get_gid() == ENVELOPE]:
        upto = "up to " if min(columns_s) < max(columns_s) else ""
        labels.append(f"Median and range of {upto}{max(columns_s):.3g} s each")
        handles.append(Patch(color=COLORS["muted"], alpha=BAND, linewidth=0))
    # As many in a row as the figure has room for: a wider legend would make the axes narrower.
    for count in range(min(len(labels), ROW), 0, -1):
        shown = _bounded([*zip(handles, labels, strict=True)], ROWS * count)
        rows = -(-len(shown) // count)
        columns = -(-len(shown) // rows)
        legend = ax.legend(
            _by_column([handle for handle, _ in shown], columns),
            _by_column([label for _, label in shown], columns),
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=columns,
            borderaxespad=0.2,
            columnspacing=1.4,
            handlelength=1.6,
        )
        room = ax.figure.bbox.x1 - ax.get_window_extent().x0
        if legend.get_window_extent().width <= room:
            break


def _bounded(entries: list[tuple[Artist, str]], most: int) -> list[tuple[Artist, str]]:
    """Return at most so many entries: the first, how many are left out, and the last.

    The last ones tell what marks and lines mean; before them are curves, which are alike.
    """
    from matplotlib.lines import Line2D

    if len(entries) <= most:
        return entries
    first = most - LAST - 1
    left_out = len(entries) - first - LAST
    gap = Line2D([], [], linestyle="none"), f"… and {left_out} more"
    return [*entries[:first], gap, *entries[-LAST:]]


def legend_below(figure: Figure, entries: Mapping[str, Artist], columns: int) -> None:
    """Put one legend below the figure, in so many columns or as many as it has room for."""
    for count in range(min(len(entries), columns), 0, -1):
        legend = figure.legend(
            [*entries.values()], [*entries], loc="outside lower center", ncols=count
        )
        if count == 1 or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()


def _by_column(entries: Sequence[T], columns: int) -> list[T]:
    """Return the entries of rows by columns, which is the order in which matplotlib takes them."""
    return [each for column in range(columns) for each in entries[column::columns]]


def _column_s(band: Patch) -> float:
    _, edges_s, _ = cast("StepPatch", band).get_data()
    return float(edges_s[1] - edges_s[0])


def label_rows(ax: Axes, labels: Sequence[str]) -> None:
    """Label the rows of a panel, the first at the top, in a size that fits their height."""
    height = ax.get_window_extent().height / ax.figure.dpi * POINTS
    size = min(ROW_FONT, height / max(len(labels), 1) / LINE_SPACING)
    ax.set_yticks(range(len(labels)), labels, fontsize=size)
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)


def panels(ax: Axes, *spans: tuple[float, float]) -> list[Axes]:
    """Return panels that replace `ax`, given their lower edges and heights."""
    ax.set_axis_off()
    found = [ax.inset_axes((0.0, bottom, 1.0, height)) for bottom, height in spans]
    for panel in found:
        panel.tick_params(axis="x", pad=5)  # apart from the lowest label of the other axis
    return found
