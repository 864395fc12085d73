"""A sender as the thesis describes it: each acknowledgement, and the packets that it releases.

Packets are counted as in the thesis: the SYN is packet 0, packet n is the n-th full segment, and an
acknowledgement is called by the last packet that it covers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.series import Steps
from thinpipe.plot.series import sending_end

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.papers.outcomes import Outcome

MSS: Final = 1000
"""Payload of a packet in bytes."""

MOMENT_S: Final = 1e-9
"""Shorter than anything that happens."""


@dataclass(frozen=True, slots=True)
class Step:
    """An acknowledgement, or an expiry of the timer, and what the sender does upon it.

    Attributes
    ----------
    ack
        The last packet covered; of an expiry, by what came before.
    duplicate
        0 for an acknowledgement of something new, k for the k-th duplicate of `ack`, −1 for an
        expiry of the timer.
    sent
        The packets that leave.
    outstanding
        Packets sent and not covered, once these have left.
    cwnd, ssthresh
        Windows in packets, likewise.
    """

    time_s: float
    ack: int
    duplicate: int
    sent: tuple[int, ...]
    outstanding: int
    cwnd: float
    ssthresh: float


@dataclass(frozen=True)
class Trace:
    """All steps of a sender after its SYN was acknowledged, in order."""

    steps: tuple[Step, ...]

    @classmethod
    def of(cls, outcome: Outcome) -> Trace:
        """Follow the first flow of a traced run."""
        moments = _moments(sending_end(outcome.tables["segments"], flow=0))
        return cls(tuple(_steps(moments, Windows.of(outcome))))

    @cached_property
    def first_loss(self) -> Step:
        """The step upon which a packet first is retransmitted: the third duplicate, normally.

        Raises
        ------
        ValueError
            If there is none.
        """
        known: set[int] = set()
        for step in self.steps:
            if not known.isdisjoint(step.sent):
                return step
            known.update(step.sent)
        raise ValueError("this sender sent nothing again")

    def duplicates(self, ack: int) -> list[Step]:
        """Return the first series of duplicates of an acknowledgement."""
        found: list[Step] = []
        for step in self.steps:
            if step.ack == ack and step.duplicate > 0:
                if step.duplicate <= len(found):
                    break
                found.append(step)
        return found

    def fresh(self, ack: int) -> Step | None:
        """Return the step at which a packet was first covered; ``None`` if it was jumped over."""
        return next((s for s in self.steps if s.ack == ack and s.duplicate == 0), None)

    def next_fresh(self, after: Step) -> Step | None:
        """Return the first acknowledgement of something new after a step."""
        later = self.steps[self.steps.index(after) + 1 :]
        return next((step for step in later if step.duplicate == 0), None)

    def covers(self, packet: int, since: Step) -> Step | None:
        """Return the first step after `since` whose acknowledgement covers a packet."""
        later = self.steps[self.steps.index(since) + 1 :]
        return next((step for step in later if step.ack >= packet), None)


@dataclass(frozen=True, slots=True)
class Windows:
    """The congestion window and the slow-start threshold over time."""

    cwnd: Steps
    ssthresh: Steps

    @classmethod
    def of(cls, outcome: Outcome) -> Windows:
        """Read those of the first flow."""
        cwnd, table = Steps.cwnd(outcome), outcome.tables["cwnd"]
        ssthresh = table.filter(table["flow"] == 0)["ssthresh_segments"].to_numpy()
        return cls(cwnd, Steps(cwnd.time_s, ssthresh, cwnd.end_s))

    def after(self, time_s: float) -> tuple[float, float]:
        """Return both once all that happens at a time has happened."""
        moment = np.array([time_s + MOMENT_S])
        return float(self.cwnd.at(moment)[0]), float(self.ssthresh.at(moment)[0])


@dataclass(slots=True)
class _Moment:
    """A received acknowledgement, or none, and the packets sent at that time."""

    time_s: float
    ack: int | None
    sent: list[int]


def packet(offset: int) -> int:
    """Return the number of the packet that starts so far into the stream.

    >>> packet(0), packet(13_000)
    (1, 14)
    """
    return offset // MSS + 1


def _moments(rows: pl.DataFrame) -> list[_Moment]:
    columns = (rows[name].to_list() for name in ("time_s", "event", "seq", "ack", "payload_bytes"))
    found: list[_Moment] = []
    for time_s, event, seq, ack, payload in zip(*columns, strict=True):
        if event == "received":
            found.append(_Moment(time_s, (ack - 1) // MSS, []))
        elif payload:
            if not found or time_s > found[-1].time_s + MOMENT_S:
                found.append(_Moment(time_s, None, []))
            found[-1].sent.append(packet(seq - 1))
    return found


def _steps(moments: list[_Moment], windows: Windows) -> Iterator[Step]:
    acked = highest = duplicate = 0
    for moment in moments:
        kind = -1
        if moment.ack is not None:
            duplicate = duplicate + 1 if moment.ack == acked and highest > acked else 0
            acked, kind = max(acked, moment.ack), duplicate
        highest = max([highest, *moment.sent])
        cwnd, ssthresh = windows.after(moment.time_s)
        sent = tuple(moment.sent)
        yield Step(moment.time_s, acked, kind, sent, highest - acked, cwnd, ssthresh)
