"""Runs of networks of cells: tables, metrics and plots agree."""

import json
from collections import Counter

import matplotlib.image
import polars as pl
import pytest
import thinpipe as tp
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from thinpipe.plot.cells import STATES, stays
from thinpipe.plot.codes import allocations, busiest, tree_at
from thinpipe.plot.kinds import CELLS, KINDS
from thinpipe.plot.picture import write_picture

OF_CELLS = [name for name, kind in KINDS.items() if kind.needs == CELLS]
LEAVES = 512
DURATION_S = 120.0

COLUMNS = {
    "rrc": ["time_s", "ue", "from", "to", "event"],
    "codes": ["time_s", "cell", "ue", "sf", "code", "event"],
    "handovers": ["time_s", "ue", "cell", "event"],
    "common": ["time_s", "cell", "direction", "blocks", "capacity"],
    "pages": ["time_s", "flow", "bytes", "response_s"],
}

PATHS = {
    "idle": {"cell-fach", "cell-dch"},
    "cell-fach": {"cell-dch", "cell-pch", "ura-pch", "idle"},
    "cell-dch": {"cell-fach", "cell-pch", "ura-pch", "idle"},
    "cell-pch": {"cell-fach", "ura-pch", "idle"},
    "ura-pch": {"cell-fach", "idle"},
}
"""Allowed state changes, TS 25.331 §7.1."""


@pytest.fixture(scope="module")
def busy() -> tp.Run:
    return tp.run("umts-cell-50", duration=f"{DURATION_S} s")


@pytest.fixture(scope="module")
def walk() -> tp.Run:
    return tp.run("umts-handover")


@pytest.fixture(params=["busy", "walk"])
def run(request) -> tp.Run:
    found: tp.Run = request.getfixturevalue(request.param)
    return found


def cell_of(run: tp.Run) -> tp.Cell:
    assert run.cell is not None
    return run.cell


