"""Curves that share axes: those of several runs, or of several flows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from thinpipe._core import ScenarioError
from thinpipe.arguments import check
from thinpipe.plot.drawing import FEW, Mark, View, draw_marks, draw_step_curve
from thinpipe.plot.style import ALGORITHMS, COLORS, OTHER, style
from thinpipe.plot.vision import farthest
from thinpipe.sweep.words import texts_alike

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.plot.drawing import Floats
    from thinpipe.plot.kinds import Size
    from thinpipe.plot.shown import Shown
    from thinpipe.recording import CompleteRecording
    from thinpipe.result import Result

T = TypeVar("T")

DASHES: Final = ("-", (0, (6, 2)), (0, (6, 2, 1, 2)), (0, (6, 2, 1, 2, 1, 2)))
"""Of the first curve, the second and so on: where two are equal, both are seen.

All have long dashes: a line of dots is something else, such as ssthresh.
"""

MEANS: Final = "Lines: means of "
"""What the legend says of curves that show means over columns of time begins so."""

COLORED: Final = 12
"""Maximum number of curves in colours; more are grey, with their mean."""

GRID: Final = 1000
"""Number of times at which the mean of curves is computed, and of means of a long curve.

It is about that of pixels: a saw-tooth that the picture can show stays one.
"""

GREY: Final = COLORS["muted"]

SPARE: Final = (*(color for color in ALGORITHMS.values() if color != GREY), OTHER)
"""Colours of further curves of an algorithm."""

CROWD: Final = 60
"""Maximum number of marks of a kind at their full size."""

CLEAR: Final = 100
"""Maximum number of marks of a kind where there are several curves."""

COUNTED: Final = 4
"""Maximum number of curves whose marks the legend counts apart."""

SAID_BY_VARIANT: Final = ("tcp.variant", "tcp.congestion_control", "tcp.recovery")


@dataclass(frozen=True, slots=True)
class Curve(Generic[T]):
    """What a kind of plot draws of one flow."""

    variant: str
    label: str | None
    view: View
    data: T
    group: str = ""

    @property
    def name(self) -> str:
        """Its name beside others."""
        return self.label or self.variant

    def of(self, data: Any) -> Curve[Any]:  # noqa: ANN401 - that of another kind
        """Return the same with other data."""
        return Curve(self.variant, self.label, self.view, data, self.group)


@dataclass(frozen=True, slots=True)
class Look:
    """How a curve is drawn; `label` is its entry in the legend."""

    color: str
    dashes: Any
    width: float
    label: str
    is_one_of_many: bool = False

    @property
    def style(self) -> dict[str, Any]:
        """Its properties of a line."""
        return {
            "color": self.color,
            "linestyle": self.dashes,
            "linewidth": self.width,
            "label": self.label,
        }


@dataclass(frozen=True, slots=True)
class Steps:
    """A step curve: each value holds until the next time."""

    time_s: Floats
    values: Floats


NOTHING: Final = Steps(np.array([], dtype=np.float64), np.array([], dtype=np.float64))
"""A curve that never has a value."""


@dataclass(frozen=True, slots=True)
class _Shared:
    """What axes share: the curves so far, and the artists that show them."""

    draw: Callable[..., None]
    curves: list[Curve[Any]]
    artists: WeakSet[Artist]


_SHARED: Final[WeakKeyDictionary[Axes, _Shared]] = WeakKeyDictionary()


def share(
    ax: Axes | None,
    shown: Sequence[Shown],
    data: Callable[[Shown], T],
    draw: Callable[[Axes, Sequence[Curve[T]]], None],
    size: Size | None = None,
) -> Figure:
    """Draw flows into `ax`, together with those that the same kind of plot has drawn there.

    All are drawn anew, because colours, legend and limits depend on all. Return the figure.
    """
    new = [
        Curve(each.flow.variant, each.label, each.view, data(each), each.flow.group)
        for each in shown
    ]
    with style():
        ax = given_or_new(ax, size)
        new = [*_taken_away(ax, draw), *new]
        others = set(ax.get_children())
        draw(ax, new)
        artists = WeakSet(each for each in ax.get_children() if each not in others)
        _SHARED[ax] = _Shared(draw, new, artists)
    return figure_of(ax)


def _taken_away(ax: Axes, draw: Callable[..., None]) -> list[Curve[Any]]:
    """Return the curves that `draw` has drawn, and remove them from the axes."""
    before, there = _SHARED.get(ax), set(ax.get_children())
    artists = [] if before is None else [each for each in before.artists if each in there]
    if before is None or before.draw != draw or not artists:  # none are left after ax.clear()
        return []
    for artist in artists:
        artist.remove()
    ax.relim()
    ax.autoscale()
    return before.curves


def given_or_new(ax: Axes | None, size: Size | None = None) -> Axes:
    """Return axes, or if there are none those of a new figure of a size in inches."""
    import matplotlib.pyplot as plt

    check(ax=ax)
    return ax or plt.subplots(figsize=size or (7.0, 3.6))[1]


def figure_of(ax: Axes) -> Figure:
    """Return the whole figure that axes are in."""
    figure = ax.get_figure(root=True)
    assert figure is not None, "axes are in a figure"
    return figure


def whole(curves: Sequence[Curve[Any]]) -> View:
    """Return the view that contains those of all curves."""
    return View(min(each.view.start_s for each in curves), max(each.view.end_s for each in curves))


def looks(curves: Sequence[Curve[Any]], alone: str = "_") -> list[Look]:
    """Return how each curve is drawn; a single one is called `alone`, unless it has a label.

    The first of an algorithm has the algorithm's colour, whatever the order. Others have colours
    of algorithms that are not there. Later ones are thinner, so that they do not hide the first.
    Of many, all are grey, and one speaks for all in the legend.
    """
    count = len(curves)
    if count == 1:
        return [Look(color_of(curves[0].variant), "-", 1.4, curves[0].label or alone)]
    if count > COLORED:
        first = f"Each of {count} flows"
        names = [first, *["_"] * (count - 1)]
        return [Look(GREY, "-", 0.5, name, is_one_of_many=True) for name in names]
    colors = distinct_colors([each.variant for each in curves])
    widths = np.linspace(1.8, 1.0, count)
    return [
        Look(colors[number], DASHES[number % len(DASHES)], float(widths[number]), curve.name)
        for number, curve in enumerate(curves)
    ]


def color_of(variant: str) -> str:
    """Return the colour of a variant's algorithm."""
    return ALGORITHMS.get(variant.partition("+")[0], OTHER)


