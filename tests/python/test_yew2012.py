"""Yew et al. 2012: exact arithmetic on its tables, and tests of its claims on made-up runs."""

from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from thinpipe.papers import papers
from thinpipe.papers.facts import Finding, Verdict
from thinpipe.papers.outcomes import Keep, Outcome
from thinpipe.papers.paper import reproduce
from thinpipe.papers.yew2012 import PAPER, arithmetic, bands, claims, measuring, setup, simulated
from thinpipe.papers.yew2012.printed import (
    BUFFERS,
    BY_RTT,
    MEAN_X,
    SPACED,
    STANDARD,
    bdp,
    rounded,
)
from thinpipe.papers.yew2012.verdicts import (
    Judgement,
    Told,
    greater,
    less,
    mostly,
    oftener,
    rising,
    rising_each,
    together,
)

ROWS = [
    (f"{name} {key}", row)
    for name, table in (("II", STANDARD), ("III", SPACED), ("IV", BY_RTT))
    for key, row in table.items()
]


def run(*, delay_ms=70.0, kbps=300.0, efficiency=0.99, started_s=0.0, completed_s=None, **more):
    """Return an outcome of which only what is given is known."""
    flow = SimpleNamespace(
        network=SimpleNamespace(
            delay_s=SimpleNamespace(mean=delay_ms / 1e3),
            throughput_bps=kbps * 1e3,
            efficiency=efficiency,
        ),
        started_s=started_s,
        completed_s=completed_s,
        cwnd_segments=SimpleNamespace(mean=3.0),
    )
    links = [
        SimpleNamespace(
            name=name,
            queue_packets=SimpleNamespace(max=queue),
            drops_by_reason=SimpleNamespace(queue=lost),
        )
        for name, queue, lost in (("wan/down", 4, 1), ("wan/up", 9, 5), ("AR1/down", 7, 2))
    ]
    result: Any = SimpleNamespace(flows=(flow,), links=links, duration_s=500.0, seed=1)
    return Outcome(result, {name: pl.DataFrame(table) for name, table in more.items()})


# --- Arithmetic -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[name for name, _ in ROWS])
def test_every_ratio_follows_from_its_row(name, row):
    assert row.ratio_of_row() == row.ratio, name


def test_printed_digits_are_kept():
    assert str(STANDARD[512].delay_ms) == "64.890"
    assert str(STANDARD[256].kbps) == "67.16"
    assert len(ROWS) == 22


@pytest.mark.parametrize(
    ("value", "like", "expect"),
    [("2.5", "1", "3"), ("0.8350049", "0.001", "0.835"), ("24.4140625", "0.000001", "24.414063")],
)
def test_halves_are_rounded_up(value, like, expect):
    assert str(rounded(Decimal(value), Decimal(like))) == expect


def test_buffers_go_by_the_printed_mean():
    assert arithmetic.mean_x() == MEAN_X
    exact = sum((50 / bdp(rtt) for rtt in arithmetic.UPPER), Decimal(0)) / 6
    thousandth = Decimal("0.001")
    off = [rtt for rtt, cell in BUFFERS.items() if rounded(exact * bdp(rtt), thousandth) != cell[1]]
    assert off == [90, 100, 150]


def test_no_rule_rounds_all_twelve():
    assert arithmetic.best_rule() == 11
    printed = {rtt: int(cell[2]) for rtt, cell in BUFFERS.items()}
    assert printed == {**setup.BUFFERS, 150: 62}
    assert setup.BUFFERS[150] == 61


def test_spacing_is_the_round_trip_over_the_window():
    assert arithmetic.spacing(Fraction(1, 10), 4) == Fraction(1, 40)


def test_a_base_rtt_that_stays_behind_is_found():
    delta, base_ms = Decimal(3), Decimal(20)

    def row(rtt_ms):
        window = delta / (1 - base_ms / rtt_ms)
        kbps = window * 512 * 8 / Decimal(rtt_ms)
        return SimpleNamespace(
            delay_ms=Decimal(rtt_ms) / 2, in_flight=lambda packet: kbps * rtt_ms / (8 * packet)
        )

    held = arithmetic.Held.of(*(row(rtt_ms) for rtt_ms in (80, 160)))
    assert float(held.base_ms) == pytest.approx(20)
    assert float(held.delta) == pytest.approx(3)
    assert float(held.missed(row(120))) == pytest.approx(0, abs=1e-12)


