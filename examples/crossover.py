"""Print what BBR has beside CUBIC in queues from half a bandwidth-delay product to sixteen.

One flow of each, then five of each, share 50 Mbit/s with a round trip of 40 ms: in the simulator,
and by this machine's kernel, whose BBR is version 1, over the emulated link. Needs root, a kernel
with BBR, and iperf3. SECONDS (120) is how long they run; the share is that of the last two thirds.

    sudo python examples/crossover.py [SECONDS]
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from statistics import fmean

import thinpipe as tp
from thinpipe.testbed import HOST, Bed, Link, Plan, bed, wait_until

BDP_PACKETS = 50e6 / 8 * 0.040 / 1500
BUFFERS_BDP = (0.5, 1, 2, 4, 8, 16)
PORTS = {"bbr": 5201, "cubic": 5202}
SEEDS = range(1, 6)
BUFFER_BYTES = 32_000_000  # of the kernel's ends: beyond what the longest queue holds

LINUX = {
    "tcp.growth": "all-bytes",
    "tcp.cubic.slow_start": "ack-trains",
    "tcp.cubic.alpha": "constant",
    "tcp.receive_buffer": f"{BUFFER_BYTES} B",
}


def simulated(packets: int, count: int, duration_s: int) -> float:
    """Return BBR's share in the simulator, the mean of some seeds."""
    settings: dict[str, str | int] = {**LINUX, "queue.packets": packets}
    for group in PORTS:
        settings |= {f"flow.group.{group}.count": count}
        settings |= {f"flow.group.{group}.start": "spread over 2 s"}
    points = [
        tp.Point.of("bbr-beside-cubic", settings, seed=seed, duration=f"{until_s} s")
        for seed in SEEDS
        for until_s in (duration_s // 3, duration_s)
    ]
    acked = [
        {name: sum(flow.bytes_acked for flow in run.flows if flow.group == name) for name in PORTS}
        for run in tp.run_many(points)
    ]
    return fmean(
        _share([last[name] - first[name] for name in PORTS])
        for first, last in zip(acked[::2], acked[1::2], strict=True)
    )


def emulated(packets: int, count: int, duration_s: int) -> tuple[float, float]:
    """Return BBR's share by the kernel's ends over the emulated link, and how late that was.

    The latter is the 99th percentile in ms: more than a few say that the machine was too busy.
    """
    link = {"link.rate": "50 Mbit/s", "link.delay": "20 ms", "queue.packets": str(packets)}
    with bed(Plan(link=Link("link", tuple(link.items())))) as made:
        for node, key in ((made.host, "ipv4__tcp_wmem"), (made.mobile, "ipv4__tcp_rmem")):
            node.sysctl(**{key: f"4096 131072 {BUFFER_BYTES}"})
        servers = [_serve(made, port) for port in PORTS.values()]
        clients = [_download(made, name, count, duration_s) for name in PORTS]
        carried = [_carried(client, duration_s) for client in clients]
        for server in servers:
            server.wait()
    assert made.record is not None
    return _share(carried), 1000 * (made.record.lateness_s.p99 or 0.0)


def _serve(made: Bed, port: int) -> "subprocess.Popen[str]":
    """Start a server, and return once it listens."""
    words = ["iperf3", "--server", "--one-off", "--port", str(port)]
    server = made.host.popen(words, stdout=subprocess.DEVNULL, text=True)
    listening = ["ss", "-Hltn", f"sport = :{port}"]
    wait_until(lambda: bool(made.host.run(listening).stdout), server, lambda: "")
    return server


def _download(made: Bed, control: str, count: int, duration_s: int) -> "subprocess.Popen[str]":
    words = f"--client {HOST[0]} --reverse --json --port {PORTS[control]} --congestion {control}"
    times = f"--parallel {count} --time {duration_s} --connect-timeout 5000"
    return made.mobile.popen(
        ["iperf3", *words.split(), *times.split()], stdout=subprocess.PIPE, text=True
    )


def _carried(client: "subprocess.Popen[str]", duration_s: int) -> int:
    """Return the bytes that arrived in the last two thirds."""
    report = json.loads(client.communicate()[0])
    if "error" in report:
        raise SystemExit(report["error"])
    sums = [each["sum"] for each in report["intervals"]]
    return sum(each["bytes"] for each in sums if each["start"] >= duration_s // 3)


def _share(carried: Sequence[int]) -> float:
    """Return that of the first."""
    return carried[0] / sum(carried)


if __name__ == "__main__":
    duration_s = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    print("flows of each, queue in BDP, BBR's share: simulated (v3), kernel (v1); ms late")
    for count in (1, 5):
        for buffer_bdp in BUFFERS_BDP:
            packets = round(buffer_bdp * BDP_PACKETS)
            share, late_ms = emulated(packets, count, duration_s)
            ours = simulated(packets, count, duration_s)
            print(f"{count:2} {buffer_bdp:5g}   {ours:.2f} {share:.2f}   {late_ms:.1f}", flush=True)
