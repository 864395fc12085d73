"""The figures of chapter VI, drawn like the thesis's."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from thinpipe.papers.hynderick2004.chapter6 import (
    advice,
    blackouts,
    buffers,
    limits,
    queues,
    rates,
    recovery,
    sharing,
    variants,
)
from thinpipe.papers.hynderick2004.chapter6.drawing import (
    PAYLOAD_HUES,
    PAYLOAD_LINES,
    PAYLOAD_MARKERS,
    RATE_HUES,
    against,
    by_queue,
    draw_rate,
    mark_jump,
    name_point,
    named,
    one_legend,
    only_outer_labels,
    over_time,
    panels,
    same_height,
    shade,
)
from thinpipe.papers.hynderick2004.chapter6.measuring import (
    bytes_per_s,
    deviation_ms,
    kbps,
    mean,
    mean_outstanding,
    resent,
    rtt_ms,
    spurious,
    timeouts,
)
from thinpipe.papers.hynderick2004.chapter6.setup import COMPARED
from thinpipe.papers.hynderick2004.figures import HUES, MARKERS, styled
from thinpipe.papers.hynderick2004.tables import NAMES
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

STATED: Final[dict[str, Any]] = {
    "color": COLORS["paper"],
    "marker": "*",
    "linestyle": "none",
    "markersize": 9,
}
"""How a number of the thesis is marked."""


@styled
def link_recovery(outcomes: Outcomes) -> Figure:
    """Figures VI.1 to VI.3: round-trip times, what the thesis states of them as lines."""
    figure, axes = panels(1, 3, 11.0, 3.4)
    shown = (
        ("VI.1: BLER 1 %, no recovery", recovery.shown(0.01, recovery.WITHOUT)),
        ("VI.2: BLER 1 %, recovery", recovery.shown(0.01)),
        ("VI.3: BLER 10 %, recovery", recovery.shown(0.1)),
    )
    stated_ms = ((158.1, (140, 240)), (192.2, (250,)), (259.5, (180,)))
    for ax, (mean_ms, ends_ms) in zip(axes, stated_ms, strict=True):
        line: dict[str, Any] = {"color": COLORS["paper"], "linewidth": 1}
        ax.axhline(mean_ms / 1000, linestyle="--", label="Thesis: mean", **line)
        for number, end_ms in enumerate(ends_ms):
            label = None if number else "Thesis: min, max or peaks"
            ax.axhline(end_ms / 1000, linestyle=":", label=label, **line)
    over_time(figure, axes, outcomes, shown, "rtt")
    same_height(axes)
    return figure


@styled
def alike(outcomes: Outcomes) -> Figure:
    """Figures VI.4 to VI.7: throughput of the four variants, BLER 10 %."""
    figure, axes = panels(2, 2, 9.0, 6.0)
    shown = [
        (f"VI.{4 + number}: {NAMES[variant]}", point)
        for number, (variant, point) in enumerate(zip(COMPARED, recovery.curves(), strict=True))
    ]
    until_s = max(blackouts.completed_s(outcomes[point]) for _, point in shown)
    over_time(figure, axes, outcomes, shown, "throughput", (0.0, until_s))
    same_height(axes)
    return figure


# --- Queues ---------------------------------------------------------------------------------------


@styled
def queue_level(outcomes: Outcomes) -> Figure:
    """Figures VI.8, VI.9 and VI.13 to VI.15."""
    figure, axes = panels(2, 3, 11.5, 6.8)
    drawn: tuple[tuple[str, Callable[[Outcome], float], float, str], ...] = (
        ("VI.8: BLER 0 %", resent, 0.0, "Packets retransmitted"),
        ("VI.9: BLER 10 %", resent, 0.1, "Packets retransmitted"),
        ("VI.13: BLER 10 %", rtt_ms, 0.1, "Mean RTT (ms)"),
        ("VI.14: BLER 0 %", kbps, 0.0, "Throughput (kbit/s)"),
        ("VI.15: BLER 10 %", kbps, 0.1, "Throughput (kbit/s)"),
    )
    for ax, (_, value, bler, _) in zip(axes, drawn, strict=False):
        for rate, payload in queues.SETTINGS:
            _against_queue(ax, outcomes, value, rate, payload, bler)
    for at, stated_ms in ((50, 5700), (4, 325), (50, 1015)):
        axes[2].plot(at, stated_ms, label="Thesis", **STATED)
    for rate, _, at, throughput_kbps, _ in queues.TABLE_2:
        axes[3].plot(at, throughput_kbps, **{**STATED, "color": RATE_HUES[rate]})
    axes[4].plot(4, 67.2, **STATED)
    for ax, (title, _, _, label) in zip(axes, drawn, strict=False):
        by_queue(ax, queues.QUEUES, label, title)
    handles, labels = axes[2].get_legend_handles_labels()
    axes[-1].set_axis_off()
    axes[-1].legend(handles[-6:] + handles[:1], labels[-6:] + labels[:1], loc="center")
    return figure


def _against_queue(
    ax: Axes,
    outcomes: Outcomes,
    value: Callable[[Outcome], float],
    rate: int,
    payload: int,
    bler: float,
) -> None:
    runs = [
        [outcomes[point] for point in queues.runs(rate, payload, bler, queue)]
        for queue in queues.QUEUES
    ]
    against(
        ax,
        queues.QUEUES,
        runs,
        value,
        color=RATE_HUES[rate],
        linestyle=PAYLOAD_LINES[payload],
        marker=PAYLOAD_MARKERS[payload],
        label=f"{rate} kbit/s, {payload} B",
    )


@styled
def outstanding(outcomes: Outcomes) -> Figure:
    """Figures VI.10 to VI.12: mean outstanding data, and outstanding data over time."""
    figure, axes = panels(1, 3, 12.0, 3.8)
    shown = [
        (f"VI.{number}: 60 kbit/s, 500 B, queue {queue}", queues.over_time(queue))
        for number, queue in ((11, 4), (12, 50))
    ]
    over_time(figure, axes[1:], outcomes, shown, "outstanding")
    same_height(axes[1:])
    for ax in axes[1:]:
        ax.set_ylabel("Outstanding data (kB)")
    for rate, payload in queues.SETTINGS:
        _against_queue(axes[0], outcomes, _outstanding_kb, rate, payload, 0.1)
    label = "Mean outstanding data (kB)"
    by_queue(axes[0], queues.QUEUES, label, "VI.10: BLER 10 %")
    axes[0].set_ylim(top=42)
    axes[0].legend(fontsize="small", loc="upper left", ncols=2)
    return figure


def _outstanding_kb(run: Outcome) -> float:
    return mean_outstanding(run) / 1000


@styled
def queue_variants(outcomes: Outcomes) -> Figure:
    """Figure VI.16: the variants against the queue, at every rate and payload."""
    figure, axes = panels(2, 3, 11.5, 6.4)
    settings = [(rate, payload) for payload in queues.PAYLOADS for rate in queues.RATES]
    for ax, (rate, payload) in zip(axes, settings, strict=True):
        for variant in COMPARED:
            runs = [
                [outcomes[point] for point in queues.runs(rate, payload, 0.1, queue, variant)]
                for queue in queues.QUEUES
            ]
            against(
                ax,
                queues.QUEUES,
                runs,
                kbps,
                color=HUES[variant],
                marker=MARKERS[variant],
                label=NAMES[variant],
            )
        title = f"{rate} kbit/s, {payload} B"
        by_queue(ax, queues.QUEUES, "Throughput (kbit/s)", title)
    one_legend(figure, axes)
    only_outer_labels(axes)
    return figure


# --- Rates ----------------------------------------------------------------------------------------


@styled
def rate_steps(outcomes: Outcomes) -> Figure:
    """Figures VI.17 and VI.18: throughput over two jumps."""
    figure, axes = panels(1, 2, 10.0, 3.6)
    shown = (
        ("VI.17: 240 → 120 → 60 kbit/s", rates.shown(rates.FALLING, rates.COPING)),
        ("VI.18: 60 → 120 → 240 kbit/s", rates.shown(rates.RISING, rates.COPING)),
    )
    over_time(figure, axes, outcomes, shown, "throughput")
    for ax, steps in zip(axes, (rates.FALLING, rates.RISING), strict=True):
        draw_rate(ax, steps, rates.MOMENTS_S[0], rates.APART_S)
    one_legend(figure, axes)
    same_height(axes)
    return figure


@styled
def step_sequences(outcomes: Outcomes) -> Figure:
    """Figures VI.19 to VI.22: the second jump down and the first jump up, queues 2 and 4."""
    figure, axes = panels(2, 2, 10.0, 6.6)
    first_s = rates.TYPICAL_S
    shown = (
        ("VI.19: 120 → 60 kbit/s, queue 2", rates.steps(rates.FALLING, 2, first_s)),
        ("VI.20: 60 → 120 kbit/s, queue 2", rates.steps(rates.RISING, 2, first_s)),
        ("VI.21: 120 → 60 kbit/s, queue 4", rates.steps(rates.FALLING, 4, first_s)),
        ("VI.22: 60 → 120 kbit/s, queue 4", rates.steps(rates.RISING, 4, first_s)),
    )
    jumps_s = [first_s + rates.APART_S, first_s] * 2
    views = [(jump_s - 2, jump_s + 4) for jump_s in jumps_s]
    over_time(figure, axes, outcomes, shown, "time_sequence", views)
    for ax, jump_s in zip(axes, jumps_s, strict=True):
        mark_jump(ax, jump_s)
    one_legend(figure, axes)
    return figure


@styled
def rate_falls(outcomes: Outcomes) -> Figure:
    """Figures VI.23 to VI.28: falls from 480 kbit/s."""
    figure, axes = panels(3, 2, 10.0, 9.0)
    cells = [(low, queue) for queue in rates.FALL_QUEUES for low in rates.LOW]
    shown = [
        (f"VI.{23 + number}: 480 → {low} kbit/s, queue {queue}", rates.shown((480, low), queue))
        for number, (low, queue) in enumerate(cells)
    ]
    jump_s = rates.MOMENTS_S[0]
    over_time(figure, axes, outcomes, shown, "time_sequence", (jump_s - 1, jump_s + 6))
    for ax in axes:
        mark_jump(ax, jump_s)
    one_legend(figure, axes)
    return figure


@styled
def rate_rises(outcomes: Outcomes) -> Figure:
    """Figures VI.29 to VI.34: rises to 480 kbit/s."""
    figure, axes = panels(3, 2, 10.0, 9.0)
    cells = [(low, queue) for queue in rates.RISE_QUEUES for low in rates.LOW]
    shown = [
        (f"VI.{29 + number}: {low} → 480 kbit/s, queue {queue}", rates.shown((low, 480), queue))
        for number, (low, queue) in enumerate(cells)
    ]
    jump_s = rates.MOMENTS_S[0]
    over_time(figure, axes, outcomes, shown, "throughput", (jump_s - 5, jump_s + rates.APART_S))
    for ax, (low, _) in zip(axes, cells, strict=True):
        draw_rate(ax, (low, rates.TOP), jump_s, rates.APART_S)
    one_legend(figure, axes)
    same_height(axes)
    return figure


# --- Black-outs -----------------------------------------------------------------------------------


@styled
def black_outs(outcomes: Outcomes) -> Figure:
    """Figures VI.35 to VI.37: round-trip times, time-sequence graphs of all and of 0 to 22 s."""
    figure, axes = panels(1, 3, 12.0, 3.8)
    run = blackouts.scenario_a()
    acked_s, waited_s = blackouts.waits(outcomes[run])
    axes[0].plot(acked_s, waited_s, ".", color=COLORS["instant"], markersize=3, label="RTT")
    axes[0].set(title="VI.35, from the first departure", xlabel="Time (s)", ylabel="RTT (s)")
    shade(axes[0], blackouts.BLACK_OUTS_A)
    for ax, title, end_s in ((axes[1], "VI.36", None), (axes[2], "VI.37", 22.0)):
        over_time(figure, [ax], outcomes, [(title, run)], "time_sequence", (0.0, end_s))
        ax.set_ylabel("Sequence number (kB)")
        shade(ax, blackouts.BLACK_OUTS_A, end_s)
    one_legend(figure, axes)
    return figure


@styled
def long_black_out(outcomes: Outcomes) -> Figure:
    """Figure VI.38: a black-out of 50 s in both readings, without and with recovery."""
    figure, axes = panels(2, 2, 10.0, 6.6)
    cells = [
        (reading, more, f"until {reading[1]:g} s, {name}")
        for more, name in ((recovery.WITHOUT, "no recovery"), (recovery.THESIS, "recovery"))
        for reading in blackouts.READINGS
    ]
    shown = [(title, blackouts.scenario_b(reading, more)) for reading, more, title in cells]
    over_time(figure, axes, outcomes, shown, "time_sequence", (0.0, 110.0))
    for ax, (reading, _, _) in zip(axes, cells, strict=True):
        shade(ax, (reading,))
    one_legend(figure, axes)
    return figure


@styled
def black_out_queues(outcomes: Outcomes) -> Figure:
    """Figures VI.39 and VI.40: throughput and mean round-trip time of scenario C."""
    figure, axes = panels(1, 2, 9.0, 3.6)
    values: tuple[tuple[str, Callable[[Outcome], float], str], ...] = (
        ("VI.39", kbps, "Throughput (kbit/s)"),
        ("VI.40", rtt_ms, "Mean RTT (ms)"),
    )
    for ax, (title, value, label) in zip(axes, values, strict=True):
        for payload in queues.PAYLOADS:
            runs = [
                [outcomes[point] for point in blackouts.scenarios_c(queue, payload)]
                for queue in queues.QUEUES
            ]
            against(
                ax,
                queues.QUEUES,
                runs,
                value,
                color=PAYLOAD_HUES[payload],
                linestyle=PAYLOAD_LINES[payload],
                marker=PAYLOAD_MARKERS[payload],
                label=f"{payload} B",
            )
        by_queue(ax, queues.QUEUES, label, title)
    one_legend(figure, axes)
    return figure


@styled
def black_out_variants(outcomes: Outcomes) -> Figure:
    """Draw what black-outs of 5 to 60 s amid BLER 10 % do to each variant, means of seeds."""
    figure, axes = panels(2, 2, 9.0, 6.4)
    places = range(len(variants.LENGTHS_S))
    values: tuple[tuple[Callable[[Outcome, int], float], str], ...] = (
        (lambda run, _: blackouts.completed_s(run), "Time for 1 MB (s)"),
        (variants.sent, "Packets sent"),
        (lambda run, _: timeouts(run), "Timeouts in the transfer"),
        (variants.dark_timeouts, "Timeouts in the black-out"),
    )
    for ax, (value, label) in zip(axes, values, strict=True):
        for variant in COMPARED:
            means = [
                variants.of_lengths(outcomes, variant, (length_s,), value)
                for length_s in variants.LENGTHS_S
            ]
            ax.plot(
                places,
                means,
                color=HUES[variant],
                marker=MARKERS[variant],
                markersize=4.5,
                linewidth=1.1,
                markerfacecolor="white",
                label=NAMES[variant],
            )
        named(ax, variants.LENGTHS_S, "Black-out (s)", label)
        ax.autoscale(axis="y")
    one_legend(figure, axes)
    return figure


# --- How much recovery ----------------------------------------------------------------------------

BLER_HUES: Final = ("#56B4E9", "#0072B2", "#009E73", "#E69F00", "#D55E00")


@styled
def limited(outcomes: Outcomes) -> Figure:
    """Throughput, deviation, burst and spurious timeouts against the limit of retransmissions."""
    figure, axes = panels(2, 2, 9.0, 6.4)
    figure.suptitle(
        f"Tahoe, SF {limits.SF}, 540 B, mean and range of five seeds", fontsize="medium"
    )
    values: tuple[tuple[str, Callable[[Outcome], float]], ...] = (
        ("Throughput (kB/s)", lambda run: bytes_per_s(run) / 1000),
        ("Deviation of RTT (ms)", deviation_ms),
        ("Mean burst at the mobile (segments)", limits.burst),
        ("Spurious timeouts", spurious),
    )
    names = ["∞" if limit is None else str(limit) for limit in limits.LIMITS]
    for ax, (label, value) in zip(axes, values, strict=True):
        for bler, hue in zip(limits.BLERS, BLER_HUES, strict=True):
            runs = [
                [outcomes[point] for point in limits.limited(limit, bler)]
                for limit in limits.LIMITS
            ]
            against(
                ax, range(len(runs)), runs, value, color=hue, marker="o", label=f"BLER {bler:.0%}"
            )
        named(ax, names, "Retransmissions of a PDU at most", label)
    one_legend(figure, axes)
    return figure


@styled
def initial_windows(outcomes: Outcomes) -> Figure:
    """Table VI.3, a dot a seed, the thesis's numbers as stars."""
    figure, axes = panels(1, 1, 7.0, 3.6)
    ax = axes[0]
    for number, window in enumerate(advice.INITIAL_WINDOWS):
        places = [place + 0.25 * (number - 1) for place in range(len(advice.TABLE_3))]
        hue = BLER_HUES[2 * number]
        for place, sf in zip(places, advice.TABLE_3, strict=True):
            rates_bps = advice.rates(outcomes, sf, window)
            label = None if place > places[0] else f"IW {window}: seeds, median"
            ax.plot([place] * len(rates_bps), rates_bps, ".", color=hue, alpha=0.4, markersize=5)
            ax.plot(place, median(rates_bps), "o", color=hue, markerfacecolor="none", label=label)
        stated = [advice.TABLE_3[sf][number] for sf in advice.TABLE_3]
        beside = [place + 0.1 for place in places]
        ax.plot(beside, stated, label="Thesis" if number == 0 else None, **STATED)
    named(ax, list(advice.TABLE_3), "Spreading factor", "Throughput of 10 KB (B/s)")
    ax.legend(ncols=2)
    return figure