def test_what_needs_no_run_has_the_expected_verdicts():
    items = [item for item in PAPER.items if item.id in ("arithmetic", "own-numbers")]
    made = reproduce(PAPER, items)
    assert made.runs == 0
    assert [finding.fact.id for finding in made.findings if finding.surprising] == []
    assert made.count(Verdict.HOLDS) >= 14
    misprint = next(each for each in made.findings if each.fact.id == "table-6-last")
    assert misprint.verdict is Verdict.DIFFERS
    assert misprint.values == (61.0,)


# --- Verdicts -------------------------------------------------------------------------------------

TEN = tuple(range(1, 11))


@pytest.mark.parametrize(
    ("more", "fewer", "told"),
    [
        (tuple(value + 1 + value / 100 for value in TEN), TEN, Told.HOLDS),
        (TEN, tuple(value + 1 + value / 100 for value in TEN), Told.FAILS),
        (TEN, TEN, Told.FAILS),
        ((2, 1, 4, 3), (1, 2.1, 3.2, 4.3), Told.OPEN),
        ((2, 3), (1, 1), Told.OPEN),
    ],
)
def test_pairs(more, fewer, told):
    assert greater(more, fewer).told is told
    assert less(fewer, more).told is told


def test_an_effect_is_that_of_the_first():
    assert "−2 in the median, −50 %" in less((2, 2, 2), (4, 4.5, 3.5)).effect


def test_ranks():
    assert rising({64: (1, 2, 3), 128: (2, 3, 4), 256: (5, 6, 4)}).told is Told.HOLDS
    assert rising({64: (5, 6, 4), 128: (2, 3, 4), 256: (1, 2, 3)}).told is Told.FAILS
    assert rising({64: (5, 5), 128: (5, 5)}).told is Told.FAILS
    grows = {size: [size * seed for seed in TEN] for size in (64, 128, 256)}
    assert rising_each(grows).told is Told.HOLDS
    assert rising_each(dict.fromkeys((64, 128), TEN)).seeds == 10


def test_shares():
    assert mostly([True] * 9 + [False]).told is Told.HOLDS
    assert mostly([False] * 9 + [True]).told is Told.FAILS
    assert mostly([True] * 6 + [False] * 4).told is Told.OPEN
    assert oftener([True] * 10, [False] * 10).told is Told.HOLDS
    assert oftener([False] * 10, [True] * 10).told is Told.FAILS
    assert oftener([True] * 5 + [False] * 5, [True, False] * 5).told is Told.OPEN


@pytest.mark.parametrize(
    ("judged", "told"),
    [
        ([(Told.HOLDS, 0.001), (Told.HOLDS, 0.02)], Told.HOLDS),
        ([(Told.HOLDS, 0.04), (Told.HOLDS, 0.04)], Told.OPEN),
        ([(Told.HOLDS, 0.001), (Told.OPEN, 0.3)], Told.OPEN),
        ([(Told.HOLDS, 0.001), (Told.FAILS, 0.99)], Told.FAILS),
    ],
)
def test_a_claim_holds_where_all_its_tests_say_so(judged, told):
    assert together([Judgement(each, p, 10, "") for each, p in judged]) is told


def test_a_verdict_is_one_line():
    assert Judgement(Told.OPEN, 0.25, 10, "x").line() == "cannot be told (p = 0.250, 10 seeds; x)"
    assert Judgement(Told.HOLDS, 0.0001, 9, "y").line() == "holds (p < 0.001, 9 seeds; y)"


# --- Metrics --------------------------------------------------------------------------------------


def test_metrics_of_a_run():
    found = run(delay_ms=60, kbps=240, efficiency=0.995)
    values = (measuring.delay_ms, measuring.kbps, measuring.efficiency, measuring.ratio)
    assert [value(found) for value in values] == pytest.approx([60, 240, 99.5, 0.25])
    assert measuring.ratio(run(kbps=0.0)) == np.inf
    assert [measuring.is_upper(run(kbps=kbps)) for kbps in (499.9, 500)] == [False, True]
    assert measuring.largest_queue(found) == 7
    assert measuring.dropped(found) == 3


