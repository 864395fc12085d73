"""Floods of what is not TCP towards a mobile: the proxy stands, and other mobiles do not notice."""

import random
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address

import pytest
from thinpipe.testbed import DEVICE, HOST, MOBILE, Bed, Listener, Ping, Plan, Proxy, bed, missing

from tests.live.forged import HOPS, Wire, checksum, ipv4, within
from tests.live.standing import SMALL, SOON_S, get, taken, until
from tests.live.test_proxy_packets import MACS, grown, memory_mb, profile, reasons, workers

RATE_BPS, ROUND_TRIP_S = 100_000, 0.2
OTHERS_BYTES = 2_000_000
PROFILES = f"""
[limits]
others = "{OTHERS_BYTES} B"
[[profile]]
name = "all"
mobiles = ["10.45.0.0/16"]
rate = "{RATE_BPS} bit/s"
round_trip = "{ROUND_TRIP_S} s"
"""
FLOOD, BURST = 8_000, 500
"""Packets; each burst goes to the proxy before the next: its device always has room for it."""

OVERHEAD = 128
"""Bytes of memory that a packet takes beside its own, as the daemon counts."""

VICTIMS = [f"10.45.0.{number}" for number in range(100, 116)]
"""Mobiles that the router knows and no kernel answers for: they are paced by the rate."""

GROWTH_MB = 16
PINGS = 10
IDENTIFIERS = range(1 << 16)


@pytest.fixture(scope="module")
def net() -> Iterator[Bed]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    with bed(Plan(proxy=Proxy(profiles=PROFILES))) as made:
        made.router.ip(
            *(
                f"neighbour replace {each} lladdr {MACS[4]} dev wl0 nud permanent"
                for each in VICTIMS
            )
        )
        server = made.host.serve([Listener(SMALL, bytes=SMALL)])
        yield made
        server.so_far()


def stranger(chance: random.Random) -> str:
    """An address that is no mobile's."""
    return str(IPv4Address(chance.randrange(1 << 24, 10 << 24)))


def datagram(source: str, victim: str, ports: tuple[int, int], payload: bytes) -> bytes:
    head = struct.pack("!4H", *ports, 8 + len(payload), 0)
    return ipv4(source, victim, head + payload, socket.IPPROTO_UDP)


def piece(source: str, victim: str, number: int, words: tuple[int, bytes]) -> bytes:
    """A fragment with more to come, at an offset in units of 8 B (RFC 791 §3.1)."""
    offset, payload = words
    ends = socket.inet_aton(source) + socket.inet_aton(victim)
    fields = (0x45, 0, 20 + len(payload), number, 0x2000 | offset, HOPS, socket.IPPROTO_UDP)
    head = struct.pack("!BBHHHBB", *fields)
    return head + struct.pack("!H", checksum(head + b"\0\0" + ends)) + ends + payload


def any_tuple(chance: random.Random, victim: str) -> bytes:
    """A packet of a flow of its own."""
    ports = (chance.randrange(1 << 16), chance.randrange(1 << 16))
    return datagram(stranger(chance), victim, ports, chance.randbytes(100))


def one_byte(chance: random.Random, victim: str) -> bytes:
    """A packet of one of a few flows, with one byte."""
    return datagram(HOST[0], victim, (7_000 + chance.randrange(4), 7_000), b"x")


def overlapping(chance: random.Random, victim: str) -> bytes:
    """A fragment of one of a few datagrams, that overlaps others of it."""
    words = (chance.randrange(64), chance.randbytes(8 * chance.randrange(1, 64)))
    return piece(HOST[0], victim, chance.randrange(16), words)


def any_protocol(chance: random.Random, victim: str) -> bytes:
    """A packet of a protocol that may not exist; TCP's own are others."""
    protocol = chance.choice([each for each in range(1, 256) if each != socket.IPPROTO_TCP])
    body = chance.randbytes(chance.randrange(1, 200))
    return ipv4(stranger(chance), victim, body, protocol)


FLOODS = {each.__name__: each for each in (any_tuple, one_byte, overlapping, any_protocol)}


