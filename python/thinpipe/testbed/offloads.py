"""Switch off offloads of interfaces, so that they carry packets as a wire does.

Usage: ``python -m thinpipe.testbed.offloads INTERFACE...``, in their network namespace.

Between virtual interfaces the kernel leaves segmentation and checksums undone. This file needs only
the standard library, so any Python can run it.
"""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct
import sys
from typing import Final

SIOCETHTOOL: Final = 0x8946
"""linux/sockios.h"""

REQUESTS: Final = {
    "tso": (0x1E, 0x1F),
    "gso": (0x23, 0x24),
    "gro": (0x2B, 0x2C),
    "tx": (0x16, 0x17),
    "rx": (0x14, 0x15),
}
"""The get and set request of each offload (linux/ethtool.h), by its name in ``ethtool -K``.
Segmentation comes first: it depends on checksums, and would return with them."""

GET_FLAGS: Final = 0x25
SET_FLAGS: Final = 0x26
LARGE_RECEIVE: Final = 1 << 15
"""Merging frames in the interface itself, ``lro``, is a flag."""


def switch_off(interface: str) -> None:
    """Switch off all offloads of an interface.

    Raises
    ------
    OSError
        If there is no such interface, or an offload cannot be switched off.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for getting, setting in REQUESTS.values():
            if _ask(control, interface, getting):
                _ask(control, interface, setting)
        flags = _ask(control, interface, GET_FLAGS)
        if flags & LARGE_RECEIVE:
            _ask(control, interface, SET_FLAGS, flags & ~LARGE_RECEIVE)
        left = [name for name, (get, _) in REQUESTS.items() if _ask(control, interface, get)]
    if left:
        raise OSError(f"{interface}: {', '.join(left)} cannot be switched off")


def _ask(control: socket.socket, interface: str, request: int, data: int = 0) -> int:
    """Send an ethtool request (``struct ethtool_value`` in ``struct ifreq``); return its value."""
    value = ctypes.create_string_buffer(struct.pack("II", request, data), 8)
    about = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
    fcntl.ioctl(control, SIOCETHTOOL, about)
    answer: int = struct.unpack("II", value)[1]
    return answer


def main() -> int:
    """Switch off the offloads of each interface."""
    for interface in sys.argv[1:]:
        try:
            switch_off(interface)
        except OSError as error:
            sys.stderr.write(f"{interface}: {error}\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