def test_transfers_that_do_not_end_take_the_rest_of_the_run():
    assert measuring.completion_s(run(started_s=40.0, completed_s=43.5)) == 3.5
    assert measuring.completion_s(run(started_s=40.0)) == 460


def test_base_rtt_and_what_it_should_be():
    found = run(
        base_rtt={"time_s": [1.0, 2.0, 3.0], "flow": [0, 1, 0], "base_rtt_s": [0.02, 1.0, 0.01]},
        rtt={
            "time_s": [1.0, 260.0, 270.0, 280.0],
            "flow": [0, 0, 0, 1],
            "rtt_s": [0.01, 0.13, 0.12, 0.001],
            "offset": [512, 2048, 1024, 9999],
        },
    )
    assert measuring.base_rtt_ms(found) == pytest.approx(10)
    assert measuring.least_rtt_ms(found) == pytest.approx(120)
    time_s, each, whole = measuring.throughput_course(found, 250.0)
    assert list(time_s) == [250, 500]
    assert each == pytest.approx([512 * 8 / 250e3, 1536 * 8 / 250e3])
    assert whole == pytest.approx([512 * 8 / 250e3, 2048 * 8 / 500e3])


# --- Claims on made-up runs -----------------------------------------------------------------------


def made_up(value):
    """Return a run for each point of the claims, by its settings."""
    points = {point for claim in claims.CLAIMS for point in claim.points}
    return {point: value(dict(point.settings)) for point in points}


def told(outcomes):
    return {claim.id: claim.told(outcomes) for claim in claims.CLAIMS}


def noise(settings, scale):
    return scale * (int(settings["seed"]) % 7 - 3)


def as_claimed(settings):
    """Return a run as the paper would have it."""
    is_spaced = settings.get("tcp.spacing") == "always"
    size = int(settings.get("ftp.packet_size", "512 B").split()[0])
    rtt = int(settings.get("wan.rtt", "100 ms").split()[0])
    in_two = size > 1000 and settings.get("ftp.cap") != "off"
    on_base = settings.get("tcp.spacing_rtt") == "base"
    is_reno = settings.get("tcp.variant") == "reno"
    upper = (is_spaced and rtt >= 100) or settings.get("queue.packets") != "50"
    wired = "link.rate" in settings
    kbps = {64: 20, 128: 40, 256: 80, 512: 320, 1024: 200 if in_two else 640}[size]
    kbps += 300 * is_spaced + 200 * is_reno
    if "wan.rtt" in settings:
        kbps = 800 if upper else 150
    kbps = 900 if wired else kbps
    return run(
        delay_ms=rtt / 2 + size / 100 - 2 * is_spaced + 3 * on_base + noise(settings, 0.01),
        kbps=kbps - 5 * on_base + noise(settings, 0.1),
        efficiency=0.99 + 0.002 * is_spaced + 0.001 * (size == 512) + noise(settings, 1e-5),
        completed_s=20.0 - is_spaced + noise(settings, 0.01),
    )


def test_claims_on_runs_as_the_paper_would_have_them():
    found = told(made_up(as_claimed))
    # 512 B cannot have the lowest delay where the delay grows with the size.
    assert {name for name, each in found.items() if each is not Told.HOLDS} == {"c12"}


def test_claims_on_runs_without_any_difference():
    found = told(made_up(lambda settings: run(kbps=300 + noise(settings, 1.0))))
    assert found["c1"] is Told.FAILS
    assert found["c9"] is Told.FAILS
    assert Told.HOLDS not in found.values()


def test_table_has_a_line_for_each_test():
    (table,) = claims.table(made_up(as_claimed), claims.CLAIMS)
    tests = sum(len(claim.tests) for claim in claims.CLAIMS)
    assert len(table.rows) == len(claims.CLAIMS) + tests
    assert table.rows[0][-1] == "holds"


