"""Published papers, reproduced: facts as data, experiments, figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinpipe.papers.paper import Paper


def papers() -> dict[str, Paper]:
    """Return what can be reproduced, by name."""
    from thinpipe.acceptance import emulation, proxy
    from thinpipe.papers import chakravorty2003, hynderick2004, lo2005, yew2012

    known = (
        lo2005.PAPER,
        hynderick2004.PAPER,
        chakravorty2003.PAPER,
        yew2012.PAPER,
        emulation.PAPER,
        proxy.PAPER,
    )
    return {paper.id: paper for paper in known}
