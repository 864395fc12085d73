"""The plan of a sweep: every point, checked, with all parameters and a digest."""

from __future__ import annotations

import hashlib
import inspect
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from thinpipe import _core
from thinpipe._core import ScenarioError
from thinpipe.controller import Algorithm, registered
from thinpipe.inputs import digest_of, files_of, made_by, values_of
from thinpipe.point import Point, Value
from thinpipe.scenario import Scenario, Source, find
from thinpipe.sweep.grid import Grid
from thinpipe.sweep.parameters import column, resolved

Settings = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One point of a plan: its index, its digest, and the files that it reads."""

    index: int
    point: Point
    digest: str
    files: Mapping[str, str]
    """Paths by key."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The points of a sweep, in the order of its grid.

    Attributes
    ----------
    values
        All parameters of the first combination, as text.
    changes
        For each combination, the parameters that differ from the first.
    """

    scenario: Scenario
    settings: Settings
    grid: Grid
    values: Mapping[str, str]
    changes: tuple[Mapping[str, str], ...]

    @classmethod
    def of(cls, scenario: Source, settings: Settings, grid: Grid) -> Plan:
        """Plan a sweep and check every combination.

        Raises
        ------
        ScenarioError
            If a combination is invalid, a key is set twice, two values are equal, or the table
            could not tell two combinations apart.
        OSError
            If the scenario's file cannot be read.
        """
        found = find(scenario)
        _refuse_twice(settings, grid)
        values: dict[str, str] = {}
        changes = []
        for combination in grid.combinations():
            these = _values(Point.of(found, dict([*settings, *combination])))
            values = values or these
            changes.append({key: text for key, text in these.items() if values.get(key) != text})
        plan = cls(found, settings, grid, values, tuple(changes))
        plan._refuse_equal()
        plan._refuse_merged()
        return plan

    @property
    def varied(self) -> tuple[str, ...]:
        """The keys that the grid varies."""
        return tuple(key for key, _ in self.grid.axes)

    def __len__(self) -> int:
        return len(self.grid)

    def jobs(self) -> Iterator[Job]:
        """Yield every point."""
        index = 0
        start = _common_digest_input(self.scenario)
        file_digest = cache(digest_of)
        for combination, changed in zip(self.grid.combinations(), self.changes, strict=True):
            files = files_of({**self.values, **changed})
            contents = {key: file_digest(path) for key, path in files.items()}
            for seed in self.grid.seeds:
                seeds = () if seed is None else (("seed", seed),)
                point = Point.of(self.scenario, dict([*self.settings, *combination, *seeds]))
                yield Job(index, point, _digest(start, point, contents), files)
                index += 1

    def points(self) -> Iterator[Point]:
        """Yield each combination as a point, with the scenario's own seed."""
        for combination in self.grid.combinations():
            yield Point.of(self.scenario, dict([*self.settings, *combination]))

    def made(self) -> list[str]:
        """Return a line for each group of flows that a setting or a varied key makes."""
        return made_by(next(self.points()))

    def texts(self, key: str) -> list[str | None]:
        """Return a parameter's value in each combination, as text."""
        return [changed.get(key, self.values.get(key)) for changed in self.changes]

    def parameters(self) -> list[str]:
        """Return the keys of all combinations, except the seed."""
        names = dict.fromkeys([*self.values, *(key for each in self.changes for key in each)])
        return [name for name in names if name != "seed"]

    def seeds(self) -> list[int]:
        """Return the seeds of a combination."""
        return [int(self.values["seed"]) if seed is None else seed for seed in self.grid.seeds]

    def _refuse_equal(self) -> None:
        """Reject equal values in different notation: their runs would count twice."""
        columns = {key: column(key, self.texts(key)).values for key in self.varied}
        seen: dict[tuple[str, object], Value] = {}
        for number, combination in enumerate(self.grid.combinations()):
            for key, value in combination:
                read = columns[key][number]
                first = seen.setdefault((key, read), value)
                if read is not None and first is not value:
                    raise ScenarioError(f"{key}={value}: the same as {first}, which is there too")

    def _refuse_merged(self) -> None:
        """Reject combinations whose rows were alike: means would count their runs as one's.

        A key is in no row if it renames the table in which it stands, or belongs to what another
        value of the grid takes away.
        """
        columns = [self.texts(key) for key in self.varied]
        seen: dict[tuple[str | None, ...], tuple[tuple[str, Value], ...]] = {}
        for number, combination in enumerate(self.grid.combinations()):
            row = tuple(texts[number] for texts in columns)
            first = seen.setdefault(row, combination)
            for (key, value), (_, other) in zip(combination, first, strict=True):
                if value is not other:
                    raise ScenarioError(
                        f"{key}={value}: the table could not tell it from {other}: "
                        "their runs have no such key"
                    )


def _refuse_twice(settings: Settings, grid: Grid) -> None:
    given = {key.strip(): value for key, value in settings}
    for key, values in grid.axes:
        if key in given:
            first = values[0]
            raise ScenarioError(f"{key}={first}: set to {given[key]} as well; set or vary it")
    if "seed" in given and grid.seeds != (None,):
        raise ScenarioError(f"seed={given['seed']}: give a seed or seeds, not both")


def _values(point: Point) -> dict[str, str]:
    """Return a point's parameters."""
    return resolved(values_of(point))


def _common_digest_input(scenario: Scenario) -> bytes:
    """Return the part of digests that all points share: the program and the scenario."""
    parts = [_core.__version__, _program_digest(), scenario.name, scenario.source]
    return json.dumps(parts).encode()


@cache
def _program_digest() -> str:
    return digest_of(inspect.getfile(_core))


def _digest(start: bytes, point: Point, contents: Mapping[str, str]) -> str:
    content = {
        "settings": point.settings,
        "files": contents,
        "algorithms": [(name, _source(each)) for name, each in (*point.algorithms, *registered())],
    }
    return hashlib.sha256(start + json.dumps(content).encode()).hexdigest()


@cache
def _source(algorithm: Algorithm) -> str:
    """Return text that changes with an algorithm: the source of its file."""
    kind = algorithm if isinstance(algorithm, type) else type(algorithm)
    try:
        return f"{kind.__qualname__} {Path(inspect.getfile(kind)).read_text(encoding='utf-8')}"
    except (OSError, TypeError):  # defined interactively: no source to compare
        return secrets.token_hex()
