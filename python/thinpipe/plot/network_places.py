"""A map: stations, how far they reach, and the ways of mobiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.plot.style import COLORS
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from thinpipe.network import Network, Station, Walk

    Place = tuple[float, float]

HUES: Final = ("#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Colours of ways (Okabe and Ito, 2008)."""

STATION: Final = COLORS["drop"]
REACH: Final = COLORS["vegas"]

FONT: Final = 8.5

FEW: Final = 6
"""Places of a way up to which each is named with its time, and ways up to which each is named."""

FAINT: Final = (0.04, 0.4)
"""How opaque each of many ways is, at least and at most."""

MANY: Final = 40
"""Ways that are as dark as one, where all lie on each other."""

POINTS: Final = 72
"""Points in an inch."""

WIDTH: Final = 0.68 * FONT
"""Points that a character takes, as a rule and a little more."""

GAP: Final = 14.0
"""Points from a place to the middle of its name."""

STEP: Final = 12.0
"""Points from a line to the next."""

LINES: Final = 6
"""Lines that a name may stand away from its place."""

ROOM: Final = 0.06
"""Share of the map around what is on it."""

SHAPES: Final = (0.16, 0.6)
"""Least and greatest height of a map over its width."""


def shape(network: Network) -> float:
    """Return the height of the map over its width."""
    (left, right), (low, high) = _extent(network)
    return (high - low) / (right - left)


def _extent(network: Network) -> tuple[Place, Place]:
    """Return from where to where the map goes, east and north."""
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
    """Draw stations with their reach, and ways with the times at which they bend.

    Many ways are faint lines, without names.
    """
    across, up = _extent(network)
    ax.set(xlabel="East (m)", ylabel="North (m)", xlim=across, ylim=up)
    ax.set_aspect("equal")
    names = _Names(ax)
    for position, stations in _by_place(network.stations).items():
        _draw_station(ax, position, stations)
        names.write(", ".join(each.name for each in stations), position, color=STATION, up=-1)
    if len(network.walks) > FEW:
        _draw_many(ax, network.walks)
        return
    for number, walk in enumerate(network.walks):
        color = HUES[number % len(HUES)]
        _draw_walk(ax, walk, color)
        for place, said in _said(walk):
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
    """Draw a way with an arrow on each straight part."""
    _, xs, ys = zip(*walk.course, strict=True)
    ax.plot(xs, ys, color=color, linewidth=1.4, zorder=2)
    ax.plot(xs[0], ys[0], "o", color=color, markersize=5, zorder=3)
    for (_, *start), (_, *end) in zip(walk.course[:-1], walk.course[1:], strict=True):
        if start != end:
            middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            arrow = {"arrowstyle": "-|>", "color": color, "shrinkA": 0}
            ax.annotate("", middle, (start[0], start[1]), arrowprops=arrow)


def _draw_many(ax: Axes, walks: Sequence[Walk]) -> None:
    """Draw ways as faint lines, and a dot where each begins: an image, all of one colour."""
    from matplotlib.collections import LineCollection

    faint = max(FAINT[0], min(FAINT[1], MANY / len(walks)))
    lines = [[(x, y) for _, x, y in walk.course] for walk in walks]
    ways = LineCollection(lines, colors=HUES[0], linewidths=0.8, alpha=faint, zorder=2)
    ways.set_rasterized(True)
    ax.add_collection(ways, autolim=False)
    xs, ys = zip(*(line[0] for line in lines), strict=True)
    ax.scatter(xs, ys, s=9, c=HUES[0], linewidths=0, alpha=faint, zorder=3, rasterized=True)
    ax.set_title(f"{len(walks)} mobiles, each a dot where it begins", fontsize=FONT, color=HUES[0])


def _said(walk: Walk) -> list[tuple[Place, str]]:
    """Return what stands where on a way."""
    stays = _stays(walk)
    (place, said), *rest = stays if len(stays) <= FEW else [stays[0], stays[-1]]
    return [(place, f"{walk.name}{', ' + said if said else ''}"), *rest]


def _stays(walk: Walk) -> list[tuple[Place, str]]:
    """Return the places at which a way bends, and when: ``5 s``, or ``0 to 5 s`` at rest."""
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


class _Names:
    """Names beside places of a map, none on another."""

    def __init__(self, ax: Axes) -> None:
        self.ax: Final = ax
        self.taken: Final[list[tuple[float, float, float]]] = []

    def write(self, text: str, place: Place, *, color: str, up: int) -> None:
        """Write above or below a place, or as many lines further on as it takes."""
        figure = self.ax.get_figure()
        assert figure is not None
        x, y = (each * POINTS / figure.dpi for each in self.ax.transData.transform(place))
        wide = WIDTH * len(text)
        offsets = (sign * (GAP + STEP * line) for line in range(LINES) for sign in (up, -up))
        free = (offset for offset in offsets if self._free(x, y + offset, wide))
        offset = next(free, GAP * up)
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

    def _free(self, x: float, y: float, wide: float) -> bool:
        return all(
            abs(y - its_y) >= STEP or abs(x - its_x) >= (wide + width) / 2
            for its_x, its_y, width in self.taken
        )
