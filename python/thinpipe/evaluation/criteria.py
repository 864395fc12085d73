"""The criteria of RFC 9743, and the files that say how each is measured."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, cast

from thinpipe._core import ScenarioError
from thinpipe.scenario import Scenario, find
from thinpipe.suggestion import either, suggestion
from thinpipe.sweep.measures import is_measure, measures
from thinpipe.sweep.words import metric_unit
from thinpipe.values import as_text, flat

CRITERIA: Final = {
    "5.1.1": "Protection against congestion collapse",
    "5.1.2": "Protection against bufferbloat",
    "5.1.3": "Protection against high packet loss",
    "5.1.4": "Fairness within the algorithm",
    "5.1.5": "Short flows",
    "5.2": "Mixed algorithms: starvation, and loss of all feedback",
    "5.2.1": "Existing general-purpose congestion control",
    "5.2.2": "Real-time congestion control",
    "5.2.3": "Short and long flows of other algorithms",
    "5.3.1": "Differences from congestion control principles",
    "5.3.2": "Incremental deployment",
    "6.1": "Paths with tail-drop queues",
    "6.2": "Tunnels",
    "6.3": "Wired paths",
    "6.4": "Wireless paths",
    "7.1": "Active queue management",
    "7.2": "Network circuit breakers",
    "7.3": "Paths with varying delay",
    "7.4": "Internet of Things and constrained nodes",
    "7.5": "Paths with high delay",
    "7.6": "Misbehaving nodes",
    "7.7": "Extreme packet reordering",
    "7.8": "Transient events",
    "7.9": "Sudden changes in the path",
    "7.10": "Multipath transport",
    "7.11": "Data centers",
}
"""By section of RFC 9743: what a new congestion control is judged by (§5), on which paths in
general (§6), and in which special cases (§7)."""

Better = Literal["more", "less", "neither"]
BETTER: Final = ("more", "less", "neither")

SHIPPED: Final = Path(str(files("thinpipe.evaluation") / "criteria"))
"""The folder of the files that ship."""

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a run, or a harm.

    Attributes
    ----------
    name
        What a reader sees.
    of, per
        A measure of `thinpipe measures`, and one by which it is divided, or empty.
    unit
        That of the figure: ``s``, ``bit/s``, ``share`` and so on.
    better
        Whether more or less of it is better, or neither.
    without
        Settings that take the others away. The figure is then the harm to what is left: what it
        loses by them (`thinpipe.evaluation.harm`).
    is_drawn
        Whether the page has a picture of it: of a harm, over pipes.
    """

    name: str
    of: str
    per: str
    unit: str
    better: Better
    without: tuple[tuple[str, Any], ...]
    is_drawn: bool


@dataclass(frozen=True, slots=True)
class Pipe:
    """A scenario in which a criterion is measured, and what is changed in it."""

    scenario: Scenario
    settings: Settings


@dataclass(frozen=True, slots=True)
class Criterion:
    """How a criterion is measured, or why it is not: one file.

    Attributes
    ----------
    path
        That of the file.
    section, title
        Those of RFC 9743.
    asks, read, reason
        What the RFC asks, how the measures are read, and why there are none.
    controller
        Where the congestion control stands: ``tcp`` for all flows, or ``flow.group.NAME.tcp``.
    always
        Congestion controls that run here whatever is asked for.
    seeds
        At most so many seeds, where less is random; ``None`` for all.
    is_drawn
        Whether its pipes are in the picture of throughput over delay.
    pipes, vary, vary_in_full
        Where it is measured, and what varies there in the short form and in the full one.
    measures
        What is measured.
    """

    path: Path
    section: str
    title: str
    asks: str
    read: str
    reason: str
    controller: tuple[str, ...]
    always: tuple[str, ...]
    seeds: int | None
    is_drawn: bool
    pipes: tuple[Pipe, ...]
    vary: Settings
    vary_in_full: Settings
    measures: tuple[Measure, ...]

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.path.name

    @property
    def place(self) -> tuple[list[int], bool, str]:
        """Where it stands in the table: by section, what has the RFC's title first."""
        numbers = [int(part) for part in self.section.split(".")]
        return numbers, self.title != CRITERIA.get(self.section), self.file


def criteria(folder: Path = SHIPPED) -> tuple[Criterion, ...]:
    """Read the files of a folder, in the order of sections.

    Raises
    ------
    OSError
        If the folder or a file cannot be read.
    ScenarioError
        If it has no files, or one of them is wrong; the message begins with its path.
    """
    found = [each for each in sorted(folder.iterdir()) if each.suffix == ".toml"]
    if not found:
        raise ScenarioError(f"{folder}: has no files of criteria, as SECTION-NAME.toml")
    return tuple(sorted(map(_read, found), key=lambda each: each.place))


