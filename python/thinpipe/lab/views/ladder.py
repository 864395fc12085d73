"""Handovers of a mobile in the run in focus: messages between agents, its links and addresses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.lab.panel import Layer, PanelKind, Sight, has
from thinpipe.plot.bindings import AGENT
from thinpipe.plot.handover import LANE, ends, lanes, mobiles
from thinpipe.plot.series import TIMEOUTS
from thinpipe.plot.signalling import ADVERTISEMENT

if TYPE_CHECKING:
    import polars as pl

NEVER: Final = float("inf")

BARS: Final = {
    "link": (0.42, "muted"),
    "checked": (0.26, "window"),
    "address": (0.26, "data"),
    "data": (0.1, "error"),
}
"""Half the height of the bar of each state of a mobile at a router, and its tone."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message; what was lost arrives never, what was sent unseen is sent when it arrives."""

    name: str
    sender: str
    receiver: str
    sent_s: float | None
    received_s: float | None

    @property
    def at_s(self) -> tuple[float, float]:
        """When it was sent and received; one of them for both if only that is known."""
        sent, received = self.sent_s, self.received_s
        known = sent if sent is not None else received
        assert known is not None
        return known, known if received is None else received


def messages(mobility: pl.DataFrame) -> list[Message]:
    """Return the messages of all agents: each receipt with the latest sending that fits."""
    waiting: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    found = []
    columns = ("time_s", "agent", "event", "subject", "message")
    for at, agent, event, subject, message in mobility.select(columns).iter_rows():
        own = agent.removesuffix(AGENT)
        if event == "sent":
            waiting[message, own, node(subject)].append(at)
        elif event in ("received", "advertised"):
            name = ADVERTISEMENT if event == "advertised" else message
            sent = waiting[name, node(subject), own]
            found.append(Message(name, node(subject), own, sent.pop() if sent else None, at))
    lost = (Message(*key, at, None) for key, times in waiting.items() for at in times)
    return sorted([*found, *lost], key=lambda each: each.at_s)


def node(address: str) -> str:
    """Return the node of an address.

    >>> node("MN@AR1")
    'MN'
    """
    return address.partition("@")[0]


def agents(sight: Sight) -> list[str]:
    """Return the rows of the ladder from the bottom: the data's host, agents, routers, the mobile.

    Routers are those of which a mobile hears, in the order in which it does; agents the others.
    """
    mobility, mobile = sight.run.mobility, _mobile(sight)
    names = [name.removesuffix(AGENT) for name in mobility["agent"].unique().sort().cast(str)]
    heard = mobility.filter(mobility["event"] == "link_up")["subject"].unique(maintain_order=True)
    its = lanes(mobility, f"{mobile}{AGENT}", sight.run.result.duration_s)
    others = set(mobiles(mobility))
    routers = [name for name in heard if name not in ("HA", "MAP")]
    rest = [name for name in (*names, *its) if name not in (*routers, *others)]
    top = [mobile, *routers, *sorted(set(rest), key=_from_mobile)]
    return [*dict.fromkeys([*top, *_hosts(sight, top)])][::-1]


def _from_mobile(name: str) -> tuple[int, str]:
    """Return how far an agent is from a mobile: MAPs are nearer than home agents."""
    return (0 if name.startswith("MAP") else 1, name)


def _hosts(sight: Sight, others: list[str]) -> list[str]:
    """Return the other end of the flow."""
    endpoints = sight.shown.rows(sight.run.segments)["endpoint"].unique().cast(str)
    hosts = {each.partition(":")[0] for each in endpoints}
    return sorted(hosts - {*others, *mobiles(sight.run.mobility)})


def _mobile(sight: Sight) -> str:
    """Return the mobile at an end of the flow, or the first, as for flows without segments."""
    known = mobiles(sight.run.mobility)
    found = ends(sight.run.segments, sight.shown.flow.id, known)
    return known[found[0] if found else 0]


def is_there(sight: Sight) -> bool:
    """Return whether a mobile had a link."""
    return has("mobility")(sight) and bool(mobiles(sight.run.mobility))


