"""Equations 2 and 3 in the simulator: how long packets stay at each interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome

    Floats = NDArray[np.float64]

INTERFACES: Final = ("Uu", "Iub", "IuPS", "Gn", "Gi")


@dataclass(frozen=True, slots=True)
class Split:
    """The sender's round-trip times of segments sent once, and their parts by interface (s)."""

    rtt_s: Floats
    segment_s: dict[str, Floats]
    acknowledgement_s: dict[str, Floats]

    @classmethod
    def of(cls, outcome: Outcome) -> Split:
        """Follow each segment and its acknowledgement through a traced run."""
        pairs = _pairs(outcome)
        stays = stays_s(outcome.tables["hops"])
        return cls(
            pairs["rtt_s"].to_numpy(),
            {each: _stay(stays, pairs["segment"], each) for each in INTERFACES},
            {each: _stay(stays, pairs["acknowledgement"], each) for each in INTERFACES},
        )

    def sum_s(self) -> Floats:
        """Return the sum of the parts (eqs. 2 and 3)."""
        parts = (*self.segment_s.values(), *self.acknowledgement_s.values())
        total: Floats = np.sum(parts, axis=0)
        return total


def stays_s(hops: pl.DataFrame) -> pl.DataFrame:
    """Return how long each packet stayed at each interface: uid, interface, entered_s, stay_s.

    A packet passes an interface in one direction only, so both directions' machines are one.
    """
    import polars as pl

    interface = pl.col("machine").cast(pl.String).str.split("/").list.first()
    rows = hops.with_columns(interface=interface)
    entered = rows.filter(pl.col("event") == "entered")
    left = rows.filter(pl.col("event") == "left").select("uid", "interface", left_s="time_s")
    return (
        entered.select("uid", "interface", entered_s="time_s")
        .join(left, on=["uid", "interface"], maintain_order="left")
        .with_columns(stay_s=pl.col("left_s") - pl.col("entered_s"))
    )


def ttis_of_a_packet(outcome: Outcome) -> float:
    """Return the mean number of downlink TTIs with data blocks while a data packet was at Uu."""
    return _ttis(outcome, "down", _data(outcome))


def ttis_of_an_acknowledgement(outcome: Outcome) -> float:
    """Return the mean number of uplink TTIs with data blocks while an acknowledgement was at Uu."""
    segments = outcome.tables["segments"]
    pure = (segments["payload_bytes"] == 0) & (segments["seq"] > 0)
    return _ttis(outcome, "up", segments.filter(pure & (segments["event"] == "sent")))


def _ttis(outcome: Outcome, direction: str, packets: pl.DataFrame) -> float:
    blocks = outcome.tables["blocks"]
    chosen = (blocks["direction"] == direction) & (blocks["kind"] == "data")
    times_s = np.unique(blocks.filter(chosen)["time_s"].to_numpy())
    entered_s, left_s = _at_uu(outcome, packets)
    counts = np.searchsorted(times_s, left_s) - np.searchsorted(times_s, entered_s)
    return float(np.mean(counts))


def min_extra_delay_ms(outcome: Outcome, rounds: int | None = None) -> float:
    """Return the minimum delay over Uu beyond the error-free one, of packets sent one at a time.

    Of those whose blocks went through that many rounds of retransmission; any, if ``None``.
    """
    entered_s, left_s = _at_uu(outcome, _data(outcome))
    extra_ms = 1000 * (left_s - entered_s - np.min(left_s - entered_s))
    taken = _rounds(outcome, entered_s)
    return float(np.round(np.min(extra_ms[taken == rounds if rounds else taken > 0]), 6))


def _rounds(outcome: Outcome, entered_s: Floats) -> NDArray[np.int64]:
    """Return for each packet how often, at most, a block of it was retransmitted."""
    blocks = _downlink(outcome).filter(_downlink(outcome)["kind"] == "retransmission")
    packet = np.searchsorted(entered_s, blocks["time_s"].to_numpy(), side="right") - 1
    rows, counts = np.unique(
        np.stack([packet, blocks["sn"].to_numpy().astype(np.int64)]), axis=1, return_counts=True
    )
    rounds = np.zeros(len(entered_s), dtype=np.int64)
    np.maximum.at(rounds, rows[0], counts)
    return rounds


def _downlink(outcome: Outcome) -> pl.DataFrame:
    blocks = outcome.tables["blocks"]
    return blocks.filter(blocks["direction"] == "down")


def _data(outcome: Outcome) -> pl.DataFrame:
    segments = outcome.tables["segments"]
    return segments.filter((segments["payload_bytes"] > 0) & (segments["event"] == "sent"))


def _at_uu(outcome: Outcome, packets: pl.DataFrame) -> tuple[Floats, Floats]:
    """Return when packets entered and left Uu, of those that left before the run ended."""
    stays = stays_s(outcome.tables["hops"])
    here = (stays["interface"] == "Uu") & stays["uid"].is_in(packets["uid"].implode())
    stays = stays.filter(here & stays["left_s"].is_not_null())
    return stays["entered_s"].to_numpy(), stays["left_s"].to_numpy()


def _pairs(outcome: Outcome) -> pl.DataFrame:
    """Pair each data segment with the acknowledgement of its arrival and the sender's sample."""
    import polars as pl

    segments = outcome.tables["segments"]
    sampled = outcome.tables["rtt"].select("rtt_s", seq=pl.col("offset") + 1)
    data = segments.filter(pl.col("payload_bytes") > 0)
    pure = segments.filter(pl.col("payload_bytes") == 0)
    end = pl.col("seq") + pl.col("payload_bytes")
    sent = data.filter(pl.col("event") == "sent").with_columns(end=end)
    once = sent.filter(pl.col("seq").is_unique())
    arrived = data.filter(pl.col("event") == "received").select("uid", at_ue_s="time_s")
    answered = pure.filter(pl.col("event") == "sent").select(
        acknowledgement="uid", at_ue_s="time_s", end="ack"
    )
    return (
        once.join(arrived, on="uid")
        .join(answered, on=["at_ue_s", "end"])
        .join(sampled.cast({"seq": once["seq"].dtype}), on="seq")
        .sort("time_s")
        .select("acknowledgement", "rtt_s", segment="uid")
    )


def _stay(stays: pl.DataFrame, uids: pl.Series, interface: str) -> Floats:
    here = stays.filter(stays["interface"] == interface).select("uid", "stay_s")
    found = uids.to_frame("uid").join(here, on="uid", how="left", maintain_order="left")
    return found["stay_s"].fill_null(0.0).to_numpy()
