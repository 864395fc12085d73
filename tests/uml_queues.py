"""TCP and probes through a queue of the kernel: the first process of user-mode Linux.

Takes a file with the cases, and writes one with a result for each: what it carried, how long
its round trips were, and what the queue counted.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import socket
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

PROBE_BYTES = 100
"""Payload of each; the simulated ones have as much."""
EVERY_S = 0.01
TCP_INFO_RTT = slice(68, 72)
"""Where the smoothed round trip is in struct tcp_info, in microseconds (linux/tcp.h)."""
FOUND = "10.0.1.2"
HOSTS = (2, 3)
"""Last bytes of the addresses of either end; flows are sent from the first unless they say so."""
PORT = 5000
"""Of the probes, and of the first flow."""
LOAD_PORT = 4999
"""Of datagrams that load the queue."""
READ_EVERY_S = 0.005
"""Less often than packets arrive: system calls are what costs here. Without an acknowledgement for
each segment (`ack_each`) some would wait for a reading, and release bursts."""
LEFT_S = 0.5
"""For how long the receiver outlives the sender."""
READY_S = 2
"""After which the receiver listens, even on a busy machine."""
CLONE_NEWNET = 0x40000000
ETHERNET = 14
SO_TIMESTAMPNS = 35
"""So that a datagram comes with the time of its arrival (asm-generic/socket.h)."""
SECONDS = struct.Struct("d")
TIMESPEC = struct.Struct("ll")


def run(command: str, namespace: str = "") -> str:
    """Run a command, and return what it printed."""
    prefix = ["ip", "netns", "exec", namespace] if namespace else []
    done = subprocess.run([*prefix, *command.split()], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


def build() -> None:
    """Set up a, r and b in a row."""
    for name in "arb":
        run(f"ip netns add {name}")
    for end, subnet in (("a", 0), ("b", 1)):
        run(f"ip link add v{end} netns {end} type veth peer name r{end} netns r")
        # Segments as the receiver gets them, not offloaded ones that a queue counts as one.
        run(f"ip link set v{end} gso_max_segs 1", end)
        for host in HOSTS:
            run(f"ip addr add 10.0.{subnet}.{host}/24 dev v{end}", end)
        run(f"ip addr add 10.0.{subnet}.1/24 dev r{end}", "r")
        run(f"ip link set v{end} up", end)
        run(f"ip link set r{end} up", "r")
        run(f"ip route add default via 10.0.{subnet}.1", end)
        run("sysctl -qw net.ipv4.tcp_no_metrics_save=1", end)
    run("sysctl -qw net.ipv4.ip_forward=1", "r")


def place(case: dict[str, Any]) -> None:
    """Put the queue behind a shaper, unless it is one, delay ACKs, and say what hosts do.

    Acknowledgements take the whole round trip, each flow's its own: up to 15 flows. It strays by
    `stray_ms`.
    """
    if case.get("is_shaper"):
        run(f"tc qdisc add dev rb root handle 2: {case['qdisc']}", "r")
    else:
        bits = case["rate_bps"] * (case["packet"] + ETHERNET) // case["packet"]
        rate = f"rate {bits}bit burst 1600 cburst 1600"
        run("tc qdisc add dev rb root handle 1: htb default 1", "r")
        run(f"tc class add dev rb parent 1: classid 1:1 htb {rate}", "r")
        run(f"tc qdisc add dev rb parent 1:1 handle 2: {case['qdisc']}", "r")
    run(f"tc qdisc add dev ra root handle 1: prio bands {max(3, len(case['flows']) + 1)}", "r")
    for flow, (_, rtt_ms) in enumerate(case["flows"]):
        band = f"1:{flow + 1:x}"
        delay = f"{rtt_ms}ms {case.get('stray_ms', 0)}ms"
        run(f"tc qdisc add dev ra parent {band} netem delay {delay} limit 100000", "r")
        port = f"u32 match ip sport {PORT + flow} 0xffff"
        run(f"tc filter add dev ra parent 1: protocol ip {port} flowid {band}", "r")
    for end, gateway in (("a", "10.0.0.1"), ("b", "10.0.1.1")):
        run(f"sysctl -qw net.ipv4.tcp_ecn={int(case['ecn'])}", end)
        run(f"ip route replace default via {gateway} quickack {int(case['ack_each'])}", end)


def counters() -> dict[str, int]:
    """Return what the queue dropped, and what it marked."""
    [queue] = [
        each
        for each in json.loads(run("tc -s -j qdisc show dev rb", "r"))
        if each["handle"] == "2:"
    ]
    marks = sum(tin["ecn_mark"] for tin in queue.get("tins", ()))
    return {"drops": queue["drops"], "marks": queue.get("ecn_mark", queue.get("marked", marks))}


def enter(namespace: str) -> None:
    """Move this process to a namespace."""
    with Path(f"/run/netns/{namespace}").open() as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")


def receive(flows: int, begin: float, end: float) -> dict[str, Any]:
    """Return the bytes of each flow that arrive between both times, and datagrams with delays."""
    enter("b")
    load = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    load.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    load.bind(("", LOAD_PORT))
    load.settimeout(0)
    delays: list[float] = []
    waiting = selectors.DefaultSelector()
    probes = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    probes.bind(("", PORT))
    waiting.register(probes, selectors.EVENT_READ)
    waiting.register(load, selectors.EVENT_READ, load)
    servers = [socket.create_server(("", PORT + flow)) for flow in range(flows)]
    for flow, server in enumerate(servers):
        waiting.register(server, selectors.EVENT_READ, (server, flow))
    room = bytearray(1 << 20)
    received = [0] * flows
    while (now := time.monotonic()) < end + LEFT_S:
        for key, _ in waiting.select(LEFT_S):
            if key.data is None:
                probes.recv(PROBE_BYTES)
                continue
            if key.data is load:
                delays += arrivals(load, begin, end)
                continue
            stream, flow = key.data
            if stream is servers[flow]:
                stream, _ = stream.accept()
                waiting.register(stream, selectors.EVENT_READ, (stream, flow))
            else:
                size = stream.recv_into(room)
                received[flow] += size if begin <= now < end else 0
        time.sleep(READ_EVERY_S)
    return {
        "bytes": received,
        "datagrams": len(delays),
        "delay_s": fmean(delays) if delays else 0,
    }


def arrivals(load: socket.socket, begin: float, end: float) -> Iterator[float]:
    """Yield the one-way delays of datagrams that are there and came between both times."""
    ahead = time.time() - time.monotonic()
    while True:
        try:
            data, notes, _, _ = load.recvmsg(1 << 16, 64)
        except BlockingIOError:
            return
        seconds, nanoseconds = TIMESPEC.unpack(notes[0][2])
        came = seconds - ahead + nanoseconds / 1e9
        if begin <= came < end:
            yield came - SECONDS.unpack_from(data)[0]


def offer(datagrams: dict[str, Any], start: float, end: float) -> dict[str, Any]:
    """Send datagrams evenly, each with its time."""
    enter("a")
    load = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    due, sent = start, 0
    padding = bytes(datagrams["bytes"] - SECONDS.size)
    while due < end:
        time.sleep(max(0, due - time.monotonic()))
        load.sendto(SECONDS.pack(time.monotonic()) + padding, (FOUND, LOAD_PORT))
        sent += 1
        due = start + sent * datagrams["every_s"]
    return {"sent": sent}


def send(case: dict[str, Any], start: float, begin: float, end: float) -> dict[str, Any]:
    """Return the mean smoothed round trip of all flows, as it is at each probe."""
    enter("a")
    waiting = selectors.DefaultSelector()
    probes = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    data = bytes(1 << 16)
    streams: list[socket.socket] = []
    trips, due = [], start
    while (now := time.monotonic()) < end:
        while len(streams) < len(case["flows"]) and now >= start + len(streams) * case["apart_s"]:
            stream = socket.socket()
            control, _ = case["flows"][len(streams)]
            host = case.get("hosts", HOSTS[:1] * len(case["flows"]))[len(streams)]
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
            stream.bind((f"10.0.0.{host}", 0))
            stream.connect((FOUND, PORT + len(streams)))
            stream.settimeout(0)
            streams.append(stream)
            waiting.register(stream, selectors.EVENT_WRITE, stream)
        if now >= due:
            probes.sendto(bytes(PROBE_BYTES), (FOUND, PORT))
            if now >= begin:
                trips += [rtt_s(stream) for stream in streams]
            due = max(due + EVERY_S, now)
        for key, _ in waiting.select(max(0, due - time.monotonic())):
            key.data.send(data)
    return {"rtt_s": fmean(trips)}


def rtt_s(stream: socket.socket) -> float:
    """Return the smoothed round trip of a connection."""
    info = stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    return int.from_bytes(info[TCP_INFO_RTT], sys.byteorder) / 1e6


def forked(work: Any) -> Any:
    """Begin work in a process of its own; what is returned waits for its result."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            answer = {"found": work()}
        except Exception:
            answer = {"error": traceback.format_exc()}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)

    def result() -> dict[str, Any]:
        with os.fdopen(reader) as pipe:
            answer = json.loads(pipe.read())
        os.wait()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        found: dict[str, Any] = answer["found"]
        return found

    return result


