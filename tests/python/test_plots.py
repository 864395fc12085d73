"""The data behind the plots, and the content of the plots."""

import numpy as np
import polars as pl
import pytest
import thinpipe as tp
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from thinpipe.plot import COLORS
from thinpipe.plot.bottleneck import longest_wait
from thinpipe.plot.drawing import FEW, Unit, View, legend_below
from thinpipe.plot.histogram import bar_width, histogram_edges
from thinpipe.plot.kinds import KINDS, TRACE
from thinpipe.plot.packets import numbered, traced
from thinpipe.plot.picture import write_picture
from thinpipe.plot.sequence import draw_time_sequence
from thinpipe.plot.series import (
    FIN,
    SYN,
    TIMEOUTS,
    Throughput,
    acks_received,
    outstanding,
    segments_sent,
    sending_end,
    throughput,
    unwrapped,
)
from thinpipe.plot.shown import Shown
from thinpipe.plot.style import ALGORITHMS, OTHER
from thinpipe.plot.sweep import line_looks
from thinpipe.plot.throughput import draw_throughput, highest_shown
from thinpipe.report.summary import run_as_html

from tests.expected import words

ACK = 0x10
IN_PANELS = ("overview", "queue")
OF_A_FLOW = tuple(
    name
    for name, kind in KINDS.items()
    if kind.of_flow and kind.needs in ("", TRACE) and name not in IN_PANELS
)
TIMED = tuple(kind for kind in OF_A_FLOW if kind != "rtt-histogram")


def table(*rows: tuple[float, str, int, int, int, int]) -> pl.DataFrame:
    """Return segments at one endpoint: time, event, seq, ack, payload and flags."""
    columns = ("time_s", "event", "seq", "ack", "payload_bytes", "flags")
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        uid=pl.int_range(pl.len(), dtype=pl.UInt64),
        flow=pl.lit(0),
        endpoint=pl.lit("a:1"),
        window=pl.lit(1000),
        transmission=pl.lit(1),
        sack_from=pl.lit(0),
        sack_to=pl.lit(0),
    )


SHORT = table(
    (0.0, "sent", 0, 0, 0, SYN),
    (1.0, "received", 0, 1, 0, SYN | ACK),
    (1.0, "sent", 1, 1, 100, ACK),
    (1.0, "sent", 101, 1, 100, ACK),
    (3.0, "received", 1, 101, 0, ACK),
    (3.0, "sent", 201, 1, 100, ACK),
    (4.0, "received", 1, 101, 0, ACK),
    (5.0, "sent", 101, 1, 100, ACK),  # retransmitted
    (7.0, "received", 1, 301, 0, ACK),
    (7.0, "sent", 301, 1, 40, ACK | FIN),
    (9.0, "received", 1, 342, 0, ACK),
)
"""Three full segments and a short one; the second is sent twice; the FIN takes a number."""


@pytest.fixture(scope="module")
def drops() -> tp.Run:
    return tp.run("plain-384", {"queue.packets": 8}, duration="30 s", trace=True)


@pytest.fixture(scope="module")
def radio() -> tp.Run:
    return tp.run("umts-dch-384", {"radio.tbler": "10 %"}, duration="30 s", trace=True)


def axes() -> Axes:
    return Figure().subplots()


def line(ax: Axes, label: str) -> tuple[np.ndarray, np.ndarray]:
    found = next(each for each in ax.lines if each.get_label() == label)
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def test_outstanding_is_sent_and_not_acknowledged():
    series = outstanding(SHORT)
    assert series.time_s.tolist() == [1, 1, 3, 3, 4, 5, 7, 7, 9]
    assert series.instant_bytes.tolist() == [100, 200, 100, 200, 200, 200, 0, 40, 0]


def test_means_of_what_is_outstanding():
    series = outstanding(SHORT)
    assert series.mean_bytes[:3].tolist() == [100, 150, 400 / 3]
    assert series.mean_bytes[-1] == pytest.approx(1040 / 9)
    # 200 from 1 to 3 and from 3 to 7, 40 from 7 to 9.
    assert series.weighted_bytes[-1] == pytest.approx((200 * 2 + 200 * 4 + 40 * 2) / 8)
    assert series.weighted_bytes[4] == pytest.approx(200)


