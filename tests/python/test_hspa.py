"""What the scenarios of HSDPA show, beside what is specified."""

import numpy as np
import pytest
import thinpipe as tp

BEST = {"radio.downlink.snr": "40 dB", "radio.fading.deviation": "0 dB"}
"""A radio that always allows the largest block."""


def mbps(flow: tp.Flow) -> float:
    return (flow.goodput_bps or 0.0) / 1e6


def totals(policy: str) -> tuple[float, float]:
    """Return the total goodput in Mbit/s and Jain's index of ten mobiles."""
    # Queues that last while a mobile waits for its turn: TCP would take their drops for congestion.
    settings = {"radio.scheduler.policy": policy, "queue.bytes": "1 MB"}
    run = tp.run("hsdpa-10", settings, duration="40 s")
    rates = np.array([mbps(flow) for flow in run.flows])
    return float(rates.sum()), float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))


@pytest.mark.parametrize(("category", "peak"), [("6", 3.36), ("8", 6.72), ("10", 12.16)])
def test_a_category_has_its_peak_rate(category, peak):
    settings = {**BEST, "radio.hs.category": category, "queue.bytes": "1 MB"}
    if category == "10":  # the window of link control counts PDUs: large ones carry more
        settings["radio.rlc.pdu_payload"] = "80 B"
    flow = tp.run("hsdpa-3.6", settings, duration="30 s").flows[0]
    # Headers of TCP/IP are 52 of 1500 bytes; PDCP and the ends of packets take 3 more.
    assert 0.75 * peak < mbps(flow) < 0.97 * peak


def test_harq_hides_loss():
    run = tp.run("hsdpa-3.6", {"radio.downlink.bler": "10 %", "queue.bytes": "4 MB"})
    assert run.flows[0].retransmits == 0
    [down] = [link for link in run.links if link.name == "Uu/down"]
    assert down.drops == 0


def test_link_control_repairs_what_harq_gives_up():
    settings = {"radio.downlink.bler": "10 %", "queue.bytes": "4 MB", **BEST}
    whole = tp.run("hsdpa-3.6", settings).flows[0]
    repaired = tp.run("hsdpa-3.6", {**settings, "radio.hs.transmissions": "1"}).flows[0]
    assert repaired.retransmits == 0
    assert mbps(repaired) < mbps(whole)
    assert (repaired.rtt_s.max or 0.0) > (whole.rtt_s.min or 0.0) + 0.1


def test_a_better_radio_is_faster():
    rates = [
        mbps(tp.run("hsdpa-3.6", {**BEST, "radio.downlink.snr": snr}).flows[0])
        for snr in ("-5 dB", "0 dB", "8 dB")
    ]
    assert rates[0] < rates[1] < rates[2]


def test_schedulers_trade_fairness_for_rate():
    turns, fair, best = (totals(each) for each in ("round-robin", "proportional-fair", "max-ci"))
    assert turns[0] < fair[0] < best[0]
    assert best[1] < min(fair[1], turns[1])


def test_mobiles_draw_the_power_of_dedicated_channels():
    run = tp.run("hsdpa-3.6", {"flow.bytes": "10 kB"}, duration="10 s")
    assert run.energy is not None
    assert [state.name for state in run.energy.states] == ["cell-dch"]
    assert run.energy.total_j == pytest.approx(7.0)


def test_nothing_gets_through_in_an_outage():
    settings = {**BEST, "radio.outages": "[['5 s', '8 s']]"}
    run = tp.run("hsdpa-3.6", settings, trace=True)
    blocks = run.blocks.filter((run.blocks["time_s"] > 5) & (run.blocks["time_s"] < 8))
    assert blocks["error"].all()
    assert mbps(run.flows[0]) > 1
