"""The facts of chapter VI, one file per section."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from thinpipe.papers.facts import load

SECTIONS: Final = ("setup", "recovery", "queues", "rates", "blackouts", "advice")

FACTS: Final = tuple(
    fact
    for section in SECTIONS
    for fact in load(files(__package__) / "facts" / f"{section}.toml", {})
)