def test_throughput_counts_what_left_in_one_instant_once():
    series = throughput(segments_sent(SHORT), samples=2)
    assert series.time_s.tolist() == [3, 5, 7]
    assert series.instant_bps.tolist() == [400, 400, 160]
    assert np.isnan(series.last_bps[0])
    assert series.last_bps[1:].tolist() == [400, 280]
    assert np.isnan(series.mean_bps[0])
    assert series.mean_bps[1:].tolist() == [8 * 400 / 4, 8 * 440 / 6]


@pytest.mark.parametrize("rows", [0, 1, 2, 4])
def test_throughput_of_one_instant_is_unknown(rows):
    assert len(throughput(segments_sent(SHORT.head(rows))).instant_bps) == 0


def test_numbers_do_not_wrap():
    numbers = np.array([0, 2**31, 2**32 - 5, 5, 2**32 - 5, 10])
    assert unwrapped(numbers).tolist() == [0, -(2**31), -5, 5, -5, 10]
    climb = np.arange(0, 2**33, 2**29)
    assert unwrapped(climb % 2**32).tolist() == climb.tolist()


def test_sacked_ranges_are_offsets():
    told = SHORT.with_columns(
        sack_from=pl.when(pl.col("time_s") == 4.0).then(201).otherwise(0),
        sack_to=pl.when(pl.col("time_s") == 4.0).then(301).otherwise(0),
    )
    heard = acks_received(told)
    some = heard.only(heard.sack_to > heard.sack_from)
    assert (some.time_s.tolist(), some.sack_from.tolist(), some.sack_to.tolist()) == (
        [4.0],
        [200],
        [300],
    )


def test_packets_count_from_the_syn():
    sent = segments_sent(SHORT)
    assert numbered(sent)["number"].to_list() == [0, 1, 2, 3, 2, 4]


def test_packets_at_a_link_are_numbered_and_leave_after_their_wait():
    uids = segments_sent(SHORT).uid[:2].tolist()
    rows = [
        (0.0, uids[0], "wide", "entered"),
        (0.5, uids[0], "wide", "left"),
        (0.5, uids[0], "narrow", "entered"),
        (0.6, uids[0], "narrow", "left"),
        (1.0, uids[1], "wide", "entered"),
        (1.5, uids[1], "wide", "left"),
        (1.5, uids[1], "narrow", "entered"),
        (1.8, uids[1], "narrow", "left"),
        (9.0, 99, "narrow", "entered"),
        (99.0, 99, "narrow", "left"),
    ]
    schema = {"time_s": pl.Float64, "uid": pl.UInt64, "machine": pl.String, "event": pl.String}
    hops = pl.DataFrame(rows, schema=schema, orient="row")
    seen = traced(hops, "narrow", segments_sent(SHORT), acks_received(SHORT))
    assert seen.arrived.time_s.tolist() == [0.5, 1.5]
    assert seen.departed.time_s == pytest.approx([0.5, 1.7])
    assert seen.departed.number.tolist() == [0, 1]
    # The acknowledgement of the FIN is one of the fourth packet.
    assert seen.acknowledged.number.tolist()[:-1] == [0, 1, 1, 3]


@pytest.mark.parametrize("name", ["umts-dch-384", "gprs-3+1", "dumbbell-100", "hmipv6-handover"])
def test_bottleneck_of_a_flow_is_where_its_packets_waited_longest_in_all(name):
    run = tp.run(name, duration="6 s", trace=True)
    for flow in (run.flows[0], run.flows[-1]):
        sent = run.segments.filter(pl.col("flow") == flow.id, pl.col("event") == "sent")
        data = sent.filter(pl.col("towards") == "receiver")
        data = data.filter((pl.col("payload_bytes") > 0) | (pl.col("flags") & SYN > 0))
        queued = run.queue.join(data.select("uid").unique(), on="uid", how="semi")
        waited = queued.group_by("link").agg(pl.col("delay_s").sum()).sort("delay_s")
        of = Shown(run, flow, View(0.0, 6.0))
        assert longest_wait(of) == waited["link"][-1], name


