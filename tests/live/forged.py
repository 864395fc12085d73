"""Forged TCP ends on a wire: they control every bit, and no kernel answers."""

import ctypes
import os
import select
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from thinpipe.testbed import Node

FIN, SYN, RST, PSH, ACK, URG = (1 << bit for bit in range(6))
MSS = b"\2\4\5\xb4"
STAMP = b"\1\1\x08\x0a"
"""Two fillers, then kind and length of timestamps (RFC 7323, appendix A)."""
HOPS = 64
CLONE_NEWNET = 0x40000000
"""linux/sched.h"""
ETHERNET = 14
LARGEST = 65_535
PORT = 7000


def checksum(data: bytes) -> int:
    """RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(
    source: str,
    destination: str,
    body: bytes,
    protocol: int = socket.IPPROTO_TCP,
    hops: int = HOPS,
) -> bytes:
    ends = socket.inet_aton(source) + socket.inet_aton(destination)
    head = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(body), 7, 0x4000, hops, protocol)
    return head + struct.pack("!H", checksum(head + b"\0\0" + ends)) + ends + body


def icmp(source: str, kind: int, code: int, about: bytes, mtu: int = 0) -> bytes:
    """An ICMP error about a packet, to its source (RFC 792, RFC 1191)."""
    rest = struct.pack("!HH", 0, mtu) + about[:48]
    total = checksum(struct.pack("!BBH", kind, code, 0) + rest)
    body = struct.pack("!BBH", kind, code, total) + rest
    return ipv4(source, socket.inet_ntoa(about[12:16]), body, socket.IPPROTO_ICMP)


@dataclass(frozen=True)
class Segment:
    packet: bytes
    source: str
    port: int
    to_port: int
    seq: int
    ack: int
    flags: int
    payload: bytes

    @property
    def after(self) -> int:
        """The number behind it."""
        return self.seq + len(self.payload) + bool(self.flags & SYN) + bool(self.flags & FIN)

    @property
    def hops(self) -> int:
        """The hop limit it still has."""
        return self.packet[8]

    @property
    def clock(self) -> int | None:
        """Its sender's clock, if it shows one as all senders write it."""
        options = self.packet[40 : 20 + 4 * (self.packet[32] >> 4)]
        at = options.find(STAMP[2:])
        return int(struct.unpack_from("!I", options, at + 2)[0]) if at >= 0 else None


def read(packet: bytes) -> Segment | None:
    if len(packet) < 40 or packet[0] != 0x45 or packet[9] != socket.IPPROTO_TCP:
        return None
    port, to_port, seq, ack, offset, flags = struct.unpack_from("!HHIIBB", packet, 20)
    length = struct.unpack_from("!H", packet, 2)[0]
    payload = packet[20 + 4 * (offset >> 4) : length]
    return Segment(packet, socket.inet_ntoa(packet[12:16]), port, to_port, seq, ack, flags, payload)


class Wire:
    """All frames at an interface of a node."""

    def __init__(self, node: Node, interface: str, ours: str, gateway: str):
        self.frame = bytes.fromhex((gateway + ours).replace(":", "")) + b"\x08\0"
        with within(node):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
            self.socket.bind((interface, 0x0800))
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)

    def send(self, packet: bytes) -> None:
        self.socket.send(self.frame + packet)

    def packets(self, wait_s: float) -> Iterator[bytes]:
        """What comes in, until nothing has for so long."""
        while select.select([self.socket], [], [], wait_s)[0]:
            frame, address = self.socket.recvfrom(LARGEST)
            if address[2] != socket.PACKET_OUTGOING:
                yield frame[ETHERNET:]


