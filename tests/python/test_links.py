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
