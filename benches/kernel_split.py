"""A split by the kernel, to measure beside the proxy: TPROXY takes the connections, splice copies.

``python benches/kernel_split.py PORT`` takes whatever `tproxy` hands to the port (its rules are
those of `benches/proxy.py`), opens a connection to where the mobile wanted to go, from an address
of its own, and lets the kernel move the bytes of either direction. It runs until it is ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import sys
import threading
from typing import Final

PIPE_BYTES: Final = 1 << 20
F_SETPIPE_SZ: Final = 1031
"""linux/fcntl.h"""
IP_TRANSPARENT: Final = 19
"""linux/in.h"""


def main(port: str) -> None:
    """Take connections."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1)
        listener.bind(("0.0.0.0", int(port)))
        listener.listen(1024)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            mobile, _ = listener.accept()
            threading.Thread(target=_split, args=(mobile,), daemon=True).start()


def _split(mobile: socket.socket) -> None:
    with mobile, socket.create_connection(mobile.getsockname()) as host:
        up = threading.Thread(target=_move, args=(mobile, host), daemon=True)
        up.start()
        _move(host, mobile)
        up.join()


def _move(source: socket.socket, sink: socket.socket) -> None:
    """Move bytes until one of the two has closed."""
    pipe_out, pipe_in = os.pipe()
    fcntl.fcntl(pipe_in, F_SETPIPE_SZ, PIPE_BYTES)
    try:
        while waiting := os.splice(source.fileno(), pipe_in, PIPE_BYTES):
            while waiting:
                waiting -= os.splice(pipe_out, sink.fileno(), waiting)
        sink.shutdown(socket.SHUT_WR)
    except OSError:  # the other end has seen enough
        for end in (source, sink):
            with contextlib.suppress(OSError):  # it knows
                end.shutdown(socket.SHUT_RDWR)
    finally:
        os.close(pipe_out)
        os.close(pipe_in)


if __name__ == "__main__":
    main(*sys.argv[1:])
