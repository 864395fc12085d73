"""The set-up's parameters, each read off runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.hynderick2004.chapter6 import blackouts, queues, recovery
from thinpipe.papers.hynderick2004.chapter6.measuring import (
    each,
)
from thinpipe.papers.hynderick2004.chapter6.setup import (
    FILE,
    MODULE_RATES,
    PDU,
    PDU_HEADER,
    bearer,
    transfer,
)
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.plot.series import acks_received, outstanding, sending_end
from thinpipe.point import Point
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome

    Measure = Callable[[Outcomes], Sequence[float]]

# --- Rates of spreading factors -------------------------------------------------------------------

UPLINK_RATES: Final = {256: 7.5, 128: 15, 64: 30, 32: 60, 16: 120, 8: 240, 4: 480}
"""Uplink user rates in kbit/s by spreading factor, Table III.1."""

LARGE_PAYLOAD: Final = 8 * PDU - 40
"""Of packets of eight whole PDUs."""

SMALL_PAYLOAD: Final = PDU - 40
"""Of packets of one PDU, as their acknowledgements are."""

STANDARD_TABLE: Final[Settings] = (("radio.spreading", "standard"),)

_FULL: Final[Settings] = (
    ("radio.rlc.mode", "um"),  # at 7.5 kbit/s a PDU takes longer than recovery waits for it
    ("tcp.min_rto", "60 s"),
    ("flow.bytes", "unlimited"),
    ("duration", "400 s"),
)
"""A bearer that always has data to send."""

WIDE: Final[Settings] = (("tcp.window", 100),)
WIDER: Final[Settings] = (("tcp.window", 400),)
"""Windows that fill the fastest channel with packets of eight PDUs, and of one."""


def downlink(sf: int, more: Settings = ()) -> Point:
    """Return a run that fills the downlink of a spreading factor: packets of eight PDUs."""
    return transfer(bearer(sf), payload=LARGE_PAYLOAD, more=(*_FULL, *WIDE, *more))


def uplink(sf: int) -> Point:
    """Return a run whose acknowledgements fill the uplink: packets and they are one PDU each."""
    channel = (("radio.downlink.sf", 4), ("radio.uplink.sf", sf))
    return transfer(channel, payload=SMALL_PAYLOAD, more=(*_FULL, *WIDER))


def rate_kbps(run: Outcome, pdus: int, payload: int) -> float:
    """Return the rate in kbit/s of packets of a number of PDUs, acknowledged in the second half."""
    rtt, end_s = run.tables["rtt"], run.result.duration_s
    packets = 0.0
    for flow in range(len(run.result.flows)):
        late = rtt.filter((rtt["flow"] == flow) & (rtt["time_s"] >= end_s / 2))
        offset = late["offset"].to_numpy().astype(np.float64)
        packets += (offset[-1] - offset[0]) / payload + 1
    return packets * pdus * (PDU + PDU_HEADER) * 8 / 1000 / (end_s / 2)


def downlink_shares(more: Settings = ()) -> Measure:
    """Measure each downlink rate over the table's."""
    return lambda outcomes: [
        rate_kbps(outcomes[downlink(sf, more)], 8, LARGE_PAYLOAD) / rate
        for sf, rate in MODULE_RATES.items()
    ]


def uplink_shares(outcomes: Outcomes) -> list[float]:
    """Measure each uplink rate over the table's."""
    return [
        rate_kbps(outcomes[uplink(sf)], 1, SMALL_PAYLOAD) / rate
        for sf, rate in UPLINK_RATES.items()
    ]


def frame_ms(run: Outcome) -> float:
    """Return the minimum time between downlink blocks of two intervals."""
    blocks = run.tables["blocks"]
    times_s = blocks.filter(blocks["direction"] == "down")["time_s"].to_numpy()
    return round(1000 * float(np.diff(np.unique(times_s)).min()), 6)


def asked(kbps_: int, flows: int) -> Point:
    """Return a run in which each flow requests a rate, from which RRC sizes the uplink."""
    channel = (
        ("radio.downlink.sf", 4),
        ("radio.uplink.sf", "auto"),
        ("flow.rate", f"{kbps_} kbit/s"),
        ("flow.count", flows),
    )
    return transfer(channel, payload=SMALL_PAYLOAD, more=(*_FULL, *WIDER))


