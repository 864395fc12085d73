"""Write the inputs that fuzzing begins with: fuzz/corpus/frames, …/parse, ….

Run it from anywhere after a change: `python3 fuzz/seeds.py`. Inputs that fuzzing found are files
of other names and stay.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

CORPUS = Path(__file__).parent / "corpus"
SOURCE, DESTINATION = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
SOURCE6, DESTINATION6 = (
    bytes.fromhex("fd00" + 27 * "0" + "1"),
    bytes.fromhex("fd00" + 27 * "0" + "2"),
)
FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))
TCP, UDP, ICMP, ICMP6 = 6, 17, 1, 58
HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, NO_NEXT, DESTINATION_OPTIONS = 0, 43, 44, 51, 59, 60

MSS, WINDOW_SCALE, SACK_PERMITTED = b"\2\4\5\xb4", b"\1\3\3\7", b"\1\1\4\2"
TIMESTAMPS = b"\1\1\x08\x0a" + bytes(range(8))
SACK = b"\1\1\5\x0a" + bytes(8)


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def tcp(
    payload: bytes = b"",
    flags: int = ACK,
    options: bytes = b"",
    *,
    words: int | None = None,
    six: bool = False,
    seq: int = 1,
    port: int = 1024,
) -> bytes:
    """Return a TCP segment; `words` is the length that it states, if that is another."""
    options += b"\0" * (-len(options) % 4)
    words = 5 + len(options) // 4 if words is None else words
    head = struct.pack("!HHIIBBHHH", port, 80, seq, 9, words << 4, flags, 0x4000, 0, 0)
    segment = head + options + payload
    ends = SOURCE6 + DESTINATION6 if six else SOURCE + DESTINATION
    length = struct.pack("!I", len(segment))
    pseudo = (
        ends + length + bytes([0, 0, 0, TCP])
        if six
        else ends + struct.pack("!BBH", 0, TCP, len(segment))
    )
    return segment[:16] + struct.pack("!H", checksum(pseudo + segment)) + segment[18:]


def ipv4(  # noqa: PLR0913, a header has fields
    body: bytes,
    *,
    protocol: int = TCP,
    options: bytes = b"",
    service: int = 0,
    fragment: int = 0x4000,
    words: int | None = None,
    length: int | None = None,
    identification: int = 7,
) -> bytes:
    """Return an IPv4 packet; `words` and `length` are what it states, if that is another."""
    words = 5 + len(options) // 4 if words is None else words
    length = 20 + len(options) + len(body) if length is None else length
    start = struct.pack("!BBHHH", 0x40 | words, service, length & 0xFFFF, identification, fragment)
    end = SOURCE + DESTINATION + options
    head = start + bytes([64, protocol])
    return head + struct.pack("!H", checksum(head + b"\0\0" + end)) + end + body


def ipv6(
    body: bytes, *, following: int = TCP, service: int = 0, length: int | None = None
) -> bytes:
    """Return an IPv6 packet; `length` is what it states, if that is another."""
    length = len(body) if length is None else length
    head = struct.pack("!IHBB", 6 << 28 | service << 20, length, following, 64)
    return head + SOURCE6 + DESTINATION6 + body


def extension(following: int, data: bytes = b"") -> bytes:
    """Return an extension header of IPv6 of whole eight bytes."""
    data = data or b"\1\4\0\0\0\0"
    data += bytes(-(2 + len(data)) % 8)
    return bytes([following, (2 + len(data)) // 8 - 1]) + data


def packets() -> dict[str, bytes]:
    """Return packets as they should and should not be, by what they are."""
    data = tcp(b"data")
    six = tcp(b"data", six=True)
    first = struct.pack("!BBHI", TCP, 0, 1, 5)
    later = struct.pack("!BBHI", TCP, 0, 185 << 3, 5)
    good = ipv4(data)
    good6 = ipv6(six)
    full = MSS + SACK_PERMITTED[2:] + TIMESTAMPS[2:] + WINDOW_SCALE
    return {
        "nothing": b"",
        "a-byte": b"\x45",
        "zeros": bytes(60),
        "ones": b"\xff" * 60,
        "version-5": b"\x55" + good[1:],
        "ipv4-data": good,
        "ipv4-syn": ipv4(tcp(flags=SYN | ECE | CWR, options=full)),
        "ipv4-sack": ipv4(tcp(options=TIMESTAMPS + SACK)),
        "ipv4-sack-3": ipv4(tcp(options=TIMESTAMPS + b"\1\1\5\x1a" + bytes(range(24)))),
        "ipv4-all-flags": ipv4(tcp(b"x", flags=0xFF)),
        "ipv4-options": ipv4(data, options=b"\x94\4\0\0"),
        "ipv4-options-15-words": ipv4(data, options=b"\1" * 40),
        "ipv4-ect0": ipv4(data, service=2),
        "ipv4-ect1": ipv4(data, service=1),
        "ipv4-ce": ipv4(data, service=3),
        "ipv4-wrong-checksum": good[:11] + b"\0" + good[12:],
        "ipv4-wrong-tcp-checksum": good[:-1] + b"!",
        "ipv4-header-cut": good[:12],
        "ipv4-tcp-cut": ipv4(data[:13]),
        "ipv4-cut-behind-ports": ipv4(data)[:24],
        "ipv4-four-words": ipv4(data, words=4),
        "ipv4-fifteen-words": ipv4(data, words=15),
        "ipv4-length-0": ipv4(data, length=0),
        "ipv4-length-of-header": ipv4(data, length=20),
        "ipv4-length-too-short": ipv4(data, length=19),
        "ipv4-length-too-long": ipv4(data, length=65_535),
        "ipv4-padded": good + bytes(6),
        "ipv4-empty": ipv4(b""),
        "ipv4-first-fragment": ipv4(data, fragment=0x2000),
        "ipv4-last-fragment": ipv4(b"rest", fragment=185),
        "ipv4-udp": ipv4(struct.pack("!HHHH", 53, 53, 12, 0) + b"data", protocol=UDP),
        "ipv4-icmp": ipv4(b"\x08\0\xf7\xff\0\0\0\0", protocol=ICMP),
        "ipv4-too-big": ipv4(b"\3\4\0\0\0\0\5\x78" + good[:28], protocol=ICMP),
        "ipv4-authentication": ipv4(bytes([TCP, 1]) + bytes(10) + data, protocol=AUTHENTICATION),
        "ipv4-protocol-255": ipv4(b"?", protocol=255),
        "tcp-four-words": ipv4(tcp(b"data", words=4)),
        "tcp-fifteen-words": ipv4(tcp(b"data", words=15)),
        "tcp-option-length-0": ipv4(tcp(options=b"\2\0\5\xb4")),
        "tcp-option-length-1": ipv4(tcp(options=b"\2\1\5\xb4")),
        "tcp-option-too-long": ipv4(tcp(options=b"\x08\xff\0\0")),
        "tcp-option-cut": ipv4(tcp(options=b"\1\1\1\2")),
        "tcp-option-unknown": ipv4(tcp(options=b"\xfe\4\0\0" + MSS)),
        "tcp-options-unpadded": ipv4(
            tcp(options=b"\x08\x0a" + bytes(8) + b"\5\x1a" + bytes(24) + b"\3\3\7")
        ),
        "tcp-sack-of-9": ipv4(tcp(options=b"\5\x09" + bytes(7))),
        "tcp-mss-twice": ipv4(tcp(options=MSS + MSS)),
        "jumbo-frame": ipv4(tcp(bytes(8960))),
        "ipv6-data": good6,
        "ipv6-syn": ipv6(tcp(flags=SYN, options=full, six=True)),
        "ipv6-ect0": ipv6(six, service=2),
        "ipv6-ce": ipv6(six, service=3),
        "ipv6-header-cut": good6[:39],
        "ipv6-length-0": ipv6(six, length=0),
        "ipv6-length-too-long": ipv6(six, length=65_535),
        "ipv6-length-too-short": ipv6(six, length=7),
        "ipv6-hop-by-hop": ipv6(extension(TCP) + six, following=HOP_BY_HOP),
        "ipv6-jumbogram": ipv6(
            bytes([TCP, 0, 0xC2, 4]) + struct.pack("!I", 70_000) + six,
            following=HOP_BY_HOP,
            length=0,
        ),
        "ipv6-routing": ipv6(extension(TCP, bytes([0, 0])) + six, following=ROUTING),
        "ipv6-destination-twice": ipv6(
            extension(DESTINATION_OPTIONS) + extension(TCP) + six, following=DESTINATION_OPTIONS
        ),
        "ipv6-authentication": ipv6(bytes([TCP, 4]) + bytes(22) + six, following=AUTHENTICATION),
        "ipv6-extension-cut": ipv6(bytes([TCP, 255]) + bytes(6), following=HOP_BY_HOP),
        "ipv6-first-fragment": ipv6(first + six, following=FRAGMENT),
        "ipv6-later-fragment": ipv6(later + b"rest", following=FRAGMENT),
        "ipv6-whole-fragment": ipv6(struct.pack("!BBHI", TCP, 0, 0, 5) + six, following=FRAGMENT),
        "ipv6-nothing-follows": ipv6(b"", following=NO_NEXT),
        "ipv6-icmp": ipv6(b"\x80\0\0\0\0\0\0\0", following=ICMP6),
    }


NEEDS_CHECKSUM = 1
ONE, TCP_4, TCP_6, UDP_BOTH, ECN_BIT = 0, 1, 4, 5, 0x80
"""Kinds of a frame (linux/virtio_net.h)."""


def framed(packet: bytes, kind: int = ONE, size: int = 0, **how: int) -> bytes:
    """Return a packet as a frame for `bodies/frames.rs`, in the byte order of most machines."""
    flags = how.get("flags", NEEDS_CHECKSUM if kind else 0)
    start, field = how.get("start", 40 if kind == TCP_6 else 20), how.get("field", 16)
    head = struct.pack("<BBHHHH", flags, kind, how.get("headers", 0), size, start, field)
    return struct.pack("<H", len(head + packet)) + head + packet


def row(port: int = 1024, *, six: bool = False, size: int = 100, **last: int) -> list[bytes]:
    """Return segments in a row as frames; the last has other flags or another size."""
    kinds = [(size, ACK)] * 3 + [(last.get("size_of_last", size), last.get("flags", ACK))]
    packets, seq = [], 1
    for number, (length, flags) in enumerate(kinds):
        segment = tcp(bytes(length), flags, TIMESTAMPS, six=six, seq=seq, port=port)
        packet = ipv6(segment) if six else ipv4(segment, identification=7 + number)
        packets.append(framed(packet))
        seq += length
    return packets


def frames() -> dict[str, bytes]:
    """Return frames as they should and should not be, by what they are."""
    long, long6 = (tcp(bytes(range(250)) * 8, six=six, flags=ACK | PSH) for six in (False, True))
    four, six = ipv4(long), ipv6(long6)
    datagram = ipv4(struct.pack("!HHHH", 53, 53, 1008, 0) + bytes(1000), protocol=UDP)
    all_flags = ipv4(tcp(bytes(500), flags=0xFF))
    one, other, third = row(), row(1025), row(1026, six=True)
    mixed = [each for trio in zip(one, other, third, strict=True) for each in trio]
    wrong = framed(ipv4(tcp(bytes(100), seq=101), identification=8)[:-1] + b"!")
    return {
        "nothing": b"",
        "a-byte": b"\x07",
        "cut-in-its-header": struct.pack("<H", 9) + bytes(9),
        "header-alone": framed(b""),
        "tcp-4": framed(four, TCP_4, 700),
        "tcp-6": framed(six, TCP_6, 700),
        "tcp-4-of-one": framed(four, TCP_4, 2000),
        "tcp-4-tiny": framed(four, TCP_4, 1),
        "tcp-6-tiny": framed(six, TCP_6, 39),
        "tcp-4-ecn": framed(all_flags, TCP_4 | ECN_BIT, 100),
        "tcp-4-largest": framed(ipv4(tcp(bytes(65_000))), TCP_4, 1448),
        "tcp-4-options": framed(ipv4(long, options=b"\1" * 40), TCP_4, 700, start=60),
        "udp-4": framed(datagram, UDP_BOTH, 300, field=6),
        "size-0": framed(four, TCP_4, 0),
        "size-65535": framed(four, TCP_4, 65_535),
        "start-0": framed(four, TCP_4, 700, start=0),
        "start-behind": framed(four, TCP_4, 700, start=9000),
        "start-last": framed(four, TCP_4, 700, start=65_535, field=65_535),
        "wrong-version": framed(six, TCP_4, 700),
        "wrong-kind": framed(four, 3, 700),
        "words-15": framed(ipv4(tcp(b"data", words=15)), TCP_4, 2),
        "words-4": framed(ipv4(tcp(b"data", words=4)), TCP_4, 2),
        "partial": framed(four, flags=NEEDS_CHECKSUM),
        "partial-behind": framed(four, flags=NEEDS_CHECKSUM, start=2039),
        "row-4": b"".join(one),
        "row-6": b"".join(third),
        "row-with-end": b"".join(row(size_of_last=10, flags=ACK | PSH)),
        "row-with-fin": b"".join(row(flags=ACK | FIN)),
        "row-and-longer": b"".join(row(size_of_last=200)),
        "row-twice": b"".join(one + one),
        "rows-mixed": b"".join(mixed),
        "row-with-junk": b"".join([*one[:2], framed(b"\x45junk"), *one[2:]]),
        "row-with-wrong-checksum": b"".join([one[0], wrong, *one[1:]]),
        "row-with-fragment": b"".join([*one[:2], framed(ipv4(b"rest", fragment=185)), *one[2:]]),
        "row-of-frames": framed(four, TCP_4, 700) + framed(four, TCP_4, 100) + one[0],
        "odd-packets": b"".join(framed(each) for each in packets().values()),
    }


def record(frame: bytes, *, since_ms: int = 5, flags: int = 0, length: int | None = None) -> bytes:
    """Return what `bodies/world.rs` reads as a frame; one that states more ends in zeros."""
    length = len(frame) if length is None else length
    return struct.pack("<BBH", since_ms, flags, length) + frame


def transfer(network: int, service: int) -> bytes:
    """Return a connection whose segments the header compression of a bearer understands."""
    ports = count(7)
    up, ethernet = 1, 2
    link = bytes(12) + b"\x08\0"
    frames = [
        record(ipv4(tcp(flags=SYN, options=MSS), service=service, identification=next(ports)))
    ]
    frames += [record(ipv4(tcp(flags=SYN | ACK, options=MSS)), flags=up)]
    for number in range(12):
        segment = tcp(bytes(100), flags=ACK | PSH, seq=1 + 100 * number)
        frame = ipv4(segment, service=service, identification=next(ports))
        frames.append(record(frame, since_ms=number % 3, flags=0))
        acknowledgement = ipv4(tcp(seq=10 + number), identification=next(ports))
        frames.append(record(link + acknowledgement, since_ms=1, flags=up | ethernet))
    return bytes([network, 1]) + b"".join(frames)


def runs() -> dict[str, bytes]:
    """Return inputs for a whole network, by what they are."""
    odd = [each for name, each in packets().items() if name != "jumbo-frame"]
    inputs = {"nothing": b"", "no-frames": b"\0\0"}
    for network in range(8):
        half = odd[network % 2 :: 2]
        frames = (record(frame, flags=number % 4) for number, frame in enumerate(half))
        inputs[f"odd-{network}"] = bytes([network, network]) + b"".join(frames)
        inputs[f"transfer-{network}"] = transfer(network, 2 * (network % 2))
    for network in (1, 2, 5, 7):
        flood = (record(b"", since_ms=0, flags=number % 2, length=1500) for number in range(60))
        inputs[f"flood-{network}"] = bytes([network, 3]) + b"".join(flood)
        inputs[f"largest-{network}"] = (
            bytes([network, 4]) + record(b"", length=65_535) + record(b"")
        )
    return inputs


HOST, MOBILE = 0x80, 0
BOXES = 11
"""As many as `bodies/proxy/mod.rs` has."""
SEGMENT, ALTERED, PACKET, ERROR, COMMAND = 0, 3, 5, 6, 7
NOISE, CHANGE, CUT, FRAGMENTS, TWICE = range(5)
DRAIN, END, MTU_CHANGE, RELOAD = 0, 1, 2, 8
FULL = 0x0F
"""Options of a SYN: timestamps, SACK, a window scale and 1460 bytes."""
STAMPS, BLOCK, BLOCKS = 1, 0x21, 0x61
HUNDREDS_MS = 0x6C
"""12 · 2⁶ ms, as `bodies/proxy/records.rs` reads it."""
MINUTES = 0xFF


@dataclass
class Talk:
    """A connection as records that `bodies/proxy/records.rs` reads."""

    connection: int
    options: int = FULL
    since: int = HUNDREDS_MS
    records: list[bytes] = field(default_factory=list)

    def say(
        self,
        sender: int,
        flags: int,
        size: int = 0,
        *,
        mishap: tuple[int, ...] = (),
        **how: int,
    ) -> Talk:
        """Send a segment of `size` bytes, with numbers off by `seq` and `ack`."""
        is_syn = bool(flags & SYN)
        options = how.get("options", self.options if is_syn else self.options & STAMPS)
        kind = ALTERED if mishap else SEGMENT
        shape = (
            self.connection | sender,
            flags,
            how.get("seq", 0) & 0xFF,
            how.get("ack", 0) & 0xFF,
            how.get("window", 255),
            size // 8,
            options,
        )
        self.records.append(bytes([how.get("since", self.since), kind, *shape, *mishap]))
        return self

    def open(self, by: int = MOBILE) -> Talk:
        """Shake hands."""
        return self.say(by, SYN).say(by ^ HOST, SYN | ACK).say(by, ACK)

    def down(self, segments: int, mishap: tuple[int, ...] = (), **how: int) -> Talk:
        """Let the host send, and the mobile acknowledge after every other segment."""
        for number in range(segments):
            self.say(HOST, ACK | PSH, 1000, since=1, mishap=mishap, **how)
            if number % 2:
                self.say(MOBILE, ACK)
        return self

    def close(self, by: int = HOST) -> Talk:
        """Let both close, one after the other."""
        other = by ^ HOST
        return self.say(by, FIN | ACK).say(other, ACK).say(other, FIN | ACK).say(by, ACK)

    def command(self, which: int, how: int = 0) -> Talk:
        """Let whoever runs the proxy want something."""
        self.records.append(bytes([self.since, COMMAND, which, how]))
        return self

    def error(self, kind: int, mtu: int, got_by: int = MOBILE) -> Talk:
        """Let someone on the way refuse what an end got last."""
        where = bytes([self.connection, got_by >> 7, kind]) + struct.pack("!H", mtu)
        self.records.append(bytes([self.since, ERROR]) + where)
        return self


def talks() -> dict[str, Talk]:
    """Return connections, by what they are."""
    request = (MOBILE, ACK | PSH, 160)
    dupacks = Talk(0).open().say(*request).down(2)
    for _ in range(4):
        dupacks.say(HOST, ACK | PSH, 1000, since=1)
    for _ in range(5):
        dupacks.say(MOBILE, ACK, options=BLOCK, since=5)
    odd = Talk(2).open()
    for flags in (0, SYN, RST, FIN, FIN | SYN, URG | ACK | PSH, ECE | CWR | ACK, 0xFF):
        odd.say(MOBILE, flags, 80).say(HOST, flags, 80)
    wild = Talk(1).open().down(2)
    for off in (1, 40, 64, 100, 127, -1, -40, -64, -100, -127):
        wild.say(HOST, ACK, 80, seq=off).say(MOBILE, ACK, ack=off).say(MOBILE, RST, seq=off)
    noise = Talk(0).open()
    for at in range(0, 80, 4):
        noise.say(HOST, ACK | PSH, 160, mishap=(NOISE, at, 1))
        noise.say(HOST, ACK | PSH, 160, mishap=(CHANGE, at, 0x41), seq=-1)
        noise.say(MOBILE, ACK, mishap=(CUT, at, 0))
    pieces = Talk(3).open()
    for how in range(16):
        pieces.say(HOST, ACK | PSH, 1000, mishap=(FRAGMENTS, 40 + how, how << 4 | how))
        pieces.say(MOBILE, ACK)
    flood = Talk(0, since=0)
    for number in range(40):
        flood.connection = number % 8
        flood.say(MOBILE, SYN, seq=number)
    stalled = Talk(0).open().say(*request).down(6)
    for _ in range(6):
        stalled.say(HOST, ACK, since=MINUTES)
    errors = Talk(0).open().say(*request).down(2)
    for kind, mtu in ((0, 576), (0, 68), (0x40, 576), (0x80, 1280), (1, 0), (2, 0), (3, 0), (0, 9)):
        errors.error(kind, mtu).down(2).error(kind, mtu, HOST)
    both = Talk(0).open().say(*request).down(3)
    both.connection = 4
    both.open().down(3)
    both.connection = 0
    return {
        "download": Talk(0).open().say(*request).say(HOST, ACK).down(8).close(),
        "upload": Talk(1).open().say(HOST, ACK | PSH, 80).say(MOBILE, ACK, 800).close(MOBILE),
        "plain-options": Talk(2, options=0).open().say(*request).down(6).close(),
        "small-segments": Talk(2, options=0x1F).open().say(*request).down(6).close(),
        "ipv6": Talk(4).open().say(*request).down(6).close(),
        "by-host": Talk(0).open(HOST).down(4).close(MOBILE),
        "mobile-to-mobile": Talk(0x10 | 8).open().down(4).close(),
        "never": Talk(8).open().down(2).close(),
        "never-host": Talk(0x10).open().down(2).close(),
        "refused": Talk(0).say(MOBILE, SYN).say(HOST, RST | ACK),
        "unreachable": Talk(0).say(MOBILE, SYN).error(1, 0, HOST),
        "simultaneous": Talk(0).say(MOBILE, SYN).say(HOST, SYN).say(HOST, SYN | ACK).down(2),
        "half-close": Talk(0).open().say(MOBILE, FIN | ACK).down(6).say(HOST, FIN | ACK).down(1),
        "reset-by-mobile": Talk(0).open().say(*request).down(5).say(MOBILE, RST | ACK),
        "reset-by-host": Talk(0).open().say(*request).down(5).say(HOST, RST),
        "again": Talk(0).open().down(3).close().open().down(3).say(MOBILE, RST),
        "no-window": Talk(0).open().down(3).say(MOBILE, ACK, window=0).down(4, window=0),
        "repetitions": Talk(0).open().down(3, mishap=(TWICE, 0, 0)).say(MOBILE, ACK, seq=-1),
        "drain": both.command(DRAIN).down(3).close(),
        "end": Talk(0).open().down(5).command(END),
        "reload": Talk(0).open().down(3).command(RELOAD, 3).down(3).command(RELOAD, 12).close(),
        "mtu": Talk(0).open().down(3).command(MTU_CHANGE, 2).down(3).command(MTU_CHANGE, 1).close(),
        "idle": Talk(0).open().down(2).say(HOST, ACK, since=MINUTES).close(),
        "data-on-a-late-syn": Talk(0).open().say(MOBILE, SYN, 1456, options=STAMPS),
        "dupacks": dupacks,
        "odd-flags": odd,
        "wild-numbers": wild,
        "noise": noise,
        "pieces": pieces,
        "flood": flood,
        "stalled": stalled,
        "errors": errors,
    }


def proxies() -> dict[str, bytes]:
    """Return inputs for a proxy: each talk with some boxes, each box with some talks."""
    inputs = {"nothing": b"", "no-records": b"\0\0"}
    for number, (name, talk) in enumerate(talks().items()):
        for box in (number % BOXES, (number + 4) % BOXES):
            inputs[f"{name}-{box}"] = bytes([box, number]) + b"".join(talk.records)
    for box in range(BOXES):
        download = b"".join(talks()["download"].records)
        inputs[f"download-{box}"] = bytes([box, 1]) + download
    odd = [each for name, each in packets().items() if name != "jumbo-frame"]
    records = (bytes([1, PACKET]) + struct.pack("<H", len(each)) + each for each in odd)
    inputs["odd-packets"] = b"\0\0" + b"".join(records)
    return inputs


def scenarios() -> dict[str, bytes]:
    """Return draws for scenarios, four bytes each, and enough for any of them."""
    chance = Random(1996)
    return {f"draws-{number}": chance.randbytes(400) for number in range(24)}


def main() -> None:
    """Write all of them."""
    everything = {
        "frames": frames(),
        "parse": packets(),
        "proxy": proxies(),
        "scenario": scenarios(),
        "world": runs(),
    }
    for target, inputs in everything.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in inputs.items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
