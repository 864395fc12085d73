"""Settings from Python reach a scenario as its file would write them."""

import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.point import Point, as_text


def test_keywords_and_mapping_are_one_list():
    point = Point.of("umts-dch-384", {"tcp.variant": "vegas"}, seed=7, radio__rlc__in_order=False)
    assert point.settings == (
        ("tcp.variant", "vegas"),
        ("seed", "7"),
        ("radio.rlc.in_order", "false"),
    )


def test_equal_points_are_one_key():
    assert len({Point.of("umts-dch-384", seed=1), Point.of("umts-dch-384", {"seed": "1"})}) == 1


def test_value_of_another_kind_is_refused():
    with pytest.raises(TypeError, match=r"tcp\.mss: \[512\] is neither text nor a number"):
        Point.of("umts-dch-384", tcp__mss=[512])  # type: ignore[arg-type]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_survives_as_text(value):
    assert float(as_text("key", value)) == value


@given(
    st.sampled_from(["vegas", "reno"]),
    st.integers(64, 1460),
    st.integers(1, 64),
    st.floats(0, 0.9),
    st.integers(0, 2**64 - 1),
)
def test_settings_change_the_run_that_they_name(variant, mss, window, tbler, seed):
    run = tp.run(
        "umts-dch-384",
        {"tcp.variant": variant, "radio.tbler": tbler},
        tcp__mss=mss,
        tcp__window=window,
        seed=seed,
        duration="2 s",
    )
    flow = run.flows[0]
    assert (flow.variant, run.result.seed, run.result.duration_s) == (variant, seed, 2.0)
    assert flow.bytes_acked % mss == 0
    assert flow.cwnd_segments.max is None or flow.cwnd_segments.max <= window
    assert (flow.normalized_throughput or 0.0) <= 1.0
