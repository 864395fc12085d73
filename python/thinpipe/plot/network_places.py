"""A map: transmitters, their coverage, and the paths of mobiles."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from thinpipe.plot.style import COLORS
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from thinpipe.network import Network, Station, Walk

    Place = tuple[float, float]

HUES: Final = ("#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Colours of paths (Okabe and Ito, 2008)."""

STATION: Final = COLORS["drop"]
REACH: Final = COLORS["vegas"]

FONT: Final = 8.5

FEW: Final = 6
"""Maximum number of waypoints labelled on a path, and of labelled paths."""

FAINT: Final = (0.04, 0.4)
"""Minimum and maximum opacity of paths, where there are many."""

MANY: Final = 40
"""Number of overlapping paths that together are opaque."""

POINTS: Final = 72
"""Points per inch."""

WIDTH: Final = 0.68 * FONT
"""Slightly more than the typical width of a character, in points."""

GAP: Final = 14.0
"""Points from a position to the middle of its label."""

MARK: Final = 10.0
"""Width of a transmitter, in points."""

STEP: Final = 12.0
"""Line height, in points."""

LINES: Final = 6
"""Maximum distance of a label from its position, in lines."""

ROOM: Final = 0.06
"""Margin of the map, as a share of its content."""

SHAPES: Final = (0.16, 0.6)
"""Minimum and maximum of height over width of a map."""


def shape(network: Network) -> float:
    """Return the height of the map over its width."""
    (left, right), (low, high) = _extent(network)
    return (high - low) / (right - left)


def _extent(network: Network) -> tuple[Place, Place]:
    """Return the range of the map, east and north."""
    spots = [(x, y, each.range_m or 0.0) for each in network.stations for x, y in [each.position_m]]
    spots += [(x, y, 0.0) for walk in network.walks for _, x, y in walk.course]
    ends = [
        (min(spot[axis] - spot[2] for spot in spots), max(spot[axis] + spot[2] for spot in spots))
        for axis in (0, 1)
    ]
    wide, tall = ((1 + 2 * ROOM) * (high - low) or 1.0 for low, high in ends)
    wide = max(wide, tall / SHAPES[1])
    tall = max(tall, wide * SHAPES[0])
    (x, y) = ((low + high) / 2 for low, high in ends)
    return (x - wide / 2, x + wide / 2), (y - tall / 2, y + tall / 2)


def draw_places(ax: Axes, network: Network) -> None:
    """Draw transmitters with their coverage, and paths with the times at waypoints.

    Many paths are faint lines without labels.
    """
    across, up = _extent(network)
    ax.set(xlabel="East (m)", ylabel="North (m)", xlim=across, ylim=up)
    ax.set_aspect("equal")
    few = len(network.walks) <= FEW
    names = _Labels(ax, network.stations, network.walks if few else ())
    for position, stations in _by_place(network.stations).items():
        _draw_station(ax, position, stations)
        names.write(", ".join(each.name for each in stations), position, color=STATION, up=-1)
    if not few:
        _draw_many(ax, network.walks)
        return
    for number, walk in enumerate(network.walks):
        color = HUES[number % len(HUES)]
        _draw_walk(ax, walk, color)
        for place, said in _labels(walk):
            names.write(said, place, color=color, up=1)


def _by_place(stations: Sequence[Station]) -> dict[Place, list[Station]]:
    found: dict[Place, list[Station]] = {}
    for station in stations:
        found.setdefault(station.position_m, []).append(station)
    return found


def _draw_station(ax: Axes, position: Place, stations: Sequence[Station]) -> None:
    from matplotlib.patches import Circle

    ax.plot(*position, "^", color=STATION, markersize=8, zorder=4)
    for range_m in sorted({each.range_m for each in stations if each.range_m is not None}):
        ax.add_patch(
            Circle(
                position,
                range_m,
                fill=False,
                linewidth=0.9,
                edgecolor=REACH,
                linestyle=(0, (4, 2)),
            )
        )
        ax.add_patch(Circle(position, range_m, color=REACH, alpha=0.08, linewidth=0))


