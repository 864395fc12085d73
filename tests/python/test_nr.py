"""What the scenarios of NR show, beside what was measured and specified."""

import thinpipe as tp

BEST = {
    "radio.downlink.snr": "60 dB",
    "radio.uplink.snr": "60 dB",
    "radio.fading.deviation": "0 dB",
}
"""A radio that is never the bottleneck."""


def mbps(flow: tp.Flow) -> float:
    return (flow.goodput_bps or 0.0) / 1e6


def flow_of(name: str, settings: dict[str, str], duration: str = "5 s") -> tp.Flow:
    return tp.run(name, settings, duration=duration).flows[0]


def test_time_division_has_its_share_of_the_peak_rate():
    # TS 38.306 §4.1.2: 2 layers, 8 bit, 948/1024, 273 · 12 subcarriers, 28,000 symbols/s, 14 % of
    # overhead; of five slots three are whole, and one has 8 symbols of 12.
    peak = 2 * 8 * 948 / 1024 * 273 * 12 * 28_000 * 0.86 / 1e6 * (3 + 8 / 12) / 5
    run = tp.run("nr-tdd-100", {**BEST, "queue.bytes": "20 MB"}, duration="20 s")
    [down] = [link for link in run.links if link.name == "Uu/down"]
    assert (down.utilization or 0.0) > 0.8
    # Headers of TCP/IP are 52 of 1500 bytes, those of NR 9 of a packet.
    assert 0.75 * peak < mbps(run.flows[0]) < 0.97 * peak


def test_a_thin_flow_takes_less_than_7_ms_down():
    # Rohde & Schwarz 2022: 100 kbit/s, a network that is not standalone.
    udp = {"flow.application": "udp", "flow.udp.rate": "100 kbit/s", "flow.udp.payload": "100 B"}
    run = tp.run("nr-tdd-100", udp, duration="10 s")
    delays = run.flows[0].network.delay_s
    # 4 ms of them on wires. A block that fails comes 2.5 ms later.
    assert 0.005 < (delays.p50 or 0.0) < 0.007


def test_pdcp_gives_up_what_link_control_would_repair():
    settings = {"radio.downlink.bler": "30 %", "radio.harq.repeats": "0"}
    lost = flow_of("nr-tdd-100", settings)
    kept = flow_of("nr-tdd-100", {**settings, "radio.nr.pdcp.reordering": "off"})
    assert lost.retransmits > 10
    assert kept.retransmits == 0


def test_a_blockage_stops_and_a_clear_way_does_not():
    clear = {"radio.blockage.loss": "0 dB"}
    whole, blocked = flow_of("nr-mmwave-blockage", clear), flow_of("nr-mmwave-blockage", {}, "30 s")
    assert mbps(blocked) < 0.95 * mbps(whole)
    assert (blocked.rtt_s.max or 0.0) > (whole.rtt_s.max or 0.0) + 0.1


def test_a_handover_with_forwarding_loses_nothing():
    settings = {
        "radio.handover.every": "1 s",
        "radio.handover.gap": "108 ms",
        "radio.nr.pdcp.reordering": "off",
        "queue.bytes": "60 MB",
    }
    kept = tp.run("nr-tdd-100", settings, duration="5 s")
    assert kept.flows[0].retransmits == 0
    settings = {**settings, "radio.handover.forwarding": "false"}
    lost = tp.run("nr-tdd-100", settings, duration="5 s")
    assert lost.flows[0].retransmits > 100


def test_a_mobile_draws_more_than_one_of_lte():
    per_second = []
    for name in ("lte-cat4", "nr-tdd-100"):
        run = tp.run(name, {"flow.bytes": "10 kB"}, duration="10 s")
        assert run.energy is not None
        per_second.append(run.energy.total_j / 10)
    assert 2 < per_second[1] / per_second[0] < 3
