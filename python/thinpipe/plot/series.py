"""The data behind the plots of a flow, as its sender sees it.

Offsets are bytes of payload from 0; unlike sequence numbers, they do not wrap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Chosen = NDArray[np.bool_]

TIMEOUTS: Final = ("timeout", "handshake_timeout", "spurious_timeout")
"""Events of a flow whose retransmission timer fired."""

FIN: Final = 0x01
SYN: Final = 0x02
RST: Final = 0x04
ACK: Final = 0x10

SAMPLES: Final = 10
"""Number of instantaneous throughputs that the thesis and tcptrace average."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Segments that a flow's sender sent, in order of time.

    Attributes
    ----------
    first, last
        Offsets of the first byte of payload and of the one after the last.
    retransmitted
        True for retransmissions.
    """

    time_s: Floats
    uid: NDArray[np.uint64]
    first: Integers
    last: Integers
    retransmitted: Chosen
    flags: Integers

    def only(self, chosen: Chosen) -> Sent:
        """Return a selection of the segments."""
        return Sent(*(getattr(self, name)[chosen] for name in self.__slots__))

    @property
    def carries_data(self) -> Chosen:
        """True for segments with payload."""
        return self.last > self.first


@dataclass(frozen=True, slots=True)
class Acks:
    """Acknowledgements that reached a flow's sender, in order of time.

    Attributes
    ----------
    ack
        The first byte not acknowledged.
    edge
        The right edge of the receiver's window: the first byte beyond it.
    sack_from, sack_to
        The range acknowledged selectively; equal where there is none.
    """

    time_s: Floats
    ack: Integers
    edge: Integers
    sack_from: Integers
    sack_to: Integers

    def only(self, chosen: Chosen) -> Acks:
        """Return a selection of the acknowledgements."""
        return Acks(*(getattr(self, name)[chosen] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Outstanding:
    """Unacknowledged bytes, after each event at the sender that changes them.

    Attributes
    ----------
    mean_bytes
        Running mean of the samples.
    weighted_bytes
        Running mean weighted by time.
    """

    time_s: Floats
    instant_bytes: Floats
    mean_bytes: Floats
    weighted_bytes: Floats


@dataclass(frozen=True, slots=True)
class Throughput:
    """Throughput of a sender; segments sent at the same time are one sample.

    Attributes
    ----------
    payload_bits
        Payload of a sample.
    instant_bps
        Payload of a sample over the time since the previous one.
    last_bps
        Moving average of `instant_bps`; NaN until there are enough samples.
    mean_bps
        Payload so far over the time so far; NaN at first as well, because the first few segments
        do not give a rate.
    """

    time_s: Floats
    payload_bits: Floats
    instant_bps: Floats
    last_bps: Floats
    mean_bps: Floats


def sending_end(segments: pl.DataFrame, flow: int) -> pl.DataFrame:
    """Return the rows of the endpoint that sends a flow's data, or opened it if none does.

    Raises
    ------
    ValueError
        If nothing was sent.
    """
    both = segments.filter(segments["flow"] == flow)
    sent = both.filter(both["event"] == "sent")
    if len(sent) == 0:
        raise ValueError(f"flow {flow} sent nothing")
    data = sent.filter(sent["payload_bytes"] > 0)
    sender = (data if len(data) else sent)["endpoint"][0]
    return both.filter(both["endpoint"] == sender)


def sent_towards_receiver(segments: pl.DataFrame, flow: int) -> pl.DataFrame:
    """Return the segments with a flow's data, sent by its sender or again by a middlebox.

    Of runs saved by version 0.1 it is all at the sender.

    Raises
    ------
    ValueError
        If nothing was sent.
    """
    if "towards" not in segments.columns:
        return sending_end(segments, flow)
    is_ours = (segments["flow"] == flow) & (segments["event"] == "sent")
    return segments.filter(is_ours & (segments["towards"] == "receiver"))


def opening_and_data(sent: Sent) -> Sent:
    """Return a sender's SYN and the segments with data."""
    return sent.only(sent.carries_data | ((sent.flags & SYN) > 0))


def segments_sent(rows: pl.DataFrame) -> Sent:
    """Return the segments that the endpoint of `rows` sent."""
    sent = rows.filter(rows["event"] == "sent")
    flags = _integers(sent, "flags")
    opens = (flags & SYN) > 0
    seq = unwrapped(_integers(sent, "seq"))
    first = np.where(opens, 0, seq - 1)
    return Sent(
        sent["time_s"].to_numpy(),
        sent["uid"].to_numpy(),
        first,
        first + _integers(sent, "payload_bytes"),
        sent["transmission"].to_numpy() > 1,
        flags,
    )