@styled
def managed(outcomes: Outcomes) -> Figure:
    """Throughput against round-trip time: fixed queues as a line, the manager beside."""
    figure, axes = panels(1, 2, 9.0, 3.8)
    for ax, variant in zip(axes, buffers.VARIANTS, strict=True):
        fixed = [buffers.both(outcomes, buffers.fixed(variant, q)) for q in buffers.QUEUES]
        ax.plot(
            [rtt for _, rtt in fixed],
            [rate for rate, _ in fixed],
            "o-",
            color=COLORS["muted"],
            markersize=4,
            label="Fixed queue of so many packets",
        )
        for queue, (rate, rtt) in zip(buffers.QUEUES, fixed, strict=True):
            name_point(ax, str(queue), (rtt, rate), COLORS["paper"], (5, -10))
        for (name, ahead_s), hue in zip(buffers.AHEAD, (BLER_HUES[1], BLER_HUES[4]), strict=True):
            ours = [
                buffers.both(outcomes, buffers.managed(variant, factor, ahead_s))
                for factor in buffers.FACTORS
            ]
            ax.plot(
                [rtt for _, rtt in ours], [rate for rate, _ in ours], "D-",
                color=hue, markersize=4, label=f"Manager, 0.5 to 4 BDP, {name}",
            )  # fmt: skip
        ax.set(title=NAMES[variant], xlabel="Mean RTT over time (ms)", ylabel="Throughput (kbit/s)")
        ax.margins(x=0.08, y=0.1)
    one_legend(figure, axes, columns=2)
    return figure


