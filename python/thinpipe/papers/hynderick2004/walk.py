"""The thesis's statements on a sender, measured on its trace."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from thinpipe.papers.hynderick2004.trace import Step, Trace

if TYPE_CHECKING:
    from thinpipe.papers.outcomes import Outcome


def resent_at(trace: Trace, packet: int) -> int | None:
    """Return upon which duplicate a packet was first retransmitted."""
    again = (step for step in _after_first(trace, packet) if packet in step.sent)
    return next((step.duplicate for step in again), None)


def on_duplicates(trace: Trace, ack: int, first: int = 1, last: int | None = None) -> list[int]:
    """Return the packets sent from the first to the last of these duplicates of `ack`."""
    return list(chain.from_iterable(s.sent for s in trace.duplicates(ack)[first - 1 : last]))


def on_last_duplicates(trace: Trace, ack: int, count: int) -> list[int]:
    """Return the packets that leave on so many last duplicates of `ack`."""
    return list(chain.from_iterable(step.sent for step in trace.duplicates(ack)[-count:]))


def new_on_duplicates(trace: Trace, ack: int) -> list[int]:
    """Return the new packets sent on duplicates of `ack`."""
    known = {packet for step in _before(trace, trace.duplicates(ack)) for packet in step.sent}
    return [packet for packet in on_duplicates(trace, ack) if packet not in known]


def upon(trace: Trace, ack: int) -> list[int]:
    """Return the packets sent when an acknowledgement first arrives."""
    step = trace.fresh(ack)
    return [] if step is None else list(step.sent)


def whole_cwnd(step: Step | None) -> int | None:
    """Return the congestion window after a step, in whole packets."""
    return None if step is None else int(step.cwnd)


def windows(step: Step | None) -> list[int]:
    """Return both windows after a step, in whole packets; nothing without one."""
    return [] if step is None else [int(step.cwnd), int(step.ssthresh)]


def end(trace: Trace) -> list[int]:
    """Return the acknowledgement that ends the recovery, and the window after it."""
    step = recovered(trace)
    return [] if step is None else [step.ack, int(step.cwnd)]


def inflated(trace: Trace, ack: int) -> int | None:
    """Return the window after the last duplicate of `ack`."""
    steps = trace.duplicates(ack)
    return whole_cwnd(steps[-1]) if steps else None


def inflated_and_released(trace: Trace, ack: int) -> list[int]:
    """Return the window after the last duplicate of `ack`, and the new packets on them all."""
    window = inflated(trace, ack)
    return [] if window is None else [window, *new_on_duplicates(trace, ack)]


def answer(trace: Trace) -> Step | None:
    """Return the first acknowledgement of something new after the loss was noticed."""
    return trace.next_fresh(trace.first_loss)


def recovered(trace: Trace) -> Step | None:
    """Return the step that covers all data outstanding when the loss was detected."""
    loss = trace.first_loss
    return trace.covers(loss.ack + loss.outstanding, loss)


def recovery_s(trace: Trace) -> float | None:
    """Return the time from the third duplicate, or the expiry, to that step."""
    step = recovered(trace)
    return None if step is None else step.time_s - trace.first_loss.time_s


def alone(trace: Trace) -> int | None:
    """Return how many packets leave between the loss and the answer to the packet retransmitted."""
    end = answer(trace)
    if end is None:
        return None
    within = trace.steps[trace.steps.index(trace.first_loss) + 1 : trace.steps.index(end)]
    return sum(len(step.sent) for step in within)


def last_of_slow_start(trace: Trace) -> int | None:
    """Return the last packet whose acknowledgement raises the window by one, after the loss."""
    start = answer(trace)
    if start is None:
        return None
    steps = [s for s in trace.steps[trace.steps.index(start) :] if s.duplicate == 0]
    return next((a.ack for a, b in pairwise(steps) if b.cwnd - a.cwnd < 1), None)


def needless(outcome: Outcome) -> int:
    """Count the packets that the receiver of the first flow got once more."""
    table = outcome.tables["segments"]
    data = table.filter(
        (table["flow"] == 0) & (table["event"] == "received") & (table["payload_bytes"] > 0)
    )
    return len(data) - data["seq"].n_unique()


def departures(trace: Trace, packet: int) -> int:
    """Count how often a packet left."""
    return sum(step.sent.count(packet) for step in trace.steps)


def spelled(packets: tuple[int, ...]) -> str:
    """Return packet numbers as a reader writes them.

    >>> spelled((14,)), spelled((14, 26, 28))
    ('14', '14, 26 and 28')
    """
    *most, last = map(str, packets)
    return f"{', '.join(most)} and {last}" if most else last


def _after_first(trace: Trace, packet: int) -> Iterable[Step]:
    """Return the steps after the one at which a packet left first."""
    first = next((n for n, step in enumerate(trace.steps) if packet in step.sent), len(trace.steps))
    return trace.steps[first + 1 :]


def _before(trace: Trace, steps: list[Step]) -> Iterable[Step]:
    return trace.steps[: trace.steps.index(steps[0])] if steps else trace.steps
