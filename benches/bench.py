"""Measure speed and memory beside their goals. Nothing here passes or fails."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import thinpipe as tp
from thinpipe.cli.terminal import console, table
from thinpipe.papers.lo2005.experiments import TBLERS, VARIANTS, grid
from thinpipe.programs import lacking
from thinpipe.report.numbers import short
from thinpipe.testbed import missing

if TYPE_CHECKING:
    from rich.console import Console

HERE = Path(__file__).parent
ROUNDS = 5
MSS = 512
ALL_VARIANTS = ("tahoe", "reno", "newreno", "sack", "fack", "vegas", "westwood", "cubic", "bbr")
FLOWS_EACH = 8
MOBILES = {10: 120, 100: 120, 1000: 120, 10_000: 30}  # with simulated seconds
WALK_S = 300
AS_NS2 = {"tcp.profile": "ns2-2.35", "tcp.mss": f"{MSS} B", "flow.interval": "10 ms"}
SAME = 0.01
"""Largest relative difference between the segments that both deliver."""

LINKS = {"plain-384": "10000 s", "dumbbell-100": "20 s"}

Row = tuple[str, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Work:
    """One workload for both programs."""

    name: str
    scenario: str
    flows: int
    rate: str
    delay: str
    window: int
    queue: int
    duration_s: int
    goal_us: float


WORKS = (
    Work("1 flow, 384 kbit/s, 60 ms", "plain-384", 1, "384kb", "60ms", 64, 100, 10_000, 0.4),
    Work("100 flows, 100 Mbit/s, 20 ms", "dumbbell-100", 100, "100Mb", "20ms", 64, 100, 60, 0.9),
)


def main() -> None:
    """Measure everything and print one table per measurement."""
    screen = console()
    screen.print("\nInstructions and cache misses (tests/costs)", style="bold", highlight=False)
    costs = ("cargo", "run", "--release", "--quiet", "--package", "costs")
    # Without valgrind it says so, and the times follow.
    subprocess.run(costs, cwd=HERE.parent, check=False)
    for title, head, measure in (
        ("One run on one core", ("run", "simulated s per CPU s", "goal"), umts),
        ("Fig. 5(a) of lo2005 on all cores", ("runs", "cores", "wall s", "goal"), figure_5a),
        (
            "Against a bare loop that does the same work and nothing else (benches/bound.rs)",
            ("work, 1000 s", "loop ms", "ours ms", "ratio"),
            against_bare_loops,
        ),
        (
            "CPU per delivered segment, and ns-2's",
            ("work", "segments", "ours µs", "ns-2 µs", "ratio", "goal µs"),
            against_ns2,
        ),
        (
            "CPU per delivered segment of each variant (one flow; 100 flows)",
            ("variant", "µs", "µs, 100 flows", "to Reno", "to Reno, 100 flows", "goal"),
            variants,
        ),
        ("Cost against the number of flows", ("flows", "segments", "µs per segment"), scaling),
        (
            "Mobiles with 8 flows each behind one middlebox (atcp), pages",
            (
                "mobiles",
                "simulated s",
                "packets at the box",
                "CPU s",
                "simulated s per CPU s",
                "per s on all cores",
                "µs per event",
                "µs per packet",
                "peak memory MB",
                "kB per flow",
            ),
            mobiles,
        ),
        (
            "Mobiles that walk between two access routers of a MAP, each with a download",
            ("mobiles", "handovers", "events", "CPU s", "to real time", "goal"),
            walkers,
        ),
        (
            "What an idle connection holds in that middlebox, eight a mobile",
            ("mobiles", "connections", "bytes each", "goal"),
            idle,
        ),
        (
            "Reno in Rust, and the same in Python (examples/aimd.py)",
            ("algorithm", "segments", "µs per segment"),
            in_python,
        ),
        ("Start-up and memory of a process", ("what", "measured", "goal"), process),
        ("The emulator", ("what", "measured", "goal"), emulator),
    ):
        _show(screen, title, head, measure())
    _show(screen, "Downloads through a router; goal of the proxy: 1 Gbit/s", *proxy())
    for of_lab in lab():
        _show(screen, *of_lab)


def _show(screen: Console, title: str, head: Row, rows: list[Row]) -> None:
    screen.print(f"\n{title}", style="bold", highlight=False)
    screen.print(table(head, rows, text=frozenset({head[0]})))


def umts() -> list[Row]:
    """Run 1000 s on the UMTS channel."""
    rows: list[Row] = []
    for variant, tbler, goal in (("reno", 0, 20_000), ("vegas", 5, 30_000)):
        settings = {"tcp.variant": variant, "radio.tbler": f"{tbler} %"}
        work = partial(tp.run, "umts-dch-384", settings)
        # The minimum of many runs: other load can only lengthen a run of 40 ms.
        cpu_s = min(_timed(work)[0] for _ in range(15))
        rows.append((f"{variant}, {tbler} %", short(1000 / cpu_s), f"≥ {goal:,}"))
    return rows


def figure_5a() -> list[Row]:
    """Run the whole of Fig. 5(a)."""
    points = grid(VARIANTS, TBLERS)
    start = time.perf_counter()
    tp.run_many(points)
    wall_s = time.perf_counter() - start
    return [(str(len(points)), str(os.cpu_count()), short(wall_s), "< 6 on two")]


def against_ns2() -> list[Row]:
    """Run both programs on the same links, alternately."""
    ns2 = shutil.which("ns")
    rows: list[Row] = []
    for work in WORKS:
        ours, theirs, delivered = [], [], 0
        for _ in range(ROUNDS):
            cpu_s, delivered = _ours(work)
            ours.append(1e6 * cpu_s / delivered)
            if ns2:
                cpu_s, segments = _ns2(ns2, work)
                check_same_work(work, delivered, segments)
                theirs.append(1e6 * cpu_s / segments)
        mine = statistics.median(ours)
        other = statistics.median(theirs) if theirs else None
        ratio = None if other is None else mine / other
        rows.append(
            (
                work.name,
                f"{delivered:,}",
                short(mine),
                short(other),
                short(ratio, 2),
                f"≤ {work.goal_us}",
            )
        )
    return rows


def check_same_work(work: Work, ours: int, theirs: int) -> None:
    """End the program unless both have delivered the same number of segments, within 1 %."""
    if abs(ours - theirs) > SAME * theirs:
        sys.exit(f"{work.name}: ns-2 delivered {theirs:,} segments and thinpipe {ours:,}")


def variants() -> list[Row]:
    """Run every variant on the same links, alternately."""
    kinds: dict[str, dict[str, str]] = {name: {"tcp.variant": name} for name in ALL_VARIANTS}
    kinds["reno+rack"] = {"tcp.variant": "reno", "tcp.recovery": "rack"}
    best: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        for (name, settings), (scenario, duration) in product(kinds.items(), LINKS.items()):
            all_settings = {**settings, "tcp.mss": f"{MSS} B"}
            cpu_s, run = _timed(partial(tp.run, scenario, all_settings, duration=duration))
            cost_us = 1e6 * cpu_s / _delivered(run)
            best[name, scenario] = min(cost_us, best.get((name, scenario), cost_us))
    rows: list[Row] = []
    for name in kinds:
        costs = [best[name, scenario] for scenario in LINKS]
        ratios = [best[name, scenario] / best["reno", scenario] for scenario in LINKS]
        goal = "≤ 2" if name in ("bbr", "reno+rack") else "≤ 1.5"
        rows.append((name, *(short(number, 2) for number in (*costs, *ratios)), goal))
    return rows


def scaling() -> list[Row]:
    """Run the dumbbell with 10, 100 and 1,000 flows, each between its own hosts."""
    rows: list[Row] = []
    for flows in (10, 100, 1000):
        settings = {"flow.count": flows, "flow.hosts": "own", "tcp.mss": MSS}
        cpu_s, run = _timed(partial(tp.run, "dumbbell-100", settings, duration="20 s"))
        delivered = _delivered(run)
        rows.append((f"{flows:,}", f"{delivered:,}", short(1e6 * cpu_s / delivered)))
    return rows


def mobiles() -> list[Row]:
    """Run increasing numbers of mobiles behind a middlebox, each in its own process."""
    rows: list[Row] = []
    for count, duration_s in MOBILES.items():
        flows = FLOWS_EACH * count
        settings = {
            "radio.ues": count,
            "flow.count": flows,
            "flow.application": "web",
            "flow.interval": f"{10e9 // flows:.0f} ns",  # all have begun after 10 s
            "middlebox.kind": "atcp",
        }
        code = (
            "import json, sys, time, pathlib, thinpipe as tp\n"
            "start, began = time.process_time(), time.perf_counter()\n"
            f"run = tp.run('gprs-3+1', {settings!r}, duration='{duration_s} s', "
            "threads=json.loads(sys.argv[1]))\n"
            "cpu_s, wall_s = time.process_time() - start, time.perf_counter() - began\n"
            "packets = run.middlebox.packets_in + run.middlebox.packets_out\n"
            "status = pathlib.Path('/proc/self/status').read_text()\n"
            "peak = next(line for line in status.splitlines() if line.startswith('VmHWM'))\n"
            "peak_mb = int(peak.split()[1]) / 1024\n"
            "print(json.dumps([packets, run.result.events, cpu_s, wall_s, peak_mb]))"
        )
        one, all_cores = (
            json.loads(
                subprocess.run(
                    [sys.executable, "-c", code, threads],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
            )
            for threads in ("1", "null")
        )
        packets, events, cpu_s, _, peak_mb = one
        rows.append(
            (
                f"{count:,}",
                short(duration_s),
                f"{packets:,}",
                short(cpu_s),
                short(duration_s / cpu_s),
                short(duration_s / all_cores[3]),
                short(1e6 * cpu_s / events, 2),
                short(1e6 * cpu_s / packets),
                short(peak_mb),
                short(1000 * peak_mb / flows),
            )
        )
    return rows


def against_bare_loops() -> list[Row]:
    """Return the fastest times of both from the bench that has the loops."""
    command = ["cargo", "bench", "--quiet", "--package", "benches", "--bench", "bound"]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    scale = {"µs": 1e-3, "ms": 1.0, "s": 1e3}
    found = re.finditer(r"─ (\w+) +([\d.]+) (µs|ms|s) ", done.stdout)
    ms = {each[1]: float(each[2]) * scale[each[3]] for each in found}
    rows: list[Row] = []
    for work in ("umts", "wired"):
        loop, ours = ms[f"{work}_bare"], ms[f"{work}_thinpipe"]
        rows.append((f"{work}, reno, 0 %", short(loop), short(ours), short(ours / loop)))
    return rows


def walkers() -> list[Row]:
    """Run increasing numbers of mobiles through a hierarchical Mobile IPv6 domain."""
    rows: list[Row] = []
    for count in (1, 10, 100):
        settings = {"wlan.mobiles": count - 1, "flow.count": count, "wlan.access": "csma-ca"}
        work = partial(tp.run, "hmipv6-handover", settings, duration=f"{WALK_S} s")
        cpu_s, run = min((_timed(work) for _ in range(ROUNDS)), key=lambda timed: timed[0])
        moves = run.result.mobility.handovers if run.result.mobility else ()
        counts = (f"{count:,}", f"{len(moves):,}", f"{run.result.events:,}")
        rows.append((*counts, short(cpu_s), short(WALK_S / cpu_s), "≥ 50"))
    return rows


def idle() -> list[Row]:
    """Return the memory per idle connection from the middlebox's own bench."""
    bench = ["--package", "benches", "--bench", "atcp", "--", "idle_flows"]
    command = ["cargo", "bench", "--quiet", *bench]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    rows: list[Row] = []
    for found in re.finditer(r"─ (\d+) .*?max alloc:.*?([\d.]+) MB", done.stdout, re.DOTALL):
        connections = FLOWS_EACH * int(found[1])
        held = 1e6 * float(found[2]) / connections
        rows.append((f"{int(found[1]):,}", f"{connections:,}", short(held), "≤ 1,024"))
    return rows


