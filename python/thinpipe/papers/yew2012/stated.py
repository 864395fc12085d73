"""The facts of the paper, one file per part."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any, Final

from thinpipe.papers.facts import load
from thinpipe.papers.yew2012 import cells

PARTS: Final[dict[str, Iterable[dict[str, Any]]]] = {
    "arithmetic": (),
    "own_numbers": (),
    "claims": cells.entries(),
}
"""Each file, and what facts there are beside it."""

FACTS: Final = tuple(
    fact
    for part, more in PARTS.items()
    for fact in load(files(__package__) / "facts" / f"{part}.toml", {}, more)
)
