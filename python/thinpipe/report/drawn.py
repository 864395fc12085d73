"""The data of a figure as CSV, read off its axes, so that the file has what the figure shows."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from thinpipe.report.series_names import SeriesNames

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import BarContainer, ErrorbarContainer
    from matplotlib.figure import Figure

DIGITS: Final = 9
"""Significant digits of a number: more than any axis shows, fewer than binary noise needs."""

ALIKE: Final = ("text", "arrow")
"""Kinds of which each is one row, so that equal ones need no number."""


class Mark(NamedTuple):
    """A row: a point with what is drawn around it, in the units of the axes.

    Attributes
    ----------
    x, y
        The point; ``None`` on an axis that a line or an area crosses from end to end.
    x_low, x_high, y_low, y_high
        The extent of an error bar, a band, a bar or a cell.
    value
        The number that a colour stands for.
    """

    x: float | None = None
    y: float | None = None
    x_low: float | None = None
    x_high: float | None = None
    y_low: float | None = None
    y_high: float | None = None
    value: float | None = None


COLUMNS: Final = ("panel", "series", "kind", *Mark._fields)


def figure_csv(figure: Figure, source: str) -> bytes:
    """Return the data of all panels; comments with ``#`` say `source` and what the axes are."""
    text = io.StringIO()
    panels = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    text.write(f"# {source}\n")
    for number, ax in enumerate(panels, 1):
        text.write(f"# panel {number}: {_axes_text(figure, ax)}\n")
    names = SeriesNames(panels, figure.legends)
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    omitted: Counter[str] = Counter()
    for number, ax in enumerate(panels, 1):
        seen: Counter[tuple[str, str]] = Counter()
        for artist, kind, marks in _series(ax, omitted):
            name = names.of(artist) or kind
            seen[name, kind] += 1
            count = seen[name, kind]
            unique = name if count == 1 or kind in ALIKE else f"{name} ({count})"
            table.writerows([number, unique, kind, *map(_cell, mark)] for mark in marks)
    for name, count in sorted(omitted.items()):
        text.write(f"# not in this file: {count} {name}\n")
    return text.getvalue().encode()


def _cell(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.{DIGITS}g}"


def _axes_text(figure: Figure, ax: Axes) -> str:
    """Return title and axis labels in one line; a label may stand at a panel that shares it."""
    shared_x, shared_y = ax.get_shared_x_axes(), ax.get_shared_y_axes()
    parts = {
        "": ax.get_title(),
        "x: ": _label([each.xaxis for each in shared_x.get_siblings(ax)], figure.get_supxlabel()),
        "y: ": _label([each.yaxis for each in shared_y.get_siblings(ax)], figure.get_supylabel()),
    }
    parts |= {"x ": _tick_names(ax.xaxis), "y ": _tick_names(ax.yaxis)}
    return "; ".join(name + " ".join(text.split()) for name, text in parts.items() if text)


def _label(axes: Sequence[Axis], common: str) -> str:
    return next((text for axis in axes if (text := axis.get_label_text())), common)


