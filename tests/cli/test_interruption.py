"""Ctrl-C at any moment ends the program quietly."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MOMENTS = 12
COUNTING = """
import atexit, os, pathlib, signal, sys

events = 0

def count(event, arguments):
    global events
    if events or (event, arguments[:1]) == ("import", ("thinpipe._core",)):
        events += 1
        if events == int(os.environ["MOMENT"]):
            signal.raise_signal(signal.SIGINT)

sys.addaudithook(count)
atexit.register(lambda: pathlib.Path("events").write_text(str(events)))
"""
"""Python imports it at its start. It counts what is imported, opened and executed from the compiled
module on, which the package imports second, and interrupts at one of these events."""

STARTS = {
    "script": [str(Path(sys.executable).with_name("thinpipe"))],
    "module": [sys.executable, "-m", "thinpipe"],
    "module, in one word": [sys.executable, "-mthinpipe"],
}


@pytest.fixture(params=STARTS)
def interrupted(request, tmp_path):
    """Start the program, and interrupt it at an event of that number; 0 is never."""
    (tmp_path / "sitecustomize.py").write_text(COUNTING)

    def start(moment: int, *arguments: str, shell: str = "") -> subprocess.CompletedProcess[str]:
        command = ["sh", "-c", f'{shell} exec "$@"', "sh", *STARTS[request.param], *arguments]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "MOMENT": str(moment)},
            capture_output=True,
            text=True,
            check=False,
        )

    return start


RUN = ("run", "umts-dch-384", "--duration", "1s")


def test_interruption_of_the_start_is_quiet(interrupted, tmp_path):
    whole = interrupted(0, *RUN)
    assert (whole.returncode, whole.stderr) == (0, "")
    events = int((tmp_path / "events").read_text())
    assert events > 50 * MOMENTS
    for place in range(MOMENTS):
        moment = 1 + place * events // MOMENTS
        done = interrupted(moment, *RUN)
        # Without a handler the signal itself ends the program: to a shell that is 130 as well.
        assert done.returncode in (-signal.SIGINT, 128 + signal.SIGINT), moment
        assert done.stderr == "", moment


def test_ignored_interruption_stays_ignored(interrupted):
    for moment in (1, 200):
        done = interrupted(moment, *RUN, shell="trap '' INT;")
        assert (done.returncode, done.stderr) == (0, "")
        assert "umts-dch-384, seed 1" in done.stdout


def test_another_program_that_imports_the_package_keeps_its_handler(tmp_path):
    script = tmp_path / "thinpipe.py"
    said = "signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    script.write_text(f"import signal, sys\ndel sys.path[0]\nimport thinpipe\nprint({said})\n")
    command = [sys.executable, str(script), "thinpipe"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
