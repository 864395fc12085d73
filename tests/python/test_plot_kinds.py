"""The one list of kinds of plots agrees with the methods, the command line and the page."""

import inspect

import pytest
from thinpipe.plot.kinds import KINDS, SHARING, taking
from thinpipe.plot.plots import Plots
from thinpipe.suggestion import either

COMMON = {"self", "ax", "start_s", "end_s"}


def parameters(method):
    return [*inspect.signature(getattr(Plots, method)).parameters]


def test_kinds_are_the_methods():
    methods = [name for name in dir(Plots) if not name.startswith("_")]
    assert sorted(kind.method for kind in KINDS.values()) == methods


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_options_are_those_of_the_method(kind):
    label = {"label"} if kind.shares else set()
    flow = {"flow"} if kind.takes_flow else set()
    assert set(parameters(kind.method)) == COMMON | label | flow | set(kind.options)


def test_a_call_draws_the_default():
    assert Plots.__call__ is Plots.overview
    assert next(iter(KINDS)) == "overview"


def test_page_lists_the_kinds(root):
    text = (root / "docs" / "plots.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows[1:] == [
        f"| `{kind.name}` | `{kind.method}` | {kind.shows} | {kind.needs or '–'} "
        f"| {'yes' if kind.shares else '–'} |"
        for kind in KINDS.values()
    ]


def test_help_lists_the_kinds(thinpipe):
    lines = thinpipe("plot", "--help").stdout.splitlines()
    for name, kind in KINDS.items():
        assert len(kind.shows) <= 60
        mark = "+" if kind.shares else " "
        assert f"    {name:<13} {mark} {kind.shows}" in lines


def test_kinds_are_named_as_a_choice():
    assert either(["a"]) == "a"
    assert either(("a", "b", "c")) == "a, b or c"
    assert taking("modulo") == ["packets"]
    assert set(SHARING) <= set(KINDS)
