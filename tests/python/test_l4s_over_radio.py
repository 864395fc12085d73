"""Prague behind a queue that marks ahead of RLC, beside what else keeps that queue short."""

import pytest
import thinpipe as tp

RADIOS = {"lte-cat4": ("75 Mbit/s", "30 ms"), "nr-tdd-100": ("420 Mbit/s", "12 ms")}
"""Scenarios, with rate and round trip over the radio while nothing waits."""

SHORT = {"tcp.variant": "prague", "tcp.ecn": "accurate", "queue.kind": "dualpi2"}

REPORTED = {
    "middlebox.kind": "atcp",
    "middlebox.atcp.estimator": "radio",
    "middlebox.atcp.clamp": "400 kB",
    "middlebox.atcp.budget": "4 MB",
}
"""ATCP that sets the window of a mobile by the rate that its radio reports."""


def carried(scenario: str, settings: dict[str, str]) -> tuple[float, float]:
    """Return bit/s of two flows, and the 95th percentile of their round trips.

    Behind a box that is the box's over the radio, and what its hosts have on the wires ahead of it.
    """
    run = tp.run(scenario, {"flow.count": "2", **settings}, duration="15 s", trace=True)
    total = run.result.total
    assert total.goodput_bps is not None
    if run.result.middlebox is None:
        assert total.rtt_s.p95 is not None
        return total.goodput_bps, total.rtt_s.p95
    ahead_s, radio_s = total.rtt_s.p95, run.middlebox_rtt["rtt_s"].quantile(0.95)
    assert ahead_s is not None
    assert radio_s is not None
    return total.goodput_bps, ahead_s + float(radio_s)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", RADIOS)
def test_marks_ahead_of_a_radio(scenario):
    """A step of 1 ms is less than blocks wait for their turn, so that every flow is marked."""
    filled, full_s = carried(scenario, {"tcp.variant": "cubic"})
    wired, _ = carried(scenario, {**SHORT, "queue.dualpi2.step": "1 ms"})
    patient, short_s = carried(scenario, {**SHORT, "queue.dualpi2.step": "20 ms"})
    assert wired < 0.2 * filled
    assert patient > 0.6 * filled
    assert short_s < 0.25 * full_s


@pytest.mark.slow
def test_fading_is_part_of_what_they_miss():
    steady = {"radio.fading.deviation": "0 dB"}
    patient = {**SHORT, "queue.dualpi2.step": "20 ms"}
    filled, _ = carried("lte-cat4", {"tcp.variant": "cubic", **steady})
    without, _ = carried("lte-cat4", {**patient, **steady})
    within, _ = carried("lte-cat4", patient)
    assert without > 0.8 * filled
    assert without > 1.15 * within


@pytest.mark.slow
@pytest.mark.parametrize("scenario", RADIOS)
def test_a_box_that_hears_of_the_rate_fills_it(scenario):
    filled, full_s = carried(scenario, {"tcp.variant": "cubic"})
    marked, marked_s = carried(scenario, {**SHORT, "queue.dualpi2.step": "20 ms"})
    rate, round_trip = RADIOS[scenario]
    box = {"middlebox.atcp.rate": rate, "middlebox.atcp.round_trip": round_trip, **REPORTED}
    told, told_s = carried(scenario, box)
    assert told > 0.95 * filled > marked
    assert marked_s < told_s < 0.25 * full_s
