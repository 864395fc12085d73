"""The criteria of RFC 9743, the files that measure them, and harm."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.evaluation.criteria import CRITERIA, criteria
from thinpipe.evaluation.evaluate import Evaluation, evaluate
from thinpipe.evaluation.harm import harm
from thinpipe.evaluation.trials import Contestant, Form, Trials, figure, removes

ABOVE = st.floats(min_value=1e-3, max_value=1e9)


def test_every_criterion_has_runs_or_a_reason():
    read = criteria()
    assert {each.section for each in read} == set(CRITERIA)
    assert all(each.reason or (each.pipes and each.measures and each.read) for each in read)
    places = [(each.section, each.title) for each in read]
    assert len(set(places)) == len(places)


def test_only_what_no_run_shows_has_a_reason():
    read = criteria()
    measured = {each.section for each in read if each.pipes}
    assert set(CRITERIA) - measured == {"5.3.1", "5.3.2", "7.10"}


def test_files_are_named_by_their_section_and_stand_in_its_order():
    read = criteria()
    assert all(each.file.startswith(f"{each.section}-") for each in read)
    assert list(dict.fromkeys(each.section for each in read)) == list(CRITERIA)


def test_wired_radio_and_satellite_pipes_are_there():
    """A bearer of each kind has a criterion, and its scenario says which kind it is."""
    pipes = [pipe for each in criteria() for pipe in each.pipes]
    kinds = {pipe.scenario.to_dict().get("radio", {}).get("kind") for pipe in pipes}
    assert {"umts-dch", "umts-hs", "gprs", "lte", "nr", "nb-iot", "leo", "geo", None} <= kinds
    assert "wlan-11b-fringe" in {pipe.scenario.name for pipe in pipes}


@pytest.mark.parametrize("is_full", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_all_combinations_are_valid(is_full):
    """Also of a congestion control that needs keys of its own."""
    contestants = [Contestant.of(name) for name in ("prague", "reno")]
    trials = Trials.of(criteria(), contestants, Form((1, 2), is_full=is_full))
    first = 0
    for trial in trials.all:
        assert trial.first == first
        first += len(trial.plan)
    assert first == len(trials)


def test_the_file_in_the_documentation_works(root, tmp_path):
    page = (root / "docs" / "evaluate.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    (tmp_path / "5.1.2-mine.toml").write_text(text, encoding="utf-8")
    [mine] = criteria(tmp_path)
    assert (mine.title, mine.is_drawn) == ("Bufferbloat in my modem", True)
    for is_full, depths in ((False, 2), (True, 5)):
        trials = Trials.of([mine], [Contestant.of("reno")], Form((1,), is_full=is_full))
        assert len(trials) == depths * len(mine.pipes)


@pytest.mark.slow
def test_every_measure_is_measured(tmp_path):
    """A name that no run has would be a column of dashes."""
    asked = Evaluation.of(criteria(), [Contestant.of("cubic")], Form((1,), is_full=False))
    lines = [
        (each.criterion.file, line)
        for each in evaluate(asked, tmp_path / "e")
        for line in each.lines
    ]
    empty = [
        (file, line.pipe, line.measure.name)
        for file, line in lines
        if all(value is None for values in line.values.values() for value in values)
    ]
    assert len(lines) > 200
    assert empty == []


def test_harm_needs_runs_without_the_others():
    """Where the controller's flow goes, they do not depend on it, and run once."""
    [standard] = [each for each in criteria() if each.file == "5.2.1-standard.toml"]
    contestants = [Contestant.of(name) for name in ("vegas", "reno", "cubic")]
    form = Form((1,), is_full=False)
    alone = [each for each in Trials.of([standard], contestants, form).all if each.without]
    assert [each.contestant for each in alone] == [None]
    [short] = [each for each in criteria() if each.file == "5.1.5-short-flows.toml"]
    alone = [each for each in Trials.of([short], contestants, form).all if each.without]
    assert len(alone) == 2 * len(contestants)


def test_an_evaluation_again_runs_nothing(tmp_path, monkeypatch):
    [feedback] = [each for each in criteria() if each.file == "5.2-feedback.toml"]
    asked = Evaluation.of([feedback], [Contestant.of("reno")], Form((1,), is_full=False))
    first = evaluate(asked, tmp_path / "e")

    def execute(jobs, _):
        assert list(jobs) == []

    monkeypatch.setattr("thinpipe.evaluation.trials.executor", lambda *_: execute)
    assert evaluate(asked, tmp_path / "e") == first


def test_a_group_that_is_alone_has_the_total():
    assert figure({"total.share": 1.0}, "groups.standard.share") == 1.0
    assert figure({"total.share": 1.0, "groups.a.share": 0.25}, "groups.a.share") == 0.25
    assert figure({"groups.a.completion_s.p50": None}, "groups.a.completion_s.p50") is None


def test_flows_stay_unless_their_count_is_zero():
    assert removes([("flow.count", 0)], ["flow.tcp"])
    assert not removes([("flow.count", 1)], ["flow.tcp"])
    assert not removes([("flow.count", 0)], ["flow.tcp", "flow.group.far.tcp"])
    assert not removes([("flow.count", 0)], ["tcp"])


@given(ABOVE, st.sampled_from(["more", "less"]))
def test_no_change_is_no_harm(value, better):
    assert harm(value, value, better) == 0


@given(ABOVE, ABOVE)
def test_what_is_worse_is_harm_of_one_at_most(one, other):
    for found in (harm(one, other, "more"), harm(other, one, "less")):
        assert found is not None
        assert found <= 1
        assert (found > 0) == (other < one)


@given(ABOVE, ABOVE, st.floats(min_value=0.5, max_value=2))
def test_harm_has_no_unit(alone, beside, factor):
    for better in ("more", "less"):
        scaled = harm(factor * alone, factor * beside, better)
        assert scaled == pytest.approx(harm(alone, beside, better), abs=1e-9, rel=1e-6)


def test_everything_lost_is_harm_of_one_and_nothing_to_lose_has_none():
    assert harm(5.0, 0.0, "more") == 1
    assert harm(0.0, 5.0, "less") == 1
    assert harm(0.0, 5.0, "more") is None
    assert harm(5.0, 0.0, "less") is None
