"""The measurements as tables."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.acceptance.proxy import mixed
from thinpipe.acceptance.proxy.check import (
    BY_WINDOW,
    beside,
    connect_s,
    last_s,
    mean_rtt_s,
    of,
    ping_s,
    recovered_s,
    resent,
    share,
    shares,
)
from thinpipe.acceptance.proxy.experiments import (
    BOXES,
    CONTROLS,
    MIXED,
    MIXES,
    OTHERS,
    SENDERS,
    SIZES,
    TREATED,
    UPLOADED,
    WEIGHTED,
    WINDOWS,
)
from thinpipe.papers.paper import Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.acceptance.proxy.check import Value
    from thinpipe.acceptance.proxy.collect import Compared
    from thinpipe.papers.paper import Outcomes

NAMES: Final = {"plain": "without proxy", "proxy": "with proxy"}

MEASURED_ELSEWHERE: Final = (
    ("no proxy, cubic, measured elsewhere", "–", "127.4", "20.4", "8.1 / 78.7", "51"),
    ("PEPsal 2.0.2, cubic, measured elsewhere", "–", "127.6", "20.4", "8.3 / 78.9", "41"),
    ("no proxy, BBR, measured elsewhere", "–", "127.4", "2.7", "5.1 / 57", "30"),
    ("PEPsal 2.0.2, BBR, measured elsewhere", "–", "127.6", "2.8", "5.3 / 60", "21"),
    ("to beat", "≤ 128", "–", "≤ 0.95", "≤ 1.2 / 47", "≤ 7.1"),
)
"""Reference values, on the same link between kernels."""


def load(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate flows under load."""
    head = (
        "",
        "600 kB alone s",
        "600 kB with pings s",
        "ping s, mean",
        "f2 100 kB: connect / total s",
        "f3 10 kB: total s",
        "f1 300 kB: total s",
    )
    rows = [_load(outcomes, who.name, sender) for sender, who in SENDERS.items()]
    tickets = f"{WEIGHTED[1].tickets} tickets for f2 and f3"
    rows.append(
        (
            f"thinpipe proxy, {tickets}",
            *("–",) * 3,
            *_three(of(outcomes, "three-weighted")),
        )
    )
    rows += [(*row, "–") for row in MEASURED_ELSEWHERE]
    return (Table("Flows under load, between kernels' ends", head, tuple(rows)),)


def _load(outcomes: Outcomes, name: str, sender: str) -> tuple[str, ...]:
    pinged = of(outcomes, f"pinged-{sender}")
    return (
        name,
        short(of(outcomes, f"alone-{sender}").live[0].last_s, 4),
        short(pinged.live[0].last_s, 4),
        short(ping_s(pinged), 3),
        *_three(of(outcomes, f"three-{sender}")),
    )


def _three(each: Compared) -> tuple[str, ...]:
    first, second, third = each.live
    both = f"{short(second.connect_s, 3)} / {short(second.last_s, 3)}"
    return both, short(third.last_s, 3), short(first.last_s, 3)


