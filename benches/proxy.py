"""How fast the proxy carries TCP where no link holds it up, beside what else could carry it.

``python benches/proxy.py [SECONDS]`` lays beds of network namespaces without an emulated link,
downloads through the router in each of the `WAYS`, and prints `HEAD` and rows as JSON. What the
kernel does for a packet that a process writes, up to its reception at the other end, counts as CPU
time of that process; so the last column but one counts the whole machine.

``python benches/proxy.py workers THINPIPED [SECONDS]`` compares one worker of that program with
two: medians of `RUNS` runs, and their ranges.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median
from typing import Final

from thinpipe.report.numbers import short
from thinpipe.testbed import HOST, MOBILE, Bed, Offloads, Plan, Proxy, bed, wait_until

Row = tuple[str, ...]

HEAD: Final = (
    "carried by",
    "offloads",
    "flows",
    "Gbit/s of payload",
    "CPU, % of one processor",
    "CPU s per Gbit",
    "machine's CPU s per Gbit",
    "peak memory MB",
)

SHARED_HEAD: Final = (
    "scheme",
    "tun.offload",
    "workers",
    "Gbit/s of payload",
    "CPU s per GB, all workers",
    "CPU s per GB, each worker",
    "machine's CPU s per GB",
)
RUNS: Final = 5
MOBILES: Final = [f"10.45.{32 * block}.{host}" for host in range(3, 8) for block in range(4)]
"""Of four blocks of the prefix in turn."""

HERE: Final = Path(__file__).parent
TRAFFIC: Final = (sys.executable, str(HERE / "traffic.py"))
TICKS: Final = os.sysconf("SC_CLK_TCK")
SECONDS: Final = 3.0
FLOWS: Final = (1, 100)
MTU, QUEUE, TABLE, MARK, SPLIT_PORT = 1500, 1000, 101, 1, 5000


def main(seconds: float = SECONDS) -> None:
    """Measure every way, one after the other."""
    rows: list[Row] = []
    for (name, (proxy, divert)), offloads in product(WAYS.items(), Offloads):
        with bed(Plan(proxy=proxy, offloads=offloads)) as made:
            carriers = divert(made)
            for flows in FLOWS:
                measured = download(made, carriers, flows, seconds)
                rows.append((name, offloads.value, str(flows), *measured))
            assert_handled(made)
    json.dump([HEAD, *rows], sys.stdout)


def download(made: Bed, carriers: list[int], flows: int, seconds: float) -> Row:
    """Have the mobile take in what it can, and tell at what cost to the `carriers`."""
    port = _line(made.host.popen([*TRAFFIC, "source"], stdout=subprocess.PIPE, text=True))
    before, busy, start = _cpu_s(carriers), _busy_s(), time.monotonic()
    words = [*TRAFFIC, "download", HOST[0], port, str(seconds), str(flows)]
    taken = int(_line(made.mobile.popen(words, stdout=subprocess.PIPE, text=True)))
    elapsed = time.monotonic() - start
    cpu, busy = _cpu_s(carriers) - before, _busy_s() - busy
    gbits, none = 8 * taken / 1e9, "–"
    return (
        short(gbits / seconds),
        short(100 * cpu / elapsed) if carriers else none,
        short(cpu / gbits) if carriers else none,
        short(busy / gbits),
        short(_peak_mb(carriers)) if carriers else none,
    )


def forwarding(_made: Bed) -> list[int]:
    """Leave it to the kernel."""
    return []


def tun_loop(made: Bed) -> list[int]:
    """Divert into a TUN whose reader writes every packet back, by the driver of the proxy."""
    loop = made.router.popen([_example("forward"), "loop0", str(MTU), str(QUEUE)])
    wait_until(lambda: bool(_links(made) & {"loop0"}), loop, str)
    made.router.sysctl(ipv4__conf__loop0__rp_filter=0)
    made.router.ip(
        "link set loop0 up",
        f"route add default dev loop0 table {TABLE}",
        *(f"rule add iif {each} ipproto tcp lookup {TABLE}" for each in ("wl0", "wired0")),
    )
    return [loop.pid]


def kernel_split(made: Bed) -> list[int]:
    """Divert to a socket by TPROXY, and splice."""
    words = [sys.executable, str(HERE / "kernel_split.py"), str(SPLIT_PORT)]
    program = made.router.popen(words, stdout=subprocess.PIPE, text=True)
    _line(program)
    chain = "type filter hook prerouting priority mangle;"
    rule = f"iifname wl0 meta l4proto tcp tproxy to :{SPLIT_PORT} meta mark set {MARK} accept"
    made.router.run(["nft", f"table ip split {{ chain divert {{ {chain} {rule}; }}; }}"])
    made.router.ip(
        f"rule add fwmark {MARK} lookup {TABLE}",
        f"route add local default dev lo table {TABLE}",
    )
    return [program.pid]


def daemon(made: Bed) -> list[int]:
    """Leave it to the proxy."""
    assert made.daemon is not None
    pid = made.daemon.pid
    wait_until(lambda: len(_family(pid)) == len(("supervisor", "worker")), made.daemon, str)
    return _family(pid)


def generous(kind: str) -> Proxy:
    """Return a configuration whose profile limits little: 100 flows have a dozen segments each."""
    patience = 'atcp.patience = "50 ms"' if kind == "atcp" else ""
    profiles = f"""
