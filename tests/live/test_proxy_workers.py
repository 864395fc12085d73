"""Several workers share the mobiles, and one that dies takes only its own ones' path with it."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from thinpipe import _core
from thinpipe.testbed import HOST, MOBILE, Bed, Fetch, Fetched, Proxy, Running

from tests.live.standing import (
    ABSORBS,
    KEYS,
    LARGE,
    SMALL,
    SOON_S,
    SPEAKS,
    alive,
    children,
    end,
    established,
    radio,
    standing,
    supervisor,
    told,
    told_of,
    until,
    was_reset,
    worker,
)
from tests.live.standing import PROFILE as NARROW

pytestmark = pytest.mark.usefixtures("testbed")

PROFILE = NARROW.replace("2001:db8:45::/64", "2001:db8:45::/48")
TWO = Proxy(profiles=PROFILE, keys=KEYS, workers=2)
BLOCKING = replace(TWO, keys=f'{KEYS}on_failure = "block"\n')

SECOND = "198.51.100.3", "2001:db8:100::3"
"""Further addresses of the host, which the mobile node calls from other addresses of its own: to
the proxy another mobile, of the other worker."""
OTHER = "10.45.32.2", "2001:db8:45:2000::2"
FEW = 2 * SMALL // 1500
"""Packets of data, fewer than two transfers have; the kernel itself sends one now and then."""

HOSTS = [HOST, SECOND]
"""What mobiles of each worker call."""


@contextmanager
def shared(proxy: Proxy = TWO) -> Iterator[Bed]:
    """A bed with two workers, and two mobiles of each."""
    with standing(proxy) as made:
        for node, (four, six), interface in (
            (made.host, SECOND, "eth0"),
            (made.mobile, OTHER, "radio0"),
        ):
            node.ip(f"address add {four} dev {interface}")
            node.ip(f"address add {six} dev {interface} nodad")
        # Neighbours are known by their first addresses.
        ends = [*zip(OTHER, MOBILE, strict=True), *zip(SECOND, HOST, strict=True)]
        made.router.ip(*(f"route add {further} via {first}" for further, first in ends))
        gateways = ("10.45.0.1", "2001:db8:45::1")
        ways = zip((*HOST, *SECOND), 2 * gateways, (*MOBILE, *OTHER), strict=True)
        made.mobile.ip(*(f"route add {to} via {by} src {own}" for to, by, own in ways))
        yield made


def crossed(made: Bed) -> list[int]:
    """Return the packets that came to each worker."""
    links = [f"thinpipe{number}" for number in range(2)]
    found = [made.router.shown("-s", "link", "show", "dev", link)[0] for link in links]
    return [int(each["stats64"]["tx"]["packets"]) for each in found]


def taken(made: Bed) -> int:
    [profile] = made.status()["profiles"]
    return int(profile["connections"]["taken"])


def fetch(made: Bed, *hosts: str, port: int = SMALL, size: int = SMALL) -> Running[Fetched]:
    flows = [Fetch(host, port, bytes=size, limit_s=2 * SOON_S) for host in hosts]
    return made.mobile.fetch(flows)


def whole(made: Bed, *hosts: str) -> None:
    """Short transfers, each of which must arrive intact."""
    for fetched in fetch(made, *hosts).all(2 * SOON_S):
        assert (fetched.error, fetched.bytes, fetched.whole) == ("", SMALL, True)


def test_mobiles_land_on_both_workers():
    with shared() as made:
        assert worker(made, 0) != worker(made, 1)
        at_first = crossed(made)
        whole(made, *HOST)
        after = crossed(made)
        assert after[0] - at_first[0] > FEW
        assert after[1] - at_first[1] < FEW
        whole(made, *SECOND)
        at_last = crossed(made)
        assert at_last[0] - after[0] < FEW
        assert at_last[1] - after[1] > FEW
        sent = [Fetch(host, ABSORBS, does="send", bytes=SMALL) for host in (*HOST, *SECOND)]
        assert all(each.whole for each in made.mobile.fetch(sent).all(2 * SOON_S))
        # Whichever worker answers, it tells of both.
        seen = [made.status() for _ in range(10)]
        assert {taken(made) for _ in range(10)} == {8}
        assert {(each["workers"], each["workers_serving"]) for each in seen} == {(2, 2)}
        addresses = {each["address"] for each in mobiles(made)}
        assert addresses <= {*MOBILE, *OTHER}
        end(made)


def mobiles(made: Bed) -> list[dict[str, object]]:
    told = json.loads(_core.proxy_status(made.config, mobiles=True))
    return list(told["mobiles"])


@pytest.mark.parametrize("family", [0, 1], ids=["IPv4", "IPv6"])
def test_the_death_of_one_disturbs_no_mobile_of_the_other(family):
    with shared() as made:
        [other, own] = [
            made.mobile.fetch([Fetch(host[family], SPEAKS, bytes=LARGE, limit_s=4 * SOON_S)])
            for host in HOSTS
        ]
        until(lambda: made.status()["journal_flows"] == 2)
        assert {str(each["address"]) for each in mobiles(made)} == {
            MOBILE[family],
            OTHER[family],
        }
        first, killed = worker(made, 0), worker(made, 1)
        os.kill(killed, signal.SIGKILL)
        whole(made, HOST[family], SECOND[family])
        [fetched] = own.all(SOON_S)
        assert fetched.error == os.strerror(104)
        [died] = told(made, "worker died")
        assert (died["worker"], died["process"]) == (1, killed)
        [reset] = told(made, "flows reset")
        assert (reset["worker"], reset["flows"], reset["unsent"]) == (1, 1, 0)
        until(lambda: len(told_of(made, "serving", 1)) == 2)
        assert len(told_of(made, "serving", 0)) == 1
        assert worker(made, 0) == first
        # It goes on, and through the proxy.
        until(lambda: established(made.host, SPEAKS) == 1)
        until(lambda: made.status()["journal_flows"] == 1)
        before = taken(made)
        whole(made, HOST[family], SECOND[family])
        assert taken(made) == before + 2
        seen = made.status()
        assert (seen["worker_restarts"], seen["workers_serving"]) == (1, 2)
        assert [each.error for each in other.so_far()] == []


def test_block_refuses_the_mobiles_of_the_dead_worker_alone():
    with shared(BLOCKING) as made:
        first = worker(made, 0)

        def is_refused() -> bool:
            # Killed again and again, it comes back ever later.
            for process in set(children(supervisor(made))) - {first}:
                if any(each["process"] == process for each in told(made, "worker started")):
                    os.kill(process, signal.SIGKILL)
            before = taken(made)
            running = fetch(made, SECOND[0])
            whole(made, HOST[0])
            [refused] = running.all(2 * SOON_S)
            assert refused.error or refused.whole
            assert taken(made) > before
            return refused.error == os.strerror(113)

        until(is_refused, 3 * SOON_S)
        until(lambda: made.status()["workers_serving"] == 2)
        whole(made, HOST[0], SECOND[0])
        assert (worker(made, 0), alive(first)) == (first, True)


def test_a_killed_daemon_with_more_workers_is_cleared_up_after():
    with shared(BLOCKING) as made:
        running = [fetch(made, host[0], port=SPEAKS, size=LARGE) for host in HOSTS]
        until(lambda: made.status()["journal_flows"] == 2)
        workers = [worker(made, number) for number in range(2)]
        os.kill(supervisor(made), signal.SIGKILL)
        until(lambda: not any(map(alive, workers)))
        made.start_proxy(Proxy(profiles=PROFILE, keys=KEYS))
        [line] = told(made, "flows reset")
        assert (line["flows"], line["unsent"]) == (2, 0)
        for each in running:
            was_reset(made, each)
        assert not (made.folder / "control.journal.1").exists()
        # What the second worker refused until now.
        handled = taken(made)
        whole(made, HOST[0], SECOND[0])
        assert taken(made) == handled + 2


def test_both_use_a_new_file_and_keep_their_mobiles():
    with shared() as made:
        text = made.config.read_text(encoding="utf-8")
        narrower = text.replace('"10.45.0.0/16"', '"10.45.0.0/17"')
        made.config.write_text(narrower, encoding="utf-8")
        os.kill(supervisor(made), signal.SIGHUP)
        until(lambda: bool(told(made, "reload refused")))
        [refusal] = told(made, "reload refused")
        assert re.fullmatch(
            r"mobiles of 10\.45\.\d+\.0/19 would come to another worker: restart the daemon",
            str(refusal["why"]),
        )
        added = text.replace('"10.45.0.0/16"', '"10.45.0.0/16", "10.46.0.0/16"')
        made.config.write_text(added.replace("400 kbit/s", "200 kbit/s"), encoding="utf-8")
        os.kill(supervisor(made), signal.SIGHUP)
        until(lambda: bool(told(made, "reloaded")))
        before = taken(made)
        whole(made, HOST[0], SECOND[0])
        assert taken(made) == before + 2
        rules = made.router.shown("-N", "rule", "show")
        for table in ("101", "102"):
            blocks = [rule for rule in rules if rule.get("table") == table]
            assert any(rule.get("src", "").startswith("10.46.") for rule in blocks)
        # And back: the rules of mobiles that are none any more go.
        made.config.write_text(text, encoding="utf-8")
        os.kill(supervisor(made), signal.SIGHUP)
        until(lambda: len(told(made, "reloaded")) == 2)
        until(lambda: "10.46." not in json.dumps(made.router.shown("-N", "rule", "show")))
        assert made.status()["reloads"] == 2


def test_a_stop_waits_for_the_connections_of_all():
    with shared(Proxy(profiles=PROFILE, keys='drain = "600 s"\n', workers=2)) as made:
        running = [fetch(made, host[0], port=SPEAKS, size=LARGE) for host in HOSTS]
        until(lambda: made.status()["journal_flows"] == 2)
        assert made.daemon is not None
        made.daemon.terminate()
        until(lambda: bool(told(made, "draining")))
        # Those of one may end before those of the other.
        running[0].program.kill()
        until(lambda: made.status()["journal_flows"] == 1)
        assert told(made, "drained") == []
        radio(made, "rate 100mbit burst 40kb limit 120kb")
        [fetched] = running[1].all(2 * SOON_S)
        assert (fetched.error, fetched.whole) == ("", True)
        assert made.daemon.wait(SOON_S) == 0
        assert len(told(made, "drained")) == 1
