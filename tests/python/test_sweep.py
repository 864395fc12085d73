"""Sweeps from Python: the table, its types, journal, intervals and plots."""

import json
import math
import statistics
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from thinpipe.plot.sweep import Choice, heading
from thinpipe.sweep import Study
from thinpipe.sweep.grid import Grid
from thinpipe.sweep.interval import BELOW_ZERO, EQUAL, UNAFFECTED, Estimate, quantile
from thinpipe.sweep.journal import encoded, journal
from thinpipe.sweep.metrics import metrics_of
from thinpipe.sweep.parameters import SHARE, column
from thinpipe.sweep.plan import Plan
from thinpipe.sweep.running import executor, run_plan
from thinpipe.sweep.words import MEASURES, estimate_text, metric_label, parameter_text


def study(vary, seeds="1..3", **settings) -> Study:
    pairs = tuple({"duration": "2 s", **settings}.items())
    plan = Plan.of("umts-dch-384", pairs, Grid.of(vary, seeds))
    return run_plan(plan, None, executor(None, None))


def test_sweep_is_what_single_runs_are():
    same: dict[str, str | int] = {"tcp.window": 16, "duration": "200 s"}
    frame = tp.sweep(
        "umts-dch-384",
        {"tcp.variant": ["reno", "vegas"], "radio.tbler": "0 %, 10 %"},
        same,
        seeds=range(1, 3),
        jobs=2,
    )
    points = [
        tp.Point.of("umts-dch-384", same, tcp__variant=v, radio__tbler=t, seed=seed)
        for v in ("reno", "vegas")
        for t in (0, 0.1)
        for seed in (1, 2)
    ]
    runs = [tp.run_many([point])[0] for point in points]
    assert frame["goodput_bps"].to_list() == [run.flows[0].goodput_bps for run in runs]
    assert frame["retransmits"].to_list() == [run.flows[0].retransmits for run in runs]
    assert frame["rtt_s.p99"].to_list() == [run.flows[0].rtt_s.p99 for run in runs]
    assert frame["seed"].to_list() == [1, 2] * 4


def test_types_and_units_of_parameters():
    found = study({"queue.packets": "8,unlimited", "radio.downlink.tti": "10 ms,20 ms"}, None)
    kinds = {
        "queue.packets": pl.Float64,
        "radio.downlink.tti": pl.Float64,
        "radio.downlink.rate": pl.Float64,
        "tcp.mss": pl.Int64,
        "tcp.window": pl.Int64,
        "tcp.variant": pl.String,
        "tcp.limited_transmit": pl.Boolean,
        "radio.uplink.tbler": pl.Float64,
        "wired.IuPS.delay": pl.Float64,
        "seed": pl.UInt64,
        "goodput_bps": pl.Float64,
        "completed_s": pl.Float64,
        "retransmits": pl.Int64,
    }
    whole = found.complete
    assert {name: whole.schema[name] for name in kinds} == kinds
    assert found.frame["queue.packets"].to_list() == [8.0, 8.0, math.inf, math.inf]
    assert found.frame["radio.downlink.tti"].to_list() == [0.01, 0.02] * 2
    assert whole["wired.IuPS.delay"].unique().to_list() == [0.0004]
    assert found.frame["seed"].unique().to_list() == [1]
    assert found.units["radio.uplink.tbler"] == SHARE
    assert found.units["radio.downlink.rate"] == "bit/s"
    assert "queue.packets" not in found.units


@given(st.integers(0, 10**6), st.sampled_from(["ns", "us", "ms", "s"]))
def test_durations_are_the_nearest_numbers_of_seconds(number, unit):
    exact = Fraction(number, {"ns": 10**9, "us": 10**6, "ms": 10**3, "s": 1}[unit])
    assert column("tcp.min_rto", [f"{number} {unit}"]).values == [float(exact)]


def test_words_among_numbers_make_a_column_of_text():
    assert column("tcp.delayed_ack", ["off", "40 ms"]).values == ["off", "40 ms"]
    assert column("radio.tbler", ["0", "0.05"]).unit == SHARE


