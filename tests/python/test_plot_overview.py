"""The queue of a link and the overview of a flow, in panels with one axis of time."""

import re
from io import BytesIO
from itertools import pairwise

import matplotlib.image
import numpy as np
import pytest
import thinpipe as tp
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from thinpipe import _core
from thinpipe.plot.bottleneck import capacity, longest_wait
from thinpipe.plot.kinds import TALL
from thinpipe.plot.picture import write_picture
from thinpipe.plot.queue import REASONS
from thinpipe.plot.shown import shown
from thinpipe.plot.style import ALGORITHMS, COLORS

from tests.legends import entries as legend

WINDOW, RTT, WAITING, GOODPUT = (
    "Window\n(segments)",
    "RTT (s)",
    "Waiting\n(packets)",
    "Goodput\n(kbit/s)",
)


def axes() -> Axes:
    return Figure(figsize=TALL, layout="constrained").subplots()


def marks(ax, start):
    [found] = [each for each in ax.lines if str(each.get_label()).startswith(start)]
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def names(panels):
    return [each.get_ylabel() for each in panels]


@pytest.fixture(scope="module")
def drops() -> tp.Run:
    return tp.run("plain-384", {"queue.packets": 8}, duration="10 s", trace=True)


@pytest.fixture(scope="module")
def vegas() -> tp.Run:
    return tp.run(
        "plain-384", {"queue.packets": 8}, tcp__variant="vegas", duration="6 s", trace=True
    )


def test_queue_of_a_run_is_the_link_s(drops):
    packets, content, delay = drops.plot.queue(axes()).axes[0].child_axes
    rows = drops.queue.filter(drops.queue["link"] == "bottleneck/down")
    link = next(each for each in drops.links if each.name == "bottleneck/down")
    [waiting] = [each for each in packets.lines if each.get_label() == "Waiting at bottleneck/down"]
    assert np.max(waiting.get_ydata()) == rows["packets"].max()
    times, _ = marks(packets, f"Queue full: {link.drops}")
    assert len(times) == link.drops > 10
    assert np.max(content.lines[0].get_ydata()) == rows["bytes"].max() / 1000
    waited = rows["delay_s"].drop_nulls().to_numpy()
    assert np.asarray(delay.lines[0].get_ydata()) == pytest.approx(waited)
    assert {each.get_xlim() for each in (packets, content, delay)} == {(-0.1, 10.1)}
    assert [each.get_xlabel() for each in (packets, content, delay)] == ["", "", "Time (s)"]


def test_every_reason_for_a_drop_has_a_name_and_a_mark():
    assert sorted(REASONS) == sorted(_core.DROP_REASONS)
    assert len({mark.shape for *_, mark in REASONS.values()}) == len(REASONS)


def test_queue_of_another_link(drops):
    packets, *_ = drops.plot.queue(axes(), link="bottleneck/up").axes[0].child_axes
    assert packets.get_ylabel() == "Packets waiting at\nbottleneck/up"
    with pytest.raises(ValueError, match=r"^link: 'Gi' is none of bottleneck/down, bottleneck/up$"):
        drops.plot.queue(axes(), link="Gi")


def test_queues_of_two_runs_share_the_panels(drops, vegas):
    ax = axes()
    for run in (drops, vegas):
        run.plot.queue(ax)
    assert len(ax.child_axes) == 3
    assert legend(ax.child_axes[0])[:2] == ["reno", "vegas"]
    counts = " / ".join(str(run.links[0].drops) for run in (drops, vegas))
    assert legend(ax.child_axes[0])[2:] == [f"Queue full: {counts}"]
    for panel in ax.child_axes:
        shown = {each.get_label(): each for each in panel.lines}
        assert to_hex(shown["reno"].get_color()) == ALGORITHMS["reno"].lower()
        assert to_hex(shown["vegas"].get_color()) == ALGORITHMS["vegas"].lower()
        assert panel.get_ylim()[1] >= max(np.nanmax(each.get_ydata()) for each in panel.lines[:2])


