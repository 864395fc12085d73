"""What tests of more than one room use."""

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


@pytest.fixture
def thinpipe(tmp_path):
    """Run the program in an empty directory and return what it printed and its exit status."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "thinpipe", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@pytest.fixture
def root() -> Path:
    """Return the top of the source tree."""
    return Path(__file__).parent.parent