def test_flows_and_links_are_added_up():
    run = tp.run("plain-384", {"flow.count": 3, "queue.packets": 4}, duration="5 s")
    row = metrics_of(run.to_dict())
    assert row["flows.count"] == 3
    assert row["flows.bytes_acked"] == sum(flow.bytes_acked for flow in run.flows)
    goodputs = [flow.goodput_bps or 0.0 for flow in run.flows]
    assert row["flows.goodput_bps"] == pytest.approx(sum(goodputs))
    assert row["links.drops"] == sum(link.drops for link in run.links) > 0
    assert row["bytes_acked"] == run.flows[0].bytes_acked
    assert row["radio"] is None if run.radio is None else row["radio.blocks_sent"]
    assert not {"version", "scenario", "id", "flows.id", "links.queue_packets.max"} & row.keys()


def test_every_number_of_the_json_is_in_the_row():
    text = tp.run("umts-dch-384", duration="5 s").json()
    row = metrics_of(json.loads(text))
    found = list(map(repr, row.values()))

    def check(part: object) -> None:
        match part:
            case dict():
                for key, value in part.items():
                    if key not in ("schema", "settings", "seed", "id"):
                        check(value)
            case list():
                for value in part:
                    check(value)
            case int() | float():
                assert repr(part) in found

    check(json.loads(text))


def test_links_that_some_runs_lack_are_empty_there():
    found = study({"tcp.window": [4, 8]}, None)
    rows = [encoded({"a": 1, "b": 2}), encoded({"a": 1.5, "c": None})]
    plan = Plan.of("umts-dch-384", (), Grid.of({"tcp.window": [4, 8]}, None))
    frame = Study.of(plan, rows).complete
    assert frame.select("a", "b", "c").rows() == [(1.0, 2, None), (1.5, None, None)]
    assert frame.schema["c"] == pl.Float64
    assert found.frame.height == 2


def test_file_is_read_as_it_was_written(tmp_path):
    out = tmp_path / "s.parquet"
    frame = tp.sweep("umts-dch-384", {"tcp.window": "4..6"}, {"duration": "2 s"}, out=out)
    again = Study.read(out)
    assert again.frame.equals(frame)
    assert again.varied == ("tcp.window",)
    assert [each.name for each in tmp_path.iterdir()] == ["s.parquet"]
    assert frame.equals(pl.read_parquet(out))


def test_grid_that_grew_uses_what_is_there(tmp_path):
    out = tmp_path / "s.parquet"
    ran: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        ran.append((done, total))
        if done == 3 and total == 4:
            raise KeyboardInterrupt

    settings = {"duration": "2 s"}
    with pytest.raises(KeyboardInterrupt):
        tp.sweep("umts-dch-384", {"tcp.window": "4..7"}, settings, out=out, jobs=1, progress=stop)
    assert ran == [(1, 4), (2, 4), (3, 4)]
    counted = []
    plan = Plan.of("umts-dch-384", tuple(settings.items()), Grid.of({"tcp.window": "4..9"}, None))

    def execute(points, keep):
        jobs = list(points)
        counted.extend(jobs)
        executor(1, None)(jobs, keep)

    found = run_plan(plan, out, execute)
    assert [job.index for job in counted] == [3, 4, 5]
    whole = tp.sweep("umts-dch-384", {"tcp.window": "4..9"}, settings)
    assert found.frame.equals(whole)


def test_a_grid_of_seeds_alone_is_one_combination():
    plan = Plan.of("umts-dch-384", (), Grid.of({}, "1..3"))
    assert (len(plan), plan.seeds()) == (3, [1, 2, 3])


def test_digest_tells_points_apart(tmp_path):
    trace = tmp_path / "a.trace"
    trace.write_text("10\n")
    scenario = tmp_path / "mine.toml"
    scenario.write_text('[link]\ntrace.down = "a.trace"\n')

    def digest(vary=(), settings=()) -> str:
        plan = Plan.of(scenario, tuple(settings), Grid.of(vary or {"tcp.window": 4}, None))
        return next(plan.jobs()).digest

    first = digest()
    assert digest() == first
    others = [digest({"tcp.window": 5}), digest(settings=[("tcp.mss", "100 B")])]
    trace.write_text("20\n")
    others.append(digest())
    scenario.write_text(scenario.read_text() + "# other\n")
    others.append(digest())
    assert len({first, *others}) == 5


