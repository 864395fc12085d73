"""What is not TCP, through the proxy between kernels: scheduled with TCP, or around it."""

import json
import os
import signal
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from thinpipe.testbed import DEVICE, HOST, MOBILE, Bed, Ping, Proxy

from tests.live.forged import within
from tests.live.standing import (
    KEYS,
    PROFILE,
    SOON_S,
    get,
    handled,
    standing,
    supervisor,
    taken,
    told,
    until,
    worker,
)
from tests.live.test_proxy_changes import reload

pytestmark = pytest.mark.usefixtures("testbed")

PORTS = (7001, 7002)
DATAGRAMS = 12
"""Of each flow."""

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
    """Send each flow; all of it must arrive as it was, in order. Return the number of datagrams.

    One datagram of each flow is under way at a time: of a lane with one packet none is dropped,
    however long a busy machine lets it wait.
    """
    for number in range(DATAGRAMS):
        sent = [(flow, flow.payload(number)) for flow in flows]
        for flow, payload in sent:
            flow.sender.send(payload)
        for flow, payload in sent:
            assert flow.receiver.recv(2048) == payload
    return DATAGRAMS * len(flows)


def without_a_device(made: Bed) -> bool:
    """Whether packets no longer come to a proxy."""
    return all(each["ifname"] != DEVICE for each in made.router.shown("link", "show"))


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
        os.kill(supervisor(made), signal.SIGKILL)
        until(lambda: without_a_device(made))
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


BURST, LARGE_BYTES = 45, 1_000
"""Datagrams at once, and the payload of each: a second of the radio, and no more than it queues."""


def burst(flow: Datagrams, first: int) -> None:
    for number in range(first, first + BURST):
        flow.sender.send(struct.pack("!I", number) + bytes(LARGE_BYTES - 4))


def arrived(flow: Datagrams, last: int) -> list[int]:
    """The numbers of what comes until the last one that was sent does."""
    numbers = [-1]
    while numbers[-1] != last:
        numbers.append(struct.unpack_from("!I", flow.receiver.recv(2048))[0])
    return numbers[1:]


def dropped(made: Bed) -> int:
    """Packets that the proxy has dropped, or the queue of the radio."""
    shown = made.router.run(["tc", "-statistics", "-json", "qdisc", "show", "dev", "wl0"]).stdout
    radio = sum(int(each["drops"]) for each in json.loads(shown))
    return radio + sum(int(each["packets"]) for each in made.status()["dropped"])


def waiting(made: Bed) -> int:
    return sum(
        each["waiting"]["packets"] for one in made.status()["profiles"] for each in one["others"]
    )


def last_of(flow: Datagrams, made: Bed, number: int) -> None:
    """Send one more once nothing waits, which nothing drops: it is the last to come."""
    until(lambda: waiting(made) == 0)
    flow.sender.send(struct.pack("!I", number))


def test_reloads_lose_nothing_that_waits():
    with standing(proxy("scheduled")) as made, udp(made) as flows:
        text, flow, sent = made.config.read_text(encoding="utf-8"), flows[0], 0
        for treated in ("around", "scheduled"):
            burst(flow, sent)
            sent += BURST
            before = len(told(made, "reloaded"))
            reload(made, text.replace('others = "scheduled"', f'others = "{treated}"'))
            until(lambda: len(told(made, "reloaded")) > before)  # noqa: B023 - it is called here
        last_of(flow, made, sent)
        numbers = arrived(flow, sent)
        assert len(set(numbers)) == len(numbers)
        assert len(numbers) == sent + 1 - dropped(made)
        [now] = [each for each in made.status()["profiles"] if not each["retired"]]
        before_all = now["others"][0]["received"]["packets"]
        datagrams = pass_whole(flows)
        [now] = [each for each in made.status()["profiles"] if not each["retired"]]
        assert now["others"][0]["received"]["packets"] == before_all + datagrams


def test_datagrams_outlive_a_killed_worker_with_which_others_wait():
    with standing(proxy("scheduled")) as made, udp(made) as flows:
        burst(flows[0], 0)
        until(lambda: waiting(made) > 0)
        os.kill(worker(made), signal.SIGKILL)
        until(lambda: len(told(made, "worker started")) == 2)
        until(lambda: len(told(made, "serving")) == 2)
        last_of(flows[0], made, BURST)
        numbers = arrived(flows[0], BURST)
        assert numbers == sorted(numbers)
        assert len(numbers) < BURST + 1, "what waited is lost with the worker"
        pass_whole(flows)
        assert profile(made)["others"][0]["received"]["packets"] > 0
        handled(made)


def test_beyond_a_tiny_limit_datagrams_pass():
    plan = proxy("scheduled")
    small = replace(plan, profiles=f'[limits]\nothers = "10 kB"\n{plan.profiles}')
    with standing(small) as made, udp(made) as flows:
        burst(flows[0], 0)
        last_of(flows[0], made, BURST)
        numbers = arrived(flows[0], BURST)
        assert len(numbers) == BURST + 1 - dropped(made)
        passed = {each["reason"]: each["packets"] for each in made.status()["bypassed"]}
        assert passed["limit_others"] > 0
        pass_whole(flows)
