"""Colours, marks and legends of lines; an algorithm has its own colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from thinpipe.plot.drawing import ROW
from thinpipe.plot.style import ALGORITHMS, COLORS, OTHER
from thinpipe.sweep.words import parameter_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.sweep.study import Study

MARKS: Final = "osD^vPX<>*hpd"
"""Shapes of marks; what comes after them is marked by its number."""

BAR: Final = 4.0
"""Height of a colour in a legend in points."""

ALGORITHM: Final = ("tcp.variant", "tcp.congestion_control")
"""Keys whose values have colours of their own."""

Combination = tuple[Any, ...]


class Look(NamedTuple):
    """A colour and a marker of matplotlib."""

    color: str
    mark: str


def marks(count: int) -> list[str]:
    """Return as many different markers of matplotlib."""
    return [*MARKS[:count], *(f"${number}$" for number in range(len(MARKS) + 1, count + 1))]


def line_looks(labels: Sequence[str]) -> dict[str, Look]:
    """Return colour and marker of each line; an algorithm's colour is its own."""
    own = {label: ALGORITHMS[label] for label in labels if label in ALGORITHMS}
    palette = (OTHER, *ALGORITHMS.values())
    free = cycle([color for color in palette if color not in own.values()] or palette)
    return {
        label: Look(own[label] if label in own else next(free), mark)
        for label, mark in zip(labels, marks(len(labels)), strict=True)
    }


@dataclass(frozen=True, slots=True)
class Looks:
    """Colours by the values of one key, marks by those of the others."""

    colors: dict[str, Look]
    """By text; the mark is for an algorithm without other keys."""
    marks: dict[str, str]
    """By text."""
    of: dict[Combination, tuple[str, str]]
    """The two texts of each combination."""

    @classmethod
    def by(cls, study: Study, by: Sequence[str], combinations: Sequence[Combination]) -> Looks:
        """Return the looks of combinations of the keys `by`."""
        first = next((key for key in ALGORITHM if key in by), by[0] if by else "")
        of = {}
        for values in combinations:
            words = {key: named(study, key, value) for key, value in zip(by, values, strict=True)}
            color = words.pop(first, "")
            of[values] = (color, ", ".join(words.values()))
        colors = line_looks(list(dict.fromkeys(color for color, _ in of.values())))
        others = dict.fromkeys(other for _, other in of.values())
        return cls(colors, dict(zip(others, marks(len(others)), strict=True)), of)

    def __getitem__(self, combination: Combination) -> Look:
        color, other = self.of[combination]
        own = self.colors[color]
        return Look(own.color, self.marks[other] if other else own.mark)

    def name(self, ax: Axes) -> None:
        """Put what colours and marks mean above axes: colours in rows above those of marks.

        Where marks have a meaning of their own, a colour is a bar, which is no mark.
        """
        from matplotlib.lines import Line2D

        marked = len(self.marks) > 1
        bar: dict[str, Any] = {"linewidth": BAR}
        dot: dict[str, Any] = {"linestyle": "none", "markersize": 6}
        colors = [
            Line2D([], [], color=look.color, label=text, **bar)
            if marked
            else Line2D([], [], color=look.color, marker=look.mark, label=text, **dot)
            for text, look in self.colors.items()
            if text
        ]
        shapes = [
            Line2D([], [], color=COLORS["muted"], marker=mark, label=text, **dot)
            for text, mark in self.marks.items()
            if marked
        ]
        rows = [
            kind[first : first + ROW]
            for kind in (colors, shapes)
            for first in range(0, len(kind), ROW)
        ]
        if not rows:
            return
        width = max(map(len, rows))
        blank = Line2D([], [], label=" ", **dot)
        filled = [[*row, *[blank] * (width - len(row))] for row in rows]
        columns = [each for column in zip(*filled, strict=True) for each in column]
        ax.legend(
            handles=columns,
            ncols=width,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.2,
            columnspacing=1.4,
            handlelength=1.2,
        )


def named(study: Study, key: str, value: object) -> str:
    """Return a parameter's value as text for a legend; text needs no key."""
    text = parameter_text(value, study.units.get(key))
    return text if isinstance(value, str) else f"{key.rpartition('.')[2]} {text}"
