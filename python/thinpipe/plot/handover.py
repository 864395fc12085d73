"""What happened to a mobile on the move: its links and addresses, its messages, TCP's reaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from thinpipe.plot.drawing import Mark, View, draw_held, draw_marks
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BEGINS: Final = {"link_up": "link", "tentative": "checked", "usable": "address"}
"""Events that begin a state of a lane, by its name."""

LANE: Final = {"link": ("muted", 0.9), "checked": ("window", 0.5), "address": ("data", 0.5)}
"""The colour and the height of each state."""

LEGEND: Final = {
    "link": "Link is up",
    "checked": "Address is being checked",
    "address": "Address is in use",
}

ADVERTISEMENT: Final = "router advertisement"

Span = tuple[float, float]


def mobiles(mobility: pl.DataFrame) -> list[str]:
    """Return the agents of mobiles, in the order in which they first had a link."""
    linked = mobility.filter(mobility["event"].is_in(["link_up", "link_down"]))
    return linked["agent"].unique(maintain_order=True).cast(str).to_list()


def lanes(rows: pl.DataFrame, end_s: float) -> dict[int, dict[str, list[Span]]]:
    """Return for each access router when a mobile had a link, and what of an address there.

    An address is taken for that of the router that was last heard of when it was first spoken of.
    """
    spans: dict[int, dict[str, list[Span]]] = {}
    open_s: dict[tuple[int, str], float] = {}
    router_of: dict[int, int] = {}
    heard = 0

    def end(router: int, state: str, time_s: float) -> None:
        since_s = open_s.pop((router, state), None)
        if since_s is not None:
            spans.setdefault(router, {}).setdefault(state, []).append((since_s, time_s))

    for time_s, event, subject in rows.select("time_s", "event", "subject").iter_rows():
        if event in ("link_up", "link_down", "advertised"):
            heard = subject if event != "link_down" else heard
            if event == "link_up":
                open_s.setdefault((subject, "link"), time_s)
            elif event == "link_down":
                end(subject, "link", time_s)
            continue
        if event not in ("tentative", "usable", "removed", "duplicate"):
            continue
        router = router_of.setdefault(subject, heard)
        end(router, "checked", time_s)
        if event in BEGINS:
            open_s.setdefault((router, BEGINS[event]), time_s)
        else:
            end(router, "address", time_s)
    for router, state in tuple(open_s):
        end(router, state, end_s)
    return spans


def draw_lanes(ax: Axes, view: View, rows: pl.DataFrame, routers: Sequence[str]) -> None:
    """Draw a lane for each access router: when its link was up, and the address there in use."""
    named: set[str] = set()
    for router, states in sorted(lanes(rows, view.end_s).items()):
        for state, (color, height) in LANE.items():
            for start_s, end_s in states.get(state, ()):
                if end_s < view.start_s or start_s > view.end_s:
                    continue
                left_s = max(start_s, view.start_s)
                ax.barh(
                    router,
                    min(end_s, view.end_s) - left_s,
                    left=left_s,
                    height=height,
                    color=COLORS[color],
                    alpha=0.45 if state == "link" else 0.9,
                    zorder=1 if state == "link" else 2,
                    label=LEGEND[state] if state not in named else f"_{state}",
                )
                named.add(state)
    ax.set_yticks(range(len(routers)), routers)
    ax.set_ylim(len(routers) - 0.4, -0.6)


def draw_messages(ax: Axes, view: View, rows: pl.DataFrame, mobile: str) -> None:
    """Draw each message to or from a mobile, a row for each kind, in the order of the first."""
    heard = rows["event"] == "advertised"
    shown = rows.with_columns(
        message=pl.when(heard).then(pl.lit(ADVERTISEMENT)).otherwise(rows["message"]),
        event=pl.when(heard).then(pl.lit("received")).otherwise(rows["event"].cast(str)),
    ).drop_nulls("message")
    shown = shown.filter(view.holds(shown["time_s"].to_numpy()))
    kinds = shown["message"].unique(maintain_order=True).to_list()
    rank = {kind: number for number, kind in enumerate(kinds)}
    for event, label, mark, kind in (
        ("sent", f"Sent by {mobile}", Mark("^", 6), "retransmission"),
        ("received", f"Received by {mobile}", Mark("v", 6), "acknowledgement"),
    ):
        of_event = shown.filter(shown["event"] == event)
        heights = np.array([rank[message] for message in of_event["message"]], dtype=np.int64)
        draw_marks(ax, of_event["time_s"].to_numpy(), heights, kind, label, mark)
    ax.set_yticks(range(len(kinds)), [str(kind) for kind in kinds], fontsize="small")
    ax.set_ylim(len(kinds) - 0.4, -0.6)


def draw_reaction(
    ax: Axes, view: View, cwnd: pl.DataFrame, events: pl.DataFrame, lost_s: Floats
) -> None:
    """Draw the congestion window, time-outs and fast retransmits, and packets lost at the foot."""
    segments = cwnd["cwnd_segments"].to_numpy()
    draw_held(ax, view, cwnd["time_s"].to_numpy(), segments, "data", "Congestion window")
    _, seen = view.held(cwnd["time_s"].to_numpy(), segments)
    top = float(seen.max(initial=1.0))
    for names, kind, label, shape in (
        (("timeout", "spurious_timeout"), "timeout", "Time-out", "x"),
        (("fast_retransmit",), "retransmission", "Fast retransmit", "^"),
    ):
        time_s = events.filter(events["event"].is_in(names))["time_s"].to_numpy()
        time_s = time_s[view.holds(time_s)]
        draw_marks(ax, time_s, np.full(len(time_s), 1.08 * top), kind, label, Mark(shape, 6))
    lost_s = lost_s[view.holds(lost_s)]
    draw_marks(ax, lost_s, np.zeros(len(lost_s)), "drop", "Packet lost", Mark("|", 9))
