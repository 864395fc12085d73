"""What pictures of long views show: envelopes of curves and samples, and part of the packets."""

from pathlib import Path

import numpy as np
import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from thinpipe.plot.drawing import (
    ENVELOPE,
    FEW,
    View,
    draw_held,
    draw_samples,
    draw_step_curve,
    finish,
)
from thinpipe.plot.envelope import (
    COLUMNS,
    Envelope,
    column_of,
    edges,
    envelope_of_samples,
    envelope_of_steps,
)
from thinpipe.plot.packets import ROUNDS, Packets, Traced, draw_packets, legible
from thinpipe.plot.series import Throughput, segments_sent, sending_end, throughput
from thinpipe.plot.throughput import LIMIT, draw_throughput, sustained_bps

from tests.legends import entries

VIEW = View(10.0, 60.0)

CURVES = st.lists(
    st.tuples(st.integers(0, 60_000), st.integers(-50, 50)), min_size=1, max_size=300
).map(lambda rows: tuple(np.array(sorted(rows), dtype=np.float64).T))
"""Times in ms from 0 s to 60 s, many of them equal, and values."""


def axes() -> Axes:
    return Figure(figsize=(9, 5)).subplots()


def bands(ax: Axes) -> list[StepPatch]:
    return [
        each for each in ax.patches if isinstance(each, StepPatch) and each.get_gid() == ENVELOPE
    ]


def label_of_envelopes(ax: Axes) -> str:
    return str(entries(ax)[-1])


def held(envelope: Envelope, column: int) -> tuple[float, float, float]:
    return envelope.low[column], envelope.median[column], envelope.high[column]


