"""The plots of a cell's code tree."""

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from thinpipe.plot import style
from thinpipe.plot.codes import FACTORS, MOBILES, allocations, draw_codes, draw_tree, tree, tree_at
from thinpipe.plot.drawing import View, finish

CODES = pl.DataFrame(
    [
        (1.0, 0, 7, 8, 1, "allocated"),
        (2.0, 0, 9, 16, 4, "allocated"),
        (3.0, 1, 4, 4, 3, "allocated"),
        (4.0, 0, 7, 8, 1, "released"),
        (4.0, 0, 3, 8, 1, "allocated"),
        (5.0, 0, 5, 4, 0, "no-code"),
        (6.0, 0, 5, 4, 0, "no-code"),
        (7.0, 0, 5, 4, 0, "no-power"),
        (8.0, 0, 3, 8, 1, "released"),
    ],
    schema=["time_s", "cell", "ue", "sf", "code", "event"],
    orient="row",
)


def axes() -> Axes:
    return Figure().subplots()


def in_use(*codes: tuple[int, int, str]) -> pl.DataFrame:
    return pl.DataFrame(codes, schema=["sf", "code", "state"], orient="row")


def test_each_allocation_ends_with_its_release():
    rows = allocations(CODES, cell=0, duration_s=10.0).rows()
    assert rows == [(7, 8, 1, 1.0, 4.0), (9, 16, 4, 2.0, 10.0), (3, 8, 1, 4.0, 8.0)]
    assert allocations(CODES, cell=1, duration_s=10.0).rows() == [(4, 4, 3, 3.0, 10.0)]
    assert len(allocations(CODES, cell=2, duration_s=10.0)) == 0


def test_a_code_in_use_blocks_above_and_below():
    states = tree(in_use((256, 0, "common"), (8, 5, "allocated")))
    assert len(states) == sum(FACTORS)
    of = {(sf, code): state for sf, code, state in states.rows()}
    assert of[8, 5] == "allocated"
    assert of[256, 0] == "common"
    for blocked in ((4, 0), (4, 2), (16, 10), (16, 11), (512, 383), (512, 0), (8, 0)):
        assert of[blocked] == "blocked", blocked
    for free in ((4, 1), (4, 3), (8, 4), (8, 1), (16, 9), (512, 2), (256, 1)):
        assert of[free] == "free", free
    shares = states.group_by("sf").agg((pl.col("state") == "free").mean().alias("free"))
    assert dict(shares.rows())[512] == 1 - 1 / 256 - 1 / 8


def test_a_tree_at_a_time():
    def used(time_s):
        states = tree_at(CODES, 0, time_s, common=[(256, 0)])
        return states.filter(pl.col("state").is_in(["allocated", "common"])).rows()

    common = (256, 0, "common")
    assert used(0.5) == [common]
    assert used(1.0) == [(8, 1, "allocated"), common]
    assert used(4.0) == [(8, 1, "allocated"), (16, 4, "allocated"), common]
    assert used(9.0) == [(16, 4, "allocated"), common]


@pytest.mark.parametrize(
    ("codes", "error"),
    [
        ([(12, 0, "allocated")], r"C\(12, 0\): there is no such code"),
        ([(8, 8, "allocated")], r"C\(8, 8\): there is no such code"),
        ([(8, 1, "allocated"), (4, 0, "allocated")], r"C\(4, 0\): a code above or below it"),
    ],
)
def test_no_tree_holds_these(codes, error):
    with pytest.raises(ValueError, match=error):
        tree(in_use(*codes))


def test_a_tree_shows_every_code():
    with style():
        ax = axes()
        draw_tree(
            ax, tree(in_use((256, 0, "common"), (8, 5, "allocated"), (512, 511, "allocated")))
        )
        ax.figure.canvas.draw()
    assert sum(len(each.get_paths()) for each in ax.collections) == sum(FACTORS)
    legend = ax.get_legend()
    assert legend is not None
    words = [text.get_text() for text in legend.get_texts()]
    assert words == ["Free", "Allocated", "Common", "Blocked"]


def test_codes_over_time_show_each_mobile_and_each_refusal():
    view = View.of(0.0, None, 10.0)
    with style():
        ax = axes()
        draw_codes(ax, view, CODES, cell=0, duration_s=10.0)
        finish(ax, view, "Share of the code space", bottom=None)
        ax.figure.canvas.draw()
    (strips,) = ax.collections
    boxes = [path.get_extents() for path in strips.get_paths()]
    assert [(box.x0, box.x1, box.y0, box.y1) for box in boxes] == [
        (1.0, 4.0, 1 / 8, 2 / 8),
        (2.0, 10.0, 4 / 16, 5 / 16),
        (4.0, 8.0, 1 / 8, 2 / 8),
    ]
    colors = [to_hex(color).upper() for color in np.asarray(strips.get_facecolor())]
    assert colors == [MOBILES[1], MOBILES[2], MOBILES[0]]
    legend = ax.get_legend()
    assert legend is not None
    words = [text.get_text() for text in legend.get_texts()]
    assert words == ["UE 3", "UE 7", "UE 9", "No code (2)", "No power (1)"]


def test_a_view_cuts_strips():
    ax = axes()
    draw_codes(ax, View.of(3.0, 5.0, 10.0), CODES, cell=0, duration_s=10.0)
    (strips,) = ax.collections
    boxes = [path.get_extents() for path in strips.get_paths()]
    assert [(box.x0, box.x1) for box in boxes] == [(3.0, 4.0), (3.0, 5.0), (4.0, 5.0)]


def test_a_cell_without_codes_is_empty():
    view = View.of(0.0, None, 10.0)
    with style():
        ax = axes()
        draw_codes(ax, view, CODES, cell=2, duration_s=10.0)
        finish(ax, view, "Share of the code space", bottom=None)
        ax.figure.canvas.draw()
    assert ax.get_legend() is None