def uploads(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate uploads, and pings and a download beside them."""
    alone = []
    for link, (flow, _) in UPLOADED.items():
        for name in BOXES:
            each = of(outcomes, f"up-{link}-{name}")
            label = f"{flow.bytes // 1000} kB over {link}, {NAMES[name]}"
            seen, simulated = each.live[0], each.simulated[0]
            took = (short(last_s(one), 4) for one in (seen, simulated))
            alone.append((label, *took, short(ping_s(each), 3), short(mean_rtt_s(seen), 3)))
    beside = []
    for name in BOXES:
        up, down = of(outcomes, f"both-ways-{name}").live
        times = (last_s(up), connect_s(down), last_s(down))
        beside.append((NAMES[name], *(short(time, 4) for time in times)))
    return (
        Table(
            "Uploads with a ping each second",
            ("", "upload s", "simulated s", "ping s, mean", "mean RTT s"),
            tuple(alone),
        ),
        Table(
            "An upload of 200 kB and a download of 100 kB over umts-384",
            ("", "upload s", "download connects s", "download s"),
            tuple(beside),
        ),
    )


def quic(link: str, outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate TCP beside QUIC over a link, and the pings meanwhile."""
    head = ("", "TCP s", "simulated s", "TCP's share %", "ping ms, mean", "ping ms, p95")
    rows = [
        _beside(of(outcomes, beside(link, control, others)), f"QUIC's {name}, {OTHERS[others]}")
        for control, name in CONTROLS.items()
        for others in OTHERS
    ]
    rows.append(_beside(of(outcomes, f"beside-{link}-alone"), "TCP alone, with proxy"))
    took = f"{MIXED[link].bytes // 1000} kB by TCP"
    return (Table(f"{took} beside a download by QUIC over {link}", head, tuple(rows)),)


def _beside(each: Compared, label: str) -> tuple[str, ...]:
    pings_ms = [1000 * echo.rtt_s for echo in each.carried.echoes if echo.rtt_s is not None]
    seen, simulated = each.live[0], each.simulated[0]
    return (
        label,
        *(short(last_s(one), 4) for one in (seen, simulated)),
        "–" if each.carried.quic is None else short(share(each), 3),
        short(1000 * ping_s(each), 3),
        short(float(np.quantile(pings_ms, 0.95)), 3),
    )


def mix(link: str, outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate TCP beside a mix over a link, and what becomes of the mix."""
    runs = {label: of(outcomes, mixed.name(link, each)) for each, label in TREATED.items()}
    took = f"{MIXES[link][0].bytes // 1000} kB by TCP"
    head = (
        "",
        "TCP s",
        "simulated s",
        "TCP's share %",
        "ping s, mean",
        "DNS s, mean",
        "DNS s, p95",
    )
    rows = [_mix(each, label) for label, each in runs.items()]
    rows.append(_mix(of(outcomes, mixed.name(link, "alone")), "TCP alone, with proxy"))
    media = (
        "",
        "MOS",
        "MOS simulated",
        "lost %",
        "late %",
        "delay s, p95",
        "video kbit/s",
        "video s, p95",
    )
    heard = [_media(each, label) for label, each in runs.items()]
    return (
        Table(f"{took} beside a call, a VPN and DNS over {link}", head, tuple(rows)),
        Table("The call", media, tuple(heard)),
    )


def _mix(each: Compared, label: str) -> tuple[str, ...]:
    took = (short(last_s(seen), 3) for seen in (each.live[0], each.simulated[0]))
    if each.carried.mixed is None:
        return (label, *took, "–", short(ping_s(each), 3), "–", "–")
    answers_s = mixed.answers_s(each)
    answers = (fmean(answers_s), float(np.quantile(answers_s, mixed.SLOW)))
    measured = (mixed.share(each), ping_s(each), *answers)
    return (label, *took, *(short(value, 3) for value in measured))


def _media(each: Compared, label: str) -> tuple[str, ...]:
    voice, video = mixed.voice(each), mixed.video(each)
    found = (mixed.mos(each), mixed.simulated_mos(each), voice.lost, voice.late, voice.slow_s)
    shown = ("–", "–") if video is None else (short(video.bps / 1000, 3), short(video.slow_s, 3))
    return (label, *(short(value, 3) for value in found), *shown)


def short_transfers(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate transfer times by size."""
    runs = {name: of(outcomes, f"short-{name}") for name in BOXES}
    rows = [
        (f"{NAMES[name]}, {way}", *(short(seen.last_s, 4) for seen in seen_so))
        for name, each in runs.items()
        for way, seen_so in (("test bed", each.live), ("simulated", each.simulated))
    ]
    gains = zip(runs["plain"].live, runs["proxy"].live, strict=True)
    rows.append(("gain %", *(short(100 * (1 - b.last_s / a.last_s), 3) for a, b in gains)))
    head = ("", *(f"{kb} KB" for kb in SIZES))
    return (Table("From the SYN to the last byte, in s", head, tuple(rows)),)


def fairness(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate both flows of figure 10."""
    head = ("", "second connects s", "first takes s", "second takes s", "rates while both s, B/s")
    rows = []
    for name in BOXES:
        each = of(outcomes, f"pair-{name}")
        shared = " and ".join(short(rate, 4) for rate in shares(each))
        for way, (first, second), rates in (
            ("test bed", each.live, shared),
            ("simulated", each.simulated, ""),
        ):
            times = (connect_s(second), last_s(first), last_s(second))
            rows.append((f"{NAMES[name]}, {way}", *(short(time, 4) for time in times), rates))
    return (Table("Two flows", head, tuple(rows)),)


def queues(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate completion and round-trip times by window."""
    runs = [of(outcomes, name) for name in BY_WINDOW]
    quantities: tuple[tuple[str, Value], ...] = (("time s", last_s), ("mean RTT s", mean_rtt_s))
    rows = [
        (f"{label}, {way}", *(short(value(seen), 4) for seen in column))
        for label, value in quantities
        for way, column in (
            ("test bed", [each.live[0] for each in runs]),
            ("simulated", [each.simulated[0] for each in runs]),
        )
    ]
    head = ("", *(f"{kb} KB" for kb in WINDOWS), "no proxy")
    return (Table("600 KB by window of the proxy", head, tuple(rows)),)


def stall(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate what a stall costs."""
    head = ("", "600 KB take s", "retransmitted over the radio", "rate back to 90 % after s")
    rows = []
    for name in BOXES:
        each = of(outcomes, f"stall-{name}")
        for way, seen, back in (
            ("test bed", each.live[0], short(recovered_s(each), 3)),
            ("simulated", each.simulated[0], ""),
        ):
            rows.append((f"{NAMES[name]}, {way}", short(seen.last_s, 4), short(resent(seen)), back))
    return (Table("A stall of 10 s", head, tuple(rows)),)
