"""Groups of flows that differ, in what a page gets of a run."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
import thinpipe as tp
from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.groups import groups
from thinpipe.lab.views.goodput import GOODPUT, intervals, rates_kbps
from thinpipe.lab.views.queueing import parts_of
from thinpipe.lab.views.window import WINDOW
from thinpipe.plot.curves import COLORED, distinct_colors
from thinpipe.plot.queue import queue
from thinpipe.plot.style import ALGORITHMS, OTHER

from tests.lab import asked

MIXED = {"bbr.count": "3", "cubic.count": "2", "u.application": "udp", "u.udp.rate": "2 Mbit/s"}
SETTINGS = {f"flow.group.{key}": text for key, text in MIXED.items()} | {"duration": "6 s"}


@pytest.fixture(scope="module")
def mixed():
    return asked.traced("bbr-beside-cubic", SETTINGS)


def by_group(run):
    return asked.sight(run, flow=None)


def test_every_flow_is_in_one_group(mixed):
    found = groups(by_group(mixed))
    assert sorted(number for group in found for number in group.ids) == [*range(6)]
    assert [group.name for group in found] == [group.name for group in mixed.result.groups]
    assert len({group.color for group in found}) == len(found)


def test_colours_are_those_of_pictures():
    alike = asked.traced("rtt-unfairness", {"duration": "1 s"})
    found = [group.color for group in groups(by_group(alike))]
    assert found == distinct_colors(["cubic+rack", "cubic+rack"])
    assert found[0] == ALGORITHMS["cubic"] != found[1]
    differ = asked.traced("bbr-beside-cubic", {"duration": "1 s"})
    colors = [ALGORITHMS["bbr"], ALGORITHMS["cubic"]]
    assert [group.color for group in groups(by_group(differ))] == colors


@pytest.mark.parametrize("more", [{"flow": 1}, {"several": True}, {"ghost": True}])
def test_a_flow_or_runs_beside_it_take_their_place(mixed, more):
    assert groups(asked.sight(mixed, **({"flow": None} | more))) == []


def test_one_group_is_shown_flow_by_flow():
    settings = {"flow.group.bbr.count": "0", "flow.group.cubic.count": "3", "duration": "1 s"}
    assert groups(by_group(asked.traced("bbr-beside-cubic", settings))) == []


def test_more_groups_than_colours_are_not_told_apart():
    made = {f"flow.group.g{number}.count": "1" for number in range(COLORED)}
    run = tp.run("bbr-beside-cubic", made, duration="0.2 s")
    assert len(run.result.groups) == COLORED + 2
    assert groups(by_group(run)) == []


def test_parts_of_a_queue_are_the_whole_of_it(mixed):
    sight = by_group(mixed)
    whole = queue(sight.shown)
    parts = [part for _, part, _ in parts_of(sight, groups(sight))]
    assert len(parts) == 3
    np.testing.assert_array_equal(sum(each.packets.values for each in parts), whole.packets.values)
    assert sum(len(each.delay.values) for each in parts) == len(whole.delay.values)
    drops: defaultdict[str, int] = defaultdict(int)
    for part in parts:
        for reason, at in part.drops.items():
            drops[reason] += len(at.time_s)
    assert drops == {reason: len(at.time_s) for reason, at in whole.drops.items()}


@pytest.mark.parametrize("counts", [{}, {"bbr.count": "9"}], ids=["flows", "sums"])
def test_areas_of_groups_are_the_goodput_of_all(counts):
    more = {f"flow.group.{key}": text for key, text in counts.items()}
    sight = by_group(asked.traced("bbr-beside-cubic", SETTINGS | more))
    areas = [each for each in GOODPUT.build(sight) if each["kind"] == "area"]
    rates = rates_kbps(sight, intervals(sight))
    total = sum(np.subtract(each["high"], each["low"]) for each in areas)
    np.testing.assert_allclose(total, rates.sum(axis=0), atol=1e-3 * rates.sum(axis=0).max())
    assert {each["color"] for each in areas} == {group.color for group in groups(sight)}


def test_capacity_is_that_of_a_link_that_all_share():
    for name, expected in {"bbr-beside-cubic": "bottleneck/down", "parking-lot": None}.items():
        layers = GOODPUT.build(by_group(asked.traced(name, {"duration": "1 s"})))
        labels = [each["label"] for each in layers if each.get("filled")]
        assert labels == ([] if expected is None else [f"Capacity of {expected}"])


def test_every_panel_of_flows_shows_each_group():
    settings = {**SETTINGS, "flow.group.w.application": "web", "flow.group.w.tcp.variant": "vegas"}
    found = asked.answer("bbr-beside-cubic", settings)
    assert found["groups"] == ["bbr", "cubic", "u", "w"]
    panels = {panel["name"]: panel for panel in found["panels"]}
    tcp = {ALGORITHMS["bbr"], ALGORITHMS["cubic"], ALGORITHMS["vegas"]}
    for name, colors in {
        "cwnd": tcp,
        "rtt": tcp,
        "queue": {*tcp, OTHER},
        "delay": {*tcp, OTHER},
        "goodput": {*tcp, OTHER},
        "datagrams": {OTHER},
        "datagrams-lost": {OTHER},
        "pages": {ALGORITHMS["vegas"]},
    }.items():
        layers = panels[name]["layers"]
        assert {each["color"] for each in layers if "color" in each} == colors, name
        assert " of flow" not in panels[name]["title"]
    within = {layer["label"] for layer in panels["fairness"]["layers"]}
    assert within == {"Jain's index", "within bbr", "within cubic"}
    assert "of flow 0, bbr" in panels["sequence"]["title"]


def test_a_window_of_several_flows_is_their_mean(mixed):
    mean = asked.of_kind(WINDOW.build(by_group(mixed)), "step")[0]
    assert mean["label"] == "bbr, mean of 3"
    windows = []
    for number in range(3):
        rows = mixed.cwnd.filter(mixed.cwnd["flow"] == number)
        before = np.searchsorted(rows["time_s"], np.array(mean["x"]) + 1e-9, side="right") - 1
        windows.append(rows["cwnd_segments"].to_numpy()[before])
    within = slice(10, -10)  # where all have begun and none has ended
    off = np.abs(np.mean(windows, axis=0) - mean["y"])[within]
    assert np.median(off) < 1e-3


def test_a_first_group_begins_with_these_values():
    known = Catalogue({}).described("plain-384")
    assert known["new_group"]["count"] == "1"
    assert known["new_group"]["tcp.variant"] == known["values"]["tcp.variant"]
    assert known["new_group"]["delay"] == "0 s"


def test_a_notebook_shows_groups_unless_a_flow_is_chosen(mixed):
    assert "bbr, mean of 3" in tp.lab(mixed, panels=["cwnd"]).document
    assert "bbr, mean of 3" not in tp.lab(mixed, panels=["cwnd"], flow=0).document
