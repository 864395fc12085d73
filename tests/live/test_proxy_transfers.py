"""Kernels' connections through the proxy, over an emulated link: whole, and as without it.

Quick ones share a bed; what takes its time has beds of its own, which stand meanwhile.
"""

import errno
import json
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pytest
from thinpipe.testbed import (
    HOST,
    MOBILE,
    Bed,
    Fetch,
    Fetched,
    Link,
    Listener,
    Node,
    Plan,
    Proxy,
    Served,
    bed,
    missing,
)

from tests.live.forged import within
from tests.live.kernel_sockets import ALL, LIMIT_S, Ends, both_ways, everything, joined, transfer

FRESH_S = 0.25
"""After this time, metrics are up to date."""

BRISK_S = 0.04
BRISK = Link("link", (("link.rate", "4 Mbit/s"), ("link.delay", "20 ms")))
SCHEMES = {
    "atcp": "",
    "split": 'middlebox.kind = "split"',
    "snoop": 'middlebox.kind = "snoop"',
    "uplink": "split_uplink = true",
}
"""Profiles beyond their rate; the mobile has an address in each."""


def profile(name: str, rate: str = "4 Mbit/s", round_trip: str = "40 ms") -> str:
    number = [*SCHEMES].index(name)
    lengths = (24, 112) if number else (16, 64)
    mobiles = (f"10.45.{number}.0/{lengths[0]}", f"2001:db8:45::{number}:0/{lengths[1]}")
    return f"""
[[profile]]
name = "{name}"
mobiles = {list(mobiles)}
rate = "{rate}"
round_trip = "{round_trip}"
{SCHEMES[name]}
"""


def address(name: str, family: int) -> str:
    """The mobile's address in a profile."""
    number = [*SCHEMES].index(name)
    return (f"10.45.{number}.2", f"2001:db8:45::{number}:2" if number else MOBILE[1])[family]


PROFILES = "".join(map(profile, SCHEMES))


def status(made: Bed) -> dict[str, Any]:
    """As `Bed.status`, at once."""
    time.sleep(FRESH_S)
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(LIMIT_S)
        control.connect(str(made.folder / "control"))
        control.sendall(b"status\n")
        told: dict[str, Any] = json.loads(everything(control))
        return told


def metrics(told: dict[str, Any], name: str = "atcp") -> dict[str, Any]:
    profiles: dict[str, dict[str, Any]] = {each["name"]: each for each in told["profiles"]}
    return profiles[name]


@contextmanager
def handled(made: Bed, name: str = "atcp", flows: int = 1) -> Iterator[None]:
    """Check that the proxy intercepts so many connections without errors."""
    before = metrics(status(made), name)
    yield
    after = status(made)
    assert after["worker_restarts"] == 0
    assert metrics(after, name)["connections"]["taken"] == before["connections"]["taken"] + flows


def dialled(net: Bed, family: int, name: str = "atcp") -> Ends:
    """Of one that the mobile opens, within a profile."""
    return joined(net.mobile, net.host, HOST[family], address(name, family))


@pytest.fixture(params=[0, 1], ids=["IPv4", "IPv6"])
def family(request) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def net(slow) -> Iterator[Bed]:  # noqa: ARG001 - they are under way by then
    with bed(Plan(link=BRISK, proxy=Proxy(PROFILES))) as made:
        others = [address(name, family) for name in [*SCHEMES][1:] for family in (0, 1)]
        made.mobile.ip(*(f"address add {each} dev radio0" for each in others))
        mac = made.mobile.shown("link", "show", "radio0")[0]["address"]
        made.router.ip(*(f"neighbour replace {at} lladdr {mac} dev wl0" for at in others))
        yield made


@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_carries_both_ways(net, name, family):
    with handled(net, name, 2):
        both_ways(lambda: dialled(net, family, name))


def test_a_host_may_open_as_well(net, family):
    with handled(net, flows=2):
        both_ways(lambda: joined(net.host, net.mobile, MOBILE[family]))


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("way", [1, -1], ids=["mobile", "host"])
def test_who_has_closed_one_half_still_gets_the_other(net, name, family, way):
    with handled(net, name), dialled(net, family, name) as ends:
        first, second = ends[::way]
        transfer(first, second, 1_000)
        time.sleep(5 * BRISK_S)
        transfer(second, first)