def _tick_names(axis: Axis) -> str:
    """Return what words at an axis stand for, such as ``0 = Tahoe, 1 = Reno``."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    formatter = axis.get_major_formatter()
    if not isinstance(formatter, (FixedFormatter, FuncFormatter, StrCategoryFormatter)):
        return ""
    places = [float(place) for place in axis.get_majorticklocs()]
    texts = map(str, formatter.format_ticks(places))  # set_xticklabels keeps what it gets
    pairs = zip(places, texts, strict=True)
    named = [(place, text) for place, text in pairs if text and not _says(text, place)]
    return ", ".join(f"{place:g} = {text}" for place, text in named)


def _says(text: str, number: float) -> bool:
    try:
        return float(text.replace(",", "").replace("−", "-")) == number
    except ValueError:
        return False


Series = tuple["Artist | BarContainer | ErrorbarContainer", str, Iterator[Mark]]


def _series(ax: Axes, omitted: Counter[str]) -> Iterator[Series]:
    """Yield what axes hold: the artist, its kind and its marks; `omitted` counts other kinds."""
    from matplotlib.container import BarContainer, ErrorbarContainer

    taken: set[Artist] = set()
    for container in ax.containers:
        if isinstance(container, ErrorbarContainer):
            data, caps, bars = container.lines
            taken |= set(filter(None, (data, *caps, *bars)))  # without a line, data is None
            yield container, "error bar", _error_bars(container)
        elif isinstance(container, BarContainer):
            taken |= set(container.patches)
            yield container, "bar", (_rectangle(ax, each) for each in container.patches)
    for artist in (*ax.images, *ax.collections, *ax.patches, *ax.lines, *ax.texts):
        if artist in taken or not artist.get_visible():
            continue
        found = _one(ax, artist)
        if found is None:
            omitted[type(artist).__name__] += 1
        else:
            yield artist, *found


def _one(ax: Axes, artist: Any) -> tuple[str, Iterator[Mark]] | None:  # noqa: ANN401, PLR0911
    """Return kind and marks of an artist; ``None`` if it is of a kind that is not known."""
    from matplotlib.collections import LineCollection, PathCollection, PolyCollection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle, StepPatch
    from matplotlib.text import Text

    match artist:
        case Line2D():
            return _line_kind(artist), _line(ax, artist)
        case Text():
            return "text" if artist.get_text() else "arrow", _text(ax, artist)
        case StepPatch():
            return "stairs", _stairs(artist)
        case Rectangle():
            return "area", iter((_rectangle(ax, artist),))
        case PathCollection():
            return "points", _scatter(artist)
        case LineCollection():
            return "line", _segments(artist)
        case PolyCollection():
            return "band", _bands(artist)
        case AxesImage():
            return "cell", _cells(artist)
    return None


def _in_data(ax: Axes, transform: Any) -> tuple[bool, bool]:  # noqa: ANN401
    """Return for x and y whether they are in the units of the axes."""
    along_x, along_y = transform.contains_branch_seperately(ax.transData)
    return bool(along_x), bool(along_y)


def _line_kind(line: Any) -> str:  # noqa: ANN401
    if line.get_linestyle() in ("None", "none", "", " "):
        return "points"
    return "line" if line.get_drawstyle() == "default" else line.get_drawstyle()


def _line(ax: Axes, line: Any) -> Iterator[Mark]:  # noqa: ANN401
    along_x, along_y = _in_data(ax, line.get_transform())
    xs, ys = (np.ma.filled(each, np.nan) for each in line.get_data(orig=False))
    if along_x and along_y:
        yield from map(Mark, xs.tolist(), ys.tolist())
    elif along_x:
        yield from (Mark(x=x) for x in dict.fromkeys(xs.tolist()))
    elif along_y:
        yield from (Mark(y=y) for y in dict.fromkeys(ys.tolist()))


def _text(ax: Axes, text: Any) -> Iterator[Mark]:  # noqa: ANN401
    from matplotlib.text import Annotation

    x, y = text.get_position()
    along = _in_data(ax, text.get_transform())
    if isinstance(text, Annotation):
        x, y = text.xy
        along = (True, True) if text.xycoords == "data" else (False, False)
    if any(along):
        place = (float(each) if known else None for each, known in zip((x, y), along, strict=True))
        yield Mark(*place)


def _stairs(patch: Any) -> Iterator[Mark]:  # noqa: ANN401
    values, edges, baseline = patch.get_data()
    lows = np.broadcast_to(np.nan if baseline is None else baseline, np.shape(values))
    for value, low, left, right in zip(values, lows, edges[:-1], edges[1:], strict=True):
        high = None if baseline is None else float(value)
        yield Mark(
            x_low=float(left), x_high=float(right), y=float(value), y_low=float(low), y_high=high
        )


def _rectangle(ax: Axes, patch: Any) -> Mark:  # noqa: ANN401
    """Return a rectangle's middle on the x axis, its end on the y axis, and its extent."""
    left, low = patch.get_xy()
    right, high = left + patch.get_width(), low + patch.get_height()
    along_x, along_y = _in_data(ax, patch.get_data_transform())
    return Mark(
        x=(left + right) / 2 if along_x else None,
        y=high if along_y else None,
        x_low=left if along_x else None,
        x_high=right if along_x else None,
        y_low=low if along_y else None,
        y_high=high if along_y else None,
    )