@styled
def shared(outcomes: Outcomes) -> Figure:
    """Throughput of two flows against the response time of the interactive one."""
    figure, axes = panels(1, 2, 9.0, 4.2)
    for ax, place in zip(axes, sharing.DRAWN, strict=True):
        fixed = [("∞" if q is None else str(q), sharing.fixed(place, q)) for q in sharing.QUEUES]
        apart = [(str(q), sharing.apart(place, q)) for q in sharing.FINITE]
        lines = [("One fixed queue", COLORS["muted"], "o-", fixed)]
        lines.append(("A fixed queue for each flow, in turn", COLORS["muted"], "o:", apart))
        for service, hue in zip(sharing.SERVICES, (BLER_HUES[1], BLER_HUES[4]), strict=True):
            runs = [(f"{f}×", sharing.managed(place, service, f)) for f in sharing.FACTORS]
            lines.append((f"Manager, {service.replace('-', ' ')}: × BDP for bulk", hue, "D-", runs))
        for label, hue, style, runs in lines:
            rates = [mean(outcomes, points, sharing.together_kbps) for _, points in runs]
            waits = [mean(outcomes, points, sharing.response_ms) for _, points in runs]
            ax.plot(waits, rates, style, color=hue, markersize=4, label=label)
            places = [*zip(waits, rates, strict=True)]
            if style == "o-":
                for (name, _), at in zip(runs, places, strict=True):
                    name_point(ax, name, at, hue, (4, -10))
            elif style == "D-":  # between these two, points are close together
                beside = ((-6, -3), (-6, -3)) if hue == BLER_HUES[4] else ((4, -11), (0, 6))
                for end, offset in zip((0, -1), beside, strict=True):
                    name_point(ax, runs[end][0], places[end], hue, offset)
        ax.set(title=place.name(), xlabel="Mean response time of the interactive flow (ms)",
               ylabel="Throughput of both flows (kbit/s)", xscale="log")  # fmt: skip
        ax.minorticks_off()
        ax.set_xticks((200, 300, 500, 1000), ("200", "300", "500", "1000"))
        ax.margins(x=0.12, y=0.1)
    one_legend(figure, axes, columns=2)
    return figure
