"""The set-up of Table 3 and Fig. 4, read off traced runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from thinpipe.papers.lo2005.experiments import TRACED_SEEDS, point
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome

Value = Callable[["Outcome"], float]


def table(outcomes: Outcomes) -> Table:
    """Return what the paper sets beside what traced runs show, the minimum and maximum run."""
    return Table(
        f"The set-up: what the paper has, and what {len(TRACED_SEEDS)} traced runs at 5 % block "
        "errors show",
        ("quantity", "paper", "where", "ours"),
        tuple(
            (name, paper, where, _shown(outcomes, variant, value))
            for name, paper, where, variant, value in ROWS
        ),
    )


def _shown(outcomes: Outcomes, variant: str, value: Value) -> str:
    values = [value(outcomes[point(variant, 5, seed)]) for seed in TRACED_SEEDS]
    ends = [short(min(values)), short(max(values))]
    return ends[0] if ends[0] == ends[1] else " – ".join(ends)


def most_blocks_a_tti(direction: str) -> Value:
    """Measure the most blocks with data that a TTI of a direction carries."""
    return lambda run: float(np.unique_counts(_block_times(run, direction)).counts.max())


def tti_ms(direction: str) -> Value:
    """Measure the minimum time between two TTIs with blocks."""
    return lambda run: round(
        1000 * float(np.diff(np.unique(_block_times(run, direction))).min()), 6
    )


def blocks_a_segment(run: Outcome) -> float:
    """Return how many blocks of new data a segment takes."""
    new = pl.col("kind").cast(pl.String) == "data"
    return len(_blocks(run, "down").filter(new)) / run.flow.segments_sent


def largest_segment(run: Outcome) -> float:
    """Return the maximum payload of a segment, in bytes."""
    return float(run.tables["segments"]["payload_bytes"].to_numpy().max())


def most_under_way(run: Outcome) -> float:
    """Return the most data sent and not acknowledged, in segments."""
    host = run.tables["segments"].filter(pl.col("endpoint").cast(pl.String).str.starts_with("host"))
    sent = pl.when(pl.col("event").cast(pl.String) == "sent")
    ends = sent.then(pl.col("seq") + pl.col("payload_bytes")).otherwise(0).cum_max()
    acks = sent.then(0).otherwise(pl.col("ack")).cum_max()
    under_way = host.select(ends.cast(pl.Int64) - acks.cast(pl.Int64)).to_series().to_numpy()
    return float(under_way.max()) / largest_segment(run)


def block_error_percent(run: Outcome) -> float:
    """Return the share of downlink blocks in error."""
    return 100 * float(_blocks(run, "down")["error"].to_numpy().mean())


def _blocks(run: Outcome, direction: str) -> pl.DataFrame:
    return run.tables["blocks"].filter(pl.col("direction").cast(pl.String) == direction)


def _block_times(run: Outcome, direction: str) -> NDArray[np.float64]:
    """Return when each block with data was sent, in seconds."""
    with_data = pl.col("kind").cast(pl.String) != "control"
    return _blocks(run, direction).filter(with_data)["time_s"].to_numpy()


ROWS: Final[tuple[tuple[str, str, str, str, Value], ...]] = (
    ("data blocks in a TTI of the downlink, the most", "12", "4.3", "vegas",
     most_blocks_a_tti("down")),
    ("data blocks in a TTI of the uplink, the most", "4 (64 kbit/s · 20 ms / 320 bit)", "Table 3",
     "vegas", most_blocks_a_tti("up")),
    ("TTI of the downlink, ms", "10", "Table 3", "vegas", tti_ms("down")),
    ("TTI of the uplink, ms", "20", "Table 3", "vegas", tti_ms("up")),
    ("blocks a segment of Vegas takes", "14 (553 B / 40 B)", "4.3, Fig. 4", "vegas",
     blocks_a_segment),
    ("payload of a segment, B", "512", "Table 3", "vegas", largest_segment),
    ("segments under way, the most of Reno", "64", "Table 3", "reno", most_under_way),
    ("downlink blocks in error, %", "5", "4.3", "vegas", block_error_percent),
    ("min round-trip time of Vegas, s (fitted)", "0.12", "5.2", "vegas",
     lambda run: run.flow.rtt_s.min or 0.0),
)  # fmt: skip
"""Quantity, the paper's value and its place, and which runs show it."""
