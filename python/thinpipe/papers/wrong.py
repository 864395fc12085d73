"""Wrong models, which the bands of facts must reject."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from thinpipe.point import Point, Value
from thinpipe.values import as_text

if TYPE_CHECKING:
    from thinpipe.papers.outcomes import Outcome

Measure = Callable[[Mapping[Point, "Outcome"]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class WrongModel:
    """A plausible but wrong model; a fact that names it must differ under it.

    Attributes
    ----------
    says
        What is wrong with it.
    change
        Maps a point that a measure asks for to the point that runs instead.
    values
        Maps measured values to those of the wrong formula.
    instead
        Measures instead of the facts' own, by id; for facts without a run.
    """

    says: str
    change: Callable[[Point], Point] = lambda point: point
    values: Callable[[Sequence[float]], Sequence[float]] = lambda values: values
    instead: Mapping[str, Measure] = field(default_factory=dict)


def given(says: str, *settings: tuple[str, Value]) -> WrongModel:
    """Return the wrong model with these settings in every run."""
    changed = {key: as_text(key, value) for key, value in settings}

    def change(point: Point) -> Point:
        kept = [pair for pair in point.settings if pair[0] not in changed]
        return Point(point.scenario, (*kept, *changed.items()), point.algorithms)

    return WrongModel(says, change)


def altered(says: str, key: str, value: Callable[[str], str]) -> WrongModel:
    """Return the wrong model that changes the value of a key in each run that sets it."""

    def change(point: Point) -> Point:
        pairs = tuple((name, value(old) if name == key else old) for name, old in point.settings)
        return Point(point.scenario, pairs, point.algorithms)

    return WrongModel(says, change)


def swapped(says: str, key: str, words: Mapping[str, str]) -> WrongModel:
    """Return the wrong model that replaces values of a key, such as Vegas by Reno."""
    return altered(says, key, lambda word: words.get(word, word))


def dropped(says: str, *keys: str) -> WrongModel:
    """Return the wrong model that leaves these keys at the scenario's defaults."""

    def change(point: Point) -> Point:
        kept = tuple(pair for pair in point.settings if pair[0] not in keys)
        return Point(point.scenario, kept, point.algorithms)

    return WrongModel(says, change)


def scaled(says: str, factor: float) -> WrongModel:
    """Return the wrong model whose result is multiplied by a factor."""
    return WrongModel(says, values=lambda values: [factor * value for value in values])


@dataclass(frozen=True, slots=True)
class Tracked(Mapping["Point", "Outcome"]):
    """Outcomes that record which points a measure uses."""

    outcomes: Mapping[Point, Outcome]
    points: dict[Point, None] = field(default_factory=dict)

    def __getitem__(self, point: Point) -> Outcome:
        self.points[point] = None
        return self.outcomes[point]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)


@dataclass(frozen=True, slots=True)
class Altered(Mapping["Point", "Outcome"]):
    """Outcomes of a wrong model, by the points of the right model."""

    outcomes: Mapping[Point, Outcome]
    change: Callable[[Point], Point]

    def __getitem__(self, point: Point) -> Outcome:
        return self.outcomes[self.change(point)]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)
