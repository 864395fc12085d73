"""The facts of the paper, one file per part."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from thinpipe.papers.facts import load

PARTS: Final = ("link", "plain", "proxy", "beyond")

FACTS: Final = tuple(
    fact for part in PARTS for fact in load(files(__package__) / "facts" / f"{part}.toml", {})
)
