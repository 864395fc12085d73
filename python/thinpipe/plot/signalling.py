"""Messages between a mobile and its routers and agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from thinpipe.plot.bindings import AGENT
from thinpipe.plot.drawing import Mark, View, draw_marks, label_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ADVERTISEMENT: Final = "router advertisement"

OF_A_LINK: Final = ("router", "neighbour")
"""First words of messages that stay on the link."""

MANY: Final = 16
"""Maximum number of rows; with more, messages of one kind to all peers share a row."""


def messages(mobility: pl.DataFrame, agent: str) -> pl.DataFrame:
    """Return a mobile's messages: ``time_s``, ``event``, and ``row``, which is kind and peer."""
    rows = mobility.filter(mobility["agent"] == agent)
    heard = rows["event"] == "advertised"
    shown = rows.select(
        "time_s",
        "subject",
        event=pl.when(heard).then(pl.lit("received")).otherwise(rows["event"].cast(str)),
        message=pl.when(heard).then(pl.lit(ADVERTISEMENT)).otherwise(rows["message"]),
    ).drop_nulls("message")
    of_link = shown["message"].str.split(" ").list.first().is_in(OF_A_LINK)
    named = pl.format("{}, {}", "message", "subject")
    return shown.with_columns(row=pl.when(of_link).then("message").otherwise(named))


def draw_messages(ax: Axes, view: View, mobility: pl.DataFrame, agent: str) -> None:
    """Draw each message to or from a mobile.

    There is one row per kind of message, and per peer for messages beyond the link unless that
    makes more than `MANY`, in the order of first occurrence.
    """
    shown, mobile = messages(mobility, agent), agent.removesuffix(AGENT)
    shown = shown.filter(view.holds(shown["time_s"].to_numpy()))
    if shown["row"].n_unique() > MANY:
        shown = shown.with_columns(row="message")
    rows = shown["row"].unique(maintain_order=True).to_list()
    rank = {row: number for number, row in enumerate(rows)}
    for event, label, mark, kind in (
        ("sent", f"Sent by {mobile}", Mark("^", 6), "retransmission"),
        ("received", f"Received by {mobile}", Mark("v", 6), "acknowledgement"),
    ):
        of_event = shown.filter(shown["event"] == event)
        heights = np.array([rank[row] for row in of_event["row"]], dtype=np.int64)
        draw_marks(ax, of_event["time_s"].to_numpy(), heights, kind, label, mark)
    label_rows(ax, [str(row) for row in rows])
