"""The thesis's advice (VI.F): windows, the initial window (Table VI.3), large segments."""

from __future__ import annotations

from itertools import pairwise, product
from statistics import median
from typing import TYPE_CHECKING, Final

from thinpipe.papers.hynderick2004.chapter6.measuring import (
    bytes_per_s,
    each,
    from_established,
    mean,
    off_by,
    percent_more,
    timeouts,
)
from thinpipe.papers.hynderick2004.chapter6.recovery import THESIS, WAITING, WITHOUT
from thinpipe.papers.hynderick2004.chapter6.setup import (
    HEADERS,
    MODULE_RATES,
    PDU,
    PDU_HEADER,
    SEEDS,
    SF_OF,
    bearer,
    transfer,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import percent, short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

# --- Table VI.3 -----------------------------------------------------------------------------------

SHORT_FILE: Final = 10_000
INITIAL_WINDOWS: Final = (1, 2, 4)
TABLE_3: Final = {
    8: (8_441, 16_084, 18_156),
    32: (8_679, 9_536, 10_855),
    64: (5_097, 5_610, 5_746),
}
"""B/s at the initial windows, by spreading factor."""

MANY_SEEDS: Final = range(1, 21)
"""A short transfer sees few errors, and its runs differ much."""


PROMPT: Final[Settings] = ()
"""The receiver of the scenario: an acknowledgement per packet."""


def short_transfers(sf: int, initial_window: int, receiver: Settings = PROMPT) -> tuple[Point, ...]:
    """Return the runs behind a cell of Table VI.3."""
    more: Settings = (
        ("tcp.initial_window", initial_window),
        ("flow.bytes", f"{SHORT_FILE} B"),
        *receiver,
    )
    return tuple(transfer(bearer(sf), bler=0.01, seed=seed, more=more) for seed in MANY_SEEDS)


SHORT_POINTS: Final = tuple(
    point
    for sf, initial_window, receiver in product(TABLE_3, INITIAL_WINDOWS, (PROMPT, WAITING))
    for point in short_transfers(sf, initial_window, receiver)
)


def rates(
    outcomes: Outcomes,
    sf: int,
    window: int,
    value: Callable[[Outcome], float] = from_established,
    receiver: Settings = PROMPT,
) -> list[float]:
    """Return the throughputs of a cell of Table VI.3 in B/s, one per seed."""
    return each(outcomes, short_transfers(sf, window, receiver), value)


def typical(outcomes: Outcomes, sf: int, window: int) -> float:
    """Return the median over seeds of a cell of Table VI.3 in B/s."""
    return median(rates(outcomes, sf, window))


def gain(outcomes: Outcomes, sf: int) -> float:
    """Return by how many per cent an initial window of 4 is faster than one of 1."""
    return 100 * (typical(outcomes, sf, 4) / typical(outcomes, sf, 1) - 1)


def gain_beside_slower(outcomes: Outcomes) -> list[float]:
    """Return by how many per cent the gain exceeds that at the next higher spreading factor."""
    gains = [gain(outcomes, sf) for sf in TABLE_3]
    return [100 * (faster / slower - 1) for faster, slower in pairwise(gains)]


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate Table VI.3, and what other clocks and receivers would make of it."""
    readings: tuple[tuple[str, Callable[[int, int], list[float]]], ...] = (
        ("since established", lambda sf, w: rates(outcomes, sf, w)),
        ("since the SYN", lambda sf, w: rates(outcomes, sf, w, bytes_per_s)),
        (
            "since established, waiting receiver",
            lambda sf, w: rates(outcomes, sf, w, receiver=WAITING),
        ),
    )
    rows = [
        (
            f"SF {sf}, IW {window}",
            short(stated_bps, 5),
            *(
                f"{short(ours, 5)} ({off_by(ours, stated_bps)})"
                for _, reading in readings
                for ours in [median(reading(sf, window))]
            ),
        )
        for sf, stated in TABLE_3.items()
        for stated_bps, window in zip(stated, INITIAL_WINDOWS, strict=True)
    ]
    caption = (
        "Table VI.3: 10 KB, 540 B, BLER 1 %, B/s, median of twenty seeds. Facts count from when "
        "the connection is established. The waiting receiver is that of IV.A: its ACK waits up to "
        "50 ms for a second packet."
    )
    gains = tuple(
        (
            f"SF {sf}",
            f"{short(100 * (stated[-1] / stated[0] - 1))} %",
            f"{short(gain(outcomes, sf))} %",
        )
        for sf, stated in TABLE_3.items()
    )
    return (
        Table(caption, ("", "thesis", *(name for name, _ in readings)), tuple(rows)),
        Table("Gain of an initial window of 4 over one of 1", ("", "thesis", "ours"), gains),
    )


# --- Windows --------------------------------------------------------------------------------------

WINDOWS: Final = (1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64)
"""Packets."""


def windowed(window: int) -> Point:
    """Return a run at SF 8 without errors."""
    return transfer(bearer(8), more=(("tcp.window", window),))


WINDOW_POINTS: Final = tuple(map(windowed, WINDOWS))


def packets_in(time_s: float) -> float:
    """Return how many packets of 540 B the rate carries in a time."""
    return 1000 * MODULE_RATES[8] * time_s / 8 / (500 + HEADERS)


def bdp_packets(outcomes: Outcomes) -> float:
    """Return rate times minimum round-trip time in packets of 540 B."""
    return packets_in(min(outcomes[point].flow.rtt_s.min or 1.0 for point in WINDOW_POINTS))


def beside_greatest(outcomes: Outcomes) -> dict[int, float]:
    """Return the throughput with each window over the largest, in per cent."""
    values = dict(zip(WINDOWS, each(outcomes, WINDOW_POINTS, bytes_per_s), strict=True))
    return {window: 100 * value / max(values.values()) for window, value in values.items()}


def below_bdp(outcomes: Outcomes) -> list[float]:
    """Return what windows below the path's product leave of the throughput."""
    return _below(outcomes, bdp_packets(outcomes))


def below_queued_bdp(outcomes: Outcomes) -> list[float]:
    """Return the same of the product with the mean round-trip time of the widest window."""
    return _below(outcomes, packets_in(outcomes[WINDOW_POINTS[-1]].flow.rtt_s.mean or 0.0))


def above_bdp(outcomes: Outcomes) -> list[float]:
    """Return what windows of a quarter more than the product or greater leave of it."""
    product_packets = bdp_packets(outcomes)
    shares = beside_greatest(outcomes)
    return [share for window, share in shares.items() if window >= 1.25 * product_packets]


def _below(outcomes: Outcomes, product_packets: float) -> list[float]:
    shares = beside_greatest(outcomes)
    return [share for window, share in shares.items() if window < product_packets]


# --- Packet sizes ---------------------------------------------------------------------------------

PAYLOADS: Final = (100, 250, 500, 1000, 1500)
SIZED_BLERS: Final = (0.0, 0.01)
SWING_S: Final = 5
"""From one change of a swinging bearer to the next."""


def sized(payload: int, bler: float, recovery: Settings) -> tuple[Point, ...]:
    """Return runs at 120 kbit/s with a packet size, one per seed."""
    return tuple(
        transfer(bearer(32), payload=payload, bler=bler, queue=10, seed=seed, more=recovery)
        for seed in SEEDS
    )


def swinging(payload: int, recovery: Settings) -> tuple[Point, ...]:
    """Return runs whose rate and block error rate swing: 60, 240 kbit/s; 0 and 5 %."""
    rates = (60, 240)
    schedule = [
        {
            "at": f"{SWING_S * (1 + number)} s",
            "sf": SF_OF[rates[number % 2]],
            "tbler": "5 %" if number % 2 else "0 %",
        }
        for number in range(100)
    ]
    channel = (
        ("radio.downlink.sf", SF_OF[rates[1]]),
        ("radio.downlink.schedule", schedule),
    )
    return tuple(
        transfer(channel, payload=payload, queue=10, seed=seed, more=recovery) for seed in SEEDS
    )


SIZE_POINTS: Final = tuple(
    point
    for payload, recovery in product(PAYLOADS, (THESIS, WITHOUT))
    for point in (
        *(each_ for bler in SIZED_BLERS for each_ in sized(payload, bler, recovery)),
        *swinging(payload, recovery),
    )
)


def on_air(payload: int) -> int:
    """Return the bytes on the air of a packet, the headers of PDUs and padding among them."""
    return -(-(payload + HEADERS) // PDU) * (PDU + PDU_HEADER)


def large_over_small(recovery: Settings) -> Measure:
    """Measure the use of a swinging bearer with 1,500 B over that with 500 B, headers counted."""

    def use(outcomes: Outcomes, payload: int) -> float:
        return mean(outcomes, swinging(payload, recovery), bytes_per_s) * on_air(payload) / payload

    return lambda outcomes: [use(outcomes, 1500) / use(outcomes, 500)]


def table_sizes(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate throughput against packet size, with and without recovery."""
    rows = []
    for recovery, name in ((THESIS, "recovery"), (WITHOUT, "none")):
        for bler in SIZED_BLERS:
            cells = (
                mean(outcomes, sized(each_, bler, recovery), bytes_per_s) for each_ in PAYLOADS
            )
            rows.append((f"{name}, BLER {percent(bler)}", *(short(cell, 4) for cell in cells)))
        cells = (mean(outcomes, swinging(each_, recovery), bytes_per_s) for each_ in PAYLOADS)
        rows.append((f"{name}, swinging", *(short(cell, 4) for cell in cells)))
        late = (mean(outcomes, swinging(each_, recovery), timeouts) for each_ in PAYLOADS)
        rows.append((f"{name}, swinging: timeouts", *(short(cell, 4) for cell in late)))
    head = ("", *(f"{payload} B" for payload in PAYLOADS))
    caption = (
        "Throughput in B/s, queue 10, mean of five seeds: at 120 kbit/s, and on a bearer that "
        f"swings every {SWING_S} s between 240 kbit/s at BLER 5 % and 60 kbit/s at 0 %"
    )
    return (Table(caption, head, tuple(rows)),)


def table_windows(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate throughput against the window."""
    rows = tuple(
        (str(window), short(bytes_per_s(outcomes[windowed(window)]), 5), f"{short(share)} %")
        for window, share in beside_greatest(outcomes).items()
    )
    caption = (
        f"SF 8, no errors: rate × minimum RTT is {short(bdp_packets(outcomes))} packets of 540 B"
    )
    return (Table(caption, ("window", "B/s", "of the max"), rows),)


def from_syn(sf: int, window: int) -> Measure:
    """Measure a cell of Table VI.3 with a clock that starts with the SYN."""
    return lambda outcomes: [median(rates(outcomes, sf, window, bytes_per_s))]


def _cell(sf: int, window: int) -> Measure:
    return lambda outcomes: [typical(outcomes, sf, window)]


MEASURES: Final[dict[str, Measure]] = {
    "s1-below": below_bdp,
    "s1-above": above_bdp,
    "s2": lambda outcomes: [gain(outcomes, sf) for sf in TABLE_3],
    **{f"s3-{sf}-{window}": _cell(sf, window) for sf, window in product(TABLE_3, INITIAL_WINDOWS)},
    "s4": gain_beside_slower,
    "s5-with": percent_more(large_over_small(THESIS)),
    "s5-without": percent_more(large_over_small(WITHOUT)),
}
