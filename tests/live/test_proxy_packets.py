"""Packets as they should not be, to the proxy between kernels: it stands, and others do not notice.

Beside each barrage kernels carry a transfer of their own, which must be whole.
"""

import random
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from thinpipe.testbed import HOST, Bed, Fetch, Listener, Plan, Proxy, bed, missing

from tests.live.forged import (
    ACK,
    FIN,
    MSS,
    PSH,
    RST,
    SYN,
    URG,
    End,
    Wire,
    carry,
    icmp,
    ipv4,
    shake_hands,
)

OPENING, OPENING_EACH, TRANSITORY_S = 256, 16, 2
PROFILES = f"""
[limits]
opening = {OPENING}
opening_per_mobile = {OPENING_EACH}
transitory = "{TRANSITORY_S} s"
bytes = "10 MB"
[[profile]]
name = "quick"
mobiles = ["10.45.0.0/16", "2001:db8:45::/64"]
rate = "20 Mbit/s"
round_trip = "20 ms"
"""
FLOOD, BURST = 20_000, 500
"""SYNs; each burst goes through before the next: the device always has room for it."""

BESIDE_BYTES = 300_000
GROWTH_MB = 64
SPEAKS = 80
HOST_END, MOBILE_END = "198.51.100.77", "10.45.0.77"
"""Known only to the router: no kernel answers for them."""
MACS = [f"02:00:00:00:00:{number:02x}" for number in range(5)]
"""The bed's: of host, router (wired, radio) and mobile, from 1 on."""
PORTS = count(20_000)


@pytest.fixture(scope="module")
def net() -> Iterator[Bed]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    with bed(Plan(proxy=Proxy(profiles=PROFILES))) as made:
        made.router.ip(
            f"neighbour replace {HOST_END} lladdr {MACS[1]} dev wired0 nud permanent",
            f"neighbour replace {MOBILE_END} lladdr {MACS[4]} dev wl0 nud permanent",
        )
        with serving(made):
            yield made


@contextmanager
def serving(made: Bed) -> Iterator[None]:
    server = made.host.serve([Listener(SPEAKS, bytes=BESIDE_BYTES)])
    yield
    server.so_far()


@pytest.fixture
def ends(net) -> Iterator[tuple[End, End]]:
    """A forged mobile and a forged host."""
    wires = Wire(net.mobile, "radio0", MACS[4], MACS[3]), Wire(net.host, "eth0", MACS[1], MACS[2])
    port = next(PORTS)
    mobile, host = End(wires[0], MOBILE_END, port), End(wires[1], HOST_END, 7_000)
    mobile.next, host.next = 5_000, 90_000
    yield mobile, host
    for wire in wires:
        wire.socket.close()


@contextmanager
def beside(net: Bed) -> Iterator[None]:
    """A transfer of kernels meanwhile, that the proxy handles; it lives on, and does not grow."""
    before, family, held = net.status(), workers(net), memory_mb(net)
    running = net.mobile.fetch([Fetch(HOST[0], SPEAKS, bytes=BESIDE_BYTES)])
    time.sleep(0.3)
    yield
    [fetched] = running.all(60)
    assert (fetched.error, fetched.bytes, fetched.whole) == ("", BESIDE_BYTES, True)
    after = net.status()
    assert after["worker_restarts"] == before["worker_restarts"] == 0
    assert workers(net) == family
    assert memory_mb(net) - held < GROWTH_MB
    assert taken(after) > taken(before)
    assert profile(after)["held_max_bytes"] <= after["limit_bytes"]


def profile(status):
    [found] = status["profiles"]
    return found


def taken(status) -> int:
    return int(profile(status)["connections"]["taken"])


def reasons(status, kind: str) -> dict[str, int]:
    return {each["reason"]: each["packets"] for each in status[kind]}


def grown(before, after, kind: str) -> dict[str, int]:
    """Reasons counted since then, with their counts."""
    was = reasons(before, kind)
    now = reasons(after, kind)
    return {name: now[name] - was.get(name, 0) for name in now if now[name] != was.get(name, 0)}


def workers(net: Bed) -> list[int]:
    assert net.daemon is not None
    parent = net.daemon.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    return [parent, *sorted(int(number) for number in children.split())]


def memory_mb(net: Bed) -> float:
    lines = [
        line
        for pid in workers(net)
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    ]
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def closed(mobile: End, host: End) -> None:
    """Close from the host, then from the mobile."""
    host.send(FIN | ACK)
    mobile.expects = mobile.wait(FIN).after % (1 << 32)
    mobile.send(FIN | ACK)
    host.expects = host.wait(FIN).after % (1 << 32)
    host.send(ACK)
    mobile.hear(0.1)


@pytest.mark.parametrize(("mobile_first", "host_first"), [(-100, -3000), (-1, -1), (-2, 0)])
def test_numbers_wrap(net, ends, mobile_first, host_first):
    mobile, host = ends
    mobile.next, host.next = mobile_first % (1 << 32), host_first % (1 << 32)
    chance = random.Random(1)
    down, up = chance.randbytes(20_000), chance.randbytes(5_000)
    before = net.status()
    with beside(net):
        shake_hands(mobile, host)
        assert carry(mobile, host, up) == up
        assert carry(host, mobile, down) == down
        closed(mobile, host)
    after = net.status()
    assert taken(after) == taken(before) + 2


