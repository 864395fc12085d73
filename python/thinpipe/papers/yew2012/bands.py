"""The two bands of Table IV: what makes them, and whether the recommended buffers help."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.drawing import BLACK, how, one_legend, panels
from thinpipe.papers.paper import Table
from thinpipe.papers.yew2012.measuring import (
    base_rtt_ms,
    is_upper,
    kbps,
    late_min_rtt_ms,
    of,
    share_upper,
)
from thinpipe.papers.yew2012.printed import BY_RTT, RTTS
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, Plan, Points, begins_at_home
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes

    Measure = Callable[[Plan, Outcomes], Sequence[float]]

Rows = dict[int, Points]

LOOKED_INTO: Final = 100
"""ms: the RTT at which each seed's base RTT is shown."""


def chosen(rows: Mapping[tuple[int, str], Points], spacing: str) -> Rows:
    """Return the runs of one kind of spacing, by RTT."""
    return {rtt: rows[rtt, spacing] for rtt in RTTS}


def kinds(plan: Plan) -> dict[str, Rows]:
    """Return the runs to compare for the cause of the bands."""
    return {
        "with spacing": chosen(plan.table_4, ALWAYS),
        "without": chosen(plan.table_4, OFF),
        "with spacing, base RTT renewed at a handover": plan.renewed_4,
    }


def buffered(plan: Plan) -> dict[str, Rows]:
    """Return the runs to compare for the buffers of Table VI."""
    return {
        "50 packets, with spacing": chosen(plan.table_4, ALWAYS),
        "0.835 BDP, with spacing": chosen(plan.table_6, ALWAYS),
        "50 packets, without": chosen(plan.table_4, OFF),
        "0.835 BDP, without": chosen(plan.table_6, OFF),
    }


def seen(plan: Plan) -> Points:
    """Return the runs whose base RTT is shown."""
    return plan.table_4[LOOKED_INTO, ALWAYS]


def all_of(compared: Mapping[str, Rows]) -> Points:
    """Return all runs of a comparison."""
    return tuple(
        point for rows in compared.values() for points in rows.values() for point in points
    )


def upper_by_home(outcomes: Outcomes, points: Points) -> tuple[list[bool], list[bool]]:
    """Return which runs are in the upper band: of those begun at home, and of those begun later."""
    home, later = (
        [is_upper(outcomes[it]) for it in points if begins_at_home(it) is at_home]
        for at_home in (True, False)
    )
    return home, later


def by_home(outcomes: Outcomes, points: Points) -> str:
    """Say the same in numbers."""
    return ", ".join(f"{sum(each)}/{len(each)}" for each in upper_by_home(outcomes, points))


LOWER_KBPS: Final = max(float(row.kbps) for row in BY_RTT.values() if not row.is_upper)
UPPER_KBPS: Final = min(float(row.kbps) for row in BY_RTT.values() if row.is_upper)
"""The ends of Table IV's bands: nothing lies between."""

HEADERS: Final = 0.9
"""Of the paper's upper band: ours count payload alone, the paper may count 552 B for 512."""


def between(plan: Plan, outcomes: Outcomes) -> list[float]:
    """Return the share of runs with spacing in neither of the two bands, in %."""
    found = [each for rtt in RTTS for each in of(outcomes, plan.table_4[rtt, ALWAYS], kbps)]
    return [100 * fmean(LOWER_KBPS < each < HEADERS * UPPER_KBPS for each in found)]


def share_of_all(outcomes: Outcomes, rows: Rows) -> float:
    """Return the share of runs in the upper band over all RTTs, in %."""
    return 100 * share_upper(outcomes, [point for points in rows.values() for point in points])


def all_upper(plan: Plan, outcomes: Outcomes) -> list[float]:
    """Return at how many RTTs the buffers of Table VI put all runs in the upper band."""
    rows = chosen(plan.table_6, ALWAYS)
    return [float(sum(share_upper(outcomes, points) == 1.0 for points in rows.values()))]


MEASURES: Final[dict[str, Measure]] = {
    "bands-between": between,
    "bands-renewed": lambda plan, outcomes: [share_of_all(outcomes, plan.renewed_4)],
    "bands-kept": lambda plan, outcomes: [share_of_all(outcomes, chosen(plan.table_4, ALWAYS))],
    "buffers-all": all_upper,
}


def draw(outcomes: Outcomes, compared: Mapping[str, Rows]) -> Figure:
    """Draw the throughput of each run against RTT."""
    figure, (ax,) = panels(1, 1, 7.0, 4.4)
    for number, (name, rows) in enumerate(compared.items()):
        aside = 1.4 * (number - (len(compared) - 1) / 2)
        look = how(number, linestyle="none", markersize=4)
        for rtt, points in rows.items():
            found = of(outcomes, points, kbps)
            ax.plot([rtt + aside] * len(found), found, label=name, **look)
    printed = [float(row.kbps) for row in BY_RTT.values()]
    ax.plot(RTTS, printed, "*", color=BLACK, markersize=8, label="paper, with spacing")
    ax.set(xlabel="RTT (ms)", ylabel="Throughput (kbit/s)", ylim=(0, 1000))
    ax.set(xlim=(RTTS[0] - 5, RTTS[-1] + 5), xticks=RTTS)
    one_legend(figure, (ax,), columns=2)
    return figure


def table(outcomes: Outcomes, compared: Mapping[str, Rows]) -> Sequence[Table]:
    """Tabulate runs in the upper band by RTT and by where their transfers began."""
    rows = [
        (str(rtt), *(by_home(outcomes, rows[rtt]) for rows in compared.values())) for rtt in RTTS
    ]
    rows.append(("all", *(by_home(outcomes, all_of({"": rows})) for rows in compared.values())))
    caption = "Runs in the upper band: of those begun at home, before 7 s, and of those begun later"
    return (Table(caption, ("RTT ms", *compared), tuple(rows)),)


def seed_table(plan: Plan, outcomes: Outcomes) -> Sequence[Table]:
    """Tabulate the base RTT of each seed at one RTT, in the order of their starts."""
    runs = [outcomes[point] for point in seen(plan)]
    seeds = tuple(
        (
            str(run.result.seed),
            f"{short(run.flow.started_s, 4)}",
            short(base_rtt_ms(run), 4),
            short(late_min_rtt_ms(run), 4),
            short(run.flow.cwnd_segments.mean),
            short(kbps(run), 4),
            "upper" if is_upper(run) else "lower",
        )
        for run in sorted(runs, key=lambda run: run.flow.started_s or 0.0)
    )
    head = ("seed", "starts s", "base RTT ms", "min RTT ms", "mean cwnd", "kbit/s", "band")
    caption = f"Each seed at {LOOKED_INTO} ms: base RTT at the end, min RTT of the second half"
    return (Table(caption, head, seeds),)
