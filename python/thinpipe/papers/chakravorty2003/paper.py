"""The paper as a whole."""

from __future__ import annotations

from typing import Final

from thinpipe.papers.chakravorty2003.items import ITEMS, MEASURES
from thinpipe.papers.chakravorty2003.stated import FACTS
from thinpipe.papers.chakravorty2003.wrong_models import WRONG_MODELS
from thinpipe.papers.paper import Paper

PAPER: Final = Paper(
    id="chakravorty2003",
    citation=(
        "R. Chakravorty, S. Katti, J. Crowcroft, I. Pratt: Flow Aggregation for Enhanced TCP over "
        "Wide-Area Wireless, IEEE INFOCOM 2003"
    ),
    text=(
        "GPRS is long and thin: 4 KB/s, more than a second of round trip, and 120 KB of queue that "
        "TCP fills. The paper puts a proxy between wire and radio that splits each connection and "
        "sends all that is for one mobile as one aggregate, with a window of the link's "
        "bandwidth-delay product.",
        "Its measurements are of a real network; its numbers are held to the bands that stand "
        "beside them, over ten seeds. Facts whose id has “fifo” in it are of a plain queue with "
        "the same rates and delays.",
    ),
    items=ITEMS,
    facts=FACTS,
    measures=MEASURES,
    wrong_models=WRONG_MODELS,
)
"""What the paper states and how it is checked."""
