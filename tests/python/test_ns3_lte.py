"""LTE compared with ns-3's: without blocks in error and with a tenth, one mobile and ten."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
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

PINGED_S = 40
"""For how long all mobiles together are pinged: 400 times."""

BLOCKS = 24
"""Of 25, ns-3's schedulers give whole groups of two (TS 36.213 table 7.1.6.1-1)."""


@pytest.fixture(scope="module")
def ns3(tmp_path_factory):
    """Compile the program."""
    return compiled(PROGRAM, tmp_path_factory.mktemp("ns3"), *MODULES)


@dataclass(frozen=True)
class Radio:
    """What decides which schemes ns-3 chooses, and how many of their blocks err."""

    noise_db: float
    ber: float = 0.0
    """Of bits, for which it chooses; 0 is its default, a tenth of blocks shorter than these."""


CLEAN = [Radio(46), Radio(50), Radio(56)]

ERRING = Radio(51.92, 0.02)
"""A tenth of its blocks, of scheme 14, err when they are sent for the first time."""


@dataclass(frozen=True)
class Theirs:
    """What ns-3 says of a run."""

    goodput_bps: float
    rtt_ms: float
    late_rtt_ms: float
    """The 95th percentile."""
    scheme: int
    of_scheme: float
    """The share of first transmissions downlink that have it."""
    sent: list[int]
    """Blocks downlink: for the first time, the second, to the fourth."""
    errors: list[int]
    """Of each, those in error."""
    uplink_errors: float

    @property
    def bler(self) -> float:
        """The share of first transmissions in error."""
        return self.errors[0] / self.sent[0]

    def check(self, radio: Radio) -> None:
        """Assert what both cells have in common."""
        assert (self.of_scheme, self.uplink_errors) == (1, 0)
        assert not any(self.errors[1:])
        if radio == ERRING:
            assert self.bler == pytest.approx(0.1, abs=0.03)
        else:
            assert self.bler == 0


def theirs(program: Path, ues: int, radio: Radio, *, pings: bool) -> Theirs:
    """Run ns-3."""
    arguments = {
        "ues": ues,
        "noise": radio.noise_db,
        "ber": radio.ber,
        "pings": int(pings),
        "duration": 1 + (PINGED_S // ues if pings else 4),
    }
    command = [str(program), *(f"--{key}={value}" for key, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    reference = Theirs(**json.loads(done.stdout))
    reference.check(radio)
    return reference


def ours(ues: int, reference: Theirs, duration: str, application: dict[str, Any]) -> tp.Run:
    """Run the same here."""
    cell = {"category": "1", "resource_blocks": BLOCKS, **UPLINK}
    way = {"snr": "20 dB", "mcs": reference.scheme, "bler": "0 %"}
    scenario = {
        "duration": duration,
        "tcp": {"profile": "modern"},
        "flow": {"count": ues, "hosts": "shared", "bytes": "unlimited", **application},
        "wired": [{"name": "core", "between": ["host", "eNB"], "delay": "15 ms"}],
        "queue": {"packets": "unlimited", "bytes": "100 kB"},
        "radio": {
            "kind": "lte",
            "ues": ues,
            "lte": cell,
            "downlink": {**way, "bler": reference.bler},
            "uplink": way,
        },
    }
    return tp.run(scenario, trace=True)


def check_errors(run: tp.Run, bler: float) -> None:
    """Assert how many blocks downlink err: as many as there, and none that is sent again."""
    down = run.blocks.filter(pl.col("direction") == "down")
    again = pl.col("kind") == "retransmission"
    assert not down.filter(again)["error"].any()
    assert down.filter(~again)["error"].mean() == pytest.approx(bler, abs=0.015)


@pytest.mark.parametrize("ues", [1, 10])
@pytest.mark.parametrize("radio", [*CLEAN, ERRING], ids=str)
def test_goodput(ns3, ues, radio):
    reference = theirs(ns3, ues, radio, pings=False)
    # More than the cell carries.
    datagrams = {"payload": "1000 B", "rate": f"{40 // ues} Mbit/s"}
    run = ours(ues, reference, "10 s", {"application": "udp", "udp": datagrams})
    check_errors(run, reference.bler)
    goodput = sum(flow.goodput_bps or 0.0 for flow in run.result.flows)
    assert goodput == pytest.approx(reference.goodput_bps, rel=GOODPUT)


@pytest.mark.parametrize("ues", [1, 10])
@pytest.mark.parametrize("radio", [CLEAN[1], ERRING], ids=str)
def test_round_trips(ns3, ues, radio):
    reference = theirs(ns3, ues, radio, pings=True)
    # So far apart that hardly a keystroke waits for the echo of the one before (Nagle).
    keystrokes = {"interval": "5 s"}
    run = ours(
        ues, reference, f"{10_000 // ues} s", {"application": "telnet", "telnet": keystrokes}
    )
    check_errors(run, reference.bler)
    echoes_ms = 1000 * run.echoes["echo_s"]
    assert echoes_ms.median() == pytest.approx(reference.rtt_ms, rel=ROUND_TRIP)
    assert echoes_ms.quantile(0.95) == pytest.approx(reference.late_rtt_ms, rel=ROUND_TRIP)
