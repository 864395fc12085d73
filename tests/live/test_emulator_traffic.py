"""Every kind of packet passes an emulated link unchanged, and all are accounted for."""

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import thinpipe as tp
from thinpipe.testbed.packets import read_pcapng

LIMIT_S = 300
"""Far above what anything takes, also on a busy machine."""

MEGABYTE = 1_000_000
MTU = 1500
SIZE = 50 * MEGABYTE
KERNEL_END = Path(__file__).parent / "kernel_end.py"
PROBE = Path(__file__).parent / "probe.py"
FAST_RADIO = {
    "radio.downlink.rate": "20 Mbit/s",
    "radio.uplink.rate": "20 Mbit/s",
    "radio.uplink.tti": "10 ms",
    "radio.rlc.pdu_payload": "400 B",
    "radio.rlc.poll.timer": "40 ms",
    "radio.rlc.status.prohibit": "off",
    "queue.packets": "400",
    "queue.back.packets": "400",
}
"""`umts-384` scaled to 20 Mbit/s each way."""

QUICK_LINK = {"link.rate": "20 Mbit/s", "link.delay": "5 ms", "link.back.rate": "20 Mbit/s"}

SHORT_QUEUE = {"link.rate": "1 Mbit/s", "link.back.rate": "1 Mbit/s", "queue.packets": "20"}

pytestmark = pytest.mark.usefixtures("emulation")


def accounts_balance(record) -> None:
    """Check in each direction that entered = left + dropped + queued."""
    for way in (record.down, record.up):
        assert way.entered.packets == way.left.packets + way.dropped.total + way.queued.packets
        assert way.dropped.refused == way.dropped.memory == way.unreadable == 0


def host(net, family: int) -> str:
    return str(net.gateway6 if family == 6 else net.gateway)


