"""docs/performance.md says what the tests hold."""

import json
import re

import pytest

ROW = re.compile(r"^\| ([\w, -]+) \| ([\d,]+) \| ([\d.]+) \| .* \|$", re.M)


def test_counts_are_those_of_the_tree(root):
    page = (root / "docs/performance.md").read_text(encoding="utf-8")
    counts = page[page.index("## Counts") : page.index("## Times")]
    listed = {name: (said, misses) for name, said, misses in ROW.findall(counts)}
    figures = json.loads((root / "tests/costs/figures.json").read_text(encoding="utf-8"))
    works = figures["release"]["works"]
    assert listed.keys() == works.keys()
    for name, (said, misses) in listed.items():
        # Three digits, and one decimal.
        assert int(said.replace(",", "")) == pytest.approx(works[name]["instructions"], rel=0.005)
        assert float(misses) == pytest.approx(works[name]["l2_misses"], abs=0.051)
