"""Runs match their digests bit for bit; `scripts/digests.py --write` updates the list."""

import runpy
from pathlib import Path

import pytest

DIGESTS = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "digests.py"))
LISTED = DIGESTS["LIST"].read_text(encoding="utf-8").splitlines()
CASES = list(DIGESTS["cases"]())


def further_seeds_are_slow(point):
    further = {"2", "3"} & {value for key, value in point.settings if key == "seed"}
    marks = [pytest.mark.slow] if further else []
    return pytest.param(point, id=f"{point.scenario.name} {point.label()}", marks=marks)


@pytest.mark.parametrize("point", [further_seeds_are_slow(point) for point in CASES])
def test_a_run_leaves_what_is_listed(point):
    if DIGESTS["digest"](point) not in LISTED:
        items = " ".join(DIGESTS["readers"](point.scenario.name))
        pytest.fail(f"the run moved; facts that read it: thinpipe reproduce {items}")


def test_facts_that_read_a_scenario_are_named():
    assert "chakravorty2003/figure-1" in DIGESTS["readers"]("gprs-3+1")
    assert DIGESTS["readers"]("no-such-scenario") == []


def test_each_case_is_listed_once():
    named = [f"{point.scenario.name} {point.label()}" for point in CASES]
    assert [line[34:] for line in LISTED] == named
