"""Have interfaces send and take packets as they are on a wire: whole, and with their checksums.

Usage: ``python -m thinpipe.testbed.offloads INTERFACE...``, in their network namespace.

Between virtual interfaces the kernel leaves segments uncut and checksums open. Nothing but the
standard library is needed, so that any Python runs this file.
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
"""What gets and what sets each (linux/ethtool.h), by the names of ``ethtool -K``. Without checksums
there is no segmentation, which would be back with them if it were not switched off before."""

GET_FLAGS: Final = 0x25
SET_FLAGS: Final = 0x26
LARGE_RECEIVE: Final = 1 << 15
"""What merges frames in the interface itself is a flag: ``lro``."""


def switch_off(interface: str) -> None:
    """Leave nothing about packets to the interface.

    Raises
    ------
    OSError
        If there is no such interface, or something cannot be switched off.
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
    """Return what the kernel answers: ``struct ethtool_value`` of ``struct ifreq``."""
    value = ctypes.create_string_buffer(struct.pack("II", request, data), 8)
    about = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
    fcntl.ioctl(control, SIOCETHTOOL, about)
    answer: int = struct.unpack("II", value)[1]
    return answer


def main() -> int:
    """Switch off, interface by interface."""
    for interface in sys.argv[1:]:
        try:
            switch_off(interface)
        except OSError as error:
            sys.stderr.write(f"{interface}: {error}\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