def _draw_walk(ax: Axes, walk: Walk, color: str) -> None:
    """Draw a path with an arrow on each straight part."""
    _, xs, ys = zip(*walk.course, strict=True)
    ax.plot(xs, ys, color=color, linewidth=1.4, zorder=2)
    ax.plot(xs[0], ys[0], "o", color=color, markersize=5, zorder=3)
    for (_, *start), (_, *end) in zip(walk.course[:-1], walk.course[1:], strict=True):
        if start != end:
            middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            arrow = {"arrowstyle": "-|>", "color": color, "shrinkA": 0}
            ax.annotate("", middle, (start[0], start[1]), arrowprops=arrow)


def _draw_many(ax: Axes, walks: Sequence[Walk]) -> None:
    """Draw paths as faint rasterized lines of one colour, with a dot at the start of each."""
    from matplotlib.collections import LineCollection

    faint = max(FAINT[0], min(FAINT[1], MANY / len(walks)))
    lines = [[(x, y) for _, x, y in walk.course] for walk in walks]
    ways = LineCollection(lines, colors=HUES[0], linewidths=0.8, alpha=faint, zorder=2)
    ways.set_rasterized(True)
    ax.add_collection(ways, autolim=False)
    xs, ys = zip(*(line[0] for line in lines), strict=True)
    ax.scatter(xs, ys, s=9, c=HUES[0], linewidths=0, alpha=faint, zorder=3, rasterized=True)
    ax.set_title(
        f"{len(walks)} mobiles, each with a dot at its start", fontsize=FONT, color=HUES[0]
    )


def _labels(walk: Walk) -> list[tuple[Place, str]]:
    """Return the labels of a path with their positions."""
    stays = places_by_time(walk)
    (place, said), *rest = stays if len(stays) <= FEW else [stays[0], stays[-1]]
    return [(place, f"{walk.name}{', ' + said if said else ''}"), *rest]


def places_by_time(walk: Walk) -> list[tuple[Place, str]]:
    """Return the waypoints of a path with times: ``5 s``, or ``0–5 s`` for a stay."""
    if len(walk.course) == 1:
        return [(walk.course[0][1:], "")]
    spans: list[tuple[Place, float, float]] = []
    for time_s, x, y in walk.course:
        if spans and spans[-1][0] == (x, y):
            spans[-1] = ((x, y), spans[-1][1], time_s)
        else:
            spans.append(((x, y), time_s, time_s))
    return [
        (place, f"{short(start_s)} s" if start_s == end_s else f"{short(start_s)}–{short(end_s)} s")
        for place, start_s, end_s in spans
    ]


class _Labels:
    """Labels of a map that lie neither on each other nor on a transmitter; if possible off paths.

    Positions are in points.
    """

    def __init__(self, ax: Axes, stations: Sequence[Station], walks: Sequence[Walk]) -> None:
        self.ax: Final = ax
        marks = [self._points(each.position_m) for each in stations]
        self.taken: Final = [(x, y, MARK) for x, y in marks]
        self.paths: Final = [
            (self._points(start), self._points(end))
            for walk in walks
            for (_, *start), (_, *end) in pairwise(walk.course)
        ]

    def write(self, text: str, place: Place, *, color: str, up: int) -> None:
        """Write a label above or below a position, at the nearest free line."""
        x, y = self._points(place)
        wide = WIDTH * len(text)
        offsets = [sign * (GAP + STEP * line) for line in range(LINES) for sign in (up, -up)]
        free = [offset for offset in offsets if self._free(x, y + offset, wide)]
        clear = (offset for offset in free if not self._on_a_path(x, y + offset, wide))
        offset = next(clear, next(iter(free), GAP * up))
        self.taken.append((x, y + offset, wide))
        self.ax.annotate(
            text,
            place,
            xytext=(0, offset),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=FONT,
            color=color,
            zorder=5,
        )

    def _points(self, place: Sequence[float]) -> Place:
        figure = self.ax.get_figure()
        assert figure is not None
        x, y = self.ax.transData.transform(place) * POINTS / figure.dpi
        return float(x), float(y)

    def _on_a_path(self, x: float, y: float, wide: float) -> bool:
        from matplotlib.path import Path
        from matplotlib.transforms import Bbox

        box = Bbox.from_bounds(x - wide / 2, y - STEP / 2, wide, STEP)
        return any(Path(ends).intersects_bbox(box, filled=False) for ends in self.paths)

    def _free(self, x: float, y: float, wide: float) -> bool:
        return all(
            abs(y - its_y) >= STEP or abs(x - its_x) >= (wide + width) / 2
            for its_x, its_y, width in self.taken
        )
