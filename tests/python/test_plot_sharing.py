"""Several runs and several flows in the same axes."""

from itertools import combinations
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
import thinpipe as tp
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import StepPatch
from thinpipe.plot.curves import (
    CLEAR,
    COLORED,
    COUNTED,
    DASHES,
    GRID,
    NOTHING,
    Curve,
    Steps,
    color_of,
    column_means,
    distinct_colors,
    labels,
    looks,
    repeats,
)
from thinpipe.plot.drawing import LAST, View, legend_above
from thinpipe.plot.groups import shapes
from thinpipe.plot.kinds import KINDS, SHARING, UDP, WIDE
from thinpipe.plot.picture import write_picture, write_picture_of_several
from thinpipe.plot.series import segments_sent, sending_end
from thinpipe.plot.shown import Flows
from thinpipe.plot.style import ALGORITHMS, COLORS, OTHER
from thinpipe.plot.vision import difference

from tests.legends import entries as legend

IN_PANELS = ("overview", "queue")
SHARED = [
    kind
    for kind in KINDS.values()
    if kind.shares and kind.name not in IN_PANELS and kind.needs != UDP
]
MANY = 40
"""Groups of one algorithm: more than there are colours."""

KIND = pytest.mark.parametrize("kind", SHARED, ids=lambda kind: kind.name)


def axes() -> Axes:
    return Figure().subplots()


def named(ax, label):
    return next(each for each in ax.lines if each.get_label() == label)


def color(ax, label):
    return to_hex(named(ax, label).get_color())


@pytest.fixture(scope="module")
def runs():
    return {
        name: tp.run("plain-384", {"tcp.variant": name}, duration=f"{length} s", trace=True)
        for name, length in (("reno", 20), ("vegas", 10))
    }


@pytest.fixture(scope="module")
def flows():
    return tp.run("dumbbell-100", {"flow.count": COLORED + 1}, duration="2 s", trace=True)


@KIND
@pytest.mark.parametrize("order", [("reno", "vegas"), ("vegas", "reno")])
def test_several_runs_have_colours_and_labels_of_their_own(runs, kind, order):
    """Each algorithm has one colour, whatever the order; the axes hold the longest run."""
    ax = axes()
    for name in order:
        assert getattr(runs[name].plot, kind.method)(ax) is ax.figure
    assert legend(ax)[:2] == list(order)
    for name in order:
        assert color(ax, name) == ALGORITHMS[name].lower()
    assert named(ax, order[0]).get_linestyle() != named(ax, order[1]).get_linestyle()
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > max(np.nanmax(np.append(each.get_ydata(), 0)) for each in ax.lines)
    if kind.method != "rtt_histogram":
        assert ax.get_xlim() == pytest.approx((-0.2, 20.2))


@KIND
def test_together_is_what_one_by_one_gives(runs, kind):
    """The second run changes how the first one looks, and leaves nothing behind."""
    one, two = axes(), axes()
    draw = getattr(runs["reno"].plot, kind.method)
    draw(one, label="a")
    alone = len(one.get_children())
    draw(two, label="a")
    getattr(runs["vegas"].plot, kind.method)(two, label="b")
    assert legend(two)[:2] == ["a", "b"]
    two.clear()
    draw(two, label="a")
    assert len(two.get_children()) == alone
    assert [each.get_label() for each in two.lines] == [each.get_label() for each in one.lines]


def test_another_kind_in_the_same_axes_leaves_the_first_there(runs):
    ax = axes()
    runs["reno"].plot.goodput(ax, label="goodput")
    runs["reno"].plot.throughput(ax)
    assert [each.get_label() for each in ax.patches] == ["goodput"]
    assert "Mean so far" in legend(ax)


def test_the_same_algorithm_twice_has_two_colours_and_the_label_that_is_given(runs):
    ax = axes()
    for label in ("one", "two", "three"):
        runs["reno"].plot.cwnd(ax, label=label)
        assert legend(ax)[0] == "one"
    assert legend(ax)[:3] == ["one", "two", "three"]
    assert len({color(ax, label) for label in ("one", "two", "three")}) == 3


def curves(*variants: str) -> list[Curve[None]]:
    return [Curve(variant, None, View(0, 1), None) for variant in variants]


