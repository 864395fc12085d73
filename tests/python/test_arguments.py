"""An argument of another type, or out of range, is one line with what, where and what is valid."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
import thinpipe as tp

api: Any = tp
"""Without types: the calls here are wrong."""

NAN = float("nan")

SCENARIO = (
    "scenario: must be the name of a scenario, the path of a file, nested dicts or a Scenario"
)
SETTINGS = "settings: must be a mapping with keys of text, such as {'radio.tbler': '5 %'}"
VARY = "vary: must be a mapping of keys to lists of values, such as {'tcp.window': [2, 4]}"
AX = "ax: must be axes of matplotlib, or None"
FLOWS = "flow: must be a number from 0, a list of them or 'all'"
FRAME = "frame: must be a polars DataFrame, such as thinpipe.sweep returns"
METRICS = "metrics: must be a list of metrics, such as ['goodput_bps']"
KEYS = "by: must be a list of names, such as ['tcp.variant'], or None"
RUNS = "runs: must be a list of runs, or of directories where they were saved"
RUN = "runs: must be runs, or directories where they were saved"
JOBS = "jobs: must be a whole number, or None"
PROGRESS = "progress: must be a function of two numbers, or None, not 5"
TABLES = (
    "tables: must be a mapping with keys of text, such as {'link': {'rate': '2 Mbit/s'}} "
    "(a name or a path is for thinpipe.run)"
)
SEEDS = "seeds: must be a list of whole numbers or text, such as range(1, 11) or '1..10', or None"
SHORT = {"duration": "1 s"}


@pytest.fixture(scope="module")
def made() -> Any:
    """Return a run and a study to call."""
    run = tp.run("plain-384", duration="3 s", trace=True)
    frame = tp.sweep("plain-384", {"tcp.window": [2, 4]}, {"duration": "1 s"}, seeds="1..2")
    return SimpleNamespace(run=run, study=tp.Study(frame), frame=frame)


@pytest.fixture
def saved(made, tmp_path) -> Path:
    """Save the run as ``run`` in the current directory of the program."""
    directory: Path = tmp_path / "run"
    made.run.save(directory)
    return directory


def check(call, of, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call(of)
    assert str(caught.value) == message
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda of: of.run.plot("x"), f"{AX}, not 'x'"),
        (lambda of: of.run.plot.cwnd(5), f"{AX}, not 5"),
        (lambda of: of.run.plot.packets(5), f"{AX}, not 5"),
        (lambda of: of.study.plot.lines(5), f"{AX}, not 5"),
        (
            lambda of: of.run.plot.cwnd(start_s="1 s"),
            "start_s: must be a number of seconds, not '1 s'",
        ),
        (
            lambda of: of.run.plot.packets(end_s="1 s"),
            "end_s: must be a number of seconds, or None, not '1 s'",
        ),
        (lambda of: of.run.plot.cwnd(flow=1.0), f"{FLOWS}, not 1.0"),
        (lambda of: of.run.plot.queue(flow=None), f"{FLOWS}, not None"),
        (lambda of: of.run.plot.rtt(flow=["0"]), f"{FLOWS}, not ['0']"),
        (lambda of: of.run.plot.packets(flow=[0]), "flow: must be a whole number, not [0]"),
        (lambda of: of.run.plot.packets(modulo=1.5), "modulo: must be a whole number, not 1.5"),
        (lambda of: of.run.plot.packets(link=5), "link: must be text, or None, not 5"),
        (lambda of: of.run.plot.queue(link=5), "link: must be text, or None, not 5"),
        (lambda of: of.run.plot.cwnd(label=5), "label: must be text, or None, not 5"),
        (
            lambda of: of.run.plot.goodput(interval_s="1 s"),
            "interval_s: must be a number of seconds, not '1 s'",
        ),
        (lambda of: of.run.save(None), "directory: must be a path, not None"),
        (
            lambda of: api.Study(of.frame.to_pandas()),
            f"{FRAME}, not a value of type pandas.DataFrame",
        ),
        (lambda _: api.Study(None), f"{FRAME}, not None"),
        (lambda of: of.study.means("goodput_bps"), f"{METRICS}, not 'goodput_bps'"),
        (lambda of: of.study.means(None), f"{METRICS}, not None"),
        (lambda of: of.study.estimates([5]), f"{METRICS}, not [5]"),
        (lambda of: of.study.plot.lines(y=5), "y: must be a name, not 5"),
        (lambda of: of.study.plot.box(x=5), "x: must be a name, or None, not 5"),
        (lambda of: of.study.plot.cdf(by="tcp.window"), f"{KEYS}, not 'tcp.window'"),
        (lambda of: of.study.write(None), "target: must be a path, not None"),
        (lambda _: api.Study.read(5), "source: must be a path, not 5"),
        (lambda _: api.run(None), f"{SCENARIO}, not None"),
        (lambda _: api.run(b"link"), f"{SCENARIO}, not b'link'"),
        (lambda _: api.emulate(5), f"{SCENARIO}, not 5"),
        (lambda _: api.run_many([None]), f"{SCENARIO}, not None"),
        (lambda _: api.sweep(None, {}), f"{SCENARIO}, not None"),
        (lambda _: api.run("plain-384", {5: 6}), f"{SETTINGS}, not {{5: 6}}"),
        (lambda _: api.Point.of("plain-384", None), f"{SETTINGS}, not None"),
        (lambda _: api.emulate("link", {5: 6}), f"{SETTINGS}, not {{5: 6}}"),
        (lambda _: api.sweep("plain-384", {}, 5), f"{SETTINGS}, not 5"),
        (lambda _: api.sweep("plain-384", "x"), f"{VARY}, not 'x'"),
        (lambda _: api.sweep("plain-384", {5: [1]}), f"{VARY}, not {{5: [1]}}"),
        (lambda _: api.sweep("plain-384", [1]), f"{VARY}, not [1]"),
        (lambda _: api.sweep("plain-384", {}, out=5), "out: must be a path, or None, not 5"),
        (
            lambda _: api.Scenario.of({"link": {5: 6}}),
            f"{TABLES}, not {{'link': {{5: 6}}}}",
        ),
        (lambda _: api.Scenario.of("plain-384"), f"{TABLES}, not 'plain-384'"),
        (lambda _: api.sweep("plain-384", {}, seeds=5), f"{SEEDS}, not 5"),
        (lambda _: api.Scenario("a", None), "source: must be text, not None"),
        (
            lambda _: api.Point(None),
            "scenario: must be a Scenario, which Point.of makes of a name, a file or dicts, "
            "not None",
        ),
        (lambda _: api.run("link", trace=5), "trace: must be True, False or 'ns2', not 5"),
        (lambda _: api.run("link", SHORT, progress=5), PROGRESS),
        (lambda _: api.run_many(["link"], progress=5), PROGRESS),
        (lambda _: api.sweep("link", {}, SHORT, progress=5), PROGRESS),
        (lambda _: api.run_many(None), "points: must be a list of points or scenarios, not None"),
        (lambda _: api.run_many(["link"], jobs="x"), f"{JOBS}, not 'x'"),
        (lambda _: api.sweep("link", {}, jobs=NAN), f"{JOBS}, not nan"),
        (lambda _: api.frame(None), f"{RUNS}, not None"),
        (lambda _: api.frame([5]), f"{RUN}, not 5"),
        (lambda _: api.load(None), "directory: must be a path, not None"),
        (lambda _: api.again(5), "directory: must be a path, not 5"),
        (lambda _: api.keys(5), "word: must be text, or None, not 5"),
        (lambda _: api.measures(5), "word: must be text, or None, not 5"),
        (lambda _: api.keys(profile=5), "profile: must be text, or None, not 5"),
        (lambda _: api.emulate("link", mtu="x"), "mtu: must be a whole number, not 'x'"),
        (
            lambda _: api.emulate("link", server=5),
            "server: must be a command, as text or as a list of words, or None, not 5",
        ),
        (lambda _: api.Result.from_json(None), "text: must be text in JSON, not None"),
    ],
)
def test_argument_of_another_type(made, call, message):
    check(call, made, TypeError, message)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda of: of.run.plot.cwnd(start_s=NAN),
            "start_s: must be from 0 s to below 3 s, not nan s",
        ),
        (lambda of: of.run.plot.cwnd(flow=-1), "flow: -1 is none of this run's, 0 to 0"),
        (lambda of: of.run.plot.cwnd(flow=[0, 0]), "flow: 0 is given twice; give it once"),
        (
            lambda of: of.run.plot.goodput(interval_s=1e-12, end_s=2.0),
            "interval_s: must be at least 2e-05 s, not 1e-12 s",
        ),
        (
            lambda of: of.study.means(["goodput"]),
            "metrics=goodput: no metric of these runs; did you mean goodput_bps?",
        ),
        (
            lambda of: of.study.estimates(["scenario"]),
            "metrics=scenario: no metric of these runs; see `thinpipe measures`",
        ),
        (
            lambda of: of.study.plot.lines(x="nope"),
            "x=nope: not varied in this sweep; it varies tcp.window, seed",
        ),
        (
            lambda of: of.study.plot.lines(y="nope"),
            "y=nope: no metric of these runs; see `thinpipe measures`",
        ),
        (
            lambda of: of.run.plot.middlebox(),
            "middlebox: needs a run with middlebox.kind other than none",
        ),
        (lambda _: api.emulate("umts-384", mtu=10), "mtu: must be from 68 to 65535, not 10"),
        (
            lambda _: api.emulate("umts-384", pcap="x", snap=0),
            "snap: must be from 1 to 65549, not 0",
        ),
        (
            lambda _: api.emulate("umts-384", snap=96),
            "snap: cuts the packets of captures, and pcap is not given",
        ),
        (lambda _: api.run("link", trace=True, snap=0), "snap: must be from 1 to 65549, not 0"),
        (
            lambda _: api.run("plain-384", snap=96),
            "snap: cuts the packets of captures, and a run without a trace has none",
        ),
        (lambda _: api.Result.from_json("[]"), "text: is no Result of this version"),
        (
            lambda _: api.Result.from_json("{"),
            "text: not JSON: Expecting property name enclosed in double quotes: line 1 column 2 "
            "(char 1)",
        ),
    ],
)
def test_argument_out_of_range(made, call, message):
    check(call, made, ValueError, message)


def test_a_bin_too_narrow_to_draw(made):
    with pytest.raises(ValueError, match=r"^width_s: must be at least .* s, not 1e-12 s$"):
        made.run.plot.rtt_histogram(width_s=1e-12)


def test_metrics_are_the_columns_that_can_be_averaged(made):
    assert {"goodput_bps", "rtt_s.mean", "retransmits"} <= {*made.study.metrics}
    assert not {"scenario", "seed", "tcp.window", "variant"} & {*made.study.metrics}
    assert set(made.study.means(made.study.metrics)["metric"]) <= {*made.study.metrics}


def test_numbers_of_numpy_are_numbers(made):
    view = made.run.plot.cwnd(flow=np.int64(0), start_s=np.float32(1), end_s=np.float64(2)).axes[0]
    assert view.get_xlim() == (0.99, 2.01)


@pytest.mark.parametrize(
    ("name", "use", "command"),
    [
        ("result.json", tp.load, "plot run"),
        ("result.json", lambda path: tp.frame([path]), "table run"),
        ("rtt.parquet", lambda path: tp.load(path).rtt, "plot run --kind rtt"),
        ("scenario.toml", tp.again, "run --again run"),
        ("inputs.json", tp.again, "run --again run"),
    ],
)
def test_a_damaged_file_is_the_line_of_the_command(saved, thinpipe, name, use, command):
    (saved / name).write_bytes(b"\xff")
    with pytest.raises(ValueError, match=f"/run/{name}: is damaged: .*thinpipe.sha256 has another"):
        use(saved)
    done = thinpipe(*command.split())
    reason = "is damaged: run/thinpipe.sha256 has another digest"
    assert (done.returncode, done.stderr) == (2, f"thinpipe: run/{name}: {reason}\n")


def test_a_file_that_is_no_sweeps(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: is not the table of a sweep$"):
        tp.Study.read(tmp_path / "a.parquet")
