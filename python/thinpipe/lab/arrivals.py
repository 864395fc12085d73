"""Which packet is at a time: those that arrive at a link, as `drop_arrivals` numbers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.lab.request import RequestError
from thinpipe.plot.series import SYN, segments_sent, sent_towards_receiver

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.recording import Recording


@dataclass(frozen=True, slots=True)
class Arrival:
    """A packet at a link.

    Attributes
    ----------
    link
        The keys of the link's direction: ``link`` or ``link.back``.
    number
        Its number among those that arrive and count (`link.drop_arrivals`).
    said
        Which one it is, in words.
    """

    link: str
    number: int
    uid: int
    time_s: float
    said: str


def nearest(run: Recording, flow: int, values: Mapping[str, str], at_s: float) -> Arrival:
    """Return the packet of a flow's data that came to the link at about a time and passed it.

    Raises
    ------
    RequestError
        If there is none.
    """
    chosen = run.flows[min(flow, len(run.flows) - 1)]
    offsets: dict[int, int] = {}
    if chosen.datagrams is None and chosen.started_s is not None:
        ours = sent_towards_receiver(run.segments, chosen.id)
        sent = segments_sent(ours)
        sent = sent.only(sent.carries_data)
        offsets = dict(zip(sent.uid.tolist(), sent.first.tolist(), strict=True))
    candidates = []
    for link, way in (("link", "down"), ("link.back", "up")):
        here = run.hops.filter(run.hops["machine"].cast(str) == f"{values['link.name']}/{way}")
        arrived = counted(run, here)
        passed = set(here.filter(here["event"] == "left")["uid"].to_list())
        candidates += [
            (abs(time_s - at_s), link, number, uid, time_s)
            for number, (time_s, uid) in enumerate(arrived.select("time_s", "uid").iter_rows())
            if uid in passed and (uid in offsets or chosen.datagrams is not None)
        ]
    if not candidates:
        raise RequestError(f"no data of flow {flow} pass {values['link.name']}")
    _, link, number, uid, time_s = min(candidates)
    which = f"the segment from byte {offsets[uid]:,}" if uid in offsets else "the datagram"
    said = f"Dropped {which}, arrival {number} at {values['link.name']}, at {time_s:.6g} s"
    return Arrival(link, number, uid, time_s, said)


def counted(run: Recording, here: pl.DataFrame) -> pl.DataFrame:
    """Return the arrivals that count at a link, of its rows of `hops`: no pure acknowledgements."""
    segments = run.segments
    empty = segments["payload_bytes"] == 0
    opens = (segments["flags"].to_numpy().astype(np.int64) & SYN) > 0
    acknowledgements = segments.filter(empty.to_numpy() & ~opens)["uid"].unique()
    entered = here.filter(here["event"] == "entered")
    return entered.filter(~entered["uid"].is_in(acknowledgements.implode()))
