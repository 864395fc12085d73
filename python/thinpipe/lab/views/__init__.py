"""The kinds of panels: one file a view, one line each here, in the order of the page."""

from __future__ import annotations

from typing import Final

from thinpipe.lab.panel import PanelKind
from thinpipe.lab.views.applications import DATAGRAMS, ECHOES, LOSSES, PAGES, PROBES
from thinpipe.lab.views.blocks import BLOCKS_DOWN, BLOCKS_UP
from thinpipe.lab.views.cells import CODES, RRC, SHARED
from thinpipe.lab.views.energy import POWER
from thinpipe.lab.views.goodput import FAIRNESS, GOODPUT
from thinpipe.lab.views.ladder import LADDER
from thinpipe.lab.views.middlebox import BACKLOG, LEG, RATES, WAITS
from thinpipe.lab.views.places import PLACES
from thinpipe.lab.views.queueing import DELAY, QUEUE
from thinpipe.lab.views.round_trips import ROUND_TRIPS
from thinpipe.lab.views.sequence import SEQUENCE
from thinpipe.lab.views.snr import SNR
from thinpipe.lab.views.window import WINDOW

KINDS: Final[tuple[PanelKind, ...]] = (
    WINDOW,
    ROUND_TRIPS,
    QUEUE,
    DELAY,
    GOODPUT,
    FAIRNESS,
    DATAGRAMS,
    LOSSES,
    PAGES,
    ECHOES,
    PROBES,
    SEQUENCE,
    SNR,
    BLOCKS_DOWN,
    BLOCKS_UP,
    RRC,
    CODES,
    SHARED,
    POWER,
    BACKLOG,
    LEG,
    WAITS,
    RATES,
    LADDER,
    PLACES,
)
