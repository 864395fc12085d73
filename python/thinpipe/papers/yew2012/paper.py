"""The paper as a whole."""

from __future__ import annotations

from typing import Final

from thinpipe.papers.paper import Paper
from thinpipe.papers.yew2012 import arithmetic, simulated, spacing
from thinpipe.papers.yew2012.items import ARITHMETIC
from thinpipe.papers.yew2012.setup import SEEDS, Plan
from thinpipe.papers.yew2012.stated import FACTS

CITATION: Final = (
    "B. S. Yew, B. L. Ong, R. B. Ahmad: Optimizing TCP Vegas' Performance with Packet Spacing "
    "and Effect of Variable FTP Packet Size over Wireless IPv6 Network, World Academy of "
    "Science, Engineering and Technology 6 (2), 2012"
)

TEXT: Final = (
    "A file goes by TCP Vegas to a mobile that leaves its home, enters a domain of "
    "hierarchical Mobile IPv6 and walks from one access router to the next; with packet "
    "spacing Vegas sends its segments RTT / cwnd apart.",
    "The set-up leaves much open: positions, ranges, the wireless link, α and β, header bytes, "
    "how often anything was run. Its tables look like single runs. What can be computed from "
    "its numbers is held to the printed digit; for the rest, claims are tested over seeds, and "
    "single numbers are placed among ours without a verdict.",
)


def over(seeds: int = SEEDS) -> Paper:
    """Return the paper with each of its runs over so many seeds, from 1 to 100."""
    plan = Plan(seeds)
    return Paper(
        id="yew2012",
        citation=CITATION,
        text=TEXT,
        items=(*ARITHMETIC, *simulated.items(plan), spacing.ITEM),
        facts=FACTS,
        measures={**arithmetic.MEASURES, **simulated.measures(plan)},
    )


PAPER: Final = over()
"""What the paper states and how it is checked."""
