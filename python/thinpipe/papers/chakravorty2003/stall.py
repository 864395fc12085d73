"""Faster recovery, §VI.D: figure 12."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.flow_control import advertised
from thinpipe.papers.chakravorty2003.measuring import (
    box_window,
    delivered,
    each,
    mean,
    radio_end,
    rate,
)
from thinpipe.papers.chakravorty2003.plain import LONG, degraded, recovery_s
from thinpipe.papers.chakravorty2003.setup import (
    FIFO,
    MSS,
    PLAIN,
    RADIO,
    Settings,
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

START_S: Final = 90
LASTS_S: Final = 10
END_S: Final = START_S + LASTS_S

BOX: Final = clamp(10)

RULES: Final[Settings] = (
    *BOX,
    ("middlebox.atcp.single_probe", "true"),
    ("middlebox.atcp.restore_window", "true"),
)
"""The proxy with the paper's rules to the letter."""

RTT_S: Final = 3
"""The assumed round-trip time at 10 KB: the maximum that P4 accepts."""

WINDOW_S: Final = 3
"""Interval over which rates are measured."""

RECOVERED: Final = 0.9
"""Of the rate before the stall."""


def stalled(scenario: str, start_s: float = START_S, lasts_s: float = LASTS_S) -> Settings:
    """Return a time in which nothing gets through the radio."""
    key = "link.outages" if scenario == FIFO else "radio.outages"
    times = [[f"{start_s:g} s", f"{start_s + lasts_s:g} s"]]
    return ((key, times),)


def runs(scenario: str, more: Settings) -> tuple[Point, ...]:
    """Return downloads of 600 KB with a stall of 10 s at 90 s."""
    return seeds(scenario, LONG, more, stalled(scenario))


LONG_S: Final = 30
SHORT_S: Final = 7
"""Other stalls: longer than the base station keeps packets, and with time for one probe."""

LENGTHS_S: Final = (5, SHORT_S, LASTS_S, 15, 20, LONG_S)


def lasting(more: Settings, lasts_s: int) -> tuple[Point, ...]:
    """Return downloads with another stall at 90 s."""
    return seeds(RADIO, LONG, more, stalled(RADIO, START_S, lasts_s))


BOXES: Final = (PLAIN, BOX, RULES)

POINTS: Final = (
    degraded(),
    *(each for lasts_s in LENGTHS_S for more in BOXES for each in lasting(more, lasts_s)),
)


def retransmissions(run: Outcome) -> tuple[list[float], list[int]]:
    """Return times and offsets of the retransmissions over the radio."""
    sent = segments_sent(radio_end(run.tables["segments"]))
    data = sent.only(sent.carries_data)
    repeats = data.last[1:] <= np.maximum.accumulate(data.last)[:-1]
    return data.time_s[1:][repeats].tolist(), data.first[1:][repeats].tolist()


def resent(run: Outcome) -> float:
    """Count the packets retransmitted over the radio, by the box or by the sender."""
    return float(len(retransmissions(run)[0]))


def resent_packets(run: Outcome) -> float:
    """Count the different packets among those."""
    return float(len(set(retransmissions(run)[1])))


def probes(run: Outcome, lasts_s: int = LONG_S) -> tuple[list[float], list[int]]:
    """Return when packets were sent in a stall, and which."""
    times_s, offsets = retransmissions(run)
    inside = [START_S < time_s < START_S + lasts_s for time_s in times_s]
    return (
        [time_s for time_s, chosen in zip(times_s, inside, strict=True) if chosen],
        [offset for offset, chosen in zip(offsets, inside, strict=True) if chosen],
    )


def kinds(run: Outcome) -> float:
    """Count the packets of which probes in a long stall were made."""
    return float(len(set(probes(run)[1])))


def at_once(run: Outcome) -> float:
    """Return the most packets that left together after the timeout of a long stall."""
    times_s = np.array(probes(run)[0])
    return float(max((np.sum(np.abs(times_s - time_s) < TOGETHER_S) for time_s in times_s),
                     default=0))  # fmt: skip


TOGETHER_S: Final = 0.5


def smoothed_s(run: Outcome) -> float:
    """Return the box's smoothed round-trip time when the stall began (RFC 6298 (2.3)), in s."""
    table = run.tables["middlebox_rtt"]
    taken = table.filter(table["time_s"] < START_S)["rtt_s"].to_list()
    srtt = taken[0]
    for rtt in taken[1:]:
        srtt += (rtt - srtt) / 8
    return float(srtt)


def interval(run: Outcome) -> float:
    """Return the mean time between probes over the smoothed round-trip time."""
    times_s = probes(run)[0]
    if len(times_s) < 2:  # noqa: PLR2004 - no interval
        return float("nan")
    return float(np.diff(times_s).mean()) / smoothed_s(run)


