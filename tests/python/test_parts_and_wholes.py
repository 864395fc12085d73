"""A part is no larger than the whole: of flows of several mobiles, in tables and pictures."""

from typing import Any

import numpy as np
import pytest
import thinpipe as tp
from matplotlib.figure import Figure
from thinpipe.lab.panel import Sight
from thinpipe.lab.views import queueing, round_trips
from thinpipe.plot.envelope import COLUMNS

MOBILES = 4

FAST = ("nr", "leo", "lte-cat", "hsdpa")
"""Beginnings of names of scenarios with many packets a second."""


def mobiles_of(scenario):
    """Return the key that says how many mobiles a scenario has; ``None`` if none does.

    One on a journey is alone.
    """
    values = scenario.values()
    if "radio.journey.speed" in values:
        return None
    return next((key for key in ("radio.ues", "wlan.mobiles") if key in values), None)


SEVERAL = {name: key for name, scenario in tp.scenarios().items() if (key := mobiles_of(scenario))}


def value_before(time_s, values, at_s):
    """Return a step curve just before some times, and 0 before it begins."""
    return np.append(0.0, values)[np.searchsorted(time_s, at_s, side="left")]


@pytest.mark.parametrize("name", SEVERAL)
def test_what_waits_is_part_of_what_it_is_shown_in(name):
    duration = "2 s" if name.startswith(FAST) else "20 s"
    several = {SEVERAL[name]: MOBILES, "flow.count": MOBILES}
    run = tp.run(name, several, duration=duration, trace=True)
    for flow in run.flows:
        if flow.datagrams is not None or flow.established_s is None:
            continue
        rtt = run.rtt.filter(run.rtt["flow"] == flow.id)
        times, rtts = (rtt[column].to_numpy() for column in ("time_s", "rtt_s"))
        panels = run.plot.overview(Figure().subplots(), flow=flow.id).axes[0].child_axes
        column_s = np.diff(panels[0].get_xlim())[0] / COLUMNS
        for panel in panels:
            for shade in panel.collections:
                if str(shade.get_label()).startswith("Of the RTT"):
                    [path] = shade.get_paths()
                    vertices = np.asarray(path.vertices)
                    top = vertices[1 : len(vertices) // 2]
                    waited = value_before(top[:, 0], top[:, 1], times)
                    assert np.all(waited <= rtts + column_s), flow.id
            lines = {str(each.get_label()): np.asarray(each.get_ydata()) for each in panel.lines}
            if "All that wait there" in lines:
                own = next(lines[each] for each in lines if each.startswith("Waiting at"))
                assert np.nanmax(own) <= np.nanmax(lines["All that wait there"])
        sight = Sight(run, 0, name, flow.id, 0.0, run.result.duration_s, 10**6)
        assert_within(round_trips.layers(sight), times, rtts)
        of_queue: dict[str, Any] = {str(layer["label"]): layer for layer in queueing.waiting(sight)}
        if "all there" in of_queue:
            own = next(of_queue[each] for each in of_queue if each.startswith("waiting at"))
            every = of_queue["all there"]
            assert own["x"] == every["x"]
            assert np.all(np.asarray(own["y"]) <= np.asarray(every["y"]))


def assert_within(layers, times, rtts):
    """Assert that what is drawn of round-trip times as part of them is no larger."""
    for layer in layers:
        if layer["label"] == "of it in the queue":
            waited = value_before(np.asarray(layer["x"]), np.asarray(layer["y"]), times)
            assert np.all(waited <= rtts + 1e-6)


@pytest.mark.parametrize("name", SEVERAL)
def test_shares_of_a_run_are_no_larger_than_it(name):
    duration = "2 s" if name.startswith(FAST) else "20 s"
    several = {SEVERAL[name]: MOBILES, "flow.count": MOBILES}
    result = tp.run(name, several, duration=duration).result
    for flow in result.flows:
        assert flow.retransmits <= flow.segments_sent
        assert (flow.normalized_throughput or 0.0) <= 1.0
        assert flow.network.efficiency is None or flow.network.efficiency <= 1.0
        if (by := flow.limited_by) is not None:
            shares = (by.cwnd, by.window, by.receiver, by.pacing, by.application, by.idle)
            assert sum(shares) == pytest.approx(1.0)
    for link in result.links:
        assert link.utilization is None or link.utilization <= 1.0


"""Of each link and mobile."""
