"""The plan of a test bed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from typing import Final

from thinpipe.testbed.nodes import THINPIPE

HOST, ROUTER_WIRED, ROUTER_RADIO, MOBILE = (
    ("198.51.100.2", "2001:db8:100::2"),
    ("198.51.100.1", "2001:db8:100::1"),
    ("10.45.0.1", "2001:db8:45::1"),
    ("10.45.0.2", "2001:db8:45::2"),
)
"""Addresses, IPv4 and IPv6: host and wired interface in a /24 and a /64, mobiles in a /16 and a
/64."""

MOBILES: Final = ("10.45.0.0/16", "2001:db8:45::/64")


class Offloads(Enum):
    """Whether interfaces do segmentation and checksums, or the kernel before."""

    OFF = "off"
    ON = "on"


@dataclass(frozen=True, slots=True)
class Link:
    """The emulated link.

    Attributes
    ----------
    scenario, settings
        As of `thinpipe.run`: a name or a file, and pairs of key and value.
    seed
        Seed of its random numbers.
    """

    scenario: str | os.PathLike[str]
    settings: tuple[tuple[str, str], ...] = ()
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Proxy:
    """The daemon's configuration, to which the test bed adds interfaces, metrics and control.

    Attributes
    ----------
    profiles
        The profiles and other tables, in TOML.
    keys
        Top-level keys.
    workers
        How many workers share the mobiles.
    program
        The command that ``--config FILE`` is appended to.
    """

    profiles: str
    keys: str = ""
    workers: int = 1
    program: tuple[str, ...] = (*THINPIPE, "proxy")


@dataclass(frozen=True, slots=True)
class Plan:
    """The components of a test bed.

    Attributes
    ----------
    link
        The link between router and mobile; a plain wire if ``None``.
    proxy
        The daemon; plain forwarding if ``None``.
    control, initial_window
        The kernels' congestion control and initial window (segments), set by routes.
    wired_mtu, radio_mtu
        MTU in bytes, at both ends of each leg.
    window_bytes
        The mobile's maximum receive window, unscaled; ``None`` leaves it to the kernel.
    capture
        Whether the emulator captures packets at both ends.
    """

    link: Link | None = None
    proxy: Proxy | None = None
    control: str = "cubic"
    initial_window: int = 10
    wired_mtu: int = 1500
    radio_mtu: int = 1500
    offloads: Offloads = Offloads.OFF
    window_bytes: int | None = None
    capture: bool = False
