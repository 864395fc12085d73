"""The metrics of a run as small tables, for notebooks and terminals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final, Generic, Literal, NamedTuple, TypeVar

from thinpipe.call_result import Call
from thinpipe.group_result import Group, RttSummary
from thinpipe.middlebox_result import Middlebox, MiddleboxClass
from thinpipe.report.numbers import lifetime, percent, short
from thinpipe.result import Datagrams, Energy, Flow, Result

T = TypeVar("T")

MOST_ROWS: Final = 100
"""Of more flows the tables say how their numbers are spread."""

SPREAD: Final = (("min", 0.0), ("5 %", 0.05), ("median", 0.5), ("95 %", 0.95), ("max", 1.0))
"""The rows of such a table, each with the share of flows that have less.

Above them a row counts the flows that have a number: of one that has not begun there is no RTT.
"""


class Table(NamedTuple):
    """Cells for readers, below their headers."""

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    text: frozenset[str]
    """Columns that hold no numbers."""


class Column(NamedTuple, Generic[T]):
    """A header, what stands below it, and how that is written."""

    head: str
    of: Callable[[T], float | str | None]
    write: Callable[[float | None], str] = short
    if_it_varies: bool = False
    """Whether it is left out where all rows have the same."""
    if_any: bool = False
    """Whether it is left out where no row has one."""


def _whole(value: float | None) -> str:
    return short(value, 9)


def _rate(bps: float | None) -> str:
    return short(None if bps is None else bps / 1000, 4)


def _of_calls(group: Group, name: Literal["mos_mean", "mos_min"]) -> float | None:
    of: float | None = None if group.voip is None else getattr(group.voip, name)
    return of


GROUPS: Final[tuple[Column[Group], ...]] = (
    Column("group", lambda group: group.name),
    Column("flows", lambda group: group.flows, _whole),
    Column("variant", lambda group: group.variant),
    Column("goodput kbit/s", lambda group: group.goodput_bps, _rate),
    Column("share", lambda group: group.share, percent),
    Column("Jain", lambda group: group.jain_index),
    Column("RTT s: mean", lambda group: group.rtt_s.mean),
    Column("95 %", lambda group: group.rtt_s.p95),
    Column("one way s: mean", lambda group: group.delay_s.mean),
    Column("95 %", lambda group: group.delay_s.p95),
    Column("retransmitted", lambda group: group.retransmits, _whole),
    Column("timeouts", lambda group: group.timeouts, _whole),
    Column("completed", lambda group: group.completion_s.samples, _whole),
    Column("after s: median", lambda group: group.completion_s.p50),
    Column("MOS: mean", lambda group: _of_calls(group, "mos_mean"), if_any=True),
    Column("lowest", lambda group: _of_calls(group, "mos_min"), if_any=True),
)
"""All flows, then those of each group."""

FLOWS: Final[tuple[Column[Flow], ...]] = (
    Column("flow", lambda flow: str(flow.id)),
    Column("group", lambda flow: flow.group, if_it_varies=True),
    Column("variant", lambda flow: flow.variant),
    Column("goodput kbit/s", lambda flow: flow.goodput_bps, _rate),
    Column("throughput", lambda flow: flow.normalized_throughput, percent),
    Column("segments", lambda flow: flow.segments_sent, _whole),
    Column("retransmitted", lambda flow: flow.retransmits, _whole),
    Column("timeouts", lambda flow: flow.timeouts, _whole),
    Column("spurious", lambda flow: flow.spurious_timeouts, _whole),
    Column("RTT s: min", lambda flow: flow.rtt_s.min),
    Column("mean", lambda flow: flow.rtt_s.mean),
    Column("95 %", lambda flow: flow.rtt_s.p95),
    Column("max", lambda flow: flow.rtt_s.max),
    Column("cwnd mean", lambda flow: flow.cwnd_segments.mean),
    Column("completed s", lambda flow: flow.completed_s),
)
"""Connections."""

RESPONSES: Final[tuple[Column[tuple[Flow, str, RttSummary]], ...]] = (
    Column("flow", lambda row: str(row[0].id)),
    Column("group", lambda row: row[0].group),
    Column("times s", lambda row: row[1]),
    Column("count", lambda row: row[2].samples, _whole),
    Column("min", lambda row: row[2].min),
    Column("mean", lambda row: row[2].mean),
    Column("95 %", lambda row: row[2].p95),
    Column("max", lambda row: row[2].max),
)
"""Pages, echoes and probes of flows whose application waits for responses."""

DATAGRAMS: Final[tuple[Column[tuple[Flow, Datagrams]], ...]] = (
    Column("flow", lambda row: str(row[0].id)),
    Column("group", lambda row: row[0].group),
    Column("datagrams", lambda row: row[1].sent, _whole),
    Column("received", lambda row: row[1].received, _whole),
    Column("lost", lambda row: row[1].lost, _whole),
    Column("under way", lambda row: row[1].under_way, _whole),
    Column("loss", lambda row: row[1].loss, percent),
    Column("delay s: min", lambda row: row[0].network.delay_s.min),
    Column("mean", lambda row: row[0].network.delay_s.mean),
    Column("95 %", lambda row: row[0].network.delay_s.p95),
    Column("max", lambda row: row[0].network.delay_s.max),
    Column("jitter s", lambda row: row[1].jitter_s),
    Column("goodput kbit/s", lambda row: row[0].goodput_bps, _rate),
)
"""UDP flows, those of calls included."""

CALLS: Final[tuple[Column[tuple[Flow, Call]], ...]] = (
    Column("flow", lambda row: str(row[0].id)),
    Column("group", lambda row: row[0].group),
    Column("MOS", lambda row: row[1].mos),
    Column("R", lambda row: row[1].r_factor),
    Column("mouth to ear s", lambda row: row[1].mouth_to_ear_s),
    Column("frames played", lambda row: row[1].played, _whole),
    Column("late", lambda row: row[1].late_share, percent),
    Column("lost", lambda row: row[1].lost_share, percent),
    Column("burst ratio", lambda row: row[1].burst_ratio),
)
"""What receivers of calls hear."""

MIDDLEBOX: Final[tuple[Column[Middlebox], ...]] = (
    Column("middlebox", lambda box: box.kind),
    Column("at", lambda box: box.at),
    Column("mobiles", lambda box: box.mobiles, _whole),
    Column("flows", lambda box: box.flows, _whole),
    Column("packets in", lambda box: box.packets_in, _whole),
    Column("out", lambda box: box.packets_out, _whole),
    Column("held kB: mean", lambda box: round(box.held_mean) / 1000),
    Column("most", lambda box: box.held_max_total / 1000),
    Column("retransmitted", lambda box: box.retransmissions, _whole),
    Column("timeouts", lambda box: box.timeouts, _whole),
    Column("stalled s", lambda box: box.stall_s),
    Column("RTT s: mean", lambda box: box.rtt_s.mean),
    Column("95 %", lambda box: box.rtt_s.p95),
)
"""A middlebox; the backlog is that of all mobiles together."""

CLASSES: Final[tuple[Column[MiddleboxClass], ...]] = (
    Column("class", lambda of: of.name),
    Column("packets", lambda of: of.packets, _whole),
    Column("sent", lambda of: of.sent, _whole),
    Column("marked", lambda of: of.marked, _whole),
    Column("late", lambda of: of.late, _whole),
    Column("crowded", lambda of: of.crowded, _whole),
    Column("waiting", lambda of: of.waiting, _whole),
    Column("waited s: mean", lambda of: of.waited_s.mean),
    Column("95 %", lambda of: of.waited_s.p95),
    Column("max", lambda of: of.waited_s.max),
)
"""What a middlebox does not read, by class."""


class Summary(NamedTuple):
    """A run for readers."""

    tables: list[Table]
    """Those that have rows: all flows and groups; each flow, or how they are spread; the box."""
    footer: str
    """A line on the whole run."""


def summary(result: Result, wall_s: float | None = None) -> Summary:
    """Return the summary of a run; `wall_s` is how long it took, if it is known."""
    many = len(result.flows) > MOST_ROWS
    flows, datagrams = _Tables(FLOWS, many=many), _Tables(DATAGRAMS, many=many)
    calls = _Tables(CALLS, many=many)
    responses = _Tables(RESPONSES, many=many)
    groups = _Tables(GROUPS)
    if len(result.flows) > 1:
        groups.add(result.total)
    if len(result.groups) > 1:
        for group in result.groups:
            groups.add(group)
    given_up: list[float] = []
    for flow in result.flows:  # only once: each is read from the compiled module
        if flow.given_up_s is not None:
            given_up.append(flow.given_up_s)
        if flow.datagrams is None:
            flows.add(flow, flow.group)
        else:
            datagrams.add((flow, flow.datagrams), flow.group)
        if flow.voip is not None:
            calls.add((flow, flow.voip), flow.group)
        for what, times in _responses(flow):
            responses.add((flow, what, times), f"{flow.group}, {what}")
    parts = (groups, flows, datagrams, calls, responses)
    tables = [table for part in parts for table in part.tables()]
    tables += _of_box(result.middlebox)
    return Summary(tables, _footer(result, given_up, wall_s))


def _of_box(middlebox: Middlebox | None) -> Iterator[Table]:
    """Yield the tables of a middlebox: what it did, and by class what it does not read."""
    if middlebox is None:
        return
    box, classes = _Tables(MIDDLEBOX), _Tables(CLASSES)
    box.add(middlebox)
    for each in middlebox.classes:
        classes.add(each)
    yield from (*box.tables(), *classes.tables())


def _responses(flow: Flow) -> Iterator[tuple[str, RttSummary]]:
    """Yield what the application of a flow waits for, and how long."""
    if flow.pages is not None:
        yield "page", flow.pages.response_s
    if flow.echo_s is not None:
        yield "echo", flow.echo_s
    if flow.probe_s is not None:
        yield "probe, one way", flow.probe_s


class _Tables(Generic[T]):
    """Takes in rows, for one table; of many, for one table a kind that says how they are spread."""

    def __init__(self, columns: Sequence[Column[T]], *, many: bool = False) -> None:
        self._columns: Final = columns
        self._many: Final = many
        self._kinds: Final[dict[str, list[list[float | str | None]]]] = {}

    def add(self, row: T, kind: str = "") -> None:
        """Take in what the columns need of a row; numbers of other kinds mean something else."""
        columns = self._kinds.setdefault(kind if self._many else "", [[] for _ in self._columns])
        for column, values in zip(self._columns, columns, strict=True):
            values.append(column.of(row))

    def tables(self) -> Iterator[Table]:
        """Yield the tables that have rows."""
        for kind, of_kind in self._kinds.items():
            columns = [
                (column, values)
                for column, values in zip(self._columns, of_kind, strict=True)
                if (not column.if_it_varies or len(set(values)) > 1)
                and (not column.if_any or any(value is not None for value in values))
            ]
            if self._many:
                cells = [_spread(*column) for column in columns]
                of = f" of {kind}" if len(self._kinds) > 1 else ""
                cells[0] = [f"count{of}", *(name for name, _ in SPREAD)]
            else:
                cells = [[_cell(column, value) for value in values] for column, values in columns]
            text = {
                column.head
                for column, values in columns
                if column.head != "flow" and any(isinstance(value, str) for value in values)
            }
            heads = tuple(column.head for column, _ in columns)
            yield Table(heads, list(zip(*cells, strict=True)), frozenset(text))


def _cell(column: Column[T], value: float | str | None) -> str:
    return value if isinstance(value, str) else column.write(value)


def _spread(column: Column[T], values: Sequence[float | str | None]) -> list[str]:
    """Return how many numbers a column has and how they are spread, or the text of all cells."""
    texts = {value for value in values if isinstance(value, str)}
    if texts:
        return [texts.pop() if len(texts) == 1 else "–"] * (1 + len(SPREAD))
    numbers = sorted(value for value in values if isinstance(value, int | float))
    last = len(numbers) - 1
    places = (round(share * last) for _, share in SPREAD)
    spread = (column.write(numbers[place] if numbers else None) for place in places)
    return [_whole(len(numbers)), *spread]


def _footer(result: Result, given_up: Sequence[float], wall_s: float | None) -> str:
    """Return the footer; `given_up` is when connections were, in seconds."""
    took = "" if wall_s is None else f" in {short(wall_s, 2)} s"
    parts = [
        f"{result.scenario}, seed {result.seed}: {short(result.duration_s, 6)} s simulated{took}, "
        f"{result.events:,} events"
    ]
    radio = result.radio
    if radio is not None and radio.blocks_sent:
        share = radio.blocks_in_error / radio.blocks_sent
        parts.append(f"{radio.blocks_sent:,} radio blocks, {percent(share, 2)} in error")
    if result.energy is not None:
        parts.append(energy_words(result.energy))
    drops = sum(link.drops for link in result.links)
    if drops:
        parts.append(f"{drops:,} {'packet' if drops == 1 else 'packets'} dropped")
    if given_up:
        times = "connection" if len(given_up) == 1 else "connections"
        parts.append(f"{len(given_up):,} {times} given up, first at {short(min(given_up), 6)} s")
    return "; ".join(parts)


BATTERY_WH: Final = 5
"""What TR 45.820 §5.4 takes for the battery of a meter."""


def energy_words(energy: Energy) -> str:
    """Return what mobiles' radios used, and how long a battery lasts one that goes on like this."""
    each_j, mean_w, life_s = energy.per_megabyte_j, energy.mean_w, energy.life_per_wh_s
    used = f"mobile energy {short(energy.total_j, 4)} J"
    goodput = "" if each_j is None else f", {short(each_j)} J/MB of goodput"
    drawn = "" if mean_w is None else f", {short(1000 * mean_w)} mW a mobile"
    life = "" if life_s is None else f" ({BATTERY_WH} Wh last {lifetime(BATTERY_WH * life_s)})"
    return used + goodput + drawn + life


def run_as_html(result: Result, wall_s: float | None = None) -> str:
    """Return the groups that settings made, the tables, the footer and the hints as HTML."""
    made = "".join(f"<p>{escape(line)}</p>" for line in result.made)
    shown = summary(result, wall_s)
    tables = "".join(map(_table_as_html, shown.tables))
    hints = "".join(f"<p>Hint: {escape(hint)}</p>" for hint in result.hints)
    return f"{made}{tables}<p>{escape(shown.footer)}</p>{hints}"


def _table_as_html(table: Table) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
