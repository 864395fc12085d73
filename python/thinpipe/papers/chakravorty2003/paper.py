"""The paper as a whole."""

from __future__ import annotations

from typing import Final

from thinpipe.papers.chakravorty2003.items import ITEMS, MEASURES
from thinpipe.papers.chakravorty2003.stated import FACTS
from thinpipe.papers.chakravorty2003.wrong_models import WRONG_MODELS
from thinpipe.papers.chakravorty2003.wrong_proxies import WRONG_PROXIES
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
        "the same rates and delays: they are our own predictions or observations.",
    ),
    items=ITEMS,
    facts=FACTS,
    measures=MEASURES,
    wrong_models={**WRONG_MODELS, **WRONG_PROXIES},
    not_reproduced=(
        "Its figures are lost from the text at hand; ours stand beside its sentences. Figure "
        "1's tail is not there: delays towards the mobile end at 1.4 s and not at 3 s, and what "
        "lengthens them, but a slow set-up of their flows alone, takes the uplink beyond its "
        "1.3 s as well. The first packet of a burst waits 0.34 s longer, not 0.1 to 0.2 s. "
        "Figures 3 and 4 are of a radio slower than the paper's own 4.15 KB/s: at that rate 40 "
        "KB drain in 10 s, not 30 s, and a second transfer after 10 s has one timeout of its "
        "SYN, not two. Acknowledgements come in groups of two and three, not of four; the "
        "bandwidth-delay product is 8 KB, and a quarter less in poor conditions; the window has "
        "10 KB after 7.4 s, not 6; and a window of 32 KB has half the round-trip time of no "
        "proxy and does not approach it. The gain for short transfers to Linux 2.4 is 9 to 14 "
        "%, which we do not call significant. In a stall of 10 s that loses nothing the proxy "
        "sends two packets again, not one, and recovers later than no proxy; where packets are "
        "lost it is the quicker one, but with bursts of four the transfers end no sooner, and a "
        "split connection with windows as small repairs as soon or sooner, as it does in an "
        "outage. Timeouts after bursts are fewer, not avoided. Of Table I, which has no "
        "thresholds, 59 of 72 marks agree with ours. Four rules of the proxy are not the "
        "paper's: each probe is another packet, three segments may go beyond the window after a "
        "stall, equations 1 and 2 count rates in fair shares, and the windows that hosts see "
        "alternate rather than settle."
    ),
)
"""What the paper states and how it is checked."""
