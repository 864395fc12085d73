"""``thinpipe sweep --scheduler``: the same points on a Dask cluster of this machine."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest
import thinpipe as tp

pytest.importorskip("distributed")

GRID = (
    "sweep", "umts-dch-384", "--vary", "tcp.variant=reno,vegas", "--vary", "radio.tbler=0 %,10 %",
    "--seeds", "1..4",
)  # fmt: skip
CRITERION = """
section = "5.1.2"
asks = "A sender keeps queues short."
read = "The deeper the queue, the longer the wait."
set.duration = "5 s"
vary."radio.tbler" = ["0 %", "10 %"]

[[pipe]]
scenario = "umts-dch-384"

[[measure]]
name = "round trip"
of = "rtt_s.mean"
better = "less"
"""
TIMEOUT_S = 600


@dataclass
class Cluster:
    """A scheduler and its workers, each in a process."""

    directory: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Wait for the scheduler to say where it listens."""
        said = self.directory / "scheduler.log"
        return "tcp://" + wait_for(said, "Scheduler at:").split("tcp://")[1].split()[0]

    def start(self, kind: str, *arguments: str, log: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard"]
        with (self.directory / log).open("wb") as output:
            process = subprocess.Popen(
                [*command, "--host", "127.0.0.1", *arguments],
                cwd=self.directory,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"},
            )
        self.processes.append(process)
        return process

    def add_worker(self) -> subprocess.Popen[bytes]:
        log = f"worker-{len(self.processes)}.log"
        process = self.start("worker", self.address, "--nthreads", "1", "--no-nanny", log=log)
        wait_for(self.directory / log, "Registered to")
        return process

    def end(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait(TIMEOUT_S)


def wait_for(log: Path, words: str) -> str:
    """Wait for a line of a log with these words, and return it."""
    patience = time.monotonic() + TIMEOUT_S
    while time.monotonic() < patience:
        lines = log.read_text().splitlines() if log.exists() else []
        found = [line for line in lines if words in line]
        if found:
            return found[0]
        time.sleep(0.05)
    raise AssertionError(f"no {words!r}: {log.read_text() if log.exists() else 'no log'}")


@contextmanager
def started(directory: Path) -> Iterator[Cluster]:
    """Start a scheduler and two workers, and end them."""
    made = Cluster(directory)
    try:
        made.start("scheduler", "--port", "0", log="scheduler.log")
        for _ in range(2):
            made.add_worker()
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[Cluster]:
    """Return a cluster that all tests use and none harms."""
    with started(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture
def doomed(tmp_path_factory) -> Iterator[Cluster]:
    """Return a cluster of which a test may kill what it likes."""
    with started(tmp_path_factory.mktemp("doomed")) as made:
        yield made


def finished(directory: Path) -> int:
    journal = directory / "s.parquet.partial"
    return max(0, journal.read_bytes().count(b"\n") - 1) if journal.exists() else 0


def test_cluster_gives_the_same_bytes(thinpipe, tmp_path, cluster):
    there = thinpipe(
        *GRID, "--duration", "5s", "--scheduler", cluster.address, "--out", "a.parquet"
    )
    assert (there.returncode, there.stderr) == (0, "")
    here = thinpipe(*GRID, "--duration", "5s", "--jobs", "2", "--out", "b.parquet")
    assert here.stdout == there.stdout
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    frame = tp.sweep(
        "umts-dch-384",
        {"tcp.variant": ["reno", "vegas"], "radio.tbler": [0, 0.1]},
        {"duration": "5 s"},
        seeds=range(1, 5),
        scheduler=cluster.address,
    )
    assert frame.equals(pl.read_parquet(tmp_path / "a.parquet"))


@pytest.mark.usefixtures("mine")
def test_cluster_evaluates_and_a_class_in_python_runs_here(thinpipe, tmp_path, cluster):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "5.1.2-bloat.toml").write_text(CRITERION)
    asked = ("evaluate", "mine.py:Mine", "--beside", "reno", "--folder", "own", "--seeds", "1..2")
    there = thinpipe(*asked, "--scheduler", cluster.address, "--out", "a")
    assert (there.returncode, there.stderr) == (0, "")
    assert thinpipe(*asked, "--out", "b").returncode == 0
    for name in ("evaluation.json", "runs.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_worker_that_is_killed_loses_nothing(thinpipe, tmp_path, doomed):
    where = ("--scheduler", doomed.address, "--out", "s.parquet")
    running = subprocess.Popen(
        [sys.executable, "-m", "thinpipe", *GRID, "--duration", "400s", *where],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while finished(tmp_path) < 3:
        assert running.poll() is None
        time.sleep(0.01)
    doomed.processes[-1].send_signal(signal.SIGKILL)
    assert finished(tmp_path) < 14, "the worker died too late to be missed"
    said, complaints = running.communicate(timeout=TIMEOUT_S)
    assert (running.returncode, complaints) == (0, "")
    here = thinpipe(*GRID, "--duration", "400s", "--out", "b.parquet")
    assert here.stdout == said
    assert (tmp_path / "s.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_scheduler_that_is_lost_is_one_line_and_work_goes_on_here(thinpipe, tmp_path, doomed):
    there = ("--duration", "400s", "--scheduler", doomed.address, "--out", "s.parquet")
    running = subprocess.Popen(
        [sys.executable, "-m", "thinpipe", *GRID, *there],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    while finished(tmp_path) < 3:
        assert running.poll() is None
        time.sleep(0.01)
    doomed.processes[0].send_signal(signal.SIGKILL)
    _, said = running.communicate(timeout=TIMEOUT_S)
    assert running.returncode == 2
    assert said.startswith(f"thinpipe: --scheduler {doomed.address}: the scheduler is lost")
    assert said.count("\n") == 1
    assert finished(tmp_path) >= 3
    done = thinpipe(*GRID, "--duration", "400s", "--out", "s.parquet")
    assert (done.returncode, done.stderr) == (0, "")


def test_scenario_and_traces_travel(thinpipe, tmp_path, cluster):
    """Workers run in another directory, where our relative paths do not exist."""
    (tmp_path / "mine.toml").write_text(
        'duration = "5 s"\n[link]\ndelay = "20 ms"\ntrace.down = "slow.trace"\n'
    )
    for name, step in (("slow", 20), ("fast", 5)):
        times = "".join(f"{at}\n" for at in range(step, 1000, step))
        (tmp_path / f"{name}.trace").write_text(times)
    grid = ("sweep", "mine.toml", "--vary", "link.trace.down=slow.trace,fast.trace")
    there = thinpipe(*grid, "--scheduler", cluster.address, "--out", "a.parquet")
    assert (there.returncode, there.stderr) == (0, "")
    assert thinpipe(*grid, "--out", "b.parquet").returncode == 0
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    slow, fast = pl.read_parquet(tmp_path / "a.parquet")["goodput_bps"]
    assert fast > 2 * slow


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "127.0.0.1:9", "nowhere"])
def test_no_scheduler_there(thinpipe, tmp_path, address):
    done = thinpipe(*GRID, "--scheduler", address, "--out", "s.parquet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"thinpipe: --scheduler {address}: no Dask scheduler answers there; "
        "expected an address as in tcp://HOST:8786\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("mine")
def test_congestion_control_in_python_stays_here(thinpipe, tmp_path, cluster):
    grid = ("sweep", "plain-384", "--vary", "tcp.congestion_control=mine.py:Mine,reno")
    done = thinpipe(*grid, "--duration", "2s", "--scheduler", cluster.address, "--out", "s.parquet")
    assert done.returncode == 2
    assert "a congestion control in Python runs here" in done.stderr
    done = thinpipe(*grid, "--duration", "2s", "--out", "s.parquet")
    assert (done.returncode, done.stderr) == (0, "")
    frame = pl.read_parquet(tmp_path / "s.parquet")
    assert frame["tcp.congestion_control"].to_list() == ["mine", "reno"]
    assert frame["variant"].to_list()[0] == "mine+reno"
