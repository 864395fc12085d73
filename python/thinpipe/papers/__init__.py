"""Published papers, reproduced: facts as data, experiments, figures.

A paper is a `Paper` that an installed distribution registers as an entry point of the group
``thinpipe.papers`` (docs/add/paper.md). Ours are registered in the same way, and so are the
comparisons of emulator and proxy with the simulator (`thinpipe.acceptance`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinpipe.papers.paper import Paper


def papers() -> dict[str, Paper]:
    """Return all registered papers, by id.

    Raises
    ------
    PaperError
        If one of them cannot be loaded.
    """
    from thinpipe.papers.registry import registrations

    return {each.id: each.load() for each in registrations()}
