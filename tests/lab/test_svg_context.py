"""The context that writes SVG has all that the lab's pictures ask of a canvas."""

import re

import pytest

PAGE = "python/thinpipe/lab/page"
DRAWING = ["layers.js", "figure.js", "tips.js", "exporting.js"]


@pytest.fixture
def context(root):
    return (root / PAGE / "svg.js").read_text()


@pytest.mark.parametrize("name", DRAWING)
def test_it_has_what_is_drawn_with(root, context, name):
    text = (root / PAGE / name).read_text()
    called = set(re.findall(r"\bcontext\.(\w+)\(", text))
    assigned = set(re.findall(r"\bcontext\.(\w+) [*+-]?= ", text))
    methods = set(re.findall(r"^  (\w+)\(.*\) \{", context, re.MULTILINE)) | {"toString"}
    assert called
    assert called <= methods
    assert assigned <= set(re.findall(r"\b(\w+):", context))
