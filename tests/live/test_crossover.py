"""The example that has BBR beside CUBIC, simulated and by the kernel's ends."""

import runpy
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from thinpipe.testbed import missing

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")

pytestmark = pytest.mark.slow


@pytest.fixture
def crossover(root):
    if (reason := missing()) is not None:
        pytest.skip(reason)
    if shutil.which("iperf3") is None:
        pytest.skip("needs iperf3")
    if "bbr" not in AVAILABLE.read_text(encoding="ascii").split():
        pytest.skip("needs a kernel with BBR")
    return SimpleNamespace(**runpy.run_path(str(root / "examples" / "crossover.py")))


def test_both_fill_the_link_and_bbr_takes_more_of_a_short_queue(crossover):
    packets = round(crossover.BDP_PACKETS / 2)
    emulated, _ = crossover.emulated(packets, 1, 15)
    assert 0.5 < emulated < 1
    assert 0.5 < crossover.simulated(packets, 1, 15) < 1
