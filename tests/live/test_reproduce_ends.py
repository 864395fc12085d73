"""Nothing outlives `thinpipe reproduce`, whatever ends it and whenever."""

import operator
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from thinpipe.testbed import Node
from thinpipe.testbed.container import container

pytestmark = pytest.mark.usefixtures("testbed")

LIMIT_S = 300
"""Far above what anything takes, also on a busy machine."""

SIGNALS = {"TERM": signal.SIGTERM, "INT": signal.SIGINT, "KILL": signal.SIGKILL}


def marked(mark):
    """Return the commands of processes with a mark in their environment, in any namespace."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended
            continue
    return found


def handles_signals(process):
    """Return whether a process has a handler for TERM: before, Python itself is not yet up."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    [caught] = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")]
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def wait_until(true):
    end_s = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def check(asked, number, processes, folder):
    """End a reproduction once it has so many processes; nothing of it may be left."""
    mark = f"TEST_MARK_{uuid.uuid4().hex}"
    files = folder / "tmp"
    files.mkdir()
    with Node("machine") as machine:
        # Names of namespaces are files in /run/netns, where other tests have theirs.
        machine.run(["mount", "-t", "tmpfs", "tmpfs", "/run"])
        program = machine.popen(
            [sys.executable, "-m", "thinpipe", "reproduce", asked, "--out", str(folder / "out")],
            env={**os.environ, "MARK": mark, "TMPDIR": str(files)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_until(lambda: program.poll() is not None or handles_signals(program.pid))
        wait_until(lambda: program.poll() is not None or len(marked(mark)) >= processes)
        assert program.poll() is None
        program.send_signal(number)
        program.wait(LIMIT_S)
        wait_until(lambda: not marked(mark))
        assert [each["ifname"] for each in machine.shown("link")] == ["lo"]
        assert "netns" not in machine.run(["ls", "/run"]).stdout
    if number != signal.SIGKILL:
        assert program.returncode == 128 + number
        assert [each.name for each in folder.iterdir()] == ["tmp"]
        assert not [*files.iterdir()]


def test_what_was_killed_leaves_no_process(tmp_path):
    """The emulators stand by then, or the ends of a transfer run."""
    check("emulation/gprs-live-40", signal.SIGKILL, 8, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS.values(), ids=SIGNALS.keys())
@pytest.mark.parametrize(
    ("asked", "processes"),
    [
        *(("emulation", processes) for processes in (1, 2, 3, 10, 20, 40, 55)),
        *(("proxy", processes) for processes in (1, 2, 3, 4, 6, 20, 60, 120, 180)),
        ("lo2005", 1),
    ],
)
def test_nothing_is_left(asked, processes, number, tmp_path):
    check(asked, number, processes, tmp_path)


def test_a_container_gives_results_and_errors():
    tasks: dict[str, Any] = {"called": operator.call, "whole": int}
    with container(tasks) as results:
        assert results.wait("called") is None
        with pytest.raises(TypeError, match="int"):
            results.wait("whole")
