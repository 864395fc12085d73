"""The paper as a whole."""

from __future__ import annotations

from typing import Final

from thinpipe.papers.paper import Paper
from thinpipe.papers.yew2012 import arithmetic, simulated, spacing, walk
from thinpipe.papers.yew2012.items import ARITHMETIC
from thinpipe.papers.yew2012.setup import SEEDS, Plan
from thinpipe.papers.yew2012.stated import FACTS
from thinpipe.papers.yew2012.wrong_models import WRONG_MODELS

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
    "how often anything was run. Its tables have columns of averages and do not say over what. "
    "Neighbouring rows of Table IV differ three- to tenfold, as single runs do and means of many "
    "do not: we read averages over the time of one run. What can be computed from its numbers is "
    "held to the printed digit; for the rest, claims are tested over seeds, and single numbers "
    "are judged against the medians of ours.",
)

NOT_REPRODUCED: Final = (
    "Tables II to IV are not reproduced: of their 66 measured cells four come out within a tenth, "
    "which chance would give. At RTTs of 100 to 150 ms the paper has 777 to 818 kbit/s, ours 68 to "
    "101 in the median. What makes the paper's two bands is by its own numbers a base RTT that "
    "stays behind after a move; with us the same happens to transfers that begin at home, whatever "
    "their RTT, and when the paper's transfers began it does not say. Nor do ours confirm what the "
    "paper concludes of packet spacing, of 512 B and of a buffer of 0.835 bandwidth-delay "
    "products; its own tables contradict most of it (see own-numbers)."
)


def over(seeds: int = SEEDS) -> Paper:
    """Return the paper with each of its runs over so many seeds, from 1 to 100."""
    plan = Plan(seeds)
    return Paper(
        id="yew2012",
        citation=CITATION,
        text=TEXT,
        items=(*ARITHMETIC, walk.ITEM, *simulated.items(plan), spacing.ITEM),
        facts=FACTS,
        measures={**arithmetic.MEASURES, **walk.MEASURES, **simulated.measures(plan)},
        wrong_models=WRONG_MODELS,
        not_reproduced=NOT_REPRODUCED,
    )


PAPER: Final = over()
"""What the paper states and how it is checked."""
