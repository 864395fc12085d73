"""What a plot shows: flows of a run, and which part of the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from thinpipe.arguments import check
from thinpipe.plot.drawing import View
from thinpipe.plot.series import sending_end

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.recording import Recording
    from thinpipe.result import Flow

Flows = int | Sequence[int] | Literal["all"]
"""A flow, several, or all that a plot can show."""

Protocol = Literal["tcp", "udp"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A flow of a run in a time range; `label` is ``None`` unless it was given."""

    run: Recording
    flow: Flow
    view: View
    label: str | None = None

    def rows(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the flow's rows of a table."""
        return table.filter(table["flow"] == self.flow.id)

    def at_sender(self) -> pl.DataFrame:
        """Return the segments at the endpoint that sends the flow's data.

        Raises
        ------
        ValueError
            If the flow is of UDP, or sent nothing, or the run has no trace.
        """
        if self.flow.datagrams is not None:
            raise ValueError(f"flow: {self.flow.id} is of UDP, which the kind datagrams shows")
        return sending_end(self.run.segments, self.flow.id)


def flow_of(run: Recording, number: int) -> Flow:
    """Return a flow by its number.

    Raises
    ------
    ValueError
        If there is none of that number.
    """
    check(flow=number)
    known = {each.id: each for each in run.flows}
    if number not in known:
        raise ValueError(f"flow: {number} is none of this run's, {min(known)} to {max(known)}")
    return known[number]


def shown(run: Recording, flow: int, start_s: float, end_s: float | None) -> Shown:
    """Return a flow from `start_s` to `end_s`, or to shortly after its end.

    Raises
    ------
    ValueError
        If there is no such flow, or nothing between the times.
    """
    of = flow_of(run, flow)
    return Shown(run, of, View.of(start_s, end_s, run.result.duration_s, _over_s(run, of)))


def all_shown(
    run: Recording,
    flows: Flows,
    start_s: float,
    end_s: float | None,
    label: str | None,
    *,
    protocol: Protocol | None = None,
) -> list[Shown]:
    """Return the flows of a choice; "all" are those of a protocol that sent something, if any.

    If there are several, each is labelled with its number.

    Raises
    ------
    ValueError
        If there is no such flow, one is given twice, or nothing is between the times.
    """
    check(flows=flows, label=label)
    if flows == "all":
        of_it = [each for each in run.flows if protocol in (None, _protocol(each))] or run.flows
        numbers = [each.id for each in of_it if each.started_s is not None] or [of_it[0].id]
    else:
        numbers = [*flows] if isinstance(flows, Sequence) else [flows]
    if not numbers:
        raise ValueError("flow: at least one is needed")
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    if twice is not None:
        raise ValueError(f"flow: {twice} is given twice; give it once")
    found = [shown(run, number, start_s, end_s) for number in numbers]
    names = flow_names([each.flow for each in found])
    return [
        Shown(each.run, each.flow, each.view, _label(each.flow, label, name, len(found)))
        for each, name in zip(found, names, strict=True)
    ]


def flow_names(flows: Sequence[Flow]) -> list[str]:
    """Return a name for each of several flows: its number, and its group where there are more."""
    several = len({flow.group for flow in flows}) > 1
    return [f"flow {flow.id}, {flow.group}" if several else f"flow {flow.id}" for flow in flows]


def _protocol(flow: Flow) -> Protocol:
    return "tcp" if flow.datagrams is None else "udp"


def _label(flow: Flow, label: str | None, name: str, count: int) -> str | None:
    if count == 1:
        return label
    return f"{name} ({flow.variant})" if label is None else f"{label}, {name}"


def _over_s(run: Recording, flow: Flow) -> float | None:
    """Return the last event of a flow that was completed or given up; ``None`` for others."""
    if flow.datagrams is not None:
        return _last_s(run.datagrams.filter(run.datagrams["flow"] == flow.id))
    ends = [at for at in (flow.completed_s, flow.given_up_s) if at is not None]
    if not ends:
        return None
    if flow.received_s is not None:
        ends.append(flow.received_s)  # later, if a middlebox acknowledged early
    rows = [table.filter(table["flow"] == flow.id) for table in (run.rtt, run.cwnd, run.events)]
    return max(ends + [float(each["time_s"][-1]) for each in rows if len(each)])


def _last_s(datagrams: pl.DataFrame) -> float | None:
    """Return when the last datagram was sent or arrived; ``None`` if there is none."""
    if len(datagrams) == 0:
        return None
    arrived = datagrams["arrived_s"].drop_nulls()
    return max(float(times[-1]) for times in (datagrams["time_s"], arrived.sort()) if len(times))
