"""What the page shows, as a command, a scenario, a program or a sweep to take away."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from thinpipe._core import ScenarioError
from thinpipe.controller import KEY, is_of_endpoint
from thinpipe.inputs import takes_file, values_of, written_settings
from thinpipe.lab.request import Request
from thinpipe.lab.serving import answered
from thinpipe.point import Point
from thinpipe.scenario import Scenario, find
from thinpipe.sweep.grid import Grid, split
from thinpipe.sweep.parameters import resolved
from thinpipe.sweep.plan import Plan
from thinpipe.values import tables_as_toml

if TYPE_CHECKING:
    from starlette.requests import Request as HttpRequest

    from thinpipe.lab.experiment import Laboratory

SEEDS: Final = range(1, 11)
"""Those of a sweep, beside those of the variants."""

MOST_COMBINATIONS: Final = 16
"""A grid of four variants may have many more points than they; beyond this each has a sweep."""

TEXTS: Final = frozenset({"name", "description", "reference"})
"""What the last word of a key is whose value is any text, also one that looks like a number."""

_BLAMED: Final = re.compile(r"[^:]*:\d+: ([^\s:]+)")
"""The key that an error of a scenario blames."""

Settings = list[tuple[str, str]]


def copies(laboratory: Laboratory, request: Request) -> dict[str, str]:
    """Return all texts; as a scenario, the variant in focus.

    Raises
    ------
    RequestError, ScenarioError, ValueError, OSError
        If there is something wrong with the request; the message is one line.
    """
    points = [each.point for each in laboratory.variants(request)]
    return {
        "command": as_command(points),
        "toml": as_toml(points[min(request.focus, len(points) - 1)]),
        "python": as_python(points),
        "sweep": as_sweep(points),
    }


def as_command(points: Sequence[Point]) -> str:
    """Return a ``thinpipe run`` for each point."""
    runs = (
        " ".join(["thinpipe run", _name(each), *_options(written_settings(each))])
        for each in points
    )
    return "\n".join([*_remark(points[0]), *runs])


def as_python(points: Sequence[Point]) -> str:
    """Return a program that runs the points side by side."""
    lines = [*_remark(points[0]), "import thinpipe as tp", "", "runs = tp.run_many(", "    ["]
    lines += [
        f"        tp.Point.of({each.scenario.name!r}, {dict(written_settings(each))!r}),"
        for each in points
    ]
    return "\n".join([*lines, "    ],", "    trace=True,", ")", "print(tp.frame(runs))"])


def as_sweep(points: Sequence[Point]) -> str:
    """Return a ``thinpipe sweep`` over the keys in which points differ, with ten seeds each.

    If not all combinations of what differs can be run, or they are many, it is one for each point.
    """
    seeds = f"--seeds {_seeds(points)}"
    grid = _grid(points)
    if grid is None:
        sweeps = [
            ["thinpipe sweep", _name(each), *_options(_without_seed(written_settings(each))), seeds,
             f"--out sweep-{number}.parquet"]
            for number, each in enumerate(points, start=1)
        ]  # fmt: skip
    else:
        common, varied = grid
        vary = [f"--vary {shlex.quote(f'{key}={texts}')}" for key, texts in varied]
        sweeps = [
            ["thinpipe sweep", _name(points[0]), *_options(common), *vary, seeds,
             "--out sweep.parquet"]
        ]  # fmt: skip
    return "\n".join([*_remark(points[0]), *map(" ".join, sweeps)])


def as_toml(point: Point) -> str:
    """Return a point as one scenario, whose settings stand in it.

    A setting takes away what the scenario says in other words, or of other kinds. Paths of files
    are as from the working directory, where it is to be saved. A congestion control in Python is
    no part of a scenario: a comment says how to run it.

    Raises
    ------
    ScenarioError
        If the scenario or a setting is wrong.
    """
    custom = {name for name, _ in point.algorithms}
    plain = [
        (key, text)
        for key, text in point.settings
        if text not in custom or not is_of_endpoint(key, KEY)
    ]
    remarks = [
        f"# run it with --set {shlex.quote(f'{key}={text}')}\n"
        for key, text in written_settings(point)
        if (key, text) not in plain
    ]
    tables = point.scenario.to_dict()
    for key, text in plain:
        _put(tables, key.strip().split("."), _value(key, text))
    bare = Point(point.scenario, tuple(plain))
    _supersede(tables, bare, [key.strip() for key, _ in plain])
    return "".join(remarks) + tables_as_toml(tables)


def keys_of(tables: Mapping[str, Any], within: str = "") -> Iterator[str]:
    """Yield the dotted keys of a scenario's text; members of lists go by their names."""
    for name, value in tables.items():
        key = f"{within}{name}"
        if isinstance(value, Mapping):
            yield from keys_of(value, f"{key}.")
        elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            for each in value:
                if "name" in each:
                    yield from keys_of(each, f"{key}.{each['name']}.")
                else:
                    yield key
        else:
            yield key


def _name(point: Point) -> str:
    return shlex.quote(point.scenario.name)


def _options(settings: Settings) -> list[str]:
    return [f"--set {shlex.quote(f'{key}={text}')}" for key, text in settings]


def _remark(point: Point) -> list[str]:
    """Return a comment if the scenario's name does not lead to its text, or not any more."""
    scenario = point.scenario
    try:
        is_there = find(scenario.name).source == scenario.source
    except (ScenarioError, OSError):
        is_there = False
    said = f"# {scenario.name!r} is not what the lab has opened: take the TOML, and run that"
    return [] if is_there else [said]