def test_bands_go_with_a_stale_base_rtt():
    def tables(base_s):
        return {
            "base_rtt": {"time_s": [1.0], "flow": [0], "base_rtt_s": [base_s]},
            "rtt": {"time_s": [400.0], "flow": [0], "rtt_s": [0.127], "offset": [512]},
        }

    lower, upper = run(kbps=100, **tables(0.009)), run(kbps=800, **tables(0.126))
    outcomes = dict(zip(bands.SEEN, [lower, upper] * 5, strict=True))
    assert bands.stale_where_lower(outcomes) == [100]
    outcomes[bands.SEEN[0]] = upper
    outcomes[bands.SEEN[1]] = run(kbps=100, **tables(0.126))
    assert bands.stale_where_lower(outcomes) == [90]
    (table,) = bands.seed_table(outcomes)
    assert len(table.rows) == len(setup.SEEDS)


# --- The paper as a whole -------------------------------------------------------------------------


def test_starts_are_spread_and_seeds_are_apart():
    starts = sorted(setup.start_ms(seed) for seed in setup.SEEDS)
    assert starts[0] < 1000
    assert starts[-1] > 9000
    seeds = [dict(point.settings)["seed"] for rtt in BY_RTT for point in setup.by_rtt(rtt, "off")]
    assert len(set(seeds)) == len(seeds)


def test_every_fact_has_its_measure_and_its_item():
    items = {item.id for item in PAPER.items}
    assert {fact.id for fact in PAPER.facts} == set(PAPER.measures)
    assert {fact.item for fact in PAPER.facts} <= items
    assert papers()["yew2012"] is PAPER


def test_all_points_stay_within_the_budget():
    points = {point for item in PAPER.items if item in simulated.SIMULATED
              for point, _ in item.wanted()}  # fmt: skip
    assert len(points) <= 900


def test_a_draw_is_placed_and_not_judged():
    (table, _) = simulated.tables_2_3(
        {point: run(kbps=20) for points in setup.TABLES_2_3.values() for point in points}
    )
    row = dict(zip(table.head, table.rows[0], strict=False))
    assert table.rows[0][0] == "64"
    assert row["paper: kbit/s"] == "18.642"
    assert [cell for cell in table.rows[0] if cell.endswith("/10")][1] == "0/10"


def test_a_short_sweep_of_the_scenario_has_both_bands():
    first = setup.by_rtt(100, setup.ALWAYS)[:8]
    shorter = [
        type(point)(point.scenario, (*point.settings, ("duration", "60 s"))) for point in first
    ]
    outcomes = PAPER.collect([(point, Keep.RESULT) for point in shorter])
    flows = [outcomes[point].flow for point in shorter]
    windows = [(flow.started_s or 0.0, flow.cwnd_segments.mean or 0.0) for flow in flows]
    assert min(window for start_s, window in windows if start_s > 7) > 10
    assert max(window for start_s, window in windows if start_s < 4) < 5


@pytest.mark.slow
def test_where_a_transfer_begins_makes_its_band():
    """Of fifty seeds an RTT, with spacing and without: the start makes the band, not the RTT."""
    at = {
        (rtt, spacing): setup.by_rtt(rtt, spacing, count=50)
        for rtt in (60, 100, 140)
        for spacing in (setup.OFF, setup.ALWAYS)
    }
    found = PAPER.collect([(point, Keep.RESULT) for points in at.values() for point in points])
    runs = {key: [found[point] for point in points] for key, points in at.items()}
    for each in runs.values():
        away = [run for run in each if (run.flow.started_s or 0.0) > 8]
        home = [run for run in each if (run.flow.started_s or 0.0) < 5]
        assert min(len(away), len(home)) >= 8
        assert all(measuring.is_upper(run) for run in away)
        assert sum(measuring.is_upper(run) for run in home) <= len(home) / 5
    for rtt in (60, 140):
        here, there = ([measuring.is_upper(run) for run in runs[it, "always"]] for it in (rtt, 100))
        assert oftener(here, there).told is Told.OPEN


def test_findings_of_claims_are_verdicts():
    outcomes = made_up(as_claimed)
    fact = next(fact for fact in PAPER.facts if fact.id == "c4")
    assert Finding(fact, tuple(PAPER.measures["c4"](outcomes))).verdict is Verdict.HOLDS
