"""The kernel's TCP through the emulator behaves as ours in the simulator."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow
"""What it compares are times: a busy machine has its own."""


@pytest.fixture(scope="module")
def findings(emulation, tmp_path_factory):  # noqa: ARG001 - there is one by then
    """Compare all set-ups: the emulated runs are parallel, in their own networks."""
    out = tmp_path_factory.mktemp("emulation") / "out"
    command = ["-m", "thinpipe", "reproduce", "emulation", "--json", "--out", str(out)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    [made] = json.loads(done.stdout)["papers"]
    return {fact["id"]: fact for fact in made["facts"]}


@pytest.mark.parametrize("control", ["reno", "cubic"])
@pytest.mark.parametrize(
    "setup",
    [
        "umts-384",
        "umts-384-lossy",
        "gprs-live-40",
        "leo-calm",
        "lte-cat1",
        "lte-cat4",
        "nb-iot",
        "trace",
        "short-queue",
        "one-in-500",
        "one-in-100",
    ],
)
def test_throughput_and_round_trip_time_agree(findings, setup, control):
    found = {
        name: findings[f"{setup}-{control}-{name}"] for name in ("throughput", "rtt", "lateness")
    }
    assert min(found["lateness"]["values"]) > 0
    verdicts = {fact["verdict"] for fact in found.values()}
    if "not judged" in verdicts:
        pytest.skip("needs a machine that has a processor for the ends in time")
    assert verdicts == {"holds"}


def test_nothing_else_is_claimed(findings):
    assert len(findings) == 66
    assert {fact["expected"] for fact in findings.values()} == {"holds"}
