"""A VPN between host and mobile: WireGuard in user space, whose packets nobody between can read."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from thinpipe.programs import lacking
from thinpipe.testbed.ends import BedError
from thinpipe.testbed.nodes import Node, wait_until
from thinpipe.testbed.plan import HOST, MOBILE

if TYPE_CHECKING:
    from thinpipe.testbed.bed import Bed

DEVICE: Final = "wg0"
HOST_WITHIN, MOBILE_WITHIN = "10.99.0.1", "10.99.0.2"
"""Addresses of both ends within the tunnel."""

PORT: Final = 51820
"""Of both ends; what WireGuard's examples have."""

OVERHEAD: Final = 20 + 8 + 32
"""Bytes of IPv4, UDP and WireGuard around a packet (whitepaper of WireGuard, §5.4.6)."""

MTU: Final = 1420
"""What ``wg-quick`` sets for a path of 1500 B: room for IPv6."""


@dataclass(frozen=True, slots=True)
class _End:
    node: Node
    within: str
    outside: str
    key: str
    public: str


def missing() -> str | None:
    """Return in one line what a tunnel lacks on this machine, ``None`` if nothing."""
    return lacking("wireguard-go", "wg")


def tunnel(made: Bed) -> list[subprocess.Popen[str]]:
    """Make a tunnel between host and mobile; return its programs, which end with the block.

    Raises
    ------
    BedError
        If it cannot be made.
    """
    if lacks := missing():
        raise BedError(lacks)
    ends = [
        _end(made.host, HOST_WITHIN, HOST[0]),
        _end(made.mobile, MOBILE_WITHIN, MOBILE[0]),
    ]
    programs = [_open(end.node, made.folder / f"{end.node.name}-vpn.log") for end in ends]
    for end, peer in zip(ends, reversed(ends), strict=True):
        words = ["wg", "set", DEVICE, "listen-port", str(PORT), "private-key", "/dev/stdin"]
        words += ["peer", peer.public, "endpoint", f"{peer.outside}:{PORT}"]
        words += ["allowed-ips", f"{peer.within}/32"]
        end.node.run(words, input=end.key)
        end.node.ip(f"address add {end.within}/24 dev {DEVICE}", f"link set {DEVICE} mtu {MTU} up")
    return programs


def _end(node: Node, within: str, outside: str) -> _End:
    key = node.run(["wg", "genkey"]).stdout
    return _End(node, within, outside, key, node.run(["wg", "pubkey"], input=key).stdout.strip())


def _open(node: Node, log: Path) -> subprocess.Popen[str]:
    """Start an end; its control socket is in a /run of the node's own."""
    node.run(["mount", "-t", "tmpfs", "tmpfs", "/run"])
    with log.open("w", encoding="utf-8") as said:
        program: subprocess.Popen[str] = node.popen(
            ["wireguard-go", "--foreground", DEVICE], stdout=said, stderr=said, text=True
        )
    wait_until(
        lambda: node.path(f"/run/wireguard/{DEVICE}.sock").exists(),
        program,
        lambda: log.read_text(encoding="utf-8"),
    )
    return program
