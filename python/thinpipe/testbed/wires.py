"""The wires of a test bed: interfaces, addresses, neighbours and routes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import count
from typing import Final

from thinpipe.testbed import offloads
from thinpipe.testbed.ends import BedError
from thinpipe.testbed.nodes import Node
from thinpipe.testbed.plan import (
    HOST,
    MOBILE,
    ROUTER_RADIO,
    ROUTER_WIRED,
    Offloads,
    Plan,
)

EMULATED: Final = ("network", "mobile")
"""The emulator's interfaces."""

MIN_MTU6: Final = 1280
"""Minimum MTU for IPv6 (RFC 8200 §5)."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """The namespaces of a test bed; `link` is the emulator's, if there is one."""

    host: Node
    router: Node
    mobile: Node
    link: Node | None


@dataclass(frozen=True, slots=True)
class Interface:
    """An end of a wire; `addresses` are IPv4 and IPv6, or empty."""

    node: Node
    name: str
    mtu: int
    offloads: Offloads
    addresses: tuple[str, ...]
    bits: int
    mac: str


def wires(plan: Plan, nodes: Nodes) -> tuple[tuple[Interface, Interface], ...]:
    """Return all wires, from the host to the mobile.

    Offloads are off where there is an emulator, because it forwards frames unchanged.
    """
    numbers = count(1)

    def wired(node: Node, name: str, addresses: tuple[str, ...]) -> Interface:
        return _interface(node, name, plan.wired_mtu, plan.offloads, addresses, 24, next(numbers))

    def radio(node: Node, name: str, addresses: tuple[str, ...] = ()) -> Interface:
        offloads = plan.offloads if nodes.link is None else Offloads.OFF
        return _interface(node, name, plan.radio_mtu, offloads, addresses, 16, next(numbers))

    wire = wired(nodes.host, "eth0", HOST), wired(nodes.router, "wired0", ROUTER_WIRED)
    near, far = radio(nodes.router, "wl0", ROUTER_RADIO), radio(nodes.mobile, "radio0", MOBILE)
    if nodes.link is None:
        return wire, (near, far)
    network, mobile = (radio(nodes.link, name) for name in EMULATED)
    return wire, (near, network), (mobile, far)


def _interface(
    node: Node,
    name: str,
    mtu: int,
    offloads: Offloads,
    addresses: tuple[str, ...],
    bits: int,
    number: int,
) -> Interface:
    known = addresses if mtu >= MIN_MTU6 else addresses[:1]
    return Interface(node, name, mtu, offloads, known, bits, f"02:00:00:00:00:{number:02x}")


def connect(plan: Plan, nodes: Nodes) -> None:
    """Connect all nodes, with addresses, neighbours and routes.

    Raises
    ------
    BedError
        If the kernel refuses any of it.
    """
    for node in (nodes.host, nodes.router, nodes.mobile):
        node.sysctl(**ENDS)
    nodes.router.sysctl(**ROUTER)
    if nodes.link is not None:
        nodes.link.sysctl(ipv6__conf__default__disable_ipv6=1)
    made = wires(plan, nodes)
    for one, other in made:
        _join(one, other)
    for node in (nodes.host, nodes.router, nodes.mobile, *([nodes.link] if nodes.link else [])):
        _set_up([end for wire in made for end in wire if end.node is node])
    # Permanent neighbours, so that neither ARP nor NDP crosses the link.
    (host, wired), (radio, mobile) = made[0], (made[1][0], made[-1][1])
    for one, other in ((host, wired), (wired, host), (radio, mobile), (mobile, radio)):
        one.node.ip(
            *(
                f"neighbour replace {address} lladdr {other.mac} dev {one.name} nud permanent"
                for address in other.addresses
            )
        )
    how = f"congctl {plan.control} initcwnd {plan.initial_window}"
    window = "" if plan.window_bytes is None else f" window {plan.window_bytes}"
    for end, gateway, more in ((host, wired, ""), (mobile, radio, window)):
        end.node.ip(*(f"route add default via {each} {how}{more}" for each in gateway.addresses))


ENDS: Final = {
    "ipv4__tcp_no_metrics_save": 1,  # flows must not inherit state from earlier ones
    # No background traffic: no link-local addresses, no router or duplicate discovery.
    "ipv6__conf__default__addr_gen_mode": 1,
    "ipv6__conf__default__accept_dad": 0,
    "ipv6__conf__default__accept_ra": 0,
    "ipv6__conf__default__router_solicitations": 0,
}
"""Kernel settings of all nodes with addresses."""

ROUTER: Final = {
    "ipv4__ip_forward": 1,
    "ipv6__conf__all__forwarding": 1,
    "ipv6__conf__default__forwarding": 1,
    "ipv4__conf__all__rp_filter": 0,
    "ipv4__conf__default__rp_filter": 0,
}


def _join(one: Interface, other: Interface) -> None:
    """Connect two nodes."""
    ends = [
        f"{end.name} netns {end.node.pid} address {end.mac} mtu {end.mtu}" for end in (one, other)
    ]
    one.node.ip(f"link add {ends[0]} type veth peer {ends[1]}")


def _set_up(ends: list[Interface]) -> None:
    """Set up the interfaces of a node."""
    node = ends[0].node
    plain = [end.name for end in ends if end.offloads is Offloads.OFF]
    if plain:
        node.run([sys.executable, "-S", offloads.__file__, *plain])
    for end in ends:
        bits = (end.bits, 64)
        node.ip(
            *(
                f"address add {address}/{length} dev {end.name}"
                for address, length in zip(end.addresses, bits, strict=False)
            ),
            f"link set {end.name} up",
        )


def verify(plan: Plan, nodes: Nodes) -> None:
    """Read MTUs and routes back from the kernel.

    Raises
    ------
    BedError
        If they differ from the plan.
    """
    made = wires(plan, nodes)
    for end in (end for wire in made for end in wire):
        [shown] = end.node.shown("link", "show", end.name)
        if shown["mtu"] != end.mtu:
            raise BedError(f"{end.node.name}: {end.name} has an MTU of {shown['mtu']}")
    for end in (made[0][0], made[-1][1]):
        for family in ("-4", "-6")[: len(end.addresses)]:
            [route] = end.node.shown(family, "route", "show", "default")
            metrics = {key: value for each in route["metrics"] for key, value in each.items()}
            found = (metrics.get("congestion"), metrics.get("initcwnd"))
            if found != (plan.control, plan.initial_window):
                raise BedError(f"{end.node.name}: the default route has {metrics}")
