"""The proxy as a home router behind a modem: all that goes up waits for its turn."""

import json
import math
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

import pytest
from thinpipe.testbed import HOST, MOBILE, Bed, Fetch, Listener, Ping, Plan, Proxy, bed

from tests.live.forged import within
from tests.live.standing import KEYS, SOON_S, supervisor, until
from tests.live.test_proxy_others import profile, without_a_device

pytestmark = pytest.mark.usefixtures("testbed")

ROUND_TRIP_S = 0.04
PROFILE = f"""
[[profile]]
name = "home"
mobiles = ["10.45.0.0/16"]
uplink_rate = "384 kbit/s"
round_trip = "{ROUND_TRIP_S * 1000:.0f} ms"
[profile.middlebox.atcp]
role = "subscriber"
"""
MODEM = "rate {rate} burst 2kb limit 60kb"
"""Its queue holds more than a second at 384 kbit/s."""

PORT, DATAGRAM_BYTES, PERIOD_S = 7001, 1_200, 0.0125
"""A flood of 768 kbit/s, twice what the modem carries."""

PINGS, PING_PERIOD_S = 12, 0.1
LONG_BYTES = 30_000
"""Of the modem's queue, half of its room: 0.6 s at 384 kbit/s."""


@contextmanager
def home(estimator: str | None = "static") -> Iterator[Bed]:
    """A mobile, the router with the proxy or without, a modem that is slow up, and a host."""
    profile = f'{PROFILE}estimator = "{estimator}"\n'
    proxy = None if estimator is None else Proxy(profiles=profile, keys=KEYS)
    with bed(Plan(proxy=proxy)) as made:
        tell(made, "add", "384kbit")
        yield made


def tell(made: Bed, verb: str, rate: str) -> None:
    """Make the modem, or change what it carries."""
    line = ["tc", "qdisc", verb, "dev", "wired0", "root", "tbf", *MODEM.format(rate=rate).split()]
    made.router.run(line)


def modem(made: Bed) -> dict[str, int]:
    """Statistics of the modem's queue."""
    command = ["tc", "-statistics", "-json", "qdisc", "show", "dev", "wired0"]
    [found] = json.loads(made.router.run(command).stdout)
    return dict(found)


def has_a_queue(made: Bed) -> bool:
    """Whether much waits in the modem."""
    return modem(made)["backlog"] >= LONG_BYTES


def has_what_waits(made: Bed) -> bool:
    """Whether something waits in the proxy."""
    return bool(profile(made)["others"][0]["waiting"]["packets"])


@contextmanager
def flood(made: Bed) -> Iterator[socket.socket]:
    """Datagrams go up until the block ends; its value is the socket that they come to."""
    ends = []
    for node, address in ((made.mobile, MOBILE[0]), (made.host, HOST[0])):
        with within(node):
            end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        end.bind((address, PORT))
        ends.append(end)
    sender, receiver = ends
    receiver.settimeout(SOON_S)
    sender.connect((HOST[0], PORT))
    is_over = threading.Event()

    def send() -> None:
        while not is_over.wait(PERIOD_S):
            sender.send(bytes(DATAGRAM_BYTES))

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield receiver
    finally:
        is_over.set()
        thread.join()
        sender.close()
        receiver.close()


def ping_s(made: Bed, count: int = PINGS, pick: Callable[[list[float]], float] = median) -> float:
    """The median of pings from the mobile, or what else is picked.

    A modem whose queue is full drops some: these take for ever.
    """
    answers = made.mobile.ping(Ping(HOST[0], count=count, period_s=PING_PERIOD_S)).all(SOON_S)
    assert len(answers) == count
    times_s = [math.inf if each.rtt_s is None else each.rtt_s for each in answers]
    return pick(times_s)


def test_a_flood_up_waits_behind_pings_until_the_proxy_is_killed():
    with home() as made, flood(made) as receiver:
        until(lambda: has_what_waits(made))
        scheduled_s = ping_s(made)
        found = profile(made)
        assert (found["role"], found["connections"]["taken"]) == ("subscriber", 0)
        assert found["others"][0]["sent"]["packets"] > 0
        until(lambda: profile(made)["echoes"]["answered"] > 0)

        os.kill(supervisor(made), signal.SIGKILL)
        until(lambda: without_a_device(made))
        until(lambda: has_a_queue(made))
        plain_s = ping_s(made)
        receiver.recv(2048)
    assert scheduled_s < plain_s / 3, (scheduled_s, plain_s)


ABSORBS = 81
UPLOADS, UPLOAD_BYTES = 4, 40_000
"""All together 3 s of the modem."""


def upload(made: Bed, is_under_way: Callable[[Bed], bool]) -> tuple[float, float]:
    """Upload by several connections; return the median ping (s) and the goodput (bit/s)."""
    made.host.serve([Listener(ABSORBS, "absorb")])
    flows = [Fetch(HOST[0], ABSORBS, does="send", bytes=UPLOAD_BYTES)] * UPLOADS
    sending = made.mobile.fetch(flows)
    until(lambda: is_under_way(made))
    found_s = ping_s(made)
    done = sending.all(SOON_S)
    assert all(each.whole for each in done)
    span_s = max(each.opened_s + each.total_s for each in done) - min(
        each.opened_s for each in done
    )
    return found_s, 8 * UPLOADS * UPLOAD_BYTES / span_s


@pytest.mark.slow
def test_a_ping_does_not_wait_behind_uploads():
    with home(None) as made:
        ping_plain_s, goodput_plain = upload(made, has_a_queue)
    with home() as made:
        ping_scheduled_s, goodput = upload(made, has_what_waits)
        assert profile(made)["others"][0]["sent"]["packets"] > UPLOADS * UPLOAD_BYTES / 1_500
    assert ping_scheduled_s < ping_plain_s / 4
    assert goodput > 0.85 * goodput_plain


STEPS_KBIT = (384, 64, 384)
STEP_PINGS, SETTLED_S = 30, 2.0
FRAME_BYTES = 1_242
"""Of a datagram at the modem, with headers of UDP, IP and Ethernet."""


def carried(made: Bed) -> int:
    """Bytes that the modem has sent."""
    return modem(made)["bytes"]


def ninth_decile(times_s: list[float]) -> float:
    """What nine of ten are below: a busy machine delays some."""
    return sorted(times_s)[len(times_s) * 9 // 10]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["static", "westwood"])
def test_a_rate_that_falls_and_comes_back_is_used_without_a_queue(estimator: str):
    with home(estimator) as made, flood(made):
        for kbit in STEPS_KBIT:
            tell(made, "change", f"{kbit}kbit")
            time.sleep(SETTLED_S)
            before, start_s = carried(made), time.monotonic()
            long_s = ping_s(made, STEP_PINGS, pick=ninth_decile)
            passed_s = time.monotonic() - start_s
            rate = kbit * 125
            assert carried(made) - before >= 0.9 * rate * passed_s
            # A window for the round trip, and packets of the flood that a ping meets in between.
            assert long_s <= ROUND_TRIP_S + 4 * FRAME_BYTES / rate, (kbit, long_s)
