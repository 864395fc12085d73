"""Kernels' sockets in namespaces, held by this process."""

import hashlib
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

from thinpipe.testbed import Node, content

from tests.live.forged import within

LIMIT_S = 300.0

Ends = AbstractContextManager[tuple[socket.socket, socket.socket]]


@contextmanager
def joined(
    caller: Node, callee: Node, called: str, source: str = ""
) -> Iterator[tuple[socket.socket, socket.socket]]:
    """The two ends of a connection."""
    family = socket.AF_INET6 if ":" in called else socket.AF_INET
    with within(callee):
        listener = socket.create_server((called, 0), family=family)
    with listener:
        listener.settimeout(LIMIT_S)
        place = listener.getsockname()[:2]
        with within(caller):
            near = socket.create_connection(place, LIMIT_S, (source, 0))
        with near, listener.accept()[0] as far:
            far.settimeout(LIMIT_S)
            yield near, far


ALL = 7
"""Timestamps, SACK and window scaling (``TCPI_OPT_…`` in linux/tcp.h)."""

TCPI_OPTIONS = 5


def agreed(connection: socket.socket) -> int:
    """The options that both ends have negotiated."""
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[TCPI_OPTIONS] & ALL


def both_ways(join: Callable[[], Ends], options: int = ALL) -> None:
    """A transfer in either direction, each over a connection with these options."""
    for way in (1, -1):
        with join() as ends:
            assert [agreed(each) for each in ends] == [options] * 2
            sender, receiver = ends[::way]
            transfer(sender, receiver)


def transfer(sender: socket.socket, receiver: socket.socket, size: int = 100_000) -> None:
    """Send one direction to its end; all data and the FIN must arrive."""
    data = content(size, size)
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(everything, receiver)
        sender.sendall(data)
        sender.shutdown(socket.SHUT_WR)
        assert hashlib.sha256(received.result()).digest() == hashlib.sha256(data).digest()


def everything(connection: socket.socket) -> bytes:
    """All received data, up to the FIN."""
    return b"".join(iter(lambda: connection.recv(1 << 16), b""))