def test_queue_of_the_traced_packets_is_that_of_the_link(drops):
    rows = sending_end(drops.segments, 0)
    sent = segments_sent(rows)
    seen = traced(drops.hops, "bottleneck/down", sent, acks_received(rows))
    link = drops.links[0]
    assert longest_wait(Shown(drops, drops.flows[0], View(0.0, 30.0))) == link.name
    assert len(seen.dropped.number) == link.drops > 10
    assert len(seen.arrived.number) == 1 + drops.flows[0].segments_sent
    assert seen.arrived.number[:3].tolist() == [0, 1, 2]
    # First in, first out.
    queued = ~np.isin(
        seen.arrived.time_s + 1e3 * seen.arrived.number,
        seen.dropped.time_s + 1e3 * seen.dropped.number,
    )
    arrived_s = seen.arrived.time_s[queued][: len(seen.departed.number)]
    assert (seen.arrived.number[queued][: len(arrived_s)] == seen.departed.number).all()
    waits_s = seen.departed.time_s - arrived_s
    assert waits_s.min() == 0
    # The SYN, which waits least, is sent in 40 * 8 / 384,000 s: that much is missing. So is what
    # the last few packets waited, which are on their way when the run ends.
    missing_s = len(waits_s) * 40 * 8 / 384_000
    assert (waits_s.sum() + missing_s) / 30 == pytest.approx(link.queue_packets.mean, rel=0.01)


def test_outstanding_in_a_run_stays_within_the_window(radio):
    series = outstanding(sending_end(radio.segments, 0))
    assert series.instant_bytes.max() == 64 * 512
    assert series.instant_bytes.min() >= 0
    final = radio.flows[0]
    sent_bytes = segments_sent(sending_end(radio.segments, 0)).last.max()
    assert series.instant_bytes[-1] == sent_bytes - final.bytes_acked


def test_view_begins_with_the_value_held():
    time_s, values = np.array([1.0, 2.0, 4.0]), np.array([10.0, 20.0, 40.0])
    for view, expected in (
        (View(0, 9), ([1, 2, 4, 9], [10, 20, 40, 40])),
        (View(3, 9), ([3, 4, 9], [20, 40, 40])),
        (View(2, 3), ([2, 2, 3], [10, 20, 20])),
        (View(5, 9), ([5, 9], [40, 40])),
        (View(0, 0.5), ([], [])),
    ):
        held = view.held(time_s, values)
        assert (held[0].tolist(), held[1].tolist()) == expected


def test_retransmissions_and_drops_are_those_of_the_run():
    run = tp.run("plain-384", {"queue.packets": 8}, duration="20 s", trace=True)
    ax = run.plot.time_sequence(axes()).axes[0]
    flow = run.flows[0]
    bars = {each.get_label(): each for each in ax.lines}
    assert to_hex(bars["Retransmitted"].get_color()) == COLORS["retransmission"].lower()
    counted = {label: np.size(each.get_xdata()) for label, each in bars.items()}
    assert counted["Retransmitted"] == 3 * flow.retransmits
    assert counted["Segment"] == 3 * (flow.segments_sent - flow.retransmits)
    assert counted["Dropped"] == run.links[0].drops > 10
    assert counted["SYN"] == 1
    assert "FIN" not in bars
    low, high = np.asarray(bars["Segment"].get_ydata()).reshape(-1, 3)[:, :2].T
    assert np.allclose(high - low, 0.512)


def test_window_line_is_above_what_was_sent(drops):
    ax = drops.plot.time_sequence(axes(), start_s=5, end_s=6).axes[0]
    times, window = line(ax, "Window")
    assert (times[0], times[-1]) == (5, 6)
    _, acked = line(ax, "Acknowledged")
    assert np.allclose(window - acked, 64 * 0.512)
    sent_times, sent = line(ax, "Segment")
    assert 5 <= np.nanmin(sent_times) <= np.nanmax(sent_times) <= 6
    assert np.nanmax(sent) <= window[-1]


def test_window_line_is_scaled():
    run = tp.run("plain-384", {"tcp.window": 256}, duration="5 s", trace=True)
    ax = run.plot.time_sequence(axes()).axes[0]
    edge_kb = line(ax, "Window")[1] - line(ax, "Acknowledged")[1]
    assert edge_kb[-1] == 256 * 0.512


