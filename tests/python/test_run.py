"""Runs from Python: metrics, tables, plots."""

import json
import pickle
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
import polars as pl
import pytest
import thinpipe as tp
from thinpipe.point import Value
from thinpipe.tables import TRACED


@pytest.fixture(scope="module")
def vegas() -> tp.Run:
    return tp.run(
        "umts-dch-384",
        {"tcp.variant": "vegas", "radio.tbler": "30 %"},
        duration="200 s",
        seed=1,
        trace=True,
    )


def test_metrics_are_those_of_the_json(vegas):
    data = json.loads(vegas.json())
    flow = vegas.flows[0]
    assert flow.goodput_bps == data["flows"][0]["goodput_bps"]
    assert flow.rtt_s.p95 == data["flows"][0]["rtt_s"]["p95"]
    assert vegas.radio is not None
    assert vegas.radio.blocks_in_error == data["radio"]["blocks_in_error"]
    assert [link.name for link in vegas.links] == [link["name"] for link in data["links"]]
    assert repr(vegas) == "<Run umts-dch-384 seed 1: 1 flow, 200 s>"


def test_no_metric_of_the_json_is_lost(vegas):
    assert vegas.to_dict() == json.loads(vegas.json())


@pytest.mark.parametrize("table", ["rtt", "cwnd", "events", "segments", "blocks", "hops"])
def test_tables_go_to_pandas(vegas, table):
    frame = getattr(vegas, table).to_pandas()
    assert list(frame.columns) == getattr(vegas, table).columns
    assert len(frame) == len(getattr(vegas, table))


