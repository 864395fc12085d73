"""The facts of the paper, and its numbers by name."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from thinpipe.papers.facts import load

FACTS: Final = load(files(__package__) / "facts.toml", {})


def stated(name: str) -> float:
    """Return the paper's number of the fact called `name`.

    Raises
    ------
    KeyError
        If there is no such fact, or it has no number.
    """
    values = {fact.id: fact.value for fact in FACTS if fact.value is not None}
    return values[name]
