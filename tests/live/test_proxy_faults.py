"""Connections survive when the proxy dies or hangs."""

import itertools
import os
import signal
import time
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from thinpipe.testbed import (
    DEVICE,
    HOST,
    Bed,
    Fetch,
    Proxy,
)

from tests.live.standing import (
    ABSORBS,
    BLOCKING,
    CLOSED,
    ENDS,
    KEYS,
    MEDIUM,
    PAUSE_S,
    PROFILE,
    PROXY,
    SOON_S,
    alive,
    busy,
    children,
    end,
    established,
    get,
    handled,
    radio,
    standing,
    still,
    supervisor,
    taken,
    told,
    told_of,
    until,
    was_reset,
    whole,
    worker,
)

pytestmark = pytest.mark.usefixtures("testbed")

CORNERS = list(itertools.product([True, False], [1, 2]))
"""Of the grid that each test is for: `tun.offload`, and the number of workers."""


FAST = PROFILE.replace("400 kbit/s", "100 Mbit/s").replace("200 ms", "20 ms")
FLOWS, ROUNDS = 150, 3


def pytest_generate_tests(metafunc):
    """Run each test in one corner, which differs from test to test, and in the slow set in all."""
    if "stand" not in metafunc.fixturenames:
        return
    quick = zlib.crc32(metafunc.function.__name__.encode()) % len(CORNERS)
    corners = [
        pytest.param(
            (offload, workers),
            id=f"{'offload' if offload else 'single'}-{workers}",
            marks=() if number == quick else pytest.mark.slow,
        )
        for number, (offload, workers) in enumerate(CORNERS)
    ]
    metafunc.parametrize("stand", corners, indirect=True)


@pytest.fixture
def stand(request) -> Callable[..., AbstractContextManager[Bed]]:
    """Return `standing`, in a corner of the grid."""
    offload, workers = request.param

    def in_corner(proxy: Proxy = PROXY) -> AbstractContextManager[Bed]:
        keys = f"{proxy.keys}tun.offload = {str(offload).lower()}\n"
        return standing(replace(proxy, keys=keys, workers=workers))

    return in_corner


def start_again(made: Bed) -> None:
    """Start the proxy that the bed is planned with."""
    assert made.plan.proxy is not None
    made.start_proxy(made.plan.proxy)


@pytest.mark.parametrize("host", HOST, ids=["IPv4", "IPv6"])
def test_a_killed_worker_is_noticed_by_nobody_who_comes_then(host, stand):
    with stand() as made:
        handled(made, host)
        running = busy(made, host)
        os.kill(worker(made), signal.SIGKILL)
        whole(made, host)
        was_reset(made, running)
        [reset] = told(made, "flows reset")
        assert (reset["flows"], reset["unsent"]) == (1, 0)
        until(lambda: len(told_of(made, "serving")) == 2)
        handled(made, host)
        assert made.status()["worker_restarts"] == 1


@pytest.mark.parametrize("host", HOST, ids=["IPv4", "IPv6"])
def test_a_stopped_worker_is_replaced(host, stand):
    with stand() as made:
        running = busy(made, host)
        hung = worker(made)
        with still(hung):
            # During the hang, and longer.
            whole(made, host)
            was_reset(made, running)
            until(lambda: len(told_of(made, "serving")) == 2)
        assert not alive(hung)
        assert len(told(made, "worker hung")) == 1
        handled(made, host)