def test_no_repeat_takes_the_colour_of_an_algorithm_that_is_there():
    given = looks(curves("reno", "reno", "reno", "wtcp", "mine", "vegas"))
    assert [given[index].color for index in (0, 3, 4, 5)] == [
        ALGORITHMS["reno"],
        ALGORITHMS["wtcp"],
        OTHER,
        ALGORITHMS["vegas"],
    ]
    assert len({look.color for look in given}) == len(given)
    assert color_of("reno+sack") == ALGORITHMS["reno"]


@pytest.mark.parametrize("variant", [*ALGORITHMS, "mine"])
@pytest.mark.parametrize("count", [2, 3])
def test_groups_of_an_algorithm_differ_for_colour_blind_readers_too(variant, count):
    """At least as a grey line differs from the page."""
    colors = distinct_colors([variant] * count)
    least = min(difference(one, other) for one, other in combinations(colors, 2))
    assert least > difference(COLORS["muted"], "#FFFFFF")


def test_no_two_of_many_groups_look_alike():
    colors = distinct_colors(["cubic+rack"] * MANY)
    assert len(set(colors)) < MANY
    assert len(set(zip(colors, shapes(colors), strict=True))) == MANY
    assert max(repeats(colors)) < len(DASHES)


def test_who_sees_no_red_or_green_tells_fewer_colours_apart():
    assert difference("#FF0000", "#008000") < difference("#0000FF", "#FFFF00") / 2
    assert difference("#0072B2", "#0072B2") == 0


def test_a_dozen_curves_differ_and_more_are_grey():
    dozen = looks(curves(*["reno"] * COLORED))
    assert len({(look.color, str(look.dashes)) for look in dozen}) == COLORED
    many = looks(curves(*["reno"] * (COLORED + 1)))
    assert {look.color for look in many} == {COLORS["muted"]}
    assert [look.label for look in many if look.label != "_"] == [f"Each of {COLORED + 1} flows"]


@pytest.mark.parametrize("length", [4, 60])
@pytest.mark.parametrize("count", [6, 13, 60])
def test_a_legend_leaves_room_for_the_curves(count, length):
    """However many entries it has: those in the middle are counted."""
    figure = Figure(figsize=WIDE, layout="constrained")
    ax = figure.subplots()
    names = [f"{number:02}".ljust(length, "x") for number in range(count)]
    for name in names:
        ax.plot([0, 1], [0, 1], label=name)
    legend_above(ax)
    figure.draw_without_rendering()
    shown = legend(ax)
    gap = [each for each in shown if each.startswith("…")]
    left_out = count - (len(shown) - len(gap))
    assert gap == ([f"… and {left_out} more"] if left_out else [])
    assert [each for each in names if each in shown] == [each for each in shown if each not in gap]
    assert shown[-LAST:] == names[-LAST:]
    assert ax.get_window_extent().height > figure.bbox.height / 2


@KIND
def test_flows_of_a_run_are_named_by_their_numbers(flows, kind):
    ax = getattr(flows.plot, kind.method)(axes(), flow=[0, 2]).axes[0]
    assert legend(ax)[:2] == ["flow 0 (reno)", "flow 2 (reno)"]
    assert color(ax, "flow 0 (reno)") != color(ax, "flow 2 (reno)")
    ax = getattr(flows.plot, kind.method)(axes(), flow=[0, 2], label="a").axes[0]
    assert legend(ax)[:2] == ["a, flow 0", "a, flow 2"]


@KIND
def test_all_of_many_flows_are_grey_with_their_mean(flows, kind):
    ax = getattr(flows.plot, kind.method)(axes(), flow="all").axes[0]
    grey = [each for each in ax.lines if each.get_linewidth() < 1]
    assert {to_hex(each.get_color()) for each in grey} == {COLORS["muted"].lower()}
    assert len(grey) == COLORED + 1
    said = "All samples" if kind.name == "rtt-histogram" else f"Mean of {COLORED + 1} (reno)"
    assert legend(ax)[:2] == [f"Each of {COLORED + 1} flows", said]
    low, high = (bound(np.nanmin(each.get_ydata()) for each in grey) for bound in (min, max))
    mean = named(ax, said).get_ydata()
    assert low <= np.min(mean)
    assert np.max(mean) <= max(np.nanmax(each.get_ydata()) for each in grey)
    assert high >= low


def test_mean_of_many_is_their_mean(flows):
    ax = flows.plot.cwnd(axes(), flow="all").axes[0]
    [mean] = [each for each in ax.lines if each.get_label().startswith("Mean of")]
    at_s, value = mean.get_xdata()[500], mean.get_ydata()[500]
    rows = flows.cwnd.filter(flows.cwnd["time_s"] <= at_s)
    held = [of["cwnd_segments"][-1] for _, of in rows.group_by("flow", maintain_order=True)]
    assert value == pytest.approx(sum(held) / len(held))


