"""A drawing of a network: nodes, links and positions."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final

from thinpipe.network import WIRED, Direction, Link, Network, Node
from thinpipe.plot.network_places import draw_places, shape
from thinpipe.plot.network_plan import LINE, Plan
from thinpipe.plot.style import COLORS
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from thinpipe.plot.network_plan import Place, Route

FONT: Final = 8.5
CHARACTER: Final = 0.073
"""Typical width of a character of a label, in inches."""

MARGIN: Final = 0.15
TITLE: Final = 0.45
"""Height of the title, in inches."""

MIN_WIDTH: Final = 7.0
"""Inches."""

RADIO: Final = COLORS["vegas"]
WIRE: Final = COLORS["drop"]
NODE: Final = COLORS["data"]
BOX: Final = COLORS["acknowledgement"]
"""Colour of nodes with a middlebox."""


def rate(way: Direction) -> str:
    """Return the rate of a direction as text: bit/s, time slots, or unlimited.

    >>> rate(Direction(33200, None, None, None)), rate(Direction(2e6, None, None, None))
    ('33.2 kbit/s', '2 Mbit/s')
    """
    if way.slots is not None:
        return way.slots
    if way.rate_bps is None:
        return "any rate"
    for unit, name in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if way.rate_bps >= unit:
            return f"{short(way.rate_bps / unit, 5)} {name}"
    return f"{short(way.rate_bps, 5)} bit/s"


def delay(way: Direction) -> str:
    """Return the delay of a direction as text; empty for a radio, which has none of its own."""
    return "" if way.delay_s is None else f"{short(1e3 * way.delay_s, 5)} ms"


def queue(way: Direction) -> str:
    """Return the queue limit of a direction as text; empty without a limit.

    >>> queue(Direction(None, None, 50, 6000)), queue(Direction(11e6, None, 50, None, shared=True))
    ('50 packets or 6 kB', '50 packets in all')
    """
    limits = [] if way.queue_packets is None else [f"{way.queue_packets} packets"]
    limits += [] if way.queue_bytes is None else [f"{short(way.queue_bytes / 1e3, 5)} kB"]
    return " or ".join(limits) + (" in all" if way.shared and limits else "")


def lines(link: Link) -> tuple[str, ...]:
    """Return the lines of a link's label below its name."""
    forward, reverse = link.forward, link.reverse or link.forward
    text: list[str] = []
    for kind, part in (("", rate), ("", delay), ("queue ", queue)):
        there, here = part(forward), part(reverse)
        if there == here:
            text += [f"{kind}{there}"] if there else []
        else:
            text += [f"→ {kind}{there or 'without limit'}", f"← {kind}{here or 'without limit'}"]
    return tuple(text)


def titles(node: Node) -> tuple[str, ...]:
    """Return the lines in a node's box."""
    count = (f"{node.count} nodes",) if node.count > 1 else ()
    box = (f"{node.middlebox} middlebox",) if node.middlebox else ()
    return (node.name, *count, *box)


def plan_of(network: Network) -> Plan:
    """Lay out the nodes and labels of a network."""
    boxes = [
        (max(0.75, CHARACTER * max(map(len, titles(node))) + 0.3), 0.2 + LINE * len(titles(node)))
        for node in network.nodes
    ]
    labels = [
        # The name is bold and therefore wider.
        (max(1.15 * CHARACTER * len(link.name), CHARACTER * max(map(len, said))), len(said))
        for link in network.links
        for said in [lines(link)]
    ]
    return Plan.of(network, boxes, labels)


def draw_network(network: Network, *, title: str, note: str) -> Figure:
    """Draw nodes and links and, if something has a position, a map below.

    Parameters
    ----------
    network
        The network; alike nodes are merged (`Network.grouped`).
    title, note
        Text above and below the drawing; the note is wrapped to its width.
    """
    from matplotlib.figure import Figure

    shown = network.grouped()
    plan = plan_of(shown)
    width = max(plan.size[0], MIN_WIDTH)
    said = textwrap.wrap(note, int((width - 2 * MARGIN) / CHARACTER))
    foot = 2 * MARGIN + LINE * len(said)
    inner = width - 1.2
    below = inner * shape(network) + 0.9 if network.stations or network.walks else 0.0
    height = TITLE + plan.size[1] + below + foot
    figure = Figure(figsize=(width, height))
    figure.set_layout_engine("none")
    figure.text(MARGIN / width, 1 - MARGIN / height, title, va="top", fontsize=11, weight="bold")
    for number, line in enumerate(reversed(said)):
        y = (MARGIN + LINE * number) / height
        figure.text(MARGIN / width, y, line, va="bottom", fontsize=FONT - 0.5, color="#444444")
    graph = figure.add_axes((0, (foot + below) / height, 1, plan.size[1] / height))
    _draw_graph(graph, shown, plan, width)
    if below:
        places = (0.9 / width, (foot + 0.55) / height, inner / width, (below - 0.75) / height)
        draw_places(figure.add_axes(places), network)
    return figure


def _draw_graph(ax: Axes, network: Network, plan: Plan, width: float) -> None:
    """Draw in inches, centred in a figure of the given width."""
    shift = (width - plan.size[0]) / 2
    ax.set(xlim=(-shift, width - shift), ylim=(0, plan.size[1]))
    ax.axis("off")
    for link, route in zip(network.links, plan.routes, strict=True):
        _draw_link(ax, link, route)
    mobiles = {link.ends[1] for link in network.links if link.kind != WIRED}
    for number, node in enumerate(network.nodes):
        color = BOX if node.middlebox else RADIO if number in mobiles else NODE
        _draw_node(ax, titles(node), plan.places[number], plan.boxes[number], color)


def _draw_link(ax: Axes, link: Link, route: Route) -> None:
    color, dashes = (WIRE, "-") if link.kind == WIRED else (RADIO, (0, (4, 2)))
    ax.plot(*zip(*route.way, strict=True), color=color, linestyle=dashes, linewidth=1.3, zorder=1)
    if route.label is None:
        return
    x, y = route.label
    style: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "color": color,
        "fontsize": FONT,
        "zorder": 2,
    }
    ax.text(x, y + 0.6 * LINE, link.name, weight="bold", **style)
    for number, line in enumerate(lines(link)):
        ax.text(x, y - (0.65 + number) * LINE, line, **style)


def _draw_node(ax: Axes, said: tuple[str, ...], place: Place, box: Place, color: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    (x, y), (width, height) = place, box
    ax.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle=f"round,pad=0,rounding_size={0.15 if color == RADIO else 0.05}",
            facecolor="white",
            edgecolor=color,
            linewidth=1.8,
            zorder=3,
        )
    )
    for number, line in enumerate(said):
        up = ((len(said) - 1) / 2 - number) * LINE
        ax.text(x, y + up, line, ha="center", va="center", fontsize=FONT, zorder=4)