def test_long_time_sequence_has_lines_and_rows_of_marks_below_them():
    """Every drop, retransmission and timeout has a mark that no line hides."""
    losses = {"link.loss": "1 %", "tcp.variant": "newreno"}
    run = tp.run("plain-384", losses, queue__packets=8, duration="60 s", trace=True)
    sent = segments_sent(sending_end(run.segments, 0))
    ax = run.plot.time_sequence(axes()).axes[0]
    assert sent.carries_data.sum() > FEW
    lowest_line = min(np.nanmin(line(ax, name)[1]) for name in ("Window", "Acknowledged", "Sent"))
    timeouts = run.events.filter(run.events["event"].is_in(TIMEOUTS))["time_s"]
    drops = run.hops.filter(
        (run.hops["event"] == "dropped") & run.hops["uid"].is_in(sent.uid.tolist())
    )
    again = sent.only(sent.retransmitted & sent.carries_data)
    heights = set()
    for name, expected in (
        ("Dropped", drops["time_s"]),
        ("Retransmitted", again.time_s),
        ("Timeout (RTO)", timeouts),
    ):
        times, height = line(ax, name)
        assert len(expected) > 0
        assert times.tolist() == list(expected)
        assert len(set(height)) == 1
        heights |= set(height)
    bottom, top = ax.get_ylim()
    assert len(heights) == 3
    assert bottom < min(heights) < max(heights) < lowest_line
    assert np.nanmax(line(ax, "Sent")[1]) < top
    assert all(0 <= tick <= top for tick in ax.get_yticks())


def test_long_time_sequence_without_losses_has_no_rows():
    run = tp.run("plain-384", {"tcp.window": 8}, duration="60 s", trace=True)
    ax = run.plot.time_sequence(axes()).axes[0]
    assert [each.get_label() for each in ax.lines] == ["Window", "Acknowledged", "Sent"]


def test_sack_blocks_and_flags_are_drawn():
    told = SHORT.with_columns(
        sack_from=pl.when(pl.col("time_s") == 4.0).then(201).otherwise(0),
        sack_to=pl.when(pl.col("time_s") == 4.0).then(301).otherwise(0),
    )
    none = pl.DataFrame(schema={"time_s": pl.Float64, "uid": pl.UInt64})
    ax, events = axes(), pl.DataFrame(schema={"time_s": pl.Float64, "event": pl.String})
    sent, heard = segments_sent(told), acks_received(told)
    unit = draw_time_sequence(ax, View(0, 9), sent, heard, none, events)
    assert unit.name == "kB"
    times, range_kb = line(ax, "SACK")
    assert (times.tolist(), range_kb.tolist()[:2]) == ([4, 4, 4], [0.2, 0.3])
    assert line(ax, "FIN")[0].tolist() == [7]
    assert "Dropped" not in [each.get_label() for each in ax.lines]


def test_throughput_line_ends_at_the_mean(radio):
    ax = radio.plot.throughput(axes()).axes[0]
    sent = segments_sent(sending_end(radio.segments, 0))
    data = sent.only(sent.carries_data)
    span_s = data.time_s[-1] - data.time_s[0]
    mean = 8 * (data.last - data.first).sum() / span_s / 1000
    assert line(ax, "Mean so far")[1][-1] == pytest.approx(mean)


def test_mean_of_the_round_trip_times_is_the_run_s(radio):
    ax = radio.plot.rtt(axes()).axes[0]
    assert line(ax, "Mean so far")[1][-1] == pytest.approx(radio.flows[0].rtt_s.mean)


def test_bursts_do_not_spoil_the_throughput_s_axis():
    usual, burst = np.full(192, 700.0), np.full(4, 90_000.0)
    time_s = np.arange(200) / 10
    instant = np.r_[burst, usual, burst]
    last = np.where(np.arange(200) < 9, np.nan, 650.0)
    ax = axes()
    draw_throughput(
        ax, View(0, 20), Throughput(time_s, 7e4 + 0 * time_s, 1e3 * instant, 1e3 * last, 1e3 * last)
    )
    assert ax.get_ylim()[1] == pytest.approx(1.02 * 700)
    shown = line(ax, "Instantaneous (8 above, up to 90,000)")[1]
    assert (len(shown), shown.max()) == (200, 700)
    marked, at_top = line(ax, "_above")
    assert marked.tolist() == [*time_s[:4], *time_s[-4:]]
    assert set(at_top) == {700}
    assert line(ax, "Mean so far")[0][0] == 0.9


