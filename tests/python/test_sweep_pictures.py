"""Scatter plots, distributions and boxes of many runs."""

import re
from typing import Any

import numpy as np
import polars as pl
import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from thinpipe.plot.style import ALGORITHMS, OTHER
from thinpipe.plot.sweep import KINDS, Choice, heading
from thinpipe.plot.sweep.limits import limits
from thinpipe.plot.sweep.looks import MARKS, line_looks, marks
from thinpipe.sweep import Study

VARIANTS, TBLERS = ("reno", "vegas", "cubic"), (0.0, 0.1)


@pytest.fixture(scope="module")
def study():
    return Study(
        tp.sweep(
            "umts-dch-384",
            {"tcp.variant": VARIANTS, "radio.tbler": "0 %,10 %"},
            {"duration": "10 s"},
            seeds="1..5",
            complete=True,
        )
    )


@pytest.fixture
def ax():
    return Figure(figsize=(9, 5), layout="constrained").subplots()


def rounded(value: float) -> float:
    return round(float(value), 6)


def points(ax) -> set[tuple[float, float, str]]:
    """Return the marks in axes with their colours."""
    return {
        (float(x), rounded(y), to_hex(line.get_color()).upper())
        for line in ax.lines
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def test_scatter_has_a_mark_a_run_in_the_colour_of_its_algorithm(study, ax):
    study.plot.scatter(ax)
    runs = study.frame.select("network.delay_s.p95", "goodput_bps", "tcp.variant").rows()
    assert {(x, rounded(y / 1000), ALGORITHMS[name]) for x, y, name in runs} <= points(ax)


def test_scatter_has_means_with_their_intervals(study, ax):
    study.plot.scatter(ax, x="rtt_s.mean")
    means = dict(study.estimates(["rtt_s.mean", "goodput_bps"]))
    drawn = points(ax)
    for (name, _), (x, y) in means.items():
        assert (x.mean, rounded(y.mean / 1000), ALGORITHMS[name]) in drawn
    ellipses = [
        (*each.center, each.width, each.height) for each in ax.patches if isinstance(each, Ellipse)
    ]
    assert ellipses[::2] == ellipses[1::2]  # an area and its outline
    ellipses = ellipses[::2]
    random = [found for (_, tbler), found in means.items() if tbler]
    expected = [(x.mean, y.mean / 1000, 2 * x.half, 2 * y.half / 1000) for x, y in random]
    assert ellipses == [pytest.approx(each) for each in expected]


def test_scatter_is_read_as_pantheons(study, ax):
    study.plot.scatter(ax)
    left, right = ax.get_xlim()
    assert left > right >= 0
    assert ax.get_ylim()[0] == 0
    assert ax.get_xlabel() == "Network delay 95 % (s), falling to the right"
    assert ax.get_ylabel() == "Goodput (kbit/s)"
    legend = [each.get_text() for each in ax.get_legend().get_texts()]
    assert [each for each in legend if each.strip()] == [
        "reno", "tbler 0 %", "vegas", "tbler 10 %", "cubic",
    ]  # fmt: skip


def test_equal_means_are_both_seen(study, ax):
    """Without block errors Reno and CUBIC do the same here."""
    study.plot.scatter(ax)
    means = dict(study.estimates(["network.delay_s.p95", "goodput_bps"]))
    assert means["reno", 0.0] == means["cubic", 0.0]
    sizes = {
        to_hex(line.get_color()).upper(): line.get_markersize()
        for line in ax.lines
        if line.get_markeredgecolor() == "white" and line.get_marker() == MARKS[0]
    }
    assert sizes[ALGORITHMS["cubic"]] < sizes[ALGORITHMS["reno"]] == sizes[ALGORITHMS["vegas"]]


@pytest.mark.parametrize("kind", KINDS)
def test_limits_hold_all_values_and_nothing_below_zero(study, ax, kind):
    getattr(study.plot, kind)(ax)
    low, high = sorted(ax.get_ylim())
    assert low == 0
    left, right = sorted(ax.get_xlim())
    for line in ax.lines:
        x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
        assert np.all((x >= left) & (x <= right))
        assert np.all((y >= low) & (y <= high))
    assert kind in ("lines", "box") or left >= 0


@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.lists(st.floats(-1e9, 1e9)))
def test_limits(values, reached):
    found = limits(values, reached)
    assert found is not None
    low, high = found
    assert low <= min(values) <= max(values) <= high
    assert low < high
    if min(values) >= 0:
        assert low >= 0
    else:
        assert low <= min([*values, *reached])


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_outside_the_figure(study, kind):
    figure = Figure(figsize=(9, 5), layout="constrained")
    getattr(study.plot, kind)(figure.subplots())
    figure.suptitle(heading(study, Choice.of(study, kind)), fontsize="medium")
    figure.draw_without_rendering()
    drawn, inside = figure.get_tightbbox(), figure.bbox_inches
    assert inside.x0 <= drawn.x0 < drawn.x1 <= inside.x1
    assert inside.y0 <= drawn.y0 < drawn.y1 <= inside.y1