def leaves(sf: int, code: int) -> range:
    return range(code * LEAVES // sf, (code + 1) * LEAVES // sf)


def axes() -> Axes:
    return Figure(figsize=(9, 5), layout="constrained").subplots()


@pytest.mark.parametrize("name", COLUMNS)
def test_tables_are_in_order_of_time(busy, name):
    table = getattr(busy, name)
    assert table.columns == COLUMNS[name]
    assert table["time_s"].is_between(0, DURATION_S).all()
    order = table if name != "pages" else table.filter(pl.col("flow") == 0)
    assert order["time_s"].is_sorted()


def test_states_follow_the_table(run):
    cell = cell_of(run)
    state: dict[int, str] = {}
    for ue, before, after in run.rrc.select("ue", "from", "to").iter_rows():
        assert state.get(ue, "idle") == before
        assert after in PATHS[before]
        state[ue] = after
    assert len(run.rrc) == cell.state_changes
    assert set(state) <= set(range(cell.ues))


def test_shares_of_time_are_those_of_the_states(run):
    cell, duration_s = cell_of(run), run.result.duration_s
    spans = stays(run.rrc, cell.ues, duration_s)
    still = cell.ues - run.rrc["ue"].n_unique()
    for state in STATES:
        time_s = (spans["end_s"] - spans["start_s"]).filter(spans["state"] == state).sum()
        time_s += still * duration_s if state == "idle" else 0
        share = getattr(cell.time_share, state.replace("-", "_"))
        assert share == pytest.approx(time_s / (cell.ues * duration_s), abs=1e-9), state


def test_a_code_is_had_by_one_at_a_time_and_refused_only_where_none_is_free(run):
    common = {leaf for sf, code in cell_of(run).common_codes for leaf in leaves(sf, code)}
    assert len(common) == 2 + 2 + LEAVES // 64  # pilot, P-CCPCH, and the FACH's
    used = {cell: dict.fromkeys(common, "common") for cell in range(cell_of(run).cells)}
    for _, cell, ue, sf, code, event in run.codes.iter_rows():
        own, taken = leaves(sf, code), used[cell]
        if event == "allocated":
            assert not any(leaf in taken for leaf in own)
            taken.update(dict.fromkeys(own, ue))
        elif event == "released":
            assert {taken.pop(leaf) for leaf in own} == {ue}
        elif event == "no-code":
            assert all(any(leaf in taken for leaf in leaves(sf, n)) for n in range(sf))
    counts = Counter(run.codes["event"].to_list())
    blocked = cell_of(run).blocked
    refused = (counts["no-code"], counts["no-power"], counts["no-uplink"])
    assert refused == (blocked.code, blocked.power, blocked.uplink)


def test_dedicated_channels_have_a_code(busy):
    spans = stays(busy.rrc, cell_of(busy).ues, DURATION_S).filter(pl.col("state") == "cell-dch")
    had = allocations(busy.codes, 0, DURATION_S)
    assert len(spans) > 100
    for ue, _, start_s, end_s in spans.iter_rows():
        whose = (had["ue"] == ue) & (had["start_s"] <= start_s) & (had["end_s"] >= end_s)
        assert whose.sum() == 1, (ue, start_s)


def test_codes_in_use_are_those_of_the_table(run):
    cell, duration_s = cell_of(run), run.result.duration_s
    had = pl.concat([allocations(run.codes, each, duration_s) for each in range(cell.cells)])
    lasted_s = had["end_s"] - had["start_s"]
    assert cell.codes_in_use.mean == pytest.approx(lasted_s.sum() / duration_s)
    shares = (lasted_s / had["sf"]).sum() / duration_s / cell.cells
    assert cell.codes_in_use.occupancy == pytest.approx(shares)


def test_shared_channels_have_room(run):
    common, shared = run.common, cell_of(run).shared
    assert (common["blocks"] <= common["capacity"]).all()
    assert (common["time_s"] % 1 == 0).all()
    assert not common.select("time_s", "cell", "direction").is_duplicated().any()
    sums = {
        way: common.filter(pl.col("direction") == way)["blocks"].sum() for way in ("down", "up")
    }
    assert sums == {"down": shared.fach, "up": shared.rach}


def test_pages_are_counted_as_in_the_figures(busy):
    assert len(busy.pages) > 100
    for flow in busy.flows:
        rows = busy.pages.filter(pl.col("flow") == flow.id)
        assert flow.pages is not None
        assert (flow.pages.count, flow.pages.bytes) == (len(rows), rows["bytes"].sum())
        # The ACK of the newest page's end may still be in flight.
        assert rows.sort("time_s")["bytes"][:-1].sum() <= flow.bytes_acked
        if len(rows):
            assert flow.pages.response_s.max == pytest.approx(rows["response_s"].max(), rel=1e-3)
            assert (rows["time_s"] - rows["response_s"] >= -1e-9).all()


def test_handovers_join_before_they_leave(walk):
    events = walk.handovers.select("cell", "event").rows()
    assert events[:2] == [(1, "soft"), (0, "removed")]
    handovers = cell_of(walk).handovers
    assert (handovers.soft, handovers.hard, handovers.failed) == (1, 0, 0)
    first, second = (allocations(walk.codes, cell, 200.0).row(0, named=True) for cell in (0, 1))
    assert first["start_s"] < second["start_s"] < first["end_s"] < second["end_s"] == 200.0


def test_the_figures_are_in_the_json_and_a_saved_run_has_them_all(busy, tmp_path):
    told = json.loads(busy.json())["cell"]
    assert (told["ues"], told["cells"]) == (50, 1)
    assert told["common_codes"] == [[256, 0], [256, 1], [64, 1]]
    assert told["state_changes"] == len(busy.rrc)
    busy.save(tmp_path / "run")
    saved = tp.load(tmp_path / "run")
    assert saved.cell == busy.cell
    for name in COLUMNS:
        assert getattr(saved, name).equals(getattr(busy, name)), name


def test_runs_without_cells_or_pages_say_so():
    run = tp.run("plain-384", duration="1 s")
    assert run.cell is None
    for kind in OF_CELLS:
        with pytest.raises(ValueError, match=rf"^{kind}: needs a run with radio\.kind"):
            getattr(run.plot, kind)(axes())
    for name in COLUMNS:
        with pytest.raises(ValueError, match=name):
            getattr(run, name)


def test_picture_of_a_cell(busy):
    ax = busy.plot.cell(axes(), end_s=60.0).axes[0]
    states, codes, shared = ax.child_axes
    labels = [[text.get_text() for text in each.get_legend().get_texts()] for each in ax.child_axes]
    refused = busy.codes.filter(pl.col("event") == "no-code", pl.col("time_s") <= 60)
    assert labels[0] == ["idle", "cell-pch", "cell-fach", "cell-dch"]
    assert labels[1] == [f"No code ({len(refused)})"]
    assert labels[2] == ["FACH", "RACH"]
    assert (states.get_ylabel(), shared.get_xlabel()) == ("Mobile", "Time (s)")
    assert shared.get_ylabel() == "Load (%)"
    assert codes.get_ylabel() == "Share of codes,\ncell 0"


def test_picture_of_one_mobile_counts_mobiles(walk):
    states = walk.plot.cell(axes(), cell=1).axes[0].child_axes[0]
    assert [tick for tick in states.get_yticks() if -0.5 < tick < 0.5] == [0]


def test_picture_of_the_code_tree(busy):
    at_s = busiest(busy.codes, 0, DURATION_S)
    ax = busy.plot.codes(axes()).axes[0]
    tree, time = ax.child_axes
    assert tree.get_xlabel() == f"Share of the codes of cell 0, at {at_s:.6g} s"
    states = tree_at(busy.codes, 0, at_s, cell_of(busy).common_codes)
    names = {text.get_text() for text in tree.texts}
    allocated = states.filter(pl.col("state") == "allocated")
    assert sum(name.startswith("UE") for name in names) == len(allocated)
    assert (1 / allocated["sf"]).sum() == pytest.approx(1 - 1 / 32)
    assert time.get_legend().get_texts()[0].get_text().startswith("No code (")


def test_tree_at_another_time_and_of_another_cell(walk):
    def whose(**options: float) -> set[str]:
        tree = walk.plot.codes(axes(), **options).axes[0].child_axes[0]
        return {text.get_text() for text in tree.texts if text.get_text().startswith("UE")}

    assert whose(at_s=0.1) == set()
    assert whose(at_s=80.0) == {"UE 0"}
    assert whose(at_s=80.0, cell=1) == set()
    assert whose(at_s=100.0, cell=1) == {"UE 0"}
    assert whose(at_s=150.0) == set()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cell": 2}, "cell: 2 is none of this run's, 0 to 1"),
        ({"at_s": 201.0}, "at_s: must be from 0 s to 200 s, not 201 s"),
        ({"at_s": -1.0}, "at_s: must be from 0 s to 200 s, not -1 s"),
        ({"start_s": 200.0}, "start_s: must be from 0 s to below 200 s, not 200 s"),
    ],
)
def test_pictures_that_are_none(walk, options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        walk.plot.codes(axes(), **options)


@pytest.mark.parametrize("kind", OF_CELLS)
@pytest.mark.parametrize("name", ["busy", "walk"])
def test_nothing_is_cut_off(request, tmp_path, kind, name):
    file = tmp_path / "a.png"
    write_picture(request.getfixturevalue(name), file, kind)
    image = matplotlib.image.imread(file)[..., :3]
    assert image.std() > 0.05
    for edge in (image[0], image[-1], image[:, 0], image[:, -1]):
        assert (edge == 1).all()
