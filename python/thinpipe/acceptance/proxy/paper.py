"""The comparison as a whole: its items and the words of the report."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from thinpipe.acceptance.proxy import figures, tables
from thinpipe.acceptance.proxy.check import MEASURES
from thinpipe.acceptance.proxy.collect import collect
from thinpipe.acceptance.proxy.experiments import FIGURES, LOAD, UPLOADS
from thinpipe.papers.facts import load
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Paper
from thinpipe.testbed import missing

if TYPE_CHECKING:
    from thinpipe.point import Point


def _points(prefix: str) -> tuple[Point, ...]:
    return tuple(setup.point for name, setup in FIGURES.items() if name.startswith(prefix))


ITEMS: Final = (
    Item(
        "load",
        "Flows under load",
        (
            "gprs-live-40: 40 kbit/s down and 14 kbit/s up, 600 ms of round trip, 120 kB of queue. "
            "600 kB alone; the same beside a ping each second, which takes 1.7 % of the link; and "
            "three downloads, 300 kB at 0 s, 100 kB at 8 s and 10 kB at 16 s. The proxy's window "
            "is of 5500 B and counts by the byte; the fair queue is the radio's own.",
            "“Measured elsewhere” are yardsticks from the same link between kernels' ends.",
        ),
        tuple(setup.point for setup in LOAD.values()),
        Detail.RESULT,
        figures.load,
        tables.load,
    ),
    Item(
        "uploads",
        "Pings and a download beside an upload",
        (
            "A mobile uploads 200 kB over umts-384, 64 kbit/s up with a queue of 50 packets, and "
            "80 kB over gprs-live-40, 14 kbit/s up with 120 kB of queue, beside a ping each "
            "second; and the former beside a download of 100 kB that begins 5 s later. The proxy "
            "knows the uplink's rate. An upload ends when the mobile has the host's digest of it.",
        ),
        tuple(setup.point for setup in UPLOADS.values()),
        Detail.RESULT,
        figures.uploads,
        tables.uploads,
    ),
    Item(
        "figure-9",
        "Figure 9 of Chakravorty et al. 2003: short transfers",
        (
            "One after the other, from SYN to the last byte, with an initial window of two "
            "segments, as senders had then; with ten there is next to nothing left to gain. The "
            "proxy's window is 10 KB.",
        ),
        _points("short"),
        Detail.RESULT,
        figures.short_transfers,
        tables.short_transfers,
    ),
    Item(
        "figure-10",
        "Figure 10: fairness",
        ("235 KB take 60 s alone; 100 KB more begin 20 s later.",),
        _points("pair"),
        Detail.RESULT,
        figures.fairness,
        tables.fairness,
    ),
    Item(
        "figure-11",
        "Figure 11: queueing",
        ("600 KB with windows of the proxy from 7 to 32 KB and without the proxy.",),
        _points("window"),
        Detail.RESULT,
        figures.queues,
        tables.queues,
    ),
    Item(
        "figure-12",
        "Figure 12: recovery from a stall",
        (
            "600 KB over the paper's radio, gprs-3+1, through which nothing gets from 90 to 100 s "
            "of the link's clock, and in which nothing is lost.",
        ),
        _points("stall"),
        Detail.RESULT,
        figures.swift_recovery,
        tables.stall,
    ),
)

PAPER: Final = Paper(
    id="proxy",
    citation="The proxy on a real network, beside none and beside the simulator",
    text=(
        "The daemon runs between two kernels' ends, host and mobile, over the emulated link: "
        "figures to beat, and figures 9 to 12 of Chakravorty et al. 2003. Each run stands in "
        "network namespaces of its own, all side by side; each is then simulated from the very "
        "moment when its SYNs entered the link, with the same box, windows and segment sizes.",
        "Congestion control, initial window, MTU and offloads of the kernels are set and read "
        "back, flows are checked byte for byte, and the proxy's counters must show that it took "
        "part in each. Round-trip times are those of segments sent once over the radio, from a "
        "capture at the link's network side.",
        "The simulator's ends have the profile “modern” and repair by RACK. Acknowledgements are "
        "delayed by 200 ms, as the kernel's are once segments come further apart than that, but "
        "for short transfers, which it acknowledges at once; CUBIC leaves slow start at a loss, "
        "which comes nearer to what the kernel's HyStart does here than RFC 9406.",
    ),
    items=ITEMS,
    facts=load(files(__package__) / "facts.toml", {}),
    measures=MEASURES,
    collect=collect,
    missing=missing,
)
