"""Scenarios: names, files and keys."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from thinpipe import _core
from thinpipe.arguments import check
from thinpipe.named_pipes import left_out, pipes
from thinpipe.search import matching
from thinpipe.suggestion import either, suggestion
from thinpipe.values import tables_as_toml


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario's TOML text and its name in errors: a shipped name or a file."""

    name: str
    source: str

    def __post_init__(self) -> None:
        check(name=self.name, text=self.source)

    @classmethod
    def of(cls, tables: Mapping[str, Any], name: str = "scenario") -> Scenario:
        """Make a scenario of nested dicts: ``{"link": {"rate": "2 Mbit/s", "delay": "40 ms"}}``.

        A dot in a key stands for a table: ``{"link.rate": "2 Mbit/s"}`` is the same.

        Raises
        ------
        TypeError
            If `tables` is no mapping with keys of text, or a value neither text nor a number nor a
            list nor a dict.
        """
        check(tables=tables)
        return cls(name, tables_as_toml(tables))

    @property
    def description(self) -> str:
        """The scenario's description, in one line; empty without one.

        Raises
        ------
        ScenarioError
            If the text is not TOML.
        """
        description = self.to_dict().get("description", "")
        return description if isinstance(description, str) else ""

    def to_dict(self) -> dict[str, Any]:
        """Return its tables and keys as nested dicts.

        Raises
        ------
        ScenarioError
            If the text is not TOML.
        """
        try:
            return tomllib.loads(self.source)
        except tomllib.TOMLDecodeError as error:
            raise _core.ScenarioError(f"{self.name}: not TOML: {error}") from None

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.name)}</b></p><pre>{escape(self.source)}</pre>"

    def values(self) -> dict[str, str]:
        """Return the value of every key of the scenario, defaults included.

        A key that follows another one says so: ``as link.delay``.

        Raises
        ------
        ScenarioError
            If the scenario is wrong.
        """
        return dict(_core.values(self.source, self.name))


def scenarios() -> dict[str, Scenario]:
    """Return the scenarios that ship, by name."""
    return dict(_shipped())


def named() -> dict[str, Scenario]:
    """Return all that have a name: the scenarios that ship, then those of `pipes`."""
    return _shipped() | _of_pipes()


@cache
def _shipped() -> dict[str, Scenario]:
    return {name: Scenario(name, source) for name, source in sorted(_core.shipped().items())}


@cache
def _of_pipes() -> dict[str, Scenario]:
    return {
        name: Scenario(name, _shipped()[pipe.scenario].source if pipe.is_radio else pipe.toml())
        for name, pipe in pipes().items()
    }


@dataclass(frozen=True, slots=True)
class Takes:
    """What a key takes, as a program needs it to offer a slider, a choice or a switch.

    Attributes
    ----------
    kind
        ``duration``, ``rate``, ``size``, ``whole`` (a whole number), ``number``, ``probability``,
        ``choice`` (one of `words`), ``flag`` (``true`` or ``false``), or ``other``: a text, a path,
        a list or a list of tables.
    unit
        The unit of its numbers, those of `minimum` and `maximum` as well: ``s``, ``bit/s``, ``B``,
        ``dB``, ``dBm``, ``m``, ``GHz``; empty for bare numbers, and for probabilities, which are
        fractions.
    minimum, maximum
        The least and the greatest number; ``None`` without such a limit.
    exclusive_minimum, exclusive_maximum
        Whether a number has to be above `minimum` or below `maximum`, rather than at it.
    words
        The words of a choice or a flag, and those that stand in the place of a value:
        ``unlimited``, ``off``, ``as link.delay``.
    """

    kind: str
    unit: str
    minimum: float | None
    maximum: float | None
    exclusive_minimum: bool
    exclusive_maximum: bool
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Needs:
    """Where a key can be: only where `key` is one of `kinds`."""

    key: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OtherDefault:
    """A default that a key has with other kinds than the first."""

    default: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a scenario. ``NAME`` in it is a placeholder for the name of a link.

    `takes` says what `expected` does, for programs; `needs` is empty for a key of every kind.
    `default` is that of the first kind that has the key. `idle` says when it does nothing, as
    ``while tcp.spacing is off``; `inherits` is the key whose value it has if it is not given.
    """

    name: str
    default: str
    expected: str
    doc: str
    takes: Takes
    needs: tuple[Needs, ...]
    other_defaults: tuple[OtherDefault, ...]
    idle: tuple[str, ...]
    inherits: str | None

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it takes: ``reno``, ``vegas`` and so on, or ``off`` for a number."""
        return self.takes.words

    def number(self, text: str) -> float | None:
        """Return the number that a text is for this key, in the unit of `takes`.

        ``None`` if it is none: a word, a text or a list. Whether the members of a list and other
        keys fit is for the scenario to say.

        Raises
        ------
        ScenarioError
            If it is no value of this key.

        Examples
        --------
        >>> [key.number("400 ms") for key in keys() if key.name == "tcp.min_rto"]
        [0.4]
        """
        check(text=text)
        return _core.number(self.name, text)

    @property
    def summary(self) -> str:
        """The first sentence of its meaning."""
        return first_sentence(self.doc)


