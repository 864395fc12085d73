"""Numbers as text."""

from __future__ import annotations

import math

NOTHING = 1e-9
"""Smaller values are rounding errors of zero."""


def short(value: float | None, digits: int = 3) -> str:
    """Return a number with `digits` significant digits, no trailing zeros; "–" for ``None``.

    >>> short(0.12), short(26123.4, 4), short(64.0), short(None)
    ('0.12', '26,120', '64', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < NOTHING:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{round(value, places):,.{max(places, 0)}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−")


def lifetime(seconds: float) -> str:
    """Return how long a battery lasts, in the largest unit of which it is one.

    >>> lifetime(3000), lifetime(31_000), lifetime(2.6e6), lifetime(1e9)
    ('50 min', '8.6 h', '30 days', '31.7 years')
    """
    units = (("years", 365.25 * 86400), ("days", 86400), ("h", 3600), ("min", 60))
    for unit, length_s in units:
        if seconds >= length_s:
            return f"{short(seconds / length_s)} {unit}"
    return f"{short(seconds)} s"


def percent(share: float | None, digits: int = 3) -> str:
    """Return a share as a percentage.

    >>> percent(0.9604), percent(None)
    ('96 %', '–')
    """
    return "–" if share is None else f"{short(100 * share, digits)} %"
