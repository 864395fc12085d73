"""A map: stations, how far they reach, and the ways of mobiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from thinpipe.plot.style import COLORS
from thinpipe.report.numbers import short

if TYPE_CHECKING:
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
    """Draw stations with their reach, and ways with the times at which they bend."""
    for station in network.stations:
        _draw_station(ax, station)
    for number, walk in enumerate(network.walks):
        color = HUES[number % len(HUES)]
        _draw_walk(ax, walk, color)
        if len(network.walks) <= FEW:
            _name_walk(ax, walk, color)
    across, up = _extent(network)
    ax.set(xlabel="East (m)", ylabel="North (m)", xlim=across, ylim=up)
    ax.set_aspect("equal")


def _draw_station(ax: Axes, station: Station) -> None:
    from matplotlib.patches import Circle

    ax.plot(*station.position_m, "^", color=STATION, markersize=8, zorder=4)
    _name(ax, station.name, station.position_m, color=STATION, up=-1)
    if station.range_m is not None:
        circle: dict[str, Any] = {
            "radius": station.range_m,
            "edgecolor": REACH,
            "linestyle": (0, (4, 2)),
        }
        ax.add_patch(Circle(station.position_m, fill=False, linewidth=0.9, **circle))
        ax.add_patch(
            Circle(station.position_m, station.range_m, color=REACH, alpha=0.08, linewidth=0)
        )


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


def _name_walk(ax: Axes, walk: Walk, color: str) -> None:
    stays = _stays(walk)
    named = stays if len(stays) <= FEW else [stays[0], stays[-1]]
    for number, (place, said) in enumerate(named):
        name = f"{walk.name}{', ' + said if said else ''}" if number == 0 else said
        _name(ax, name, place, color=color, up=1)


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


def _name(ax: Axes, text: str, place: Place, *, color: str, up: int) -> None:
    ax.annotate(
        text,
        place,
        xytext=(0, 9 * up),
        textcoords="offset points",
        ha="center",
        va="bottom" if up > 0 else "top",
        fontsize=FONT,
        color=color,
        zorder=5,
    )
