"""The handovers of a mobile: its links and addresses, and TCP's reaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.plot.bindings import AGENT, Bindings
from thinpipe.plot.drawing import Mark, View, draw_held, draw_marks, label_rows
from thinpipe.plot.series import TIMEOUTS
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OF_A_MOBILE: Final = ("link_up", "link_down")
"""Events of mobiles only."""

OF_A_LINK: Final = (*OF_A_MOBILE, "advertised")
OF_AN_ADDRESS: Final = ("tentative", "usable", "removed", "duplicate")
BOUND: Final = ("bound", "unbound")

BEGINS: Final = {"tentative": "checked", "usable": "address"}
"""The address states that events begin."""

Span = tuple[float, float]


def mobiles(mobility: pl.DataFrame) -> list[str]:
    """Return the names of mobiles that had a link at any time, in scenario order."""
    agents = mobility.filter(mobility["event"].is_in(OF_A_MOBILE))["agent"].unique()
    return [str(name).removesuffix(AGENT) for name in agents.sort()]


def ends(segments: pl.DataFrame, flow: int, known: Sequence[str]) -> list[int]:
    """Return the indices of the mobiles that are ends of a flow."""
    of_flow = segments.filter(segments["flow"] == flow)["endpoint"].unique().cast(str).to_list()
    return [n for n, name in enumerate(known) if any(e.startswith(f"{name}:") for e in of_flow)]


def chosen(
    segments: pl.DataFrame, known: Sequence[str], flow: int | None, mobile: int | None
) -> tuple[int | None, int]:
    """Return a flow and a mobile that is an end of it; one that is not given follows the other.

    Without either, it is the first flow. The flow is ``None`` if no flow ends at the mobile.

    Raises
    ------
    ValueError
        If the mobile is not an end of the flow, or no mobile is.
    """
    if mobile is None:
        first = 0 if flow is None else flow
        found = ends(segments, first, known)
        if found or flow is None:
            return (first if found else None), next(iter(found), 0)
        raise ValueError(f"flow: {flow} sent nothing to or from a mobile in this run")
    if flow is None:
        here = segments["endpoint"].cast(str).str.starts_with(f"{known[mobile]}:")
        first_of = segments.filter(here)["flow"].min()
        return (None if first_of is None else int(str(first_of))), mobile
    found = ends(segments, flow, known)
    if mobile not in found:
        others = ", ".join(f"{n} ({known[n]})" for n in found) or "none of this run's mobiles"
        raise ValueError(f"mobile: {mobile} ({known[mobile]}) is no end of flow {flow}: {others}")
    return flow, mobile


def losses(hops: pl.DataFrame, segments: pl.DataFrame, flow: int) -> Floats:
    """Return the times at which packets of a flow were lost."""
    lost = hops.filter(hops["event"] == "dropped")
    of_flow = segments.filter(segments["flow"] == flow).select("uid").unique()
    return lost.join(of_flow, on="uid", how="semi")["time_s"].sort().to_numpy()


class _Lanes:
    """The time spans of each state of a mobile, by access router."""

    def __init__(self, mobile: str) -> None:
        self.spans: Final[dict[str, dict[str, list[Span]]]] = {}
        self.open_s: Final[dict[tuple[str, str], float]] = {}
        self.bindings: Final = Bindings()
        self.mobile: Final = mobile
        self.home: str | None = None
        self.heard: str | None = None

    def begin(self, router: str, state: str, time_s: float) -> None:
        self.open_s.setdefault((router, state), time_s)

    def end(self, router: str, state: str, time_s: float) -> None:
        since_s = self.open_s.pop((router, state), None)
        if since_s is not None:
            self.spans.setdefault(router, {}).setdefault(state, []).append((since_s, time_s))

    def router(self, address: str) -> str | None:
        """Return an address' access router; that of the home address may be unknown."""
        return self.home if address == self.mobile else address.rpartition("@")[2]

    def link(self, event: str, router: str, time_s: float) -> None:
        if event == "link_down":
            self.end(router, "link", time_s)
            return
        self.heard = router
        if event == "link_up":
            self.begin(router, "link", time_s)

    def address(self, event: str, address: str, time_s: float) -> None:
        if address == self.mobile and self.home is None:
            self.home = self.heard  # the advertisement that made the address usable
        router = self.router(address)
        if router is None:
            return
        self.end(router, "checked", time_s)
        if event in BEGINS:
            self.begin(router, BEGINS[event], time_s)
        else:
            self.end(router, "address", time_s)

    def update_serving(self, time_s: float) -> None:
        """Update which access router serves the mobile, from all bindings."""
        router = self.router(self.bindings.end(self.mobile))
        for other, state in tuple(self.open_s):
            if state == "data" and other != router:
                self.end(other, state, time_s)
        if router is not None:
            self.begin(router, "data", time_s)

    def end_all(self, time_s: float) -> None:
        for router, state in tuple(self.open_s):
            self.end(router, state, time_s)