def pour(made: Bed, packets: list[bytes]) -> None:
    """Send packets from the host, all of which come to the proxy's device."""
    counter = made.router.path(f"/sys/class/net/{DEVICE}/statistics/tx_packets")
    wire = Wire(made.host, "eth0", MACS[1], MACS[2])
    for at in range(0, len(packets), BURST):
        burst, before = packets[at : at + BURST], int(counter.read_text(encoding="ascii"))
        for packet in burst:
            wire.send(packet)
        due = before + len(burst)
        until(lambda: int(counter.read_text(encoding="ascii")) >= due)  # noqa: B023 - called here
    wire.socket.close()


@contextmanager
def unharmed(made: Bed) -> Iterator[None]:
    """Another mobile's download and pings, through the proxy meanwhile; its worker lives on."""
    family, connections = workers(made), taken(made)
    download, pings = get(made), made.mobile.ping(Ping(HOST[0], PINGS, period_s=0.1))
    yield
    [fetched] = download.all(SOON_S)
    assert (fetched.error, fetched.whole) == ("", True)
    assert [each.rtt_s is None for each in pings.all(SOON_S)] == [False] * PINGS
    assert taken(made) == connections + 1
    assert workers(made) == family
    assert made.status()["worker_restarts"] == 0


def others(status):
    [found] = profile(status)["others"]
    return found


def came(before, after) -> int:
    """Packets since then that waited, found no room, or had a header cut off, as AH may."""
    waited = others(after)["received"]["packets"] - others(before)["received"]["packets"]
    passed = grown(before, after, "bypassed")
    return int(waited) + passed.get("limit_others", 0) + passed.get("not_ip", 0)


def check_counted(status) -> None:
    """Each packet that has come is in one place, and those that wait are in bounds."""
    found = others(status)
    waiting = found["waiting"]
    ended = found["sent"]["packets"] + found["late"] + found["crowded"]
    assert found["received"]["packets"] == ended + waiting["packets"]
    assert found["late"] + found["crowded"] == sum(
        reasons(status, "dropped")[each] for each in ("late", "crowded")
    )
    assert waiting["bytes"] + OVERHEAD * waiting["packets"] <= OTHERS_BYTES


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_towards_one_mobile_is_counted_and_bounded(net, kind):
    chance = random.Random(kind)
    victim = VICTIMS[[*FLOODS].index(kind)]
    packets = [FLOODS[kind](chance, victim) for _ in range(FLOOD)]
    before, held = net.status(), memory_mb(net)
    with unharmed(net):
        pour(net, packets)
        check_counted(net.status())
    after = net.status()
    check_counted(after)
    assert came(before, after) == FLOOD + PINGS
    assert grown(before, after, "dropped").get("crowded", 0) > 0
    assert memory_mb(net) - held < GROWTH_MB


def test_a_flood_towards_many_mobiles_finds_no_room_and_passes(net):
    chance = random.Random(3)
    packets = [any_tuple(chance, VICTIMS[number % len(VICTIMS)]) for number in range(2 * FLOOD)]
    before, held = net.status(), memory_mb(net)
    with unharmed(net):
        pour(net, packets)
        check_counted(net.status())
    after = net.status()
    check_counted(after)
    assert came(before, after) == 2 * FLOOD + PINGS
    assert grown(before, after, "bypassed")["limit_others"] > 0
    assert memory_mb(net) - held < GROWTH_MB


def test_fragments_of_a_datagram_arrive_beside_others_that_overlap(net):
    chance, payload = random.Random(4), random.Random(5).randbytes(4_000)
    packets = [overlapping(chance, MOBILE[0]) for _ in range(FLOOD // 10)]
    with within(net.host):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with within(net.mobile):
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with sender, receiver:
        receiver.bind((MOBILE[0], 7_100))
        receiver.settimeout(SOON_S)
        pour(net, packets)
        sender.sendto(payload, (MOBILE[0], 7_100))
        assert receiver.recv(8_000) == payload
    check_counted(net.status())
