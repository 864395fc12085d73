"""What a run ran, as `Run.save` keeps it, so that it can be run again."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from thinpipe import _core
from thinpipe._core import ScenarioError
from thinpipe.controller import KEY, Algorithm, is_of_endpoint, registered
from thinpipe.files import ContentError, read_listed, write_file
from thinpipe.point import NO_SETTINGS, Point, Value
from thinpipe.scenario import Scenario, keys

INPUTS_FILE: Final = "inputs.json"

Trace: TypeAlias = bool | Literal["ns2"]
"""What a run traces: nothing, segments, blocks and hops, or also a trace file of ns-2."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that a run depends on.

    Attributes
    ----------
    scenario
        Its name in errors: a shipped one or a file.
    settings
        Keys and values; a congestion control in Python is ``FILE.py:CLASS``.
    trace
        As in `thinpipe.run`.
    snap
        As in `thinpipe.run`.
    files
        The SHA-256 of each file that it read, by path.
    directory
        Where paths start from: the working directory; ``None`` if it read no file.
    versions
        Of thinpipe and of polars, on which the bytes of tables depend.
    """

    scenario: str
    settings: list[tuple[str, str]]
    trace: Trace
    files: dict[str, str]
    directory: str | None
    versions: dict[str, str]
    snap: int | None = None

    @classmethod
    def of(cls, point: Point, *, trace: Trace, snap: int | None = None, directory: Path) -> Inputs:
        """Return those of a point that has been run in a working directory.

        Raises
        ------
        OSError
            If a file that it read cannot be read any more.
        """
        with _within(directory):
            return cls._here(point, trace, snap)

    @classmethod
    def _here(cls, point: Point, trace: Trace, snap: int | None) -> Inputs:
        settings = written_settings(point)
        code = [text for key, text in settings if is_of_endpoint(key, KEY) and ":" in text]
        sources = [text.rpartition(":")[0] for text in code]
        read = [*files_of(values_of(point)).values(), *sources]
        files = {path: digest_of(path) for path in read}
        where = str(Path.cwd()) if files else None
        return cls(point.scenario.name, settings, trace, files, where, _versions(), snap)

    def write(self, directory: Path) -> None:
        """Write ``inputs.json``.

        Raises
        ------
        OSError
            If a file cannot be written.
        """
        write_file(directory / INPUTS_FILE, f"{json.dumps(asdict(self), indent=1)}\n".encode())

    @classmethod
    def read(cls, directory: Path) -> Inputs:
        """Read those of a saved run.

        Raises
        ------
        OSError
            If it has none.
        ValueError
            If it does not hold them.
        """
        kept = read_listed(directory, INPUTS_FILE)
        try:
            content: dict[str, Any] = json.loads(kept)
            settings = [(str(key), str(text)) for key, text in content.pop("settings")]
            read = cls(settings=settings, **content)
            pairs = chain(*read.files.items(), *read.versions.items())
            texts = [read.scenario, read.directory or "", *pairs]
            is_trace = isinstance(read.trace, bool) or read.trace == "ns2"
            is_snap = read.snap is None or isinstance(read.snap, int)
            if not is_trace or not is_snap or not all(isinstance(each, str) for each in texts):
                raise ValueError
        except (AttributeError, KeyError, TypeError, ValueError):
            reason = "does not hold the inputs of a run of this version"
            raise ContentError(f"{directory / INPUTS_FILE}: {reason}") from None
        return read

    @contextmanager
    def point(self, source: str, more: Mapping[str, Value] = NO_SETTINGS) -> Iterator[Point]:
        """Yield the point, with the text of its scenario, in the directory where it ran.

        Further settings take the place of its own.

        Raises
        ------
        OSError
            If a file that it read cannot be read.
        ScenarioError
            If one has changed since.
        """
        with _within(Path(self.directory or ".")):
            for path, digest in self.files.items():
                if digest_of(path) != digest:
                    raise ScenarioError(f"{Path(path).resolve()}: has changed since that run")
            yield Point.of(Scenario(self.scenario, source), {**dict(self.settings), **more})

    def outdated(self) -> list[str]:
        """Return what has another version now: ``thinpipe 0.1.0``."""
        now = _versions()
        return [f"{name} {of}" for name, of in self.versions.items() if now.get(name) != of]


@contextmanager
def _within(directory: Path) -> Iterator[None]:
    """Make it the working directory, if it is not."""
    if directory.absolute() == Path.cwd():
        yield
    else:
        with contextlib.chdir(directory):
            yield


def values_of(point: Point) -> dict[str, str]:
    """Return the value of every key of a point, defaults included.

    Raises
    ------
    ScenarioError
        If the scenario or a setting is wrong.
    """
    scenario = point.scenario
    return dict(_values(scenario.source, scenario.name, point.settings, customs_of(point)))


@lru_cache(64)
def _values(
    source: str, name: str, settings: tuple[tuple[str, str], ...], customs: tuple[str, ...]
) -> list[tuple[str, str]]:
    """Return all values, a millisecond's work; the lab asks several times for each of its runs."""
    return _core.values(source, name, settings, customs)


def made_by(point: Point) -> list[str]:
    """Return a line for each group of flows that a setting of a point makes; errors as above."""
    scenario = point.scenario
    return _core.made(scenario.source, scenario.name, point.settings, customs_of(point))


def customs_of(point: Point) -> tuple[str, ...]:
    """Return the names of the congestion controls in Python that a point may name."""
    return tuple(name for name, _ in (*point.algorithms, *registered()))


def written_settings(point: Point) -> list[tuple[str, str]]:
    """Return a point's settings as ``--set`` takes them; a class of a file as ``FILE.py:CLASS``."""
    named = dict((*point.algorithms, *registered()))
    return [
        (key, _written(named[text]) if is_of_endpoint(key, KEY) and text in named else text)
        for key, text in point.settings
    ]


def files_of(values: Mapping[str, str]) -> dict[str, str]:
    """Return the paths of the files that a point reads, by key. What ships is none."""
    return {key: text for key, text in values.items() if names_file(key, text)}


def names_file(key: str, text: str) -> bool:
    """Return whether a value is the path of a file. What ships is none."""
    is_word = text in ("off", "none") or text.startswith("as ")
    ships = text.startswith("shipped:") and _takes(key, "shipped:")
    return takes_file(key) and not is_word and not ships


def takes_file(key: str) -> bool:
    """Return whether a key takes the path of a file."""
    return _takes(key, "the path of")


def digest_of(path: str) -> str:
    """Return the SHA-256 of a file.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@cache
def _takes(name: str, words: str) -> bool:
    """Return whether a key expects such words. ``NAME`` in a key is that of a member."""
    return any(re.fullmatch(pattern, name) for pattern in _keys_that_take(words))


@cache
def _keys_that_take(words: str) -> tuple[str, ...]:
    taking = [key.name for key in keys() if words in key.expected]
    return tuple(re.escape(name).replace("NAME", r"[^.]+") for name in taking)


def _written(algorithm: Algorithm) -> str:
    """Return how a setting names an algorithm; its name alone, if that is not a class of a file."""
    kind = algorithm if isinstance(algorithm, type) else type(algorithm)
    try:
        path = inspect.getfile(kind)
    except (OSError, TypeError):
        return kind.__name__
    return f"{os.path.relpath(path)}:{kind.__name__}"


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {"thinpipe": _core.__version__, "polars": version("polars")}