def layers(sight: Sight) -> list[Layer]:
    """Return bars for what a mobile has at each router, arrows for messages, and their names."""
    rows, mobile = agents(sight), _mobile(sight)
    row_of = {name: row for row, name in enumerate(rows)}
    others = {*mobiles(sight.run.mobility)} - {mobile}
    mine = [
        each
        for each in messages(sight.run.mobility)
        if each.sender in row_of
        and each.receiver in row_of
        and not {each.sender, each.receiver} & others
        and sight.start_s <= each.at_s[0]
        and each.at_s[1] <= sight.end_s
    ]
    return [
        *_lanes(sight, mobile, row_of),
        *_arrows(sight, mine, row_of),
        *_timeouts(sight, row_of),
    ]


def _lanes(sight: Sight, mobile: str, row_of: dict[str, int]) -> list[Layer]:
    spans = lanes(sight.run.mobility, f"{mobile}{AGENT}", sight.run.result.duration_s)
    drawn = []
    for state, (half, tone) in BARS.items():
        *_, label = LANE[state]
        some = [
            (row_of[router], since, until)
            for router, its in spans.items()
            if router in row_of
            for since, until in its.get(state, ())
            if until > sight.start_s and since < sight.end_s
        ]
        if not some:
            continue
        at, since_s, until_s = map(np.array, zip(*some, strict=True))
        drawn.append(
            sight.layer(
                "bars",
                label,
                x0=np.maximum(since_s, sight.start_s),
                x1=np.minimum(until_s, sight.end_s),
                y0=at - half,
                y1=at + half,
                tone=tone,
                faint=state == "link",
                tips=[f"{label}: {since:.6g} s to {until:.6g} s" for _, since, until in some],
            )
        )
    return drawn


def _arrows(sight: Sight, some: list[Message], row_of: dict[str, int]) -> list[Layer]:
    arrived = [each for each in some if each.received_s is not None]
    drawn: list[Layer] = []
    if arrived:
        sent_s = np.array([each.at_s[0] for each in arrived])
        received_s = np.array([each.at_s[1] for each in arrived])
        rows = [np.array([row_of[name] for name in names], dtype=np.float64) for names in (
            [each.sender for each in arrived], [each.receiver for each in arrived]
        )]  # fmt: skip
        drawn += [
            sight.layer(
                "arrows",
                f"message ({len(arrived):,})",
                x0=sent_s,
                x1=received_s,
                y0=rows[0],
                y1=rows[1],
                tone="ink",
                tips=[_tip(each) for each in arrived],
            ),
            sight.layer(
                "words",
                x=(sent_s + received_s) / 2,
                y=(rows[0] + rows[1]) / 2,
                text=[f" {each.name}" for each in arrived],
                tone="ink",
                apart=True,
            ),
        ]
    lost = [each for each in some if each.received_s is None]
    return drawn + sight.marks(
        "message that did not arrive",
        [each.at_s[0] for each in lost],
        [row_of[each.sender] for each in lost],
        shape="cross",
        tone="timeout",
        tips=[_tip(each) for each in lost],
    )


def _tip(message: Message) -> str:
    sent_s, received_s = message.sent_s, message.received_s
    said = [f"{message.name}, {message.sender} to {message.receiver}"]
    said += [f"sent {sent_s:.6f} s"] if sent_s is not None else []
    said += [f"received {received_s:.6f} s"] if received_s is not None else ["did not arrive"]
    return ", ".join(said)


def _timeouts(sight: Sight, row_of: dict[str, int]) -> list[Layer]:
    """Return a mark at each timeout of the flow, in the row of its sender."""
    events = sight.shown.rows(sight.run.events)
    at_s = events.filter(events["event"].is_in(TIMEOUTS))["time_s"].to_numpy()
    if sight.shown.flow.datagrams is not None or not len(at_s):
        return []
    sender = str(sight.shown.at_sender()["endpoint"][0]).partition(":")[0]
    if sender not in row_of:
        return []
    at = np.full(len(at_s), row_of[sender])
    return sight.marks("TCP timeout (RTO)", at_s, at, shape="cross", tone="retransmission")


LADDER: Final = PanelKind(
    "ladder",
    "Messages of handovers",
    "",
    layers,
    runs="focus",
    traced=True,
    rows=agents,
    there=is_there,
    wide=True,
)
