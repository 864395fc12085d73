"""Values in Python as a scenario writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any

from thinpipe._core import ScenarioError


def as_text(key: str, value: Any) -> str:  # noqa: ANN401 - whatever a user sets
    """Return a setting's value as ``--set`` takes it."""
    return value if isinstance(value, str) else as_toml(key, value)


def as_toml(key: str, value: Any) -> str:  # noqa: ANN401 - whatever a user sets
    """Return a value as TOML; the members of a schedule are inline tables."""
    plain: Any = value
    if getattr(value, "shape", None) == ():  # one of numpy's scalars
        plain = plain.item()
    if isinstance(plain, str):
        return _in_quotes(plain)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, Integral):
        return str(int(plain))
    if isinstance(plain, Real):
        return repr(float(plain))
    if isinstance(plain, list | tuple):
        return f"[{', '.join(as_toml(key, member) for member in plain)}]"
    if isinstance(plain, Mapping):
        pairs = (f"{_quoted(name)} = {as_toml(key, each)}" for name, each in plain.items())
        return f"{{{', '.join(pairs)}}}"
    raise TypeError(f"{key}: {value!r} is neither text nor a number nor a list of them")


def refuse_twice(settings: Iterable[tuple[str, str]]) -> None:
    """Reject settings of which two have the same key.

    Raises
    ------
    ScenarioError
        If there are such; the message names the key and both values.
    """
    first: dict[str, str] = {}
    for key, text in ((key.strip(), text) for key, text in settings):
        if key in first:
            raise ScenarioError(f"{key}={text}: set to {first[key]} as well; give it once")
        first[key] = text


def tables_as_toml(tables: Mapping[str, Any]) -> str:
    """Return nested dicts as TOML: a line for each key, with dots between tables and keys."""
    return "".join(f"{key} = {as_toml(key, value)}\n" for key, value in _lines(tables))


def flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a nested table by their dotted names."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        inner = flat(value) if isinstance(value, dict) else None
        values |= {key: value} if inner is None else {f"{key}.{k}": v for k, v in inner.items()}
    return values


def _lines(tables: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tables.items():
        key = f"{within}{'.'.join(_quoted(part) for part in name.split('.'))}"
        if isinstance(value, Mapping) and value:
            yield from _lines(value, f"{key}.")
        else:
            yield key, value


def _quoted(name: str) -> str:
    """Return a key as TOML, which wants quotes around all but letters, digits, - and _."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _in_quotes(name)


def _in_quotes(text: str) -> str:
    """Return a basic string of TOML, which is one of JSON but for the escape of DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