def test_flows_of_a_run_that_wait_together_are_one_queue():
    run = tp.run("dumbbell-100", {"flow.count": 3}, duration="1 s", trace=True)
    for draw, panel in ((run.plot.queue, 0), (run.plot.overview, 2)):
        waiting = draw(axes(), flow="all").axes[0].child_axes[panel]
        [curve] = [each for each in waiting.lines if str(each.get_label()).startswith("Waiting at")]
        assert to_hex(curve.get_color()) == COLORS["paper"]


def test_overview_has_a_panel_each(drops):
    panels = drops.plot(axes()).axes[0].child_axes
    assert names(panels) == [WINDOW, RTT, WAITING, GOODPUT]
    assert {each.get_xlim() for each in panels} == {(-0.1, 10.1)}
    assert [each.get_xlabel() for each in panels] == ["", "", "", "Time (s)"]
    times, heights = marks(panels[0], "Fast retransmit: ")
    assert len(times) == drops.flows[0].fast_retransmits
    rows = drops.cwnd
    for at_s, height in zip(times, heights, strict=True):
        assert height == rows.filter(rows["time_s"] < at_s)["cwnd_segments"][-1]


def test_share_of_the_queue_is_below_the_round_trip_time(drops):
    _, rtt, *_ = drops.plot.overview(axes()).axes[0].child_axes
    [shade] = rtt.collections
    assert shade.get_label() == "Of the RTT, waiting at bottleneck/down"
    rows = drops.queue.filter(drops.queue["link"] == "bottleneck/down")
    highest = shade.get_datalim(rtt.transData).y1
    assert highest == pytest.approx(rows["delay_s"].max())
    assert highest < drops.rtt["rtt_s"].max()


def test_overview_of_two_runs_names_them_once(drops, vegas):
    ax = axes()
    for run in (drops, vegas):
        run.plot(ax)
    assert legend(ax) == ["reno", "vegas"]
    assert names(ax.child_axes) == [WINDOW, RTT, WAITING, GOODPUT]
    window, rtt, waiting, goodput = ax.child_axes
    counts = " / ".join(str(run.flows[0].fast_retransmits) for run in (drops, vegas))
    assert f"Fast retransmit: {counts}" in legend(window)
    assert [text.partition(":")[0] for text in legend(waiting)] == ["Queue full"]
    assert legend(rtt) == []
    assert re.fullmatch(r"Lines: means of .* s to .* s each", legend(goodput)[0])
    assert legend(goodput)[1:] == ["Capacity of bottleneck/down"]
    assert not rtt.collections
    assert {each.get_xlim() for each in ax.child_axes} == {(-0.1, 10.1)}


def test_overview_without_a_trace_says_what_is_missing():
    run = tp.run("plain-384", duration="5 s")
    panels = run.plot(axes()).axes[0].child_axes
    assert names(panels) == [WINDOW, RTT, GOODPUT]
    assert panels[-1].get_xlabel() == "Time (s)\nno queue: it needs a run with trace=True"


def test_overview_of_datagrams_shows_their_delays():
    run = tp.run("plain-384", {"flow.application": "udp"}, duration="5 s", trace=True)
    panels = run.plot(axes()).axes[0].child_axes
    assert names(panels) == ["Delay (ms)", WAITING, GOODPUT]
    assert panels[-1].get_xlabel() == "Time (s)"


def test_overview_of_a_connection_that_never_comes_about():
    run = tp.run("umts-dch-384", {"radio.tbler": "99.9 %"}, duration="10 s")
    panels = run.plot(axes()).axes[0].child_axes
    assert names(panels) == [GOODPUT]
    assert panels[-1].get_xlabel().splitlines()[1] == (
        "no window: it never opened; no round-trip times: none was measured; "
        "no queue: it needs a run with trace=True"
    )


