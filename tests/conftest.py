"""Fixtures for tests of several crates and packages."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import hypothesis
import matplotlib as mpl
import pytest

mpl.use("agg")
# How long an example takes says more about the machine than about the program.
hypothesis.settings.register_profile("thinpipe", deadline=None)
hypothesis.settings.load_profile("thinpipe")

for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    # Under nohup and in the background of a script some are ignored, and would be in all programs
    # that tests start. A handler is not inherited; by this one they are ignored here as before.
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node, ids):
    """Tell `scripts/test.py` how many tests there are, whatever becomes of them."""
    reporter = node.config.pluginmanager.get_plugin("terminalreporter")
    reporter.write_line(f"collected {len(ids)} tests")


@pytest.fixture(scope="session")
def forking():
    """Return a process that starts the program without importing it anew each time."""
    command = [sys.executable, str(Path(__file__).parent / "forked.py")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        yield process


@pytest.fixture
def thinpipe(tmp_path, tmp_path_factory, forking):
    """Run the program in an empty directory and return what it printed and its exit status.

    Or a script in its place; with more variables in the environment.
    """

    def run(
        *arguments: str, script: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        said = tmp_path_factory.mktemp("said")
        streams = [said / "out", said / "err"]
        for stream in streams:
            stream.touch()
        request = {
            "script": script and str(script),
            "arguments": arguments,
            "folder": str(tmp_path),
            "environment": {**os.environ, **environment},
            "streams": [str(stream) for stream in streams],
        }
        forking.stdin.write(json.dumps(request) + "\n")
        forking.stdin.flush()
        status = int(forking.stdout.readline())
        out, err = (stream.read_text(encoding="utf-8") for stream in streams)
        return subprocess.CompletedProcess(arguments, status, out, err)

    return run


@pytest.fixture
def mine(tmp_path) -> Path:
    """Write ``mine.py`` with a congestion control, ``Mine``."""
    file: Path = tmp_path / "mine.py"
    file.write_text(
        "import thinpipe as tp\n"
        "class Mine(tp.CongestionControl):\n"
        "    window = 4096\n"
        "    def on_ack(self, ack): ...\n"
        "    def on_loss(self, loss): ...\n"
    )
    return file


@pytest.fixture
def root() -> Path:
    """Return the top of the source tree."""
    return Path(__file__).parent.parent