def test_cdf_is_the_share_of_runs_up_to_a_value(study, ax):
    study.plot.cdf(ax, y="rtt_s.mean")
    lines = {
        (to_hex(line.get_color()).upper(), line.get_marker()): line
        for line in ax.lines
        if len(line.get_xdata())
    }
    for name in VARIANTS:
        for tbler, mark in zip(TBLERS, MARKS, strict=False):
            where = (pl.col("tcp.variant") == name) & (pl.col("radio.tbler") == tbler)
            values = np.asarray(study.frame.filter(where)["rtt_s.mean"])
            line = lines[ALGORITHMS[name], mark]
            assert sorted(values) == list(line.get_xdata())[1:]
            for x, share in zip(line.get_xdata()[1:], line.get_ydata()[1:], strict=True):
                assert share <= 100 * np.mean(values <= x) + 1e-9
            assert (line.get_ydata()[0], line.get_ydata()[-1]) == (0, 100)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("RTT mean (s)", "Share of runs (%)")


def test_distributions_may_take_parameters_together(study, ax):
    study.plot.cdf(ax, by=["tcp.variant"])
    lines = [line for line in ax.lines if len(line.get_xdata())]
    assert [len(line.get_xdata()) - 1 for line in lines] == [10, 10, 10]
    chosen = Choice.of(study, "cdf", by=["tcp.variant"])
    assert heading(study, chosen).endswith("distribution over 5 seeds and radio.tbler")
    with pytest.raises(ValueError, match=r"by: radio\.tbler varies as well"):
        study.plot.scatter(ax, by=["tcp.variant"])


def test_boxes_are_quartiles_and_whiskers_the_extremes(study, ax):
    study.plot.box(ax)
    assert [each.get_text() for each in ax.get_xticklabels()] == ["0 %", "10 %"]
    assert [each.get_text() for each in ax.get_legend().get_texts()] == [*VARIANTS]
    boxes = iter(ax.patches)
    for name in VARIANTS:
        for tbler in TBLERS:
            where = (pl.col("tcp.variant") == name) & (pl.col("radio.tbler") == tbler)
            values = np.asarray(study.frame.filter(where)["goodput_bps"]) / 1000
            box = next(boxes)
            height = box.get_path().vertices[:, 1]
            quartiles = np.percentile(values, [25, 75])
            assert (height.min(), height.max()) == pytest.approx(tuple(quartiles))
            assert to_hex(box.get_facecolor()).upper() == ALGORITHMS[name]
    drawn = {rounded(y) for line in ax.lines for y in line.get_ydata()}
    goodputs = np.asarray(study.frame["goodput_bps"]) / 1000
    assert {rounded(goodputs.min()), rounded(goodputs.max())} <= drawn


def test_box_of_one_parameter_has_its_values_on_the_axis(ax):
    frame = tp.sweep(
        "umts-dch-384", {"tcp.variant": "vegas,reno"}, {"duration": "5 s"}, seeds="1,2"
    )
    Study(frame).plot.box(ax)
    assert [each.get_text() for each in ax.get_xticklabels()] == ["vegas", "reno"]
    colors = [to_hex(each.get_facecolor()).upper() for each in ax.patches]
    assert colors == [ALGORITHMS["vegas"], ALGORITHMS["reno"]]


