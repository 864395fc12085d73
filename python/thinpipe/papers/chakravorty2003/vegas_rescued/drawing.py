"""Throughput against block error rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.drawing import how, panels, styled
from thinpipe.papers.chakravorty2003.vegas_rescued.study import WAYS, throughput
from thinpipe.papers.lo2005.experiments import TBLERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes

ASIDE: Final = 0.3
"""Offset between curves in per cent, so that equal ones are visible."""

DASHES: Final = ("--", "-")


@styled
def rescued(outcomes: Outcomes) -> Figure:
    """Throughput of Vegas by middlebox, compared with plain Vegas and Reno."""
    figure, (ax,) = panels(1, 1, 8.0, 4.8)
    for number, way in enumerate(WAYS):
        curve = [throughput(outcomes, way, tbler) for tbler in TBLERS]
        plain = way in ("Reno", "Vegas")
        aside = [tbler + ASIDE * (number - len(WAYS) // 2) for tbler in TBLERS]
        look = how(number, linewidth=2) if plain else how(number, linestyle=DASHES[number % 2])
        ax.plot(aside, curve, label=way, **look)
    ax.set(xlabel="Transport block error rate (%)", ylabel="Throughput (% of 384 kbit/s)")
    ax.set_ylim(0, 105)
    figure.legend(loc="outside lower center", ncols=2)
    return figure
