"""The base of typed records, which are read from JSON by the types of their fields."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from typing import Any, Self, get_args, get_origin, get_type_hints


class Record:
    """Base of frozen dataclasses with the fields of a JSON object."""

    __slots__ = ()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the output of ``--json`` or ``--record``.

        Raises
        ------
        KeyError
            If a field is missing.
        json.JSONDecodeError
            If it is not JSON.
        """
        record: Self = _value(json.loads(text), cls)
        return record


@cache
def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(data: Any, kind: Any) -> Any:  # noqa: ANN401 - what JSON holds may be anything
    """Return JSON data as a value of the type `kind`."""
    if data is None and not dataclasses.is_dataclass(kind):
        return None
    if dataclasses.is_dataclass(kind):
        fields = _fields(kind)  # type: ignore[arg-type]
        values = {name: _value(data[name], of) for name, of in fields.items()}
        return kind(**values)  # type: ignore[operator]
    arguments = get_args(kind)
    if get_origin(kind) is tuple:
        return tuple(_value(each, arguments[0]) for each in data)
    if type(None) in arguments:
        [other] = (each for each in arguments if each is not type(None))
        return _value(data, other)
    return data