def acks_received(rows: pl.DataFrame) -> Acks:
    """Return the acknowledgements that the endpoint of `rows` received."""
    heard = rows.filter(_acknowledges(rows))
    raw = _integers(heard, "ack")
    ack = unwrapped(raw) - 1
    known = "sack_to" in heard.columns  # not in runs that version 0.1 saved
    sack_from = _integers(heard, "sack_from") if known else raw
    sack_to = _integers(heard, "sack_to") if known else raw
    some = sack_from != sack_to
    return Acks(
        heard["time_s"].to_numpy(),
        ack,
        ack + _integers(heard, "window"),
        np.where(some, ack + _signed(sack_from - raw), ack),
        np.where(some, ack + _signed(sack_to - raw), ack),
    )


def outstanding(rows: pl.DataFrame) -> Outstanding:
    """Return the outstanding bytes at the endpoint of `rows` after each segment."""
    highest = np.zeros(len(rows), dtype=np.int64)
    lowest = np.zeros(len(rows), dtype=np.int64)
    highest[(rows["event"] == "sent").to_numpy()] = segments_sent(rows).last
    lowest[_acknowledges(rows).to_numpy()] = acks_received(rows).ack
    highest, lowest = np.maximum.accumulate(highest), np.maximum.accumulate(lowest)
    started = highest > 0
    time_s = rows["time_s"].to_numpy()[started]
    instant = np.maximum(highest - lowest, 0)[started].astype(np.float64)
    return Outstanding(time_s, instant, mean_so_far(instant), weighted_so_far(time_s, instant))


def throughput(sent: Sent, samples: int = SAMPLES) -> Throughput:
    """Return the sender's throughput at each time that it sent data."""
    data = sent.only(sent.carries_data)
    time_s, of = np.unique(data.time_s, return_inverse=True)
    payload_bits = 8.0 * (data.last - data.first)
    bits = np.bincount(of, weights=payload_bits, minlength=len(time_s)).astype(np.float64)
    instant = bits[1:] / np.diff(time_s)
    last = np.full(len(instant), np.nan)
    if len(instant) >= samples:
        last[samples - 1 :] = np.convolve(instant, np.full(samples, 1 / samples), mode="valid")
    mean = np.cumsum(bits)[1:] / (time_s[1:] - time_s[:1])
    mean[: samples - 1] = np.nan
    return Throughput(time_s[1:], bits[1:], instant, last, mean)


def mean_so_far(values: Floats) -> Floats:
    """Return the running mean of values."""
    mean: Floats = np.cumsum(values) / np.arange(1, len(values) + 1)
    return mean


def weighted_so_far(time_s: Floats, values: Floats) -> Floats:
    """Return the running time-weighted mean of a step curve."""
    if len(values) == 0:
        return values
    lasted = np.diff(time_s)
    area = np.concatenate([[0.0], np.cumsum(values[:-1] * lasted)])
    elapsed = time_s - time_s[0]
    mean: Floats = np.divide(area, elapsed, out=values.copy(), where=elapsed > 0)
    return mean


def unwrapped(numbers: Integers) -> Integers:
    """Unwrap 32-bit sequence numbers: each is near the previous one."""
    if len(numbers) == 0:
        return numbers
    steps = _signed(np.diff(numbers, prepend=numbers[:1]))
    whole: Integers = numbers[0] + np.cumsum(steps)
    return whole


def _signed(difference: Integers) -> Integers:
    """Return differences modulo 2³² in the range nearest to zero."""
    near: Integers = (difference + 2**31) % 2**32 - 2**31
    return near


def _acknowledges(rows: pl.DataFrame) -> pl.Series:
    return (rows["event"] == "received") & ((rows["flags"] & ACK) > 0)


def _integers(table: pl.DataFrame, column: str) -> Integers:
    values: Integers = table[column].to_numpy().astype(np.int64)
    return values


def goodput_kbps(rtt: pl.DataFrame, edges: Floats) -> Floats:
    """Return the payload acknowledged per second between `edges` in seconds, in kbit/s.

    `rtt` is the table of a flow's round-trip times.
    """
    offsets = np.maximum.accumulate(rtt["offset"].to_numpy().astype(np.float64))
    reached = np.searchsorted(rtt["time_s"].to_numpy(), edges, side="right")
    acked = np.where(reached > 0, np.append(0.0, offsets)[reached], 0.0)
    rates: Floats = np.diff(acked) * 8 / np.diff(edges) / 1000
    return rates
