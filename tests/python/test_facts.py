"""Facts, bands and verdicts."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from thinpipe.papers import papers
from thinpipe.papers.counted import counted
from thinpipe.papers.facts import (
    CHOSEN_AFTER,
    WORDS,
    Basis,
    Fact,
    Finding,
    Verdict,
    load,
    tally,
)
from thinpipe.papers.paper import Reproduction, Section, reproduce

HEAD = 'id = "x"\nitem = "i"\nsays = "s"\nwhere = "w"\nunit = "u"\n'


def fact(tmp_path: Path, text: str) -> Fact:
    file = tmp_path / "facts.toml"
    file.write_text(f"[[fact]]\n{HEAD}{text}")
    return load(file, {})[0]


@pytest.mark.parametrize(
    ("text", "values", "verdict"),
    [
        ('value = 96.0\ntolerance = 1.5\nroom = "r"', (94.0, 98.0), Verdict.HOLDS),
        ('value = 96.0\ntolerance = 1.5\nroom = "r"', (94.0, 94.9), Verdict.DIFFERS),
        ('value = 96.0\ntolerance = 1.5\nroom = "r"\nof = "each"', (94.0, 98.0), Verdict.DIFFERS),
        ('band = [5.0, 5.6]\nroom = "r"', (5.0,), Verdict.HOLDS),
        ('band = [1.0, inf]\nroom = "r"', (), Verdict.DIFFERS),
        ('band = [1.0, inf]\nroom = "r"\nof = "each"', (), Verdict.DIFFERS),
        ("value = 0.12\ntolerance = 0.0", (0.1 + 0.02,), Verdict.HOLDS),
        ("value = 0.12\ntolerance = 0.0", (0.1201,), Verdict.DIFFERS),
        ('band = [0.0, 1.0]\nroom = "r"', (math.nan,), Verdict.DIFFERS),
        ('value = 430.0\nbasis = "own"\nclaim = false', (1.0,), Verdict.NOT_CLAIMED),
        ('value = 260\nset_by = "radio.rrc.promotion"', (260.0,), Verdict.NOT_CLAIMED),
        ("list = [26, 29, 30]", (26.0, 29.0, 30.0), Verdict.HOLDS),
        ("list = [26, 29, 30]", (29.0, 26.0, 30.0), Verdict.DIFFERS),
        ("list = [26, 29, 30]", (26.0, 29.0), Verdict.DIFFERS),
    ],
)
def test_verdict(tmp_path, text, values, verdict):
    assert Finding(fact(tmp_path, text), values).verdict is verdict


@pytest.mark.parametrize(
    ("text", "values", "verdict"),
    [
        ("band = [0, 1]", (0.5,), Verdict.NOT_JUDGED),
        ("band = [0, 1]", (2.0,), Verdict.NOT_JUDGED),
        ('band = [0, 1]\ndiffers = "why"', (0.5,), Verdict.NOT_JUDGED),
        ("claim = false", (2.0,), Verdict.NOT_CLAIMED),
        ("band = [0, 1]\nuntimed = true", (0.5,), Verdict.HOLDS),
        ("band = [0, 1]\nuntimed = true", (2.0,), Verdict.DIFFERS),
    ],
)
def test_what_the_machine_was_too_busy_for_is_not_judged(tmp_path, text, values, verdict):
    judged = fact(tmp_path, f'basis = "own"\n{text}')
    found = Finding(judged, values, starved=True)
    assert found.verdict is verdict
    assert found.surprising == (verdict is Verdict.DIFFERS)
    counted = sum(counts.total() for counts in tally([found]).values())
    assert counted == (verdict in {Verdict.HOLDS, Verdict.DIFFERS})


def test_draw_that_differs_says_where_it_lies(tmp_path):
    missed = fact(tmp_path, 'value = 430.0\nword = "about"\ndiffers = "a draw"')
    found = Finding(missed, (10.0, 200.0, 600.0))
    assert found.verdict is Verdict.DIFFERS
    assert found.note() == "2 of our 3 runs lie below it"


def test_number_shows_what_it_rests_on(tmp_path):
    marks = {"": "65", 'basis = "derived"': "65 †", 'basis = "own"': "65 ‡"}
    for basis, shown in marks.items():
        made = fact(tmp_path, f"value = 65.0\ntolerance = 0.05\n{basis}")
        assert made.paper() == shown
        assert Finding(made, (1.0, 2.0)).note() == ""
    words = fact(tmp_path, 'band = [1.0, 2.0]\nroom = "r"')
    assert (words.paper(), words.basis) == ("–", Basis.WORDS)


def test_word_gives_the_band_and_bounds_it(tmp_path):
    about = fact(tmp_path, 'value = 0.5\nword = "about"')
    assert (about.low, about.high) == pytest.approx((0.45, 0.55))
    assert fact(tmp_path, 'word = "single"').band() == "exactly 1"
    tight = fact(tmp_path, 'value = 100.0\ntolerance = 2.0\nword = "about"')
    assert (tight.low, tight.high) == pytest.approx((98.0, 102.0))


def test_paper_s_precision_needs_no_reason(tmp_path):
    for text in ("value = 0.20\ntolerance = 0.005", "value = 96\ntolerance = 0.5"):
        assert fact(tmp_path, text).why() == ""
    assert fact(tmp_path, 'value = 96\nword = "about"').why() == "“about”"
    assert fact(tmp_path, 'value = 96\ntolerance = 1\nroom = "r"').why() == "r"


def test_one_thing_has_no_two_words():
    bad, well = WORDS["major difficulties"], WORDS["copes well"]
    assert bad.high < well.low
    assert WORDS["rarely"].high < WORDS["most"].low


def test_band_with_one_end_is_shown_with_one_end(tmp_path):
    assert fact(tmp_path, 'band = [-inf, 0]\nroom = "r"').band() == "≤ 0"
    assert fact(tmp_path, 'band = [1, inf]\nroom = "r"').band() == "≥ 1"


def test_list_is_shown_as_a_list(tmp_path):
    found = Finding(fact(tmp_path, "list = [26, 29, 30, 31]"), (29.0, 31.0))
    assert found.fact.paper() == "26, 29–31"
    assert found.fact.band() == "exactly these"
    assert (found.ours(), found.spread()) == ("29, 31", "")


@pytest.mark.parametrize(
    ("text", "value", "surprising"),
    [
        ("", 1.0, False),
        ("", 2.0, True),
        ('differs = "why"', 1.0, True),
        ('differs = "why"', 2.0, False),
        ('basis = "own"\nclaim = false', 2.0, False),
    ],
)
def test_surprise_is_another_verdict_than_the_one_expected(tmp_path, text, value, surprising):
    judged = fact(tmp_path, f"value = 1.0\ntolerance = 0.0\n{text}")
    assert Finding(judged, (value,)).surprising is surprising


def test_what_was_chosen_after_counts_apart(tmp_path):
    plain, after = (
        fact(tmp_path, 'band = [0, 1]\nroom = "r"'),
        fact(tmp_path, 'band = [0, 1]\nroom = "r"\nchosen_after = true'),
    )
    own = fact(tmp_path, 'band = [0, 1]\nbasis = "own"')
    shown = fact(tmp_path, 'basis = "own"\nclaim = false')
    found = [Finding(each, (0.5,)) for each in (plain, after, own, shown)]
    found += [Finding(each, (2.0,)) for each in (plain, after)]
    counts = tally(found)
    assert counts[Basis.WORDS] == {"holds": 1, CHOSEN_AFTER: 1, "differs": 2}
    assert counts[Basis.OWN] == {"holds": 1}
    assert [each.verdict_text() for each in found[:2]] == ["holds", "holds §"]


def test_computed_value_is_derived(tmp_path):
    file = tmp_path / "facts.toml"
    file.write_text(f'[[fact]]\n{HEAD}value = "computed"\ntolerance = 0.0')
    assert load(file, {"x": 40.0})[0].paper() == "40 †"
    for other in ({}, {"x": 40.0, "y": 1.0}):
        with pytest.raises(ValueError, match="computed"):
            load(file, other)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs a tolerance, a band, a word or a list"),
        ("value = 1.0\ntolerance = 0.0\nclaim = false", "in a second way"),
        ('value = 1.0\nword = "about"\ntolerance = 0.2', "wider than its word"),
        ('value = 1.0\nword = "a few"\nband = [0, 5]', "wider than its word"),
        ('basis = "own"\nclaim = false\ncolour = 3', "unknown fields"),
        ("value = 0.20\ntolerance = 0.01", "or says why"),
        ("band = [0, 1]", "or says why"),
        (
            'word="rarely"\n[[fact]]\nid="x"\nitem="i"\nsays=""\nwhere=""\nunit=""\nword="rarely"',
            "share",
        ),
        (
            'basis = "own"\nclaim = false\n'
            '[[fact]]\nid="y"\nitem="i"\nsays=""\nwhere=""\nunit=""\nreading_of="x"',
            "is not claimed",
        ),
        ('word = "rarely"\nshown_by = ["z"]', "'z' is not claimed in its item"),
        (
            'word="rarely"\nshown_by = ["y"]\n'
            '[[fact]]\nid="y"\nitem="another"\nsays=""\nwhere=""\nunit=""\nword="rarely"',
            "'y' is not claimed in its item",
        ),
        (
            'word="rarely"\nshown_by = ["y"]\n'
            '[[fact]]\nid="y"\nitem="i"\nsays=""\nwhere=""\nunit=""\nset_by="tcp.mss"',
            "'y' is not claimed in its item",
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


@pytest.mark.parametrize("paper", papers().values(), ids=papers().keys())
def test_a_wrong_model_that_a_fact_names_exists_and_is_named(paper):
    assert {each.wrong for each in paper.facts if each.wrong} == set(paper.wrong_models)


PUBLISHED = {
    name: paper
    for name, paper in papers().items()
    if any(fact.basis is not Basis.OWN for fact in paper.facts)
}
"""Papers of others; emulator and proxy only have facts of our own."""


@pytest.mark.parametrize("paper", PUBLISHED.values(), ids=PUBLISHED.keys())
def test_every_band_has_a_wrong_model(paper):
    bare = [each.id for each in paper.facts if each.expected is Verdict.HOLDS and not each.wrong]
    assert bare == []


@pytest.mark.slow
@pytest.mark.parametrize("paper", PUBLISHED.values(), ids=PUBLISHED.keys())
def test_every_wrong_model_fails(paper):
    made = reproduce(paper, wrong_models=True)
    assert [each.fact.id for each in made.findings if each.passes_wrong_model] == []
    assert [each.fact.id for each in made.findings if each.surprising] == []


def test_what_is_missed_is_told_of_whole_papers_only():
    paper = papers()["yew2012"]
    parts = tuple(
        Section(
            item, tuple(Finding(each, ()) for each in paper.facts if each.item == item.id), None, ()
        )
        for item in paper.items
    )
    assert Reproduction(paper, parts, 0, (), 0.0, 0.0).missed.startswith("Tables II to IV")
    assert Reproduction(paper, parts[1:], 0, (), 0.0, 0.0).missed == ""


TYPED_COUNT = re.compile(
    r"(?<![\d.])\b(two|three|four|five|six|seven|eight|nine|ten|\w+teen|twenty|\d+)\b(?!\.\d)"
    r"( [\w’'-]+){0,2} (facts|claims|cells|marks|rows|throughputs|deviations|mean RTTs|means"
    r"|round-trip times)\b"
)
"""A number typed before what a paper's facts are about."""