@given(st.dictionaries(st.text(max_size=5), st.floats(allow_nan=False) | st.integers() | st.none()))
def test_journal_gives_back_what_it_was_given(tmp_path_factory, metrics):
    target = tmp_path_factory.mktemp("journal") / "s.parquet"

    def interrupted() -> None:
        with journal(target) as kept:
            kept.add("a", encoded(metrics))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with journal(target) as kept:
        row = kept.row("a")
        assert row is not None
        assert json.loads(row) == metrics
        assert kept.row("b") is None


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (29, 2.045), (100, 1.984)],
)
def test_quantiles_are_those_of_the_tables(freedom, expected):
    assert quantile(freedom) == pytest.approx(expected, abs=5e-4)


def test_interval_holds_the_mean_as_often_as_it_says():
    draws = np.random.default_rng(7).normal(3.0, 2.0, size=(4000, 5))
    held = 0
    for row in draws:
        found = Estimate.of(row.tolist())
        assert found is not None
        assert found.half is not None
        held += abs(found.mean - 3.0) <= found.half
    # 0.95 within four standard deviations of a proportion
    assert held / len(draws) == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / len(draws)))


def test_one_value_has_no_interval_and_none_no_mean():
    assert Estimate.of([2.0]) == Estimate(2.0, None, 1, least=2.0)
    assert Estimate.of([]) is None


@given(st.lists(st.integers(-5, 1000), min_size=2, max_size=8))
def test_notes_say_why_not_to_trust_an_interval(values):
    found = Estimate.of([float(each) for each in values])
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.mean <= found.high
    if len(set(values)) == 1:
        assert (found.note, found.half) == (EQUAL, 0)
    elif min(values) >= 0 and found.low < 0:
        assert found.note == BELOW_ZERO
    else:
        assert found.note is None


def test_a_single_value_needs_no_note():
    one = Estimate.of([0.0])
    assert one is not None
    assert (one.low, one.high, one.note) == (None, None, None)


def test_means_say_where_seeds_change_nothing():
    found = study({"tcp.variant": "reno,vegas", "radio.tbler": "0 %,20 %"}, "1..3")
    assert found.unaffected() == [("reno", 0.0), ("vegas", 0.0)]
    means = found.means()
    assert means.columns == [
        "tcp.variant", "radio.tbler", "metric", "mean", "low", "high", "runs", "note",
    ]  # fmt: skip
    assert len(means) == 4 * len(MEASURES)
    clean = means.filter(means["radio.tbler"] == 0)
    assert clean["note"].unique().to_list() == [UNAFFECTED]
    assert (clean["low"] == clean["high"]).all()
    random = means.filter(means["radio.tbler"] > 0)
    assert UNAFFECTED not in random["note"]
    for values, estimates in found.estimates():
        for name, each in zip(MEASURES, estimates, strict=True):
            row = means.row(
                by_predicate=(pl.col("tcp.variant") == values[0])
                & (pl.col("radio.tbler") == values[1])
                & (pl.col("metric") == name),
                named=True,
            )
            assert each is not None
            assert (row["mean"], row["low"], row["runs"]) == (each.mean, each.low, 3)


def test_one_seed_has_no_interval_and_says_nothing_about_seeds():
    found = study({"tcp.window": "4,8"}, None)
    assert found.unaffected() == []
    assert found.means(["goodput_bps"])["low"].to_list() == [None, None]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1.0], "1"),
        ([0.0, 0.0], "0 ="),
        ([3.0, 3.5, 4.0], "3.5 ± 1.2"),
        ([0.0, 0.0, 1.0], "0.3333 ± 1.4 †"),
        ([-1.0, 0.0, 1.0], "0 ± 2.5"),
    ],
)
def test_estimates_as_text(values, text):
    assert estimate_text(Estimate.of(values), "timeouts", len(values)) == text


def test_estimates_group_by_what_was_varied():
    found = study({"tcp.variant": "reno,vegas", "radio.tbler": "5 %,10 %"}, "1..3")
    groups = list(found.estimates(["goodput_bps", "completed_s"]))
    assert [values for values, _ in groups] == [
        (variant, tbler) for variant in ("reno", "vegas") for tbler in (0.05, 0.1)
    ]
    goodput, completed = groups[3][1]
    rows = found.frame.filter(pl.col("tcp.variant") == "vegas", pl.col("radio.tbler") == 0.1)
    assert goodput is not None
    assert goodput.count == 3
    assert goodput.mean == statistics.fmean(rows["goodput_bps"])
    assert completed is None


