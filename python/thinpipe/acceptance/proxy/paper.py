"""The comparison as a whole: its items and the words of the report."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from thinpipe.acceptance.proxy import check, figures, mixed, tables
from thinpipe.acceptance.proxy.collect import simulated, task
from thinpipe.acceptance.proxy.experiments import (
    BESIDE,
    FIGURES,
    LOAD,
    MIX,
    MIXED,
    MIXES,
    UPLOADS,
)
from thinpipe.papers.facts import load
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Live, Paper
from thinpipe.testbed import missing, quic, vpn

if TYPE_CHECKING:
    from thinpipe.point import Point


def _points(prefix: str) -> tuple[Point, ...]:
    return tuple(setup.point for name, setup in FIGURES.items() if name.startswith(prefix))


def _beside(link: str) -> Item:
    mixed = MIXED[link]
    return Item(
        f"quic-{link}",
        f"TCP beside QUIC over {link}",
        (
            f"{mixed.bytes // 1000} kB by TCP, kernel to kernel, beside one endless download by "
            f"QUIC (aioquic, in user space) that begins {mixed.lead_s:g} s earlier, with QUIC's "
            f"Reno and its CUBIC, and a ping each {mixed.ping_s:g} s: without a proxy; with one "
            'that QUIC and pings pass around (`others = "around"`), its window for TCP fixed; '
            'and with one that schedules them (`others = "scheduled"`). In the simulator QUIC '
            "is a TCP flow that the box cannot read.",
            "“TCP's share” is of what the mobile got of both while TCP was connected. Pings are "
            "those that were answered while TCP was under way.",
        ),
        tuple(each.point for name, each in BESIDE.items() if name.startswith(f"beside-{link}")),
        Detail.RESULT,
        figures.quic(link),
        partial(tables.quic, link),
        caption=(
            "Above, the rates of TCP (blue) and QUIC (orange) at the mobile. Below, pings "
            "meanwhile (green), and with TCP alone behind the proxy (grey). Dashed where QUIC "
            "has CUBIC."
        ),
    )


def _mix(link: str) -> Item:
    run, what = MIXES[link]
    picture = "" if what.video is None else ", and video whose sender adapts to loss and delay"
    return Item(
        f"mix-{link}",
        f"TCP beside a call, a VPN and DNS over {link}",
        (
            f"{run.bytes // 1000} kB by TCP, kernel to kernel, beside all of this at once: a call "
            f"(voice in {what.codec}, a packet each {what.interval_ms} ms{picture}), an endless "
            "download by TCP within WireGuard, and a question of DNS each second; and a ping each "
            f"{run.ping_s:g} s. Without a proxy; with one that they pass around; with one that "
            "schedules them; and with one whose classes let call and DNS go first.",
            "“TCP's share” is of what it and the VPN's download got while TCP was connected. "
            "Voice, video, pings and questions are those sent meanwhile. Delays are one way, on "
            "the one clock of the machine; the call is rated by the E-model (ITU-T G.107), and "
            "voice is late after 0.4 s (G.114). In the simulator the "
            "VPN is a TCP flow that the box cannot read, video has the mean rate that it had "
            "between kernels, and there is no DNS.",
        ),
        tuple(each.point for name, each in MIX.items() if name.startswith(f"mix-{link}")),
        Detail.RESULT,
        figures.mix(link),
        partial(tables.mix, link),
        caption=(
            "Above, rates at the mobile. Below, on a logarithmic scale, what each packet of voice "
            "took, and pings and answers to DNS."
        ),
    )


ITEMS: Final = (
    Item(
        "load",
        "Flows under load",
        (
            "gprs-live-40: 40 kbit/s down and 14 kbit/s up, a round trip of 600 ms, a queue of "
            "120 kB. 600 kB alone; the same with a ping each second, which takes 1.7 % of the "
            "link; and three downloads, 300 kB at 0 s, 100 kB at 8 s and 10 kB at 16 s. The "
            "proxy's window is 5500 B and counts bytes; the fair queue is the radio's own.",
            "“Measured elsewhere” are reference values from the same link between kernels.",
        ),
        tuple(setup.point for setup in LOAD.values()),
        Detail.RESULT,
        figures.load,
        tables.load,
        caption=(
            "Above, pings beside a download: without the proxy they wait in the queue, behind "
            "CUBIC most; with it, or with a fair queue, about a second. Below, three downloads "
            "that compete."
        ),
    ),
    Item(
        "uploads",
        "Pings and a download during an upload",
        (
            "A mobile uploads 200 kB over umts-384, 64 kbit/s up with a queue of 50 packets, and "
            "80 kB over gprs-live-40, 14 kbit/s up with a queue of 120 kB, each with a ping every "
            "second; and the former with a download of 100 kB that begins 5 s later. The proxy "
            "knows the uplink's rate. An upload ends when the mobile has the host's digest of it.",
        ),
        tuple(setup.point for setup in UPLOADS.values()),
        Detail.RESULT,
        figures.uploads,
        tables.uploads,
        caption=(
            "Pings during an upload (left, middle) and a download during one (right): with the "
            "proxy (blue) they do not wait for the upload's queue."
        ),
    ),
    *map(_beside, MIXED),
    *map(_mix, MIXES),
    Item(
        "figure-9",
        "Figure 9 of Chakravorty et al. 2003: short transfers",
        (
            "One after the other, from SYN to the last byte, with an initial window of two "
            "segments, as senders had at that time; with ten there is almost nothing left to "
            "gain. The proxy's window is 10 KB.",
        ),
        _points("short"),
        Detail.RESULT,
        figures.short_transfers,
        tables.short_transfers,
        caption=(
            "With the proxy (blue) transfers of every size take less time. Lines are the test "
            "bed, crosses the simulation."
        ),
    ),
    Item(
        "figure-10",
        "Figure 10: fairness",
        ("235 KB take 60 s alone; 100 KB more begin 20 s later.",),
        _points("pair"),
        Detail.RESULT,
        figures.fairness,
        tables.fairness,
        caption=(
            "Without the proxy the second flow waits until the first has nearly ended; with it "
            "both share the link at once. Solid lines are the test bed, dashed ones the "
            "simulation."
        ),
    ),
    Item(
        "figure-11",
        "Figure 11: queueing",
        ("600 KB with windows of the proxy from 7 to 32 KB and without the proxy.",),
        _points("window"),
        Detail.RESULT,
        figures.queues,
        tables.queues,
        caption=(
            "The transfer takes the same time with all windows of the proxy but the smallest (a), "
            "and round trips grow with the window (b, c)."
        ),
    ),
    Item(
        "figure-12",
        "Figure 12: recovery from a stall",
        (
            "600 KB over the paper's radio, gprs-3+1. Nothing gets through it from 90 to 100 s of "
            "the link's clock, and nothing is lost.",
        ),
        _points("stall"),
        Detail.RESULT,
        figures.swift_recovery,
        tables.stall,
        caption=(
            "A stall (grey area): after it round-trip times with the proxy (blue) are soon as "
            "short as before, without it (orange) they stay long. Dashed lines are the "
            "simulation."
        ),
    ),
)

PAPER: Final = Paper(
    id="proxy",
    citation="The proxy on a real network, compared with none and with the simulator",
    text=(
        "The daemon runs between two kernels, host and mobile, over the emulated link: reference "
        "values to beat, and figures 9 to 12 of Chakravorty et al. 2003. Each run has network "
        "namespaces of its own, and all run in parallel. Each run is then simulated with its SYNs "
        "at exactly the times when they entered the link, with the same middlebox, windows and "
        "segment sizes.",
        "Congestion control, initial window, MTU and offloads of the kernels are set and read "
        "back, flows are checked byte for byte, and the proxy's counters must show that it "
        "handled each. Round-trip times are those of segments sent once over the radio, from a "
        "capture at the link's network side.",
        "The simulator's ends have the profile “modern” and recover with RACK. ACKs are delayed "
        "by 200 ms, as the kernel's are once segments arrive at longer intervals than that; those "
        "of short transfers are not, because the kernel acknowledges them at once. CUBIC leaves "
        "slow start at a loss, which is closer to the behaviour of the kernel's HyStart here than "
        "RFC 9406.",
    ),
    items=ITEMS,
    facts=tuple(
        fact for name in ("facts.toml", "mix.toml") for fact in load(files(__package__) / name, {})
    ),
    measures={**check.MEASURES, **mixed.MEASURES},
    live=Live(task, simulated, lambda: missing() or quic.missing() or vpn.missing()),
)