def draw_steps(
    ax: Axes, curves: Sequence[Curve[T]], steps: Callable[[T], Steps], drawn: Sequence[Look]
) -> list[Steps] | None:
    """Draw a step curve each, and of many their mean by group and variant.

    Where one of several has many values in view, means over columns of time take their place;
    return them.
    """
    found = [_in_view(curve.view, steps(curve.data)) for curve in curves]
    are_means = len(curves) > 1 and max(len(each.time_s) for each in found) > FEW
    view = whole(curves)
    if are_means:
        edges = np.linspace(view.start_s, view.end_s, GRID + 1)
        found = [column_means(each, edges) for each in found]
    for curve, of, look in zip(curves, found, drawn, strict=True):
        draw_step_curve(ax, curve.view, of.time_s, of.values, look.style)
    if any(look.is_one_of_many for look in drawn):
        _draw_means(ax, view, curves, found)
    if not are_means:
        return None
    column_s = (view.end_s - view.start_s) / GRID
    say_means(ax, [column_s])
    return found


def say_means(ax: Axes, lasts_s: Sequence[float]) -> None:
    """Say in the legend over how long the means are that lines show."""
    ends = dict.fromkeys(f"{each:.3g} s" for each in (min(lasts_s), max(lasts_s)))
    ax.plot([], [], " ", label=f"{MEANS}{' to '.join(ends)} each")


def _in_view(view: View, steps: Steps) -> Steps:
    return Steps(*view.held(steps.time_s, steps.values))


def column_means(steps: Steps, edges: Floats) -> Steps:
    """Return the mean of a step curve between edges, by time, where it has values."""
    if len(steps.time_s) == 0 or steps.time_s[0] == steps.time_s[-1]:
        return steps
    areas = np.append(0.0, np.cumsum(steps.values[:-1] * np.diff(steps.time_s)))
    within = np.clip(edges, steps.time_s[0], steps.time_s[-1])
    lasted, area = np.diff(within), np.diff(np.interp(within, steps.time_s, areas))
    known = lasted > 0
    means = area[known] / lasted[known]
    return Steps(np.append(within[:-1][known], within[-1]), np.append(means, means[-1:]))


def _draw_means(ax: Axes, view: View, curves: Sequence[Curve[Any]], steps: Sequence[Steps]) -> None:
    """Draw the mean of those of each group and variant that have a value at the time."""
    times = np.linspace(view.start_s, view.end_s, GRID)
    kinds = [(each.group, each.variant) for each in curves]
    several = len({group for group, _ in kinds}) > 1
    colors = distinct_colors([variant for _, variant in dict.fromkeys(kinds)])
    for kind, color, repeat, width in zip(
        dict.fromkeys(kinds),
        colors,
        repeats(colors),
        np.linspace(2.0, 1.2, len(colors)),
        strict=True,
    ):
        chosen = zip(kinds, steps, strict=True)
        members = [of for its, of in chosen if its == kind]
        mean = mean_at(times, members)
        name = ", ".join(kind) if several else kind[1]
        dashes = DASHES[repeat % len(DASHES)]
        look = Look(color, dashes, float(width), f"Mean of {len(members)} ({name})")
        draw_step_curve(ax, view, mean.time_s, mean.values, look.style)


def mean_at(times: Floats, steps: Sequence[Steps]) -> Steps:
    """Return the mean at times of the step curves that have a value then."""
    table = np.stack([at(times, of) for of in steps])
    count = (~np.isnan(table)).sum(axis=0)
    known = count > 0
    return Steps(times[known], np.nansum(table, axis=0)[known] / count[known])


