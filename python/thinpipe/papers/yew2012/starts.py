"""The cause of the two bands of Table IV: transfers with different start times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.drawing import HUES, how, one_legend, panels
from thinpipe.papers.paper import Table
from thinpipe.papers.yew2012.measuring import is_from_home, is_upper, kbps, of, share_upper
from thinpipe.papers.yew2012.printed import ACCESS_BPS
from thinpipe.papers.yew2012.setup import HOME_MS, STARTS_MS, SWEEP_MS, SWEEP_RTT, Plan, Points
from thinpipe.report.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from thinpipe.papers.paper import Outcomes

WINDOWS_MS: Final = (5_000, STARTS_MS, 15_000, 20_000, SWEEP_MS)
"""Times within which transfers might as well start."""


def points(plan: Plan) -> Points:
    """Return the runs, in the order of their starts."""
    return tuple(plan.by_start.values())


def made_by_start(plan: Plan, outcomes: Outcomes) -> list[float]:
    """Return in how many starts the band is that of where the transfer began, in %."""
    agree = [is_upper(outcomes[it]) is (ms >= HOME_MS) for ms, it in plan.by_start.items()]
    return [100 * sum(agree) / len(agree)]


def draw(plan: Plan, outcomes: Outcomes) -> Figure:
    """Draw throughput against start above, and the share of upper runs against the time below."""
    figure, (above, below) = panels(2, 1, 6.8, 5.4)
    starts_s = [ms / 1e3 for ms in plan.by_start]
    seen = [is_from_home(outcomes[it], SWEEP_RTT) for it in points(plan)]
    found = of(outcomes, points(plan), kbps)
    for number, (home, name) in enumerate(((True, "was seen"), (False, "was not seen"))):
        chosen = [place for place, each in enumerate(seen) if each is home]
        above.plot([starts_s[place] for place in chosen], [found[place] for place in chosen],
                   label=f"a round trip at home {name}",
                   **how(number, linestyle="none", markersize=4))  # fmt: skip
    shares = [100 * share_upper(outcomes, points(plan)[: 1 + place]) for place in range(len(seen))]
    below.plot(starts_s, shares, color=HUES[2], label="of all that start until then")
    above.axhline(ACCESS_BPS / 2000, color=HUES[-1], linestyle=":", linewidth=0.9)
    for ax in (above, below):
        ax.axvline(HOME_MS / 1e3, color=HUES[-1], linestyle="--", linewidth=0.9)
        ax.set(xlim=(0, SWEEP_MS / 1e3))
    above.text(HOME_MS / 1e3 + 0.3, 100, "home out of range", fontsize=8)
    above.set(ylabel="Throughput (kbit/s)", ylim=(0, 1000))
    below.set(xlabel="Start (s)", ylabel="Runs in the upper band (%)", ylim=(-5, 105))
    one_legend(figure, (above, below), columns=2)
    return figure


def table(plan: Plan, outcomes: Outcomes) -> Sequence[Table]:
    """Tabulate the share of upper runs by the time within which transfers start."""
    rows = []
    for within_ms in WINDOWS_MS:
        chosen = [outcomes[it] for ms, it in plan.by_start.items() if ms < within_ms]
        upper = sum(is_upper(run) for run in chosen)
        seen = sum(is_from_home(run, SWEEP_RTT) for run in chosen)
        rows.append(
            (
                f"{within_ms // 1000}",
                str(len(chosen)),
                str(seen),
                str(upper),
                percent(upper / len(chosen)),
            )
        )
    head = ("starts within s", "runs", "round trip at home seen", "upper band", "share")
    return (Table(f"{SWEEP_RTT} ms with spacing, a start every half second", head, tuple(rows)),)
