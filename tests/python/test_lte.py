"""What the scenarios of LTE show, beside what was measured and specified."""

import numpy as np
import polars as pl
import pytest
import thinpipe as tp

BEST = {
    "radio.downlink.snr": "40 dB",
    "radio.uplink.snr": "40 dB",
    "radio.fading.deviation": "0 dB",
}
"""A radio that is never the bottleneck."""


def mbps(flow: tp.Flow) -> float:
    return (flow.goodput_bps or 0.0) / 1e6


def flow_of(name: str, settings: dict[str, str], duration: str = "10 s") -> tp.Flow:
    return tp.run(name, settings, duration=duration).flows[0]


@pytest.mark.parametrize(
    ("name", "peak", "most"), [("lte-cat4", 149.776, 1.0), ("lte-cat1", 10.296, 0.14)]
)
def test_a_category_has_its_peak_rate(name, peak, most):
    """Category 1 needs 14 of 100 resource blocks for its largest transport block."""
    # CUBIC's HyStart leaves slow start far below the peak rate.
    settings = {**BEST, "queue.bytes": "30 MB", "tcp.variant": "reno"}
    run = tp.run(name, settings, duration="20 s")
    [down] = [link for link in run.links if link.name == "Uu/down"]
    assert 0.8 * most < (down.utilization or 0.0) <= most
    # Headers of TCP/IP are 52 of 1500 bytes, those of LTE 4 of a packet and 5 of a block.
    assert 0.8 * peak < mbps(run.flows[0]) < 0.965 * peak


def test_a_connection_is_promoted_in_260_ms():
    settings = {"flow.application": "telnet", "flow.direction": "uplink"}
    power = tp.run("lte-cat4", settings, duration="3 s", trace=True).power
    assert power["state"].to_list()[:3] == ["idle", "promotion", "active"]
    assert power["time_s"][2] - power["time_s"][1] == pytest.approx(0.260, abs=0.001)


def test_the_tail_is_10_s_and_costs_most_of_a_small_transfer():
    run = tp.run("lte-cat4", {"flow.bytes": "10 kB"}, duration="30 s", trace=True)
    assert run.energy is not None
    states = {state.name: state for state in run.energy.states}
    assert states["tail"].time_s == pytest.approx(9.9, abs=0.01)
    # 1.06 W for 10 s, beside what the transfer itself takes (Huang et al. 2012).
    assert states["tail"].energy_j > 0.8 * run.energy.total_j
    assert sum(state.time_s for state in run.energy.states) == pytest.approx(30)


REPORT = {
    "flow.bytes": "100 B",
    "flow.direction": "uplink",
    "radio.rrc.tail": "1 s",
    "radio.drx.inactivity": "100 ms",
}
"""A small transfer, after which the mobile is soon without a connection."""


@pytest.mark.parametrize("name", ["lte-cat1", "lte-m"])
def test_power_saving_mode_is_what_a_battery_lives_on(name):
    psm = {"radio.psm.active": "10 s", "radio.psm.update": "54 min"}
    run = tp.run(name, {**REPORT, **psm}, duration="3000 s", trace=True)
    assert run.energy is not None
    states = {state.name: state for state in run.energy.states}
    assert states["psm"].power_w == pytest.approx(15e-6)
    assert 2980 < states["psm"].time_s < 2990
    assert sum(state.time_s for state in run.energy.states) == pytest.approx(3000)
    energy_j = sum(state.energy_j for state in run.energy.states)
    assert energy_j == pytest.approx(run.energy.total_j)
    # A module draws little else; of what a phone draws it is next to nothing.
    assert states["psm"].energy_j == pytest.approx(15e-6 * states["psm"].time_s)
    assert name == "lte-m" or states["psm"].energy_j < 0.05 * run.energy.total_j
    usual = tp.run(name, REPORT, duration="3000 s").energy
    assert usual is not None
    assert usual.total_j > 10 * run.energy.total_j
    assert "psm" not in {state.name for state in usual.states}


