"""What a run measures: every number of its result, with unit and meaning, from the schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from thinpipe import _core
from thinpipe.arguments import check
from thinpipe.scenario import first_sentence
from thinpipe.search import matching
from thinpipe.suggestion import suggestion
from thinpipe.sweep.metrics import EXCLUDED, OF_EACH, is_additive
from thinpipe.sweep.words import metric_unit

PARTS: Final = {
    "flows[].": "",
    "groups[].": "groups.NAME.",
    "links[].": "links.NAME.",
    "energy.states[].": "energy.states.NAME.",
    "middlebox.classes[].": "middlebox.classes.NAME.",
}
"""Paths whose metrics have other names: those of the first flow have no prefix."""

NUMBERS: Final = frozenset({"integer", "number"})

OF_NO_MEANING: Final = frozenset({"id"})

TOTALS: Final = ("flows", "links")
"""Lists of which there are sums."""

Schemas = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that a run may have.

    Attributes
    ----------
    name
        As `thinpipe.sweep` and `thinpipe.frame` name its column. ``NAME`` in it is a placeholder
        for the name of a link or state, ``N`` for a number from 0.
    unit
        ``s``, ``bit/s`` and so on; empty for counts and ratios.
    meaning
        One line.
    path
        Where it stands in ``result.json``.
    """

    name: str
    unit: str
    meaning: str
    path: str


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in a schema: its path, its meaning, and whether it is an integer."""

    path: str
    meaning: str
    is_whole: bool


def measures(word: str | None = None) -> list[Measure]:
    """Return the measures of a run, as ``thinpipe measures`` lists them.

    Parameters
    ----------
    word
        Only measures that begin with it, then those whose name or meaning has it. All by default,
        in the order of ``result.json``.

    Raises
    ------
    ScenarioError
        If there is no such measure.

    Examples
    --------
    >>> [measure.name for measure in measures("jain")]
    ['total.jain_index']
    """
    check(word=word)
    known = {each.name: each for each in _all()}
    if word is None:
        return [*known.values()]
    names = matching(word, {name: each.meaning for name, each in known.items()})
    if not names:
        hint = suggestion(word, known, "see `thinpipe measures`")
        raise _core.ScenarioError(f"no measure has {word!r} in its name or meaning{hint}")
    return [known[name] for name in names]


@cache
def _all() -> tuple[Measure, ...]:
    schemas: Schemas = json.loads(_core.schemas())
    numbers = [
        each
        for field, schema in schemas["Result"]["properties"].items()
        if field not in EXCLUDED or f"{field}[]." in PARTS
        for each in _numbers(field, schema, schemas)
        if _name(each.path) not in OF_NO_MEANING
    ]
    named = [(_name(each.path), each.meaning, each.path) for each in numbers]
    totals = [total for each in numbers if (total := _total(each)) is not None]
    count = ("flows.count", "Number of flows.", "flows[]")
    return tuple(
        Measure(name, _unit(name, meaning), meaning, path)
        for name, meaning, path in (*named, *totals, count)
    )


def _total(number: _Number) -> tuple[str, str, str] | None:
    """Return name, meaning and path of the sum of a number over all flows or links, if any."""
    for part in TOTALS:
        name = number.path.removeprefix(f"{part}[].")
        if name != number.path and is_additive(name, is_whole=number.is_whole):
            return f"{part}.{name}", f"All {part}: {_inside(number.meaning)}", number.path
    return None


def is_measure(name: str) -> bool:
    """Return whether a run may have a measure of this name.

    >>> is_measure("links.bottleneck/down.utilization"), is_measure("flows.goodput_bps")
    (True, True)
    """
    return _names().fullmatch(name) is not None


@cache
def _names() -> re.Pattern[str]:
    """Return what the names of all measures match, those of totals included."""
    escaped = "|".join(re.escape(each.name) for each in _all())
    names = re.sub(r"\bN\b", r"\\d+", re.sub(r"\bNAME\b", ".+", escaped))
    return re.compile(names)


def _numbers(
    path: str, schema: Mapping[str, Any], schemas: Schemas, parent: str = ""
) -> Iterator[_Number]:
    """Yield each number in a schema; `parent` is what it is a part of."""
    about = first_sentence(" ".join(schema["description"].split()))
    for each in schema.get("anyOf", [schema]):
        found = schemas[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        kinds = found.get("type", ())
        if "properties" in found:
            whole = about if "." in path else ""
            for field, part in found["properties"].items():
                if field not in OF_EACH:
                    yield from _numbers(f"{path}.{field}", part, schemas, whole)
        elif "items" in found:
            item = {**found["items"], "description": about}
            yield from _numbers(f"{path}[]", item, schemas, parent)
        elif not NUMBERS.isdisjoint(kinds := [kinds] if isinstance(kinds, str) else kinds):
            meaning = f"{parent.removesuffix('.')}: {_inside(about)}" if parent else about
            yield _Number(path, meaning, "integer" in kinds)


def _inside(sentence: str) -> str:
    """Return a sentence as the end of another; an abbreviation keeps its capitals."""
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def _name(path: str) -> str:
    for place, prefix in PARTS.items():
        if path.startswith(place):
            path = prefix + path.removeprefix(place)
    return path.replace("[]", ".N")


def _unit(name: str, meaning: str) -> str:
    counted = "B" if re.search(r"\bbytes\b", f"{name.replace('_', ' ')} {meaning}") else ""
    return metric_unit(name) or counted
