"""Whole connections whoever makes segments and checksums: the kernel, or the proxy (`tun.offload`).

Interfaces that leave segments undone hand the proxy many at a time; over an emulated link every
packet is as on a wire.
"""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from thinpipe.testbed import DEVICE, HOST, MOBILE, Bed, Link, Offloads, Plan, Proxy, bed
from thinpipe.testbed.packets import read_pcapng

from tests.live.kernel_sockets import joined, transfer

pytestmark = pytest.mark.usefixtures("testbed")

FRESH_S = 0.25
"""After this time, metrics are up to date."""

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


def status(made: Bed) -> dict[str, Any]:
    """As `Bed.status`, once it is up to date."""
    time.sleep(FRESH_S)
    return made.status()


def taken(made: Bed) -> dict[str, int]:
    return {each["name"]: each["connections"]["taken"] for each in status(made)["profiles"]}


def packets(made: Bed) -> dict[str, tuple[int, int]]:
    """How many packets the proxy and the kernel have counted, to the proxy and back."""
    seen = status(made)
    [device] = made.router.shown("-statistics", "link", "show", DEVICE)
    kernel = device["stats64"]
    return {
        "in": (seen["received"]["packets"], kernel["tx"]["packets"]),
        "out": (seen["sent"]["packets"], kernel["rx"]["packets"]),
    }


@pytest.mark.parametrize("name", SCHEMES)
def test_all_bytes_arrive(net, name, offload):
    before, counted = taken(net), packets(net)
    for way in (1, -1):
        with joined(net.mobile, net.host, HOST[0], MOBILES[name]) as ends:
            sender, receiver = ends[::way]
            transfer(sender, receiver, BYTES)
    assert taken(net)[name] == before[name] + 2
    for direction, (proxy, kernel) in packets(net).items():
        seen, moved = proxy - counted[direction][0], kernel - counted[direction][1]
        if offload is Offloads.ON:
            assert seen > 2 * moved, direction
        else:
            # Both are not read in the same instant: a last packet may pass in between.
            assert seen == pytest.approx(moved, rel=0.001), direction


def test_all_bytes_arrive_over_ipv6(net):
    with joined(net.host, net.mobile, MOBILE[1]) as (server, client):
        transfer(server, client, BYTES)
    with joined(net.mobile, net.host, HOST[1]) as (client, server):
        transfer(client, server, BYTES)


def test_what_the_proxy_leaves_alone_arrives_as_well(net):
    net.host.ip(f"address replace {NEVER}/24 dev eth0")
    before = taken(net)
    for way in (1, -1):
        with joined(net.mobile, net.host, NEVER) as ends:
            sender, receiver = ends[::way]
            transfer(sender, receiver, BYTES)
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
"""Data, in the first two connections."""


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
        assert taken(made)["atcp"] == 2 * len(HOST)
        made.finish()
        sizes = [len(packet) for file in made.captures.iterdir() for _, packet in read_pcapng(file)]
        assert max(sizes) == MTU
        assert sizes.count(MTU) > LOSSY_BYTES / MTU