def _seeds(points: Sequence[Point]) -> str:
    given = dict.fromkeys(int(values_of(each)["seed"]) for each in points)
    more = [str(seed) for seed in given if seed not in SEEDS]
    return ",".join([f"{SEEDS[0]}..{SEEDS[-1]}", *more])


def _without_seed(settings: Settings) -> Settings:
    return [(key, text) for key, text in settings if key.strip() != "seed"]


def _grid(points: Sequence[Point]) -> tuple[Settings, list[tuple[str, str]]] | None:
    """Return the settings that all points share, and values of the others, as ``--vary`` takes.

    Where one point has a setting and another has not, this has the scenario's value. ``None`` if
    not all combinations can be run.
    """
    rows = [dict(_without_seed(written_settings(each))) for each in points]
    values = [resolved(values_of(each)) for each in points]
    common: Settings = []
    varied: dict[str, dict[str, str]] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        shown = [
            value.get(key.strip(), row.get(key)) for row, value in zip(rows, values, strict=True)
        ]
        texts = {
            to: row.get(key, to) for row, to in zip(rows, shown, strict=True) if to is not None
        }
        if len(texts) == 1:
            common.append((key, next(iter(texts.values()))))
        elif None in shown:
            return None
        else:
            varied[key] = texts
    axes = [(key, ",".join(map(_in_list, texts.values()))) for key, texts in varied.items()]
    is_one = len(points) == 1 or _can_run(points[0].scenario, common, axes)
    return (common, axes) if is_one else None


def _can_run(scenario: Scenario, common: Settings, axes: list[tuple[str, str]]) -> bool:
    try:
        grid = Grid.of(axes, None)
        if len(grid) > MOST_COMBINATIONS:
            return False
        Plan.of(scenario, tuple(common), grid)
    except ScenarioError:
        return False
    return True


def _in_list(text: str) -> str:
    """Return a value as a part of ``--vary``, in quotes if commas would tear it apart."""
    try:
        parts = split(text)
    except ValueError:
        parts = []
    if parts == [text] and ".." not in text:
        return text
    return f"'{text}'" if '"' in text else f'"{text}"'


GROUP: Final = "group"
"""The list of flows to which a setting adds the member that it names."""


def _put(table: dict[str, Any], path: Sequence[str], value: object) -> None:
    """Set a key; members of a list of tables go by their names, and a group may be a new one."""
    name, *rest = path
    inner = table.get(name)
    if not rest:
        table[name] = value
    elif isinstance(inner, list) or name == GROUP:
        members = table.setdefault(name, [])
        member = next((each for each in members if each.get("name") == rest[0]), None)
        if member is None:
            member = {"name": rest[0]}
            members.append(member)
        _put(member, rest[1:], value)
    else:
        _put(table.setdefault(name, {}), rest, value)


def _value(key: str, text: str) -> object:
    """Return what a setting's text is in TOML: a number, a switch, a list, or else a text."""
    plain = text.strip()
    for quote in "\"'":
        if len(plain) > 1 and plain[0] == plain[-1] == quote:
            plain = plain[1:-1]
            break
    if key.rpartition(".")[2] in TEXTS:
        return plain
    try:
        value = tomllib.loads(f"value = {plain}")["value"]
    except tomllib.TOMLDecodeError:
        return plain
    if isinstance(value, float) and value.is_integer() and "." not in plain:
        return int(value)
    return value if isinstance(value, bool | int | float | list) else plain


def _supersede(tables: dict[str, Any], point: Point, put: list[str]) -> None:
    """Take away what the file says but settings have taken the place of, in other words.

    That is what has another value now; and, as an error says, what stands in the way although its
    value is the default, or a setting of a kind that the scenario does not use.
    """
    said = list(keys_of(point.scenario.to_dict()))
    files = tuple((key, text) for key, text in point.settings if takes_file(key) and key in said)
    wanted, before = values_of(point), values_of(Point(point.scenario, files))
    given = [key for key in said if key in before and key not in put]
    for key in given:
        if takes_file(key) and key in wanted:  # a file says where from itself, values from here
            _put(tables, key.split("."), wanted[key])
        if wanted.get(key) != before[key]:
            _take(tables, key.split("."))
    for _ in [*given, *put]:
        try:
            values_of(Point(Scenario.of(tables)))
        except ScenarioError as error:
            blamed = _BLAMED.match(str(error))
            if blamed is None:
                raise
            _take(tables, blamed[1].split("."))
        else:
            return


def _take(table: dict[str, Any], path: Sequence[str]) -> None:
    """Remove a key, and the tables and members that this leaves empty."""
    name, *rest = path
    inner = table.get(name)
    if not rest:
        table.pop(name, None)
    elif isinstance(inner, list):
        member = next((each for each in inner if each.get("name") == rest[0]), None)
        if member is not None:
            _take(member, rest[1:])
            if not member:
                inner.remove(member)
    elif isinstance(inner, dict):
        _take(inner, rest)
    if rest and not table.get(name, True):
        del table[name]


async def _copies(request: HttpRequest) -> Response:
    def respond(message: Mapping[str, Any]) -> Response:
        return JSONResponse(copies(request.app.state.laboratory, Request.of(message)))

    return await answered(request, respond)


ROUTES: Final = [Route("/api/copies", _copies, methods=["POST"])]
