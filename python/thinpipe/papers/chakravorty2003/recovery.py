"""Recovery of losses in bursts, §IV.E and §VIII: the proxy beside none and beside its rivals."""

from __future__ import annotations

from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import delivered, mobile_end, radio_end, received_s
from thinpipe.papers.chakravorty2003.setup import (
    FIFO,
    PLAIN,
    RADIO,
    SEEDS,
    Settings,
    box,
    clamp,
    seeds,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.plot.series import segments_sent
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.chakravorty2003.measuring import Measure
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

FLOWS: Final = (0, 1)

TWO: Final[Settings] = (
    ("flow.count", len(FLOWS)),
    ("flow.bytes", "200 kB"),
    ("flow.opened_by", "receiver"),
    ("duration", "900 s"),
)
"""Two downloads at once: an aggregate."""


def bursts(ends: int, lasts: int) -> Settings:
    """Return losses in bursts: chances, in per cent, that the good and the bad state end."""
    return (
        ("link.gilbert_elliott.p", f"{ends} %"),
        ("link.gilbert_elliott.r", f"{lasts} %"),
    )


OUTAGE_S: Final = (60, 80)
"""Longer than the base station keeps packets, in the middle of the paper's 5 to 40 s."""

CONDITIONS: Final[dict[str, tuple[str, Settings]]] = {
    "bursts of 4 packets": (FIFO, bursts(1, 25)),
    "bursts of 2 packets": (FIFO, bursts(3, 50)),
    "radio gives up": (RADIO, (("radio.tbler", "20 %"), ("radio.gprs.lifetime", "2 s"))),
    "outage of 20 s": (
        RADIO, (("radio.outages", [[f"{at_s} s" for at_s in OUTAGE_S]]),)
    ),
}  # fmt: skip
"""By what is lost: on the way from the gateway, at the base station, or in an outage."""

SCHEMES: Final[dict[str, Settings]] = {
    "no box": PLAIN,
    "atcp": clamp(10),
    "Snoop": box("snoop"),
    "I-TCP": box("i-tcp"),
    "split, CUBIC": box("split"),
    "I-TCP, SACK, 4 segments each": (
        *box("i-tcp"),
        ("middlebox.tcp.variant", "sack"),
        ("middlebox.tcp.window", 4),
    ),
}

APART: Final = tuple(SCHEMES)[-1]
"""As much under way as the proxy has, nearly (8 for 7 segments); each flow finds its own losses."""


def runs(condition: str, scheme: str) -> tuple[Point, ...]:
    """Return two downloads for each seed: losses are drawn, over the plain queue as well."""
    scenario, losses = CONDITIONS[condition]
    more = (losses, SCHEMES[scheme])
    return tuple(
        each for seed in SEEDS for each in seeds(scenario, TWO, *more, among=range(seed, seed + 1))
    )


LOSSLESS: Final[dict[str, tuple[str, Settings]]] = {
    "bursts of 4 packets": (FIFO, ()),
    "bursts of 2 packets": (FIFO, ()),
    "radio gives up": (RADIO, (("radio.tbler", "20 %"),)),
}
"""The same links where no packet is lost, for the transient losses."""


def unhindered(condition: str) -> tuple[Point, ...]:
    """Return the proxy's downloads where no packet is lost."""
    scenario, link = LOSSLESS[condition]
    return seeds(scenario, TWO, link, SCHEMES["atcp"])


POINTS: Final = (
    *(point for name in CONDITIONS for scheme in SCHEMES for point in runs(name, scheme)),
    *(point for name in LOSSLESS for point in unhindered(name)),
)


def both_s(run: Outcome) -> float:
    """Return when the mobile had both downloads, in s."""
    return max(received_s(run, flow) for flow in FLOWS)


def repairs_s(run: Outcome) -> list[float]:
    """Return for each segment lost at first how long after it the mobile had all up to it, in s."""
    found: list[float] = []
    for flow in FLOWS:
        segments = run.tables["segments"]
        sent = segments_sent(radio_end(segments, flow))
        data = sent.only(sent.carries_data)
        rows = mobile_end(segments, flow)
        got = rows.filter(rows["event"] == "received")["uid"].to_numpy()
        highest = np.maximum.accumulate(np.append(-1, data.last))[:-1]
        lost = (data.first >= highest) & ~np.isin(data.uid, got)
        curve = delivered(run, flow)
        place = np.searchsorted(curve.value, data.last[lost])
        there_s = np.append(curve.time_s, run.result.duration_s)[place]
        found += (there_s - data.time_s[lost]).tolist()
    return found


def repair_s(outcomes: Outcomes, condition: str, scheme: str) -> float:
    """Return the median time until a loss is repaired, all seeds together, in s."""
    found = [each for point in runs(condition, scheme) for each in repairs_s(outcomes[point])]
    return median(found) if found else float("nan")


def quicker(other: str) -> Measure:
    """Measure the change of the median repair by the proxy, in %, one value per kind of loss."""
    return lambda outcomes: [
        100 * (repair_s(outcomes, each, "atcp") / repair_s(outcomes, each, other) - 1)
        for each in CONDITIONS
    ]


def times_s(outcomes: Outcomes, condition: str, scheme: str) -> list[float]:
    """Return when the mobile had both downloads, one value per seed, in s."""
    return [both_s(outcomes[point]) for point in runs(condition, scheme)]


def shorter(outcomes: Outcomes) -> list[float]:
    """Return the change of the median time of both by the proxy, in %, a value per kind of loss."""
    found = []
    for condition in TRANSIENT:
        ways = (times_s(outcomes, condition, scheme) for scheme in ("atcp", "no box"))
        found.append(median(100 * (box / none - 1) for box, none in zip(*ways, strict=True)))
    return found


def utilized(outcomes: Outcomes) -> list[float]:
    """Return the mean rate of both in % of that where no packet is lost, one value per loss."""
    return [
        100
        * fmean(both_s(outcomes[point]) for point in unhindered(condition))
        / fmean(times_s(outcomes, condition, "atcp"))
        for condition in TRANSIENT
    ]


def by_skipack(outcomes: Outcomes, condition: str) -> float:
    """Return the share of the proxy's retransmissions that skipack and no timeout made, in %."""
    counts = {"retransmitted_skipped": 0, "retransmitted_timeout": 0}
    for point in runs(condition, "atcp"):
        table = outcomes[point].tables.get("middlebox_events")
        for event in [] if table is None else table["event"].cast(str).to_list():
            if event in counts:
                counts[event] += 1
    whole = sum(counts.values())
    return 100 * counts["retransmitted_skipped"] / whole if whole else float("nan")


TRANSIENT: Final = tuple(CONDITIONS)[:3]
"""Losses that no stall causes."""


MEASURES: Final[dict[str, Measure]] = {
    "r1-sooner": quicker("no box"),
    "r1-aggregate": quicker(APART),
    "r2-full": shorter,
    "r2-good": utilized,
    "r3-no-timeout": lambda outcomes: [by_skipack(outcomes, each) for each in TRANSIENT],
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate times and repairs by scheme and by what is lost."""
    rows = []
    for scheme in SCHEMES:
        cells = [scheme]
        for condition in CONDITIONS:
            found = times_s(outcomes, condition, scheme)
            repair = short(repair_s(outcomes, condition, scheme), 3)
            cells.append(f"{short(fmean(found))} ± {short(stdev(found), 2)} | {repair}")
        rows.append(tuple(cells))
    caption = (
        "2 × 200 kB: time of both in s, mean ± standard deviation of ten seeds | median time from "
        "a loss to its repair in s"
    )
    return (Table(caption, ("", *CONDITIONS), tuple(rows)),)
