"""The facts of the thesis."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from thinpipe.papers.facts import load

FACTS: Final = load(files(__package__) / "facts.toml", {})
