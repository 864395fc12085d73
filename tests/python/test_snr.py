"""The ratio of signal to noise of a mobile: its table, and its picture."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
import thinpipe as tp
from matplotlib import pyplot as plt
from thinpipe.plot.snr import changes, mobiles, ratios

NEEDS = r"^snr: needs a traced run whose radio has a ratio of signal to noise$"
QUICK = {"radio.lte.resource_blocks": "6"}


@pytest.fixture(scope="module")
def edge_and_centre():
    settings = {**QUICK, "radio.fading.deviation": "0 dB"}
    return tp.run("lte-edge-and-centre", settings, duration="2 s", trace=True)


def of(run, ue, direction):
    """Return the rows of a direction of a mobile."""
    rows = run.snr.with_columns(pl.col("direction").cast(str))
    return rows.filter(ue=ue, direction=direction).select("time_s", "snr_db").rows()


def test_a_recorded_drive_gives_back_its_own_column(root):
    run = tp.run("lte-drive-test", QUICK, duration="30 s", trace=True)
    file = root / "scenarios" / "traces" / "lte-drive-test.csv"
    column = pl.read_csv(file, comment_prefix="#", null_values="-")["SNR"].to_list()
    known = [(float(at), float(snr)) for at, snr in enumerate(column[:30]) if snr is not None]
    steps = [known[0], *(new for old, new in pairwise(known) if new[1] != old[1])]
    rows = of(run, 0, "down")
    assert [snr for _, snr in rows] == [snr for _, snr in steps]
    # A row comes with the first block that meets the ratio.
    late_s = [row[0] - step[0] for row, step in zip(rows[1:], steps[1:], strict=True)]
    assert 0 <= min(late_s) <= max(late_s) < 0.1


def test_a_radio_that_stays_as_it_is_has_a_row_a_direction(edge_and_centre):
    assert edge_and_centre.snr.columns == ["time_s", "ue", "direction", "snr_db"]
    for ue, snr in enumerate((2.0, 20.0)):
        for direction in ("down", "up"):
            assert [row[1] for row in of(edge_and_centre, ue, direction)] == [snr]


def test_mobiles_that_differ_are_named(edge_and_centre):
    assert mobiles(edge_and_centre) == ["edge", "centre"]
    figure = edge_and_centre.plot.snr(mobile=1)
    assert figure.axes[0].get_ylabel() == "SNR of centre (dB)"
    plt.close(figure)
    with pytest.raises(ValueError, match=r"^mobile: 2 is none of this run's, 0 to 1$"):
        edge_and_centre.plot.snr(mobile=2)


def test_fading_changes_the_ratio_at_each_measurement():
    run = tp.run("lte-edge-and-centre", QUICK, duration="2 s", trace=True)
    rows = of(run, 1, "down")
    assert len(rows) > 100
    assert all(old[1] != new[1] and old[0] < new[0] for old, new in pairwise(rows))


def test_handovers_are_marked_where_the_ratio_jumps():
    still = {"radio.journey.shadowing": "0 dB", "radio.journey.error": "0 dB"}
    settings = {**QUICK, **still, "radio.fading.deviation": "0 dB"}
    run = tp.run("lte-between-cells", settings, trace=True)
    ratio = ratios(run, 0)["down"]
    made = changes(run, 0, ratio)
    assert [change.cell for change in made["hard"]] == [1, 0]
    for change in made["hard"]:
        after = ratio.snr_db[ratio.time_s > change.time_s + 0.1][0]
        assert after > change.snr_db + 1, "it goes to a better cell"
    figure = run.plot.snr()
    _, labels = figure.axes[0].get_legend_handles_labels()
    assert "Handover (2)" in labels
    plt.close(figure)


@pytest.mark.parametrize("trace", [True, False])
def test_other_runs_have_none(trace):
    scenario = "umts-384" if trace else "lte-cat4"
    run = tp.run(scenario, duration="1 s", trace=trace)
    with pytest.raises(ValueError, match=NEEDS):
        run.plot.snr()
