"""Times with units, as options take them."""

from __future__ import annotations

import re

from thinpipe.cli.bad_request import BadRequestError
from thinpipe.suggestion import either
from thinpipe.units import SECONDS


def seconds(option: str, text: str) -> float:
    """Return a time with a unit, in seconds.

    Raises
    ------
    BadRequestError
        If the text is not a time.
    """
    number = r"(\d+(?:\.\d*)?|\.\d+)"
    found = re.fullmatch(rf"\s*(-?){number}\s*([a-zµ]*)\s*", text, re.ASCII | re.IGNORECASE)
    if found is None or found[3] not in SECONDS:
        raise BadRequestError(f"{option} {text}: must be a time in {either([*SECONDS])}, as in 10s")
    if found[1]:
        raise BadRequestError(f"{option} {text}: must not be negative")
    return float(found[2]) * SECONDS[found[3]]