def odd(mobile: End) -> dict[str, bytes]:
    """Malformed segments of a connection, by kind."""
    whole = mobile.packet(ACK | PSH, b"data")
    return {
        "no ports": ipv4(MOBILE_END, HOST_END, whole[20:23]),
        "header cut": ipv4(MOBILE_END, HOST_END, whole[20:33]),
        "four words": mobile.packet(ACK, b"data", words=4),
        "fifteen words": mobile.packet(ACK, b"data", words=15),
        "wrong checksum": mobile.packet(ACK | PSH, b"fake", checksum=0x1234),
        "reset, wrong checksum": mobile.packet(RST | ACK, checksum=0x1234),
        "option of no bytes": mobile.packet(ACK, options=b"\x08\0\0\0"),
        "option of one byte": mobile.packet(ACK, options=b"\2\1\5\xb4"),
        "option too long": mobile.packet(ACK, options=b"\x08\xff\0\0"),
        "option unknown": mobile.packet(ACK, options=b"\xfe\4\0\0"),
        "SACK of 9 B": mobile.packet(ACK, options=b"\5\x09" + bytes(7)),
        "SACK of nothing sent": mobile.packet(ACK, options=b"\1\1\5\x0a" + b"\x7f" * 8),
        "no flags": mobile.packet(0, b"data"),
        "all flags": mobile.packet(0xFF, b"data", seq=mobile.next + 1_000_000),
        "SYN and FIN": mobile.packet(SYN | FIN, b"data"),
        "SYN and RST": mobile.packet(SYN | RST, b"data", seq=mobile.next + 1_000_000),
        "urgent": mobile.packet(URG | ACK, b"", seq=mobile.next - 1),
    }


def test_odd_segments_change_nothing(net, ends):
    mobile, host = ends
    data = random.Random(2).randbytes(20_000)
    before = net.status()
    with beside(net):
        shake_hands(mobile, host)
        assert carry(host, mobile, data[:8_000]) == data[:8_000]
        for packet in odd(mobile).values():
            mobile.wire.send(packet)
        for segment in (host.packet(ACK, b"data", words=4), host.packet(RST, checksum=1)):
            host.wire.send(segment)
        host.hear()
        mobile.hear()
        assert carry(host, mobile, data[8_000:]) == data[8_000:]
        assert carry(mobile, host, data) == data
        closed(mobile, host)
    after = net.status()
    counted = grown(before, after, "bypassed") | grown(before, after, "dropped")
    assert sum(counted.values()) >= 6, counted


def test_a_wrong_checksum_passes_untouched(net, ends):
    mobile, host = ends
    with beside(net):
        shake_hands(mobile, host)
        sent = mobile.packet(ACK | PSH, b"fake", checksum=0x1234)
        mobile.wire.send(sent)
        came = [segment.packet for segment in host.hear() if segment.payload == b"fake"]
        unchanged = [packet[:8] + packet[9:10] + packet[12 : len(sent)] for packet in came]
        assert unchanged == [sent[:8] + sent[9:10] + sent[12:]]
        closed(mobile, host)


def test_blind_attacks_do_not_end_a_connection(net, ends):
    """RFC 5961: only a RST with exactly the next number resets, and no SYN does."""
    mobile, host = ends
    data = random.Random(3).randbytes(30_000)
    before = net.status()
    with beside(net):
        shake_hands(mobile, host)
        assert carry(host, mobile, data[:10_000]) == data[:10_000]
        for off in (1, 10, 1_000, 20_000, 100_000, 1 << 31, -1, -1_000, -(1 << 30)):
            for victim in (host, mobile):
                victim.send(RST, seq=victim.next + off)
                victim.send(SYN, seq=victim.next + off, options=MSS)
                victim.send(ACK | PSH, b"injected", seq=victim.next + max(off, 70_000))
                victim.send(ACK, ack=victim.expects + (1 << 30))
        time.sleep(0.5)
        assert not [s for s in mobile.hear() if b"injected" in s.payload]
        assert carry(host, mobile, data[10_000:]) == data[10_000:]
        mobile.heard.clear()
        host.send(RST)
        mobile.wait(RST)
    assert taken(net.status()) == taken(before) + 2