def test_a_report_over_lte_m_takes_no_phones_energy():
    """A module sleeps in the tail of 10 s, where one of NB-IoT listens; a phone draws 1.06 W."""
    reports = {
        "flow.application": "probe",
        "flow.probe.bytes": "200 B",
        "flow.probe.least": "60 s",
        "flow.probe.most": "90 s",
        "flow.direction": "uplink",
    }
    phone = {"radio.power.tail": "1.06 W", "radio.power.idle": "20 mW"}
    energies = [
        tp.run(name, {**reports, **power}, duration="600 s").energy
        for name, power in [("lte-m", {}), ("nb-iot", {}), ("lte-m", phone)]
    ]
    of_lte_m, of_nb_iot, of_phone = (energy.total_j for energy in energies if energy)
    assert 4 < of_lte_m < 6
    assert of_lte_m < of_nb_iot < 0.2 * of_phone


def test_a_mobile_in_power_saving_mode_says_that_it_is_there():
    """T3412 runs anew after each connection."""
    psm = {"radio.psm.active": "5 s", "radio.psm.update": "100 s"}
    power = tp.run("lte-m", {**REPORT, **psm}, duration="500 s", trace=True).power
    asleep = power.filter(power["state"] == "psm")["time_s"].to_numpy()
    idle = power.filter(power["state"] == "idle")["time_s"].to_numpy()
    awake = power.filter(power["state"] == "promotion")["time_s"].to_numpy()
    np.testing.assert_allclose(asleep - idle[1:], 5)
    np.testing.assert_allclose(awake[1:] - idle[1 : len(awake)], 100.001)
    assert len(awake) == 5


def test_a_page_waits_for_a_window_of_an_extended_cycle():
    probes = {
        "flow.application": "probe",
        "flow.probe.bytes": "100 B",
        "flow.probe.least": "60 s",
        "flow.probe.most": "90 s",
        "tcp.initial_rto": "50 s",
        "tcp.min_rto": "50 s",
        "radio.rrc.tail": "1 s",
    }
    edrx = {"radio.edrx.cycle": "20480 ms", "radio.edrx.window": "2560 ms"}
    usual, extended = (
        tp.run("lte-m", settings, duration="3000 s") for settings in (probes, {**probes, **edrx})
    )
    trips = [run.flows[0].rtt_s for run in (usual, extended)]
    assert (trips[0].max or 0) < 1.28 + 0.26 + 0.2
    # Most of them wait for the next window: half of the time between two in the mean.
    assert 6 < (trips[1].mean or 0) < 11
    assert 12 < (trips[1].max or 0) < 20.48 + 0.26 + 0.2
    energies = [run.energy for run in (usual, extended)]
    assert all(energy is not None and "psm" not in str(energy.states) for energy in energies)


@pytest.mark.parametrize("bler", ["0 %", "30 %"])
def test_harq_and_link_control_hide_loss(bler):
    run = tp.run("lte-cat1", {"radio.downlink.bler": bler, "queue.bytes": "10 MB"}, duration="20 s")
    assert run.links[-2].drops == 0
    assert run.flows[0].retransmits == 0


def test_without_repeats_link_control_repairs_alone():
    settings = {"radio.downlink.bler": "30 %", "radio.harq.repeats": "0", "queue.bytes": "10 MB"}
    repaired = flow_of("lte-cat1", settings)
    whole = flow_of("lte-cat1", {**settings, "radio.harq.repeats": "3"})
    assert repaired.retransmits == 0
    assert mbps(repaired) < mbps(whole)
    assert (repaired.rtt_s.max or 0.0) > (
        whole.rtt_s.min or 0.0
    ) + 0.05  # a gap waits for t-Reordering


def test_a_handover_with_forwarding_loses_nothing():
    settings = {"radio.handover.every": "1 s", "radio.handover.gap": "30 ms"}
    kept = tp.run("lte-cat4", {**settings, "queue.bytes": "20 MB"}, duration="10 s")
    assert kept.flows[0].retransmits == 0
    lost = tp.run("lte-cat4", {**settings, "radio.handover.forwarding": "false"}, duration="10 s")
    assert lost.flows[0].retransmits > 100


