"""Many bytes through the proxy, with `tun.offload`, over wires that lose, reorder and reset."""

import hashlib
import json
import random
import shutil
import socket
import struct
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from thinpipe.testbed import HOST, Bed, Node, Offloads, Plan, Proxy, bed

from tests.live.kernel_sockets import joined
from tests.live.standing import taken, until

pytestmark = [
    pytest.mark.usefixtures("testbed"),
    *(
        pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {program}")
        for program in ("nft", "tc")
    ),
]

PROXY = Proxy(
    """
[[profile]]
name = "fast"
mobiles = ["10.45.0.0/16"]
rate = "10 Gbit/s"
bdp = "400 kB"
split_uplink = true
""",
    keys='heartbeat = "2 s"',
)
BLOCK_BYTES = 1 << 20
RESETS = 20
ONE_IN_LOST, ONE_IN_DETOURED = 400, 100
"""Of data that an interface sends, up to 64 KiB of a connection at once."""

QUEUES = (
    "qdisc add dev {name} root handle 1: htb default 1",
    "class add dev {name} parent 1: classid 1:1 htb rate 100gbit quantum 60000",
    "class add dev {name} parent 1: classid 1:2 htb rate 50mbit burst 2k quantum 1514",
)
DETOUR = 0x10002
"""The class 1:2 of them, in which data are overtaken."""

RULES = f"""
table inet rough_{{name}} {{{{
    chain out {{{{
        type filter hook postrouting priority 0;
        oifname != {{name}} accept
        meta length < 1000 accept
        numgen inc mod {ONE_IN_LOST} == 0 counter drop
        numgen inc mod {ONE_IN_DETOURED} == 0 counter meta priority set {DETOUR}
    }}}}
}}}}
"""


def roughen(node: Node, name: str) -> None:
    """Have an interface lose some of what it sends, and send some later than what follows."""
    for line in QUEUES:
        node.run(["tc", *line.format(name=name).split()])
    node.run(["nft", RULES.format(name=name)])


def lost_and_detoured(node: Node, name: str) -> list[int]:
    """How often it has done so."""
    told = node.run(["nft", "--json", "list", "table", "inet", f"rough_{name}"]).stdout
    rules = [each["rule"]["expr"] for each in json.loads(told)["nftables"] if "rule" in each]
    return [int(part["counter"]["packets"]) for rule in rules for part in rule if "counter" in part]


def blocks(size: int) -> Iterator[bytes]:
    """Bytes of which no two blocks are alike."""
    block = random.Random(size).randbytes(BLOCK_BYTES)
    for number in range(size // BLOCK_BYTES):
        yield struct.pack("!Q", number) + block[8:]


def transfer(sender: socket.socket, receiver: socket.socket, size: int) -> None:
    """Send one direction to its end; all data and the FIN must arrive. Silence ends it."""

    def send() -> str:
        sent = hashlib.sha256()
        for block in blocks(size):
            sent.update(block)
            sender.sendall(block)
        sender.shutdown(socket.SHUT_WR)
        return sent.hexdigest()

    def receive() -> str:
        received = hashlib.sha256()
        while piece := receiver.recv(BLOCK_BYTES):
            received.update(piece)
        return received.hexdigest()

    with ThreadPoolExecutor(2) as pool:
        digests = [pool.submit(work) for work in (send, receive)]
        assert digests[0].result() == digests[1].result()


def be_reset(end: socket.socket, other: socket.socket) -> None:
    """Send until the other end, which resets the connection, is known to have done so."""
    linger = struct.pack("ii", 1, 0)
    other.recv(1)
    other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    other.close()
    with pytest.raises(ConnectionError):
        deque(map(end.sendall, blocks(1 << 30)), maxlen=0)


def resets(made: Bed) -> None:
    for number in range(RESETS):
        with joined(made.mobile, made.host, HOST[0]) as ends:
            one, other = ends[:: 1 if number % 2 else -1]
            one.sendall(b"?")
            be_reset(one, other)


def carry(made: Bed, size: int) -> None:
    """Have a download, an upload and resets at the same time."""
    with (
        joined(made.mobile, made.host, HOST[0]) as (to, at),
        joined(made.mobile, made.host, HOST[0]) as (client, server),
        ThreadPoolExecutor(3) as pool,
    ):
        works = [
            pool.submit(transfer, at, to, size),
            pool.submit(transfer, client, server, size),
            pool.submit(resets, made),
        ]
        for work in works:
            work.result()


def interfaces(made: Bed) -> list[tuple[Node, str]]:
    """Both ends of both wires."""
    router = [(made.router, name) for name in ("wired0", "wl0")]
    return [(made.host, "eth0"), *router, (made.mobile, "radio0")]


@pytest.mark.parametrize(
    "size",
    [100 * BLOCK_BYTES, pytest.param(5000 * BLOCK_BYTES, marks=pytest.mark.slow)],
    ids=["200 MB", "10 GB"],
)
def test_every_byte_arrives_once_and_in_order(size):
    with bed(Plan(offloads=Offloads.ON, proxy=PROXY)) as made:
        ends = interfaces(made)
        for end in ends:
            roughen(*end)
        carry(made, size)
        for end in ends:
            assert min(lost_and_detoured(*end)) > 0
        until(lambda: taken(made) == 2 + RESETS)
        seen = made.status()
        assert seen["worker_restarts"] == 0
        [profile] = seen["profiles"]
        assert min(profile[leg]["retransmissions"] for leg in ("radio", "wired")) > 0
