"""What the page offers to set a key with: a slider, a choice or a field."""

from __future__ import annotations

import math
from typing import Any, Final

from thinpipe.scenario import Key

SPREAD: Final = 16.0
"""A slider reaches from this part of the scenario's value to that multiple of it."""

USUAL: Final = {
    "duration": (0.001, 10.0),
    "rate": (8e3, 10e6),
    "size": (100.0, 1e6),
    "whole": (1.0, 1000.0),
    "number": (0.0, 10.0),
    "probability": (0.0, 0.3),
}
"""Where the sliders of a kind reach if the scenario has no number above zero, in base units."""

MUST_BE_GIVEN: Final = "missing"
"""The word of a key without a default: no value."""

NARROW: Final = 100.0
"""A range that ends at no more than this multiple of its beginning is offered whole."""


def control(key: Key, number: float | None) -> dict[str, Any]:
    """Return the control of a key whose value in the scenario is `number`, if it is one.

    A slider (`range`) goes from `from` to `to` in the base unit, `log`arithmically where it spans
    much.
    """
    takes = key.takes
    words = [word for word in takes.words if word != MUST_BE_GIVEN]
    common = {"key": key.name, "doc": key.doc, "expected": key.expected, "words": words}
    if takes.kind in ("choice", "flag"):
        return {**common, "kind": "choice"}
    if takes.kind not in USUAL:
        return {**common, "kind": "text"}
    least = -math.inf if takes.minimum is None else takes.minimum
    most = math.inf if takes.maximum is None else takes.maximum
    start, end, log = _reach(takes.kind, number, least, most)
    return {
        **common,
        "kind": "range",
        "from": start,
        "to": end,
        "log": log,
        "whole": takes.kind in ("whole", "size"),
        "unit": takes.unit or ("%" if takes.kind == "probability" else ""),
        "value": number,
    }


def _reach(kind: str, number: float | None, least: float, most: float) -> tuple[float, float, bool]:
    """Return where a slider begins and ends, and whether its steps are ratios."""
    if kind == "probability":
        return max(least, 0.0), min(max(0.3, 2 * (number or 0.0)), most, 0.99), False
    near_zero = least >= -NARROW if most <= 0 else least <= 0 and most <= NARROW
    if math.isfinite(most) and (0 < most <= NARROW * least or near_zero):
        return least, most, False
    start, end = USUAL[kind]
    if number is not None and number > 0:
        start, end = number / SPREAD, number * SPREAD
        if kind == "whole":
            start, end = max(1.0, math.floor(start)), max(SPREAD, end)
    start, end = max(start, least), min(end, most)
    return start, end, start > 0
