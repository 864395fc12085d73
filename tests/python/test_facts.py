"""Facts, bands and verdicts."""

import math
from pathlib import Path

import pytest
from thinpipe.papers import papers
from thinpipe.papers.facts import Fact, Finding, Verdict, load

HEAD = 'id = "x"\nitem = "i"\nsays = "s"\nwhere = "w"\nunit = "u"\n'


def fact(tmp_path: Path, text: str) -> Fact:
    file = tmp_path / "facts.toml"
    file.write_text(f"[[fact]]\n{HEAD}{text}")
    return load(file, {})[0]


@pytest.mark.parametrize(
    ("text", "values", "verdict"),
    [
        ("value = 96.0\ntolerance = 1.5\nclaim = true", (94.0, 98.0), Verdict.HOLDS),
        ("value = 96.0\ntolerance = 1.5\nclaim = true", (94.0, 94.9), Verdict.DIFFERS),
        ('value = 96.0\ntolerance = 1.5\nof = "each"\nclaim = true', (94.0, 98.0), Verdict.DIFFERS),
        ("band = [5.0, 5.6]\nclaim = true", (5.0,), Verdict.HOLDS),
        ("band = [1.0, inf]\nclaim = true", (), Verdict.DIFFERS),
        ('band = [1.0, inf]\nof = "each"\nclaim = true', (), Verdict.DIFFERS),
        ("value = 0.12\ntolerance = 0.0\nclaim = true", (0.1 + 0.02,), Verdict.HOLDS),
        ("value = 0.12\ntolerance = 0.0\nclaim = true", (0.1201,), Verdict.DIFFERS),
        ("band = [0.0, 1.0]\nclaim = true", (math.nan,), Verdict.DIFFERS),
        ("value = 430.0\nclaim = false", (1.0,), Verdict.NOT_CLAIMED),
        ("list = [26, 29, 30]\nclaim = true", (26.0, 29.0, 30.0), Verdict.HOLDS),
        ("list = [26, 29, 30]\nclaim = true", (29.0, 26.0, 30.0), Verdict.DIFFERS),
        ("list = [26, 29, 30]\nclaim = true", (26.0, 29.0), Verdict.DIFFERS),
    ],
)
def test_verdict(tmp_path, text, values, verdict):
    assert Finding(fact(tmp_path, text), values).verdict is verdict


def test_draw_that_is_not_claimed_says_where_it_lies(tmp_path):
    found = Finding(fact(tmp_path, "value = 430.0\nclaim = false"), (10.0, 200.0, 600.0))
    assert found.remark() == "2 of our 3 runs lie below it"


def test_derived_number_is_marked_and_is_no_draw(tmp_path):
    stated = fact(tmp_path, "value = 65.0\nclaim = false")
    derived = fact(tmp_path, "value = 65.0\nstated = false\nclaim = false")
    assert (stated.paper(), derived.paper()) == ("65", "65 †")
    assert Finding(derived, (1.0, 2.0)).remark() == ""


def test_list_is_shown_as_a_list(tmp_path):
    found = Finding(fact(tmp_path, "list = [26, 29, 30, 31]\nclaim = true"), (29.0, 31.0))
    assert found.fact.paper() == "26, 29–31"
    assert found.fact.band() == "exactly these"
    assert (found.ours(), found.spread()) == ("29, 31", "")


@pytest.mark.parametrize(
    ("claim", "value", "surprising"),
    [
        ("true", 1.0, False),
        ("true", 2.0, True),
        ('"differs"\nnote = "why"', 1.0, True),
        ('"differs"\nnote = "why"', 2.0, False),
        ("false", 2.0, False),
    ],
)
def test_surprise_is_another_verdict_than_the_one_expected(tmp_path, claim, value, surprising):
    judged = fact(tmp_path, f"value = 1.0\ntolerance = 0.0\nclaim = {claim}")
    assert Finding(judged, (value,)).surprising is surprising


def test_computed_value_is_derived(tmp_path):
    file = tmp_path / "facts.toml"
    file.write_text(f'[[fact]]\n{HEAD}value = "computed"\ntolerance = 0.0\nclaim = true')
    assert load(file, {"x": 40.0})[0].paper() == "40 †"
    for other in ({}, {"x": 40.0, "y": 1.0}):
        with pytest.raises(ValueError, match="computed"):
            load(file, other)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("claim = true", "needs a tolerance or a band"),
        ('value = 1.0\ntolerance = 0.0\nclaim = "differs"', "needs a note"),
        ("claim = false\ncolour = 3", "unknown fields"),
        (
            'claim = false\n[[fact]]\nid="x"\nitem="i"\nsays=""\nwhere=""\nunit=""\nclaim=false',
            "share",
        ),
    ],
)
def test_malformed_facts_are_refused(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        fact(tmp_path, text)


@pytest.mark.parametrize("paper", papers().values(), ids=papers().keys())
def test_every_fact_is_measured_and_belongs_to_an_item(paper):
    assert {each.id for each in paper.facts} == set(paper.measures)
    assert {each.item for each in paper.facts} <= {item.id for item in paper.items}