[limits]
bytes = "1 GB"
opening_per_mobile = 200
[[profile]]
name = "fast"
mobiles = ["10.45.0.0/16"]
rate = "10 Gbit/s"
bdp = "1600 kB"
[profile.middlebox]
kind = "{kind}"
{patience}
"""
    return Proxy(profiles=profiles, keys='drain = "1 s"')


def assert_handled(made: Bed) -> None:
    """Check that the proxy, if there is one, handled the connections."""
    if made.daemon is not None:
        [profile] = made.status()["profiles"]
        assert profile["connections"]["taken"] == sum(FLOWS), profile["connections"]


WAYS: Final[dict[str, tuple[Proxy | None, Callable[[Bed], list[int]]]]] = {
    "the kernel: plain forwarding": (None, forwarding),
    "a TUN and back, by a loop of ours": (None, tun_loop),
    "the kernel: TPROXY and splice": (None, kernel_split),
    "the proxy, atcp": (generous("atcp"), daemon),
    "the proxy, split": (generous("split"), daemon),
}


def share(program: str, seconds: float = SECONDS) -> None:
    """Measure one worker and two, at 100 connections of 20 mobiles in blocks of both."""
    rows = []
    for scheme, offload, workers in product(("atcp", "split"), (True, False), (1, 2)):
        plan = generous(scheme)
        keys = f"{plan.keys}\ntun.offload = {str(offload).lower()}\n"
        proxy = replace(plan, keys=keys, workers=workers, program=(program,))
        with bed(Plan(proxy=proxy, offloads=Offloads.ON)) as made:
            add_mobiles(made)
            found = [download_many(made, workers, seconds) for _ in range(RUNS)]
        columns = [spread(column) for column in zip(*found, strict=True)]
        rows.append((scheme, str(offload), str(workers), *columns))
        print(*rows[-1], sep=" | ", file=sys.stderr)
    json.dump([SHARED_HEAD, *rows], sys.stdout)


def add_mobiles(made: Bed) -> None:
    """Give the mobile node the addresses of all mobiles; neighbours know its first one."""
    made.mobile.ip(*(f"address add {each} dev radio0" for each in MOBILES))
    made.router.ip(*(f"route add {each} via {MOBILE[0]}" for each in MOBILES))


def download_many(made: Bed, workers: int, seconds: float) -> tuple[tuple[float, ...], ...]:
    """Have the mobiles take in what they can; return the columns, each one number or several."""
    daemon = made.daemon
    assert daemon is not None
    wait_until(lambda: len(_family(daemon.pid)) == 1 + workers, daemon, str)
    _, *carriers = _family(daemon.pid)
    source = made.host.popen([*TRAFFIC, "source"], stdout=subprocess.PIPE, text=True)
    port = _line(source)
    before, busy = [_cpu_s([each]) for each in carriers], _busy_s()
    words = [*TRAFFIC, "download", HOST[0], port, str(seconds), str(FLOWS[-1])]
    taken = made.mobile.popen([*words, ",".join(MOBILES)], stdout=subprocess.PIPE, text=True)
    gigabytes = int(_line(taken)) / 1e9
    used = [_cpu_s([each]) - was for each, was in zip(carriers, before, strict=True)]
    busy = _busy_s() - busy
    source.kill()
    time.sleep(1.0)
    return (
        (8 * gigabytes / seconds,),
        (sum(used) / gigabytes,),
        tuple(each / gigabytes for each in used),
        (busy / gigabytes,),
    )


def spread(runs: tuple[tuple[float, ...], ...]) -> str:
    """Return the median, or that of each, and the range of all."""
    middles = ", ".join(short(median(each)) for each in zip(*runs, strict=True))
    flat = [number for run in runs for number in run]
    return f"{middles} ({short(min(flat))}–{short(max(flat))})"


def _example(name: str) -> str:
    """Build an example of `os` and return its path."""
    command = ["cargo", "build", "--release", "--package", "os", "--example", name]
    command += ["--quiet", "--message-format", "json"]
    built = subprocess.run(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    [made] = [each["executable"] for each in messages if each.get("executable")]
    return str(made)


def _line(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip()


def _links(made: Bed) -> set[str]:
    return {each["ifname"] for each in made.router.shown("link", "show")}


def _family(pid: int) -> list[int]:
    """Return a process and its children."""
    words = ["ps", "-o", "pid=", "--ppid", str(pid)]
    listing = subprocess.run(words, capture_output=True, text=True, check=False)
    return [pid, *(int(child) for child in listing.stdout.split())]


def _cpu_s(pids: list[int]) -> float:
    """Return the CPU time of processes (proc(5): utime and stime)."""
    stats = (Path(f"/proc/{pid}/stat").read_text(encoding="ascii") for pid in pids)
    words = (stat.rpartition(")")[2].split() for stat in stats)
    return sum(int(each[11]) + int(each[12]) for each in words) / TICKS


def _busy_s() -> float:
    """Return the machine's busy CPU time (proc(5): all fields but the 4th and 5th)."""
    with Path("/proc/stat").open(encoding="ascii") as stat:
        words = [int(word) for word in stat.readline().split()[1:9]]
    return (sum(words) - words[3] - words[4]) / TICKS


def _peak_mb(pids: list[int]) -> float:
    lines = (
        line
        for pid in pids
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    )
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["workers", program, *rest]:
            share(program, *map(float, rest))
        case rest:
            main(*map(float, rest))
