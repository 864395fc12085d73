"""Equations 1 to 3 checked on runs: growth and decrease of the window, spacing of segments."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.drawing import HUES, panels, styled
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item
from thinpipe.papers.series import Steps
from thinpipe.papers.yew2012.measuring import of
from thinpipe.papers.yew2012.printed import PACKET
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.setup import Points

    Floats = NDArray[np.float64]

ROUNDS: Final = 3
"""Round trips of slow start after which the window is looked at."""

EARLY: Final = 0.999
"""Segments sent before this share of the spacing are too early."""

SHARES: Final = np.linspace(0, 100, 401)
"""Of segments, in %: where their gaps are drawn."""

SENDER: Final = "CN:"
"""Prefix of the sender's endpoint."""


def runs(plan: Plan, spacing: str) -> Points:
    """Return the runs that are looked at."""
    return plan.tables_2_3[PACKET, spacing]


def _rtt(run: Outcome) -> tuple[Floats, Floats]:
    table = run.tables["rtt"]
    table = table.filter(table["flow"] == 0)
    return table["time_s"].to_numpy(), table["rtt_s"].to_numpy()


def growth(run: Outcome) -> float:
    """Return the window after three round trips over that at the start.

    A round trip ends with the acknowledgement of the first segment sent after the one before.
    """
    time_s, rtt_s = _rtt(run)
    sent_s, end_s = time_s - rtt_s, time_s[0] - rtt_s[0]
    ends = [end_s]
    for _ in range(ROUNDS):
        ends.append(time_s[np.flatnonzero(sent_s >= ends[-1])[0]])
    first, *_, last = Steps.cwnd(run).at(np.array(ends))
    return float(last / first)


def first_cut(run: Outcome) -> float:
    """Return the window after its first decrease over that before; 1 if it never fell."""
    cwnd = Steps.cwnd(run)
    place = cwnd.first_decrease()
    return float(cwnd.value[place] / cwnd.value[place - 1]) if place < len(cwnd.value) else 1.0


def growths(run: Outcome) -> list[float]:
    """Return by how much the window grew each time in congestion avoidance, times the one before.

    In segments squared.
    """
    table = run.tables["cwnd"]
    table = table.filter(table["flow"] == 0)
    steps = zip(
        pairwise(table["cwnd_segments"].to_list()), table["ssthresh_segments"].to_list(),
        strict=False,
    )  # fmt: skip
    return [(new - old) * old for (old, new), ssthresh in steps if new > old >= ssthresh]


def cuts(run: Outcome) -> list[float]:
    """Return by how much the window shrank each time, in segments."""
    return [old - new for old, new in pairwise(Steps.cwnd(run).value.tolist()) if new < old]


def gaps(run: Outcome) -> Floats:
    """Return the time from each data segment to the next, over current RTT / current cwnd.

    Current is what the sender knows when the first of both leaves; from its first sample on.
    """
    table = run.tables["segments"]
    table = table.filter(
        (table["flow"] == 0)
        & (table["event"] == "sent")
        & (table["payload_bytes"] > 0)
        & table["endpoint"].cast(str).str.starts_with(SENDER)
    )
    left_s = table["time_s"].to_numpy()
    time_s, rtt_s = _rtt(run)
    known = left_s[:-1] >= time_s[0]
    first_s = left_s[:-1][known]
    current_s = rtt_s[np.searchsorted(time_s, first_s, side="right") - 1]
    ratio: Floats = np.diff(left_s)[known] * Steps.cwnd(run).at(first_s) / current_s
    return ratio


def early(run: Outcome) -> float:
    """Return the share of segments sent earlier than equation 3 allows, in %."""
    return float(100 * np.mean(gaps(run) < EARLY))


def _changes(
    plan: Plan, changes: Callable[[Outcome], list[float]], outcomes: Outcomes
) -> list[float]:
    found = [changes(outcomes[point]) for point in runs(plan, OFF)]
    return [median(each for run in found for each in run)]


def measures(plan: Plan) -> Mapping[str, Callable[[Outcomes], Sequence[float]]]:
    """Return the measures by fact id."""
    plain, spaced = runs(plan, OFF), runs(plan, ALWAYS)
    return {
        "eq1": lambda outcomes: [median(of(outcomes, plain, growth))],
        "window-eighth": lambda outcomes: [median(of(outcomes, plain, first_cut))],
        "eq2-grows": partial(_changes, plan, growths),
        "eq2-shrinks": partial(_changes, plan, cuts),
        "eq3": lambda outcomes: of(outcomes, spaced, early),
    }


def draw(plan: Plan, outcomes: Outcomes) -> Figure:
    """Draw the window of one run that begins at home and one that begins later, and all gaps."""
    figure, (left, right) = panels(1, 2, 8.6, 3.8)
    for number, (place, name) in enumerate(((0, "begun at home"), (2, "begun after the move"))):
        run = outcomes[runs(plan, OFF)[place]]
        cwnd, start_s = Steps.cwnd(run), run.flow.started_s or 0.0
        time_s = np.append(cwnd.time_s, cwnd.end_s) - start_s
        value = np.append(cwnd.value, cwnd.value[-1])
        left.step(time_s, value, where="post", color=HUES[number], label=name)
    left.set(xlabel="Time since the start (s)", xlim=(0, 15))
    left.set(ylabel="cwnd (segments)", ylim=(0, None), title="standard Vegas")
    left.legend()
    for number, (spacing, name) in enumerate(((ALWAYS, "with spacing"), (OFF, "without"))):
        found = np.concatenate([gaps(outcomes[it]) for it in runs(plan, spacing)])
        right.plot(np.percentile(found, SHARES), SHARES, color=HUES[number], label=name)
    right.axvline(1, color=HUES[-1], linestyle="--", linewidth=0.9)
    right.set(xlabel="Gap between segments / (current RTT / cwnd)", xlim=(0, 2), ylim=(0, 100))
    right.set(ylabel="Segments with a smaller gap (%)", title="equation 3")
    right.legend()
    return figure


def item(plan: Plan) -> Item:
    """Return the item."""
    return Item(
        "equations",
        "Equations 1 to 3, measured in runs",
        (
            "The runs of 512 B of Tables II and III. The window is that of the sender, at each of "
            "its changes; congestion avoidance is where it is at least ssthresh. Equation 3 is "
            "compared with each data segment that leaves: the time since the one before, divided "
            "by the latest RTT sample until then and the window at that moment.",
        ),
        (*runs(plan, OFF), *runs(plan, ALWAYS)),
        Detail.SEGMENTS,
        styled(partial(draw, plan)),
        caption=(
            "Left, the window of a transfer begun at home and of one begun after the move. Right, "
            "how many gaps between segments are smaller than a multiple of equation 3: with "
            "spacing nearly all are equal to it."
        ),
    )
