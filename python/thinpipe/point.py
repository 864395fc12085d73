"""A point of a parameter space: a scenario with settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, SupportsFloat

from thinpipe.controller import KEY, Algorithm, name_of, resolve
from thinpipe.scenario import Scenario, find

if TYPE_CHECKING:
    import os

Value = str | SupportsFloat | Sequence[Any] | Algorithm
"""A setting's value: text with a unit (``"5 %"``), a number (also numpy's), a bool, or a list of
them, as in ``{"link.drop_arrivals": [14, 28]}``.

``tcp.congestion_control`` also takes a class of your own, or ``"FILE.py:CLASS"``."""


@dataclass(frozen=True, slots=True)
class Point:
    """A scenario and its settings, ready to run; equal points give equal runs."""

    scenario: Scenario
    settings: tuple[tuple[str, str], ...] = ()
    algorithms: tuple[tuple[str, Algorithm], ...] = ()
    """Custom congestion controls in the settings that are not registered."""

    @classmethod
    def of(
        cls,
        scenario: str | os.PathLike[str] | Scenario,
        settings: Mapping[str, Value] | Iterable[tuple[str, Value]] = (),
        **more: Value,
    ) -> Point:
        """Make a point.

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
            If settings are not pairs, or a value has another type than `Value`.
        """
        pairs = _pairs(settings)
        pairs += [(key.replace("__", "."), value) for key, value in more.items()]
        plain: list[tuple[str, str]] = []
        algorithms: list[tuple[str, Algorithm]] = []
        for key, value in pairs:
            algorithm = resolve(value) if key.strip() == KEY else None
            if algorithm is None:
                plain.append((key, as_text(key, value)))
            else:
                algorithms.append((name_of(algorithm), algorithm))
                plain.append((key, name_of(algorithm)))
        return cls(find(scenario), tuple(plain), tuple(algorithms[-1:]))

    def label(self) -> str:
        """Return the settings as one line of text."""
        return " ".join(f"{key}={value}" for key, value in self.settings)


def as_text(key: str, value: Value) -> str:
    """Return a setting's value as a scenario file would write it."""
    plain: Any = value
    if getattr(value, "shape", None) == ():  # one of numpy's scalars
        plain = plain.item()
    if isinstance(plain, str):
        return plain
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, Integral):
        return str(int(plain))
    if isinstance(plain, Real):
        return repr(float(plain))
    if isinstance(plain, list | tuple):
        return f"[{', '.join(_as_member(key, member) for member in plain)}]"
    raise TypeError(f"{key}: {value!r} is neither text nor a number nor a list of them")


def _as_member(key: str, value: Value | Mapping[str, Any]) -> str:
    """Return a list member as TOML; the members of a schedule are inline tables."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        pairs = (f"{name} = {_as_member(key, each)}" for name, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    return as_text(key, value)


def _pairs(settings: Mapping[str, Value] | Iterable[tuple[str, Value]]) -> list[tuple[str, Value]]:
    if isinstance(settings, Mapping):
        return [*settings.items()]
    if not isinstance(settings, str):
        pairs: list[Any] = [*settings]
        sizes = {len(each) if isinstance(each, tuple | list) else 1 for each in pairs}
        if sizes <= {2}:
            return pairs
    raise TypeError(f"settings: {settings!r} is no mapping, such as {{'radio.tbler': '5 %'}}")
