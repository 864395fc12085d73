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
        "GPRS is long and thin: 4 KB/s, a round trip of more than a second, and a queue of 120 KB "
        "that TCP fills. The paper puts a proxy between wire and radio. It splits each connection "
        "and sends all data for one mobile as one aggregate, with a window of the link's "
        "bandwidth-delay product.",
        "Its measurements are of a real network; its numbers are compared with the bands shown "
        "beside them, over ten seeds. Facts whose id contains “fifo” are of a plain queue with "
        "the same rates and delays: they are our own predictions or observations.",
    ),
    items=ITEMS,
    facts=FACTS,
    measures=MEASURES,
    wrong_models={**WRONG_MODELS, **WRONG_PROXIES},
    not_reproduced=(
        "The text available to us has no figures; ours are shown beside its sentences. Delays "
        "from the mobile end before the 1.3 s of figure 1. Figures 3 and 4 are of a radio slower "
        "than the paper's own 4.15 KB/s: at that rate 40 KB drain in 10 s, not 30 s, and a second "
        "transfer after 10 s has one timeout of its SYN, not two. ACKs come in groups of two and "
        "three, not of four; the bandwidth-delay product is 8 KB, and a quarter less in poor "
        "conditions; the window reaches 10 KB after 7.4 s, not 6; and a window of 32 KB has half "
        "the round-trip time of no proxy and does not approach it. The gain for short transfers "
        "to Linux 2.4 is 9 to 14 %, which we do not call significant. In a stall of 10 s that "
        "loses nothing the proxy retransmits two packets, not one, and recovers later than "
        "without a proxy. If packets are lost the proxy is faster, but with bursts of four the "
        "transfers end no sooner, and a split connection with equally small windows repairs as "
        "soon or sooner, as it does in an outage. Timeouts after bursts are fewer, not avoided. "
        "Of Table I, which has no thresholds, most marks agree and not all. Rules of the proxy "
        "are not the paper's: each probe is another packet (single_probe has the paper's rule), "
        "windows after a stall count from what is sent (restore_window), three segments may "
        "exceed the window after a stall, equations 1 and 2 count rates in fair shares, and the "
        "windows that hosts see alternate rather than settle."
    ),
)
"""The paper with its facts and checks."""
