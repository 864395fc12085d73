"""Times with units, as options take them."""

from __future__ import annotations

import re
from typing import Final

from thinpipe.cli.bad_request import BadRequestError

UNITS_S: Final = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0,
}  # fmt: skip


def seconds(option: str, text: str) -> float:
    """Return a time with a unit, in seconds.

    Raises
    ------
    BadRequestError
        If the text is not a time.
    """
    number = r"(\d+(?:\.\d*)?|\.\d+)"
    found = re.fullmatch(rf"\s*(-?){number}\s*([a-zµ]*)\s*", text, re.ASCII | re.IGNORECASE)
    if found is None or found[3] not in UNITS_S:
        units = ", ".join(list(UNITS_S)[:-1])
        raise BadRequestError(f"{option} {text}: must be a time in {units} or min, as in 10s")
    if found[1]:
        raise BadRequestError(f"{option} {text}: must not be negative")
    return float(found[2]) * UNITS_S[found[3]]
