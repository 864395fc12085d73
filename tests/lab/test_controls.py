"""What the lab offers to set a key with, for every key that there is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.lab.controls import USUAL, control
from thinpipe.scenario import keys

KEYS = {key.name: key for key in keys()}


@given(st.sampled_from(sorted(KEYS)), st.none() | st.floats(0, 1e12, allow_nan=False))
def test_a_slider_stays_within_what_the_key_takes(name, number):
    key = KEYS[name]
    offered = control(key, number)
    if offered["kind"] != "range":
        assert offered["kind"] == ("choice" if key.takes.kind in ("choice", "flag") else "text")
        return
    start, end = offered["from"], offered["to"]
    assert math.isfinite(start)
    assert math.isfinite(end)
    assert start >= (key.takes.minimum if key.takes.minimum is not None else -math.inf)
    assert end <= (key.takes.maximum if key.takes.maximum is not None else math.inf)
    assert not offered["log"] or start > 0


@pytest.mark.parametrize("name", sorted(KEYS))
def test_a_slider_reaches_around_the_value_of_the_scenario(name):
    key = KEYS[name]
    middle = USUAL.get(key.takes.kind, (1.0, 1.0))[1] / 2
    least = key.takes.minimum if key.takes.minimum is not None else 0.0
    most = key.takes.maximum if key.takes.maximum is not None else math.inf
    number = min(max(middle, least), most)
    offered = control(key, number)
    if offered["kind"] == "range":
        assert offered["from"] < offered["to"]
        assert offered["from"] <= number <= offered["to"]
