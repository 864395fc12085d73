"""Whole connections whoever makes segments and checksums: the kernel, or the proxy (`tun.offload`).

Interfaces that leave segments undone hand the proxy many at a time; over an emulated link every
packet is as on a wire.
"""

import socket
from collections.abc import Iterator

import pytest
from thinpipe.testbed import DEVICE, HOST, MOBILE, Bed, Link, Offloads, Plan, Proxy, bed
from thinpipe.testbed.packets import read_pcapng

from tests.live.kernel_sockets import joined, transfer
from tests.live.standing import until

pytestmark = pytest.mark.usefixtures("testbed")

SCHEMES = ("atcp", "split", "snoop")
MOBILES = {name: f"10.45.{number}.2" for number, name in enumerate(SCHEMES)}
BYTES, LOSSY_BYTES = 10_000_000, 1_000_000
NEVER = "198.51.100.9"
MAXSEG = socket.IPPROTO_TCP, socket.TCP_MAXSEG
MTU = 1500


def configuration(offload: Offloads, rate: str = "1 Gbit/s") -> Proxy:
    profiles = "".join(
        f"""
[[profile]]
name = "{name}"
mobiles = ["{address}/32"{', "2001:db8:45::/64"' if name == "atcp" else ""}]
rate = "{rate}"
round_trip = "20 ms"
middlebox.kind = "{name}"
"""
        for name, address in MOBILES.items()
    )
    word = "true" if offload is Offloads.ON else "false"
    return Proxy(f'[tun]\noffload = {word}\n[never]\nhosts = ["{NEVER}/32"]\n{profiles}')


def mss(host: str) -> int:
    """What a full packet carries, with timestamps."""
    return MTU - (60 if ":" in host else 40) - 12


@pytest.fixture(params=[*Offloads], ids=lambda it: it.value, scope="module")
def offload(request) -> Offloads:
    each: Offloads = request.param
    return each


@pytest.fixture(scope="module")
def net(testbed, offload) -> Iterator[Bed]:  # noqa: ARG001 - it may skip
    """A bed whose interfaces carry up to 64 KiB at once."""
    with bed(Plan(offloads=Offloads.ON, proxy=configuration(offload))) as made:
        made.mobile.ip(*(f"address add {each}/16 dev radio0" for each in [*MOBILES.values()][1:]))
        yield made


def taken(made: Bed) -> dict[str, int]:
    return {each["name"]: each["connections"]["taken"] for each in made.status()["profiles"]}


def left_alone(made: Bed) -> int:
    """Connections of hosts that the proxy leaves alone: the reason counts their SYNs."""
    reasons = made.status()["bypassed"]
    return sum(each["packets"] for each in reasons if each["reason"] == "never_host")


def packets(made: Bed) -> list[tuple[int, int]]:
    """How many packets the proxy and the kernel have counted: to the proxy, and back."""
    seen = made.status()
    [device] = made.router.shown("-statistics", "link", "show", DEVICE)
    kernel = device["stats64"]
    return [
        (seen["received"]["packets"], kernel["tx"]["packets"]),
        (seen["sent"]["packets"], kernel["rx"]["packets"]),
    ]


@pytest.mark.parametrize("name", SCHEMES)
def test_all_bytes_arrive(net, name, offload):
    before, counted = taken(net)[name], packets(net)
    for way in (1, -1):
        with joined(net.mobile, net.host, HOST[0], MOBILES[name]) as ends:
            sender, receiver = ends[::way]
            transfer(sender, receiver, BYTES)
    # Both count at once, and tell it some tenths of a second later.
    until(lambda: taken(net)[name] == before + 2)
    if offload is Offloads.OFF:
        until(lambda: all(proxy == kernel for proxy, kernel in packets(net)))
        return
    for (proxy, kernel), (proxy_before, kernel_before) in zip(packets(net), counted, strict=True):
        assert proxy - proxy_before > 2 * (kernel - kernel_before)


def test_all_bytes_arrive_over_ipv6(net):
    with joined(net.host, net.mobile, MOBILE[1]) as (server, client):
        transfer(server, client, BYTES)
    with joined(net.mobile, net.host, HOST[1]) as (client, server):
        transfer(client, server, BYTES)


def test_what_the_proxy_leaves_alone_arrives_as_well(net):
    net.host.ip(f"address replace {NEVER}/24 dev eth0")
    before, passed = taken(net), left_alone(net)
    for way in (1, -1):
        with joined(net.mobile, net.host, NEVER) as ends:
            sender, receiver = ends[::way]
            transfer(sender, receiver, BYTES)
    until(lambda: left_alone(net) == passed + 2)
    assert taken(net) == before


LOSSY = Link(
    "link",
    (
        ("link.rate", "20 Mbit/s"),
        ("link.delay", "10 ms"),
        ("link.drop_arrivals", "[60, 61, 200, 333, 500]"),
        ("link.back.drop_arrivals", "[40, 41, 150, 250]"),
    ),
)
"""What is lost are data of the first two connections."""


def test_the_radio_carries_packets_of_its_own_size_and_loses_some(offload):
    """The wire towards the host leaves segments undone, and the radio may not."""
    proxy = configuration(offload, "20 Mbit/s")
    plan = Plan(link=LOSSY, offloads=Offloads.ON, proxy=proxy, capture=True)
    with bed(plan) as made:
        for host in HOST:
            for way in (1, -1):
                with joined(made.mobile, made.host, host) as ends:
                    assert {each.getsockopt(*MAXSEG) for each in ends} == {mss(host)}
                    sender, receiver = ends[::way]
                    transfer(sender, receiver, LOSSY_BYTES)
        until(lambda: taken(made)["atcp"] == 2 * len(HOST))
        made.finish()
        sizes = [len(packet) for file in made.captures.iterdir() for _, packet in read_pcapng(file)]
        assert max(sizes) == MTU
        assert sizes.count(MTU) > LOSSY_BYTES / MTU