def test_a_server_speaks_first_to_a_client_that_says_nothing(net, family):
    with handled(net), dialled(net, family) as (client, server):
        server.sendall(b"220 ready\r\n")
        assert client.recv(100) == b"220 ready\r\n"
        time.sleep(5 * BRISK_S)
        transfer(server, client)
        client.close()
        assert everything(server) == b""


def test_nobody_says_anything(net, family):
    with handled(net), dialled(net, family) as (client, server):
        time.sleep(5 * BRISK_S)
        client.shutdown(socket.SHUT_WR)
        assert everything(server) == b""
        server.close()
        assert everything(client) == b""


CLOSED = 9
BEYOND = ("203.0.113.9", "2001:db8:200::9")
"""Behind the host, which says that they cannot be reached: the host, or in IPv6 its network."""

UNREACHABLE = errno.EHOSTUNREACH, errno.ENETUNREACH


def fails(net: Bed, host: str, family: int) -> int | None:
    """Return why a connection fails, by one SYN."""
    before = metrics(status(net))["syns"]
    with within(net.mobile), pytest.raises(OSError) as raised:  # noqa: PT011 - its errno is told
        socket.create_connection((host, CLOSED), LIMIT_S, (MOBILE[family], 0))
    after = metrics(status(net))["syns"]
    assert [after[key] - before[key] for key in ("seen", "refused")] == [1, 1]
    return raised.value.errno


def test_a_closed_port_refuses_at_once(net, family):
    assert fails(net, HOST[family], family) == errno.ECONNREFUSED


def test_an_unreachable_host_is_so_at_once(net, family):
    net.host.sysctl(ipv4__ip_forward=1, ipv6__conf__all__forwarding=1)
    net.host.ip(f"route replace unreachable {BEYOND[family]}")
    net.router.ip(f"route replace {BEYOND[family]} via {HOST[family]}")
    assert fails(net, BEYOND[family], family) == UNREACHABLE[family]


OPTIONS = {"timestamps": 1, "sack": 2, "window_scaling": 4}
"""Settings of the kernel (``net.ipv4.tcp_…``), and their bits in `agreed`."""


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("end", ["mobile", "host"])
@pytest.mark.parametrize("name", ["atcp", "split"])
def test_an_end_need_not_know_every_option(net, name, end, option):
    node, key = getattr(net, end), f"ipv4__tcp_{option}"
    node.sysctl(**{key: 0})
    try:
        shown = node.run(["cat", f"/proc/sys/net/{key.replace('__', '/')}"]).stdout
        assert shown.strip() == "0"
        with handled(net, name, 2):
            both_ways(lambda: dialled(net, 0, name), ALL - OPTIONS[option])
    finally:
        node.sysctl(**{key: 1})


PHONE, TETHER = ("10.45.0.130", "2001:db8:45::9:2"), ("10.45.0.129", "2001:db8:45::9:1")
LENGTHS = 30, 112


@pytest.fixture(scope="module")
def phone(net) -> Iterator[Node]:
    """Behind the mobile, over a wire that is narrow towards it only: it offers large segments."""
    with Node("phone") as node:
        for each in (net.mobile, node):
            each.sysctl(ipv4__ip_forward=1, ipv6__conf__all__forwarding=1)
        net.mobile.ip(f"link add tether0 mtu 1280 type veth peer phone0 mtu 1500 netns {node.pid}")
        for end, name, addresses in ((net.mobile, "tether0", TETHER), (node, "phone0", PHONE)):
            places = zip(addresses, LENGTHS, strict=True)
            # Before the addresses: a tentative address cannot be a source.
            end.sysctl(**{f"ipv6__conf__{name}__accept_dad": 0})
            end.ip(*(f"address add {at}/{length} dev {name}" for at, length in places))
            end.ip(f"link set {name} up")
        node.ip(*(f"route add default via {each}" for each in TETHER))
        net.router.ip(*(f"route add {PHONE[each]} via {MOBILE[each]}" for each in (0, 1)))
        yield node