def lanes(mobility: pl.DataFrame, agent: str, end_s: float) -> dict[str, dict[str, list[Span]]]:
    """Return for each access router when a mobile had a link, an address and its data there.

    The bindings of all agents decide where data for the home address go.
    """
    found = _Lanes(agent.removesuffix(AGENT))
    rows = mobility.filter((mobility["agent"] == agent) | mobility["event"].is_in(BOUND))
    columns = ("time_s", "agent", "event", "subject", "care_of")
    for time_s, name, event, subject, care_of in rows.select(columns).iter_rows():
        if event == "bound":
            found.bindings.bind(name, subject, care_of)
        elif event == "unbound":
            found.bindings.unbind(name, subject)
        elif event in OF_A_LINK:
            found.link(event, subject, time_s)
        elif event in OF_AN_ADDRESS:
            found.address(event, subject, time_s)
        else:
            continue
        found.update_serving(time_s)
    found.end_all(end_s)
    return found.spans


LANE: Final[Mapping[str, tuple[str, float, float, str]]] = {
    "link": ("muted", 0.9, 0.45, "Link is up"),
    "checked": ("window", 0.56, 0.9, "Address is being checked"),
    "address": ("data", 0.56, 0.9, "Address is usable"),
    "data": ("drop", 0.14, 1.0, "Serving"),
}
"""Colour, height, opacity and label of each state."""


def draw_lanes(
    ax: Axes, view: View, mobility: pl.DataFrame, agent: str, routers: Sequence[str]
) -> None:
    """Draw a lane for each access router: link, address, and whether it serves the mobile."""
    spans = lanes(mobility, agent, view.end_s)
    for layer, (state, (color, height, alpha, label)) in enumerate(LANE.items()):
        bars = [
            (row, max(start_s, view.start_s), min(end_s, view.end_s))
            for row, router in enumerate(routers)
            for start_s, end_s in spans.get(router, {}).get(state, ())
            if end_s >= view.start_s and start_s <= view.end_s
        ]
        if bars:
            rows, lefts, rights = map(np.array, zip(*bars, strict=True))
            ax.barh(
                rows,
                rights - lefts,
                left=lefts,
                height=height,
                color=COLORS[color],
                alpha=alpha,
                label=label,
                zorder=1 + layer,
            )
    label_rows(ax, routers)


def draw_reaction(ax: Axes, view: View, cwnd: pl.DataFrame, events: pl.DataFrame) -> None:
    """Draw a flow's congestion window, with timeouts and fast retransmits above."""
    segments = cwnd["cwnd_segments"].to_numpy()
    draw_held(ax, view, cwnd["time_s"].to_numpy(), segments, "data", "Congestion window")
    _, seen = view.held(cwnd["time_s"].to_numpy(), segments)
    top = float(seen.max(initial=1.0))
    for names, kind, label, shape in (
        (TIMEOUTS, "timeout", "Timeout (RTO)", "x"),
        (("fast_retransmit",), "retransmission", "Fast retransmit", "^"),
    ):
        time_s = events.filter(events["event"].is_in(names))["time_s"].to_numpy()
        time_s = time_s[view.holds(time_s)]
        draw_marks(ax, time_s, np.full(len(time_s), 1.12 * top), kind, label, Mark(shape, 6))
    ax.set_ylim(top=1.28 * top)


def draw_losses(ax: Axes, view: View, lost_s: Floats, flow: int) -> None:
    """Draw lost packets of a flow at the bottom."""
    lost_s = lost_s[view.holds(lost_s)]
    label = f"Packet of flow {flow} lost"
    draw_marks(ax, lost_s, np.zeros(len(lost_s)), "drop", label, Mark("|", 9))
