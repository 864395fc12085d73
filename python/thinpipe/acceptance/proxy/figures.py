"""Flows under load, and figures 9 to 12 of Chakravorty et al. 2003: test bed and simulation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.acceptance.proxy import mixed
from thinpipe.acceptance.proxy.check import BY_WINDOW, beside, beside_curve, mean_rtt_s, of
from thinpipe.acceptance.proxy.experiments import (
    BOXES,
    CONTROLS,
    KB,
    MEANWHILE,
    MIXED,
    MIXES,
    OTHERS,
    OUTAGE,
    SENDERS,
    SIZES,
    THREE,
    TREATED,
    UPLOADED,
    WINDOWS,
)
from thinpipe.papers.chakravorty2003.drawing import (
    BLACK,
    GREY,
    HUES,
    how,
    one_legend,
    panels,
    styled,
)
from thinpipe.plot.drawing import log_scale

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.acceptance.proxy.collect import Compared
    from thinpipe.acceptance.proxy.seen import Seen
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.series import Floats, Steps

TIME: Final = "Time (s)"
HUE: Final = dict(zip(SENDERS, (HUES[1], HUES[4], HUES[2], HUES[0]), strict=True))
BOX_HUE: Final = {"plain": HUES[1], "proxy": HUES[0]}
BOX_NAME: Final = {"plain": "without proxy", "proxy": "with proxy"}
SIMULATED: Final[dict[str, Any]] = {"linestyle": "--", "linewidth": 1, "alpha": 0.75}
CARRIED: Final[dict[str, Any]] = {"linewidth": 1.3}
TARGET_S: Final = 1.0
OVER_S: Final = 3
"""Interval over which throughput is measured."""


@styled
def load(outcomes: Outcomes) -> Figure:
    """Draw echo requests beside a download, and three downloads that compete."""
    from matplotlib.figure import Figure as New

    figure = New(figsize=(11.0, 7.2))
    grid = figure.add_gridspec(2, 3, height_ratios=(1.25, 1))
    above = figure.add_subplot(grid[0, :])
    for sender, who in SENDERS.items():
        _pings(above, of(outcomes, f"pinged-{sender}"), color=HUE[sender], label=who.name)
    above.axhline(TARGET_S, color=BLACK, linestyle=":", linewidth=1, label="1 s")
    above.set(yscale="log", xlabel="Time of the echo request (s)", ylabel="RTT (s)", ylim=(0.5, 40))
    above.set_yticks([0.5, 1, 2, 5, 10, 20, 40], ["0.5", "1", "2", "5", "10", "20", "40"])
    above.minorticks_off()
    above.set_title("Round-trip time of a ping each second during 600 kB")
    for flow, opened in enumerate(THREE):
        ax = figure.add_subplot(grid[1, flow])
        for sender in SENDERS:
            seen = of(outcomes, f"three-{sender}").live[flow]
            _progress(ax, seen, opened.at_s, color=HUE[sender], **CARRIED)
        ax.set(xlabel=TIME, xlim=(0, 95), ylim=(0, None))
        ax.set_title(f"Flow {flow + 1}: {opened.bytes // 1000} kB at {opened.at_s:g} s")
    figure.axes[1].set_ylabel("Data at the mobile (KB)")
    one_legend(figure, [above])
    return figure


def _pings(ax: Axes, each: Compared, **look: Any) -> None:  # noqa: ANN401
    echoes = each.carried.echoes
    answered = [(echo.sent_s, echo.rtt_s) for echo in echoes if echo.rtt_s is not None]
    ax.plot(*zip(*answered, strict=True), ".-", markersize=4, **look)


@styled
def uploads(outcomes: Outcomes) -> Figure:
    """Draw echo requests beside an upload, for each link, and a download beside one."""
    figure, axes = panels(1, 3, 12.5, 4.2)
    for name in BOXES:
        look = {"color": BOX_HUE[name], "label": BOX_NAME[name]}
        for ax, link in zip(axes, UPLOADED, strict=False):
            _pings(ax, of(outcomes, f"up-{link}-{name}"), **look)
        each = of(outcomes, f"both-ways-{name}")
        _progress(axes[2], each.live[1], MEANWHILE.at_s, **look, **CARRIED)
    for ax, (link, (flow, _)) in zip(axes, UPLOADED.items(), strict=False):
        ax.set(xlabel="Time of the echo request (s)", ylabel="RTT (s)", ylim=(0, None))
        ax.set_title(f"{link}: echo requests, {flow.bytes // 1000} kB up")
    axes[2].set(xlabel=TIME, ylabel="Data at the mobile (KB)", xlim=(0, None), ylim=(0, None))
    axes[2].set_title(f"umts-384: {MEANWHILE.bytes // 1000} kB down, 200 kB up")
    one_legend(figure, axes[:1])
    return figure


LINES: Final = dict(zip(CONTROLS, ("-", "--"), strict=True))


def quic(link: str) -> Callable[[Outcomes], Figure]:
    """Draw the rates of TCP and QUIC over a link, and the pings meanwhile."""
    return styled(partial(_quic, link))


def _quic(link: str, outcomes: Outcomes) -> Figure:
    figure, axes = panels(2, len(OTHERS), 12.5, 6.4)
    rates, pings = axes[: len(OTHERS)], axes[len(OTHERS) :]
    over_s = MIXED[link].lasts_s / PARTS
    unit = MIXED[link].box.rate.split()[1]
    for (others, title), above, below in zip(OTHERS.items(), rates, pings, strict=True):
        for control, line in LINES.items():
            each = of(outcomes, beside(link, control, others))
            quic = f"QUIC's {CONTROLS[control]}"
            for curve, hue, name in (
                (each.live[0].curve, HUES[0], f"TCP beside {quic}"),
                (beside_curve(each), HUES[1], quic),
            ):
                times_s, bps = _rates(curve, each.live[0].last_s, over_s)
                above.plot(
                    times_s, bps / UNITS_BPS[unit], color=hue, linestyle=line, label=name, **CARRIED
                )
            _pings_ms(below, each, color=HUES[2], linestyle=line, label=f"ping beside {quic}")
        alone = of(outcomes, f"beside-{link}-alone")
        _pings_ms(below, alone, color=GREY, label="ping beside TCP alone, with proxy")
        above.set_title(f"QUIC: {title}")
        below.set_xlabel("Time since TCP's SYN (s)")
    rates[0].set_ylabel(f"Rate over {over_s:g} s ({unit})")
    pings[0].set_ylabel("RTT (ms)")
    for ax in axes[1:]:
        ax.sharex(axes[0])
    for first, *further in (rates, pings):
        for ax in further:
            ax.sharey(first)
        first.autoscale()
    for ax in (rates[0], pings[0]):
        ax.set_ylim(0, None)
    one_legend(figure, axes, columns=4)
    return figure


def mix(link: str) -> Callable[[Outcomes], Figure]:
    """Draw the rates of a mix over a link, and the delays meanwhile."""
    return styled(partial(_mix, link))


def _mix(link: str, outcomes: Outcomes) -> Figure:
    figure, axes = panels(2, len(TREATED), 14.0, 6.4)
    rates, delays = axes[: len(TREATED)], axes[len(TREATED) :]
    over_s = MIXES[link][0].lasts_s / PARTS
    unit = MIXES[link][0].box.rate.split()[1]
    for (treated, title), above, below in zip(TREATED.items(), rates, delays, strict=True):
        each = of(outcomes, mixed.name(link, treated))
        end_s = each.live[0].last_s
        curves = [(each.live[0].curve, HUES[0], "TCP"), (mixed.vpn_curve(each), HUES[1], "VPN")]
        if (video := mixed.what_was_beside(each).video) is not None:
            curves.append((mixed.stream_curve(each, video), HUES[3], "video"))
        for curve, hue, name in curves:
            times_s, bps = _rates(curve, end_s, over_s)
            above.plot(times_s, bps / UNITS_BPS[unit], color=hue, label=name, **CARRIED)
        voice = mixed.voice(each)
        heard = [(at, 1000 * took) for at, took in voice.sent if took is not None]
        below.plot(*zip(*heard, strict=True), color=HUES[4], label="voice, one way", **CARRIED)
        _pings_ms(below, each, color=HUES[2], label="ping")
        asked = [(at, 1000 * took) for at, took in mixed.answers(each)]
        below.plot(*zip(*asked, strict=True), ".", color=BLACK, markersize=4, label="DNS")
        above.set_title(title[0].upper() + title[1:])
        below.set_xlabel("Time since TCP's SYN (s)")
    rates[0].set_ylabel(f"Rate over {over_s:g} s ({unit})")
    delays[0].set_ylabel("Delay (ms)")
    for above, below in zip(rates, delays, strict=True):
        below.sharex(above)
        above.set_ylim(0, float(MIXES[link][0].box.rate.split()[0]))
    for ax in delays[1:]:
        ax.sharey(delays[0])
    delays[0].autoscale()
    log_scale(delays[0])
    one_legend(figure, [rates[0], delays[0]], columns=6)
    return figure


UNITS_BPS: Final = {"kbit/s": 1e3, "Mbit/s": 1e6}

PARTS: Final = 20
"""Of the time foreseen for a run, over one of which a rate is measured."""


def _rates(curve: Steps, end_s: float, over_s: float) -> tuple[Floats, Floats]:
    """Return sliding rates until `end_s`, in bit/s, each at the middle of its interval."""
    starts_s = np.arange(0, end_s - over_s, over_s / 4)
    return starts_s + over_s / 2, 8 * (curve.at(starts_s + over_s) - curve.at(starts_s)) / over_s


def _pings_ms(ax: Axes, each: Compared, **look: Any) -> None:  # noqa: ANN401
    echoes = each.carried.echoes
    answered = [(echo.sent_s, 1000 * echo.rtt_s) for echo in echoes if echo.rtt_s is not None]
    ax.plot(*zip(*answered, strict=True), **look, **CARRIED)


def _progress(ax: Axes, seen: Seen, start_s: float, **more: Any) -> None:  # noqa: ANN401
    curve = seen.curve
    shown = curve.time_s <= seen.last_s
    ax.plot(start_s + curve.time_s[shown], curve.value[shown] / KB, **more)


@styled
def short_transfers(outcomes: Outcomes) -> Figure:
    """Figure 9: transfer times by size."""
    figure, axes = panels(1, 1, 7.5, 4.4)
    for number, name in enumerate(BOXES):
        each = of(outcomes, f"short-{name}")
        look = how(number, color=BOX_HUE[name])
        times = [seen.last_s for seen in each.live]
        axes[0].plot(SIZES, times, label=BOX_NAME[name], **look)
        simulated = [seen.last_s for seen in each.simulated]
        label = f"{BOX_NAME[name]}, simulated"
        axes[0].plot(SIZES, simulated, "+", color=BOX_HUE[name], markersize=13, label=label)
    axes[0].set(xlabel="Transfer size (KB)", ylabel="Transfer time (s)", ylim=(0, None))
    axes[0].set_xticks(list(SIZES))
    axes[0].legend(loc="upper left")
    return figure


@styled
def fairness(outcomes: Outcomes) -> Figure:
    """Figure 10: two transfers, without and with the proxy."""
    figure, axes = panels(1, 2, 10.0, 4.2)
    for ax, name in zip(axes, BOXES, strict=True):
        each = of(outcomes, f"pair-{name}")
        for flow, label in enumerate(("first flow", "second flow")):
            start_s = each.carried.start_s[flow] - each.carried.start_s[0]
            hue = HUES[flow]
            _progress(ax, each.live[flow], start_s, color=hue, label=label, **CARRIED)
            _progress(
                ax,
                each.simulated[flow],
                start_s,
                color=hue,
                label=f"{label}, simulated",
                **SIMULATED,
            )
        ax.set(xlabel=TIME, ylabel="Data at the mobile (KB)", xlim=(0, 100), ylim=(0, 250))
        ax.set_title(BOX_NAME[name].capitalize())
    one_legend(figure, axes[:1])
    return figure


@styled
def queues(outcomes: Outcomes) -> Figure:
    """Figure 11: completion and round-trip times by window."""
    figure, axes = panels(1, 3, 12.5, 4.2)
    runs = [of(outcomes, name) for name in BY_WINDOW]
    places = range(len(BY_WINDOW))
    names = [*(f"{kb}" for kb in WINDOWS), "no\nproxy"]
    for ax, value, label in (
        (axes[0], lambda seen: seen.last_s, "600 KB take (s)"),
        (axes[1], mean_rtt_s, "Mean RTT (s)"),
    ):
        ax.plot(
            places, [value(each.live[0]) for each in runs], "o", color=HUES[0], label="test bed"
        )
        simulated = [value(each.simulated[0]) for each in runs]
        ax.plot(places, simulated, "+", color=HUES[1], markersize=11, label="simulated")
        ax.set_xticks(list(places), names)
        ax.margins(y=0.1)
        ax.set(xlabel="Window of the proxy (KB)", ylabel=label, ylim=(0, None))
    axes[0].axhline(155, color=BLACK, linestyle=":", linewidth=1, label="the paper's 155 s")
    axes[0].legend(loc="lower right")
    for number, (each, name) in enumerate(zip(runs, names, strict=True)):
        hue = HUES[number]
        for seen, look in ((each.simulated[0], SIMULATED), (each.live[0], CARRIED)):
            label = "_" if look is SIMULATED else f"{name} KB" if name.isdigit() else "no proxy"
            axes[2].plot(*zip(*seen.transfer.rtt, strict=True), color=hue, label=label, **look)
    axes[2].set(xlabel=TIME, ylabel="RTT (s)", xlim=(0, None), ylim=(0, None))
    for ax, title in zip(
        axes,
        ("(a) Completion", "(b) Mean round trip", "(c) Round trips, simulated dashed"),
        strict=True,
    ):
        ax.set_title(title)
    one_legend(figure, [axes[2]], columns=len(runs))
    return figure


@styled
def swift_recovery(outcomes: Outcomes) -> Figure:
    """Figure 12: a stall at 90 s, with the proxy and without."""
    figure, axes = panels(1, 3, 12.5, 4.2)
    for name in BOXES:
        each = of(outcomes, f"stall-{name}")
        for seen, look, label in (
            (each.simulated[0], SIMULATED, f"{BOX_NAME[name]}, simulated"),
            (each.live[0], CARRIED, BOX_NAME[name]),
        ):
            _stall(axes, seen, each, color=BOX_HUE[name], label=label, **look)
    for ax, title, label in zip(
        axes,
        ("(a) Round-trip times", "(b) Throughput at the mobile", "(c) Data at the mobile"),
        ("RTT (s)", "KB/s", "KB"),
        strict=True,
    ):
        ax.set(xlabel="Time on the link's clock (s)", ylabel=label, xlim=(70, 130), ylim=(0, None))
        ax.set_title(title)
        ax.axvspan(*OUTAGE, color=GREY, alpha=0.2, linewidth=0)
    axes[2].set_ylim(200, 500)
    one_legend(figure, axes[:1], columns=4)
    return figure


def _stall(axes: list[Axes], seen: Seen, each: Compared, **look: Any) -> None:  # noqa: ANN401
    start_s = each.carried.start_s[0]
    times_s, rtt = zip(*seen.transfer.rtt, strict=True)
    axes[0].plot(np.array(times_s) + start_s, rtt, **look)
    seconds = np.arange(60.0, 140.0, 0.5)
    rates = (seen.curve.at(seconds + OVER_S) - seen.curve.at(seconds)) / OVER_S / KB
    axes[1].plot(seconds + OVER_S / 2 + start_s, rates, **look)
    _progress(axes[2], seen, start_s, **look)
