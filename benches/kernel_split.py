"""A split by the kernel, to measure beside the proxy: TPROXY takes the connections, splice copies.

``python benches/kernel_split.py PORT`` takes whatever `tproxy` hands to the port (its rules are
those of `benches/proxy.py`), opens a connection to where the mobile wanted to go, from an address
of its own, and lets the kernel move the bytes of either direction. It runs until it is ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import socket
import sys
from dataclasses import dataclass, field
from typing import Final

PIPE_BYTES: Final = 1 << 20
F_SETPIPE_SZ: Final = 1031
"""linux/fcntl.h"""
IP_TRANSPARENT: Final = 19
"""linux/in.h"""
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


def main(port: str) -> None:
    """Take connections."""
    with socket.socket() as listener, selectors.DefaultSelector() as ready:
        listener.setsockopt(socket.SOL_IP, IP_TRANSPARENT, 1)
        listener.bind(("0.0.0.0", int(port)))
        listener.listen(1024)
        ready.register(listener, READ)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            for key, _ in ready.select():
                if key.data is None:
                    Split(ready, listener.accept()[0])
                else:
                    key.data.move()


@dataclass
class Way:
    """Bytes on their way from one socket to another, through a pipe."""

    source: socket.socket
    sink: socket.socket
    waiting: int = 0
    ended: bool = False
    pipe: tuple[int, int] = field(default_factory=os.pipe)

    def __post_init__(self) -> None:
        """Make room for many bytes."""
        fcntl.fcntl(self.pipe[1], F_SETPIPE_SZ, PIPE_BYTES)

    def move(self) -> None:
        """Move what can be moved now."""
        with contextlib.suppress(BlockingIOError):
            if not (self.waiting or self.ended):
                flags = os.SPLICE_F_NONBLOCK
                taken = os.splice(self.source.fileno(), self.pipe[1], PIPE_BYTES, flags=flags)
                self.waiting, self.ended = taken, taken == 0
                if self.ended:
                    self.sink.shutdown(socket.SHUT_WR)
            while self.waiting:
                flags = os.SPLICE_F_NONBLOCK
                self.waiting -= os.splice(
                    self.pipe[0], self.sink.fileno(), self.waiting, flags=flags
                )


class Split:
    """A connection of a mobile, and the one that continues it."""

    def __init__(self, ready: selectors.BaseSelector, mobile: socket.socket) -> None:
        host = socket.create_connection(mobile.getsockname())
        self.ready, self.ends = ready, (mobile, host)
        self.ways = (Way(mobile, host), Way(host, mobile))
        for end in self.ends:
            end.settimeout(0)
            ready.register(end, READ, self)

    def move(self) -> None:
        """Move bytes in either direction, and close once both have ended."""
        if self.ends[0].fileno() < 0:  # the other end was ready as well
            return None
        try:
            for way in self.ways:
                way.move()
        except OSError:  # the other end has seen enough
            return self.close()
        if all(way.ended and not way.waiting for way in self.ways):
            return self.close()
        for end in self.ends:
            self.await_(end)
        return None

    def await_(self, end: socket.socket) -> None:
        """Wait for what one of the two sockets can do next."""
        [out] = [way for way in self.ways if way.source is end]
        [into] = [way for way in self.ways if way.sink is end]
        events = (0 if out.waiting or out.ended else READ) | (WRITE if into.waiting else 0)
        if end not in self.ready.get_map():
            if events:
                self.ready.register(end, events, self)
        elif not events:
            self.ready.unregister(end)
        elif self.ready.get_key(end).events != events:
            self.ready.modify(end, events, self)

    def close(self) -> None:
        """Close both sockets and pipes."""
        for end in self.ends:
            if end in self.ready.get_map():
                self.ready.unregister(end)
        for end in self.ends:
            end.close()
        for way in self.ways:
            for each in way.pipe:
                os.close(each)


if __name__ == "__main__":
    main(*sys.argv[1:])
