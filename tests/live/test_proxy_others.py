"""What is not TCP, through the proxy between kernels: scheduled with TCP, or around it."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from thinpipe.testbed import HOST, MOBILE, Bed, Ping, Proxy

from tests.live.forged import within
from tests.live.standing import (
    KEYS,
    PROFILE,
    SOON_S,
    alive,
    get,
    handled,
    standing,
    supervisor,
    taken,
    until,
    worker,
)

pytestmark = pytest.mark.usefixtures("testbed")

PORTS = (7001, 7002)
DATAGRAMS, PERIOD_S = 12, 0.06
"""Of each flow, and the time between two: all flows together send 70 to 300 kbit/s, of 400."""

FAMILIES = ((socket.IPPROTO_ICMP, socket.AF_INET), (socket.IPPROTO_ICMPV6, socket.AF_INET6))
PINGS = 3
ECHO_REPLIES = {socket.AF_INET: 0, socket.AF_INET6: 129}
"""The types of ICMP (RFC 792) and ICMPv6 (RFC 4443 §4.2)."""


def proxy(others: str) -> Proxy:
    return Proxy(profiles=f'{PROFILE}[profile.middlebox.atcp]\nothers = "{others}"\n', keys=KEYS)


@dataclass(frozen=True)
class Datagrams:
    """A flow of UDP from the host to the mobile."""

    sender: socket.socket
    receiver: socket.socket
    port: int

    def payload(self, number: int) -> bytes:
        return f"{self.port} {number} ".encode() + os.urandom(100 + 37 * number)


@contextmanager
def udp(made: Bed) -> Iterator[list[Datagrams]]:
    """Flows of both versions of IP."""
    with ExitStack() as stack:
        flows = []
        for (_, family), host, mobile in zip(FAMILIES, HOST, MOBILE, strict=True):
            for port in PORTS:
                ends = []
                for node, address in ((made.host, host), (made.mobile, mobile)):
                    with within(node):
                        end = stack.enter_context(socket.socket(family, socket.SOCK_DGRAM))
                    end.bind((address, port))
                    end.settimeout(SOON_S)
                    ends.append(end)
                ends[0].connect((mobile, port))
                flows.append(Datagrams(ends[0], ends[1], port))
        yield flows


def pass_whole(flows: list[Datagrams]) -> int:
    """Send each flow; all of it must arrive as it was, in order. Return the number of datagrams."""
    sent: dict[Datagrams, list[bytes]] = {each: [] for each in flows}
    for number in range(DATAGRAMS):
        for flow in flows:
            sent[flow].append(flow.payload(number))
            flow.sender.send(sent[flow][-1])
        time.sleep(PERIOD_S)
    for flow, payloads in sent.items():
        assert [flow.receiver.recv(2048) for _ in payloads] == payloads
    return sum(map(len, sent.values()))


@contextmanager
def no_echo_replies(made: Bed) -> Iterator[None]:
    """The host, which asks nobody, gets no answer to an echo request."""
    with ExitStack() as stack:
        listening = []
        for protocol, family in FAMILIES:
            with within(made.host):
                raw = socket.socket(family, socket.SOCK_RAW, protocol)
            listening.append(stack.enter_context(raw))
        yield
        for raw in listening:
            assert ECHO_REPLIES[raw.family] not in list(types(raw))


def types(raw: socket.socket) -> Iterator[int]:
    """The types of the ICMP messages that have come."""
    while True:
        try:
            message = raw.recv(2048, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        header = 4 * (message[0] & 15) if raw.family == socket.AF_INET else 0
        yield message[header]


def profile(made: Bed) -> dict[str, Any]:
    [found] = made.status()["profiles"]
    return dict(found)


def ping(made: Bed) -> None:
    """A ping from the mobile, which the host answers."""
    answers = made.mobile.ping(Ping(HOST[0], count=PINGS, period_s=0.1)).all(SOON_S)
    assert [each.rtt_s is None for each in answers] == [False] * PINGS


def test_what_is_not_tcp_waits_its_turn_and_arrives_whole():
    with standing(proxy("scheduled")) as made, udp(made) as flows, no_echo_replies(made):
        datagrams = pass_whole(flows)
        ping(made)
        until(lambda: profile(made)["others"][0]["sent"]["packets"] == datagrams + PINGS)
        [others] = profile(made)["others"]
        assert others["received"] == others["sent"]
        assert (others["late"], others["crowded"], others["waiting"]["packets"]) == (0, 0, 0)
        until(lambda: profile(made)["echoes"]["answered"] > 0)
        echoes = profile(made)["echoes"]
        assert echoes["answered"] <= echoes["sent"]

        before, beside = taken(made), get(made)
        pass_whole(flows)
        [fetched] = beside.all(SOON_S)
        assert (fetched.error, fetched.whole) == ("", True)
        assert taken(made) == before + 1


def test_datagrams_outlive_a_killed_proxy():
    with standing(proxy("scheduled")) as made, udp(made) as flows:
        pass_whole(flows)
        number = worker(made)
        os.kill(supervisor(made), signal.SIGKILL)
        until(lambda: not alive(number))
        pass_whole(flows)
        ping(made)


def test_what_passes_around_is_not_counted():
    with standing(proxy("around")) as made, udp(made) as flows, no_echo_replies(made):
        pass_whole(flows)
        ping(made)
        handled(made)
        until(lambda: profile(made)["connections"]["taken"] == 1)
        assert profile(made)["others"] == []
        assert profile(made)["echoes"] == {"sent": 0, "answered": 0}