def _read(file: Path) -> Criterion:
    try:
        return _criterion(file, tomllib.loads(file.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{file}: not TOML: {error}") from None
    except UnicodeDecodeError:
        raise ScenarioError(f"{file}: not a UTF-8 text file") from None
    except ScenarioError as error:
        raise ScenarioError(f"{file}: {error}") from None


FIELDS: Final = {
    "section": str, "criterion": str, "asks": str, "read": str, "reason": str, "seeds": int,
    "drawn": bool, "controller": list, "always": list, "set": dict, "pipe": list, "vary": dict,
    "full": dict, "measure": list,
}  # fmt: skip
PIPE: Final = {"scenario": str, "set": dict}
FULL: Final = {"vary": dict}
MEASURE: Final = {
    "name": str, "of": str, "per": str, "unit": str, "better": str, "without": dict, "drawn": bool,
}  # fmt: skip
"""Keys of a file and of its tables, with their types."""

WORDS: Final = {str: "a text", int: "a whole number", bool: "true or false", list: "a list",
                dict: "a table"}  # fmt: skip


def _criterion(file: Path, found: Mapping[str, Any]) -> Criterion:
    _table(found, FIELDS, needed=("section", "asks"))
    section = found["section"]
    if not re.fullmatch(r"\d+(\.\d+)*", section, re.ASCII):
        raise ScenarioError(f"section = {section!r}: expected that of the RFC, as in '5.1.2'")
    reason, pipes, asked = (found.get(key) for key in ("reason", "pipe", "measure"))
    if (reason is None) != (pipes is not None and asked is not None and "read" in found):
        raise ScenarioError("needs either a reason, or read, [[pipe]] and [[measure]]")
    fixed = flat(found.get("set", {}))
    vary = flat(found.get("vary", {}))
    return Criterion(
        file,
        section,
        found.get("criterion", CRITERIA.get(section, "")),
        found["asks"],
        found.get("read", ""),
        reason or "",
        tuple(map(str, found.get("controller", ["tcp"]))),
        tuple(map(str, found.get("always", []))),
        found.get("seeds"),
        found.get("drawn", False),
        tuple(_pipe(file.parent, each, fixed) for each in pipes or []),
        vary,
        {**vary, **flat(_table(found.get("full", {}), FULL).get("vary", {}))},
        tuple(_measure(each) for each in asked or []),
    )


def _pipe(folder: Path, given: object, fixed: Settings) -> Pipe:
    found = _table(given, PIPE, needed=("scenario",))
    name = found["scenario"]
    own = folder / name
    scenario = find(own if own.suffix == ".toml" else name)
    return Pipe(scenario, {**fixed, **flat(found.get("set", {}))})


SEE: Final = "see `thinpipe measures`"


def _measure(given: object) -> Measure:
    found = _table(given, MEASURE, needed=("name", "of", "better"))
    of, per, better = found["of"], found.get("per", ""), found["better"]
    for name in filter(None, (of, per)):
        if not is_measure(name):
            known = [each.name for each in measures()]
            raise ScenarioError(f"no measure {name!r}{suggestion(name, known, SEE)}")
    without = flat(found.get("without", {}))
    if better not in BETTER or (without and better == "neither"):
        allowed = BETTER[:-1] if without else BETTER
        raise ScenarioError(f"better = {better!r}: must be {either(allowed)}")
    is_drawn = found.get("drawn", False)
    if is_drawn and not without:
        raise ScenarioError("drawn: is for a harm, which has without")
    usual = "" if without else "share" if per else metric_unit(of)
    return Measure(
        found["name"],
        of,
        per,
        found.get("unit", usual),
        cast("Better", better),
        tuple(without.items()),
        is_drawn,
    )


def _table(found: object, known: Mapping[str, type], needed: Sequence[str] = ()) -> dict[str, Any]:
    """Return a table with checked keys, whose values have the types that are known."""
    if not isinstance(found, dict):
        raise ScenarioError(f"{found!r}: expected a table with {either([*known])}")
    for key, value in found.items():
        if key not in known:
            raise ScenarioError(f"unknown key {key!r}{suggestion(key, known, either([*known]))}")
        if type(value) is not known[key]:
            raise ScenarioError(f"{key} = {value!r}: must be {WORDS[known[key]]}")
    for key in needed:
        if key not in found:
            raise ScenarioError(f"lacks {key!r}")
    return found


def texts(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield settings as ``--set`` takes them."""
    return ((key, as_text(key, value)) for key, value in settings.items())
