"""Wrong models: what a fact's band must tell from ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinpipe.point import Point

if TYPE_CHECKING:
    from thinpipe.papers.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class WrongModel:
    """A model that is plausible and wrong; a fact that names it must differ under it.

    Attributes
    ----------
    says
        What is wrong in it.
    change
        Makes of each run that a measure asks for the one that it gets.
    values
        Makes of what was measured what the wrong formula gives; for facts that need no run.
    """

    says: str
    change: Callable[[Point], Point] = lambda point: point
    values: Callable[[Sequence[float]], Sequence[float]] = lambda values: values


def given(says: str, *settings: tuple[str, str]) -> WrongModel:
    """Return the wrong model that has these settings in every run, whatever was set before."""
    names = {key for key, _ in settings}

    def change(point: Point) -> Point:
        kept = [pair for pair in point.settings if pair[0] not in names]
        return Point(point.scenario, (*kept, *settings), point.algorithms)

    return WrongModel(says, change)


def swapped(says: str, key: str, words: Mapping[str, str]) -> WrongModel:
    """Return the wrong model in which one word stands for another, such as Reno for Vegas."""

    def change(point: Point) -> Point:
        pairs = tuple(
            (name, words.get(value, value) if name == key else value)
            for name, value in point.settings
        )
        return Point(point.scenario, pairs, point.algorithms)

    return WrongModel(says, change)


def scaled(says: str, factor: float) -> WrongModel:
    """Return the wrong formula whose result is so many times as large."""
    return WrongModel(says, values=lambda values: [factor * value for value in values])


@dataclass(frozen=True, slots=True)
class Altered(Mapping["Point", "Outcome"]):
    """Outcomes of a wrong model under the names of the right runs."""

    outcomes: Mapping[Point, Outcome]
    change: Callable[[Point], Point]

    def __getitem__(self, point: Point) -> Outcome:
        return self.outcomes[self.change(point)]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)
