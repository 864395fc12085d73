"""Numbers as text."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.report.numbers import percent, short


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (None, 3, "–"),
        (math.nan, 3, "–"),
        (math.inf, 3, "∞"),
        (0.0, 3, "0"),
        (7e-15, 3, "0"),
        (0.12, 3, "0.12"),
        (0.1999999, 3, "0.2"),
        (64.0, 3, "64"),
        (100.0, 3, "100"),
        (-2.5, 3, "−2.5"),
        (26123.4, 4, "26,120"),
        (1234567.0, 9, "1,234,567"),
    ],
)
def test_short(value, digits, expected):
    assert short(value, digits) == expected


def test_percent():
    assert percent(0.9604) == "96 %"
    assert percent(None) == "–"


@given(st.floats(min_value=1e-8, max_value=1e12), st.integers(2, 9))
def test_short_keeps_the_digits_it_promises(value, digits):
    read = float(short(value, digits).replace(",", ""))
    assert math.isclose(read, value, rel_tol=10.0 ** (1 - digits))
