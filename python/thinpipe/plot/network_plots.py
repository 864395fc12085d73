"""The plots of a run that show its groups of flows, its network or a mobile, rather than a flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinpipe.arguments import check
from thinpipe.plot import calls, groups, snr
from thinpipe.plot import waits as of_waits
from thinpipe.plot.bindings import AGENT
from thinpipe.plot.cells import draw_shared, draw_states
from thinpipe.plot.codes import busiest, draw_codes, draw_tree, holders, tree_at
from thinpipe.plot.curves import figure_of, given_or_new
from thinpipe.plot.drawing import View, draw_samples, finish, panels
from thinpipe.plot.energy import colors, draw_energies, draw_powers, powers
from thinpipe.plot.handover import (
    chosen,
    draw_lanes,
    draw_losses,
    draw_reaction,
    losses,
    mobiles,
)
from thinpipe.plot.kinds import TALL
from thinpipe.plot.middlebox import draw_backlog, draw_leg
from thinpipe.plot.shown import flow_of
from thinpipe.plot.signalling import draw_messages
from thinpipe.plot.style import COLORS, style
from thinpipe.tables import NoTableError

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.cell_result import Cell
    from thinpipe.recording import Recording


class NetworkPlots:
    """Plots of the groups of flows and of the network of a run."""

    def __init__(self, run: Recording) -> None:
        self._run = run

    def groups(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Figure:
        """Draw the goodput of each flow over the 95th percentile of its one-way delay, by group.

        A large mark is the mean of a group; the legend has its share of all, and Jain's index of
        its flows. These are figures of the whole run.
        """
        if start_s > 0 or end_s is not None:
            raise ValueError("groups: shows the whole run; leave start and end out")
        if not (found := groups.shares(self._run)):
            raise ValueError("groups: no flow has a one-way delay and a goodput")
        with style():
            ax = given_or_new(ax)
            groups.draw_shares(ax, found)
        return figure_of(ax)

    def completion(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Figure:
        """Draw which share of transfers and of pages took at most a time, a curve a group.

        Of the transfers that began, those that did not come to an end leave the curve below 100 %;
        pages are those that were complete.
        """
        view = View.of(start_s, end_s, self._run.result.duration_s)
        if not (found := groups.times(self._run, view)):
            raise ValueError("completion: no transfer and no page began and ended in that time")
        with style():
            ax = given_or_new(ax)
            groups.draw_times(ax, found)
        return figure_of(ax)

    def calls(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
    ) -> Figure:
        """Draw the mean opinion score of each call over its delay from mouth to ear, by group.

        The legend has the mean and the lowest of each group; lines say how satisfied users are
        from which score on (ITU-T G.107). These are figures of the whole run.
        """
        if start_s > 0 or end_s is not None:
            raise ValueError("calls: shows the whole run; leave start and end out")
        if not (found := calls.scores(self._run)):
            raise ValueError("calls: no flow is a call that was heard, as application = voip has")
        with style():
            ax = given_or_new(ax)
            calls.draw_scores(ax, found)
        return figure_of(ax)

    def cell(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
        cell: int = 0,
    ) -> Figure:
        """Draw a network of cells: RRC states, codes and blocked requests, shared channels.

        From the top: a bar per mobile; the codes of a cell and refused requests; the load of the
        cell's FACH and RACH. The panels replace `ax`.
        """
        summary, duration_s = self._cells("cell", cell), self._run.result.duration_s
        view = View.of(start_s, end_s, duration_s)
        with style():
            ax = given_or_new(ax)
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
        return figure_of(ax)

    def codes(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
        at_s: float | None = None,
        cell: int = 0,
    ) -> Figure:
        """Draw the code tree of a cell at one time, and below it the allocations over time.

        A code in use blocks those above and below it. ``None`` is when mobiles first used most of
        the tree. The panels replace `ax`.
        """
        summary, duration_s = self._cells("codes", cell), self._run.result.duration_s
        view, rows = View.of(start_s, end_s, duration_s), self._run.codes
        check(at_s=at_s)
        if at_s is not None and not 0 <= at_s <= duration_s:
            raise ValueError(f"at_s: must be from 0 s to {duration_s:g} s, not {at_s:g} s")
        at_s = busiest(rows, cell, duration_s) if at_s is None else at_s
        with style():
            ax = given_or_new(ax)
            tree, time = panels(ax, (0.42, 0.58), (0.0, 0.22))
            states = tree_at(rows, cell, at_s, summary.common_codes)
            draw_tree(tree, states, holders(rows, cell, at_s))
            tree.set_xlabel(f"Share of the codes of cell {cell}, at {at_s:.6g} s")
            draw_codes(time, view, rows, cell, duration_s)
            time.axvline(at_s, color=COLORS["paper"], linewidth=0.8, linestyle="--")
            finish(time, view, "Share of codes", bottom=None)
        return figure_of(ax)

    def middlebox(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
        mobile: int = 0,
    ) -> Figure:
        """Draw a middlebox's backlog for a mobile, and below it round-trip times over the radio.

        Mobiles count from 0 in the order in which the middlebox first handled a connection of
        them. The panels replace `ax`.
        """
        summary, run = self._run.middlebox, self._run
        if summary is None:
            raise ValueError("middlebox: needs a run with middlebox.kind other than none")
        if not summary.mobiles:
            raise ValueError("middlebox: that of this run took part in no connection")
        _check_number("the box's", summary.mobiles, mobile=mobile)
        backlog, rtt, events = (
            table.filter(table["mobile"] == mobile)
            for table in (run.middlebox_backlog, run.middlebox_rtt, run.middlebox_events)
        )
        ends = [float(table["time_s"][-1]) for table in (backlog, rtt, events) if len(table)]
        view = View.of(start_s, end_s, run.result.duration_s, max(ends, default=None))
        with style():
            ax = given_or_new(ax)
            held, leg = panels(ax, (0.52, 0.48), (0.0, 0.36))
            unit = draw_backlog(held, view, backlog)
            finish(held, view, f"Mobile {mobile} ({unit.name})")
            draw_leg(leg, view, rtt, events)
            finish(leg, view, "RTT (s)")
            held.set_xlabel("")
            held.tick_params(labelbottom=False)
        return figure_of(ax)

    def waits(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
        mobile: int = 0,
    ) -> Figure:
        """Draw how long packets for a mobile wait in a middlebox that does not read them, by class.

        Below is the rate of the mobile's radio as the middlebox estimates it and as the radio
        reports it, where ``middlebox.atcp.estimator`` is not static. Mobiles count as in
        `middlebox`. The panels replace `ax`.
        """
        summary, run = self._run.middlebox, self._run
        if summary is None or not any(each.packets for each in summary.by_mobile):
            raise ValueError(
                "waits: needs a run whose middlebox has packets wait that it does not read"
            )
        _check_number("the box's", summary.mobiles, mobile=mobile)
        waits, rates = run.middlebox_waits, of_waits.rates_of(run, mobile)
        view = View.of(start_s, end_s, run.result.duration_s)
        with style():
            ax = given_or_new(ax)
            spans = ((0.0, 1.0),) if rates is None else ((0.55, 0.45), (0.0, 0.34))
            found = panels(ax, *spans)
            of_waits.draw_waits(found[0], view, waits.filter(waits["mobile"] == mobile))
            finish(found[0], view, "Wait (s)")
            if rates is not None:
                of_waits.draw_rates(found[1], view, rates)
                finish(found[1], view, "Radio (kbit/s)")
                found[0].set_xlabel("")
                found[0].tick_params(labelbottom=False)
        return figure_of(ax)

    def handover(
        self,
        ax: Axes | None = None,
        *,
        flow: int | None = None,
        start_s: float = 0.0,
        end_s: float | None = None,
        mobile: int | None = None,
    ) -> Figure:
        """Draw the handovers of a mobile: links and addresses, messages, TCP's reaction.

        Mobiles count from 0 in the order of the scenario, without those that never had a link. By
        default the flow is one of the mobile, or the mobile one of the flow. A handover takes a
        second or two: ``start_s=6, end_s=15``. The panels replace `ax`.
        """
        summary, run = self._run.result.mobility, self._run
        if summary is None:
            raise ValueError("handover: needs a run with [mobile_ip]")
        if not (known := mobiles(run.mobility)):
            raise ValueError("handover: no mobile of this run ever had a link")
        if mobile is not None:
            _check_number("this run's", len(known), mobile=mobile)
        flow_of(self._run, 0 if flow is None else flow)
        flow, mobile = chosen(run.segments, known, flow, mobile)
        view, agent = View.of(start_s, end_s, run.result.duration_s), known[mobile] + AGENT
        with style():
            ax = given_or_new(ax, TALL)
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
        return figure_of(ax)

    def snr(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
        mobile: int = 0,
    ) -> Figure:
        """Draw the ratio of signal to noise that a mobile's blocks met, and its handovers.

        Mobiles count from 0 in the order of the scenario.
        """
        run = self._run
        try:
            known = snr.mobiles(run)
        except NoTableError:
            raise ValueError(
                "snr: needs a traced run whose radio has a ratio of signal to noise"
            ) from None
        _check_number("this run's", len(known), mobile=mobile)
        view = View.of(start_s, end_s, run.result.duration_s)
        with style():
            ax = given_or_new(ax)
            snr.draw_ratios(ax, view, run, mobile)
            finish(ax, view, f"SNR of {known[mobile]} (dB)", bottom=None)
        return figure_of(ax)

    def energy(
        self,
        ax: Axes | None = None,
        *,
        start_s: float = 0.0,
        end_s: float | None = None,
        mobile: int = 0,
    ) -> Figure:
        """Draw what a mobile's radio draws over time, and below it the energy of each state.

        The power is the mean from one change of state to the next, with what is carried. Mobiles
        count from 0 as in ``run.mobiles``. The panels replace `ax`.
        """
        run, known = self._run, self._run.result.mobiles
        if not known:
            raise ValueError("energy: needs a run whose radio has powers, [radio.power]")
        _check_number("this run's", len(known), mobile=mobile)
        view, of = View.of(start_s, end_s, run.result.duration_s), known[mobile]
        rows = run.power.filter(run.power["mobile"] == mobile)
        drawn = powers(rows, run.result.duration_s, of.energy_j)
        hues = colors([state.name for state in of.states])
        with style():
            ax = given_or_new(ax)
            time, energies = panels(ax, (0.42, 0.58), (0.0, 0.26))
            draw_powers(time, view, drawn, hues)
            finish(time, view, f"Power of {of.name} (W)", bottom=None)
            draw_energies(energies, of, hues)
        return figure_of(ax)

    def _reaction(self, window: Axes, rtt: Axes, view: View, flow: int | None) -> None:
        """Draw window, losses and round-trip times of a flow, if there is one."""
        if flow is not None:
            events = _of_flow(self._run.events, flow)
            draw_reaction(window, view, _of_flow(self._run.cwnd, flow), events)
            lost_s = losses(self._run.hops, self._run.segments, flow)
            draw_losses(window, view, lost_s, flow)
            table = _of_flow(self._run.rtt, flow)
            time_s, rtt_s = table["time_s"].to_numpy(), table["rtt_s"].to_numpy()
            draw_samples(rtt, view, time_s, rtt_s, "data", "_samples")
        finish(window, view, "Segments")
        finish(rtt, view, "RTT (s)")

    def _cells(self, kind: str, cell: int) -> Cell:
        """Return the metrics of the network of cells; check that `cell` exists."""
        summary = self._run.cell
        if summary is None:
            raise ValueError(f"{kind}: needs a run with radio.kind = umts-cell")
        _check_number("this run's", summary.cells, cell=cell)
        return summary


def _check_number(whose: str, count: int, **given: int) -> None:
    """Check that a number is one of those that count from zero."""
    check(**given)
    for name, number in given.items():
        if number not in range(count):
            raise ValueError(f"{name}: {number} is none of {whose}, 0 to {count - 1}")


def _of_flow(table: pl.DataFrame, flow: int) -> pl.DataFrame:
    return table.filter(table["flow"] == flow)