def slowed(run: Outcome) -> float:
    """Return the last time between probes beside the first, in % of difference."""
    between_s = np.diff(probes(run)[0])
    if len(between_s) < 2:  # noqa: PLR2004 - nothing to compare
        return float("nan")
    return 100 * float(between_s[-1] / between_s[0] - 1)


def _recovered_at_s(run: Outcome) -> float:
    table = run.tables["middlebox_events"]
    found = table.filter(table["event"].cast(str) == "recovered")["time_s"]
    return float(found[0]) if len(found) else float("nan")


def open_in_stall(run: Outcome) -> float:
    """Return the largest window advertised to the host in a long stall's last 20 s, in B."""
    times_s, windows = advertised(run)
    inside = (times_s > START_S + LASTS_S) & (times_s < START_S + LONG_S)
    return float(windows[inside].max()) if inside.any() else float("nan")


def window_back(run: Outcome) -> float:
    """Return the box's largest congestion window in the 5 s after recovery over its first."""
    window, at_s = box_window(run), _recovered_at_s(run)
    after = (window.time_s >= at_s) & (window.time_s < at_s + BACK_S)
    return float(window.value[after].max() / window.value[0])


BACK_S: Final = 5


def restored_s(run: Outcome) -> float:
    """Return how long after the recovery the host was told of a segment or more, in s."""
    times_s, windows = advertised(run)
    recovered_s = _recovered_at_s(run)
    later = times_s[(times_s >= recovered_s) & (windows >= MSS)]
    return float(later[0]) - recovered_s if len(later) else float("nan")


def recovered_s(run: Outcome, lasts_s: int = LASTS_S) -> float:
    """Return when the rate of the next 3 s was first back to 90 %, in s from the stall's end."""
    end_s = START_S + lasts_s
    before = rate(run, START_S / 2, START_S)
    curve = delivered(run)
    times_s = np.arange(end_s, run.result.duration_s - WINDOW_S, 0.1)
    after = (curve.at(times_s + WINDOW_S) - curve.at(times_s)) / WINDOW_S
    back = np.flatnonzero(after >= RECOVERED * before)
    return float(times_s[back[0]]) - end_s if len(back) else float("inf")


def sooner(outcomes: Outcomes) -> list[float]:
    """Return the recovery with the proxy beside that without, same stall, in % of difference."""
    box, plain = (mean(outcomes, runs(RADIO, more), recovered_s) for more in (BOX, PLAIN))
    return [100 * (box / plain - 1)]


def beside_figure_3(outcomes: Outcomes) -> list[float]:
    """Return the recovery with the proxy beside that of figure 3, in % of difference."""
    box = mean(outcomes, runs(RADIO, BOX), recovered_s)
    return [100 * (box / recovery_s(outcomes[degraded()]) - 1)]


MEASURES: Final[dict[str, Measure]] = {
    "p6-resent": each(runs(RADIO, BOX), resent),
    "p6-resent-7": each(lasting(BOX, SHORT_S), resent),
    "p6-resent-rules": each(runs(RADIO, RULES), resent_packets),
    "p6-rate": each(runs(RADIO, BOX), lambda run: recovered_s(run) / RTT_S),
    "p6-plain": sooner,
    "p6-figure-3": beside_figure_3,
    "p6-probe": each(lasting(BOX, LONG_S), kinds),
    "p6-probe-rules": each(lasting(RULES, LONG_S), kinds),
    "p6-one": each(lasting(BOX, LONG_S), at_once),
    "p6-interval": each(lasting(BOX, LONG_S), interval),
    "p6-backoff": each(lasting(BOX, LONG_S), slowed),
    "p6-back": each(lasting(BOX, LONG_S), window_back),
    "p6-closed": each(lasting(BOX, LONG_S), open_in_stall),
    "p6-restored": each(lasting(BOX, LONG_S), restored_s),
    "p6-restored-rules": each(lasting(RULES, LONG_S), restored_s),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate recovery by how long the stall lasts."""
    rows = []
    for lasts_s in LENGTHS_S:
        cells = [f"{lasts_s} s"]
        for more in BOXES:
            points = lasting(more, lasts_s)
            took_s = mean(outcomes, points, partial(recovered_s, lasts_s=lasts_s))
            cells += [short(took_s, 3), short(mean(outcomes, points, resent), 3)]
        rows.append(tuple(cells))
    head = (
        "stall",
        "no proxy: recovers in s",
        "retransmitted",
        "proxy: recovers in s",
        "retransmitted",
        "with the paper's rules: recovers in s",
        "retransmitted",
    )
    caption = (
        "Recovery by the length of the stall, mean of ten seeds; longer ones than 10 s lose what "
        "is at the base station"
    )
    return (Table(caption, head, tuple(rows)),)
