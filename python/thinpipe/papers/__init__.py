"""Published papers, reproduced: facts as data, experiments, figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinpipe.papers.paper import Paper


def papers() -> dict[str, Paper]:
    """Return the papers that can be reproduced, by name."""
    from thinpipe.papers import hynderick2004, lo2005

    return {paper.id: paper for paper in (lo2005.PAPER, hynderick2004.PAPER)}