@pytest.mark.parametrize("paper", papers().values(), ids=papers().keys())
def test_no_count_of_facts_is_typed(paper):
    texts = (
        *paper.text,
        paper.not_reproduced,
        *(text for each in paper.items for text in each.text),
    )
    assert [found[0] for text in texts for found in TYPED_COUNT.finditer(text)] == []


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("miss eight throughputs of thirteen", True),
        ("none of the four deviations of Table VI.1 is met", True),
        ("59 of 72 marks agree", True),
        ("of their 66 measured cells", True),
        ("every 1.5 round-trip times", False),
        ("{c?-dev} deviations differ", False),
    ],
)
def test_typed_counts_are_known(text, typed):
    assert bool(TYPED_COUNT.search(text)) == typed


def test_counts_are_filled_in(tmp_path):
    some = fact(tmp_path, 'band = [0, 1]\nroom = "r"')
    shown = fact(tmp_path, 'basis = "own"\nclaim = false')
    findings = [
        *(Finding(replace(some, id=f"c{number}"), (value,)) for number, value in enumerate((0, 2))),
        Finding(replace(shown, id="c2"), (2,)),
    ]
    text = counted("{c?} differ, {c0 d*} of these", findings)
    assert text == "one of two differ, none of one of these"
    with pytest.raises(ValueError, match="no fact matches"):
        counted("{d?} differ", findings)
