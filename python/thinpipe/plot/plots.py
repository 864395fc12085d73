"""The plots of a run: what ``run.plot`` offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinpipe.arguments import check
from thinpipe.plot.bottleneck import longest_wait
from thinpipe.plot.curves import figure_of, given_or_new, share
from thinpipe.plot.cwnd import draw_windows, window
from thinpipe.plot.datagrams import delays, draw_datagrams
from thinpipe.plot.drawing import finish
from thinpipe.plot.kinds import TALL
from thinpipe.plot.network_plots import NetworkPlots
from thinpipe.plot.outstanding import draw_outstanding, outstanding_of
from thinpipe.plot.overview import draw_overview, overview
from thinpipe.plot.packets import draw_packets, traced
from thinpipe.plot.queue import draw_queues, queue
from thinpipe.plot.rates import draw_goodputs, draw_throughputs, goodput, sending
from thinpipe.plot.rtt import Samples, draw_distributions, draw_rtts, round_trips
from thinpipe.plot.sequence import draw_time_sequence
from thinpipe.plot.series import acks_received, segments_sent, sent_towards_receiver
from thinpipe.plot.shown import Flows, Protocol, Shown, all_shown, shown
from thinpipe.plot.style import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MODULO = 60
"""Modulus of packet numbers in the traced-packet graphs of Fall and Floyd (1996)."""


class Plots(NetworkPlots):
    """Plots of a run. Each draws into `ax`, or into a new figure, and returns the figure.

    They show the time from `start_s` to `end_s`; ``None`` is the end of the run, or shortly after
    the end of the flow if that was completed or given up before.

    Plots with a `label` may share axes: draw those of several runs into the same `ax`, or give
    several flows, as ``flow=[0, 2]`` or ``flow="all"``. Each has a colour, which is that of its
    algorithm, dashes, and in the legend `label`, by default its variant. More than twelve are grey
    lines with their mean.

    They raise `ValueError` if the run has no such flow, or lacks a trace that they need.
    """

    def overview(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw window, round-trip time, the bottleneck's queue and goodput in panels.

        Of UDP, the delays of datagrams take the place of the window. The queue needs a traced run.
        The panels replace `ax`. ``run.plot()`` does the same.
        """
        of = self._all(flow, start_s, end_s, label, protocol=None)
        alone = len(of) == 1
        return share(ax, of, lambda each: overview(each, alone=alone), draw_overview, TALL)

    __call__ = overview

    def time_sequence(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Figure:
        """Draw each segment from its first to its last byte, as its sender saw it.

        Retransmissions, drops, acknowledgements and the window have colours, as in tcptrace. To
        see single segments, show a few seconds: ``start_s=10, end_s=15``.
        """
        of = shown(self._run, flow, start_s, end_s)
        rows, hops, events = of.at_sender(), self._run.hops, of.rows(self._run.events)
        dropped = hops.filter(hops["event"] == "dropped")
        with style():
            ax = given_or_new(ax)
            sent, heard = segments_sent(rows), acks_received(rows)
            unit = draw_time_sequence(ax, of.view, sent, heard, dropped, events)
            finish(ax, of.view, f"Sequence number ({unit.name})", bottom=None)
        return figure_of(ax)

    def outstanding(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw the unacknowledged payload, and its running means."""
        of = self._all(flow, start_s, end_s, label)
        return share(ax, of, outstanding_of, draw_outstanding)

    def throughput(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw the sender's throughput: instantaneous, its moving average and its running mean.

        Segments sent at the same time count as one. Outliers are triangles at the top; the legend
        has their number and maximum. Of several flows, the mean of each interval is shown.
        """
        of = self._all(flow, start_s, end_s, label)
        alone = len(of) == 1
        return share(ax, of, lambda each: sending(each, alone=alone), draw_throughputs)

    def packets(
        self,
        ax: Axes | None = None,
        *,
        flow: int = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        modulo: int = MODULO,
        link: str | None = None,
    ) -> Figure:
        """Draw packet numbers, modulo `modulo`, at the queue of a link.

        Packet 0 is the SYN; data packets count from 1. The default link is the one where the flow's
        packets waited longest; others are in the column ``machine`` of the table ``hops``. Of a
        long view, the packets around its first drop are drawn.
        """
        _above_zero(modulo=modulo)
        check(link=link)
        of = shown(self._run, flow, start_s, end_s)
        rows, hops = of.at_sender(), self._run.hops
        everywhere = segments_sent(sent_towards_receiver(self._run.segments, flow))
        links = hops["machine"].unique().cast(str).to_list()
        if link is not None and link not in links:
            raise ValueError(f"link: {link!r} is none of {', '.join(sorted(links))}")
        if link is None:
            waited = longest_wait(of)
            # A bearer is one machine to the hops of packets, and two links to its queues.
            link = waited if waited in links else waited.rpartition("/")[0]
        with style():
            ax = given_or_new(ax)
            seen = traced(hops, link, everywhere, acks_received(rows))
            view = draw_packets(ax, of.view, seen, modulo)
            finish(ax, view, f"Packet number mod {modulo} at {link}", bottom=None)
            ax.set_ylim(-0.02 * modulo, 1.02 * modulo)
        return figure_of(ax)

    def cwnd(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw the congestion window, and ssthresh where it is not above all windows.

        Marks are fast retransmits, timeouts and spurious timeouts, each at the window before it.
        """
        return share(ax, self._all(flow, start_s, end_s, label), window, draw_windows)

    def rtt(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw round-trip times as measured, and their running mean."""
        return share(ax, self._all(flow, start_s, end_s, label), round_trips, draw_rtts)

    def rtt_histogram(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        width_s: float | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw a histogram of round-trip times, with bins of `width_s` seconds.

        ``None`` is the largest of 1, 2, 5, 10, … ms that gives at least 25 bins. Of several flows,
        draw the share of samples up to each round-trip time.
        """
        if width_s is not None:
            _above_zero(width_s=width_s)

        def samples(of: Shown) -> Samples:
            trips = round_trips(of)
            return Samples(trips.values[of.view.holds(trips.time_s)], width_s)

        return share(ax, self._all(flow, start_s, end_s, label), samples, draw_distributions)

    def goodput(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        interval_s: float | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw the payload per second that was acknowledged, or of UDP arrived, by interval.

        An interval of `interval_s` is by default a hundredth of the time shown or longer, up to a
        tenth, so that it has ten acknowledgements on average.
        """
        if interval_s is not None:
            _above_zero(interval_s=interval_s)
        of = self._all(flow, start_s, end_s, label, protocol=None)
        alone = len(of) == 1
        return share(ax, of, lambda each: goodput(each, interval_s, alone=alone), draw_goodputs)

    def queue(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        link: str | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw a link's queue: packets and bytes waiting, drops, and how long packets waited.

        All packets count, whatever their flow. The default link is the one where the flow's packets
        waited longest; others are in the column ``link`` of the table ``queue``. The panels
        replace `ax`.
        """
        of = self._all(flow, start_s, end_s, label, protocol=None)
        return share(ax, of, lambda each: queue(each, link), draw_queues, TALL)

    def datagrams(
        self,
        ax: Axes | None = None,
        *,
        flow: Flows = 0,
        start_s: float = 0.0,
        end_s: float | None = None,
        label: str | None = None,
    ) -> Figure:
        """Draw the one-way delay of each UDP datagram by its sending time.

        Marks at the bottom are lost datagrams.
        """
        return share(
            ax, self._all(flow, start_s, end_s, label, protocol="udp"), delays, draw_datagrams
        )

    def _all(
        self,
        flow: Flows,
        start_s: float,
        end_s: float | None,
        label: str | None,
        protocol: Protocol | None = "tcp",
    ) -> list[Shown]:
        return all_shown(self._run, flow, start_s, end_s, label, protocol=protocol)


def _above_zero(**given: float) -> None:
    check(**given)
    for name, value in given.items():
        if not value > 0:
            raise ValueError(f"{name}: must be above zero, not {value:g}")
