"""What `thinpipe lab` is opened with: a scenario, a saved run, or the table of a sweep."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from thinpipe._core import ScenarioError
from thinpipe.controller import KEY, is_of_endpoint
from thinpipe.files import ContentError
from thinpipe.inputs import INPUTS_FILE, Inputs, files_of, values_of
from thinpipe.lab.catalogue import Opened
from thinpipe.point import Point
from thinpipe.recording import RESULT_FILE, SCENARIO_FILE, load
from thinpipe.scenario import Scenario, find, named
from thinpipe.sweep.parameters import SHARE, unit_of
from thinpipe.sweep.study import SUFFIXES, Study
from thinpipe.sweep.table import SCENARIO, SEED
from thinpipe.sweep.words import DELAY

GOODPUTS: Final = ("flows.goodput_bps", "goodput_bps")
"""Columns of a sweep with the goodput of a run: of all flows, or of the only one."""

MOST_ROWS: Final = 4_000
"""Rows of a sweep that a page shows: more dots hide each other."""


@dataclass(frozen=True, slots=True)
class Row:
    """A run of a sweep: its settings, and what places it among others."""

    settings: Mapping[str, str]
    goodput_bps: float
    p95_delay_s: float


@dataclass(frozen=True, slots=True)
class Opening:
    """What the lab begins with: a scenario under a name, and the runs of a sweep."""

    name: str
    opened: Opened
    rows: tuple[Row, ...] = ()


def opening_of(source: str, settings: Mapping[str, str]) -> Opening:
    """Return what a source is, with further settings, after a check of all.

    Raises
    ------
    ScenarioError, ContentError, OSError
        If there is no such source, or something is wrong with it or a setting; the message is one
        line.
    """
    path = Path(source)
    if path.suffix in SUFFIXES and not path.is_dir():
        return _of_sweep(path, settings)
    if path.is_dir() and ((path / INPUTS_FILE).is_file() or (path / RESULT_FILE).is_file()):
        return _of_run(path, settings)
    found = find(source)
    values_of(Point.of(found, settings))
    has_name = named().get(source) == found
    name = source if has_name else _free(Path(source).stem, source)
    return Opening(name, Opened(found, tuple(settings.items())))


def _of_run(directory: Path, settings: Mapping[str, str]) -> Opening:
    """Open a saved run. The files that it read are named so that they are found from here."""
    source, inputs = load(directory).scenario.source, Inputs.read(directory)
    with inputs.point(source, settings) as point:
        files = files_of(values_of(point))
    fallback = str(directory / SCENARIO_FILE)
    scenario = Scenario(_leading_to(source, inputs.scenario, fallback), source)
    of_run = dict(inputs.settings)
    code = {key: text for key, text in of_run.items() if is_of_endpoint(key, KEY) and ".py" in text}
    files |= code
    here = {key: _from_here(inputs.directory, path) for key, path in files.items()}
    name = _free(directory.resolve().name, str(directory))
    return Opening(name, Opened(scenario, tuple({**of_run, **here, **settings}.items())))


def _of_sweep(file: Path, settings: Mapping[str, str]) -> Opening:
    study = Study.read(file)
    source, given = study.about.get("source"), study.about.get("set")
    if not isinstance(source, str) or not isinstance(given, list):
        kept = "only the Parquet file of `thinpipe sweep` does"
        raise ContentError(f"{file}: does not keep its scenario; {kept}")
    scenario = Scenario(_leading_to(source, study.scenario, study.scenario), source)
    whole = {**dict(_pairs(file, given)), **settings}
    rows = tuple(_rows(study))
    values_of(Point.of(scenario, {**whole, **(rows[0].settings if rows else {})}))
    return Opening(_free(file.stem, str(file)), Opened(scenario, tuple(whole.items())), rows)


def _pairs(file: Path, given: list[Any]) -> Iterator[tuple[str, str]]:
    for each in given:
        if not isinstance(each, list) or [type(word) for word in each] != [str, str]:
            raise ContentError(f"{file}: is not the table of a sweep")
        yield each[0], each[1]


def _rows(study: Study) -> Iterator[Row]:
    """Yield the runs of a sweep that can be placed: those with a goodput and a delay."""
    frame = study.complete.head(MOST_ROWS)
    goodput = next((name for name in GOODPUTS if name in frame.columns), None)
    if goodput is None or DELAY not in frame.columns:
        return
    varied = [key for key in study.varied if key != SCENARIO]
    for row in frame.select(*varied, SEED, goodput, DELAY).iter_rows():
        *values, seed, goodput_bps, delay_s = row
        if goodput_bps is None or delay_s is None:
            continue
        pairs = zip(varied, values, strict=True)
        texts = {key: setting(key, value) for key, value in pairs if value is not None}
        yield Row({**texts, SEED: str(seed)}, goodput_bps, delay_s)


def setting(key: str, value: bool | float | str) -> str:  # noqa: FBT001 - a cell of a table
    """Return a parameter's value in a table of runs as ``--set`` takes it.

    >>> setting("radio.tbler", 0.05), setting("tcp.min_rto", 0.0004), setting("queue.packets", 8.0)
    ('0.05', '0.0004 s', '8')
    >>> setting("queue.packets", float("inf")), setting("tcp.sack", True)
    ('unlimited', 'true')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return json.dumps(value)
    if value == float("inf"):
        return "unlimited"
    exact = Decimal(repr(value))
    number = f"{exact:f}" if exact != exact.to_integral_value() else str(int(value))
    unit = unit_of(key)
    return number if unit in (None, SHARE) else f"{number} {unit}"


def _leading_to(source: str, name: str, otherwise: str) -> str:
    """Return a scenario's name if it leads to its text from here, or else another name."""
    try:
        return name if find(name).source == source else otherwise
    except (ScenarioError, OSError):
        return otherwise


def _from_here(directory: str | None, path: str) -> str:
    is_here = directory is None or Path(directory).absolute() == Path.cwd()
    return path if is_here else str(Path(directory or ".", path))


def _free(name: str, otherwise: str) -> str:
    """Return a name for the page's list, in which those that ship stand already."""
    return otherwise if name in named() else name