def test_axis_that_holds_all_clips_nothing():
    assert highest_shown(np.array([100.0, 110, 150]), np.array([90.0]), limit=1e3) == 150
    assert highest_shown(np.array([]), np.array([]), limit=0.0) == 0


def test_picture_ends_with_its_flow():
    run = tp.run("bottleneck", trace=True)
    completed_s = run.flows[0].completed_s
    assert completed_s is not None
    for kind in TIMED:
        method = getattr(run.plot, kind.replace("-", "_"))
        assert completed_s < method(axes()).axes[0].get_xlim()[1] < 1.05 * completed_s, kind
        assert method(axes(), end_s=40.0).axes[0].get_xlim()[1] == pytest.approx(40.4), kind
        assert method(axes(), start_s=50.0).axes[0].get_xlim()[1] == pytest.approx(60.1), kind


def test_picture_ends_with_a_connection_that_was_given_up():
    outage = {"link.outages": [["1 s", "60 s"]]}
    run = tp.run("bottleneck", outage, tcp__max_retransmissions=3, trace=True)
    flow = run.flows[0]
    assert flow.completed_s is None
    assert flow.given_up_s is not None
    end_s = run.plot.time_sequence(axes()).axes[0].get_xlim()[1]
    assert flow.given_up_s < end_s < 1.05 * flow.given_up_s


def test_bars_of_a_histogram_follow_the_data(radio):
    for span_s, expected_s in ((0.0, 0.001), (0.0249, 0.0005), (0.08, 0.002), (1.02, 0.02)):
        assert bar_width(span_s) == pytest.approx(expected_s)
    ax = radio.plot.rtt_histogram(axes()).axes[0]
    rtt_s = radio.rtt["rtt_s"].to_numpy()
    assert ax.get_ylabel() == "Samples in 20 ms"
    assert sum(bar.get_height() for bar in ax.patches) == len(rtt_s)
    low, high = ax.get_xlim()
    assert rtt_s.min() - 0.1 < low < rtt_s.min() <= rtt_s.max() < high < rtt_s.max() + 0.1


@pytest.mark.parametrize("width_s", [0.001, 0.003, 0.02])
def test_no_sample_is_outside_of_its_histogram(width_s):
    for half in range(1, 400):
        value = half * width_s / 2
        edges = histogram_edges(value, width_s, value)
        assert np.histogram([value], edges)[0].sum() == 1


@pytest.mark.parametrize("kind", TIMED)
@pytest.mark.parametrize("run", ["drops", "radio"])
def test_every_kind_shows_its_view_and_clips_nothing(request, kind, run):
    ax = axes()
    method = getattr(request.getfixturevalue(run).plot, kind.replace("-", "_"))
    method(ax, start_s=3.0, end_s=7.0)
    assert ax.has_data()
    assert ax.get_xlabel() == "Time (s)"
    low, high = ax.get_xlim()
    assert (low, high) == pytest.approx((2.96, 7.04))
    bottom, top = ax.get_ylim()
    for each in ax.lines:
        values = np.asarray(each.get_ydata())[np.asarray(each.get_xdata()) >= low]
        assert bottom <= np.nanmin(values) <= np.nanmax(values) <= top


def test_flows_have_a_picture_each():
    run = tp.run("dumbbell-100", {"flow.count": 3}, duration="0.5 s", trace=True)
    for kind in OF_A_FLOW:
        for flow in (0, 2):
            ax = getattr(run.plot, kind.replace("-", "_"))(axes(), flow=flow).axes[0]
            assert ax.has_data(), kind
    sent = [
        len(line(run.plot.time_sequence(axes(), flow=flow).axes[0], "Segment")[0])
        for flow in range(3)
    ]
    assert sent == [3 * (flow.segments_sent - flow.retransmits) for flow in run.flows]


