"""The plots of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.bindings import AGENT
from thinpipe.plot.cells import draw_shared, draw_states
from thinpipe.plot.codes import busiest, draw_codes, draw_tree, holders, tree_at
from thinpipe.plot.curves import draw_means, draw_steps
from thinpipe.plot.datagrams import draw_datagrams, last_s
from thinpipe.plot.drawing import (
    Unit,
    View,
    draw_held,
    draw_samples,
    finish,
    mark_spurious_timeouts,
    panels,
)
from thinpipe.plot.handover import (
    chosen,
    draw_lanes,
    draw_losses,
    draw_reaction,
    losses,
    mobiles,
)
from thinpipe.plot.histogram import bar_width, histogram_edges
from thinpipe.plot.middlebox import draw_backlog, draw_leg
from thinpipe.plot.packets import bottleneck, draw_packets, numbered, traced
from thinpipe.plot.sequence import draw_time_sequence
from thinpipe.plot.series import (
    acks_received,
    goodput_kbps,
    mean_so_far,
    outstanding,
    segments_sent,
    sending_end,
    sent_towards_receiver,
    throughput,
)
from thinpipe.plot.signalling import draw_messages
from thinpipe.plot.style import COLORS, style
from thinpipe.plot.throughput import draw_throughput

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from thinpipe.cell_result import Cell
    from thinpipe.recording import Recording
    from thinpipe.result import Flow

MODULO = 60
"""Modulus of packet numbers in the traced-packet graphs of Fall and Floyd (1996)."""


class Plots:
    """Plots of a run. Each draws into `ax`, or into a new figure, and returns the axes.

    They show the time from `start_s` to `end_s`; ``None`` is the end of the run, or shortly after
    the end of the flow if that was completed or given up before.
    They raise `ValueError` if the run has no such flow, or lacks a trace that they need.
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

        Retransmissions, drops, acknowledgements and the window have colours, as in tcptrace. To
        see single segments, show a few seconds: ``start_s=10, end_s=15``.
        """
        view, rows = self._view(flow, start_s, end_s), self._at_sender(flow)
        hops, events = self._run.hops, self._of_flow(self._run.events, flow)
        dropped = hops.filter(hops["event"] == "dropped")
        with style():
            ax = ax or _new_axes()
            sent, heard = segments_sent(rows), acks_received(rows)
            unit = draw_time_sequence(ax, view, sent, heard, dropped, events)
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
        """Draw the unacknowledged payload, and its running means."""
        view, data = self._view(flow, start_s, end_s), outstanding(self._at_sender(flow))
        with style():
            ax = ax or _new_axes()
            unit = Unit.of(float(data.instant_bytes.max(initial=0)))
            for values, kind, label, width in (
                (data.instant_bytes, "instant", "Outstanding", 0.8),
                (data.mean_bytes, "mean", "Mean of the samples so far", 1.4),
                (data.weighted_bytes, "weighted", "Time-weighted mean", 1.4),
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
        """Draw the sender's throughput: instantaneous, its moving average and its running mean.

        Segments sent at the same time count as one. Outliers are triangles at the top; the legend
        has their number and maximum.
        """
        view, data = (
            self._view(flow, start_s, end_s),
            throughput(segments_sent(self._at_sender(flow))),
        )
        with style():
            ax = ax or _new_axes()
            draw_throughput(ax, view, data)
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

        Packet 0 is the SYN; data packets count from 1. The default link is the one where the flow's
        packets waited longest; others are in the column ``machine`` of the table ``hops``. Of a
        long view, the packets around its first drop are drawn.
        """
        _above_zero("modulo", modulo)
        view, rows, hops = self._view(flow, start_s, end_s), self._at_sender(flow), self._run.hops
        everywhere = segments_sent(sent_towards_receiver(self._run.segments, flow, rows))
        links = hops["machine"].unique().cast(str).to_list()
        if link is not None and link not in links:
            raise ValueError(f"link: {link!r} is none of {', '.join(sorted(links))}")
        link = link or bottleneck(hops, numbered(everywhere))
        with style():
            ax = ax or _new_axes()
            seen = traced(hops, link, everywhere, acks_received(rows))
            view = draw_packets(ax, view, seen, modulo)
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
        label: str | None = None,
    ) -> Axes:
        """Draw the congestion window over time; arrows mark spurious timeouts.

        Several runs may go into the same axes: each has a colour and, in the legend, `label`, by
        default its variant.
        """
        view, table = self._view(flow, start_s, end_s), self._of_flow(self._run.cwnd, flow)
        time_s, window = table["time_s"].to_numpy(), table["cwnd_segments"].to_numpy()
        events = self._of_flow(self._run.events, flow)
        with style():
            ax = ax or _new_axes()
            draw_steps(ax, view, time_s, window, self._flow(flow), label)
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
        """Draw round-trip times as measured, and their running mean."""
        view, table = self._view(flow, start_s, end_s), self._of_flow(self._run.rtt, flow)
        time_s, rtt_s = table["time_s"].to_numpy(), table["rtt_s"].to_numpy()
        with style():
            ax = ax or _new_axes()
            draw_samples(ax, view, time_s, rtt_s, "instant", "Sample")
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
        width_s: float | None = None,
    ) -> Axes:
        """Draw a histogram of round-trip times, with bins of `width_s` seconds.

        ``None`` is the largest of 1, 2, 5, 10, … ms that gives at least 25 bins.
        """
        view, table = self._view(flow, start_s, end_s), self._of_flow(self._run.rtt, flow)
        rtt_s = table.filter(view.holds(table["time_s"].to_numpy()))["rtt_s"].to_numpy()
        with style():
            ax = ax or _new_axes()
            min_s, max_s = (rtt_s.min(), rtt_s.max()) if len(rtt_s) else (0.0, 0.0)
            bar_s = bar_width(max_s - min_s) if width_s is None else width_s
            edges = histogram_edges(max_s, _above_zero("width_s", bar_s), min_s)
            ax.hist(rtt_s, bins=list(edges), color=COLORS["data"], edgecolor="white", linewidth=0.3)
            ax.set(xlabel="Round-trip time (s)", ylabel=f"Samples in {1000 * bar_s:g} ms")
        return ax

    def goodput(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        interval_s: float | None = None,
        label: str | None = None,
    ) -> Axes:
        """Draw the acknowledged payload per second, averaged over intervals of `interval_s`.

        ``None`` is a hundredth of the time shown or longer, up to a tenth, so that an interval has
        ten acknowledgements on average. Several runs may go into the same axes, as for `cwnd`.
        """
        view = self._view(flow, start_s, end_s)
        table = self._of_flow(self._run.rtt, flow)
        acks = int(view.holds(table["time_s"].to_numpy()).sum())
        count = _intervals(view.end_s - view.start_s, acks, interval_s)
        edges = np.linspace(view.start_s, view.end_s, count + 1)
        rates = goodput_kbps(table, edges)
        with style():
            ax = ax or _new_axes()
            draw_means(ax, rates, edges, self._flow(flow), label)
            finish(ax, view, "Goodput (kbit/s)")
        return ax

    def datagrams(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Axes:
        """Draw the one-way delay of each UDP datagram by its sending time.

        Marks at the bottom are lost datagrams.
        """
        self._check(flow)
        if self._run.flows[flow].datagrams is None:
            raise ValueError(f"flow: {flow} has no datagrams, as application = udp has")
        table = self._of_flow(self._run.datagrams, flow)
        view = View.of(start_s, end_s, self._run.result.duration_s, last_s(table))
        with style():
            ax = ax or _new_axes()
            draw_datagrams(ax, view, table)
            finish(ax, view, "One-way delay (s)")
        return ax

    def cell(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        cell: int = 0,
    ) -> Axes:
        """Draw a network of cells: RRC states, codes and blocked requests, shared channels.

        From the top: a bar per mobile; the codes of a cell and refused requests; the load of the
        cell's FACH and RACH. The panels replace `ax`. The flow has no effect.
        """
        summary, duration_s = self._cells("cell", cell), self._run.result.duration_s
        view = View.of(start_s, end_s, duration_s)
        self._check(flow)
        with style():
            ax = ax or _new_axes()
            states, codes, shared = panels(ax, (0.66, 0.34), (0.23, 0.33), (0.0, 0.13))
            draw_states(states, view, self._run.rrc, summary.ues, duration_s)
            finish(states, view, "Mobile", bottom=None)
            draw_codes(codes, view, self._run.codes, cell, duration_s)
            finish(codes, view, f"Share of codes,\ncell {cell}", bottom=None)
            draw_shared(shared, view, self._run.common, cell)
            finish(shared, view, "Load (%)")
            for upper in (states, codes):
                upper.set_xlabel("")
                upper.tick_params(labelbottom=False)
        return ax

    def codes(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        at_s: float | None = None,
        cell: int = 0,
    ) -> Axes:
        """Draw the code tree of a cell at one time, and below it the allocations over time.

        A code in use blocks those above and below it. ``None`` is when mobiles first used most of
        the tree. The panels replace `ax`. The flow has no effect.
        """
        summary, duration_s = self._cells("codes", cell), self._run.result.duration_s
        view, rows = View.of(start_s, end_s, duration_s), self._run.codes
        self._check(flow)
        if at_s is not None and not 0 <= at_s <= duration_s:
            raise ValueError(f"at_s: must be from 0 s to {duration_s:g} s, not {at_s:g} s")
        at_s = busiest(rows, cell, duration_s) if at_s is None else at_s
        with style():
            ax = ax or _new_axes()
            tree, time = panels(ax, (0.42, 0.58), (0.0, 0.22))
            states = tree_at(rows, cell, at_s, summary.common_codes)
            draw_tree(tree, states, holders(rows, cell, at_s))
            tree.set_xlabel(f"Share of the codes of cell {cell}, at {at_s:.6g} s")
            draw_codes(time, view, rows, cell, duration_s)
            time.axvline(at_s, color=COLORS["paper"], linewidth=0.8, linestyle="--")
            finish(time, view, "Share of codes", bottom=None)
        return ax

    def middlebox(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        mobile: int = 0,
    ) -> Axes:
        """Draw a middlebox's backlog for a mobile, and below it round-trip times over the radio.

        Mobiles count from 0 in the order in which the middlebox first handled a connection of
        them. The panels replace `ax`. The flow has no effect.
        """
        summary, run = self._run.middlebox, self._run
        if summary is None:
            raise ValueError("kind: middlebox needs a run with middlebox.kind other than none")
        if not summary.mobiles:
            raise ValueError("kind: the middlebox of this run took part in no connection")
        if mobile not in range(summary.mobiles):
            raise ValueError(f"mobile: {mobile} is none of the box's, 0 to {summary.mobiles - 1}")
        self._check(flow)
        backlog, rtt, events = (
            table.filter(table["mobile"] == mobile)
            for table in (run.middlebox_backlog, run.middlebox_rtt, run.middlebox_events)
        )
        ends = [float(table["time_s"][-1]) for table in (backlog, rtt, events) if len(table)]
        view = View.of(start_s, end_s, run.result.duration_s, max(ends, default=None))
        with style():
            ax = ax or _new_axes()
            held, leg = panels(ax, (0.52, 0.48), (0.0, 0.36))
            unit = draw_backlog(held, view, backlog)
            finish(held, view, f"Mobile {mobile} ({unit.name})")
            draw_leg(leg, view, rtt, events)
            finish(leg, view, "RTT (s)")
            held.set_xlabel("")
            held.tick_params(labelbottom=False)
        return ax

    def handover(
        self,
        ax: Axes | None = None,
        *,
        flow: int | None = None,
        start_s: float = 0.0,
        end_s: float | None = None,
        mobile: int | None = None,
    ) -> Axes:
        """Draw the handovers of a mobile: links and addresses, messages, TCP's reaction.

        Mobiles count from 0 in the order of the scenario, without those that never had a link. By
        default the flow is one of the mobile, or the mobile one of the flow. A handover takes a
        second or two: ``start_s=6, end_s=15``. The panels replace `ax`.
        """
        summary, run = self._run.result.mobility, self._run
        if summary is None:
            raise ValueError("kind: handover needs a run with [mobile_ip]")
        if not (known := mobiles(run.mobility)):
            raise ValueError("kind: no mobile of this run ever had a link")
        if mobile is not None and mobile not in range(len(known)):
            raise ValueError(f"mobile: {mobile} is none of this run's, 0 to {len(known) - 1}")
        self._check(flow or 0)
        flow, mobile = chosen(run.segments, known, flow, mobile)
        view, agent = View.of(start_s, end_s, run.result.duration_s), known[mobile] + AGENT
        with style():
            ax = ax or _new_axes((9.0, 7.5))
            spans = (0.84, 0.16), (0.445, 0.315), (0.2, 0.165), (0.0, 0.15)
            links, messages, window, rtt = panels(ax, *spans)
            draw_lanes(links, view, run.mobility, agent, summary.routers)
            finish(links, view, "Access router", bottom=None)
            draw_messages(messages, view, run.mobility, agent)
            finish(messages, view, "", bottom=None)
            self._reaction(window, rtt, view, flow)
            for upper in (links, messages, window):
                upper.set_xlabel("")
                upper.tick_params(labelbottom=False)
        return ax

    def _reaction(self, window: Axes, rtt: Axes, view: View, flow: int | None) -> None:
        """Draw window, losses and round-trip times of a flow, if there is one."""
        if flow is not None:
            events = self._of_flow(self._run.events, flow)
            draw_reaction(window, view, self._of_flow(self._run.cwnd, flow), events)
            lost_s = losses(self._run.hops, self._run.segments, flow)
            draw_losses(window, view, lost_s, flow)
            table = self._of_flow(self._run.rtt, flow)
            time_s, rtt_s = table["time_s"].to_numpy(), table["rtt_s"].to_numpy()
            draw_samples(rtt, view, time_s, rtt_s, "data", "_samples")
        finish(window, view, "Segments")
        finish(rtt, view, "RTT (s)")

    def _cells(self, kind: str, cell: int) -> Cell:
        """Return the metrics of the network of cells; check that `cell` exists."""
        summary = self._run.cell
        if summary is None:
            raise ValueError(f"kind: {kind} needs a run with radio.kind = umts-cell")
        if cell not in range(summary.cells):
            raise ValueError(f"cell: {cell} is none of this run's, 0 to {summary.cells - 1}")
        return summary

    def _view(self, flow: int, start_s: float, end_s: float | None) -> View:
        return View.of(start_s, end_s, self._run.result.duration_s, self._over_s(flow))

    def _over_s(self, flow: int) -> float | None:
        """Return the last event of a flow that was completed or given up; ``None`` for others."""
        self._check(flow)
        of = self._flow(flow)
        ends = [at for at in (of.completed_s, of.given_up_s) if at is not None]
        if not ends:
            return None
        if of.received_s is not None:
            ends.append(of.received_s)  # later, if a middlebox acknowledged early
        tables = (self._run.rtt, self._run.cwnd, self._run.events)
        rows = [table.filter(table["flow"] == flow) for table in tables]
        return max(ends + [float(each["time_s"][-1]) for each in rows if len(each)])

    def _at_sender(self, flow: int) -> pl.DataFrame:
        self._check(flow)
        if self._run.flows[flow].datagrams is not None:
            raise ValueError(f"flow: {flow} is of UDP, which the kind datagrams shows")
        return sending_end(self._run.segments, flow)

    def _of_flow(self, table: pl.DataFrame, flow: int) -> pl.DataFrame:
        self._check(flow)
        return table.filter(table["flow"] == flow)

    def _flow(self, flow: int) -> Flow:
        return next(each for each in self._run.flows if each.id == flow)

    def _check(self, flow: int) -> None:
        known = [each.id for each in self._run.flows]
        if flow not in known:
            raise ValueError(f"flow: {flow} is none of this run's, {known[0]} to {known[-1]}")


def _intervals(duration_s: float, acks: int, interval_s: float | None) -> int:
    if interval_s is None:
        return min(max(acks // 10, 10), 100)
    return max(1, round(duration_s / _above_zero("interval_s", interval_s)))


def _above_zero(name: str, value: float) -> float:
    if not value > 0:
        raise ValueError(f"{name}: must be above zero, not {value:g}")
    return value


def _new_axes(size: tuple[float, float] = (7.0, 3.6)) -> Axes:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size)[1]
