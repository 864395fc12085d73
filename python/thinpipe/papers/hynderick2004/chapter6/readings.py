"""Table VI.2 in two readings, and what the thesis says of the overhead of a packet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from thinpipe.papers.hynderick2004.chapter6 import queues
from thinpipe.papers.hynderick2004.chapter6.drawing import panels
from thinpipe.papers.hynderick2004.chapter6.measuring import (
    bytes_per_s,
    each,
    kbps,
    mean,
    off_by,
    rtt_ms,
)
from thinpipe.papers.hynderick2004.chapter6.setup import (
    HEADERS,
    PDU,
    PDU_HEADER,
    SEEDS,
    SF_OF,
    bearer,
    transfer,
)
from thinpipe.papers.hynderick2004.figures import styled
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.plot.style import COLORS
from thinpipe.report.numbers import percent, short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]
    Value = Callable[[Outcome], float]

SMALL: Final = 500
"""Bytes of payload of the packets that cost more in the second reading."""

QUEUE_OF: Final = {(240, 500): 8, (60, 1500): 4}
"""Queues of the second reading, by rate and payload, where the table prints another."""

HEADER_OF_TEN: Final = 5
HEADER_OF_SMALL: Final = 7
"""Bytes of header of a PDU with which the numbers at BLER 10 % and Table VI.2 come out. With the
second a packet of 500 B, nine PDUs, costs 603 B of the channel."""

FRAME_S: Final = 0.010

CAPTIONS: Final = {60: 57, 120: 112, 480: 460}
"""kbit/s in the captions of figures VI.23 to VI.34, by the rate that the text names."""


def header(length: int) -> Settings:
    """Return the settings of so many bytes of header of a PDU."""
    return (("radio.rlc.header", f"{length} B"),)


def again(rate: int, payload: int, printed_queue: int) -> Point:
    """Return the run of a row of Table VI.2 in the second reading."""
    return transfer(
        bearer(SF_OF[rate]),
        payload=payload,
        queue=QUEUE_OF.get((rate, payload), printed_queue),
        more=header(HEADER_OF_SMALL if payload == SMALL else PDU_HEADER),
    )


def against(rate: int, payload: int, queue: int | None, length: int) -> Point:
    """Return a run without errors with so many bytes of header of a PDU."""
    return transfer(bearer(SF_OF[rate]), payload=payload, queue=queue, more=header(length))


def at_ten(rate: int, payload: int, queue: int, length: int) -> tuple[Point, ...]:
    """Return runs at BLER 10 % with so many bytes of header of a PDU, one per seed."""
    return tuple(
        transfer(
            bearer(SF_OF[rate]), payload=payload, bler=0.1, queue=queue, seed=seed,
            more=header(length),
        )
        for seed in SEEDS
    )  # fmt: skip


LENGTHS: Final = (PDU_HEADER, HEADER_OF_TEN, HEADER_OF_SMALL)

OTHERS: Final[tuple[tuple[str, int, int, int | None, Value, float], ...]] = (
    ("Table VI.2: B/s", 240, 1500, 4, bytes_per_s, 194_208 / 8),
    ("Table VI.2: B/s", 120, 1500, 2, bytes_per_s, 99_336 / 8),
    ("Table VI.1: B/s", 480, 500, None, bytes_per_s, 51_344),
    ("Table VI.1: RTT ms", 480, 500, None, rtt_ms, 188.8),
)
"""Name, rate, payload, queue, value and what is stated of runs without errors whose packets cost
what the first reading says."""

AT_TEN: Final[tuple[tuple[str, int, int, int, Value, float], ...]] = (
    ("RTT ms", 60, 1500, 50, rtt_ms, 5700),
    ("RTT ms", 120, 500, 50, rtt_ms, 1015),
    ("kbit/s", 120, 500, 50, kbps, 77.4),
    ("RTT ms", 120, 500, 4, rtt_ms, 325),
    ("kbit/s", 120, 500, 4, kbps, 67.2),
)
"""The same of what the text states at BLER 10 %."""

POINTS: Final = (
    *(
        point
        for rate, payload, queue, _, _ in queues.TABLE_2
        for point in (*queues.runs(rate, payload, 0.0, queue), again(rate, payload, queue))
    ),
    *(
        against(rate, payload, queue, length)
        for _, rate, payload, queue, _, _ in OTHERS
        for length in LENGTHS
    ),
    *(
        point
        for _, rate, payload, queue, _, _ in AT_TEN
        for length in LENGTHS
        for point in at_ten(rate, payload, queue, length)
    ),
)


def tables(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate Table VI.2 in both readings, and what speaks for and against the second."""
    return (_both(outcomes), _other_numbers(outcomes), _captions())


def _cell(ours: float, stated: float) -> str:
    return f"{short(ours, 4)} ({off_by(ours, stated)})"


def _both(outcomes: Outcomes) -> Table:
    rows = []
    for rate, payload, queue, stated_kbps, stated_ms in queues.TABLE_2:
        first = outcomes[queues.runs(rate, payload, 0.0, queue)[0]]
        second = outcomes[again(rate, payload, queue)]
        rows.append(
            (
                f"{rate} kbit/s, {payload} B, queue {queue}",
                *(short(stated, 6) for stated in (stated_kbps, stated_ms)),
                _cell(kbps(first), stated_kbps),
                _cell(rtt_ms(first), stated_ms),
                str(QUEUE_OF.get((rate, payload), queue)),
                _cell(kbps(second), stated_kbps),
                _cell(rtt_ms(second), stated_ms),
            )
        )
    head = ("", "thesis kbit/s", "RTT ms", "as printed: kbit/s", "RTT ms", "second reading: queue",
            "kbit/s", "RTT ms")  # fmt: skip
    caption = (
        "Table VI.2, BLER 0 %. In the second reading a packet of 500 B costs 603 B of the "
        "channel, as with 7 B of header a PDU, and two rows ran other queues."
    )
    return Table(caption, head, tuple(rows))


