"""Links with losses, queues and schedules, set from Python."""

import pytest
import thinpipe as tp


def test_every_drop_is_seen_with_its_reason_and_in_the_hops():
    settings = {
        "link.drop_arrivals": "14,28",
        "link.outages": "[['0.8 s', '1 s']]",
        "link.schedule": "[{at = '2 s', rate = '1 Mbit/s'}]",
        "queue.kind": "codel",
    }
    run = tp.run("bottleneck", settings, trace=True)
    down = next(link for link in run.links if link.name == "bottleneck/down")
    drops = down.drops_by_reason
    assert (drops.list, drops.outage > 0, drops.queue) == (2, True, 0)
    assert down.drops == drops.list + drops.outage + drops.aqm + drops.loss
    assert len(run.hops.filter(event="dropped")) == sum(link.drops for link in run.links)


def test_a_trace_is_a_file(tmp_path):
    trace = tmp_path / "a.down"
    trace.write_text("12\n24\n", encoding="utf-8")
    run = tp.run("bottleneck", {"link.trace.down": str(trace), "queue.packets": "unlimited"})
    assert run.flows[0].bytes_acked == 200_000
    with pytest.raises(tp.ScenarioError, match="cannot read gone: No such file or directory"):
        tp.run("bottleneck", link__trace__down="gone")


# How many packets are in transmission at a time, or begin again after a change of cell: the most,
# on average. Link control of LTE, NR and NB-IoT takes packets from the queue to build blocks of
# them: those do not count any more.
IN_TRANSMISSION = {
    ("bottleneck", "queue.kind=codel"): 1,
    ("umts-dch-384", "radio.tbler=10 %"): 1,
    ("umts-dch-384", "radio.rlc.max_retransmissions=2"): 1,
    ("umts-cell-50", "radio.buffer.service=in-turn"): 4,
    ("hsdpa-3.6", "queue.kind=codel"): 1,
    ("gprs-3+1", "queue.kind=codel"): 1,
    ("gprs-3+1", "radio.reselections=[{at='3 s',forward='100 %'}, {at='7 s'}]"): 2,
    ("gprs-3+1", "radio.resets=['4 s']"): 1,
    ("gprs-3+1", "radio.outages=[['3 s', '6 s']]"): 1,
    ("edge-4+1", "radio.gprs.lifetime=2 s"): 1,
    ("lte-cat1", "queue.kind=codel"): 0,
    ("lte-cat1", "radio.lte.discard=500 ms"): 0,
    ("lte-m-half", "seed=1"): 0,
    ("nr-mmwave-blockage", "queue.kind=codel"): 0,
    ("nb-iot", "seed=1"): 0,
    ("satcom-edge", "queue.kind=codel"): 1,
    ("hmipv6-handover", "seed=1"): 2,
}
NO_CORE_NETWORK = {"radio.gprs.core.downlink": "0 s", "radio.gprs.core.uplink": "0 s"}
"""The table counts packets there, too."""


@pytest.mark.parametrize("case", IN_TRANSMISSION, ids=" ".join)
def test_the_mean_of_a_queue_is_that_of_its_table_and_of_what_is_in_transmission(case):
    name, setting = case
    of_gprs = NO_CORE_NETWORK if name in ("gprs-3+1", "edge-4+1") else {}
    settings = {"duration": "10 s", **dict([setting.split("=", 1)]), **of_gprs}
    run = tp.run(name, settings, trace=True)
    duration_s = run.result.duration_s
    for link in run.links:
        rows = run.queue.filter(link=link.name)
        if rows.is_empty():
            continue
        lasts_s = rows["time_s"].extend_constant(duration_s, 1).diff()[1:]
        waiting = float((rows["packets"] * lasts_s).sum()) / duration_s
        in_transmission = link.queue_packets.mean - waiting
        assert -1e-9 <= in_transmission <= IN_TRANSMISSION[case] + 1e-9, link.name