def test_capture_that_cannot_be_written_is_named(vegas, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        vegas._core.write_pcapng(str(tmp_path / "no"))
    error = caught.value
    assert (error.strerror, error.filename) == (
        "No such file or directory",
        str(tmp_path / "no" / "host.pcapng"),
    )


@pytest.mark.parametrize("kind", ["cwnd", "rtt", "rtt_histogram", "time_sequence", "throughput"])
def test_picture_of_an_unknown_flow(vegas, kind):
    with pytest.raises(ValueError, match=r"^flow: 7 is none of this run's"):
        getattr(vegas.plot, kind)(flow=7)


def test_widths_are_above_zero(vegas):
    with pytest.raises(ValueError, match=r"^interval_s: must be above zero"):
        vegas.plot.goodput(interval_s=0)
    with pytest.raises(ValueError, match=r"^width_s: must be above zero"):
        vegas.plot.rtt_histogram(width_s=-1)


def test_segments_stand_before_the_acknowledgements(vegas):
    from matplotlib.figure import Figure

    ax = vegas.plot.time_sequence(Figure().subplots()).axes[0]
    line = next(each for each in ax.lines if each.get_label() == "Acknowledged")
    segments = next(each for each in ax.lines if each.get_label() == "Segment")
    assert segments.get_zorder() > line.get_zorder()


def test_tables_agree_with_the_metrics(vegas):
    flow = vegas.flows[0]
    assert len(vegas.rtt) == flow.rtt_s.samples
    assert vegas.rtt["rtt_s"].min() == flow.rtt_s.min
    assert vegas.cwnd["cwnd_segments"].max() == flow.cwnd_segments.max
    count = vegas.events["event"].cast(pl.String).value_counts()
    events = dict(count.iter_rows())
    assert events.get("spurious_timeout", 0) == flow.spurious_timeouts
    assert events["established"] == 1
    sent = vegas.segments.filter((pl.col("event") == "sent") & (pl.col("payload_bytes") > 0))
    assert len(sent) == flow.segments_sent
    assert len(sent.filter(pl.col("transmission") > 1)) == flow.retransmits
    assert vegas.radio is not None
    assert len(vegas.blocks) == vegas.radio.blocks_sent
    assert vegas.blocks["error"].sum() == vegas.radio.blocks_in_error


def test_times_of_every_table_are_in_order(vegas):
    for name in ("rtt", "cwnd", "events", "segments", "blocks", "hops"):
        times = getattr(vegas, name)["time_s"].to_numpy()
        assert len(times) > 0, name
        assert (np.diff(times) >= 0).all(), name
        assert 0 <= times[0] <= times[-1] <= 200, name


def test_every_packet_leaves_what_it_entered_or_is_still_there(vegas):
    entered = vegas.hops.filter(pl.col("event") == "entered").select("uid", "machine")
    gone = vegas.hops.filter(pl.col("event") != "entered").select("uid", "machine")
    assert entered.is_duplicated().sum() == 0
    assert len(gone.join(entered, on=["uid", "machine"], how="anti")) == 0
    assert len(entered) - len(gone) <= 64 * 2


def test_untraced_run_says_what_it_needs():
    run = tp.run("umts-dch-384", duration="1 s")
    with pytest.raises(ValueError, match="trace=True"):
        _ = run.segments


def test_many_runs_come_in_order_whatever_the_jobs():
    points = [tp.Point.of("umts-dch-384", seed=seed, duration="5 s") for seed in (3, 1, 2, 1)]
    one, two = (tp.run_many(points, jobs=jobs) for jobs in (1, 2))
    assert [run.result.seed for run in one] == [3, 1, 2, 1]
    for a, b in zip(one, two, strict=True):
        assert a.json() == b.json()
        assert a.rtt.equals(b.rtt)
    assert one[1].json() == one[3].json()


MOBILES: Mapping[str, Value] = {
    "radio.ues": 5,
    "flow.count": 10,
    "flow.application": "web",
    "middlebox.kind": "atcp",
}


def test_mobiles_run_apart_as_together():
    """A trace has all mobiles in one world."""
    apart = [tp.run("gprs-3+1", MOBILES, duration="30 s", threads=threads) for threads in (1, 3)]
    together = tp.run("gprs-3+1", MOBILES, duration="30 s", trace=True)
    for run in apart:
        assert run.json() == together.json()
        for table in ("rtt", "cwnd", "events", "pages", "middlebox_backlog", "middlebox_rtt"):
            assert getattr(run, table).equals(getattr(together, table))


LOSSY_UDP = {"flow.application": "udp", "radio.tbler": "10 %", "radio.rlc.mode": "um"}


@pytest.mark.parametrize(
    ("scenario", "settings"),
    [
        ("gprs-3+1", {"middlebox.kind": "atcp", "radio.ues": 3, "flow.count": 6}),
        ("umts-dch-384", {**LOSSY_UDP, "radio.ues": 3, "flow.count": 3}),
        ("umts-dch-384", LOSSY_UDP),
        ("umts-cell-50", {}),
        ("hmipv6-handover", {"flow.application": "udp"}),
    ],
)
def test_tables_are_the_same_with_and_without_a_trace_or_threads(scenario, settings):
    runs = [
        tp.run(scenario, settings, duration="15 s", **how)
        for how in ({"trace": True}, {"threads": 1}, {"threads": 2})
    ]
    traced, *others = (run._tables for run in runs)
    untraced = {name: table for name, table in traced.items() if name not in TRACED}
    for tables in others:
        assert tables.keys() == untraced.keys()
        for name, table in untraced.items():
            assert tables[name].schema == table.schema, name
            assert tables[name].equals(table), name


def test_many_flows_are_a_sequence():
    run = tp.run("gprs-3+1", {"flow.count": 150, "flow.interval": "100 ms"}, duration="30 s")
    flows = run.flows
    assert len(flows) == 150
    assert [flow.id for flow in flows] == list(range(150))
    assert (flows[-1].id, [flow.id for flow in flows[62:66]]) == (149, [62, 63, 64, 65])
    for place in (150, -151):
        with pytest.raises(IndexError):
            flows[place]
    read = tp.Result.from_json(run.json())
    assert run.result == read
    assert flows == read.flows
    assert flows != read.flows[1:]
    assert run.to_dict() == json.loads(run.json())
    assert pickle.loads(pickle.dumps(run.result)) == read


def test_threads_are_at_least_one():
    with pytest.raises(ValueError, match=r"^threads: must be at least 1, not 0$"):
        tp.run("gprs-3+1", threads=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_exception_in_progress_ends_a_run_of_many_mobiles(threads):
    class EnoughError(Exception):
        pass

    def stop(_now_s: float, _duration_s: float) -> None:
        raise EnoughError

    settings = {"radio.ues": 10_000, "flow.count": 80_000}
    with pytest.raises(EnoughError):
        tp.run("gprs-3+1", settings, duration="1000 s", threads=threads, progress=stop)


def test_scenarios_as_they_are_make_a_batch():
    first, second = tp.run_many(["plain-384", tp.scenarios()["umts-dch-384"]])
    assert (first.result.scenario, second.result.scenario) == ("plain-384", "umts-dch-384")


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_are_at_least_one(jobs):
    with pytest.raises(ValueError, match=f"^jobs: must be at least 1, not {jobs}$"):
        tp.run_many([], jobs=jobs)


def test_one_point_is_no_list():
    with pytest.raises(TypeError, match=r"^points: must be a list of points or scenarios, not"):
        tp.run_many("umts-dch-384")


def test_progress_reaches_the_end_of_a_batch():
    told: list[tuple[int, int]] = []
    points = [tp.Point.of("umts-dch-384", seed=seed, duration="1 s") for seed in range(5)]
    tp.run_many(points, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (5, 5)


def test_exception_in_progress_ends_the_batch():
    class EnoughError(Exception):
        pass

    def stop(_done: int, _total: int) -> None:
        raise EnoughError

    points = [tp.Point.of("umts-dch-384", seed=seed, duration="10 s") for seed in range(5)]
    with pytest.raises(EnoughError):
        tp.run_many(points, progress=stop)


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("cwnd", ("Time (s)", "Congestion window (segments)")),
        ("rtt", ("Time (s)", "Round-trip time (s)")),
        ("rtt_histogram", ("Round-trip time (s)", "Samples in 20 ms")),
        ("time_sequence", ("Time (s)", "Sequence number (kB)")),
        ("outstanding", ("Time (s)", "Outstanding data (kB)")),
        ("throughput", ("Time (s)", "Throughput (kbit/s)")),
        ("packets", ("Time (s)", "Packet number mod 60 at Uu")),
        ("goodput", ("Time (s)", "Goodput (kbit/s)")),
    ],
)
def test_pictures_name_their_units(vegas, kind, labels):
    from matplotlib.figure import Figure

    [ax] = getattr(vegas.plot, kind)(Figure().subplots()).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == labels
    assert ax.has_data()


def test_pictures_show_the_run(vegas):
    from matplotlib.figure import Figure

    ax = vegas.plot.cwnd(Figure().subplots()).axes[0]
    shown = ax.lines[0].get_ydata()
    assert max(shown) == vegas.flows[0].cwnd_segments.max
    counts = [text for text in ax.get_legend_handles_labels()[1] if "purious" in text]
    assert counts == [f"Spurious timeout: {vegas.flows[0].spurious_timeouts}"]
    bars = vegas.plot.rtt_histogram(Figure().subplots()).axes[0].patches
    assert sum(bar.get_height() for bar in bars) == vegas.flows[0].rtt_s.samples
    rates = vegas.plot.goodput(Figure().subplots()).axes[0].patches[0].get_data().values
    assert np.mean(rates) * 1000 == pytest.approx(vegas.flows[0].goodput_bps, rel=0.05)


def test_notebook_shows_a_table(vegas):
    html = vegas._repr_html_()
    assert "<td>vegas</td>" in html
    assert "umts-dch-384, seed 1: 200 s simulated" in html


def test_import_leaves_the_heavy_libraries_alone():
    code = (
        "import sys, thinpipe; print({'polars', 'matplotlib', 'rich', 'typer'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_a_run_is_pickled_with_all_that_it_saves(tmp_path):
    run = tp.run("plain-384", {"tcp.variant": "vegas"}, trace=True, duration="3 s")
    read = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(run))))
    assert (read.result, read.scenario) == (run.result, run.scenario)
    assert read.segments.equals(run.segments)
    for one, name in ((run, "one"), (read, "other")):
        one.save(tmp_path / name)
    manifests = [(tmp_path / name / "thinpipe.sha256").read_text() for name in ("one", "other")]
    assert manifests[0] == manifests[1]
    assert ".pcapng\n" in manifests[0]
    saved = pickle.loads(pickle.dumps(tp.load(tmp_path / "one")))
    assert saved.cwnd.equals(run.cwnd)