def test_single_runs_are_drawn(ax):
    """As of runs that were saved: each differs, and none has an interval."""
    runs = [
        tp.run("umts-dch-384", {"tcp.variant": name}, duration="5 s") for name in ("bbr", "vegas")
    ]
    study = Study(tp.frame(runs))
    study.plot.scatter(ax)
    assert {color for _, _, color in points(ax)} == {ALGORITHMS["bbr"], ALGORITHMS["vegas"]}
    assert not [each for each in ax.patches if isinstance(each, Ellipse)]
    expected = "umts-dch-384: one run a point, no intervals"
    assert heading(study, Choice.of(study, "scatter")) == expected


def test_an_algorithm_of_ones_own_has_another_colour(ax):
    frame = tp.sweep("umts-dch-384", {"tcp.variant": "reno,vegas"}, {"duration": "2 s"})
    mine = frame.with_columns(pl.Series("tcp.variant", ["mine", "vegas"]))
    Study(mine).plot.scatter(ax)
    assert {color for _, _, color in points(ax)} == {OTHER, ALGORITHMS["vegas"]}


def test_pictures_of_constants(study, ax):
    """What is the same in every run may be drawn as well."""
    study.plot.lines(ax, y="links.marks")
    assert ax.get_ylabel() == "Links marks"


def test_algorithms_on_the_axis_have_their_colours():
    frame = tp.sweep("umts-dch-384", {"tcp.variant": "reno, vegas"}, {"duration": "20 s"})
    ax = tp.Study(frame).plot.lines().axes[0]
    colors = [line.get_color() for line in ax.lines]
    assert colors == [ALGORITHMS["reno"], ALGORITHMS["vegas"]]
    assert ax.get_legend() is None


@pytest.mark.parametrize("count", [2, 8, 40])
def test_no_two_values_share_a_mark(count):
    assert len(set(marks(count))) == count
    labels = [f"value {number}" for number in range(count)]
    assert len(set(line_looks(labels).values())) == count


def test_a_colour_has_no_mark_where_marks_have_a_meaning():
    runs = tp.run_many(
        tp.Point.of("plain-384", tcp__variant=variant, queue__packets=packets, duration="2 s")
        for variant in ("reno", "vegas")
        for packets in (4, 8, 16)
    )
    ax = Figure().subplots()
    tp.Study(tp.frame(runs)).plot.scatter(ax)
    legend = ax.get_legend()
    assert legend is not None
    handles: list[Any] = [*legend.legend_handles]
    by_label = {each.get_label(): each for each in handles if each.get_label().strip()}
    assert {by_label[each].get_marker() for each in ("reno", "vegas")} == {"None"}
    shapes = [each.get_marker() for label, each in by_label.items() if label.startswith("packets")]
    assert len(shapes) == len(set(shapes)) == 3


def test_an_axis_may_be_logarithmic(study):
    for kind, log in (("lines", "y"), ("scatter", "xy"), ("cdf", "x"), ("box", "y")):
        ax = Figure().subplots()
        getattr(study.plot, kind)(ax, log=log)
        for axis in "xy":
            scale, limits_of = getattr(ax, f"get_{axis}scale")(), getattr(ax, f"get_{axis}lim")()
            assert scale == ("log" if axis in log else "linear")
            assert axis not in log or min(limits_of) > 0.0
    for kind, log, reason in (
        ("lines", "x", "log=x: radio.tbler is 0 in a run, and must be above zero"),
        ("cdf", "y", "log=y: must be x"),
        ("box", "z", "log=z: must be y"),
        ("lines", "z", "log=z: must be x, y or xy"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
            getattr(study.plot, kind)(Figure().subplots(), log=log)


def test_words_have_no_place_on_a_logarithmic_axis():
    vary = {"queue.packets": "10,100,unlimited"}
    study = tp.Study(tp.sweep("plain-384", vary, {"duration": "2 s"}))
    reason = "log=x: queue.packets is unlimited in a run, which is no number"
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        study.plot.lines(Figure().subplots(), log="x")