def test_a_narrow_path_behind_the_radio_is_heeded(net, phone, family):
    def heeded() -> int:
        return int({each["reason"]: each["packets"] for each in status(net)["icmp"]}["path_mtu"])

    before = heeded()
    with handled(net), joined(phone, net.host, HOST[family]) as (client, server):
        transfer(server, client)
    assert heeded() > before


ANSWERS, ABSORBS, SPEAKS, LARGE, RESETS = 80, 81, 82, 83, 84
SPOKEN_BYTES = 20_000
LISTENERS = [
    Listener(ANSWERS, "answer"),
    Listener(ABSORBS, "absorb"),
    Listener(SPEAKS, bytes=SPOKEN_BYTES),
    Listener(LARGE, bytes=1_000_000),
    Listener(RESETS, bytes=200_000, end="reset", send_buffer=50_000),
]


@dataclass(frozen=True, slots=True)
class Run:
    """Reports of both ends, and the proxy's metrics and log."""

    flows: list[Fetched]
    served: list[Served]
    status: dict[str, Any]
    log: list[dict[str, Any]]


def run(plan: Plan, flows: list[Fetch], later_s: float) -> Run:
    """Run flows; read the proxy's status some time after both ends have closed them."""
    with bed(plan) as made:
        server = made.host.serve(LISTENERS, len(flows))
        told, served = made.mobile.fetch(flows).all(LIMIT_S), server.all(LIMIT_S)
        time.sleep(later_s)
        seen = status(made)
        assert seen["worker_restarts"] == 0
        assert sum(each["connections"]["taken"] for each in seen["profiles"]) == len(flows)
        log = made.log.read_text(encoding="utf-8").splitlines()
        return Run(told, served, seen, [json.loads(line) for line in log])


PATIENT = 'heartbeat = "2 s"'
"""A busy machine may keep a worker from running for longer than the usual 500 ms."""
KEYS = f'{PATIENT}\ndrain = "1 s"'
THIN = profile("atcp", "40 kbit/s", "900 ms")
CLOSES_S = 2.0
"""Longer than a FIN and its acknowledgement take."""


def over_gprs() -> Run:
    flows = [Fetch(host, ANSWERS, does="ask", bytes=30_000, seed=1) for host in HOST]
    flows += [Fetch(host, ABSORBS, does="send", bytes=10_000, seed=2) for host in HOST]
    return run(Plan(link=Link("gprs-live-40"), proxy=Proxy(THIN, KEYS)), flows, CLOSES_S)


BLACK_OUTS_S = [(at_s, at_s + 30) for at_s in range(12, 600, 42)]
"""80 kB take longer than the time between two of them, whenever they begin."""


def in_the_dark() -> Run:
    spans = json.dumps([[f"{start} s", f"{end} s"] for start, end in BLACK_OUTS_S])
    link = Link("gprs-live-40", (("link.outages", spans), ("link.back.outages", spans)))
    flows = [Fetch(HOST[0], ANSWERS, does="ask", bytes=80_000)]
    return run(Plan(link=link, proxy=Proxy(THIN, KEYS)), flows, CLOSES_S)


def narrow() -> Run:
    flows = [
        Fetch(HOST[0], ANSWERS, does="ask", bytes=100_000),
        Fetch(HOST[0], ABSORBS, does="send", bytes=100_000),
    ]
    return run(Plan(link=BRISK, proxy=Proxy(PROFILES), radio_mtu=576), flows, CLOSES_S)


TRANSITORY_S = 6
LOSSY = (*BRISK.settings, ("link.loss", "2 %"), ("link.back.loss", "2 %"))
CROWD = {"ask": 100, "send": 40, "get": 20, "abort": 20, "reset": 20}
CROWDED = f"""
[limits]
flows_per_mobile = 1024
opening_per_mobile = 256
transitory = "{TRANSITORY_S} s"
[log]
flows = true
{PROFILES}
"""


