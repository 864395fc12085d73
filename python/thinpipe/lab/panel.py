"""Panels: what a view shows, as layers that a page draws without knowing what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from thinpipe.lab.groups import groups
from thinpipe.plot.drawing import View
from thinpipe.plot.envelope import Envelope, envelope_of_samples, envelope_of_steps
from thinpipe.plot.shown import Shown, flow_names
from thinpipe.run import Run
from thinpipe.tables import NoTableError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from thinpipe.recording import Recording

    Floats = NDArray[np.float64]

Layer = dict[str, Any]
"""One layer of a panel, as the page takes it: its `kind` says which other entries it has.

``step``, ``line``: `x`, `y`. ``band``: `x`, `low`, `mid`, `high` of columns that are `width` wide.
``area``: `x`, `low`, `high`. ``marks``: `x`, `y`, `shape`. ``bars``: `x0`, `x1`, `y0`, `y1`;
`hollow` ones are outlines. ``arrows``: `x0`, `y0`, `x1`, `y1`. ``words``: `x`, `y`, `text`; those
`apart` leave out what would lie on others. ``rules``: `x`. On a map, ``circles``: `x`, `y`,
`radius`; ``course``: `time_s`, `x`, `y`, between which it is straight. Each has the number of its
`run`, which has a colour, or a `tone`, the name of a colour with a meaning, or a `hue`, a number
where there are many alike, or a `color` of pictures on white paper, that of a group; it may be
`faint` or `dotted`. `tips` has a text for each mark, bar, arrow or circle, `of` the numbers of the
packets that it has to do with: pointing at one shows all that have to do with the same.
"""

DIGITS: Final = 6
"""Significant digits of a value that a page gets: more than pixels can show."""

TIME_DIGITS: Final = 10
"""The same of a time, of which a page may show a short part."""

POINTS_PER_COLUMN: Final = 2
"""A curve with more points than this in a column of pixels is drawn as a band."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A run as a panel looks at it.

    Attributes
    ----------
    number
        Of the variant, which gives the colour.
    flow
        That of panels that show but one; without one, they show each group where groups differ,
        or else the first flow.
    ghost
        Whether it is what the variant would do without a break or a middlebox.
    several
        Whether the panel shows other runs as well.
    """

    run: Recording
    number: int
    name: str
    flow: int | None
    start_s: float
    end_s: float
    columns: int
    ghost: bool = False
    several: bool = False

    @property
    def shown(self) -> Shown:
        """The flow in the time range, as pictures take it.

        Raises
        ------
        ValueError
            If there is no such flow.
        """
        flows = self.run.flows
        flow = flows[min(self.flow or 0, len(flows) - 1)]
        return Shown(self.run, flow, View(self.start_s, self.end_s))

    def mobile(self, count: int) -> int:
        """Return the number of the mobile of the flow among `count`, where each has one."""
        return min(self.flow or 0, count - 1)

    def layer(self, kind: str, label: str = "", **entries: object) -> Layer:
        """Return a layer of this run; arrays become lists of rounded numbers."""
        plain = {
            name: rounded(value, TIME_DIGITS if name.startswith("x") else DIGITS)
            if isinstance(value, np.ndarray)
            else value
            for name, value in entries.items()
        }
        return {"kind": kind, "run": self.number, "ghost": self.ghost, "label": label, **plain}

    def tone_unless_several(self, tone: str) -> dict[str, str]:
        """Return a tone for marks; with several runs each has the colour of its run instead."""
        return {} if self.several else {"tone": tone}

    def steps(self, label: str, time_s: Floats, values: Floats, **entries: object) -> list[Layer]:
        """Return a curve that keeps each value until the next: its points, or a band of them."""
        times, held = View(self.start_s, self.end_s).held(time_s, values)
        if len(times) <= POINTS_PER_COLUMN * self.columns:
            return [self.layer("step", label, x=times, y=held, **entries)]
        envelope = envelope_of_steps(self._edges(), times, held)
        return [self._band(label, envelope, **entries)]

    def samples(self, label: str, time_s: Floats, values: Floats, **entries: object) -> list[Layer]:
        """Return values that stand for themselves: a line through them, or a band."""
        chosen = (time_s >= self.start_s) & (time_s <= self.end_s)
        time_s, values = time_s[chosen], values[chosen]
        if len(time_s) <= POINTS_PER_COLUMN * self.columns:
            return [self.layer("line", label, x=time_s, y=values, **entries)]
        envelope = envelope_of_samples(self._edges(), time_s, values)
        return [self._band(label, envelope, **entries)]

    def marks(
        self,
        label: str,
        time_s: ArrayLike,
        values: ArrayLike,
        *,
        shape: str,
        tips: Sequence[str] = (),
        **entries: object,
    ) -> list[Layer]:
        """Return marks within the time range, if there are any; of many, a mark a column."""
        times, at = (np.asarray(each, dtype=np.float64) for each in (time_s, values))
        chosen = np.flatnonzero((times >= self.start_s) & (times <= self.end_s))
        if len(chosen) == 0:
            return []
        label = f"{label} ({len(chosen):,})"
        if len(chosen) > self.columns:
            column = np.searchsorted(self._edges(), times[chosen])
            _, first = np.unique(column, return_index=True)
            chosen = chosen[first]
        told = [tips[int(each)] for each in chosen] if tips else []
        layer = self.layer("marks", label, x=times[chosen], y=at[chosen], shape=shape, tips=told)
        return [{**layer, **entries}]

    def _band(self, label: str, envelope: Envelope, **entries: object) -> Layer:
        middle = (envelope.edges_s[1:] + envelope.edges_s[:-1]) / 2
        filled = np.flatnonzero(~np.isnan(envelope.low))
        return self.layer(
            "band",
            label,
            x=middle[filled],
            low=envelope.low[filled],
            mid=envelope.median[filled],
            high=envelope.high[filled],
            width=(self.end_s - self.start_s) / self.columns,
            **entries,
        )

    def _edges(self) -> Floats:
        return np.linspace(self.start_s, self.end_s, self.columns + 1)


Handle = dict[str, Any]
"""Something that can be dragged: what it is (`label`), where (`x`, `y`), the `key` that has it,
and how that key's value is written with `{x}` and `{y}` for the new coordinates (`text`)."""


