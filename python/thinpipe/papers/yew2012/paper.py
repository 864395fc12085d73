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
    "TCP Vegas sends a file to a mobile that leaves its home, enters a domain of hierarchical "
    "Mobile IPv6 and walks from one access router to the next; with packet spacing Vegas sends "
    "its segments RTT / cwnd apart.",
    "The paper does not state positions, ranges, the wireless link, α and β, header bytes, and "
    "the number of runs. Its tables have columns of averages without saying over what. "
    "Neighbouring rows of Table IV differ three- to tenfold, as single runs do and means of many "
    "do not: we read them as averages over the time of one run. What can be computed from its "
    "numbers is checked to the printed digit; for the rest, claims are tested over seeds, and "
    "single numbers are compared with our medians, band by band.",
)

NOT_REPRODUCED: Final = (
    "Tables II to IV are in two bands, and each band needs a set-up of its own here: "
    "{table-II-* table-III-* table-IV-*} measured cells are more than a tenth off runs of their "
    "band (by-band). No set-up of ours gives both bands, as the lower one needs a "
    "slower WLAN than the upper one; the efficiencies, which the paper does not define, all "
    "differ; some rows of Tables II and III held another window than four segments; and the "
    "upper band's throughput falls with the RTT as equation 2 has it to the letter, and not as "
    "Vegas does. Which band a transfer is in depends on where it begins, whatever its RTT. Ours "
    "do not confirm what the paper concludes about packet spacing, 512 B and a buffer of 0.835 "
    "bandwidth-delay products, either; its own tables contradict most of it (see own-numbers)."
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
"""The paper with its facts and checks."""