def _other_numbers(outcomes: Outcomes) -> Table:
    rows = []
    for bler, cells in ((0.0, OTHERS), (0.1, AT_TEN)):
        for name, rate, payload, queue, value, stated in cells:
            waiting = "no bound" if queue is None else f"queue {queue}"
            runs = (
                at_ten(rate, payload, queue, length)
                if bler and queue is not None
                else (against(rate, payload, queue, length),)
                for length in LENGTHS
            )
            rows.append(
                (
                    f"{rate} kbit/s, {payload} B, {waiting}, BLER {percent(bler)}: {name}",
                    short(stated, 5),
                    *(_cell(mean(outcomes, points, value), stated) for points in runs),
                )
            )
    head = ("", "thesis", *(f"header of {length} B" for length in LENGTHS))
    caption = (
        "Other numbers by the header of a PDU: of Table VI.1 3 B come out, at BLER 10 % 5 B (mean "
        "of five seeds), and nowhere else the 7 B of the second reading"
    )
    return Table(caption, head, tuple(rows))


def _captions() -> Table:
    packet = -(-(SMALL + HEADERS) // PDU) * (PDU + PDU_HEADER)
    rows = tuple(
        (
            f"{rate} kbit/s",
            f"{caption}k",
            *(_cell(rate * PDU / (PDU + length), caption) for length in LENGTHS),
            _cell(rate * packet / in_frames(rate, packet), caption),
        )
        for rate, caption in CAPTIONS.items()
    )
    shares = (*(f"{PDU} of {PDU + length} B" for length in LENGTHS), "500 B in whole frames")
    return Table(
        "What the captions of figures VI.23 to VI.34 call the rates, kbit/s, and what overheads "
        "leave of them",
        ("", "caption", *shares),
        rows,
    )


def in_frames(rate: int, length: int) -> float:
    """Return the bytes of the whole frames that a packet of some length on the channel takes."""
    frame = 1000 * rate * FRAME_S / 8
    return float(-(-length // frame) * frame)


@styled
def draw(outcomes: Outcomes) -> Figure:
    """Table VI.2: the printed numbers, and ours in either reading."""
    figure, axes = panels(2, 2, 10.5, 6.6)
    names = [f"{rate}\n{size} B\nqueue {queue}" for rate, size, queue, _, _ in queues.TABLE_2]
    values: tuple[tuple[Value, int, str], ...] = (
        (kbps, 3, "Throughput (kbit/s)"),
        (rtt_ms, 4, "Mean RTT (ms)"),
    )
    first = [queues.runs(rate, size, 0.0, queue)[0] for rate, size, queue, _, _ in queues.TABLE_2]
    second = [again(rate, size, queue) for rate, size, queue, _, _ in queues.TABLE_2]
    readings = (("As printed", first, "o", -0.12, "#0072B2"),
                ("Second reading", second, "s", 0.12, "#D55E00"))  # fmt: skip
    places = range(len(names))
    for column, (value, at, label) in enumerate(values):
        above, below = axes[column], axes[column + 2]
        stated = [row[at] for row in queues.TABLE_2]
        above.plot(places, stated, "*", color=COLORS["paper"], markersize=10, label="Thesis")
        for name, points, marker, shift, hue in readings:
            ours = each(outcomes, points, value)
            beside = [place + shift for place in places]
            look: dict[str, Any] = {
                "marker": marker,
                "color": hue,
                "linestyle": "none",
                "markersize": 6,
            }
            above.plot(beside, ours, label=name, markerfacecolor="none", **look)
            off = [100 * (mine / theirs - 1) for mine, theirs in zip(ours, stated, strict=True)]
            below.vlines(beside, 0, off, color=hue, linewidth=1)
            below.plot(beside, off, **look)
        below.axhspan(-2, 2, color=COLORS["muted"], alpha=0.18, linewidth=0, label="Accepted")
        below.axhline(0, color=COLORS["paper"], linewidth=0.8)
        above.set(ylabel=label, xticks=places, xticklabels=[])
        above.set_ylim(bottom=0)
        below.set(ylabel="Ours above the thesis (%)", xticks=places, xticklabels=names)
        below.set_xlabel("Rate (kbit/s), packets and queue as printed")
    axes[0].legend()
    axes[2].legend()
    return figure


def _of(rate: int, payload: int, queue: int, value: Value) -> Measure:
    return lambda outcomes: [value(outcomes[again(rate, payload, queue)])]


def _ten(rate: int, payload: int, queue: int, value: Value) -> Measure:
    points = at_ten(rate, payload, queue, HEADER_OF_TEN)
    return lambda outcomes: each(outcomes, points, value)


MEASURES: Final[dict[str, Measure]] = {
    **{
        f"q9-{rate}-{payload}-{name}-2nd": _of(rate, payload, queue, value)
        for rate, payload, queue, _, _ in queues.TABLE_2
        if payload == SMALL or (rate, payload) in QUEUE_OF
        for name, value in (("kbps", kbps), ("rtt", rtt_ms))
    },
    "q4-worst-2nd": _ten(60, 1500, 50, rtt_ms),
    "q6-rtt-best-2nd": _ten(120, 500, 50, rtt_ms),
}
