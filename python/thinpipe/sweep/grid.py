"""The grid of a sweep: values for keys, and seeds, parsed from text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from thinpipe._core import ScenarioError
from thinpipe.point import Value
from thinpipe.values import as_text

MAX_POINTS: Final = 1_000_000
"""Maximum size of a grid; a larger one is most likely a typing error in a range."""

MAX_SEED: Final = 2**64 - 1

_RANGE: Final = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)", re.ASCII)
_CLOSES: Final = {"[": "]", "{": "}", "(": ")"}

Vary = Mapping[str, Any] | Iterable[tuple[str, Any]]
"""Keys with lists of values, or with text as on the command line, ``"0 %, 5 %"``."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Every combination of values, each with every seed.

    Attributes
    ----------
    axes
        Keys and their values. Seeds vary fastest, then the last key.
    seeds
        ``(None,)`` for the scenario's seed.
    """

    axes: tuple[tuple[str, tuple[Value, ...]], ...]
    seeds: tuple[int | None, ...]

    @classmethod
    def of(cls, vary: Vary, seeds: str | Iterable[int] | None) -> Grid:
        """Parse a grid.

        Raises
        ------
        ScenarioError
            If a list is empty or unbalanced, a key or value occurs twice, or a range runs
            backwards.
        """
        pairs = vary.items() if isinstance(vary, Mapping) else vary
        axes: dict[str, tuple[Value, ...]] = {}
        for key, given in ((key.strip(), given) for key, given in pairs):
            if key in axes:
                first = ",".join(map(str, axes[key]))
                raise ScenarioError(f"{_shown(key, given)}: varied over {first} as well; once only")
            if key == "seed":
                raise ScenarioError(f"{_shown(key, given)}: seeds have an option of their own")
            axes[key] = _values(key, given)
        grid = cls(tuple(axes.items()), _seeds(seeds))
        if len(grid) > MAX_POINTS:
            raise ScenarioError(f"the grid has {len(grid):,} points; at most {MAX_POINTS:,} run")
        return grid

    def combinations(self) -> Iterator[tuple[tuple[str, Value], ...]]:
        """Yield the settings of each combination, without seeds."""
        keys = [key for key, _ in self.axes]
        for values in product(*(values for _, values in self.axes)):
            yield tuple(zip(keys, values, strict=True))

    def __len__(self) -> int:
        points = len(self.seeds)
        for _, values in self.axes:
            points *= len(values)
        return points


def split(text: str) -> list[str]:
    """Split at commas outside brackets and quotes.

    >>> split('[{at = "1, 2 s"}], off')
    ['[{at = "1, 2 s"}]', 'off']

    Raises
    ------
    ValueError
        If brackets or quotes do not match.
    """
    parts, start = [], 0
    closing: list[str] = []
    quote = ""
    for at, each in enumerate(text):
        if quote:
            quote = "" if each == quote and (quote == "'" or not _escaped(text, at)) else quote
        elif each in "\"'":
            quote = each
        elif each in _CLOSES:
            closing.append(_CLOSES[each])
        elif each in _CLOSES.values():
            if not closing or closing.pop() != each:
                raise ValueError(f"{each} closes nothing")
        elif each == "," and not closing:
            parts.append(text[start:at].strip())
            start = at + 1
    if quote or closing:
        raise ValueError(f"{quote or closing[-1]} is missing")
    return [*parts, text[start:].strip()]


def _escaped(text: str, at: int) -> bool:
    before = text[:at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _values(key: str, given: Value | Iterable[Value]) -> tuple[Value, ...]:
    if isinstance(given, str):
        found: list[Value] = [*_in_text(key, given)]
    elif isinstance(given, Iterable):
        found = [*given]
    else:
        found = [given]
    if not found:
        raise ScenarioError(f"{_shown(key, given)}: no value")
    texts = [str(value) for value in found]
    twice = next((text for text, times in Counter(texts).items() if times > 1), None)
    if twice is not None:
        raise ScenarioError(f"{_shown(key, given)}: {twice} stands there twice")
    return tuple(found)


def _in_text(key: str, text: str) -> Iterator[str | int]:
    try:
        parts = split(text)
    except ValueError as error:
        raise ScenarioError(f"{key}={text}: {error}") from None
    for part in parts:
        if not part:
            raise ScenarioError(f"{key}={text}: an empty value; expected values as in 1,2 or 1..10")
        ends = _RANGE.fullmatch(part)
        if ends is None:
            yield part
            continue
        first, last = int(ends[1]), int(ends[2])
        if last < first:
            raise ScenarioError(f"{key}={text}: a range goes upwards, as in {last}..{first}")
        if last - first >= MAX_POINTS:
            raise ScenarioError(f"{key}={text}: a range has at most {MAX_POINTS:,} numbers")
        yield from range(first, last + 1)


def _seeds(given: str | Iterable[int] | None) -> tuple[int | None, ...]:
    if given is None:
        return (None,)
    found = []
    for value in _values("seeds", given):
        text = as_text("seeds", value)
        if not re.fullmatch(r"\d+", text, re.ASCII) or int(text) > MAX_SEED:
            raise ScenarioError(
                f"{_shown('seeds', given)}: whole numbers from 0 are needed, as in 1..10 or 1,2,7"
            )
        found.append(int(text))
    return tuple(found)


def _shown(key: str, given: Value | Iterable[Value]) -> str:
    return f"{key}={given if isinstance(given, str) else repr(given)}"
