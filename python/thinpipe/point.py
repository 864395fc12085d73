"""One point of a parameter space: a scenario and the settings that change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinpipe.scenario import Scenario, find

if TYPE_CHECKING:
    import os

Value = str | int | float | bool
"""A setting's value: text with a unit (``"5 %"``), a plain number, or true or false."""


@dataclass(frozen=True, slots=True)
class Point:
    """A scenario and its settings, ready to run; equal points give equal runs."""

    scenario: Scenario
    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        scenario: str | os.PathLike[str] | Scenario,
        settings: Mapping[str, Value] | Iterable[tuple[str, Value]] = (),
        **more: Value,
    ) -> Point:
        """Name a point.

        Parameters
        ----------
        scenario
            The name of a scenario that ships, or the path of a file.
        settings
            Dotted keys and values, such as ``{"radio.tbler": "5 %"}``.
        **more
            Further settings, with ``__`` for the dot: ``radio__tbler="5 %"``, ``seed=7``.

        Raises
        ------
        ScenarioError
            If the scenario does not exist.
        TypeError
            If a value is neither text nor a number nor a truth value.
        """
        pairs = [*(settings.items() if isinstance(settings, Mapping) else settings)]
        pairs += [(key.replace("__", "."), value) for key, value in more.items()]
        return cls(find(scenario), tuple((key, as_text(key, value)) for key, value in pairs))

    def label(self) -> str:
        """Return the settings in one line."""
        return " ".join(f"{key}={value}" for key, value in self.settings)


def as_text(key: str, value: Value) -> str:
    """Return a setting's value as a scenario file would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return repr(value)
    raise TypeError(f"{key}: {value!r} is neither text nor a number")