def in_python() -> list[Row]:
    """Run one algorithm in Rust and in Python, with one call per acknowledgement."""
    rows: list[Row] = []
    for algorithm in ("reno", f"{HERE.parent / 'examples' / 'aimd.py'}:Aimd"):
        settings = {"tcp.congestion_control": algorithm, "queue.packets": "20"}
        work = partial(tp.run, "plain-384", settings)
        cpu_s, run = min((_timed(work) for _ in range(ROUNDS)), key=lambda each: each[0])
        flow = run.flows[0]
        rows.append((flow.variant, f"{_delivered(run):,}", short(1e6 * cpu_s / _delivered(run))))
    return rows


def process() -> list[Row]:
    """Measure start-up time and memory of a separate process."""
    imports = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import thinpipe"], check=True)
        imports.append(time.perf_counter() - start)
    return [
        ("import thinpipe, wall s", short(min(imports), 2), "< 0.3"),
        ("thinpipe run, Reno 0 %, peak memory MB", short(_peak_mb("reno", "0 %")), "< 50"),
        ("thinpipe run, Vegas 5 %, peak memory MB", short(_peak_mb("vegas", "5 %")), "< 50"),
    ]


def emulator() -> list[Row]:
    """Measure the emulator in its own network namespace, or return why that fails."""
    if os.geteuid() != 0:
        return [("not measured: needs root", "–", "")]
    command = ["unshare", "--net", sys.executable, str(HERE / "emulator.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return [(f"not measured: {done.stderr.strip().splitlines()[-1]}", "–", "")]
    return [tuple(row) for row in json.loads(done.stdout)]


def proxy() -> tuple[Row, list[Row]]:
    """Measure the proxy beside other forwarders, or return why that fails."""
    reason = missing() or lacking("nft")
    if reason is not None:
        return ("forwarder",), [(f"not measured: {reason}",)]
    command = [sys.executable, str(HERE / "proxy.py")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    head, *rows = json.loads(done.stdout)
    return tuple(head), [tuple(row) for row in rows]


def lab() -> list[tuple[str, Row, list[Row]]]:
    """Measure the lab in a browser, or return why that fails."""
    command = [sys.executable, "-m", "benches.lab"]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1]
        return [("The lab in a browser", ("what",), [(f"not measured: {last}",)])]
    return [
        (title, tuple(head), [tuple(row) for row in rows])
        for title, head, rows in json.loads(done.stdout)
    ]


def _ours(work: Work) -> tuple[float, int]:
    duration = f"{work.duration_s} s"
    cpu_s, run = _timed(partial(tp.run, work.scenario, AS_NS2, duration=duration))
    return cpu_s, _delivered(run)


def _delivered(run: tp.Run) -> int:
    return sum(flow.bytes_acked for flow in run.flows) // MSS


def _ns2(ns2: str, work: Work) -> tuple[float, int]:
    """Return the CPU time of ns-2 without its start-up, and the segments that it delivered."""

    def run(duration_s: int) -> tuple[float, int]:
        arguments = (work.flows, work.rate, work.delay, work.window, work.queue, duration_s)
        command = [ns2, str(HERE / "ns2.tcl"), *(str(each) for each in arguments)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            printed = child.stdout.read() if child.stdout else ""
            _, _, usage = os.wait4(child.pid, 0)
            child.returncode = 0
        return usage.ru_utime + usage.ru_stime, int(printed.split()[-1])

    start_up_s, _ = run(0)
    cpu_s, delivered = run(work.duration_s)
    return cpu_s - start_up_s, delivered


def _peak_mb(variant: str, tbler: str) -> float:
    """Return a process's own peak memory; the kernel's value for a child includes its parent's."""
    settings = ["--set", f"tcp.variant={variant}", "--set", f"radio.tbler={tbler}"]
    code = (
        "import atexit, pathlib, sys, thinpipe.cli\n"
        "status = pathlib.Path('/proc/self/status')\n"
        "atexit.register(lambda: print(status.read_text(), file=sys.stderr))\n"
        "thinpipe.cli.main()"
    )
    command = [sys.executable, "-c", code, "run", "umts-dch-384", "--json", *settings]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak = next(line for line in done.stderr.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 1024


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


if __name__ == "__main__":
    main()