@dataclass(frozen=True, slots=True)
class PanelKind:
    """A kind of panel.

    Attributes
    ----------
    build
        Returns the layers of a run. What a run has nothing of is a `NoTableError`, or no layers.
    runs
        Whether the panel shows all runs, or the one in focus.
    usual
        Whether it is open before anybody chooses.
    traced
        Whether it needs a traced run.
    from_zero
        Whether its vertical axis always has zero.
    axis
        What runs along its horizontal axis.
    rows
        Returns the names of its rows, if its vertical axis has no numbers.
    handles
        Returns what can be dragged in it, if anything can.
    there
        Returns whether a run has anything of the kind; without it, what `build` returns says so.
    wide
        Whether it takes the whole width of the page.
    of_flow
        Whether it shows one flow, whose number it says if there are others.
    of_groups
        Whether it shows each group instead, where these differ and no flow is chosen.
    """

    name: str
    title: str
    unit: str
    build: Callable[[Sight], list[Layer]]
    runs: Literal["all", "focus"] = "all"
    usual: bool = True
    traced: bool = False
    from_zero: bool = True
    axis: Literal["time", "place"] = "time"
    rows: Callable[[Sight], list[str]] | None = None
    handles: Callable[[Sight], list[Handle]] | None = None
    there: Callable[[Sight], bool] | None = None
    wide: bool = False
    of_flow: bool = False
    of_groups: bool = False


def has(table: str) -> Callable[[Sight], bool]:
    """Return whether a run has rows in a table, as a function of its sight."""

    def there(sight: Sight) -> bool:
        try:
            return len(getattr(sight.run, table)) > 0
        except NoTableError:
            return False

    return there


def panel_of(
    kind: PanelKind, sights: list[Sight], focus: int, *, is_open: bool
) -> dict[str, Any] | None:
    """Return a panel with the layers of its runs; ``None`` if they have nothing of the kind."""
    if kind.runs == "focus":
        numbers = {each.number for each in sights}
        chosen = focus if focus in numbers else 0
        sights = [each for each in sights if each.number == chosen and not each.ghost]
    if kind.traced and not all(_is_traced(each.run) for each in sights):
        return None
    if kind.there is not None and not any(kind.there(sight) for sight in sights):
        return None
    layers = []
    for sight in sights:
        try:
            layers += kind.build(sight) if is_open else []
        except NoTableError:
            continue
    if is_open and not layers:
        return None
    return {
        "name": kind.name,
        "title": _title(kind, sights[0]),
        "unit": kind.unit,
        "axis": kind.axis,
        "from_zero": kind.from_zero,
        "wide": kind.wide,
        "rows": None if kind.rows is None or not is_open else kind.rows(sights[0]),
        "handles": [] if kind.handles is None or not is_open else kind.handles(sights[0]),
        "layers": _stacked(layers),
    }


def _title(kind: PanelKind, sight: Sight) -> str:
    flows = sight.run.flows
    if not kind.of_flow or len(flows) == 1 or (kind.of_groups and groups(sight)):
        return kind.title
    return f"{kind.title} of {flow_names(flows)[sight.shown.flow.id]}"


def _stacked(layers: list[Layer]) -> list[Layer]:
    """Return layers with areas below the curves of all runs, each area once."""
    areas: dict[str, Layer] = {}
    for layer in layers:
        if layer.get("filled"):
            areas.setdefault(repr({**layer, "run": 0}), layer)
    return [*areas.values(), *(layer for layer in layers if not layer.get("filled"))]


def _is_traced(run: Recording) -> bool:
    """Return whether a run, or one that was saved, recorded packets."""
    if isinstance(run, Run):
        return run.traced
    try:
        return run.hops is not None
    except NoTableError:
        return False


def rounded(values: NDArray[Any], digits: int = DIGITS) -> list[Any]:
    """Return numbers with so many significant digits; ``None`` for what is none."""
    if values.dtype.kind not in "fc":
        plain: list[Any] = values.tolist()
        return plain
    finite = np.isfinite(values)
    top = float(np.abs(values[finite]).max(initial=0.0))
    places = digits - 1 - int(np.floor(np.log10(top))) if top > 0 else 0
    numbers: list[Any] = np.round(values, places).tolist()
    if finite.all():
        return numbers
    return [number if good else None for number, good in zip(numbers, finite, strict=True)]