def test_picture_shows_means_and_intervals():
    found = study({"tcp.variant": "reno,vegas", "radio.tbler": "0 %,5 %,10 %"}, "1..4")
    chosen = Choice.of(found)
    assert (chosen.x, chosen.by) == ("radio.tbler", ("tcp.variant",))
    ax = found.plot.lines(Figure().subplots()).axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("radio.tbler (%)", "Goodput (kbit/s)")
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["reno", "vegas"]
    [reno, vegas] = ax.containers
    groups = dict(found.estimates(["goodput_bps"]))
    for name, drawn in (("reno", reno), ("vegas", vegas)):
        line, _, (bars,) = drawn
        assert list(line.get_xdata()) == [0.0, 5.0, 10.0]
        for tbler, mean, segment in zip(
            (0.0, 0.05, 0.1), line.get_ydata(), bars.get_segments(), strict=True
        ):
            [estimate] = groups[name, tbler]
            assert estimate is not None
            assert estimate.half is not None
            assert mean == pytest.approx(estimate.mean / 1000)
            height = segment[1][1] - segment[0][1]
            assert height == pytest.approx(2 * estimate.half / 1000)
    assert heading(found, chosen).endswith("mean and 95 % confidence interval over 4 seeds")


def test_words_stand_side_by_side():
    found = study({"tcp.variant": "reno,vegas", "queue.packets": "8,unlimited"}, None)
    ax = found.plot.lines(Figure().subplots(), x="queue.packets", y="rtt_s.mean").axes[0]
    assert [each.get_text() for each in ax.get_xticklabels()] == ["8", "unlimited"]
    assert (
        heading(found, Choice.of(found, x="queue.packets"))
        == "umts-dch-384: one run a point, no intervals"
    )


@pytest.mark.parametrize(
    ("x", "y", "by", "expected"),
    [
        (
            "radio.tblr",
            "goodput_bps",
            None,
            "x=radio.tblr: not varied in this sweep; did you mean radio.tbler",
        ),
        (None, "goodput", None, "y=goodput: no metric of these runs; did you mean goodput_bps?"),
        (None, "variant", None, "y=variant: no metric of these runs"),
        ("radio.tbler", "goodput_bps", ["seed"], "by: tcp.variant varies as well"),
        ("seed", "goodput_bps", ["tcp.variant"], "by: radio.tbler varies as well"),
    ],
)
def test_picture_that_cannot_be(x, y, by, expected):
    found = study({"tcp.variant": "reno,vegas", "radio.tbler": "0 %,5 %"}, None)
    with pytest.raises(ValueError, match=expected):
        Choice.of(found, x=x, y=y, by=by)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("goodput_bps", "goodput (kbit/s)"),
        ("rtt_s.mean", "RTT mean (s)"),
        ("rtt_s.samples", "RTT samples"),
        ("cwnd_segments.max", "cwnd max (segments)"),
        ("links.Uu/down.queue_packets.mean", "links Uu/down queue mean (packets)"),
        ("normalized_throughput", "normalized throughput (%)"),
        ("limited_by.cwnd", "limited by cwnd (%)"),
        ("total.jain_index", "total jain index"),
        ("fast_retransmits", "fast retransmits"),
    ],
)
def test_names_of_metrics(name, label):
    assert metric_label(name) == label


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.05, SHARE, "5 %"),
        (384000.0, "bit/s", "384 kbit/s"),
        (0.01, "s", "10 ms"),
        (60.0, "s", "60 s"),
        (512, "B", "512 B"),
        (math.inf, None, "unlimited"),
        (True, None, "true"),
        ("vegas", None, "vegas"),
        (None, None, "–"),
    ],
)
def test_parameters_as_text(value, unit, text):
    assert parameter_text(value, unit) == text


def test_jobs_and_scheduler_are_one_too_many():
    with pytest.raises(ValueError, match="give one of them"):
        tp.sweep("umts-dch-384", {"tcp.window": 4}, jobs=1, scheduler="tcp://127.0.0.1:9")


def test_file_is_of_a_kind_that_holds_a_table(tmp_path):
    with pytest.raises(ValueError, match=r"s\.txt must end in \.parquet or \.csv"):
        tp.sweep("umts-dch-384", {"tcp.window": 4}, out=tmp_path / "s.txt")