def _scatter(points: Any) -> Iterator[Mark]:  # noqa: ANN401
    places = np.ma.filled(points.get_offsets(), np.nan).tolist()
    colors = points.get_array()
    values = [None] * len(places) if colors is None else colors.tolist()
    for (x, y), value in zip(places, values, strict=True):
        yield Mark(x=x, y=y, value=value)


def _segments(lines: Any) -> Iterator[Mark]:  # noqa: ANN401
    """Yield the ends of each line: one row if it is parallel to an axis, else one per point."""
    for segment in lines.get_segments():
        (x_low, y_low), (x_high, y_high) = segment.min(axis=0), segment.max(axis=0)
        if x_low == x_high:
            yield Mark(x=float(x_low), y_low=float(y_low), y_high=float(y_high))
        elif y_low == y_high:
            yield Mark(y=float(y_low), x_low=float(x_low), x_high=float(x_high))
        else:
            yield from (Mark(x, y) for x, y in segment.tolist())


def _bands(areas: Any) -> Iterator[Mark]:  # noqa: ANN401
    """Yield lower and upper end at each x; of other polygons the corners."""
    for path in areas.get_paths():
        corners = path.vertices
        # As fill_between makes them: a corner, there, a corner, back, the first corner again.
        count = (len(corners) - 3) // 2
        there, back = corners[1 : count + 1], corners[count + 2 : 2 * count + 2][::-1]
        if len(corners) == 2 * count + 3 and np.array_equal(there[:, 0], back[:, 0]):
            lows, highs = np.minimum(there, back)[:, 1], np.maximum(there, back)[:, 1]
            rows = np.stack([there[:, 0], lows, highs], axis=1).tolist()
            for x, low, high in dict.fromkeys(map(tuple, rows)):
                yield Mark(x=x, y_low=low, y_high=high)
        else:
            yield from (Mark(x, y) for x, y in corners.tolist())


def _cells(image: Any) -> Iterator[Mark]:  # noqa: ANN401
    values = np.ma.filled(image.get_array(), np.nan)
    left, right, bottom, top = image.get_extent()
    if image.origin == "upper":
        bottom, top = top, bottom
    rows, columns = values.shape
    for row, column in np.ndindex(rows, columns):
        yield Mark(
            x=left + (column + 0.5) * (right - left) / columns,
            y=bottom + (row + 0.5) * (top - bottom) / rows,
            value=float(values[row, column]),
        )


def _error_bars(container: ErrorbarContainer) -> Iterator[Mark]:
    """Yield points and the ends of their bars; with bars alone, the middle of each is unknown."""
    data, _, bars = container.lines
    ranges = [np.stack([path.vertices for path in each.get_paths()]) for each in bars]
    across = ranges.pop(0) if container.has_xerr else None
    upright = ranges.pop(0) if container.has_yerr else None
    if data is None:
        count = len(upright if upright is not None else across if across is not None else ())
        xs = [None] * count if upright is None else upright[:, 0, 0].tolist()
        ys = [None] * count if across is None else across[:, 0, 1].tolist()
    else:
        xs, ys = (np.ma.filled(each, np.nan).tolist() for each in data.get_data(orig=False))
    for place, (x, y) in enumerate(zip(xs, ys, strict=True)):
        x_low, x_high = (None, None) if across is None else across[place, :, 0].tolist()
        y_low, y_high = (None, None) if upright is None else upright[place, :, 1].tolist()
        yield Mark(x, y, x_low, x_high, y_low, y_high)
