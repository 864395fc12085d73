"""Radio blocks: every block is a cell, and an arrow leads from one to its repeat."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from thinpipe import load
from thinpipe.lab.views.blocks import BLOCKS_DOWN, BLOCKS_UP, MOST_BLOCKS, Blocks, segments_on_air

from tests.lab import asked

SPAN = (4.0, 5.0)
PANELS = {"down": BLOCKS_DOWN, "up": BLOCKS_UP}
SCENARIOS = {
    "umts-dch-384": {"duration": "10 s", "radio.tbler": "10 %"},
    "umts-thesis": {"duration": "10 s", "radio.tbler": "5 %"},
    "umts-handover": {"duration": "10 s"},
    "gprs-3+1": {"duration": "10 s"},
    "edge-4+1": {"duration": "10 s"},
}


@pytest.fixture(scope="module", params=SCENARIOS)
def run(request):
    return asked.traced(request.param, SCENARIOS[request.param])


def in_span(run, direction):
    rows = run.blocks.filter(pl.col("direction").cast(str) == direction)
    return rows.filter(pl.col("time_s").is_between(*SPAN))


@pytest.mark.parametrize("direction", PANELS)
def test_a_cell_a_block(run, direction):
    layers = PANELS[direction].build(asked.sight(run, *SPAN))
    cells = asked.of_kind(layers, "bars")
    rows = in_span(run, direction)
    assert 0 < len(rows) <= MOST_BLOCKS
    assert sum(len(each["x0"]) for each in cells) == len(rows)
    for each in cells:
        kind = each["label"].partition(" ")[0]
        some = rows.filter(pl.col("kind").cast(str) == kind, pl.col("error") == each["hollow"])
        assert each["x0"] == pytest.approx(some["time_s"].to_list())
    boxes = {(x, y) for each in cells for x, y in zip(each["x0"], each["y0"], strict=True)}
    assert len(boxes) == len(rows), "cells lie on each other"


@pytest.mark.parametrize("direction", PANELS)
def test_an_arrow_joins_a_block_and_its_repeat(run, direction):
    layers = PANELS[direction].build(asked.sight(run, *SPAN))
    rows = in_span(run, direction)
    blocks = Blocks.of(rows, alone=True)
    middle = {
        (round(float(at + blocks.tti_s / 2), 6), float(place + 0.5)): number
        for number, (at, place) in enumerate(zip(blocks.time_s, blocks.place, strict=True))
        if at + blocks.tti_s / 2 <= SPAN[1]
    }
    joined = 0
    for each in asked.of_kind(layers, "arrows"):
        for x0, y0, x1, y1 in zip(*(each[name] for name in ("x0", "y0", "x1", "y1")), strict=True):
            assert x0 < x1 or y0 != y1
            earlier, later = middle[round(x0, 6), y0], middle.get((round(x1, 6), y1))
            if later is None:
                continue  # in the TTI in which the span ends
            assert blocks.sn[earlier] == blocks.sn[later]
            assert blocks.time_s[earlier] < blocks.time_s[later]
            assert blocks.kind[later] == "retransmission"
            assert blocks.error[earlier] == each["label"].startswith("repeat (")
            joined += 1
    again = rows.filter(pl.col("kind").cast(str) == "retransmission")
    assert joined <= len(again)
    if direction == "down":
        assert joined >= len(again) // 2


def test_every_segment_is_in_a_block_between_entering_and_leaving():
    run = asked.traced("umts-dch-384", SCENARIOS["umts-dch-384"])
    whole = asked.sight(run, 1.0, 2.0)
    cells = asked.of_kind(BLOCKS_DOWN.build(whole), "bars")
    within = {uid for each in cells for uids in each["of"] for uid in uids}
    hops = run.hops.filter(pl.col("machine").cast(str) == "Uu")
    entered = dict(hops.filter(pl.col("event").cast(str) == "entered")["uid", "time_s"].iter_rows())
    left = dict(hops.filter(pl.col("event").cast(str) == "left")["uid", "time_s"].iter_rows())
    sent = [each for each in segments_on_air(whole, "down") if 1.05 < each.begin_s < 1.95]
    assert len(sent) > 20
    for each in sent:
        assert each.uid in within
        assert entered[each.uid] <= each.begin_s <= left[each.uid] == each.end_s
    for layer in cells:
        if not layer["label"].startswith("data"):
            continue  # a repeat may be late
        for at, uids in zip(layer["x0"], layer["of"], strict=True):
            assert all(entered[uid] <= at <= left.get(uid, np.inf) for uid in uids)


def test_data_and_their_repeat_carry_the_same():
    run = asked.traced("umts-dch-384", SCENARIOS["umts-dch-384"])
    cells = asked.of_kind(BLOCKS_DOWN.build(asked.sight(run, *SPAN)), "bars")
    found: dict[str, list[int]] = {}
    for each in cells:
        for tip, uids in zip(each["tips"], each["of"], strict=True):
            if tip.startswith(("data", "retransmission")):
                sn = tip.split(", ")[1]
                assert found.setdefault(sn, uids) == uids
    assert any(found.values())


def test_too_many_blocks_become_shares():
    run = asked.traced("umts-dch-384", SCENARIOS["umts-dch-384"])
    layers = BLOCKS_DOWN.build(asked.sight(run))
    assert {each["kind"] for each in layers} == {"step"}
    errors, repeated = layers
    rows = run.blocks.filter(pl.col("direction").cast(str) == "down")
    assert f"of {len(rows):,} blocks; zoom in" in errors["label"]
    mean = np.nanmean(np.array(errors["y"], dtype=float))
    assert mean == pytest.approx(rows["error"].mean(), abs=0.02)
    assert np.nanmax(np.array(repeated["y"], dtype=float)) <= 1


def test_blocks_of_several_mobiles_have_no_arrows():
    settings = {"duration": "20 s", "radio.ues": "3", "flow.count": "3"}
    run = asked.traced("gprs-3+1", settings)
    layers = BLOCKS_DOWN.build(asked.sight(run, 5.0, 8.0))
    assert asked.of_kind(layers, "bars")
    assert not asked.of_kind(layers, "arrows")


@pytest.mark.parametrize("text", ["data", "retransmission", "control"])
def test_tips_say_the_kind(text):
    run = asked.traced("umts-dch-384", SCENARIOS["umts-dch-384"])
    cells = asked.of_kind(BLOCKS_UP.build(asked.sight(run, *SPAN)), "bars")
    some = [each for each in cells if each["label"].startswith(text)]
    assert some
    for each in some:
        assert all(tip.startswith(text) for tip in each["tips"])
        assert all(("in error" in tip) == each["hollow"] for tip in each["tips"])


def test_a_run_that_was_saved_shows_the_same(tmp_path):
    run = asked.traced("umts-dch-384", SCENARIOS["umts-dch-384"])
    run.save(tmp_path / "saved")
    saved = load(tmp_path / "saved")
    for panel in PANELS.values():
        assert panel.build(asked.sight(saved, *SPAN)) == panel.build(asked.sight(run, *SPAN))
