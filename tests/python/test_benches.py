"""The benches that `make bench` calls are there, and the one beside ns-2 is fair."""

import re
import shutil
from dataclasses import replace

import pytest

from benches import bench

NS2 = shutil.which("ns")


def test_make_bench_calls_benches_that_exist(root):
    called = [
        name
        for script in sorted((root / "benches").glob("*.py"))
        for name in re.findall(
            r'"--package", "(\S+?)", "--bench", "(\S+?)"', script.read_text(encoding="utf-8")
        )
    ]
    assert len(called) >= 2
    for package, name in called:
        assert package == "benches"
        assert (root / "benches" / f"{name}.rs").is_file(), name


@pytest.mark.skipif(NS2 is None, reason="needs ns2")
@pytest.mark.parametrize(
    ("work", "duration_s"), [*zip(bench.WORKS, (300, 10), strict=True)], ids=["1 flow", "100 flows"]
)
def test_ns2_does_the_same_work(work, duration_s):
    assert NS2 is not None
    short = replace(work, duration_s=duration_s)
    (_, ours), (_, theirs) = bench._ours(short), bench._ns2(NS2, short)
    bench.check_same_work(short, ours, theirs)
    [megabits] = re.findall(r"(\d+)(?:Mb|kb)", work.rate)
    bits = int(megabits) * (1e6 if work.rate.endswith("Mb") else 1e3) * duration_s
    assert theirs * 8 * (bench.MSS + HEADERS) <= bits


HEADERS = 40
"""Of IPv4 and TCP, in bytes."""


def test_ns2_is_lean(root):
    """With all headers on it would spend half of its time on them."""
    lines = (root / "benches" / "ns2.tcl").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    assert commands[:2] == ["remove-all-packet-headers", "add-packet-header IP TCP Flags"]


@pytest.mark.parametrize(("theirs", "same"), [(1_000, True), (1_010, True), (1_011, False)])
def test_other_work_is_no_yardstick(theirs, same):
    work = bench.WORKS[0]
    if same:
        bench.check_same_work(work, 1_000, theirs)
        return
    with pytest.raises(SystemExit, match=r"ns-2 delivered 1,011 segments and thinpipe 1,000"):
        bench.check_same_work(work, 1_000, theirs)