def first_sentence(text: str) -> str:
    """Return a text up to the first full stop before a space."""
    return re.split(r"(?<=\.)\s", text, maxsplit=1)[0]


def keys(word: str | None = None, *, profile: str | None = None) -> list[Key]:
    """Return the keys of scenarios and settings, as ``thinpipe keys`` lists them.

    Parameters
    ----------
    word
        Only keys that begin with it, then those whose name or meaning has it elsewhere; with a dot,
        as in ``"tcp.rto"``, the others only if none begins with it. All keys by default.
    profile
        A value of ``tcp.profile`` or ``radio.profile``, whose defaults are returned.

    Raises
    ------
    ScenarioError
        If there is no such key or profile.

    Examples
    --------
    >>> [key.name for key in keys("tcp.reno.")]
    ['tcp.reno.halving']
    """
    check(word=word, profile=profile)
    others = list(profiles())
    if profile is not None and profile not in others:
        hint = suggestion(profile, others, f"must be {either(others)}")
        raise _core.ScenarioError(f"unknown profile {profile!r}{hint}")
    known = {key.name: key for key in _keys(profile)}
    if word is None:
        return [*known.values()]
    # Many keys take the same words, so what a key takes counts only if no meaning has the word.
    names = matching(word, {name: key.doc for name, key in known.items()}) or matching(
        word, {name: f"{key.doc} {key.expected}" for name, key in known.items()}
    )
    if not names:
        hint = suggestion(word, known, "see `thinpipe keys`")
        raise _core.ScenarioError(f"no key has {word!r} in its name or meaning{hint}")
    return [known[name] for name in names]


def _keys(profile: str | None) -> Iterator[Key]:
    for name, default, expected, doc, takes, needs, others, idle, inherits in _core.keys(profile):
        taken = Takes(**takes | {"words": tuple(takes["words"])})
        needed = tuple(Needs(key, tuple(kinds)) for key, kinds in needs)
        other = tuple(OtherDefault(value, tuple(kinds)) for value, kinds in others)
        yield Key(name, default, expected, doc, taken, needed, other, tuple(idle), inherits)


def profiles() -> dict[str, str]:
    """Return the profiles, sets of defaults for a table, each as commented TOML text."""
    return dict(_core.profiles())


Source = str | os.PathLike[str] | Mapping[str, Any] | Scenario
"""A scenario's name if it ships, a pipe's, the path of its file, nested dicts, or itself."""


def find(scenario: Source) -> Scenario:
    """Return the scenario of a shipped name, of a pipe, of nested dicts or of a file.

    Raises
    ------
    ScenarioError
        If it is neither such a name nor the path of a text file.
    OSError
        If the file cannot be read.
    TypeError
        If it is nothing of these.
    """
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, Mapping):
        return Scenario.of(scenario)
    check(scenario=scenario)
    name = os.fspath(scenario)
    known = _shipped().get(name) or _of_pipes().get(name)
    if known is not None:
        return known
    path = Path(name)
    if not name or (not path.exists() and "/" not in name and path.suffix != ".toml"):
        raise _core.ScenarioError(_unknown(name))
    if path.is_dir():
        kept = path / "scenario.toml"
        run = f"; the scenario of the run in it is {kept}" if kept.exists() else ""
        reason = "is a directory; expected a TOML file, or a name of `thinpipe pipes`"
        raise _core.ScenarioError(f"{name}: {reason}{run}")
    try:
        return Scenario(name, path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise _core.ScenarioError(f"{name}: not a UTF-8 text file") from None


def _unknown(name: str) -> str:
    for each in left_out():
        if each.name == name:
            return f"{name}: no pipe is made of it, as {each.reason}"
    hint = suggestion(name, named(), "see `thinpipe pipes`")
    return f"unknown scenario {name!r}: neither a file nor one that ships{hint}"
