"""The base of typed records, which are read from JSON by the types of their fields."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any, Final, Self, TypeGuard, get_args, get_origin, get_type_hints

from thinpipe.arguments import check

_LEAVES: Final = {int: int, float: int | float, str: str, bool: bool}
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


@cache
def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


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
    if data is None and not dataclasses.is_dataclass(kind):
        return None
    if dataclasses.is_dataclass(kind):
        fields = _fields(kind)  # type: ignore[arg-type]
        values = {name: _value(data[name], of) for name, of in fields.items()}
        return kind(**values)  # type: ignore[operator]
    arguments = get_args(kind)
    if get_origin(kind) is dict:
        return {key: _value(each, arguments[1]) for key, each in data.items()}
    if get_origin(kind) in {tuple, Sequence}:
        return tuple(_value(each, arguments[0]) for each in data)
    if type(None) in arguments:
        [other] = (each for each in arguments if each is not type(None))
        return _value(data, other)
    if kind in _LEAVES and not isinstance(data, _LEAVES[kind]):
        raise TypeError
    return data
