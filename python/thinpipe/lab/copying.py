"""What the page shows, as a command, a scenario, a program or a sweep to take away."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from thinpipe.point import Point
from thinpipe.values import tables_as_toml


def as_command(points: Sequence[Point]) -> str:
    """Return a ``thinpipe run`` for each point."""
    return "\n".join(
        " ".join(["thinpipe run", shlex.quote(each.scenario.name), *_options(each.settings)])
        for each in points
    )


def _options(settings: Sequence[tuple[str, str]]) -> list[str]:
    return [f"--set {shlex.quote(f'{key}={text}')}" for key, text in settings]


def as_sweep(points: Sequence[Point]) -> str:
    """Return a ``thinpipe sweep`` over the keys in which points differ, with ten seeds each."""
    common, varied = _split(points)
    vary = [
        f"--vary {shlex.quote(key + '=' + ','.join(dict.fromkeys(texts)))}"
        for key, texts in varied.items()
        if key != "seed"
    ]
    kept = [(key, text) for key, text in common if key != "seed"]
    name = shlex.quote(points[0].scenario.name)
    options = [*_options(kept), *vary, "--seeds 1..10", "--out sweep.parquet"]
    return " ".join(["thinpipe sweep", name, *options])


def as_python(points: Sequence[Point]) -> str:
    """Return a program that runs the points side by side."""
    lines = ["import thinpipe as tp", "", "runs = tp.run_many(", "    ["]
    lines += [
        f"        tp.Point.of({each.scenario.name!r}, {dict(each.settings)!r})," for each in points
    ]
    return "\n".join([*lines, "    ],", "    trace=True,", ")", "print(tp.frame(runs))"])


def as_toml(point: Point) -> str:
    """Return a point as one scenario, whose settings stand in it.

    Raises
    ------
    ScenarioError
        If the scenario is not TOML.
    """
    tables = point.scenario.to_dict()
    for key, text in point.settings:
        _put(tables, key.split("."), _value(text))
    return tables_as_toml(tables)


def _put(table: dict[str, Any], path: Sequence[str], value: object) -> None:
    """Set a key; the members of a list of tables go by their names."""
    name, *rest = path
    inner = table.get(name)
    if not rest:
        table[name] = value
    elif isinstance(inner, list):
        member = next((each for each in inner if each.get("name") == rest[0]), None)
        if member is None:
            member = {"name": rest[0]}
            inner.append(member)
        _put(member, rest[1:], value)
    else:
        _put(table.setdefault(name, {}) if inner is None else inner, rest, value)


def _value(text: str) -> object:
    """Return what a setting's text is in TOML: a number, a switch, a list, or else a text."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    return value if isinstance(value, bool | int | float | list) else text


def _split(points: Sequence[Point]) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Return the settings that all points share, and the values of those in which they differ."""
    rows: list[Mapping[str, str]] = [dict(each.settings) for each in points]
    names = list(dict.fromkeys(name for row in rows for name in row))
    same = [name for name in names if len({row.get(name) for row in rows}) == 1]
    common = [(name, rows[0][name]) for name in same]
    varied = {
        name: [row[name] for row in rows if name in row] for name in names if name not in same
    }
    return common, varied
