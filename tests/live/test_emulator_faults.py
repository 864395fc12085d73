"""Faults around an emulator, and its reactions."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import thinpipe as tp
from thinpipe.emulation_record import EmulationRecord

PROBE = Path(__file__).parent / "probe.py"
STOP_S = 5
LINK = {"link.rate": "1 Mbit/s", "link.delay": "20 ms"}
PINGS = 100
LIMIT_S = 300
"""Far above what anything takes, also on a busy machine."""

pytestmark = pytest.mark.usefixtures("emulation")


def start(*words: str, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "thinpipe", "emulate", *words]
    return subprocess.Popen(command, text=True, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


def devices() -> set[str]:
    shown = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True)
    return {line.split(": ")[1] for line in shown.stdout.splitlines()}


def until(what: Callable[[], bool]) -> None:
    patience = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < patience, "it never came about"
        time.sleep(0.01)


def wait_for(file: Path) -> str:
    """Wait for the first output of a program."""
    until(lambda: file.exists() and file.read_text(encoding="ascii").endswith("\n"))
    return file.read_text(encoding="ascii")


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2]
    except FileNotFoundError:
        return False
    return not state.startswith("Z")


def test_a_stop_of_five_seconds_shows_as_lateness_and_loses_nothing():
    with tp.emulate("link", LINK) as net:
        command = [sys.executable, str(PROBE), "icmp", str(net.gateway), str(PINGS)]
        pinging = net.popen(command, stdout=subprocess.PIPE, text=True)
        assert pinging.stdout is not None
        assert pinging.stdout.readline() == "begun\n"
        os.kill(net.pid, signal.SIGSTOP)
        time.sleep(STOP_S)
        os.kill(net.pid, signal.SIGCONT)
        told, _ = pinging.communicate(timeout=LIMIT_S)
    rtts = json.loads(told)
    assert len(rtts) == PINGS
    assert sum(rtt > STOP_S - 1 for rtt in rtts) == 1
    lateness = net.record.lateness_s
    assert (lateness.max or 0) > STOP_S - 1
    for way in (net.record.down, net.record.up):
        assert way.entered.packets == way.left.packets + way.dropped.total + way.queued.packets


@pytest.mark.parametrize("stop_s", [0.2, 1])
def test_what_waited_through_a_stop_counts_as_late(stop_s):
    """The wait of packets that arrived during a pause counts as lateness."""
    with tp.emulate("link") as net:
        words = ["flood", str(net.gateway), "9", "5000", "0.0005"]
        flooding = net.popen(
            [sys.executable, str(PROBE), *words], stdout=subprocess.PIPE, text=True
        )
        assert flooding.stdout is not None
        assert flooding.stdout.readline() == "begun\n"
        os.kill(net.pid, signal.SIGSTOP)
        time.sleep(stop_s)
        os.kill(net.pid, signal.SIGCONT)
        flooding.communicate(timeout=LIMIT_S)
    lateness = net.record.lateness_s
    assert not lateness.within_bound
    assert (lateness.p99 or 0) > 0.5 * stop_s


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_command_and_emulator_and_leaves_nothing(tmp_path, number):
    before = devices()
    running, record = tmp_path / "running", tmp_path / "record.json"
    script = f"sleep 1000 & echo $! > {running}; wait"
    emulator = start("link", f"--record={record}", "--", "sh", "-c", script)
    child = int(wait_for(running))
    assert devices() - before == {f"tp-{emulator.pid}"}
    emulator.send_signal(number)
    _, said = emulator.communicate(timeout=LIMIT_S)
    assert emulator.returncode == 128 + number, said
    assert json.loads(record.read_text(encoding="utf-8"))["left_behind"] == 1
    assert devices() == before
    assert not is_running(child)


def test_ctrl_c_is_the_commands_business(tmp_path):
    running = tmp_path / "running"
    script = f"trap 'exit 7' INT; echo > {running}; while :; do sleep 0.1; done"
    emulator = start("link", "--", "sh", "-c", script, start_new_session=True)
    wait_for(running)
    os.killpg(emulator.pid, signal.SIGINT)
    _, said = emulator.communicate(timeout=LIMIT_S)
    assert emulator.returncode == 7, said
    assert f"tp-{emulator.pid}" not in devices()


def test_a_crashed_command_is_told_by_its_signal():
    before = devices()
    emulator = start("link", "--", sys.executable, "-c", "import os; os.abort()")
    emulator.communicate(timeout=LIMIT_S)
    assert emulator.returncode == 128 + signal.SIGABRT
    assert devices() == before


def test_a_killed_emulator_takes_link_and_command_with_it(tmp_path):
    before = devices()
    running = tmp_path / "running"
    emulator = start("link", "--", "sh", "-c", f"echo $$ > {running}; exec sleep 1000")
    command = int(wait_for(running))
    emulator.kill()
    emulator.communicate(timeout=LIMIT_S)
    until(lambda: not is_running(command))
    until(lambda: devices() == before)


def test_a_device_with_another_name_is_counted_all_the_same():
    rename = "ip link set thin0 down && ip link set thin0 name other"
    emulator = start("link", "--", "sh", "-c", rename)
    _, said = emulator.communicate(timeout=LIMIT_S)
    assert emulator.returncode == 0, said


def test_a_typo_is_one_line():
    emulator = start("umts-348", "--", "true")
    _, said = emulator.communicate(timeout=LIMIT_S)
    assert emulator.returncode == 2
    assert len(said.splitlines()) == 1
    assert "umts-384" in said


LAST = 20_000
"""Payload of a program that sends, closes and exits."""

SENDER = "import os, socket; it = socket.create_connection((os.environ['THINPIPE_GATEWAY'], {})); "
SENDER += f"it.sendall(bytes({LAST})); it.close()"


SLOWLY = [f"--set={key}={value}" for key, value in (LINK | {"link.delay": "200 ms"}).items()]


def queued(record: Path) -> int:
    told = EmulationRecord.from_json(record.read_text(encoding="utf-8"))
    return sum(way.queued.packets for way in (told.down, told.up))


def test_what_is_under_way_when_the_command_ends_arrives(tmp_path):
    record = tmp_path / "record.json"
    with socket.create_server(("", 0)) as server:
        command = [sys.executable, "-c", SENDER.format(server.getsockname()[1])]
        running = start("link", *SLOWLY, f"--record={record}", "--", *command)
        server.settimeout(30)
        connection, _ = server.accept()
        running.communicate(timeout=60)
        with connection:
            connection.settimeout(0)
            pieces = list(iter(lambda: connection.recv(65_536), b""))
    assert sum(map(len, pieces)) == LAST, "and its end"
    assert (running.returncode, queued(record)) == (0, 0)


def test_without_linger_the_link_ends_with_the_command(tmp_path):
    record = tmp_path / "record.json"
    with socket.create_server(("", 0)) as server:
        command = [sys.executable, "-c", SENDER.format(server.getsockname()[1])]
        running = start("link", *SLOWLY, "--linger=0s", f"--record={record}", "--", *command)
        running.communicate(timeout=60)
    assert running.returncode == 0
    assert queued(record) > 0


@pytest.mark.parametrize(
    ("linger", "reason"),
    [("2", "must be a time in "), ("soon", "must be a time in "), ("-1s", "must not be negative")],
)
def test_a_linger_that_is_no_time_is_refused(linger, reason):
    running = start("link", f"--linger={linger}", "--", "true")
    _, said = running.communicate(timeout=60)
    assert running.returncode == 2
    assert said.strip().startswith(f"thinpipe: --linger {linger}: {reason}")
    assert len(said.splitlines()) == 1
