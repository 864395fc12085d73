"""Which nodes are merged in the drawing of a network."""

from __future__ import annotations

from thinpipe.network import WIRED, Direction, Link, Network, Node

WAY = Direction(rate_bps=1e6, delay_s=0.002, queue_packets=50, queue_bytes=None)


def network(names: list[str], pairs: list[tuple[int, int]]) -> Network:
    """A network of alike links between the nodes in `pairs`."""
    links = tuple(Link(f"link{n}", WIRED, pair, WAY, WAY) for n, pair in enumerate(pairs))
    return Network(tuple(Node(name) for name in names), links, (), ())


def test_two_kinds_that_link_to_each_other_stand_as_one_each():
    names = [f"AR{n}" for n in range(7)] + [f"MN{n}" for n in range(8)]
    grouped = network(names, [(a, 7 + m) for a in range(7) for m in range(8)]).grouped()
    assert [(node.name, node.count) for node in grouped.nodes] == [
        ("AR0 … AR6", 7),
        ("MN0 … MN7", 8),
    ]
    assert [(link.ends, link.name) for link in grouped.links] == [((0, 1), "link0 … link55")]


def test_what_links_elsewhere_stands_alone():
    names = ["N1", "N2"] + [f"MN{n}" for n in range(12)]
    grouped = network(names, [(n % 2, 2 + n) for n in range(12)]).grouped()
    assert [node.count for node in grouped.nodes] == [1, 1, 6, 6]
    assert len(grouped.links) == 2
