"""All facts of the study: what others measured, and what we expected."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from thinpipe.papers.facts import load

FACTS: Final = tuple(
    fact
    for name in ("stated.toml", "narayanan2021.toml", "hypotheses.toml", "all_traffic.toml")
    for fact in load(files(__package__) / name, {})
)