def crowd() -> Run:
    kinds = {
        "ask": Fetch("", ANSWERS, does="ask", bytes=20_000),
        "send": Fetch("", ABSORBS, does="send", bytes=20_000),
        "get": Fetch("", SPEAKS, bytes=SPOKEN_BYTES),
        "abort": Fetch("", LARGE, does="abort", bytes=1_000_000, stop_bytes=20_000),
        # The RST may be lost on the way to the mobile; then nothing more arrives.
        "reset": Fetch("", RESETS, bytes=200_000, limit_s=LIMIT_S / 5),
    }
    flows = [
        # All threads exist before the first flow opens.
        replace(kinds[kind], at_s=1.0, host=HOST[each % 2], seed=1 if kind == "get" else each)
        for kind, number in CROWD.items()
        for each in range(number)
    ]
    plan = Plan(link=Link("link", LOSSY), proxy=Proxy(CROWDED, PATIENT))
    return run(plan, flows, TRANSITORY_S + CLOSES_S)


SLOW: dict[str, Callable[[], Run]]
SLOW = {"gprs": over_gprs, "dark": in_the_dark, "narrow": narrow, "crowd": crowd}


@pytest.fixture(scope="module")
def slow() -> Iterator[dict[str, Future[Run]]]:
    """Start all flows at once."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(len(SLOW)))
        yield {name: pool.submit(job) for name, job in SLOW.items()}


def all_whole(done: Run) -> None:
    assert [(each.error, each.whole) for each in done.flows] == [("", True)] * len(done.flows)
    assert [each.error for each in done.served] == [""] * len(done.flows)


def test_a_narrow_radio_is_told_to_both_ends(slow):
    done = slow["narrow"].result()
    all_whole(done)
    assert {each.mss for each in done.served} == {576 - 40 - 12}
    assert done.status["cut"] == 0
    assert sum(each["packets"] for each in done.status["dropped"]) == 0


def test_gprs_carries_both_ways(slow):
    all_whole(slow["gprs"].result())


def test_a_crowd_is_served_and_forgotten(slow):
    done = slow["crowd"].result()
    newest_s = max(each.opened_s for each in done.flows)
    under_way = [each for each in done.flows if each.opened_s + each.total_s > newest_s]
    # How many depends on how busy the machine is.
    assert len(under_way) > 0.5 * len(done.flows), "that is no crowd"
    whole = Counter(each.port for each in done.flows if each.whole and not each.error)
    assert whole == {ANSWERS: CROWD["ask"], ABSORBS: CROWD["send"], SPEAKS: CROWD["get"]}
    # What a start finds of the machine is the bed's, which has no default route.
    told = [line for line in done.log if "gravity" not in line]
    assert [line for line in told if line["level"] != "info"] == []
    ends = Counter(line["end"] for line in done.log if line["event"] == "flow ended")
    resets = {"reset_by_caller": CROWD["abort"], "reset_by_callee": CROWD["reset"]}
    assert ends == {"closed": whole.total(), **resets}
    crowded = metrics(done.status)
    assert crowded["connections"]["reset"] == CROWD["abort"] + CROWD["reset"]
    gauges = ("queued_bytes", "in_flight_bytes", "held_bytes", "mobiles", "stalled_mobiles")
    assert [crowded[each] for each in gauges] == [0] * len(gauges)
    assert crowded["flows"] == {"opening": 0, "open": 0}
    assert done.status["journal_flows"] == 0


def test_a_black_out_is_lived_through(slow):
    done = slow["dark"].result()
    all_whole(done)
    times = [at_s for at_s, _ in done.flows[0].curve]
    start_s, end_s = BLACK_OUTS_S[0]
    lasts_s = end_s - start_s
    silence_s = max(after - before for before, after in pairwise(times))
    assert silence_s > lasts_s - 1
    seen = metrics(done.status)
    assert seen["stalls"] in (1, 2)
    assert seen["connections"]["reset"] == 0
    # A probe every 1.5 round-trip times, and what was under way: four segments.
    assert seen["radio"]["retransmissions"] <= seen["stalls"] * (lasts_s / (1.5 * 0.9) + 5)
    assert seen["wired"]["retransmissions"] == 0
