"""LTE compared with ns-3's: blocks that do not err, one mobile and ten."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import thinpipe as tp

from tests.ns3 import MISSING, compiled

PROGRAM = Path(__file__).with_name("ns3_lte.cc")
MODULES = (
    "lte",
    "applications",
    "internet-apps",
    "internet",
    "point-to-point",
    "mobility",
    "spectrum",
    "propagation",
    "network",
    "core",
)

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"needs {' '.join(MISSING)}")

GOODPUT = 0.05
ROUND_TRIP = 0.10
"""How far ours may be from theirs, as a share of it."""

UPLINK = {"request_period": "1 ms"}
"""ns-3's mobiles report what waits in every subframe, without a request."""

BLOCKS = 24
"""Of 25, ns-3's schedulers give whole groups of two (TS 36.213 table 7.1.6.1-1)."""


@pytest.fixture(scope="module")
def ns3(tmp_path_factory):
    """Compile the program."""
    return compiled(PROGRAM, tmp_path_factory.mktemp("ns3"), *MODULES)


@dataclass(frozen=True)
class Theirs:
    """What ns-3 says of a run."""

    goodput_bps: float
    rtt_ms: float
    scheme: int
    errors: float


def theirs(program: Path, ues: int, noise_db: int, *, pings: bool) -> Theirs:
    """Run ns-3: the noise decides which scheme of modulation and coding its cell chooses."""
    arguments = {"ues": ues, "noise": noise_db, "pings": int(pings), "duration": "5"}
    command = [str(program), *(f"--{key}={value}" for key, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    goodput, rtt, scheme, errors = map(float, done.stdout.split())
    return Theirs(goodput, rtt, int(scheme), errors)


def ours(ues: int, scheme: int, *, pings: bool) -> tp.Result:
    """Run the same here: datagrams for more than the cell carries, or keystrokes and echoes."""
    load = {"application": "udp", "udp": {"payload": "1000 B", "rate": f"{40 // ues} Mbit/s"}}
    typing = {"application": "telnet", "telnet": {"interval": "101 ms"}}
    cell = {"category": "1", "resource_blocks": BLOCKS, **UPLINK}
    way = {"snr": "20 dB", "mcs": scheme, "bler": "0 %"}
    scenario = {
        "duration": "10 s",
        "tcp": {"profile": "modern"},
        "flow": {
            "count": ues,
            "hosts": "shared",
            "bytes": "unlimited",
            **(typing if pings else load),
        },
        "wired": [{"name": "core", "between": ["host", "eNB"], "delay": "15 ms"}],
        "queue": {"packets": "unlimited", "bytes": "100 kB"},
        "radio": {"kind": "lte", "ues": ues, "lte": cell, "downlink": way, "uplink": way},
    }
    return tp.run(scenario).result


@pytest.mark.parametrize("ues", [1, 10])
@pytest.mark.parametrize("noise_db", [46, 50, 56])
def test_goodput(ns3, ues, noise_db):
    reference = theirs(ns3, ues, noise_db, pings=False)
    assert reference.errors == 0
    flows = ours(ues, reference.scheme, pings=False).flows
    goodput = sum(flow.goodput_bps or 0.0 for flow in flows)
    assert goodput == pytest.approx(reference.goodput_bps, rel=GOODPUT)


@pytest.mark.parametrize("ues", [1, 10])
def test_round_trips(ns3, ues):
    reference = theirs(ns3, ues, 50, pings=True)
    flows = ours(ues, reference.scheme, pings=True).flows
    medians = sorted((flow.echo_s.p50 or 0.0) if flow.echo_s else 0.0 for flow in flows)
    assert 1000 * medians[len(medians) // 2] == pytest.approx(reference.rtt_ms, rel=ROUND_TRIP)