def test_mobiles_share_the_cell():
    settings = {**BEST, "radio.ues": "4", "flow.count": "4", "flow.hosts": "shared"}
    run = tp.run("lte-cat4", settings, duration="20 s")
    goodputs = np.array([mbps(flow) for flow in run.flows])
    assert 0.8 * 149.776 < goodputs.sum() < 149.776
    assert goodputs.min() > 0.6 * goodputs.mean()


def test_lte_m_is_long_and_thin():
    flow = flow_of("lte-m", {}, "30 s")
    assert 0.6 < mbps(flow) < 1
    assert (flow.rtt_s.mean or 0.0) > 0.5


@pytest.mark.parametrize("direction", ["downlink", "uplink"])
def test_half_duplex_carries_300_kbit_s(direction):
    """Of them 96 % are of link control's SDUs, and 97 % of these of TCP's segments."""
    flow = flow_of("lte-m-half", {**BEST, "flow.direction": direction}, "60 s")
    assert 0.9 * 0.3 * 0.96 * 0.97 < mbps(flow) < 0.3 * 0.96 * 0.97


def test_a_cellar_is_reached_by_repetitions():
    settings = {
        "flow.bytes": "20 kB",
        "tcp.initial_window": "1",
        "radio.downlink.snr": "-18 dB",
        "radio.uplink.snr": "-18 dB",
    }
    deep = flow_of("lte-m-deep", settings, "300 s")
    assert deep.completed_s is not None
    assert 1 < (deep.rtt_s.mean or 0.0) < 20
    once = flow_of("lte-m-deep", {**settings, "radio.lte.repetitions": "1"}, "300 s")
    assert once.completed_s is None


@pytest.mark.parametrize(("offload", "least", "most"), [("true", 1, 1.01), ("false", 5, 20)])
def test_a_receiver_that_offloads_acknowledges_a_block_once(offload, least, most):
    settings = {
        **BEST,
        "queue.bytes": "30 MB",
        "tcp.profile": "modern",
        "tcp.receive_offload": offload,
    }
    segments = tp.run("lte-cat4", settings, duration="3 s", trace=True).segments
    # One may tell of a wider window beside.
    acks = segments.filter(
        pl.col("event") == "sent", pl.col("towards") == "sender", pl.col("payload_bytes") == 0
    )
    assert least <= len(acks) / acks["time_s"].n_unique() <= most


def test_a_drive_between_cells_hands_over_by_measured_events():
    even = {"radio.journey.shadowing": "0 dB"}
    calm = tp.run("lte-between-cells", even).handovers
    assert calm["cell"].to_list() == [1, 0]
    assert calm["event"].to_list() == ["hard", "hard"]
    eager = {"radio.journey.hysteresis": "0 dB", "radio.journey.time_to_trigger": "0 s"}
    assert len(tp.run("lte-between-cells", even | eager).handovers) > 10
    away = {"radio.journey.to": "20 km,0 m", "radio.journey.speed": "500 m/s"}
    lost = tp.run("lte-between-cells", away)
    assert "failed" in lost.handovers["event"].to_list()
    assert lost.flows[0].bytes_acked > 10_000_000
    with pytest.raises(ValueError, match="nothing of the kind was in the run"):
        assert tp.run("lte-cat4", duration="1 s").handovers.is_empty()


def test_handovers_without_traffic_are_told_with_their_own_times():
    settings = {"radio.handover.at": "['5 s', '10 s', '25 s']", "flow.application": "web"}
    rows = tp.run("lte-cat4", settings, duration="40 s").handovers
    assert set(rows["time_s"]) <= {5.0, 10.0, 25.0}
    assert rows["time_s"].is_sorted()
    assert len(rows) >= 2


def test_a_better_cell_need_not_be_the_best_with_an_offset_below_zero():
    still = {"radio.journey.shadowing": "0 dB", "radio.journey.error": "0 dB"}
    eager = {"radio.journey.offset": "-15 dB", "radio.journey.hysteresis": "0 dB"}
    run = tp.run("lte-between-cells", still | eager)
    assert len(run.handovers) > 10, "each cell is better than the other"
