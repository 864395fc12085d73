"""The pictures of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.style import COLORS, style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from thinpipe.run import Run

GRID_S = 0.020
"""Width of a histogram's bar: round-trip times over a dedicated channel come in steps of it."""


class Plots:
    """Pictures of a run. Each draws into `ax`, or into a new figure, and returns the axes."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def cwnd(self, ax: Axes | None = None, *, flow: int = 0) -> Axes:
        """Draw the congestion window over time; arrows mark spurious time-outs."""
        table = self._of_flow(self._run.cwnd, flow)
        with style():
            ax = ax or _new_axes()
            time_s, window = steps(table, self._run.result.duration_s)
            ax.step(time_s, window, where="post", color=COLORS["data"])
            mark_spurious_timeouts(ax, self._of_flow(self._run.events, flow), time_s, window)
            ax.set(xlabel="Time (s)", ylabel="Congestion window (segments)")
            ax.set_ylim(bottom=0)
        return ax

    def rtt(self, ax: Axes | None = None, *, flow: int = 0) -> Axes:
        """Draw each round-trip time when it was measured."""
        table = self._of_flow(self._run.rtt, flow)
        with style():
            ax = ax or _new_axes()
            ax.plot(
                table["time_s"].to_numpy(),
                table["rtt_s"].to_numpy(),
                linestyle="none",
                marker=".",
                markersize=2,
                color=COLORS["data"],
                rasterized=True,
            )
            ax.set(xlabel="Time (s)", ylabel="Round-trip time (s)")
            ax.set_ylim(bottom=0)
        return ax

    def rtt_histogram(
        self, ax: Axes | None = None, *, flow: int = 0, width_s: float = GRID_S
    ) -> Axes:
        """Draw how often each round-trip time occurred, in bars of `width_s` seconds."""
        _above_zero("width_s", width_s)
        rtt_s = self._of_flow(self._run.rtt, flow)["rtt_s"].to_numpy()
        with style():
            ax = ax or _new_axes()
            edges = histogram_edges(float(rtt_s.max()) if len(rtt_s) else width_s, width_s)
            ax.hist(rtt_s, bins=list(edges), color=COLORS["data"], edgecolor="white", linewidth=0.3)
            ax.set(xlabel="Round-trip time (s)", ylabel="Samples")
        return ax

    def time_sequence(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Axes:
        """Draw segments, retransmissions and the acknowledgement line, from a traced run.

        A few seconds show each segment: ``start_s=10, end_s=15``.
        """
        self._check(flow)
        end_s = self._run.result.duration_s if end_s is None else end_s
        rows = sending_end(self._run.segments, flow)
        view = rows.filter((rows["time_s"] >= start_s) & (rows["time_s"] <= end_s))
        sent = view.filter((view["event"] == "sent") & (view["payload_bytes"] > 0))
        heard = view.filter((view["event"] == "received") & (view["ack"] > 0))
        with style():
            ax = ax or _new_axes()
            again = sent["transmission"] > 1
            ax.step(
                heard["time_s"].to_numpy(),
                heard["ack"].to_numpy() / 1000,
                where="post",
                color=COLORS["acknowledgement"],
                linewidth=0.8,
                label="Acknowledged",
            )
            _draw_segments(ax, sent.filter(~again), "data", "Segments")
            _draw_segments(ax, sent.filter(again), "retransmission", "Sent again")
            ax.set(xlabel="Time (s)", ylabel="Sequence number (kB)")
            ax.legend(loc="upper left")
        return ax

    def throughput(
        self, ax: Axes | None = None, *, flow: int = 0, interval_s: float | None = None
    ) -> Axes:
        """Draw the acknowledged payload a second, averaged over intervals of `interval_s`."""
        duration_s = self._run.result.duration_s
        table = self._of_flow(self._run.rtt, flow)
        edges = np.linspace(0.0, duration_s, _intervals(duration_s, interval_s) + 1)
        offsets = np.maximum.accumulate(table["offset"].to_numpy().astype(np.float64))
        reached = np.searchsorted(table["time_s"].to_numpy(), edges, side="right")
        acked = np.where(reached > 0, np.append(0.0, offsets)[reached], 0.0)
        with style():
            ax = ax or _new_axes()
            rates = np.diff(acked) * 8 / np.diff(edges) / 1000
            ax.stairs(rates, edges, color=COLORS["data"], linewidth=1.2)
            ax.set(xlabel="Time (s)", ylabel="Throughput (kbit/s)")
            ax.set_ylim(bottom=0)
        return ax

    def _of_flow(self, table: pl.DataFrame, flow: int) -> pl.DataFrame:
        self._check(flow)
        return table.filter(table["flow"] == flow)

    def _check(self, flow: int) -> None:
        known = [each.id for each in self._run.flows]
        if flow not in known:
            raise ValueError(f"flow: {flow} is none of this run's, {known[0]} to {known[-1]}")


def steps(cwnd: pl.DataFrame, end_s: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times and windows of a step curve that reaches to the end of the run."""
    time_s = cwnd["time_s"].to_numpy()
    window = cwnd["cwnd_segments"].to_numpy()
    if len(window) == 0:
        return time_s, window
    return np.append(time_s, end_s), np.append(window, window[-1])


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


def sending_end(segments: pl.DataFrame, flow: int) -> pl.DataFrame:
    """Return the rows of the endpoint that sends a flow's data."""
    both = segments.filter(segments["flow"] == flow)
    data = both.filter((both["event"] == "sent") & (both["payload_bytes"] > 0))
    if len(data) == 0:
        raise ValueError(f"flow {flow} sent no data")
    return both.filter(both["endpoint"] == data["endpoint"][0])


def _draw_segments(ax: Axes, sent: pl.DataFrame, kind: str, label: str) -> None:
    """Draw segments from the first to the last byte, in front of lines and however small."""
    time_s = sent["time_s"].to_numpy()
    first = sent["seq"].to_numpy() / 1000
    last = (sent["seq"] + sent["payload_bytes"]).to_numpy() / 1000
    ax.vlines(time_s, first, last, color=COLORS[kind], linewidth=2.0, label=label, zorder=3)
    ax.plot(time_s, last, ".", color=COLORS[kind], markersize=2, zorder=3, rasterized=True)


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
