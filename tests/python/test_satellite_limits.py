"""The profile `satellite` within the limits that picoquic's simulations of satellites set.

They send 100 MB over 600 ms there and back, through a queue of 600 ms.
"""

import pytest
import thinpipe as tp

LIMITS = {(50, 10): 20, (10, 2): 85, (2, 10): 420}
"""Seconds by Mbit/s down and up: those that TCP meets."""
FAST, FAST_S = (250, 3), 7
"""The one that it does not meet."""

SEEDED_S = {"bbr": 4.9, "cubic": 5.0}
"""Seconds of picoquic there with a connection that is seeded."""


def takes_s(rates: tuple[int, int], settings: dict[str, str | int] | None = None) -> float:
    """Return the seconds that the transfer takes."""
    return took_s(rates, settings)[0]


def took_s(rates: tuple[int, int], settings: dict[str, str | int] | None = None) -> list[float]:
    """Return the seconds that each transfer takes."""
    down, up = rates
    run = tp.run(
        "bottleneck",
        {
            "tcp.profile": "satellite",
            "tcp.mss": "1460 B",
            "flow.bytes": "100 MB",
            "wired.access.rate": "10 Gbit/s",
            "link.rate": f"{down} Mbit/s",
            "link.back.rate": f"{up} Mbit/s",
            "link.delay": "299 ms",
            "queue.packets": "unlimited",
            "queue.bytes": f"{down * 600 // 8} kB",
            **(settings or {}),
        },
        duration="600 s",
    )
    took = []
    for flow in run.flows:
        assert flow.completed_s is not None
        assert flow.started_s is not None
        took.append(flow.completed_s - flow.started_s)
    return took


@pytest.mark.slow
@pytest.mark.parametrize("rates", LIMITS)
def test_three_of_four_limits_are_met(rates):
    assert takes_s(rates) < LIMITS[rates]


@pytest.mark.slow
def test_the_profile_makes_the_difference():
    modern: dict[str, str | int] = {
        "tcp.profile": "modern",
        "tcp.window": 60_000,
        "tcp.mss": "1448 B",
    }
    met = [rates for rates, limit in LIMITS.items() if takes_s(rates, modern) < limit]
    assert met == [(2, 10)]


@pytest.mark.slow
def test_two_causes_keep_it_from_the_fourth():
    start: dict[str, str | int] = {"tcp.initial_window": 1_600}
    back: dict[str, str | int] = {"link.back.rate": "30 Mbit/s"}
    for settings in ({}, start, back):
        assert takes_s(FAST, settings) > FAST_S, settings
    assert takes_s(FAST, {**start, **back}) < FAST_S


@pytest.mark.slow
@pytest.mark.parametrize("variant", SEEDED_S)
def test_careful_resume_comes_near_to_a_seed(variant):
    """After a transfer by `modern`; a seed is not halved, and needs no round trip to check."""
    settings: dict[str, str | int] = {
        "tcp.profile": "modern",
        "tcp.variant": variant,
        "tcp.window": 60_000,
        "tcp.mss": "1448 B",
        "tcp.share_state": "careful",
        "flow.count": 2,
        "flow.interval": "60 s",
    }
    first, second = took_s(FAST, settings)
    assert SEEDED_S[variant] < second < first / 1.6
