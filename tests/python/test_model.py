"""The analytic model against the paper's examples and hand calculations."""

from dataclasses import replace
from decimal import Decimal

import pytest
from thinpipe.papers.lo2005.model import (
    PATH,
    Channel,
    Path,
    next_tti,
    shrinking_rtt,
)
from thinpipe.scenario import Scenario, find


@pytest.mark.parametrize(
    ("rate", "tti", "size", "ttis"),
    [
        (384_000, "0.010", 552, 2),
        (384_000, "0.010", 553, 2),
        (384_000, "0.010", 480, 1),
        (384_000, "0.010", 481, 2),
        (64_000, "0.020", 40, 1),
        (64_000, "0.020", 160, 1),
        (64_000, "0.020", 161, 2),
        (64_000, "0.080", 553, 1),
    ],
)
def test_equation_4(rate, tti, size, ttis):
    channel = Channel(rate, Decimal(tti))
    assert channel.ttis(size) == ttis
    assert channel.delay(size) == ttis * Decimal(tti)


def test_error_free_round_trip_by_hand():
    # 50.8 ms of wire, 9.2 to the next tick, 20 of segment, 20 of missed uplink TTI, 20 of ACK
    assert PATH.error_free_rtt() == Decimal("0.120")


def test_path_is_the_scenario_s():
    source = find("umts-dch-384").source
    changed = source.replace('delay = "0 ms"', 'delay = "9 ms"').replace('"512 B"', '"1000 B"')
    path = Path.of(Scenario("changed", changed))
    assert (PATH.wired, path.wired) == (Decimal("0.0254"), Decimal("0.0344"))
    assert (PATH.segment_sdu, path.segment_sdu) == (553, 1041)
    assert PATH.acknowledgement_sdu == path.acknowledgement_sdu == 41


@pytest.mark.parametrize(
    ("wired", "rtt"), [("0.0249", "0.100"), ("0.025", "0.120"), ("0.0349", "0.120"),
                       ("0.035", "0.140")]
)  # fmt: skip
def test_error_free_round_trip_is_a_whole_number_of_uplink_ttis(wired, rtt):
    assert replace(PATH, wired=Decimal(wired)).error_free_rtt() == Decimal(rtt)


def test_block_that_ends_on_a_tick_misses_it():
    assert next_tti(Decimal("0.020"), Decimal("0.010")) == Decimal("0.030")
    assert next_tti(Decimal("0.021"), Decimal("0.010")) == Decimal("0.030")


def test_each_round_of_retransmission_costs_the_loop():
    loop = Decimal("0.060")
    for rounds in range(1, 6):
        first, last = PATH.retransmission_delays(rounds)
        assert first == Decimal("0.040") + (rounds - 1) * loop
        assert last == Decimal("0.060") + (rounds - 1) * loop


@pytest.mark.parametrize(("window", "rtt"), [(5, "0.400"), (6, "0.288"), (7, "0.240")])
def test_equation_1(window, rtt):
    assert shrinking_rtt(window, Decimal("0.120"), beta=3) == Decimal(rtt)
