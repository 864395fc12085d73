"""What a middlebox holds for a mobile, its round-trip times over the radio, and what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.lab.panel import Layer, PanelKind, Sight, has
from thinpipe.plot.middlebox import RETRANSMISSIONS, stalls
from thinpipe.plot.waits import LOSSES, by_class, named

if TYPE_CHECKING:
    import polars as pl

CURVES: Final = {
    "queued_bytes": ("queued in the middlebox", "window"),
    "in_flight_bytes": ("in flight over the radio", "data"),
    "cwnd_bytes": ("allowed in flight", "acknowledgement"),
}
"""Columns of the backlog: what they are, and the tone where one run is drawn."""

SHAPES: Final = ("diamond", "square", "plus", "triangle", "cross", "dot")
"""Of events other than retransmissions, in the order in which they come."""


def mobile(sight: Sight, rows: pl.DataFrame) -> tuple[str, pl.DataFrame]:
    """Return the rows of one mobile, and a label if there are others.

    Mobiles count in the order in which the middlebox handled their first connection, which is that
    of flows where each mobile has one.
    """
    summary = sight.run.middlebox
    count = 1 if summary is None else max(summary.mobiles, 1)
    number = sight.mobile(count)
    return (f", mobile {number}" if count > 1 else ""), rows.filter(rows["mobile"] == number)


def backlog(sight: Sight) -> list[Layer]:
    """Return what is queued, in flight and allowed in flight, and a mark at each event."""
    which, rows = mobile(sight, sight.run.middlebox_backlog)
    time_s = rows["time_s"].to_numpy()
    drawn: list[Layer] = []
    alone = not sight.several
    for column, (label, tone) in CURVES.items():
        values = rows[column].to_numpy() / 1000
        look = {"tone": tone} if alone else {"faint": column == "in_flight_bytes"}
        dotted = not alone and column == "cwnd_bytes"
        drawn += sight.steps(f"{label}{which}", time_s, values, dotted=dotted, **look)
    return drawn


def round_trips(sight: Sight) -> list[Layer]:
    """Return the round-trip times between box and mobile, stalls as bars, and events as marks."""
    which, rows = mobile(sight, sight.run.middlebox_rtt)
    _, events = mobile(sight, sight.run.middlebox_events)
    rtt_s = rows["rtt_s"].to_numpy()
    drawn: list[Layer] = []
    top = float(rtt_s.max(initial=1.0))
    spans = [
        (max(since, sight.start_s), min(until, sight.end_s))
        for since, until in stalls(events, sight.run.result.duration_s)
        if until >= sight.start_s and since <= sight.end_s
    ]
    if spans:
        since_s, until_s = map(np.array, zip(*spans, strict=True))
        drawn.append(
            sight.layer(
                "bars",
                f"stall: nothing received ({len(spans):,})",
                x0=since_s,
                x1=until_s,
                y0=np.zeros(len(spans)),
                y1=np.full(len(spans), top),
                tone="muted",
                faint=True,
            )
        )
    drawn += sight.samples(f"RTT over the radio{which}", rows["time_s"].to_numpy(), rtt_s)
    return [*drawn, *_marks(sight, events, top)]


def waits(sight: Sight) -> list[Layer]:
    """Return how long each packet waited that the box does not read, and a mark at each loss."""
    which, rows = mobile(sight, sight.run.middlebox_waits)
    drawn: list[Layer] = []
    for name, color, of_class in by_class(rows):
        label = f"{named(name)}{which}"
        look = {} if sight.several else {"color": color}
        release = of_class["release"].cast(str)
        sent = of_class.filter(~release.is_in([*LOSSES]))
        time_s, waited_s = (sent[column].to_numpy() for column in ("time_s", "waited_s"))
        drawn += sight.samples(label, time_s, waited_s, **look)
        for loss, shape in (("late", "cross"), ("crowded", "triangle")):
            lost = of_class.filter(release == loss)
            time_s, zero = lost["time_s"].to_numpy(), np.zeros(len(lost))
            drawn += sight.marks(f"{label}: {loss}", time_s, zero, shape=shape, **look)
    return drawn


def rates(sight: Sight) -> list[Layer]:
    """Return the rate of a mobile's radio, as the box estimates it and as the radio reports it."""
    which, rows = mobile(sight, sight.run.middlebox_rates)
    drawn: list[Layer] = []
    for column, label, tone in (
        ("reported_bps", "reported by the radio", "muted"),
        ("estimate_bps", "estimated by the middlebox", "data"),
    ):
        known = rows.drop_nulls(column)
        look = {"faint": column == "reported_bps"} if sight.several else {"tone": tone}
        time_s, bps = (known[name].to_numpy() for name in ("time_s", column))
        if len(known):
            drawn += sight.steps(f"{label}{which}", time_s, bps / 1000, **look)
    return drawn


def _marks(sight: Sight, events: pl.DataFrame, top: float) -> list[Layer]:
    """Return a mark at each event: retransmissions at the bottom, others at the top."""
    names = events["event"].cast(str)
    drawn: list[Layer] = []
    others = iter(SHAPES * len(events))
    for event in names.unique(maintain_order=True):
        some = events.filter(names == event)
        again = event in RETRANSMISSIONS
        said = event.replace("_", " ")
        drawn += sight.marks(
            said,
            some["time_s"].to_numpy(),
            np.full(len(some), 0.0 if again else top),
            shape="triangle" if again else next(others),
            tone="retransmission" if again else "drop",
            tips=[
                f"{said}, connection {connection}, offset {offset:,}"
                for connection, offset in some.select("connection", "offset").iter_rows()
            ],
        )
    return drawn


BACKLOG: Final = PanelKind(
    "middlebox", "Backlog of the middlebox", "kB", backlog, there=has("middlebox_backlog")
)
LEG: Final = PanelKind(
    "middlebox-rtt",
    "Middlebox to mobile: round-trip time and events",
    "s",
    round_trips,
    there=has("middlebox_rtt"),
)
WAITS: Final = PanelKind(
    "middlebox-waits",
    "Waits in the middlebox of what is not TCP, by class",
    "s",
    waits,
    there=has("middlebox_waits"),
)
RATES: Final = PanelKind(
    "middlebox-rate",
    "Rate of the radio by the middlebox's estimate",
    "kbit/s",
    rates,
    there=has("middlebox_rates"),
)