def test_results_and_scenarios_are_pickled_and_become_dicts():
    run = tp.run("umts-dch-384", duration="2 s")
    assert pickle.loads(pickle.dumps(run.result)) == run.result
    assert run.to_dict() == run.result.to_dict() == json.loads(run.json())
    assert pickle.loads(pickle.dumps(run.scenario)) == run.scenario
    assert run.scenario.to_dict()["radio"]
    assert run.scenario.name in run.scenario._repr_html_()
    assert "goodput_bps" in run.result._repr_html_()


def test_a_saved_run_is_run_again(tmp_path):
    tp.run("plain-384", {"link.loss": "2 %"}, seed=5, duration="3 s").save(tmp_path / "run")
    once_more = tp.again(tmp_path / "run")
    assert once_more.result == tp.load(tmp_path / "run").result
    assert once_more.result.settings == {"link.loss": "2 %", "seed": "5", "duration": "3 s"}
    assert not once_more.traced


def test_threads_that_the_machine_does_not_give_are_done_without(tmp_path):
    script = tmp_path / "short.py"
    script.write_text(
        "import contextlib, os, resource, threading, thinpipe as tp\n"
        'settings = {"radio.ues": 200, "flow.count": 200}\n'
        "def run(threads):\n"
        '    return tp.run("gprs-3+1", settings, duration="1 s", threads=threads).json()\n'
        "one = run(1)\n"
        "with contextlib.suppress(OSError):  # root has no limit\n"
        "    os.setresuid(65534, 65534, 65534)\n"
        "resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))\n"
        "with contextlib.suppress(RuntimeError):\n"
        "    threading.Thread(target=print, args=('a thread',)).start()\n"
        "print(run(200) == one)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


CAPTURED = """
import os, pathlib, signal, subprocess, sys, thinpipe as tp

signal.signal(signal.SIGINT, signal.default_int_handler)
run = tp.run("gprs-3+1", {"radio.ues": 3, "flow.count": 3}, duration="60 s", trace=True)
os.mkdir("whole")
first, *others = map(pathlib.Path, run._core.write_pcapng("whole"))
assert first.stat().st_size > 4 << 16, "a pipe must not hold it before it is read"
os.mkdir("captures")
os.mkfifo(f"captures/{first.name}")
reads = "import os, signal, sys; f = open(sys.argv[1], 'rb'); "
reads += "os.kill(os.getppid(), signal.SIGINT); sys.stdout.buffer.write(f.read())"
command = [sys.executable, "-c", reads, f"captures/{first.name}"]
with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
    try:
        run._core.write_pcapng("captures")
    except KeyboardInterrupt:
        print("interrupted", len(others), os.listdir("captures") == [first.name])
    print(reader.communicate()[0] == first.read_bytes())
"""


def test_interruption_ends_captures_after_the_one_that_is_written(tmp_path):
    """Who reads the first one interrupts: it is whole, and there is no other."""
    command = [sys.executable, "-c", CAPTURED]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("interrupted 3 True\nTrue\n", "")