@pytest.fixture(scope="module")
def marked():
    """Two flows with all kinds of marks, for which a legend needs two rows."""
    settings = {"flow.count": "2", "tcp.variant": "cubic", "radio.tbler": "30 %"}
    return tp.run("umts-handover", settings, duration="200 s")


def test_legends_stay_off_the_panels_and_each_other(drops, vegas, marked):
    ax = axes()
    for runs in ((drops,), (drops, vegas), (marked,)):
        ax.clear()
        for run in runs:
            run.plot(ax, flow="all")
        assert isinstance(ax.figure, Figure)
        ax.figure.draw_without_rendering()
        boxes = [each.get_window_extent() for each in ax.child_axes]
        for each in (ax, *ax.child_axes):
            if (box := each.get_legend()) is not None:
                extent = box.get_window_extent()
                assert not any(extent.overlaps(other) for other in boxes)
                boxes.append(extent)
                assert ax.figure.bbox.x0 <= extent.x0 <= extent.x1 <= ax.figure.bbox.x1


def test_bands_of_a_long_run_are_explained_once():
    run = tp.run("plain-384", {"queue.packets": 8}, duration="100 s")
    panels = run.plot(axes()).axes[0].child_axes
    assert (
        panels[-1].get_xlabel().endswith("bands and lines: range and median of at most 0.2 s each")
    )
    assert not any("range" in text for panel in panels for text in legend(panel))


def test_events_of_a_long_run_have_small_marks():
    few, many = (
        tp.run("plain-384", {"queue.packets": 8}, duration=f"{length} s", trace=True)
        for length in (10, 200)
    )
    sizes = [
        each.get_markersize()
        for run in (few, many)
        for each in run.plot.cwnd(Figure().subplots()).axes[0].lines
        if str(each.get_label()).startswith("Fast retransmit")
    ]
    assert sizes == [6, 3]


@pytest.mark.parametrize(
    ("scenario", "settings", "link"),
    [
        ("umts-dch-384", {}, "Uu/down"),
        ("umts-dch-384", {"flow.direction": "uplink"}, "Uu/up"),
        ("gprs-3+1", {}, "Um/down"),
        ("plain-384", {}, "bottleneck/down"),
    ],
)
def test_packets_of_a_flow_wait_in_its_direction(scenario, settings, link):
    run = tp.run(scenario, settings, duration="10 s", trace=True)
    assert longest_wait(shown(run, 0, 0, None)) == link
    found = capacity(shown(run, 0, 0, None))
    assert found is None or found.link == link


@pytest.mark.parametrize("kind", ["overview", "queue", "cwnd"])
@pytest.mark.parametrize("flow", [0, "all"])
def test_nothing_is_cut_off(tmp_path, drops, kind, flow):
    file = tmp_path / "a.png"
    write_picture(drops, file, kind, flow=flow)
    image = matplotlib.image.imread(file)[..., :3]
    assert image.std() > 0.05
    for edge in (image[0], image[-1], image[:, 0], image[:, -1]):
        assert (edge == 1).all()


def test_no_legend_lies_over_the_panel_above():
    """The third has two rows: a queue each, whose drops are counted."""
    run = tp.run("parking-lot", duration="20 s", trace=True)
    ax = Figure(figsize=TALL).subplots()
    run.plot(ax, flow="all").savefig(BytesIO())
    for upper, lower in pairwise(ax.child_axes):
        if (entries := lower.get_legend()) is not None:
            assert entries.get_window_extent().y1 <= upper.get_window_extent().y0 + 1


def test_panels_of_several_say_what_their_lines_are_and_end_near_a_tick(drops, vegas):
    ax = axes()
    for run in (drops, vegas):
        run.plot(ax)
    for panel in ax.child_axes:
        first, second, *_ = panel.get_yticks()
        assert panel.get_ylim()[1] % (second - first) <= (second - first) / 2 + 1e-9
    assert not any(text.startswith("Lines: ") for text in legend(ax))