@contextmanager
def within(node: Node) -> Iterator[None]:
    """Move this thread into the node's network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with (
        Path("/proc/thread-self/ns/net").open("rb") as former,
        Path(f"/proc/{node.pid}/ns/net").open("rb") as there,
    ):
        assert libc.setns(there.fileno(), CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        try:
            yield
        finally:
            assert libc.setns(former.fileno(), CLONE_NEWNET) == 0


@dataclass
class End:
    """One end of a connection, at an address that no kernel has."""

    wire: Wire
    address: str
    port: int
    peer: str = ""
    peer_port: int = 0
    next: int = 0
    expects: int = 0
    window: int = 30_000
    clock: int | None = None
    """The clock of its timestamps, which increases by one per segment."""
    heard: list[Segment] = field(default_factory=list)

    def packet(self, flags: int, payload: bytes = b"", **other: int | bytes) -> bytes:
        """What it would send now, but for what is `other`.

        That may be seq, ack, options, clock, words, checksum, hops.
        """
        options = other.get("options", b"")
        assert isinstance(options, bytes)
        if self.clock is not None:
            shown = (other.get("clock", self.clock), self.echo())
            options += STAMP + struct.pack("!II", *(int(value) % (1 << 32) for value in shown))
        options += bytes(-len(options) % 4)
        words = other.get("words", 5 + len(options) // 4)
        asked = (other.get("seq", self.next), other.get("ack", self.expects))
        numbers = (int(number) % (1 << 32) for number in asked)
        ports = (self.port, self.peer_port)
        head = struct.pack("!HHIIBB", *ports, *numbers, int(words) << 4, flags)
        head += struct.pack("!HHH", self.window, 0, 0)
        segment = head + options + payload
        ends = socket.inet_aton(self.address) + socket.inet_aton(self.peer)
        pseudo = ends + struct.pack("!BBH", 0, socket.IPPROTO_TCP, len(segment))
        total = int(other.get("checksum", checksum(pseudo + segment)))
        segment = segment[:16] + struct.pack("!H", total) + segment[18:]
        return ipv4(self.address, self.peer, segment, hops=int(other.get("hops", HOPS)))

    def echo(self) -> int:
        """The clock that its peer showed last."""
        return next((each.clock for each in reversed(self.heard) if each.clock is not None), 0)

    def send(self, flags: int, payload: bytes = b"", **other: int | bytes) -> bytes:
        packet = self.packet(flags, payload, **other)
        self.wire.send(packet)
        if self.clock is not None:
            self.clock += 1
        if "seq" not in other and not flags & RST:
            self.next += len(payload) + bool(flags & SYN) + bool(flags & FIN)
            self.next %= 1 << 32
        return packet

    def hear(self, wait_s: float = 0.3) -> list[Segment]:
        """What comes for it, until nothing has for so long."""
        new = []
        for packet in self.wire.packets(wait_s):
            segment = read(packet)
            if segment and (segment.source, segment.port, segment.to_port) == (
                self.peer,
                self.peer_port,
                self.port,
            ):
                new.append(segment)
        self.heard += new
        return new

    def wait(self, flags: int, limit_s: float = 60.0) -> Segment:
        """The next segment with all of these flags."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            for segment in self.hear(0.02):
                if segment.flags & flags == flags:
                    return segment
        raise AssertionError(f"no {flags:#x} at {self.address} among {self.heard[-5:]}")


def shake_hands(mobile: End, host: End, options: bytes = MSS) -> None:
    """Open a connection from the mobile, with chosen initial sequence numbers."""
    mobile.peer, mobile.peer_port = host.address, host.port
    host.peer, host.peer_port = mobile.address, mobile.port
    mobile.send(SYN, options=options)
    host.expects = host.wait(SYN).after
    host.send(SYN | ACK, options=options)
    mobile.expects = mobile.wait(SYN | ACK).after % (1 << 32)
    mobile.send(ACK)
    host.hear(0.1)


def carry(
    sender: End, receiver: End, data: bytes, piece: int = 1000, limit_s: float = 120.0
) -> bytes:
    """Send data, four segments at a time, again after 0.5 s; return what arrives in order."""
    start, came, acked, sent_s = sender.next, bytearray(), 0, 0.0
    end = time.monotonic() + limit_s
    while min(acked, len(came)) < len(data) and time.monotonic() < end:
        if time.monotonic() - sent_s > 0.5:
            for at in range(acked, min(acked + 4 * piece, len(data)), piece):
                sender.send(ACK | PSH, data[at : at + piece], seq=start + at)
            sent_s = time.monotonic()
        for segment in receiver.hear(0.01):
            skip = (receiver.expects - segment.seq) % (1 << 32)
            if skip < len(segment.payload):
                came += segment.payload[skip:]
                receiver.expects = (segment.seq + len(segment.payload)) % (1 << 32)
            if segment.payload:
                receiver.send(ACK)
        for segment in sender.hear(0.01):
            now_acked = (segment.ack - start) % (1 << 32)
            if acked < now_acked <= len(data):
                acked, sent_s = now_acked, 0.0
    sender.next = (start + acked) % (1 << 32)
    return bytes(came)
