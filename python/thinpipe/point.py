"""A point of a parameter space: a scenario with settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, SupportsFloat

from thinpipe._core import ScenarioError
from thinpipe.arguments import check, is_utf8, shown
from thinpipe.controller import Algorithm, name_of, resolve
from thinpipe.scenario import Scenario, Source, find
from thinpipe.values import as_text, refuse_twice

Value = str | SupportsFloat | Sequence[Any] | Algorithm
"""A setting's value: text with a unit (``"5 %"``), a number (also numpy's), a bool, or a list of
them, as in ``{"link.drop_arrivals": [14, 28]}``.

``tcp.congestion_control`` also takes a class of your own, or ``"FILE.py:CLASS"``."""

NO_SETTINGS: Final[Mapping[str, Value]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Point:
    """A scenario and its settings, ready to run; equal points give equal runs."""

    scenario: Scenario
    settings: tuple[tuple[str, str], ...] = ()
    algorithms: tuple[tuple[str, Algorithm], ...] = ()
    """Custom congestion controls in the settings that are not registered."""

    def __post_init__(self) -> None:
        if not isinstance(self.scenario, Scenario):
            reason = "must be a Scenario, which Point.of makes of a name, a file or dicts"
            raise TypeError(f"scenario: {reason}, not {shown(self.scenario)}")
        if not is_utf8(self.scenario.name):
            raise ScenarioError(f"{self.scenario.name}: its name must be UTF-8")
        for key, text in self.settings:
            if not is_utf8(f"{key}{text}"):
                raise ScenarioError(f"{key}={text}: must be UTF-8")

    @classmethod
    def of(
        cls,
        scenario: Source,
        settings: Mapping[str, Value] = NO_SETTINGS,
        **more: Value,
    ) -> Point:
        """Make a point.

        Parameters
        ----------
        scenario
            As in `run`.
        settings
            Dotted keys and values, such as ``{"radio.tbler": "5 %"}``.
        **more
            Further settings, with ``__`` for the dot: ``radio__tbler="5 %"``, ``seed=7``.

        Raises
        ------
        ScenarioError
            If the scenario does not exist, a key is set twice, or a file has no such congestion
            control.
        TypeError
            If `settings` is no mapping with keys of text, or a value has another type than `Value`.
        """
        check(settings=settings)
        named = {key.replace("__", "."): value for key, value in more.items()}
        plain: list[tuple[str, str]] = []
        algorithms: list[tuple[str, Algorithm]] = []
        for key, value in [*settings.items(), *named.items()]:
            algorithm = resolve(value, key.strip())
            if algorithm is None:
                plain.append((key, as_text(key, value)))
            else:
                name = name_of(algorithm, key.strip())
                algorithms.append((name, algorithm))
                plain.append((key, name))
        refuse_twice(plain)
        return cls(find(scenario), tuple(plain), _distinct(algorithms))

    def label(self) -> str:
        """Return the settings as one line of text."""
        return " ".join(f"{key}={value}" for key, value in self.settings)


def _distinct(algorithms: list[tuple[str, Algorithm]]) -> tuple[tuple[str, Algorithm], ...]:
    """Return each algorithm once.

    Raises
    ------
    ScenarioError
        If two have the same name.
    """
    known: dict[str, Algorithm] = {}
    for name, algorithm in algorithms:
        if known.setdefault(name, algorithm) is not algorithm:
            raise ScenarioError(f"two congestion controls are called {name}: give one another name")
    return tuple(known.items())