DATAGRAMS: Final = transfer(
    (("radio.downlink.sf", 4), ("radio.uplink.sf", "auto"), ("flow.rate", "140 kbit/s")),
    more=(
        ("flow.application", "udp"),
        ("flow.direction", "uplink"),
        ("flow.udp.rate", "140 kbit/s"),
        ("flow.udp.payload", "500 B"),
        ("flow.bytes", "unlimited"),
        ("duration", "60 s"),
    ),
)
"""What asks for the same rate and has no way of finding out that there is more."""


def carried_kbps(run: Outcome) -> float:
    """Return the payload that arrived over the whole run, in kbit/s."""
    return (run.flow.network.throughput_bps or 0.0) / 1000


RATE_POINTS: Final = (
    DATAGRAMS,
    asked(140, 1),
    asked(70, 2),
    *(downlink(sf, more) for sf in MODULE_RATES for more in ((), STANDARD_TABLE)),
    *map(uplink, UPLINK_RATES),
)


def table_rates(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate rates by spreading factor: the thesis's, ours, and the standard's."""
    rows = []
    for sf, rate in MODULE_RATES.items():
        ours, standard = (
            short(rate_kbps(outcomes[downlink(sf, more)], 8, LARGE_PAYLOAD), 4)
            for more in ((), STANDARD_TABLE)
        )
        up = UPLINK_RATES.get(sf)
        up_ours = "–" if up is None else short(rate_kbps(outcomes[uplink(sf)], 1, SMALL_PAYLOAD), 4)
        rows.append((str(sf), short(rate), ours, standard, short(up), up_ours))
    head = ("SF", "downlink kbit/s: thesis", "ours", "with the standard's slots", "uplink: thesis",
            "ours")  # fmt: skip
    return (Table("User data rates, Tables III.1 and III.2", head, tuple(rows)),)


# --- The link control, read off traces ------------------------------------------------------------

CLEAN: Final = recovery.cells(0.0)[0]
SOME: Final = recovery.cells(0.01)[0]
MANY: Final = recovery.cells(0.1)[0]
LARGE: Final = queues.runs(240, 1500, 0.0, 50)[0]
LOSSY: Final = recovery.cells(0.01, recovery.WITHOUT)[0]
SAMPLE_POINTS: Final = (CLEAN, SOME, MANY, LARGE, LOSSY, queues.over_time(50))
FOREVER: Final = blackouts.ceiled(64, 3000, recovery.WITHOUT)
"""A black-out that outlasts the connection."""


TIMED: Final = transfer(
    bearer(blackouts.SF),
    payload=blackouts.PAYLOAD,
    bler=0.1,
    queue=4,
    more=(
        *blackouts.dark([(blackouts.START_B_S, 40.0)]),
        ("tcp.rtt_sampling", "every-segment"),
        ("tcp.min_rto", "10 ms"),
        ("tcp.tick", "1 ms"),
    ),
)
"""A run whose timer follows round-trip times, and then runs out."""


def timer_over_formula(run: Outcome) -> float:
    """Return the wait until the timer first runs out over average + 4 deviations.

    The estimate starts with the first round-trip time and half of it, as RFC 6298 has it.
    """
    expired_s = blackouts.attempts_s(run, blackouts.START_B_S)[0]
    rtt = run.tables["rtt"]
    samples_s = rtt.filter(rtt["time_s"] < expired_s)["rtt_s"].to_numpy()
    average_s, deviation_s = samples_s[0], samples_s[0] / 2
    for sample_s in samples_s[1:]:
        deviation_s += 0.25 * (abs(sample_s - average_s) - deviation_s)
        average_s += 0.125 * (sample_s - average_s)
    heard = acks_received(sending_end(run.tables["segments"], flow=0))
    news = np.diff(np.maximum.accumulate(heard.ack), prepend=0) > 0
    last_s = heard.time_s[news & (heard.time_s < expired_s)][-1]
    return float((expired_s - last_s) / (average_s + 4 * deviation_s))


def pdus_a_packet(run: Outcome, payload: int) -> float:
    """Return the data PDUs downlink for each packet, without those of the handshake and the end."""
    blocks = run.tables["blocks"]
    data = blocks.filter((blocks["direction"] == "down") & (blocks["kind"] == "data"))
    return len(data) * payload / FILE


def repair_ms(run: Outcome) -> float:
    """Return the median time from a PDU in error downlink to the retransmission of its number."""
    blocks = run.tables["blocks"]
    down = blocks.filter((blocks["direction"] == "down") & (blocks["kind"] != "control"))
    waiting: dict[int, float] = {}
    found = []
    for time_s, sn, error in zip(down["time_s"], down["sn"], down["error"], strict=True):
        if sn in waiting:
            found.append(time_s - waiting.pop(sn))
        if error:
            waiting[sn] = time_s
    return 1000 * float(np.median(found))


def overtaken(run: Outcome) -> float:
    """Count data segments that reach the mobile before one with a lower number."""
    table = run.tables["segments"]
    data = table.filter((table["payload_bytes"] > 0) & (table["event"] == "received"))
    return float(np.sum(np.diff(data["seq"].to_numpy().astype(np.int64)) < 0))


def _errors(run: Outcome) -> NDArray[np.bool_]:
    """Return which PDUs of each packet of 540 B are in error, one row per packet."""
    blocks = run.tables["blocks"]
    down = blocks.filter((blocks["direction"] == "down") & (blocks["kind"] == "data"))
    errors = down["error"].to_numpy()[1:]  # the SYN is one PDU
    rows: NDArray[np.bool_] = errors[: len(errors) // 9 * 9].reshape(-1, 9)
    return rows


def lost_over_hit(run: Outcome) -> float:
    """Return data segments lost without recovery over those with a PDU in error."""
    table = run.tables["segments"]
    data = table.filter(table["payload_bytes"] > 0)
    received, sent = (len(data.filter(data["event"] == way)) for way in ("received", "sent"))
    return float((sent - received) / _errors(run).any(axis=1).sum())


def last_over_hit(run: Outcome) -> float:
    """Return packets whose last PDU is in error over those with any PDU in error."""
    errors = _errors(run)
    return float(errors[:, -1].sum() / errors.any(axis=1).sum())


def in_error(run: Outcome) -> float:
    """Return the share of blocks in error in per cent."""
    radio = run.result.radio
    return 100 * radio.downlink.blocks_in_error / radio.downlink.blocks_sent if radio else np.nan


def most_outstanding(run: Outcome) -> float:
    """Return the maximum outstanding data, in packets of 500 B."""
    data = outstanding(sending_end(run.tables["segments"], flow=0))
    return float(data.instant_bytes.max() / 500)


def longest_wait_s(run: Outcome) -> float:
    """Return the longest time between attempts in an endless black-out."""
    return float(max(np.diff(blackouts.attempts_s(run, blackouts.START_B_S))))


def retransmissions_of_one(run: Outcome) -> float:
    """Count the retransmissions of a packet: of the expiries of its timer, the last gives up."""
    return float(len(blackouts.attempts_s(run, blackouts.START_B_S)) - 1)


def first_waits(run: Outcome) -> list[float]:
    """Return each of the second to fourth waits over the one before."""
    waits = np.diff(blackouts.attempts_s(run, blackouts.START_B_S))[:4]
    return [round(float(ratio), 6) for ratio in waits[1:] / waits[:-1]]


def _at(point: Point, value: Callable[[Outcome], float]) -> Measure:
    return lambda outcomes: [value(outcomes[point])]


MEASURES: Final[dict[str, Measure]] = {
    "p1-downlink": downlink_shares(),
    "p1-uplink": uplink_shares,
    "p1-frame": _at(CLEAN, frame_ms),
    "p2": downlink_shares(STANDARD_TABLE),
    "p3": lambda outcomes: [rate_kbps(outcomes[asked(140, 1)], 1, SMALL_PAYLOAD)],
    "p3-udp": lambda outcomes: [carried_kbps(outcomes[DATAGRAMS])],
    "p4": lambda outcomes: [rate_kbps(outcomes[asked(70, 2)], 1, SMALL_PAYLOAD)],
    "p5": _at(CLEAN, lambda run: round(pdus_a_packet(run, 500))),
    "p6": _at(SOME, repair_ms),
    "p7": _at(LARGE, lambda run: pdus_a_packet(run, 1500)),
    "p8-order": _at(MANY, overtaken),
    "p10": _at(LOSSY, lost_over_hit),
    "p11": lambda outcomes: each(outcomes, recovery.cells(0.1, recovery.TOGETHER), in_error),
    "p12": _at(queues.over_time(50), most_outstanding),
    "p13-doubling": lambda outcomes: first_waits(outcomes[FOREVER]),
    "p13-most": _at(FOREVER, longest_wait_s),
    "p13-formula": _at(TIMED, timer_over_formula),
    "p14": _at(FOREVER, retransmissions_of_one),
}