def distinct_colors(variants: Sequence[str]) -> list[str]:
    """Return a colour each: that of the algorithm for its first, then those most unlike all.

    Where there are no more, each comes once more.
    """
    own = [color_of(each) for each in variants]
    spare = [each for each in SPARE if each not in own]
    colors: list[str] = []
    for color in own:
        if color not in colors:
            colors.append(color)
            continue
        spare = spare or [*SPARE]
        colors.append(farthest(spare, [*own, *colors]))
        spare.remove(colors[-1])
    return colors


def repeats(colors: Sequence[str]) -> list[int]:
    """Return how many of the same colour come before each: a shape or dashes tell them apart."""
    before: Counter[str] = Counter()
    found = []
    for color in colors:
        found.append(before[color])
        before[color] += 1
    return found


def at(times: Floats, steps: Steps) -> Floats:
    """Return a step curve's values at times; NaN where it has none."""
    if len(steps.time_s) == 0:
        return np.full(len(times), np.nan)
    index = np.searchsorted(steps.time_s, times, side="right") - 1
    inside = (index >= 0) & (times <= steps.time_s[-1])
    found: Floats = np.where(inside, steps.values[np.maximum(index, 0)], np.nan)
    return found


Kinds = Mapping[str, tuple[str, str, Mark]]
"""Colour, name and mark of events, by the word for them."""


def draw_events(
    ax: Axes,
    curves: Sequence[Curve[T]],
    events: Callable[[T], Mapping[str, Steps]],
    kinds: Kinds,
    drawn: Sequence[Look],
    means: Sequence[Steps] | None = None,
) -> None:
    """Mark events at their times and heights, of several curves in the colours of the curves.

    Where means are drawn, the marks stand on these. The legend has their number, of a few curves
    for each in order; too many of several curves are not drawn.
    """
    nowhere = np.array([np.nan])
    for word, (color, name, mark) in kinds.items():
        found = [_seen(curve.view, events(curve.data).get(word)) for curve in curves]
        counts = [len(each.time_s) for each in found]
        count = sum(counts)
        label, small = f"{name}: {_counted(counts)}", replace(mark, size=mark.size / 2)
        if count and len(curves) == 1:
            of = found[0]
            draw_marks(ax, of.time_s, of.values, color, label, mark if count <= CROWD else small)
        elif count > CLEAR or (count and drawn[0].is_one_of_many):
            draw_marks(ax, nowhere, nowhere, GREY, f"{label}, not drawn", mark)
        elif count:
            draw_marks(ax, nowhere, nowhere, GREY, label, mark)
            for number, (of, look) in enumerate(zip(found, drawn, strict=True)):
                heights = of.values if means is None else at(of.time_s, means[number])
                draw_marks(ax, of.time_s, heights, look.color, "_", mark)


def _counted(counts: Sequence[int]) -> str:
    if len(counts) > COUNTED:
        return f"{sum(counts):,} in all"
    return " / ".join(f"{count:,}" for count in counts)


def _seen(view: View, events: Steps | None) -> Steps:
    if events is None:
        return NOTHING
    seen = view.holds(events.time_s)
    return Steps(events.time_s[seen], events.values[seen])


def labels(runs: Sequence[CompleteRecording], names: Sequence[str]) -> list[str]:
    """Return what distinguishes runs: the settings that differ, or else their names.

    What only other runs set has the value of the scenario.
    """
    set_of = [_told(run.result) for run in runs]
    keys = dict.fromkeys(key for each in set_of for key in each)
    told = [
        {**_of_scenario(run, [key for key in keys if key not in each]), **each}
        for run, each in zip(runs, set_of, strict=True)
    ]
    for key in keys:
        has = [each for each in told if key in each]
        for each, text in zip(has, texts_alike(key, [of[key] for of in has]), strict=True):
            each[key] = text
    differing = [key for key in keys if len({each.get(key) for each in told}) > 1]
    found = [
        ", ".join(_setting(key, each[key]) for key in differing if key in each) for each in told
    ]
    return [
        label if found.count(label) == 1 else f"{label} ({name})" if label else name
        for label, name in zip(found, names, strict=True)
    ]


def _told(result: Result) -> dict[str, str]:
    settings = result.settings.items()
    return {
        "scenario": result.scenario,
        "seed": str(result.seed),
        "variant": result.flows[0].variant,
        **{key: value for key, value in settings if key not in SAID_BY_VARIANT},
    }


def _of_scenario(run: CompleteRecording, keys: Sequence[str]) -> dict[str, str]:
    if not keys:
        return {}
    try:
        values = run.scenario.values()
    except ScenarioError:  # a trace that it names is no longer there
        return {}
    return {key: values[key] for key in keys if key in values}


def _setting(key: str, value: str) -> str:
    return value if key in ("scenario", "variant") else f"{key} {value}"
