"""Which names are valid, in words: the end of an error about one that is not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggestion(
    given: str, valid: Iterable[str], otherwise: str = "", *, likeness: float = 0.6
) -> str:
    """Return a question for the nearest valid name, or else which names are valid or who says so.

    Parameters
    ----------
    given
        The name that is not valid.
    valid
        The names that are.
    otherwise
        What to say if none is near.
    likeness
        From 0 to 1: how much of a name must agree for it to be near, as `difflib` counts.

    Examples
    --------
    >>> suggestion("renno", ["reno", "vegas"], "see the list")
    '; did you mean reno?'
    >>> suggestion("qqq", ["reno", "vegas"], "see the list")
    '; see the list'
    """
    near = difflib.get_close_matches(given, list(valid), n=1, cutoff=likeness)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; {otherwise}" if otherwise else ""


def either(names: list[str] | tuple[str, ...]) -> str:
    """Return names as a choice: ``a, b or c``."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if names[:-1] else names)
