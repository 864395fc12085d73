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


def percent(share: float | None, digits: int = 3) -> str:
    """Return a share as a percentage.

    >>> percent(0.9604), percent(None)
    ('96 %', '–')
    """
    return "–" if share is None else f"{short(100 * share, digits)} %"