def test_connection_that_never_comes_about_shows_its_syns():
    settings = {"radio.tbler": "99.9 %"}
    run = tp.run("umts-dch-384", settings, duration="20 s", trace=True)
    assert run.flows[0].established_s is None
    ax = run.plot.time_sequence(axes()).axes[0]
    assert [each.get_label() for each in ax.lines] == ["SYN"]
    assert ax.get_legend() is not None
    for kind in OF_A_FLOW:
        getattr(run.plot, kind.replace("-", "_"))(axes())
    assert run.plot.throughput(axes()).axes[0].texts[0].get_text() == "nothing to show"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start_s": 30.0}, "start_s: must be from 0 s to below 30 s, not 30 s"),
        ({"start_s": -1.0}, "start_s: must be from 0 s to below 30 s, not -1 s"),
        ({"start_s": float("nan")}, "start_s: must be from 0 s to below 30 s, not nan s"),
        ({"start_s": 5.0, "end_s": 5.0}, "end_s: must be after the start, 5 s, not 5 s"),
        ({"flow": 1}, "flow: 1 is none of this run's, 0 to 0"),
    ],
)
def test_view_that_is_none(drops, options, message):
    for kind in TIMED:
        with pytest.raises(ValueError, match=f"^{message}$"):
            getattr(drops.plot, kind.replace("-", "_"))(axes(), **options)


def test_link_of_the_traced_packets(radio):
    ax = radio.plot.packets(axes(), link="Gi/down").axes[0]
    assert ax.get_ylabel() == "Packet number mod 60 at Gi/down"
    with pytest.raises(ValueError, match=r"^link: 'Gi' is none of Gi/down, Gi/up, Gn/down, "):
        radio.plot.packets(axes(), link="Gi")


def test_axes_in_bytes_choose_their_unit():
    assert Unit.of(9.9e6).of_bytes(np.array([5000.0])).tolist() == [5.0]
    assert Unit.of(1e7) == Unit("MB", 10**6)


def test_saved_run_is_the_run(drops, tmp_path):
    drops.save(tmp_path / "run")
    saved = tp.load(tmp_path / "run")
    assert saved.result == drops.result
    for name in ("rtt", "cwnd", "events", "segments", "blocks", "hops"):
        assert getattr(saved, name).equals(getattr(drops, name)), name
    assert repr(saved) == "<SavedRun plain-384 seed 1: 1 flow, 30 s>"
    assert saved._repr_html_() == run_as_html(drops.result)
    shown, expected = (
        line(run.plot.outstanding(axes()).axes[0], "Outstanding") for run in (saved, drops)
    )
    assert np.array_equal(shown, expected, equal_nan=True)


def test_saved_run_without_a_trace_says_what_is_missing(tmp_path):
    tp.run("plain-384", duration="5 s").save(tmp_path)
    saved = tp.load(tmp_path)
    assert saved.plot.cwnd(axes()).axes[0].has_data()
    with pytest.raises(ValueError, match=r"has no segments\.parquet; it needs a run with trace="):
        saved.plot.time_sequence(axes())


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_equal_pictures_are_equal_files(drops, tmp_path, suffix):
    for name in ("a", "b"):
        file = tmp_path / f"{name}{suffix}"
        write_picture(drops, file, "time-sequence", start_s=1.0, end_s=2.0)
    a, b = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("a", "b"))
    assert a == b
    assert a.startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])


def test_algorithms_have_colours_that_differ():
    assert set(words("tcp.variant")) <= ALGORITHMS.keys()
    assert len({color.lower() for color in ALGORITHMS.values()}) == len(ALGORITHMS)
    assert OTHER not in ALGORITHMS.values()


def test_lines_of_a_sweep_have_the_colours_of_their_algorithms():
    """An algorithm that has none takes none away."""
    named = ["mine", "reno", "other", "vegas"]
    colors = {label: color for label, (color, _) in line_looks(named).items()}
    assert (colors["reno"], colors["vegas"]) == (ALGORITHMS["reno"], ALGORITHMS["vegas"])
    assert len(set(colors.values())) == len(named)
    many = line_looks([str(number) for number in range(30)])
    assert len({color for color, _ in many.values()}) == len(ALGORITHMS) + 1


@pytest.mark.parametrize("words", [1, 4, 8])
def test_a_legend_below_stays_within_its_figure(words):
    figure = Figure(figsize=(6.0, 3.0))
    [line] = figure.subplots().plot([0, 1])
    legend_below(figure, {f"{'entry ' * words}{at}": line for at in range(6)}, columns=6)
    [legend] = figure.legends
    assert len(legend.get_texts()) == 6
    assert legend.get_window_extent().width <= figure.bbox.width
