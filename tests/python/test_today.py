"""The study of today's pipes: its facts, and what stays of what was expected."""

import re
from importlib.resources import files

import pytest
from thinpipe.papers.facts import Basis, Verdict
from thinpipe.papers.paper import reproduce
from thinpipe.papers.today import PAPER, all_traffic, autorate, causes, moving_rate, setup
from thinpipe.papers.today.stated import FACTS

KNOWN = ("lte", "nr", "iot", "satellites", "low-orbit", "idle-gap")


def judged(*items):
    chosen = [item for item in PAPER.items if item.id in items]
    return reproduce(PAPER, chosen, wrong_models=True).findings


def test_what_others_measured_is_what_we_have():
    found = judged(*KNOWN)
    assert [each.fact.id for each in found if each.surprising] == []
    assert [each.fact.id for each in found if each.passes_wrong_model] == []
    assert [each.fact.id for each in found if each.verdict is Verdict.DIFFERS] == [
        "nr-down",
        "nr-up",
        "nr-tcp",
        "leo-off-grid",
        "t-mobile-sa-resumed",
    ]


@pytest.mark.slow
def test_hypotheses_and_tcp_at_millimetre_waves_have_the_verdicts_that_are_told():
    found = judged(*(item.id for item in PAPER.items if item.id not in KNOWN))
    assert [each.fact.id for each in found if each.surprising] == []
    assert [each.fact.id for each in found if each.passes_wrong_model] == []


def test_each_band_has_a_wrong_model_or_differs():
    for fact in FACTS:
        assert bool(fact.wrong) == (fact.expected is Verdict.HOLDS), fact.id
    assert {fact.wrong for fact in FACTS if fact.wrong} == PAPER.wrong_models.keys()


def test_a_reason_is_shown_by_a_run_or_not_known():
    for fact in FACTS:
        differs, said = fact.expected is Verdict.DIFFERS, f"{fact.says} {fact.note}"
        if differs or re.search(r"\b(since|because|causes?|reasons?)\b", said):
            told = re.search("not known|Not modelled", fact.note)
            assert fact.shown_by or told, fact.id


def test_runs_without_a_cause_belong_to_the_item_of_their_fact():
    items = {fact.id: fact.item for fact in FACTS}
    assert {name: shown.item for name, shown in causes.SHOWN.items()} == {
        name: items[name] for name in causes.SHOWN
    }


def test_hypotheses_are_our_own_and_numbered_in_order():
    own = [fact for fact in FACTS if fact.where.startswith("H") and fact.where[1:].isdigit()]
    numbers = [int(fact.where[1:]) for fact in own]
    assert numbers == sorted(numbers)
    assert all(fact.basis is Basis.OWN for fact in own)
    text = (files("thinpipe.papers.today") / "hypotheses.toml").read_text(encoding="utf-8")
    assert len(re.findall(r"^id = ", text, re.M)) == len(numbers)


def test_pings_take_less_than_3_percent_of_a_pipe():
    for pipe in setup.PIPES.values():
        packet = setup.PING_BITS + 8 * 28  # headers of UDP and IPv4
        assert packet * 1000 / pipe.ping_ms < 0.03 * 1000 * pipe.rate_kbps, pipe.scenario


def test_a_window_of_atcp_is_a_tenth_more_than_the_pipe_holds():
    settings = dict(setup.aggregating(setup.PIPES["geo-600"]))
    assert settings["middlebox.atcp.clamp"] == "8253000 B"
    assert settings["middlebox.atcp.estimator"] == "static"
    assert dict(setup.aggregating(setup.PIPES["lte-cat1"]))["middlebox.atcp.estimator"] == "radio"


@pytest.mark.parametrize(
    ("at", "ratio"), [(0, 17), (1, 17), (1.5, 8), (2, -1), (2.9, -1), (3.5, 8), (4, 17), (5.5, 8)]
)
def test_the_ratio_falls_within_a_second_and_comes_back(at, ratio):
    assert moving_rate.ratio_db(at) == pytest.approx(ratio)


def test_the_script_of_cake_cuts_upon_late_pings_and_raises_under_load():
    def check(load, pings_s, expect):
        script = autorate.Script(autorate.Shaper("Gi", "ping", 32_000, 200_000, 384_000))
        script.decide(0.0, [0.1] * 4)  # the least is known
        assert script.decide(load, pings_s) == pytest.approx(expect)

    late = 0.1 + 0.025 + 12_000 / 200_000 + 0.001
    check(0.5, [0.1, 0.1, 0.1], 200_000)
    check(0.8, [0.1, 0.1, 0.1], 200_000 * 1.01**3)
    check(0.8, [0.1, 0.1, late], 200_000 * 1.01**3)  # one is chance
    check(0.8, [0.1, late, late], 200_000 * 0.8 * 0.9)
    check(0.1, [late, late], 32_000)  # no less than that
    check(0.8, [], 200_000)  # nothing is known


def test_a_run_knows_nothing_of_steps_to_come():
    point = all_traffic.ahead("adapted", 1)
    shaper = all_traffic.SHAPERS["adapted"]
    short, long = (autorate.steered(point, shaper, seconds) for seconds in (2, 4))
    steps = [dict(each.settings)["wired.Gi.schedule"].removesuffix("]") for each in (short, long)]
    assert steps[0]
    assert steps[1].startswith(steps[0])
