"""The comparison as a whole: its items and the words of the report."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import Final

from thinpipe.acceptance.emulation.check import MEASURES
from thinpipe.acceptance.emulation.collect import missing, simulated, task
from thinpipe.acceptance.emulation.experiments import SETUPS
from thinpipe.acceptance.emulation.figures import overlay
from thinpipe.acceptance.emulation.tables import table
from thinpipe.papers.facts import load
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Live, Paper
from thinpipe.papers.wrong import given

TITLES: Final = {
    "umts-384": "UMTS, 384 kbit/s, without block errors",
    "umts-384-lossy": "UMTS, 384 kbit/s, 10 % of blocks in error",
    "gprs-live-40": "GPRS, 40 kbit/s, receive window of 16 KB",
    "leo-calm": "A satellite in a low orbit, 10 Mbit/s, another each second",
    "lte-cat1": "LTE, category 1, a tenth of the blocks repeated",
    "lte-cat4": "LTE, category 4, a tenth of the blocks repeated",
    "nb-iot": "NB-IoT, coverage level 0",
    "trace": "A link whose rate varies",
    "short-queue": "1 Mbit/s with a queue of 20 packets, which overflows",
    "one-in-500": "4 Mbit/s, one packet of 500 lost at random",
    "one-in-100": "4 Mbit/s, one packet of 100 lost at random",
}

LOST: Final = (
    "A round trip of 80 ms and a queue of 40 packets. Both lose the same packets, counted as they "
    "arrive at the link; six seeds, of which the figure shows the first."
)

TEXTS: Final = {
    "short-queue": (
        "Here the queue is the limit, not the receive window: the kernel advertises a smaller "
        "window while segments wait for a missing one, the simulator always the same.",
    ),
    "one-in-500": (LOST,),
    "one-in-100": (LOST,),
}

CAPTION: Final = (
    "The same transfer, simulated (blue) and emulated with the kernel's TCP (orange): where they "
    "agree, marks and lines cover each other."
)

ITEMS: Final = tuple(
    Item(
        name,
        TITLES[name],
        TEXTS.get(name, ()),
        setup.points,
        Detail.RESULT,
        partial(overlay, setup=setup),
        partial(table, setup=setup),
        caption=CAPTION,
    )
    for name, setup in SETUPS.items()
)

WRONG_MODELS: Final = {
    "acknowledgements": given(
        "Reno counts acknowledgements, of which there is one for two segments, and not bytes.",
        ("tcp.growth", "acknowledgements"),
    ),
    "no Reno region": given(
        "CUBIC follows its curve alone, also where Reno would be faster (RFC 9438 §4.3).",
        ("tcp.cubic.reno_friendly", "false"),
    ),
}

PAPER: Final = Paper(
    id="emulation",
    citation="The simulator compared with the emulator: the same transfers with the kernel's TCP",
    text=(
        "Each transfer runs between two of the kernel's endpoints through the emulator, and then "
        "in the simulator, with its SYN at exactly the time when the kernel's entered: the "
        "radio's errors, the phase of its TTIs and that of a trace are functions of time, so both "
        "meet the same. Congestion control, segment size and receive window are the same on both "
        "sides and checked; the simulator's endpoint has the profile “modern” and recovers with "
        "RACK, as the kernel does.",
        "Throughput is payload divided by the time from the SYN to the last ACK. Round-trip times "
        "are those of segments sent once, at the sender, by the same rule from a capture and from "
        "the simulation's trace.",
    ),
    items=ITEMS,
    facts=load(files(__package__) / "facts.toml", {}),
    measures=MEASURES,
    wrong_models=WRONG_MODELS,
    live=Live(task, simulated, missing),
)