def test_blind_packets_say_nothing(net, ends):
    """RFC 9293 §3.10.7.4: of a wrong number neither acknowledgement nor clock nor hops count."""
    mobile, host = ends
    mobile.clock, host.clock = 1_000, 700_000
    down, up = random.Random(7).randbytes(22_000), random.Random(8).randbytes(5_000)
    with beside(net):
        shake_hands(mobile, host)
        assert carry(host, mobile, down[:10_000]) == down[:10_000]
        # The mobile has these, and sends nothing.
        host.send(ACK | PSH, down[10_000:11_000])
        end = mobile.wait(PSH).after
        held = profile(net.status())["held_bytes"]
        assert held >= 1_000
        host.heard.clear()
        for off in (31_000, 100_000, 1 << 30, -(1 << 20), -(1 << 30)):
            for ack in (end, mobile.expects, mobile.expects + (1 << 30)):
                far = mobile.clock + (1 << 30)
                packet = mobile.packet(ACK, seq=mobile.next + off, ack=ack, clock=far, hops=3)
                mobile.wire.send(packet)
                mobile.wire.send(
                    mobile.packet(ACK | PSH, b"forged", seq=mobile.next + off, clock=far, hops=3)
                )
        time.sleep(0.2)
        assert net.status()["profiles"][0]["held_bytes"] >= 1_000
        host.next -= 1_000
        host.next %= 1 << 32
        assert carry(host, mobile, down[10_000:]) == down[10_000:]
        assert carry(mobile, host, up) == up
        assert not [each for each in host.heard if b"forged" in each.payload]
        assert max(each.clock or 0 for each in host.heard) <= mobile.clock
        assert min(each.hops for each in host.heard) > 50
        closed(mobile, host)


def forwarded(host: End, number: int) -> int:
    """Wait for so many packets to our host; return how many came, which are no more."""
    address = socket.inet_aton(HOST_END)
    came, patience_s = 0, time.monotonic() + 60
    while came < number and time.monotonic() < patience_s:
        came += sum(packet[16:20] == address for packet in host.wire.packets(0.05))
    return came


def test_a_flood_of_syns_is_bounded_and_not_refused(net, ends):
    mobile, host = ends
    mobile.peer, mobile.peer_port = HOST_END, 7_000
    before, came = net.status(), 0
    with beside(net):
        chance = random.Random(4)
        for number in range(FLOOD):
            # Half of them are one mobile's, half are of as many as there can be.
            mobile.address = MOBILE_END if number % 2 else f"10.45.{chance.randrange(1, 256)}.9"
            mobile.port = 1024 + chance.randrange(60_000)
            mobile.wire.send(mobile.packet(SYN, seq=chance.randrange(1 << 32), options=MSS))
            if number % BURST == BURST - 1:
                came += forwarded(host, BURST)
                assert profile(net.status())["flows"]["opening"] <= OPENING
        assert came == FLOOD, "what is beyond the bound is forwarded, not refused"
    was, now = (profile(status)["syns"]["displaced"] for status in (before, net.status()))
    assert now - was > FLOOD / 2, (was, now)
    time.sleep(TRANSITORY_S + 1)
    assert profile(net.status())["flows"]["opening"] == 0
    with beside(net):
        pass


def test_forged_icmp_is_believed_only_in_the_window(net, ends):
    mobile, host = ends
    data = random.Random(5).randbytes(60_000)
    with beside(net):
        shake_hands(mobile, host)
        assert carry(host, mobile, data[:20_000], 1400) == data[:20_000]
        about = next(each.packet for each in reversed(mobile.heard) if each.payload)
        for off in (1 << 20, 1 << 31, -(1 << 20)):
            seq = struct.pack("!I", (struct.unpack_from("!I", about, 24)[0] + off) % (1 << 32))
            mobile.wire.send(icmp("10.45.0.99", 3, 4, about[:24] + seq + about[28:], 576))
        mobile.wire.send(icmp("10.45.0.99", 3, 4, about[:22], 576))
        mobile.wire.send(icmp("10.45.0.99", 3, 4, about, 10))
        mobile.heard.clear()
        assert carry(host, mobile, data[20_000:40_000], 1400) == data[20_000:40_000]
        assert max(len(each.packet) for each in mobile.heard) > 1000
        # One that quotes what has been acknowledged long since says nothing, one that quotes what
        # is under way does.
        host.send(ACK | PSH, data[40_000:41_400])
        under_way = mobile.wait(PSH)
        mobile.wire.send(icmp("10.45.0.99", 3, 4, under_way.packet, 576))
        time.sleep(0.2)
        mobile.heard.clear()
        host.next -= 1_400
        assert carry(host, mobile, data[40_000:], 1400) == data[40_000:]
        again = [each for each in mobile.heard if each.payload]
        assert max(len(each.packet) for each in again) <= 576
        closed(mobile, host)


def test_unreachables_reach_who_sent_and_end_nothing(net, ends):
    mobile, host = ends
    data = random.Random(6).randbytes(20_000)
    with beside(net):
        shake_hands(mobile, host)
        assert carry(host, mobile, data[:10_000]) == data[:10_000]
        about = next(each.packet for each in reversed(mobile.heard) if each.payload)
        for kind, code in ((3, 0), (3, 1), (3, 2), (3, 3), (11, 0), (12, 0)):
            mobile.wire.send(icmp("10.45.0.99", kind, code, about))
        errors = [packet for packet in host.wire.packets(0.3) if packet[9] == 1]
        assert len(errors) == 6
        assert carry(host, mobile, data[10_000:]) == data[10_000:]
        closed(mobile, host)
