"""What the arguments of the API may be, by their names, and the line about any that is not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Final

MOST_MTU: Final = 65535
"""The longest packet of IPv4, in bytes (RFC 791)."""
MOST_SNAP: Final = MOST_MTU + 14
"""The longest frame of a capture, in bytes: such a packet behind an Ethernet header."""

LONGEST: Final = 60
"""Maximum length of a value in a message; of longer ones it has the type."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What an argument must be: in words, and as a test of a value."""

    words: str
    holds: Callable[[object], bool]

    def or_none(self) -> Expected:
        """Return the same for an argument that need not be given."""
        return Expected(f"{self.words}, or None", lambda value: value is None or self.holds(value))


def check(**given: object) -> None:
    """Check the types of arguments, by their names in `EXPECTED`.

    Raises
    ------
    TypeError
        If one is of another type; the message names it, what it is, and what would be valid.
    """
    for name, value in given.items():
        expected = EXPECTED[name]
        if not expected.holds(value):
            argument = ARGUMENTS.get(name, name)
            raise TypeError(f"{argument}: must be {expected.words}, not {shown(value)}")


def check_snap(snap: int | None, missing: str | None) -> None:
    """Check the range of a snap length, and that what has captures is not `missing`.

    Raises
    ------
    ValueError
        If it is out of range, or there will be no captures.
    """
    if snap is None:
        return
    if not 1 <= snap <= MOST_SNAP:
        raise ValueError(f"snap: must be from 1 to {MOST_SNAP}, not {snap}")
    if missing:
        raise ValueError(f"snap: cuts the packets of captures, and {missing}")


def is_utf8(text: str) -> bool:
    """Return whether a text from the system was UTF-8; Python keeps other bytes as surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(value: object) -> str:
    """Return a value in a few words of one line."""
    text = repr(value)
    if len(text) <= LONGEST and text.isprintable():
        return text
    kind = type(value)
    return f"a value of type {kind.__module__.partition('.')[0]}.{kind.__qualname__}"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike) and isinstance(os.fspath(value), str)


def _has_text_keys(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and (_has_text_keys(each) or not isinstance(each, Mapping))
        for key, each in value.items()
    )


def _are_pairs(value: object) -> bool:
    """Return whether it has keys and values; what an iterator yields is not looked at."""
    if isinstance(value, Mapping):
        return all(map(_is_text, value))
    if not isinstance(value, Sequence):
        return isinstance(value, Iterable)
    return not isinstance(value, str) and all(map(_is_pair, value))


def _is_pair(value: object) -> bool:
    match value:
        case (str(), _):
            return True
    return False


def _are_many(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _are_texts(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(map(_is_text, value))


def _are_flows(value: object) -> bool:
    many = isinstance(value, Sequence) and not isinstance(value, str) and all(map(_is_whole, value))
    return many or _is_whole(value) or value == "all"


def _are_delays(value: object) -> bool:
    return isinstance(value, Sequence) and all(each is None or _is_number(each) for each in value)


def _is_point(value: object) -> bool:
    return hasattr(value, "scenario") and hasattr(value, "settings")


def _is_frame(value: object) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(value, polars.DataFrame)


def _are_axes(value: object) -> bool:
    return hasattr(value, "inset_axes") and hasattr(value, "get_children")


_TEXT: Final = Expected("text", _is_text)
_WHOLE: Final = Expected("a whole number", _is_whole)
_SECONDS: Final = Expected("a number of seconds", _is_number)
_PATH: Final = Expected("a path", _is_path)
_KEYS: Final = Expected("a list of names, such as ['tcp.variant']", _are_texts)
_KEY: Final = Expected("a name", _is_text)
_TABLES: Final = Expected(
    "a mapping with keys of text, such as {'link': {'rate': '2 Mbit/s'}}", _has_text_keys
)

EXPECTED: Final = {
    "at_s": _SECONDS.or_none(),
    "ax": Expected("axes of matplotlib", _are_axes).or_none(),
    "by": _KEYS.or_none(),
    "cell": _WHOLE,
    "constants": _TABLES,
    "delays_s": Expected("a list of seconds, with None for what was lost", _are_delays),
    "directory": _PATH,
    "end_s": _SECONDS.or_none(),
    "flow": _WHOLE,
    "flows": Expected("a number from 0, a list of them or 'all'", _are_flows),
    "frame": Expected("a polars DataFrame, such as thinpipe.sweep returns", _is_frame),
    "group": _TEXT,
    "interval_s": _SECONDS,
    "jobs": _WHOLE.or_none(),
    "json": Expected("text in JSON", lambda value: isinstance(value, str | bytes)),
    "label": _TEXT.or_none(),
    "link": _TEXT.or_none(),
    "log": _PATH.or_none(),
    "metrics": Expected("a list of metrics, such as ['goodput_bps']", _are_texts),
    "mobile": _WHOLE,
    "modulo": _WHOLE,
    "mtu": _WHOLE,
    "out": _PATH.or_none(),
    "panels": Expected("a list of names, such as ['cwnd', 'rtt']", _are_texts).or_none(),
    "pcap": _PATH.or_none(),
    "point": Expected("a point, as of thinpipe.Point.of", _is_point),
    "points": Expected("a list of points or scenarios", _are_many),
    "profile": _TEXT.or_none(),
    "progress": Expected("a function of two numbers", callable).or_none(),
    "runs": Expected("a list of runs, or of directories where they were saved", _are_many),
    "run": Expected("runs, or directories where they were saved", _is_path),
    "scenario": Expected(
        "the name of a scenario, the path of a file, nested dicts or a Scenario", _is_path
    ),
    "seeds": Expected(
        "a list of whole numbers or text, such as range(1, 11) or '1..10'",
        lambda value: _is_text(value) or _are_many(value),
    ).or_none(),
    "scheduler": Expected("an address, such as 'tcp://HOST:8786'", _is_text).or_none(),
    "settings": Expected(
        "a mapping with keys of text, such as {'radio.tbler': '5 %'}", _has_text_keys
    ),
    "server": Expected(
        "a command, as text or as a list of words",
        lambda value: _is_text(value) or _are_texts(value),
    ).or_none(),
    "snap": _WHOLE.or_none(),
    "source": _PATH,
    "start_s": _SECONDS,
    "tables": Expected(f"{_TABLES.words} (a name or a path is for thinpipe.run)", _has_text_keys),
    "target": _PATH,
    "text": _TEXT,
    "name": _TEXT,
    "threads": _WHOLE.or_none(),
    "trace": Expected("True, False or 'ns2'", lambda value: isinstance(value, bool | str)),
    "vary": Expected(
        "a mapping of keys to lists of values, such as {'tcp.window': [2, 4]}", _are_pairs
    ),
    "width_s": _SECONDS,
    "word": _TEXT.or_none(),
    "x": _KEY.or_none(),
    "y": _KEY,
}
"""By argument, or by a name of `ARGUMENTS`."""

ARGUMENTS: Final = {"flows": "flow", "json": "text", "run": "runs", "text": "source"}
"""Names of arguments that several functions have, with different meanings."""
