"""Convert column arrays of a run to polars tables."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from thinpipe import _core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

ALWAYS: Final = ("rtt", "cwnd", "events", "capacity")
"""Tables of every run."""

CELL: Final = ("rrc", "codes", "handovers", "common")
"""Tables of a run with ``radio.kind = "umts-cell"``; LTE and NR have ``handovers``, too."""

APPLICATION: Final = ("pages", "echoes", "probes", "datagrams")
"""Tables of the applications that a run has."""

VEGAS: Final = ("base_rtt",)
"""Tables of a run whose congestion control uses the minimum round-trip time."""

MIDDLEBOX: Final = (
    "middlebox_backlog",
    "middlebox_rtt",
    "middlebox_events",
    "middlebox_waits",
    "middlebox_echoes",
    "middlebox_rates",
)
"""Tables of a run with a middlebox; the last three where there is something of the kind."""

MOBILE: Final = ("mobility",)
"""Tables of a run with mobiles that move through an IPv6 network."""

RADIO: Final = ("snr", "power")
"""Tables of a traced run whose radio has a ratio of signal to noise, or powers."""

TRACED: Final = ("segments", "blocks", *RADIO, "hops", "queue")
"""Tables of a run with ``trace=True``."""

NAMES: Final = (*ALWAYS, *VEGAS, *TRACED, *APPLICATION, *CELL, *MIDDLEBOX, *MOBILE)
"""Tables of any run."""

_NAMES: Final[dict[tuple[str, str], Sequence[str]]] = {
    ("events", "event"): _core.EVENTS,
    ("segments", "event"): ("sent", "received"),
    ("segments", "towards"): ("receiver", "sender"),
    ("blocks", "direction"): ("down", "up"),
    ("snr", "direction"): ("down", "up"),
    ("blocks", "kind"): ("data", "retransmission", "control"),
    ("hops", "event"): ("entered", "left", "dropped", "duplicated", "corrupted"),
    ("queue", "event"): ("entered", "dequeued", "dropped"),
    ("queue", "reason"): _core.DROP_REASONS,
    ("rrc", "from"): _core.RRC_STATES,
    ("rrc", "to"): _core.RRC_STATES,
    ("rrc", "event"): _core.RRC_EVENTS,
    ("codes", "event"): _core.CODE_EVENTS,
    ("handovers", "event"): _core.HANDOVER_EVENTS,
    ("common", "direction"): ("down", "up"),
    ("middlebox_events", "event"): _core.MIDDLEBOX_EVENTS,
    ("middlebox_waits", "release"): _core.MIDDLEBOX_RELEASES,
    ("mobility", "event"): _core.MOBILITY_EVENTS,
    ("datagrams", "lost_by"): _core.DROP_REASONS,
}

_NAN_IS_NULL: Final = (
    ("datagrams", "arrived_s"),
    ("datagrams", "delay_s"),
    ("queue", "delay_s"),
    ("capacity", "rate_bps"),
    ("middlebox_rates", "estimate_bps"),
    ("middlebox_rates", "reported_bps"),
)
"""Number columns in which NaN means null; in columns of names an index past the last does."""


class NoTableError(ValueError):
    """A run has no table of this name; the message is one line."""


def frame(
    table: str,
    columns: Mapping[str, NDArray[np.generic[Any]]],
    machines: Sequence[str],
    droppers: Sequence[str],
    links: Sequence[str],
    classes: Sequence[str],
) -> pl.DataFrame:
    """Return one table; columns of indices become columns of names."""
    import polars as pl

    of_machines = [("hops", "machine"), ("segments", "endpoint"), ("mobility", "agent")]
    of_links = [("queue", "link"), ("capacity", "link")]
    names = {**_NAMES, ("datagrams", "lost_at"): droppers, ("middlebox_waits", "class"): classes}
    names |= dict.fromkeys(of_machines, machines) | dict.fromkeys(of_links, links)
    series: dict[str, pl.Series] = {}
    for column, values in columns.items():
        words = names.get((table, column))
        if words is None:
            nan_is_null = (table, column) in _NAN_IS_NULL
            series[column] = pl.Series(column, values, nan_to_null=nan_is_null)
        else:
            series[column] = _kinds(tuple(words))[values]
    return pl.DataFrame(series)


@lru_cache(64)
def _kinds(words: tuple[str, ...]) -> pl.Series:
    """Return names as a series from which indices gather; one past the last is null."""
    import polars as pl

    return pl.Series([*words, None], dtype=pl.Enum(words))