def measure(case: dict[str, Any]) -> dict[str, Any]:
    """Return what a case gives."""
    place(case)
    start = time.monotonic() + READY_S
    begin, end = start + case["from_s"], start + case["to_s"]
    receiver = forked(lambda: receive(len(case["flows"]), begin, end))
    sender = forked(lambda: send(case, start, begin, end)) if case["flows"] else dict
    load = forked(lambda: offer(case["datagrams"], start, end)) if "datagrams" in case else dict
    time.sleep(max(0, begin - time.monotonic()))
    before = counters()
    time.sleep(max(0, end - time.monotonic()))
    after = counters()
    found = {**receiver(), **sender(), **load(), **{key: after[key] - before[key] for key in after}}
    for device in ("ra", "rb"):
        run(f"tc qdisc del dev {device} root", "r")
    return found


def main(request: Path, result: Path) -> None:
    """Run all cases, and stop the kernel."""
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    for kind, where in (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run")):
        subprocess.run(["mount", "-t", kind, kind, where], check=False)
    try:
        asked = json.loads(request.read_text())
        for module in asked["load"]:
            run(f"modprobe -d {asked['modules']} {module}")
        build()
        found = []
        for case in asked["cases"]:
            found.append(measure(case))
            result.write_text(json.dumps({"found": found}))
    except Exception:
        result.write_text(json.dumps({"error": traceback.format_exc()}))
        raise
    finally:
        subprocess.run(["halt", "-f"], check=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
