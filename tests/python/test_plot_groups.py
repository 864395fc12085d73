"""Pictures of what groups of flows get of what they share."""

import numpy as np
import pytest
import thinpipe as tp
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.legends import entries as legend

GROUPS = {
    "flow.count": "0",
    "flow.group.long.count": "2",
    "flow.group.short.count": "3",
    "flow.group.short.bytes": "100 kB",
    "flow.group.read.application": "web",
    "flow.group.read.web.reading": "1 s",
}


@pytest.fixture(scope="module")
def run():
    return tp.run("dumbbell-100", GROUPS, duration="20 s")


def axes() -> Axes:
    return Figure().subplots()


def drawn(ax: Axes, label: str):
    [line] = [each for each in ax.lines if each.get_label() == label]
    return line.get_xdata(), line.get_ydata()


def test_a_mark_a_flow_and_one_a_group(run):
    ax = run.plot.groups(axes()).axes[0]
    names = legend(ax)
    assert [each.partition(":")[0] for each in names] == ["long", "short", "read"]
    shares = [float(each.partition(": ")[2].partition(" %")[0]) for each in names]
    assert shares == pytest.approx([100 * each.share for each in run.result.groups], abs=0.05)
    marks = [each for each in ax.lines if each.get_label().startswith("_")]
    assert [len(each.get_xdata()) for each in marks] == [2, 3, 1]
    for line, name in zip(marks, names, strict=True):
        mean = [of[0] for of in drawn(ax, name)]
        assert mean == pytest.approx([np.mean(of) for of in line.get_data()])
    of_short = [flow for flow in run.flows if flow.group == "short"]
    assert sorted(marks[1].get_ydata()) == pytest.approx(
        sorted(flow.goodput_bps / 1000 for flow in of_short)
    )


def test_completion_is_a_distribution_of_those_that_began(run):
    ax = run.plot.completion(axes()).axes[0]
    pages = len(run.pages)
    assert legend(ax) == ["short: 3 transfers", f"read: {pages} pages"]
    taken, share = drawn(ax, "short: 3 transfers")
    expected = sorted(f.completed_s - f.started_s for f in run.flows if f.group == "short")
    assert [*taken[1:]] == pytest.approx(expected)
    assert [*share] == pytest.approx([0, 100 / 3, 200 / 3, 100])
    taken, _ = drawn(ax, f"read: {pages} pages")
    assert [*taken[1:]] == pytest.approx(sorted(run.pages["response_s"]))


def test_one_transfer_is_a_singular():
    run = tp.run("dumbbell-100", {"flow.bytes": "10 kB", "flow.count": "1"}, duration="10 s")
    assert legend(run.plot.completion(axes()).axes[0]) == ["flow: 1 transfer"]


def test_what_does_not_end_in_view_counts_as_begun(run):
    ends = sorted(f.completed_s for f in run.flows if f.group == "short")
    between = (ends[0] + ends[1]) / 2
    ax = run.plot.completion(axes(), end_s=between).axes[0]
    assert legend(ax)[0] == "short: 1 of 3 transfers"
    assert drawn(ax, "short: 1 of 3 transfers")[1][-1] == pytest.approx(100 / 3)


def test_bad_input(run):
    with pytest.raises(ValueError, match="groups: shows the whole run"):
        run.plot.groups(start_s=1)
    endless = tp.run("dumbbell-100", {"flow.count": "2"}, duration="1 s")
    with pytest.raises(ValueError, match="completion: no transfer and no page"):
        endless.plot.completion()
    nothing = tp.run("dumbbell-100", {"flow.start": "1 s"}, duration="1 ms")
    with pytest.raises(ValueError, match="groups: no flow has"):
        nothing.plot.groups()
