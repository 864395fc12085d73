"""What a test bed consists of."""

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
    """Whether segments leave the kernel cut to size and summed, or that is left to later."""

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
        Of its random streams.
    """

    scenario: str | os.PathLike[str]
    settings: tuple[tuple[str, str], ...] = ()
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Proxy:
    """The daemon's configuration beside interfaces, metrics and control, which the test bed adds.

    Attributes
    ----------
    profiles
        The profiles and other tables, in TOML.
    keys
        Keys that belong to no table.
    program
        What runs ``--config FILE``.
    """

    profiles: str
    keys: str = ""
    program: tuple[str, ...] = (*THINPIPE, "proxy")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a test bed consists of.

    Attributes
    ----------
    link
        What lies between router and mobile; a plain wire if ``None``.
    proxy
        The daemon; plain forwarding if ``None``.
    control, initial_window
        Of the kernels, by their routes; segments.
    wired_mtu, radio_mtu
        In bytes, both ends of each leg.
    window_bytes
        The most that the mobile announces, without a scale; as its kernel likes if ``None``.
    capture
        Whether the emulator captures packets at both its ends.
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
