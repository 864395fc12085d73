"""The common style of plots."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Final

COLORS: Final = {
    "vegas": "#D55E00",
    "reno": "#0072B2",
    "data": "#0072B2",
    "acknowledgement": "#009E73",
    "retransmission": "#D55E00",
    "timeout": "#CC79A7",
    "window": "#E69F00",
    "sack": "#CC79A7",
    "drop": "#000000",
    "instant": "#8A8A8A",
    "latest": "#D55E00",
    "mean": "#0072B2",
    "weighted": "#009E73",
    "paper": "#000000",
    "muted": "#8A8A8A",
}
"""Colours that are distinct with any colour vision (Okabe and Ito, 2008)."""

ALGORITHMS: Final = {
    "reno": COLORS["reno"],
    "vegas": COLORS["vegas"],
    "newreno": "#56B4E9",
    "sack": "#009E73",
    "cubic": "#CC79A7",
    "westwood": "#E69F00",
    "bbr": "#000000",
    "tahoe": "#8A8A8A",
    "fack": "#004949",
    "wtcp": "#924900",
    "dctcp": "#490092",
    "prague": "#006DDB",
    "copa": "#B66DFF",
}
"""The colour of an algorithm, by the word before ``+`` in a flow's variant."""

OTHER: Final = "#999933"
"""That of an algorithm that is not there, as of one in Python."""

_RC: Final[dict[Any, Any]] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "font.size": 10.0,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "savefig.dpi": 150,
    "svg.fonttype": "path",
    "svg.hashsalt": "thinpipe",
}


def style() -> AbstractContextManager[None]:
    """Return a context manager that applies this style to matplotlib."""
    import matplotlib as mpl

    return mpl.rc_context(_RC)
