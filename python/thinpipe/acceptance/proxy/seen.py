"""A flow's results, from the test bed or the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.papers.chakravorty2003.measuring import (
    connect_s,
    delivered,
    opening_end,
    radio_end,
    received_s,
)
from thinpipe.papers.series import Steps
from thinpipe.testbed.packets import Transfer, measure, of_segments

if TYPE_CHECKING:
    from thinpipe.acceptance.proxy.carry import Carried
    from thinpipe.papers.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Seen:
    """A flow; times in seconds since its SYN left the mobile.

    Attributes
    ----------
    connect_s, last_s
        When the mobile was connected, and when the receiver had the last byte; for an upload in
        the test bed, when the mobile had the host's digest of it.
    transfer
        The flow over the radio, as its sender there saw it: the proxy, the host, or the mobile.
    curve
        Bytes received by the mobile over time.
    """

    connect_s: float
    last_s: float
    transfer: Transfer
    curve: Steps


def of_carried(carried: Carried) -> tuple[Seen, ...]:
    """Return the flows of a test bed run."""
    return tuple(
        Seen(
            flow.connect_s or float("inf"),
            flow.last_s or float("inf"),
            transfer,
            Steps(
                np.array([0.0, *(time_s for time_s, _ in flow.curve), flow.last_s or 0.0]),
                np.array([0.0, *(amount for _, amount in flow.curve), float(flow.bytes)]),
                flow.total_s,
            ),
        )
        for flow, transfer in zip(carried.flows, carried.transfers, strict=True)
    )


def of_simulated(run: Outcome, flows: int) -> tuple[Seen, ...]:
    """Return the first flows of a simulation with recorded segments."""
    segments = run.tables["segments"]
    found = []
    for flow in range(flows):
        start_s = float(opening_end(run, flow)["time_s"][0])
        rows = radio_end(segments, flow)
        transfer = measure(of_segments(rows, rows["endpoint"][0]), ())
        curve = delivered(run, flow)
        found.append(
            Seen(
                connect_s(run, flow),
                received_s(run, flow, start_s),
                transfer,
                Steps(curve.time_s - start_s, curve.value, curve.end_s - start_s),
            )
        )
    return tuple(found)
