"""What a page asks for: a scenario, up to four variants of it, and what it wants to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

Settings = tuple[tuple[str, str], ...]

MOST_VARIANTS: Final = 4
MOST_SETTINGS: Final = 100
LONGEST_TEXT: Final = 10_000
"""Characters of a value: a schedule may be long."""
MOST_COLUMNS: Final = 4_000
MOST_BREAKS: Final = 20
LATEST_S: Final = 1e6
"""When a break may be."""
LARGEST: Final = 1e12
SHORTEST_S: Final = 1e-6
"""Of a part of the time: a shorter one has no two times in a column of pixels."""
MOST_NUMBER: Final = 1 << 53
"""Up to here a page counts without gaps."""
NO_NUMBER: Final = -1
"""Of an answer to a message whose number nobody knows."""


class RequestError(ValueError):
    """A page asks for something that there is not; the message is one line."""


@dataclass(frozen=True, slots=True)
class Break:
    """Something that goes wrong at a time; sizes that are not given are the usual ones."""

    name: str
    at_s: float
    sizes: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One state of a page.

    Attributes
    ----------
    settings
        Those that all variants have.
    variants
        Those of each variant; one without any is the scenario with `settings`.
    breaks
        What goes wrong in each variant, one after the other. Each is also run without any, and
        drawn as a ghost.
    before
        If given, what `settings` were before a break: each variant is also run with these, and
        drawn as a ghost.
    without
        Whether each variant that has a middlebox is also run without it, and drawn as a ghost.
    span
        The part of the run to look at, in seconds; all of it if ``None``.
    columns
        How many pixels wide a panel is: curves with more points become a band.
    panels
        Names of the panels that are open; the usual ones if ``None``.
    focus, flow
        The variant and the flow of panels that can show but one. Without a flow these show each
        group where groups differ, or else the first flow.
    coarse
        Whether a quick answer matters more than a complete one.
    """

    number: int
    scenario: str
    settings: Settings
    variants: tuple[Settings, ...]
    before: Settings | None
    without: bool
    span: tuple[float, float] | None
    columns: int
    panels: tuple[str, ...] | None
    focus: int
    flow: int | None
    coarse: bool
    breaks: tuple[Break, ...] = ()

    @classmethod
    def of(cls, sent: object) -> Request:
        """Read what a page sent.

        Raises
        ------
        RequestError
            If it is no request.
        """
        message = _object(sent)
        variants = _list(message, "variants", [{}])
        if not 1 <= len(variants) <= MOST_VARIANTS:
            raise RequestError(f"variants: must be 1 to {MOST_VARIANTS}, not {len(variants)}")
        before, panels = message.get("before"), message.get("panels")
        return cls(
            number=_whole(message, "number", 0, most=MOST_NUMBER),
            scenario=_text("scenario", message.get("scenario", "")),
            settings=_settings("set", message.get("set", {})),
            variants=tuple(_settings("variants", each) for each in variants),
            before=None if before is None else _settings("before", before),
            without=message.get("without") is True,
            span=_span(message),
            columns=_whole(message, "columns", 800, least=50, most=MOST_COLUMNS),
            panels=None
            if panels is None
            else tuple(_text("panels", name) for name in _list(message, "panels", [])),
            focus=_whole(message, "focus", 0, most=MOST_VARIANTS - 1),
            flow=None
            if message.get("flow") is None
            else _whole(message, "flow", 0, most=1_000_000),
            coarse=message.get("coarse") is True,
            breaks=_breaks(message),
        )


def number_of(message: object) -> int:
    """Return the number of a message, if it has one, whatever else it is."""
    try:
        return _whole(_object(message), "number", NO_NUMBER, most=MOST_NUMBER)
    except RequestError:
        return NO_NUMBER


def _object(message: object) -> Mapping[Any, Any]:
    if not isinstance(message, Mapping):
        raise RequestError("a request must be an object")
    return message


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise RequestError(f"{name}: must be a text of at most {LONGEST_TEXT:,} characters")
    return value


def _settings(name: str, value: object) -> Settings:
    if not isinstance(value, Mapping) or len(value) > MOST_SETTINGS:
        raise RequestError(f"{name}: must be an object of at most {MOST_SETTINGS} keys")
    return tuple((_text(name, key).strip(), _text(repr(key), text)) for key, text in value.items())


def _list(message: Mapping[Any, Any], name: str, default: list[Any]) -> list[Any]:
    value = message.get(name, default)
    if not isinstance(value, list) or len(value) > MOST_SETTINGS:
        raise RequestError(f"{name}: must be a list of at most {MOST_SETTINGS}")
    return value


def _whole(
    message: Mapping[Any, Any], name: str, default: int, *, least: int = 0, most: int
) -> int:
    value = message.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise RequestError(f"{name}: must be a whole number from {least} to {most}")
    return value


def _breaks(message: Mapping[Any, Any]) -> tuple[Break, ...]:
    breaks = _list(message, "breaks", [])
    if len(breaks) > MOST_BREAKS:
        raise RequestError(f"breaks: must be at most {MOST_BREAKS}, not {len(breaks)}")
    return tuple(_break(each) for each in breaks)


def _break(value: object) -> Break:
    if not isinstance(value, Mapping):
        raise RequestError("breaks: each must be an object")
    sizes = value.get("sizes", {})
    if not isinstance(sizes, Mapping) or len(sizes) > MOST_SETTINGS:
        raise RequestError("breaks: sizes must be an object of numbers")
    at_s = _number("breaks: at_s", value.get("at_s"))
    if not 0 <= at_s <= LATEST_S:
        raise RequestError(f"breaks: at_s must be from 0 to {LATEST_S:g}")
    given = [
        (_text("sizes", name), _number("breaks: a size", size)) for name, size in sizes.items()
    ]
    return Break(_text("breaks: name", value.get("name")), at_s, tuple(given))


def _number(name: str, value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and abs(value) <= LARGEST):  # type: ignore[arg-type]
        raise RequestError(f"{name} must be a number")
    return float(value)  # type: ignore[arg-type]


def _span(message: Mapping[Any, Any]) -> tuple[float, float] | None:
    value = message.get("span")
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - from and to
        raise RequestError("span: must be two times in seconds")
    start_s, end_s = (_number("span: each time", each) for each in value)
    if start_s < 0 or end_s - start_s < SHORTEST_S:
        raise RequestError(
            f"span: must begin at 0 or later, and be {SHORTEST_S * 1e6:g} µs or more"
        )
    return start_s, end_s