def test_many_flows_have_a_mean_by_group():
    """Groups of the same algorithm have colours of their own, and their means are their own."""
    groups = {"flow.count": 0, "flow.group.a.count": COLORED, "flow.group.b.count": 2}
    run = tp.run("dumbbell-100", groups, duration="2 s", trace=True)
    ax = run.plot.cwnd(axes(), flow="all").axes[0]
    said = [f"Mean of {COLORED} (a, reno)", "Mean of 2 (b, reno)"]
    assert legend(ax)[1:3] == said
    assert len({color(ax, label) for label in said}) == len(said)
    at_s, value = (of[500] for of in named(ax, said[1]).get_data())
    rows = run.cwnd.filter(run.cwnd["time_s"] <= at_s, run.cwnd["flow"] >= COLORED)
    held = [of["cwnd_segments"][-1] for _, of in rows.group_by("flow", maintain_order=True)]
    assert value == pytest.approx(sum(held) / len(held))


def test_titles_say_which_flow_of_how_many_and_its_group(tmp_path):
    def title(run: tp.Run, flow: Flows | None) -> str:
        with patch("matplotlib.figure.Figure.suptitle") as suptitle:
            write_picture(run, tmp_path / "one.svg", "cwnd", flow=flow)
        return str(suptitle.call_args.args[0]).partition(", seed 1")[2]

    one = tp.run("dumbbell-100", {"flow.count": 1}, duration="1 s")
    assert title(one, None) == ", flow 0: reno"
    groups = {"flow.count": "0", "flow.group.a.count": "2", "flow.group.b.tcp.variant": "vegas"}
    several = tp.run("dumbbell-100", groups, duration="1 s")
    assert title(several, None) == ", flow 0 of 3, a: reno"
    assert title(several, 2) == ", flow 2 of 3, b: vegas"
    assert title(several, [0, 2]) == ", flows 0,2 of 3"
    assert title(several, "all") == ", all flows"


def test_means_of_columns_keep_the_area():
    steps = Steps(np.array([1.0, 2.0, 2.0, 5.0, 9.0]), np.array([4.0, 8.0, 2.0, 6.0, 0.0]))
    area = 4 * 1 + 2 * 3 + 6 * 4
    for count in (1, 2, 3, 7, 100):
        means = column_means(steps, np.linspace(0.0, 10.0, count + 1))
        assert (means.time_s[0], means.time_s[-1]) == (1.0, 9.0)
        assert (means.values[:-1] * np.diff(means.time_s)).sum() == pytest.approx(area)
        assert 2 <= means.values.min() <= means.values.max() <= 8
    for short in (NOTHING, Steps(np.array([3.0]), np.array([4.0]))):
        assert column_means(short, np.linspace(0.0, 10.0, 11)) == short