def test_every_connection_ends_or_goes_on_when_the_worker_dies(stand):
    """The host sends all the while: whatever it sends past a dead worker changes its numbers."""
    with stand(Proxy(profiles=FAST, keys=KEYS)) as made:
        for restarts in range(1, ROUNDS + 1):
            # Too slow for flows to end as fast as a busy machine opens them.
            radio(made, "rate 4mbit burst 40kb limit 8mb")
            flows = [Fetch(host, ENDS, bytes=MEDIUM, limit_s=2 * SOON_S) for host in FLOWS * HOST]
            running = made.mobile.fetch(flows)
            until(lambda: established(made.host, ENDS) > FLOWS // 5)
            os.kill(worker(made), signal.SIGKILL)
            radio(made, "rate 100mbit burst 40kb limit 8mb")
            fetched = running.all(3 * SOON_S)
            arrived = [each for each in fetched if each.whole]
            reset = [each for each in fetched if each.error == os.strerror(104)]
            assert len(arrived) + len(reset) == len(fetched), {each.error for each in fetched}
            until(lambda: established(made.host, ENDS) == 0)
            until(lambda: len(told_of(made, "serving")) == restarts + 1)  # noqa: B023 - at once
            assert told(made, "flows reset")[-1]["unsent"] == 0


def test_a_connection_without_anything_undelivered_survives(stand):
    with stand() as made:
        flow = Fetch(HOST[0], ABSORBS, does="send", bytes=150_000, limit_s=2 * SOON_S)
        before = taken(made)
        running = made.mobile.fetch([flow])
        until(lambda: taken(made) == before + 1)
        until(lambda: made.status()["journal_flows"] == 0)
        os.kill(worker(made), signal.SIGKILL)
        [fetched] = running.all(3 * SOON_S)
        assert (fetched.error, fetched.whole) == ("", True)
        assert told(made, "flows reset") == []


def test_a_killed_supervisor_leaves_plain_forwarding(stand):
    with stand() as made:
        handled(made)
        number = worker(made)
        os.kill(supervisor(made), signal.SIGKILL)
        whole(made)
        until(lambda: not alive(number))
        links = [each["ifname"] for each in made.router.shown("link", "show")]
        assert DEVICE not in links
        start_again(made)
        handled(made)


@pytest.mark.parametrize("host", HOST)
def test_the_next_daemon_resets_what_a_killed_one_has_left(host, stand):
    with stand() as made:
        running = busy(made, host)
        journal = made.folder / "control.journal"
        assert journal.stat().st_mode & 0o777 == 0o600
        number = worker(made)
        os.kill(supervisor(made), signal.SIGKILL)
        until(lambda: not alive(number))
        start_again(made)
        was_reset(made, running)
        [line] = told(made, "flows reset")
        assert (line["flows"], line["unsent"]) == (1, 0)
        handled(made, host)
        end(made)
        start_again(made)
        handled(made, host)
        assert len(told(made, "flows reset")) == 1


def test_a_journal_that_is_none_is_refused_and_replaced(stand):
    with stand() as made:
        end(made)
        journal = made.folder / "control.journal"
        journal.unlink(missing_ok=True)
        journal.write_bytes(b"thinp-j0" * 1_000)
        journal.chmod(0o600)
        start_again(made)
        [line] = told(made, "journal refused")
        assert line["path"] == str(journal)
        handled(made)


def test_a_stop_of_everything_is_no_failure(stand):
    with stand() as made:
        running = busy(made)
        number = worker(made)
        with still(supervisor(made)), still(number):
            time.sleep(5)
        time.sleep(3)
        assert worker(made) == number
        assert told(made, "worker hung") == []
        handled(made)
        assert [each.error for each in running.so_far()] == []


def test_a_stopped_supervisor_is_noticed_by_nobody(stand):
    with stand() as made:
        with still(supervisor(made)):
            time.sleep(3)
            handled(made)
        handled(made)
        assert told(made, "worker hung") == []


def test_a_worker_that_dies_at_once_is_started_ever_more_rarely(stand):
    with stand() as made:
        handled(made)
        while len(started := told_of(made, "worker started")) < 6:
            try:
                os.kill(worker(made), signal.SIGKILL)
            except (ValueError, ProcessLookupError):
                time.sleep(PAUSE_S)
        times = [datetime.fromisoformat(str(each["time"])) for each in started]
        # 100 ms, doubling each time.
        for number, (before, after) in enumerate(pairwise(times)):
            assert (after - before).total_seconds() > 0.099 * 2**number
        whole(made)
        # The last worker may have been killed, too; its successor takes a moment.
        until(lambda: any(map(alive, children(supervisor(made)))), 2 * SOON_S)
        until(lambda: len(told_of(made, "serving")) > 1, 2 * SOON_S)


def test_block_refuses_until_the_worker_is_back(stand):
    with stand(BLOCKING) as made:
        handled(made)
        with still(worker(made)):
            until(lambda: bool(told(made, "worker hung")))
        [fetched] = get(made).all(2 * SOON_S)
        assert fetched.error or taken(made) > 0
        until(lambda: len(told_of(made, "serving")) == 2)
        handled(made)
        os.kill(supervisor(made), signal.SIGKILL)
        until(lambda: not alive(supervisor(made)))
        [fetched] = get(made).all(2 * SOON_S)
        assert fetched.error == os.strerror(113)


def test_a_full_queue_loses_packets_and_no_connection(stand):
    keys = KEYS.replace('heartbeat = "2 s"', 'heartbeat = "60 s"')
    with stand(Proxy(profiles=f"[routing]\nqueue = 20\n{PROFILE}", keys=keys)) as made:
        running = busy(made)
        with still(worker(made)):
            flood = [Fetch(HOST[0], CLOSED, limit_s=1.0) for _ in range(300)]
            made.mobile.fetch(flood).all(SOON_S)
        [fetched] = get(made).all(2 * SOON_S)
        assert fetched.whole
        assert made.status()["device_overflow_packets"] > 100
        assert made.status()["worker_restarts"] == 0
        assert running.program.poll() is None


def test_a_device_that_is_down_spins_nothing_and_comes_back(stand):
    with stand() as made:
        handled(made)
        made.router.ip(f"link set {DEVICE} down")
        used_s = cpu_s(made)
        whole(made)
        time.sleep(2)
        assert cpu_s(made) - used_s < 0.3
        made.router.ip(f"link set {DEVICE} up")
        until(lambda: len(told_of(made, "serving")) == 2)
        handled(made)


def test_a_device_that_is_deleted_is_made_anew(stand):
    """Who may open /dev/net/tun differs between systems; its owner may."""
    with stand(Proxy(profiles=PROFILE, keys='user = "root"\n')) as made:
        handled(made)
        used_s = cpu_s(made)
        made.router.ip(f"link delete {DEVICE}")
        whole(made)
        until(lambda: len(told_of(made, "serving")) == 2)
        handled(made)
        assert cpu_s(made) - used_s < 2


def cpu_s(made: Bed) -> float:
    """CPU time of the daemon's running processes."""
    numbers = [supervisor(made), *children(supervisor(made))]
    return sum(ticks(number) for number in numbers) / os.sysconf("SC_CLK_TCK")


def ticks(process: int) -> int:
    stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
