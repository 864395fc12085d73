"""RRC states, codes and shared channels of cells."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest
from thinpipe.lab.views.cells import CODES, RRC, SHARED
from thinpipe.lab.views.energy import POWER
from thinpipe.plot.codes import allocations

from tests.lab import asked

SPANS = [(0.0, 60.0), (20.0, 40.0)]


@pytest.fixture(scope="module")
def cell():
    return asked.traced("umts-cell-50", {"duration": "60 s", "radio.ues": "52"})


@pytest.fixture(scope="module")
def walk():
    return asked.traced("umts-handover", {})


@pytest.mark.parametrize("span", SPANS, ids=str)
def test_states_of_each_mobile_cover_the_span_once(cell, span):
    sight = asked.sight(cell, *span)
    names = asked.rows(RRC, sight)
    assert len(names) == 52
    stays = defaultdict(list)
    for bars in asked.of_kind(RRC.build(sight), "bars"):
        places = zip(bars["x0"], bars["x1"], bars["y0"], bars["y1"], strict=True)
        for start_s, end_s, low, high in places:
            stays[round((low + high) / 2)].append((start_s, end_s))
    assert sorted(stays) == list(range(52))
    for spans in stays.values():
        spans.sort()
        assert spans[0][0] == span[0]
        assert spans[-1][1] == span[1]
        for (_, end_s), (start_s, _) in pairwise(spans):
            assert start_s == pytest.approx(end_s, abs=1e-6)


def test_the_first_mobile_is_at_the_top(cell):
    assert asked.rows(RRC, asked.sight(cell))[-1] == "UE-0"


@pytest.mark.parametrize("span", SPANS, ids=str)
def test_codes_never_overlap(cell, span):
    strips = asked.of_kind(CODES.build(asked.sight(cell, *span)), "bars")
    boxes = [
        box
        for each in strips
        for box in zip(each["x0"], each["x1"], each["y0"], each["y1"], strict=True)
    ]
    had = allocations(cell.codes, 0, 60.0)
    assert len(boxes) == len(had.filter((had["end_s"] > span[0]) & (had["start_s"] < span[1])))
    for number, (left, right, low, high) in enumerate(boxes):
        assert 0 <= low < high <= 1
        for its_left, its_right, its_low, its_high in boxes[:number]:
            apart = right <= its_left + 1e-6 or its_right <= left + 1e-6
            assert apart or high <= its_low + 1e-6 or its_high <= low + 1e-6


def test_refusals_are_counted(cell):
    [marks] = asked.of_kind(CODES.build(asked.sight(cell)), "marks")
    refused = (cell.codes["event"].cast(str) == "no-code").sum()
    assert marks["label"] == f"No code ({refused})"


def test_handovers_are_marked(walk):
    marks = asked.of_kind(RRC.build(asked.sight(walk)), "marks")
    at = sorted(time_s for each in marks for time_s in each["x"])
    assert at == pytest.approx(walk.handovers["time_s"].to_list())
    assert marks[0]["tips"][0].startswith("walker: soft, cell B")


def test_two_cells_are_above_each_other(walk):
    layers = CODES.build(asked.sight(walk))
    lows = sorted(int(low) for each in asked.of_kind(layers, "bars") for low in each["y0"])
    assert lows == [0, 1]
    [words] = asked.of_kind(layers, "words")
    assert [each.strip() for each in words["text"]] == ["cell A", "cell B"]


def test_load_is_that_of_the_blocks(cell):
    fach, rach = SHARED.build(asked.sight(cell))
    for layer, direction in ((fach, "down"), (rach, "up")):
        rows = cell.common.filter(cell.common["direction"].cast(str) == direction)
        used = (rows["blocks"] / rows["capacity"]).to_list()
        assert layer["y"][:60] == pytest.approx(used[:60], rel=1e-4)
        assert max(layer["y"]) <= 1


def test_powers_are_those_of_the_mobile_of_the_flow(cell):
    mobile = cell.mobiles[0]
    [curve] = POWER.build(asked.sight(cell))
    assert curve["label"] == f"UE-0: {mobile.energy_j:.4g} J"
    assert set(curve["y"]) <= {state.power_w for state in mobile.states}
    assert len(set(curve["y"])) > 2
    offered = asked.answer("gprs-3+1", {"duration": "2 s"})["offered"]
    assert "power" not in {each["name"] for each in offered}


def test_a_run_without_cells_has_none_of_it():
    offered = asked.answer("umts-dch-384", {"duration": "2 s"})["offered"]
    names = {each["name"] for each in offered}
    none = {"rrc", "codes", "shared", "map", "ladder", "middlebox", "datagrams", "fairness"}
    assert not names & none
    assert "blocks-down" in names
