"""A video sender's rate follows what the network carries."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.testbed.adaptation import DelayBased, LossBased, Reported

FRAME_S, REPORTING_S = 1 / 30, 0.1
SIZE = 500
"""Bytes of a frame: 120 kbit/s."""


def carry(delays_s):
    """Return the rates that are allowed while frames take these delays, a report each 0.1 s."""
    receiver, rates, due_s = DelayBased(), [], REPORTING_S
    for number, delay_s in enumerate(delays_s):
        sent_s = number * FRAME_S
        while sent_s + delay_s >= due_s:
            rates.append(receiver.rate_bps(due_s))
            due_s += REPORTING_S
        receiver.on_packet(Reported(sent_s, sent_s + delay_s, SIZE))
    return rates


def growing(frames, delay_s, step_s):
    return [delay_s + number * step_s for number in range(frames)]


@given(st.floats(0, 1))
def test_little_loss_lets_a_rate_grow_and_much_lets_it_fall(lost):
    losses = LossBased(1e5)
    rate_bps = losses.on_report(lost)
    assert (rate_bps > 1e5) == (lost < 0.02)
    assert (rate_bps < 1e5) == (lost > 0.1)
    assert rate_bps >= 0.5e5


@given(st.floats(0.01, 2), st.integers(60, 200))
def test_an_even_delay_allows_any_rate(delay_s, frames):
    assert set(carry([delay_s] * frames)) == {math.inf}


@given(st.floats(0.003, 0.05), st.floats(0.01, 1))
def test_delays_that_grow_bring_the_rate_below_what_comes(step_s, delay_s):
    rates = carry(growing(150, delay_s, step_s))
    allowed = [each for each in rates if each < math.inf]
    assert allowed
    assert min(allowed) < 8 * SIZE / FRAME_S


def test_the_rate_grows_again_once_delays_stay():
    delays_s = growing(60, 0.05, 0.01) + [0.65] * 300
    rates = carry(delays_s)
    lowest = min(range(len(rates)), key=rates.__getitem__)
    after = rates[lowest:]
    assert all(later >= earlier for earlier, later in pairwise(after[30:]))
    assert after[-1] > 1.2 * after[0]


def test_noise_around_an_even_delay_is_no_overuse():
    noise = [0.05 + 0.004 * (number * 7 % 5) / 5 for number in range(300)]
    assert set(carry(noise)) == {math.inf}


@pytest.mark.parametrize("burst", [1, 2, 9])
def test_packets_of_a_frame_are_one_group(burst):
    receiver = DelayBased()
    for number in range(200):
        for packet in range(burst):
            sent_s = number * FRAME_S
            receiver.on_packet(Reported(sent_s, sent_s + 0.05 + 0.002 * packet, SIZE))
    assert receiver.rate_bps(200 * FRAME_S) == math.inf
