"""The formulas of the thesis's chapter IV, of Mathis and of PFTK."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.papers.hynderick2004 import formulas

losses = st.floats(1e-6, 0.3)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (formulas.tahoe_factor(0.0, 16), 1.0),
        (formulas.tahoe_factor(0.1, 5), 0.5),
        (formulas.tahoe_factor_of_bits(1e-5, 8000, 16), 1 / 3.56),
        (formulas.loss_of_packet(0.5, 2), 0.75),
        # Windows of 1, 2, 4 in slow start and 5, 6, 7 after it, where 8 were.
        (formulas.lacking(8), 7 + 6 + 4 + 3 + 2 + 1),
        (formulas.lacking(16), 77),
        (formulas.tahoe_factor_by_rounds(0.01, 16), 1 / 1.77),
        (formulas.slow_start_round_trips(64), 6.0),
        (formulas.slow_start_buffer(64), 32.0),
        (formulas.mathis(0.01), 12.247448713915890),
        # T0 = R = 1 s and p = 1/2: E[W] = 1 + sqrt(11/3), q = 1, f = 4.
        (
            formulas.pftk(0.5, 1.0, 1.0, 1000),
            (1 + 1 + math.sqrt(11 / 3) + 2) / ((1 + math.sqrt(11 / 3)) / 2 + 1 + 8),
        ),
        # The same bound to a window of 2.
        (formulas.pftk(0.5, 1.0, 1.0, 2), (1 + 2 + 2) / (0.25 + 0.5 + 2 + 8)),
    ],
)
def test_value(found, expected):
    assert found == pytest.approx(expected, rel=1e-12)


@given(losses)
def test_losses_of_bits_are_losses_of_packets_where_they_are_few(bit_loss):
    whole = formulas.loss_of_packet(bit_loss, 100)
    assert whole <= 100 * bit_loss * (1 + 1e-12)
    assert whole >= 100 * bit_loss - (100 * bit_loss) ** 2 / 2 - 1e-12


def test_pftk_nears_mathis_without_timeouts_and_bounds():
    for loss in (1e-6, 1e-5):
        assert formulas.pftk(loss, 1.0, 1e-9, 1e9) == pytest.approx(formulas.mathis(loss), rel=0.01)


def test_pftk_fills_the_window_where_losses_are_rare():
    assert formulas.pftk(1e-9, 0.2, 1.0, 28) == pytest.approx(28 / 0.2, rel=1e-3)


@given(st.floats(1e-6, 0.1), st.floats(0.01, 1.0), st.floats(1.0, 6.0), st.integers(8, 200))
def test_pftk_is_near_its_own_approximation(loss, rtt_s, rounds, window):
    timeout_s = rounds * rtt_s
    by_halving = rtt_s * math.sqrt(2 * loss / 3)
    by_timeouts = timeout_s * min(1, 3 * math.sqrt(3 * loss / 8)) * loss * (1 + 32 * loss**2)
    short = min(window / rtt_s, 1 / (by_halving + by_timeouts))
    assert short / 2 < formulas.pftk(loss, rtt_s, timeout_s, window) < 2 * short
