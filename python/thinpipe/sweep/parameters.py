"""Parameters as columns: values of a scenario in seconds, bit/s, bytes, watts and shares."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from thinpipe.scenario import Key, keys
from thinpipe.units import SECONDS

_UNITS: Final = {
    **{unit: ("s", seconds) for unit, seconds in SECONDS.items()},
    "bit/s": ("bit/s", 1.0), "kbit/s": ("bit/s", 1e3), "Mbit/s": ("bit/s", 1e6),
    "Gbit/s": ("bit/s", 1e9),
    "B": ("B", 1), "kB": ("B", 10**3), "MB": ("B", 10**6), "GB": ("B", 10**9),
    "KiB": ("B", 2**10), "MiB": ("B", 2**20), "GiB": ("B", 2**30),
    "uW": ("W", 1e-6), "µW": ("W", 1e-6), "mW": ("W", 1e-3), "W": ("W", 1.0),
    "fJ/bit": ("nJ/bit", 1e-6), "pJ/bit": ("nJ/bit", 1e-3), "nJ/bit": ("nJ/bit", 1.0),
    "uJ/bit": ("nJ/bit", 1e3), "µJ/bit": ("nJ/bit", 1e3),
    "dB": ("dB", 1), "dBm": ("dBm", 1), "kHz": ("kHz", 1), "GHz": ("GHz", 1),
    "m": ("m", 1), "km": ("m", 10**3), "m/s": ("m/s", 1), "km/h": ("m/s", 1 / 3.6),
}  # fmt: skip

_NUMBER: Final = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?: (\S+))?", re.ASCII)
_EXAMPLE: Final = re.compile(r"\d (%|[A-Za-z/]+)")
"""A number and its unit, among the values that a key takes."""

SHARE: Final = "share"
"""The unit of probabilities and shares: 0.05 is 5 %."""


@dataclass(frozen=True, slots=True)
class Column:
    """A parameter's values, one per run or combination, and their unit if any.

    They have one type: integers, numbers (``unlimited`` is infinite), bools, or text.
    """

    values: Sequence[Any]
    unit: str | None = None


def resolved(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values of all keys, resolved where one follows another."""
    found = {}
    for key, given in values.items():
        text = given
        while text.startswith("as ") and text[3:] in values:
            text = values[text[3:]]
        found[key] = text
    return found


def column(key: str, texts: Sequence[str | None]) -> Column:
    """Return a parameter, given as a scenario's text, as a column of one type.

    >>> column("radio.tbler", ["0", "0.05"])
    Column(values=[0.0, 0.05], unit='share')
    >>> column("queue.packets", ["8", "unlimited"])
    Column(values=[8.0, inf], unit=None)
    """
    kinds = {text: _read(text) for text in dict.fromkeys(texts) if text is not None}
    if set(kinds) <= {"true", "false"}:
        return Column([None if text is None else text == "true" for text in texts])
    numbers = {text: found for text, found in kinds.items() if found is not None}
    units = {unit for text, (_, unit) in numbers.items() if text != "unlimited"}
    if len(numbers) < len(kinds) or len(units) > 1:
        return Column(texts)
    unit = next(iter(units), None) or unit_of(key)
    whole = unit == "B" or (unit is None and "whole number" in _expected(key))
    kind = int if whole and "unlimited" not in numbers else float
    return Column([None if text is None else kind(numbers[text][0]) for text in texts], unit)


def unit_of(key: str) -> str | None:
    """Return the unit of a parameter's numbers, which is that of the values that it takes.

    >>> unit_of("tcp.min_rto"), unit_of("radio.tbler"), unit_of("queue.packets")
    ('s', 'share', None)
    """
    for word in _EXAMPLE.findall(_expected(key)):
        if word == "%":
            return SHARE
        if word in _UNITS:
            return _UNITS[word][0]
    return None


def is_parameter(name: str) -> bool:
    """Return whether a column is a parameter, rather than a metric."""
    return bool(_expected(name))


def _read(text: str) -> tuple[float, str | None] | None:
    """Return a number in its base unit, and that unit."""
    if text == "unlimited":
        return float("inf"), None
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    number = int(found[1]) if re.fullmatch(r"-?\d+", found[1]) else float(found[1])
    if found[2] is None:
        return number, None
    unit, factor = _UNITS.get(found[2], (found[2], 1))
    if factor < 1:  # 400 us are 0.0004 s, not 0.00039999999999999996 s
        return number / round(1 / factor), unit
    return number * factor, unit


@cache
def _expected(key: str) -> str:
    """Return the values that a key takes. NAME in the schema matches the name of a link."""
    words = key.split(".")
    for known in _schema():
        schema = known.name.split(".")
        if len(schema) == len(words) and all(
            theirs in ("NAME", ours) for theirs, ours in zip(schema, words, strict=True)
        ):
            return known.expected
    return ""


@cache
def _schema() -> tuple[Key, ...]:
    return tuple(keys())
