"""The pictures of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.drawing import Mark, Unit, View, draw_held, draw_marks, finish
from thinpipe.plot.packets import bottleneck, draw_packets, numbered, traced
from thinpipe.plot.sequence import draw_time_sequence
from thinpipe.plot.series import (
    SAMPLES,
    heard_by,
    mean_so_far,
    outstanding,
    sending_end,
    sent_by,
    throughput,
)
from thinpipe.plot.style import COLORS, style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from thinpipe.recording import Recording

GRID_S = 0.020
"""Width of a histogram's bar: round-trip times over a dedicated channel come in steps of it."""

MODULO = 60
"""Where packet numbers begin anew in the traced-packet graphs of Fall and Floyd (1996)."""


class Plots:
    """Pictures of a run. Each draws into `ax`, or into a new figure, and returns the axes.

    They show the time from `start_s` to `end_s`; ``None`` is the end of the run.
    They raise `ValueError` for a flow that the run does not have, and, those that need one, for
    a run without a trace.
    """

    def __init__(self, run: Recording) -> None:
        self._run = run

    def time_sequence(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Axes:
        """Draw each segment from its first to its last byte, as its sender saw it.

        Retransmissions, drops, the acknowledgements and the window have a colour each, as in
        tcptrace. A few seconds show each segment: ``start_s=10, end_s=15``.
        """
        view, rows = self._view(start_s, end_s), self._at_sender(flow)
        hops = self._run.hops
        dropped = hops.filter(hops["event"] == "dropped")
        with style():
            ax = ax or _new_axes()
            unit = draw_time_sequence(ax, view, sent_by(rows), heard_by(rows), dropped)
            finish(ax, view, f"Sequence number ({unit.name})", bottom=None)
        return ax

    def outstanding(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Axes:
        """Draw the payload that was sent and not acknowledged, and its means so far."""
        view, data = self._view(start_s, end_s), outstanding(self._at_sender(flow))
        with style():
            ax = ax or _new_axes()
            unit = Unit.of(float(data.instant_bytes.max(initial=0)))
            for values, kind, label, width in (
                (data.instant_bytes, "instant", "Outstanding", 0.8),
                (data.mean_bytes, "mean", "Mean of the samples so far", 1.4),
                (data.weighted_bytes, "weighted", "Mean weighted by time", 1.4),
            ):
                draw_held(ax, view, data.time_s, unit.of_bytes(values), kind, label, width)
            finish(ax, view, f"Outstanding data ({unit.name})")
        return ax

    def throughput(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Axes:
        """Draw the payload sent over the time since the last was, of late and so far.

        What left in one instant counts as one.
        """
        view, data = self._view(start_s, end_s), throughput(sent_by(self._at_sender(flow)))
        with style():
            ax = ax or _new_axes()
            seen, kbps = view.holds(data.time_s), 1e-3
            instant = data.instant_bps[seen] * kbps
            draw_marks(ax, data.time_s[seen], instant, "instant", "Instant", Mark())
            for values, kind, label in (
                (data.last_bps, "latest", f"Mean of the last {SAMPLES}"),
                (data.mean_bps, "mean", "Mean so far"),
            ):
                draw_held(ax, view, data.time_s, values * kbps, kind, label)
            finish(ax, view, "Throughput (kbit/s)")
        return ax

    def packets(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        modulo: int = MODULO,
        link: str | None = None,
    ) -> Axes:
        """Draw packet numbers, modulo `modulo`, at the queue of a link.

        Packet 0 is the SYN; data count from 1. The link is the one where the flow's packets waited
        longest, unless `link` names another of the column ``machine`` in the table ``hops``.
        """
        _above_zero("modulo", modulo)
        view, rows, hops = self._view(start_s, end_s), self._at_sender(flow), self._run.hops
        sent = sent_by(rows)
        links = hops["machine"].unique().cast(str).to_list()
        if link is not None and link not in links:
            raise ValueError(f"link: {link!r} is none of {', '.join(sorted(links))}")
        link = link or bottleneck(hops, numbered(sent))
        with style():
            ax = ax or _new_axes()
            draw_packets(ax, view, traced(hops, link, sent, heard_by(rows)), modulo)
            finish(ax, view, f"Packet number mod {modulo} at {link}", bottom=None)
            ax.set_ylim(-0.02 * modulo, 1.02 * modulo)
        return ax

    def cwnd(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Axes:
        """Draw the congestion window over time; arrows mark spurious time-outs."""
        view, table = self._view(start_s, end_s), self._of_flow(self._run.cwnd, flow)
        time_s, window = table["time_s"].to_numpy(), table["cwnd_segments"].to_numpy()
        events = self._of_flow(self._run.events, flow)
        with style():
            ax = ax or _new_axes()
            draw_held(ax, view, time_s, window, "data", "_cwnd", 1.4)  # no entry in the legend
            seen = events.filter(view.holds(events["time_s"].to_numpy()))
            mark_spurious_timeouts(ax, seen, time_s, window)
            finish(ax, view, "Congestion window (segments)")
        return ax

    def rtt(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Axes:
        """Draw each round-trip time when it was measured, and the mean so far."""
        view, table = self._view(start_s, end_s), self._of_flow(self._run.rtt, flow)
        time_s, rtt_s = table["time_s"].to_numpy(), table["rtt_s"].to_numpy()
        with style():
            ax = ax or _new_axes()
            seen = view.holds(time_s)
            draw_marks(ax, time_s[seen], rtt_s[seen], "instant", "Sample", Mark())
            draw_held(ax, view, time_s, mean_so_far(rtt_s), "mean", "Mean so far")
            finish(ax, view, "Round-trip time (s)")
        return ax

    def rtt_histogram(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        width_s: float = GRID_S,
    ) -> Axes:
        """Draw how often each round-trip time occurred, in bars of `width_s` seconds."""
        _above_zero("width_s", width_s)
        view, table = self._view(start_s, end_s), self._of_flow(self._run.rtt, flow)
        rtt_s = table.filter(view.holds(table["time_s"].to_numpy()))["rtt_s"].to_numpy()
        with style():
            ax = ax or _new_axes()
            edges = histogram_edges(float(rtt_s.max()) if len(rtt_s) else width_s, width_s)
            ax.hist(rtt_s, bins=list(edges), color=COLORS["data"], edgecolor="white", linewidth=0.3)
            ax.set(xlabel="Round-trip time (s)", ylabel="Samples")
        return ax

    def goodput(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        interval_s: float | None = None,
    ) -> Axes:
        """Draw the acknowledged payload a second, averaged over intervals of `interval_s`."""
        view = self._view(start_s, end_s)
        table = self._of_flow(self._run.rtt, flow)
        count = _intervals(view.end_s - view.start_s, interval_s)
        edges = np.linspace(view.start_s, view.end_s, count + 1)
        offsets = np.maximum.accumulate(table["offset"].to_numpy().astype(np.float64))
        reached = np.searchsorted(table["time_s"].to_numpy(), edges, side="right")
        acked = np.where(reached > 0, np.append(0.0, offsets)[reached], 0.0)
        with style():
            ax = ax or _new_axes()
            rates = np.diff(acked) * 8 / np.diff(edges) / 1000
            ax.stairs(rates, edges, color=COLORS["data"], linewidth=1.2)
            finish(ax, view, "Goodput (kbit/s)")
        return ax

    def _view(self, start_s: float, end_s: float | None) -> View:
        return View.of(start_s, end_s, self._run.result.duration_s)

    def _at_sender(self, flow: int) -> pl.DataFrame:
        self._check(flow)
        return sending_end(self._run.segments, flow)

    def _of_flow(self, table: pl.DataFrame, flow: int) -> pl.DataFrame:
        self._check(flow)
        return table.filter(table["flow"] == flow)

    def _check(self, flow: int) -> None:
        known = [each.id for each in self._run.flows]
        if flow not in known:
            raise ValueError(f"flow: {flow} is none of this run's, {known[0]} to {known[-1]}")


def mark_spurious_timeouts(
    ax: Axes, events: pl.DataFrame, time_s: np.ndarray, window: np.ndarray
) -> None:
    """Point an arrow at the window each time a spurious time-out happened."""
    spurious = events.filter(events["event"] == "spurious_timeout")["time_s"].to_numpy()
    for at in spurious:
        height = float(window[max(np.searchsorted(time_s, at) - 1, 0)])
        ax.annotate(
            "",
            xy=(float(at), height),
            xytext=(0, 16),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-|>", "color": COLORS["timeout"], "shrinkB": 1},
        )


def histogram_edges(greatest_s: float, width_s: float) -> np.ndarray:
    """Return edges of bars centred on the multiples of `width_s`."""
    count = max(1, int(np.ceil(greatest_s / width_s + 0.5)))
    edges: np.ndarray = (np.arange(count + 1) - 0.5) * width_s
    return edges


def _intervals(duration_s: float, interval_s: float | None) -> int:
    if interval_s is None:
        return 100
    return max(1, round(duration_s / _above_zero("interval_s", interval_s)))


def _above_zero(name: str, value: float) -> float:
    if not value > 0:
        raise ValueError(f"{name}: must be above zero, not {value:g}")
    return value


def _new_axes() -> Axes:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(7.0, 3.6))[1]
