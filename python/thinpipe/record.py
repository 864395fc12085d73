"""The base of typed records, which are read from JSON by the types of their fields."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Any, Final, Self, TypeGuard, get_args, get_origin, get_type_hints

from thinpipe.arguments import check

_LEAVES: Final = {int: int, float: (int, float), str: str, bool: bool}
"""What JSON holds for a field of a type."""


class Record:
    """Base of frozen dataclasses with the fields of a JSON object."""

    __slots__ = ()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the output of ``--json`` or ``--record``.

        Raises
        ------
        ValueError
            If it is not JSON, or not that of such a record of this version.
        """
        check(json=text)
        try:
            record: Self = _value(json.loads(text), cls)
        except json.JSONDecodeError as error:
            raise ValueError(f"text: not JSON: {error}") from None
        except KeyError as error:
            raise ValueError(f"text: is no {cls.__name__} of this version: no {error}") from None
        except (AttributeError, TypeError):
            raise ValueError(f"text: is no {cls.__name__} of this version") from None
        return record

    @classmethod
    def several_from_json(cls, text: str) -> Sequence[Self]:
        """Read a JSON array of such records, which this version has written."""
        return tuple(_value(each, cls) for each in json.loads(text))

    def to_dict(self) -> dict[str, Any]:
        """Return it as nested dicts and lists, as in the JSON object."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def _repr_html_(self) -> str:
        """Return a table of its fields, for notebooks."""
        rows = (
            f"<tr><th>{escape(name)}</th><td>{_html(getattr(self, name))}</td></tr>"
            for name in _names(self)
        )
        return f"<table>{''.join(rows)}</table>"


def _names(record: Record) -> list[str]:
    return [each.name for each in dataclasses.fields(record)]  # type: ignore[arg-type]


def _html(value: object) -> str:
    if isinstance(value, Record):
        return value._repr_html_()
    if _is_array(value) and value and isinstance(value[0], Record):
        return "".join(map(_html, value))
    return escape(str(value))


def _is_array(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _plain(value: Any) -> Any:  # noqa: ANN401 - what a record holds may be anything
    """Return a value of a record as JSON has it."""
    if isinstance(value, Record):
        return {name: _plain(getattr(value, name)) for name in _names(value)}
    if _is_array(value):
        return [_plain(each) for each in value]
    return value


def _value(data: Any, kind: Any) -> Any:  # noqa: ANN401 - what JSON holds may be anything
    """Return JSON data as a value of the type `kind`."""
    return _reader(kind)(data)


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - what JSON holds may be anything
    """Return what makes JSON data a value of the type `kind`; null is ``None`` in any field."""
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        make: Callable[..., Any] = kind  # type: ignore[assignment]
        fields = [(each.name, _reader(hints[each.name])) for each in dataclasses.fields(kind)]
        return lambda data: make(*[read(data[name]) for name, read in fields])
    arguments, origin = get_args(kind), get_origin(kind)
    if origin is dict:
        value = _reader(arguments[1])
        return lambda data: data and {key: value(each) for key, each in data.items()}
    if origin in {tuple, Sequence}:
        item = _reader(arguments[0])
        return lambda data: None if data is None else tuple(map(item, data))
    if type(None) in arguments:
        [other] = (each for each in arguments if each is not type(None))
        some = _reader(other)
        return lambda data: None if data is None else some(data)
    return _leaf(_LEAVES[kind]) if kind in _LEAVES else lambda data: data


def _leaf(kind: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - a class, or several
    def read(data: Any) -> Any:  # noqa: ANN401
        if data is None or isinstance(data, kind):
            return data
        raise TypeError

    return read