@given(CURVES)
def test_envelope_of_samples_is_their_range_and_median(curve):
    time_s, values = curve[0] / 1e3, curve[1]
    time_s, values = time_s[VIEW.holds(time_s)], values[VIEW.holds(time_s)]
    found = envelope_of_samples(VIEW.columns(), time_s, values)
    column = column_of(VIEW.columns(), time_s)
    for at in range(COLUMNS):
        inside = values[column == at]
        low, median, high = held(found, at)
        if len(inside):
            assert (low, high) == (inside.min(), inside.max())
            assert median == np.sort(inside)[(len(inside) - 1) // 2]
        else:
            assert np.isnan([low, median, high]).all()


@given(CURVES)
def test_envelope_of_steps_is_their_range_and_median_by_time(curve):
    """Each column holds what it begins with and what changes in it, and nothing else."""
    times, values = VIEW.held(curve[0] / 1e3, curve[1])
    if len(times) == 0:
        return
    found = envelope_of_steps(VIEW.columns(), times, values)
    for at, (start_s, end_s) in enumerate(zip(found.edges_s[:-1], found.edges_s[1:], strict=True)):
        low, median, high = held(found, at)
        inside = (times >= start_s) & ((times < end_s) | (at == COLUMNS - 1))
        before = np.flatnonzero(times <= start_s)
        entered = values[before[-1:]]
        some = np.concatenate([entered, values[inside]])
        if len(some) == 0:
            assert np.isnan([low, median, high]).all()
            continue
        assert (low, high) == (some.min(), some.max())
        assert median in some
        since = np.concatenate([[start_s] * len(entered), times[inside]])
        lasted = np.diff(np.append(since, end_s))
        half = lasted.sum() / 2 + 1e-9
        assert lasted[some < median].sum() <= half
        assert lasted[some > median].sum() <= half


def test_peak_is_in_the_column_of_its_time():
    time_s = np.linspace(10, 60, 20_001)
    for at in (0, 7, 10_000, 13_579, 20_000):
        values = np.zeros(20_001)
        values[at] = 1
        for envelope in (
            envelope_of_samples(VIEW.columns(), time_s, values),
            envelope_of_steps(VIEW.columns(), time_s, values),
        ):
            [peak] = np.flatnonzero(envelope.high == 1)
            assert peak == column_of(VIEW.columns(), time_s[[at]])[0]
            assert envelope.edges_s[peak] <= time_s[at] <= envelope.edges_s[peak + 1]
            assert envelope.low.max() == 0


def test_few_points_are_drawn_one_by_one_and_many_as_an_envelope():
    for count, enveloped in ((FEW - 1, False), (FEW + 1, True)):
        time_s = np.linspace(10, 60, count)
        values = (np.arange(count) % 7).astype(np.float64)
        ax = axes()
        draw_samples(ax, VIEW, time_s, values, "data", "Samples")
        [line] = ax.lines
        assert (np.size(line.get_xdata()) == count) is not enveloped
        assert len(bands(ax)) == enveloped
        # The value at the end is held, which makes a point more.
        ax = axes()
        draw_held(ax, VIEW, time_s[1:], values[1:], "data", "Curve")
        [line] = ax.lines
        assert (np.size(line.get_xdata()) == count) is not enveloped
        assert len(bands(ax)) == enveloped


def test_drawn_band_is_the_envelope_and_the_legend_says_so_once():
    time_s = np.linspace(0, 60, 30_000)
    values = np.sin(time_s) + 3
    ax = axes()
    for name in ("a", "b"):
        draw_step_curve(ax, VIEW, time_s, values, {"color": "C0", "label": name})
    finish(ax, VIEW, "Values")
    times, shown = VIEW.held(time_s, values)
    expected = envelope_of_steps(edges(10, 60), times, shown)
    for band in bands(ax):
        high, edges_s, low = band.get_data()
        assert np.array_equal(high, expected.high)
        assert np.array_equal(low, expected.low)
        assert np.array_equal(edges_s, expected.edges_s)
    legend = ax.get_legend()
    assert legend is not None
    said = [text.get_text() for text in legend.get_texts()]
    assert said == ["a", "b", "Median and range of 0.1 s each"]


@pytest.fixture(scope="module")
def long() -> tp.Run:
    return tp.run("umts-dch-384", {"radio.tbler": "10 %"}, duration="300 s", trace=True)


@pytest.mark.parametrize("kind", ["rtt", "outstanding", "throughput", "time_sequence"])
def test_long_runs_have_no_curve_of_more_points_than_columns(long, kind):
    [ax] = getattr(long.plot, kind)(axes()).axes
    assert all(np.size(line.get_xdata()) <= COLUMNS + 1 for line in ax.lines)
    assert label_of_envelopes(ax) == "Median and range of 0.6 s each"


def test_round_trip_times_reach_the_edges_of_their_band(long):
    [band, *_] = bands(long.plot.rtt(axes()).axes[0])
    high, _, low = band.get_data()
    rtt_s = long.rtt["rtt_s"].to_numpy()
    assert (np.nanmin(low), np.nanmax(high)) == (rtt_s.min(), rtt_s.max())


@pytest.mark.parametrize("kind", ["rtt", "outstanding", "throughput", "time_sequence", "packets"])
def test_legend_stays_within_the_picture(long, kind):
    figure = getattr(long.plot, kind)(axes())
    [ax] = figure.axes
    figure.set_layout_engine("constrained")
    figure.draw_without_rendering()
    box, whole = ax.get_legend().get_window_extent(), figure.bbox
    assert whole.x0 <= box.x0 < box.x1 <= whole.x1
    assert ax.get_window_extent().width > 0.8 * whole.width


def near_instants(seed: int) -> Throughput:
    """Return a sender whose segments often leave nanoseconds apart, and rarely seconds."""
    chance = np.random.default_rng(seed)
    gaps = 10 ** chance.uniform(-9, 0.5, 400)
    gaps[chance.uniform(size=400) < seed / 10] = 1e-9
    time_s, bits = np.cumsum(gaps), np.full(400, 11_584.0)
    instant = bits / gaps
    last = np.convolve(instant, np.full(10, 0.1))[: len(instant)]
    return Throughput(time_s, bits, instant, last, np.cumsum(bits) / time_s)


@pytest.mark.parametrize("seed", range(10))
def test_no_burst_stretches_the_axis_of_throughput(seed):
    """Its top is at most a small multiple of what was sustained; the rest is counted."""
    data = near_instants(seed)
    view = View(0.0, float(data.time_s[-1]))
    ax = axes()
    draw_throughput(ax, view, data)
    top = ax.get_ylim()[1] / 1.02 * 1e3
    mean = data.payload_bits.sum() / view.end_s
    assert 0 < top <= LIMIT * sustained_bps(view, data) * (1 + 1e-9)
    # The best tenth of the view cannot have more than all of the payload.
    assert mean * (1 - 1e-9) <= sustained_bps(view, data) <= 100 * mean
    above = int((data.instant_bps > top * (1 + 1e-9)).sum())
    assert ax.lines[0].get_label() == (
        f"Instantaneous ({above:,} above, up to {data.instant_bps.max() / 1e3:,.0f})"
    )


@pytest.mark.parametrize("per_ms", [1, 12, 60])
def test_mahimahi_trace_has_an_axis_on_the_scale_of_its_rate(tmp_path: Path, per_ms: int):
    """Opportunities in bursts: the link's mean rate, not the bursts', scales the axis."""
    trace = tmp_path / "bursts"
    trace.write_text(
        "".join(f"{at}\n" for at in range(per_ms, 2001, per_ms) for _ in range(per_ms))
    )
    settings: dict[str, str] = {"link.trace.down": str(trace), "flow.bytes": "unlimited"}
    run = tp.run("link", settings, duration="4 s", trace=True)
    data = throughput(segments_sent(sending_end(run.segments, 0)))
    top_bps = run.plot.throughput(axes()).axes[0].get_ylim()[1] * 1e3
    assert top_bps <= 1.02 * LIMIT * 2 * data.mean_bps[-1]
    assert top_bps >= data.mean_bps[-1]


def packets_at(count: int, dropped: tuple[int, ...]) -> Traced:
    number = np.arange(count)
    every = Packets(number / 100, number)
    lost = np.array(dropped, dtype=np.int64)
    return Traced(every, every, Packets(lost / 100, lost), every)


def test_few_packets_are_all_shown():
    view = View(0.0, 100.0)
    assert legible(view, packets_at(60 * ROUNDS, (500,)), 60) == view


@pytest.mark.parametrize(
    ("dropped", "shown"),
    [
        ((5000, 5001, 9000), (48.8, 52.4)),
        ((30,), (0.0, 3.6)),
        ((9999,), (98.79, 99.99)),
        ((), (0.0, 3.6)),
    ],
)
def test_of_many_packets_those_around_the_first_drop_are_shown(dropped, shown):
    whole, ax = View(0.0, 100.0), axes()
    view = draw_packets(ax, whole, packets_at(10_000, dropped), 60)
    assert (view.start_s, view.end_s) == pytest.approx(shown)
    what = "Around the first drop" if dropped else "The first part"
    assert ax.get_legend_handles_labels()[1][-1] == f"{what} of 0 s to 100 s"
    for line in ax.lines[:-1]:
        assert view.holds(np.asarray(line.get_xdata())).all()


def test_a_later_view_shows_its_own_first_drop():
    view = legible(View(60.0, 100.0), packets_at(10_000, (5000, 9000)), 60)
    assert (view.start_s, view.end_s) == pytest.approx((88.8, 92.4))
