"""The analytic model against the paper's own examples, and against arithmetic by hand."""

from decimal import Decimal

import pytest
from thinpipe.papers.lo2005.model import (
    PATH,
    Channel,
    Path,
    least_shrinking_rtt,
    next_tti,
    vegas_delta,
)


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


@pytest.mark.parametrize(
    ("wired", "rtt"), [("0.0249", "0.100"), ("0.030", "0.120"), ("0.035", "0.140")]
)
def test_error_free_round_trip_is_a_whole_number_of_uplink_ttis(wired, rtt):
    assert Path(Decimal(wired), PATH.downlink, PATH.uplink).error_free_rtt() == Decimal(rtt)


def test_block_that_ends_on_a_tick_misses_it():
    assert next_tti(Decimal("0.020"), Decimal("0.010")) == Decimal("0.030")
    assert next_tti(Decimal("0.021"), Decimal("0.010")) == Decimal("0.030")


def test_each_round_of_retransmission_costs_the_loop():
    least, greatest = PATH.retransmission_delays(1)
    assert (least, greatest) == (Decimal("0.050"), Decimal("0.060"))
    for rounds in range(2, 6):
        assert PATH.retransmission_delays(rounds)[0] == least + (rounds - 1) * Decimal("0.060")


def test_equation_1_by_example():
    assert vegas_delta(6, 0.3, 0.12) == pytest.approx(3.6)
    assert vegas_delta(5, 0.2, 0.12) == pytest.approx(2.0)
    step = Decimal("0.020")
    assert least_shrinking_rtt(6, Decimal("0.120"), step, beta=3) == Decimal("0.300")