def test_long_curves_beside_each_other_are_means_with_few_marks():
    """A run of Reno behind a short queue halves its window every two seconds."""
    run = tp.run("plain-384", {"queue.packets": 8}, duration="400 s")
    halved = run.flows[0].fast_retransmits
    assert halved > CLEAR
    alone = run.plot.cwnd(axes()).axes[0]
    assert f"Fast retransmit: {halved}" in legend(alone)
    both = run.plot.cwnd(run.plot.cwnd(axes(), label="a").axes[0], label="b").axes[0]
    shown = legend(both)
    assert shown[:3] == ["a", "b", "Lines: means of 0.4 s each"]
    assert f"Fast retransmit: {halved} / {halved}, not drawn" in shown
    window = np.asarray(named(both, "a").get_ydata(), dtype=np.float64)
    assert np.ptp(window[-GRID // 10 :]) > 8.0, "the saw-tooth is gone"
    close = run.plot.cwnd(run.plot.cwnd(axes(), end_s=9.0).axes[0], end_s=9.0).axes[0]
    marks = [each for each in close.lines if each.get_marker() == "^" and each.get_label() == "_"]
    events = run.events.filter(pl.col("event") == "fast_retransmit", pl.col("time_s") <= 9)
    assert [np.size(each.get_xdata()) for each in marks] == [len(events)] * 2


def test_all_of_one_flow_is_that_flow(runs):
    ax = runs["reno"].plot.cwnd(axes(), flow="all").axes[0]
    assert legend(ax)[0] == "Congestion window"
    with pytest.raises(ValueError, match=r"^flow: at least one is needed$"):
        runs["reno"].plot.cwnd(axes(), flow=[])


def test_datagrams_of_two_runs_say_how_many_were_lost():
    made = [
        tp.run("plain-384", {"flow.application": "udp", "link.loss": loss}, duration="5 s")
        for loss in ("5 %", "20 %")
    ]
    ax = axes()
    for run, label in zip(made, ("few", "many"), strict=True):
        run.plot.datagrams(ax, label=label)
    lost = [of.lost for run in made if (of := run.flows[0].datagrams)]
    assert legend(ax) == [f"few, {lost[0]} lost", f"many, {lost[1]} lost"]
    marks = [np.size(each.get_xdata()) for each in ax.lines if each.get_marker() == "|"]
    assert marks == lost
    assert 0 < lost[0] < lost[1]


def test_throughputs_of_several_flows_add_up_to_what_was_sent(flows):
    ax = flows.plot.throughput(axes(), flow=[0, 1]).axes[0]
    for flow in (0, 1):
        line = named(ax, f"flow {flow} (reno)")
        times, rates = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        sent = segments_sent(sending_end(flows.segments, flow))
        data = sent.only(sent.carries_data & (sent.time_s > sent.time_s[sent.carries_data][0]))
        bits = 8 * (data.last - data.first).sum()
        assert 1000 * (rates[:-1] * np.diff(times)).sum() == pytest.approx(bits)


@pytest.mark.parametrize("kind", ["goodput", "throughput"])
def test_capacity_is_behind_flows_that_have_the_same(runs, kind):
    ax = axes()
    for count, name in enumerate(("reno", "vegas"), 1):
        getattr(runs[name].plot, kind)(ax)
        [area] = ax.collections
        assert legend(ax)[-1] == area.get_label() == "Capacity of bottleneck/down"
        assert area.get_zorder() < min(each.get_zorder() for each in (*ax.lines, *ax.patches))
        [rate_bps] = runs[name].capacity.filter(pl.col("link") == "bottleneck/down")["rate_bps"]
        assert area.get_datalim(ax.transData).y1 == pytest.approx(rate_bps / 1000)
        assert len(ax.lines) + len(ax.patches) >= count
    other = tp.run("plain-384", {"link.rate": "100 kbit/s"}, duration="5 s", trace=True)
    getattr(other.plot, kind)(ax)
    assert not ax.collections


def test_goodput_of_datagrams_is_what_arrived():
    run = tp.run("plain-384", {"flow.application": "udp"}, duration="5 s")
    ax = run.plot.goodput(axes(), interval_s=1.0).axes[0]
    [steps] = ax.patches
    assert isinstance(steps, StepPatch)
    arrived = run.datagrams.filter(run.datagrams["arrived_s"].is_not_null())
    assert sum(steps.get_data()[0]) == pytest.approx(8 * arrived["bytes"].sum() / 1000)


def test_pictures_of_very_many_datagrams_are_of_all():
    crowd = {"flow.application": "udp", "flow.udp.payload": "50 B", "flow.udp.rate": "50 Mbit/s"}
    link = {"link.rate": "60 Mbit/s", "link.loss": "10 %", "flow.bytes": "unlimited"}
    run = tp.run("link", crowd | link, duration="4 s")
    of = run.flows[0].datagrams
    assert of is not None
    assert len(run.datagrams) < 0.6 * of.sent
    [steps] = run.plot.goodput(axes(), interval_s=0.5).axes[0].patches
    assert isinstance(steps, StepPatch)
    kbit = 0.5 * sum(steps.get_data()[0])
    assert kbit == pytest.approx(8 * 0.05 * of.received, rel=0.01)
    said = legend(run.plot.datagrams(axes()).axes[0])
    [lost] = [text for text in said if text.startswith("Lost: about ")]
    told = int(lost.removeprefix("Lost: about ").replace(",", ""))
    assert told == pytest.approx(of.lost, rel=0.02)


@pytest.mark.parametrize("count", range(1, 12))
def test_rows_of_a_legend_are_read_one_after_the_other(count):
    """Places of entries from left to right, then from the top to the bottom, as they were drawn."""
    figure = Figure(figsize=(9, 5))
    ax = figure.subplots()
    names = [f"entry {number:02}" for number in range(count)]
    for name in names:
        ax.plot([0, 1], label=name)
    legend_above(ax)
    figure.draw_without_rendering()
    [legend_box] = [each for each in ax.get_children() if isinstance(each, Legend)]
    boxes = {each.get_text(): each.get_window_extent() for each in legend_box.get_texts()}
    assert sorted(boxes, key=lambda name: (-round(boxes[name].y0), boxes[name].x0)) == names


@pytest.mark.parametrize(
    ("curves", "said"),
    [(1, "{0}"), (COUNTED, "{0} / {0} / {0} / {0}"), (COUNTED + 1, "{1} in all")],
)
def test_marks_of_a_few_runs_are_counted_apart(curves, said):
    run = tp.run("plain-384", {"queue.packets": 8}, duration="10 s")
    ax = axes()
    for _ in range(curves):
        run.plot.cwnd(ax)
    halved = run.flows[0].fast_retransmits
    assert halved > 0
    assert f"Fast retransmit: {said.format(halved, curves * halved)}" in legend(ax)


@pytest.mark.parametrize("kind", SHARING)
def test_title_names_a_flow_only_of_a_picture_of_flows(kind, tmp_path, monkeypatch):
    """All packets of a queue count, whatever their flow."""
    titles = []
    monkeypatch.setattr(Figure, "suptitle", lambda _, title, **_more: titles.append(title))
    scenario = tp.scenarios()["plain-384"]
    protocol = {"flow.application": "udp", "flow.rate": "9 kbit/s"} if kind == "datagrams" else {}
    run = tp.run(scenario, protocol, duration="1 s", trace=True)
    for name in "ab":
        run.save(tmp_path / name)
    write_picture(run, tmp_path / "a.svg", kind)
    both = [tp.load(tmp_path / name) for name in "ab"]
    write_picture_of_several(both, tmp_path / "b.svg", kind)
    assert ["flow" in title for title in titles] == [kind != "queue"] * 2


def test_labels_are_what_differs():
    asked = (("reno", 20, 1), ("vegas", 20, 1), ("vegas", 30, 2))
    made = [
        tp.run("plain-384", tcp__variant=name, tcp__window=window, seed=seed, duration="1 s")
        for name, window, seed in asked
    ]
    assert labels(made[:2], ["a", "b"]) == ["reno", "vegas"]
    assert labels(made, ["a", "b", "c"]) == [
        "seed 1, reno, tcp.window 20",
        "seed 1, vegas, tcp.window 20",
        "seed 2, vegas, tcp.window 30",
    ]
    assert labels([made[0]] * 2, ["a", "b"]) == ["a", "b"]
    plain = tp.run("plain-384", duration="1 s")
    vegas = tp.run("plain-384", tcp__variant="vegas", duration="1 s")
    assert labels([plain, vegas], ["a", "b"]) == ["reno", "vegas"]
    marked = tp.run("bottleneck", queue__kind="codel", duration="1 s")
    assert labels([tp.run("bottleneck", duration="1 s"), marked], ["a", "b"]) == [
        "queue.kind droptail",
        "queue.kind codel",
    ]


def test_labels_have_one_unit():
    made = [
        tp.run("plain-384", duration=duration, link__loss=loss)
        for duration, loss in (("2s", "0"), ("0.05 min", "1%"))
    ]
    assert labels(made, ["a", "b"]) == [
        "duration 2 s, link.loss 0 %",
        "duration 3 s, link.loss 1 %",
    ]
    alike = [tp.run("plain-384", duration=each, seed=1) for each in ("6 s", "0.1min")]
    assert labels(alike, ["a", "b"]) == ["a", "b"]


def test_dots_of_several_are_named_once_and_marks_are_whole():
    ax = axes()
    for variant in ("reno", "cubic"):
        run = tp.run("plain-384", {"queue.packets": 8}, tcp__variant=variant, duration="9 s")
        run.plot.cwnd(ax)
    assert legend(ax).count("ssthresh") == 1
    dotted = [each for each in ax.lines if each.get_linestyle() == ":" or each.is_dashed()]
    assert len({each.get_color() for each in dotted}) >= 2
    marked = [each for each in ax.lines if each.get_marker() == "^" and np.size(each.get_xdata())]
    assert marked
    low, high = ax.get_ylim()
    for each in marked:
        heights = np.asarray(each.get_ydata(), float)
        heights = heights[~np.isnan(heights)]
        assert ((heights - low > 0.03 * (high - low)) & (heights < high)).all()
