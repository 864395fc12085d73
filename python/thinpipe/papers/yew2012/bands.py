"""The two bands of Table IV: what makes them, and whether the recommended buffers help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.drawing import BLACK, how, one_legend, panels, styled
from thinpipe.papers.paper import Table
from thinpipe.papers.yew2012.measuring import (
    base_rtt_ms,
    is_upper,
    kbps,
    least_rtt_ms,
    of,
    share_upper,
)
from thinpipe.papers.yew2012.printed import BY_RTT, RTTS
from thinpipe.papers.yew2012.setup import ALWAYS, BUFFERS, OFF, RENEWED_4, TABLE_4, TABLE_6
from thinpipe.report.numbers import percent, short

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

Rows = dict[int, tuple["Point", ...]]

LOOKED_INTO: Final = 100
"""ms: the RTT at which each seed's base RTT is shown."""

FRESH: Final = 1.1
"""A base RTT is stale above so many times smaller than the least round trip that there is."""


def with_spacing(rows: Mapping[tuple[int, str], tuple[Point, ...]], spacing: str) -> Rows:
    """Return the runs of one kind of spacing, by RTT."""
    return {rtt: rows[rtt, spacing] for rtt in RTTS}


KINDS: Final[dict[str, Rows]] = {
    "with spacing": with_spacing(TABLE_4, ALWAYS),
    "without": with_spacing(TABLE_4, OFF),
    "with spacing, base RTT renewed at a handover": RENEWED_4,
}
"""What is compared for the cause of the bands."""

BUFFERED: Final[dict[str, Rows]] = {
    "50 packets, with spacing": with_spacing(TABLE_4, ALWAYS),
    "0.835 BDP, with spacing": with_spacing(TABLE_6, ALWAYS),
    "50 packets, without": with_spacing(TABLE_4, OFF),
    "0.835 BDP, without": with_spacing(TABLE_6, OFF),
}
"""What is compared for the buffers of Table VI."""

SEEN: Final = KINDS["with spacing"][LOOKED_INTO]
POINTS: Final = tuple(
    point for rows in KINDS.values() for points in rows.values() for point in points
)
BUFFERED_POINTS: Final = tuple(
    point for rows in BUFFERED.values() for points in rows.values() for point in points
)


def stale_where_lower(outcomes: Outcomes) -> list[float]:
    """Return in what share of runs being in the lower band goes with a stale base RTT, in %."""
    agree = []
    for point in SEEN:
        run = outcomes[point]
        is_stale = base_rtt_ms(run) * FRESH < least_rtt_ms(run)
        agree.append(is_stale is not is_upper(run))
    return [100 * sum(agree) / len(agree)]


def none_between(outcomes: Outcomes) -> list[float]:
    """Return the share of runs with spacing whose throughput lies where Table IV has none, in %."""
    lower = max(float(row.kbps) for row in BY_RTT.values() if not row.is_upper)
    upper = min(float(row.kbps) for row in BY_RTT.values() if row.is_upper)
    found = [
        each for points in KINDS["with spacing"].values() for each in of(outcomes, points, kbps)
    ]
    return [100 * sum(lower < each < 0.9 * upper for each in found) / len(found)]


def share_of_all(outcomes: Outcomes, rows: Rows) -> float:
    """Return the share of runs in the upper band over all RTTs, in %."""
    return 100 * share_upper(outcomes, [point for points in rows.values() for point in points])


MEASURES: Final[dict[str, Measure]] = {
    "bands-stale": stale_where_lower,
    "bands-between": none_between,
    "bands-renewed": lambda outcomes: [share_of_all(outcomes, RENEWED_4)],
    "bands-kept": lambda outcomes: [share_of_all(outcomes, KINDS["with spacing"])],
    "buffers-upper": lambda outcomes: [
        share_of_all(outcomes, BUFFERED["0.835 BDP, with spacing"])
        - share_of_all(outcomes, BUFFERED["50 packets, with spacing"])
    ],
}


@styled
def draw(outcomes: Outcomes) -> Figure:
    """Draw throughput of each run against RTT, and the share of runs in the upper band."""
    figure, (above, below) = panels(2, 1, 7.0, 6.4)
    for number, (name, rows) in enumerate(KINDS.items()):
        look = how(number, linestyle="none", markersize=4)
        for rtt, points in rows.items():
            shifted = [rtt + 1.6 * (number - 1)] * len(points)
            above.plot(shifted, of(outcomes, points, kbps), label=name, **look)
        shares = [100 * share_upper(outcomes, points) for points in rows.values()]
        below.plot([*rows], shares, label=name, **how(number))
    printed = [float(row.kbps) for row in BY_RTT.values()]
    above.plot(RTTS, printed, "*", color=BLACK, markersize=8, label="paper, with spacing")
    above.set(ylabel="Throughput (kbit/s)", ylim=(0, 1000))
    below.set(xlabel="RTT (ms)", ylabel="Runs in the upper band (%)", ylim=(-5, 105))
    one_legend(figure, (above, below), columns=2)
    return figure


@styled
def draw_buffers(outcomes: Outcomes) -> Figure:
    """Draw the share of runs in the upper band with 50 packets of buffer and with 0.835 BDP."""
    figure, (ax,) = panels(1, 1, 7.0, 3.8)
    for number, (name, rows) in enumerate(BUFFERED.items()):
        shares = [100 * share_upper(outcomes, points) for points in rows.values()]
        shifted = [rtt + 0.8 * (number - 1.5) for rtt in rows]
        ax.plot(shifted, shares, label=name, **how(number, markersize=6))
    ax.set(xlabel="RTT (ms)", ylabel="Runs in the upper band (%)", ylim=(-5, 105))
    one_legend(figure, (ax,), columns=2)
    return figure


def table(outcomes: Outcomes) -> Sequence[Table]:
    """Tabulate shares of runs."""
    shares = tuple(
        (str(rtt), *(percent(share_upper(outcomes, rows[rtt])) for rows in KINDS.values()))
        for rtt in RTTS
    )
    return (Table("Runs in the upper band", ("RTT ms", *KINDS), shares),)


def seed_table(outcomes: Outcomes) -> Sequence[Table]:
    """Tabulate the base RTT of each seed at one RTT, in the order of their starts."""
    runs = [outcomes[point] for point in SEEN]
    seeds = tuple(
        (
            str(run.result.seed),
            f"{short(run.flow.started_s, 4)}",
            short(base_rtt_ms(run), 4),
            short(least_rtt_ms(run), 4),
            short(run.flow.cwnd_segments.mean),
            short(kbps(run), 4),
            "upper" if is_upper(run) else "lower",
        )
        for run in sorted(runs, key=lambda run: run.flow.started_s or 0.0)
    )
    head = ("seed", "starts s", "base RTT ms", "least RTT ms", "mean cwnd", "kbit/s", "band")
    caption = f"Each seed at {LOOKED_INTO} ms: base RTT at the end, least RTT of the second half"
    return (Table(caption, head, seeds),)


def buffer_table(outcomes: Outcomes) -> Sequence[Table]:
    """Tabulate shares of runs by buffer."""
    rows = tuple(
        (
            str(rtt),
            str(BUFFERS[rtt]),
            *(percent(share_upper(outcomes, rows[rtt])) for rows in BUFFERED.values()),
        )
        for rtt in RTTS
    )
    head = ("RTT ms", "0.835 BDP", *BUFFERED)
    return (Table("Runs in the upper band, by the buffer of every link", head, rows),)