def mobile(net, family: int) -> str:
    """Return the address inside: the one after the gateway's."""
    return str((net.gateway6 if family == 6 else net.gateway) + 1)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Exchange:
    """Two files in opposite directions on one connection, opened from inside.

    By BBR, for which a packet that is late is not a loss: a radio that delivers out of order brings
    the others down, as it does in the simulator.
    """

    def __init__(self, net, folder: Path, family: int, size: int) -> None:
        self.folder = folder
        folder.mkdir()
        for seed, name in enumerate(("inside", "outside"), 1):
            (folder / name).write_bytes(random.Random(seed).randbytes(size))
        brackets = "[{}]" if family == 6 else "{}"
        near, far = (
            f"{brackets.format(address)}:{port}"
            for address, port in ((mobile(net, family), 5000), (host(net, family), 5001))
        )
        self.ends = [
            self.start(net.popen_outside, "listen", far, near, "outside"),
            self.start(net.popen, "connect", near, far, "inside"),
        ]

    def start(self, popen, way: str, local: str, remote: str, name: str) -> Any:
        step = f"both:{self.folder / name}:{self.folder / name}-got"
        end = popen(
            [sys.executable, str(KERNEL_END), way, local, remote, "control:bbr", step],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert end.stdout.readline() == "ready\n"
        return end

    def finish(self) -> None:
        for end in self.ends:
            told, _ = end.communicate(timeout=LIMIT_S)
            assert json.loads(told)["error"] is None
        for name, other in (("inside", "outside"), ("outside", "inside")):
            sent = (self.folder / name).read_bytes()
            assert sha256((self.folder / f"{other}-got").read_bytes()) == sha256(sent)


def exchange(net, folder: Path, *, family: int = 4, size: int = MEGABYTE) -> None:
    Exchange(net, folder, family, size).finish()


def probe(net, *words: object, outside: bool = False) -> Any:
    run = net.run_outside if outside else net.run
    command = [sys.executable, str(PROBE), *map(str, words)]
    return json.loads(
        run(
            command, stdout=subprocess.PIPE, text=True, timeout=LIMIT_S, check=True
        ).stdout.splitlines()[-1]
    )


class Echo:
    """A server at the network side that answers UDP with the same bytes."""

    def __init__(self, net) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.server = net.popen_outside([sys.executable, str(PROBE), "echo"], text=True, **pipes)
        self.port = int(self.server.stdout.readline())


def test_fifty_megabytes_each_way_with_block_errors(tmp_path):
    in_order, any_order = (
        tp.emulate("umts-384", {**FAST_RADIO, "radio.rlc.in_order": order}, tbler=0.1)
        for order in ("true", "false")
    )
    with in_order, any_order:
        exchanges = [
            Exchange(net, tmp_path / name, 4, SIZE)
            for net, name in ((in_order, "in-order"), (any_order, "any-order"))
        ]
        for each in exchanges:
            each.finish()
    for record in (in_order.record, any_order.record):
        accounts_balance(record)
        assert record.down.left.bytes > SIZE
        assert record.up.left.bytes > SIZE
        assert record.radio is not None
        assert 0.09 < record.radio.blocks_in_error / record.radio.blocks_sent < 0.11


@pytest.mark.parametrize(
    ("family", "mtu"),
    # IPv6 needs an MTU of at least 1280 (RFC 8200 §5).
    [(4, 576), *((family, mtu) for family in (4, 6) for mtu in (1280, 1500, 9000))],
)
def test_tcp_crosses_with_any_mtu(tmp_path, family, mtu):
    log = tmp_path / "packets.jsonl"
    with tp.emulate("link", QUICK_LINK, mtu=mtu, log=log) as net:
        exchange(net, tmp_path / "files", family=family)
    accounts_balance(net.record)
    sizes = net.packets["bytes"]
    assert sizes.max() == mtu
    assert set(net.packets["protocol"].unique()) <= {6, 58}


def test_a_snap_length_cuts_what_captures_keep_and_not_what_crosses(tmp_path):
    with tp.emulate("link", QUICK_LINK, pcap=tmp_path / "pcap", snap=96) as net:
        exchange(net, tmp_path / "files", size=MEGABYTE)
    accounts_balance(net.record)
    for side in ("network", "mobile"):
        packets = [data for _, data in read_pcapng(tmp_path / "pcap" / f"{side}.pcapng")]
        assert max(map(len, packets)) == 96
        lengths = [int.from_bytes(data[2:4]) for data in packets if data[0] >> 4 == 4]
        assert max(lengths) == MTU


@pytest.mark.parametrize(
    ("settings", "is_joined"),
    # Far above what anything carries, but every packet takes its time.
    [({"link.delay": "5 ms"}, True), ({"link.rate": "100 Gbit/s", "link.delay": "5 ms"}, False)],
    ids=["unlimited", "rate"],
)
@pytest.mark.parametrize("family", [4, 6])
def test_the_kernel_moves_many_segments_at_a_time_and_the_link_each(
    tmp_path, family, settings, is_joined
):
    log = tmp_path / "packets.jsonl"
    with tp.emulate("link", {**settings, "queue.packets": "10000"}, log=log) as net:
        exchange(net, tmp_path / "files", family=family, size=10 * MEGABYTE)
        taken, given = (counter(net, way) for way in ("tx", "rx"))
    accounts_balance(net.record)
    sizes = net.packets["bytes"]
    assert sizes.max() == MTU
    assert sizes.len() > 2 * 10 * MEGABYTE / MTU
    assert net.record.up.entered.packets > 2 * taken
    assert (net.record.down.left.packets > 2 * given) == is_joined


def counter(net, way: str) -> int:
    """Return how many frames the interface inside has counted in a direction."""
    shown = ["ip", "-json", "-statistics", "link", "show", "thin0"]
    [told] = json.loads(net.run(shown, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return int(told["stats64"][way]["packets"])


@pytest.mark.parametrize("family", [4, 6])
def test_datagrams_and_their_fragments_cross(family):
    with tp.emulate("link", QUICK_LINK) as net:
        server = Echo(net)
        sizes = (1, 100, 1400, 4_000, 20_000, 60_000)
        rtts = probe(net, "udp", host(net, family), server.port, *sizes)
    accounts_balance(net.record)
    assert len(rtts) == len(sizes)
    assert rtts[0] >= 0.010
    assert net.record.up.entered.packets > len(sizes) + 40


def test_echo_requests_cross_and_take_as_long_as_the_model_says(tmp_path):
    with tp.emulate("link", QUICK_LINK, log=tmp_path / "packets.jsonl") as net:
        rtts = probe(net, "icmp", net.gateway, 20)
        back = probe(net, "icmp", mobile(net, 4), 20, outside=True)
    accounts_balance(net.record)
    sending_s = 76 * 8 / 20e6
    assert min(rtts + back) >= 2 * (0.005 + sending_s)
    # Each request waits for the previous reply, so there is no queue.
    echoes = net.packets.filter(protocol=1)
    assert echoes.height == 2 * (len(rtts) + len(back))
    delays_s = echoes["due_s"] - echoes["entered_s"]
    assert list(delays_s) == pytest.approx([0.005 + sending_s] * echoes.height, abs=1e-6)


def test_a_closed_port_answers_at_once():
    with tp.emulate("link", QUICK_LINK) as net:
        knock = f"import socket; socket.create_connection(('{net.gateway}', 9), timeout=5)"
        done = net.run([sys.executable, "-c", knock], stderr=subprocess.PIPE, text=True)
    assert "ConnectionRefusedError" in done.stderr


FLOOD = 30_000
"""Datagrams of 1 kB: 240 Mbit at once, far more than the links deliver meanwhile."""


@pytest.mark.parametrize("outside", [False, True], ids=["up", "down"])
@pytest.mark.parametrize(
    ("scenario", "settings", "limit"),
    [
        ("link", SHORT_QUEUE, 20),
        ("umts-384", {}, 50),
    ],
)
def test_a_flood_is_dropped_ahead_of_the_queue(scenario, settings, limit, outside):
    with tp.emulate(scenario, settings) as net:
        server = Echo(net)
        before = memory_bytes(net)
        target = mobile(net, 4) if outside else net.gateway
        said = probe(net, "flood", target, server.port, FLOOD, outside=outside)
        grown = memory_bytes(net) - before
    accounts_balance(net.record)
    flooded = net.record.down if outside else net.record.up
    assert said["sent"] > FLOOD / 2
    assert flooded.entered.packets + flooded.dropped_before >= said["sent"]
    assert flooded.dropped.queue > 0.5 * flooded.entered.packets
    assert max(link.queue_packets.max or 0 for link in net.record.links) == limit
    assert grown < 32 * MEGABYTE


def memory_bytes(net) -> int:
    """Return the memory in use by the emulator (proc(5): the second number of statm, in pages)."""
    pages = int(Path(f"/proc/{net.pid}/statm").read_text(encoding="ascii").split()[1])
    return 4096 * pages
