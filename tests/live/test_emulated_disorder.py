"""Packets that an emulated link delays unevenly, holds back, doubles and damages."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import thinpipe as tp

from tests.live.standing import until

LIMIT_S = 300
"""Far above what anything takes, also on a busy machine."""

PROBE = Path(__file__).parent / "probe.py"
COUNT = 300
UDP = 17
DELAY = {"link.delay": "40 ms"}

pytestmark = pytest.mark.usefixtures("emulation")


class Numbers:
    """Datagrams that are numbered, from outside to a program inside."""

    def __init__(self, net) -> None:
        self.net = net
        self.log = pl.DataFrame()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.receiver = net.popen([sys.executable, str(PROBE), "collect"], text=True, **pipes)
        self.port = int(self.receiver.stdout.readline())

    def send(self, checksum: str = "checksum") -> None:
        words = [str(self.net.gateway + 1), str(self.port), str(COUNT), checksum]
        self.net.run_outside([sys.executable, str(PROBE), "number", *words], check=True)

    def received(self) -> Any:
        """Return the numbers, in order, and of how many the content was not what was sent."""
        until(lambda: not self.net.meter()["down"]["queue"]["packets"], LIMIT_S)
        told, _ = self.receiver.communicate("", timeout=LIMIT_S)
        return json.loads(told)


def discarded(net) -> int:
    """Return how many datagrams the kernel inside has discarded as damaged."""
    told = net.run(["cat", "/proc/net/snmp"], stdout=subprocess.PIPE, text=True, check=True).stdout
    names, values = (line.split() for line in told.splitlines() if line.startswith("Udp:"))
    return int(dict(zip(names, values, strict=True))["InErrors"])


def balances(record) -> None:
    for way in (record.down, record.up):
        gone = way.left.packets + way.dropped.total + way.queued.packets
        assert way.entered.packets + way.duplicated.packets == gone


def late(numbers: list[int]) -> int:
    """Return how many came behind one that was sent later (RFC 4737 §3.3)."""
    reached, count = -1, 0
    for number in numbers:
        count += number < reached
        reached = max(reached, number)
    return count


def fates(log: Path) -> Counter[str]:
    return Counter(tp.packet_log.read_log(log).filter(protocol=UDP, direction="down")["fate"])


def test_datagrams_come_late_twice_or_not_at_all(tmp_path):
    disorder = {"reorder": "10 %", "duplicate": "10 %", "corrupt": "10 %"}
    settings = {**DELAY, **{f"link.{key}": value for key, value in disorder.items()}}
    with tp.emulate("link", settings, log=tmp_path / "log.jsonl") as net:
        numbers = Numbers(net)
        numbers.send()
        came, differing = numbers.received()
        wrong = discarded(net)
    balances(net.record)
    [down] = [link for link in net.record.links if link.name.endswith("/down")]
    assert down.disorder is not None
    of = fates(tmp_path / "log.jsonl")
    assert of["delivered"] + of["corrupted"] == COUNT
    assert (differing, wrong) == (0, of["corrupted"])
    assert len(came) == of["delivered"] + of["duplicate"]
    assert len({*came}) == COUNT - of["corrupted"]
    # Within four standard deviations of a share of 10 %.
    assert all(9 <= count <= 51 for count in (of["corrupted"], of["duplicate"]))
    assert 0 < late([*dict.fromkeys(came)]) <= down.disorder.reordered


@pytest.mark.slow
def test_without_a_checksum_wrong_bits_reach_programs(tmp_path):
    settings = {**DELAY, "link.corrupt": "30 %"}
    with tp.emulate("link", settings, log=tmp_path / "log.jsonl") as net:
        numbers = Numbers(net)
        numbers.send("none")
        came, differing = numbers.received()
    balances(net.record)
    corrupted = fates(tmp_path / "log.jsonl")["corrupted"]
    assert 0 < differing <= corrupted
    assert len(came) > COUNT - corrupted


def test_disorder_begins_and_ends_while_it_runs():
    with tp.emulate("link", DELAY) as net:
        numbers = Numbers(net)
        for key, value in (("duplicate", "100 %"), ("duplicate", "0"), ("jitter", "30 ms")):
            net.change({f"link.{key}": value})
            numbers.send()
        with pytest.raises(tp.ScenarioError, match=r"must not be above link\.delay, 20 ms here"):
            net.change({"link.delay": "20 ms"})
        assert net.changeable["link.jitter"] == "30 ms"
        came, _ = numbers.received()
    balances(net.record)
    assert Counter(came) == dict.fromkeys(range(COUNT), 4)
    first = [number for number in range(COUNT) for _ in range(2)]
    assert came[: len(first)] == first
    assert late(came[len(first) : len(first) + COUNT]) == 0
    assert late(came[-COUNT:]) == 0


def test_a_kernel_s_file_crosses_whole():
    ways = ("link", "link.back")
    one_way = {"jitter": "5 ms", "reorder": "1 %", "duplicate": "2 %", "corrupt": "1 %"}
    settings = {f"{way}.{key}": value for way in ways for key, value in one_way.items()}
    rates = {"link.rate": "20 Mbit/s", "link.delay": "5 ms", "link.jitter_order": "free"}
    with tp.emulate("link", {**rates, **settings}) as net:
        give = [sys.executable, str(PROBE), "file"]
        server: Any = net.popen_outside(give, stdout=subprocess.PIPE, text=True)
        port = server.stdout.readline().strip()
        fetch = [sys.executable, str(PROBE), "fetch", str(net.gateway), port]
        got = net.run(fetch, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT_S)
        sent, _ = server.communicate(timeout=LIMIT_S)
    balances(net.record)
    assert got.stdout == sent
    counts = [link.disorder for link in net.record.links]
    assert all(count is not None and count.reordered and count.duplicated for count in counts)
