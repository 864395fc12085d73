"""A bed with a proxy, a slow radio and servers, and what is asked of it."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from thinpipe.testbed import (
    DEVICE,
    HOST,
    Bed,
    Fetch,
    Fetched,
    Listener,
    Plan,
    Proxy,
    Running,
    bed,
)

PROFILE = """
[[profile]]
name = "all"
mobiles = ["10.45.0.0/16", "2001:db8:45::/64"]
rate = "400 kbit/s"
round_trip = "200 ms"
"""
KEYS = 'heartbeat = "2 s"\ndrain = "2 s"\n'
"""On a busy machine, a worker that waits for a processor is not hung."""

PROXY = Proxy(profiles=PROFILE, keys=KEYS)
BLOCKING = Proxy(profiles=PROFILE, keys=f'{KEYS}on_failure = "block"\n')

LINK, SLOW = "rate 400kbit burst 4kb limit 60kb", "rate 40kbit burst 4kb limit 60kb"
"""The radio: a token bucket at the router, so that acknowledged data wait."""

SPEAKS, ABSORBS, CLOSED, ENDS, ASKED = 80, 81, 82, 83, 84
SMALL, MEDIUM, LARGE = 20_000, 200_000, 10_000_000
"""Bytes: over at once, after some seconds, and not over while a test lasts."""

SOON_S = 60.0
"""Far above what anything takes, also on a busy machine, and below any drain time that must not be
waited for."""

PATIENT = Proxy(profiles=PROFILE, keys='drain = "600 s"\n')
PAUSE_S = 0.02


@contextmanager
def standing(proxy: Proxy = PROXY) -> Iterator[Bed]:
    """A bed with a slow radio and servers."""
    with bed(Plan(proxy=proxy)) as made:
        made.router.run(["tc", "qdisc", "add", "dev", "wl0", "root", "tbf", *LINK.split()])
        listeners = [Listener(SPEAKS, bytes=LARGE), Listener(ABSORBS, "absorb")]
        listeners += [Listener(SMALL, bytes=SMALL), Listener(ENDS, bytes=MEDIUM)]
        listeners += [Listener(ASKED, "answer")]
        server = made.host.serve(listeners)
        yield made
        server.so_far()


def radio(made: Bed, link: str) -> None:
    """Change the rate of the radio."""
    made.router.run(["tc", "qdisc", "change", "dev", "wl0", "root", "tbf", *link.split()])


def events(made: Bed) -> list[dict[str, object]]:
    lines = made.log.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def told(made: Bed, event: str) -> list[dict[str, object]]:
    return [each for each in events(made) if each["event"] == event]


def told_of(made: Bed, event: str, number: int = 0) -> list[dict[str, object]]:
    """Return what is told of a worker; without `number`, of that which has the mobile."""
    return [each for each in told(made, event) if each.get("worker", 0) == number]


def until(what: Callable[[], bool], limit_s: float = SOON_S) -> float:
    """Wait for a condition; return how long that took, in seconds."""
    start_s = time.monotonic()
    while not what():
        assert time.monotonic() - start_s < limit_s, "it never came about"
        time.sleep(PAUSE_S)
    return time.monotonic() - start_s


def supervisor(made: Bed) -> int:
    assert made.daemon is not None
    return made.daemon.pid


def worker(made: Bed, number: int = 0) -> int:
    """Return the process of a worker; without `number`, of that which has the mobile."""
    running = children(supervisor(made))
    started = [each["process"] for each in told_of(made, "worker started", number)]
    [found] = [process for process in running if process in started]
    return found


def children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(number) for number in text.split()]


def alive(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def taken(made: Bed) -> int:
    """Connections that the worker has intercepted."""
    [profile] = made.status()["profiles"]
    return int(profile["connections"]["taken"])


def get(made: Bed, host: str = HOST[0], size: int = SMALL) -> Running[Fetched]:
    return made.mobile.fetch([Fetch(host, SMALL, bytes=size, limit_s=SOON_S)])


def whole(made: Bed, host: str = HOST[0]) -> Fetched:
    """A short transfer, which must arrive intact."""
    [fetched] = get(made, host).all(2 * SOON_S)
    assert (fetched.error, fetched.bytes, fetched.whole) == ("", SMALL, True)
    return fetched


def handled(made: Bed, host: str = HOST[0]) -> None:
    """A short transfer that the proxy intercepts."""
    before = taken(made)
    whole(made, host)
    assert taken(made) == before + 1


def busy(made: Bed, host: str = HOST[0]) -> Running[Fetched]:
    """A long transfer, once the proxy holds data of it that it has acknowledged."""
    running = made.mobile.fetch([Fetch(host, SPEAKS, bytes=LARGE, limit_s=2 * SOON_S)])
    until(lambda: made.status()["journal_flows"] == 1)
    return running


def was_reset(made: Bed, running: Running[Fetched]) -> None:
    """Both ends get an error soon."""
    [fetched] = running.all(SOON_S)
    assert fetched.error == os.strerror(104), fetched
    assert 0 < fetched.bytes < LARGE
    until(lambda: established(made.host, SPEAKS) == 0)


def established(node, port: int) -> int:
    listing = node.run(["cat", "/proc/net/tcp", "/proc/net/tcp6"]).stdout.splitlines()
    rows = [line.split() for line in listing]
    local = f":{port:04X}"
    return sum(len(row) > 3 and row[1].endswith(local) and row[3] == "01" for row in rows)


@contextmanager
def still(process: int) -> Iterator[None]:
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        if alive(process):
            os.kill(process, signal.SIGCONT)


def stopped(made: Bed, limit_s: float) -> int:
    """Return the daemon's exit status; check that nothing is left in the system."""
    assert made.daemon is not None
    status = made.daemon.wait(limit_s)
    links = [each["ifname"] for each in made.router.shown("link", "show")]
    assert not [link for link in links if link.startswith(DEVICE.rstrip("0"))]
    for family in ("-4", "-6"):
        assert not [rule for rule in made.router.shown(family, "rule", "show") if "iif" in rule]
    assert list(made.folder.glob("control*")) == []
    return status


def end(made: Bed) -> None:
    assert made.daemon is not None
    made.daemon.terminate()
    assert stopped(made, SOON_S) == 0
