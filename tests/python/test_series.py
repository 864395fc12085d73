"""Step curves over time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.papers.series import Steps, band


def steps(*rows: tuple[float, float], end_s: float) -> Steps:
    time_s, value = np.array(rows).T
    return Steps(time_s, value, end_s)


CURVE = steps((0, 2), (1, 4), (4, 3), (5, 6), end_s=10.0)


def test_share_is_weighted_by_time():
    assert CURVE.share(CURVE.value >= 4) == 0.8
    assert CURVE.share(CURVE.value == 3) == 0.1


def test_value_holds_until_the_next_change():
    np.testing.assert_array_equal(CURVE.at(np.array([-1.0, 0, 0.9, 1, 4.5, 9])), [2, 2, 2, 4, 3, 6])


def test_first_decrease():
    assert CURVE.first_decrease() == 2
    assert steps((0, 2), (1, 4), end_s=2.0).first_decrease() == 2


@given(st.lists(st.integers(1, 64), min_size=1, max_size=30))
def test_shares_add_up_and_band_encloses(values):
    curve = Steps(
        np.arange(len(values), dtype=np.float64), np.array(values, np.float64), float(len(values))
    )
    assert np.isclose(sum(curve.share(curve.value == each) for each in set(values)), 1.0)
    low, high = band([curve, CURVE], np.linspace(0, 10, 50))
    assert (low <= high).all()
    assert (low <= curve.at(np.linspace(0, 10, 50))).all()
