"""``thinpipe table`` from end to end."""

import io

import polars as pl
import pytest
import thinpipe as tp
from thinpipe.sweep import Study
from thinpipe.tables import NAMES


@pytest.fixture
def runs(tmp_path):
    made = [
        tp.run("umts-dch-384", {"tcp.variant": name, "radio.tbler": "10 %"}, duration="5 s")
        for name in ("reno", "vegas")
    ]
    for run, name in zip(made, ("reno", "vegas"), strict=True):
        run.save(tmp_path / name)
    return made


def read(text: str) -> pl.DataFrame:
    kinds = {"seed": pl.UInt64}
    return pl.read_csv(io.StringIO(text), infer_schema_length=None, schema_overrides=kinds)


def test_runs_are_rows(thinpipe, runs):
    done = thinpipe("table", "reno", "vegas")
    assert (done.returncode, done.stderr) == (0, "")
    assert read(done.stdout).equals(tp.frame(runs))
    whole = thinpipe("table", "reno", "vegas", "--complete")
    assert read(whole.stdout).columns == tp.frame(runs, complete=True).columns


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_can_be_drawn(thinpipe, tmp_path, runs, suffix):
    done = thinpipe("table", "reno", "vegas", "--out", f"t{suffix}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Study.read(tmp_path / f"t{suffix}").frame.equals(tp.frame(runs))
    assert thinpipe("plot", f"t{suffix}", "--kind", "scatter").returncode == 0


@pytest.mark.parametrize("name", ["rtt", "cwnd", "events"])
def test_table_of_a_run_is_exact(thinpipe, tmp_path, runs, name):
    done = thinpipe("table", "vegas", "--name", name)
    assert (done.returncode, done.stderr) == (0, "")
    expected = getattr(runs[1], name)
    assert read(done.stdout).cast(dict(expected.schema)).equals(expected)
    assert thinpipe("table", "vegas", "--name", name, "--out", "t.parquet").returncode == 0
    assert pl.read_parquet(tmp_path / "t.parquet").equals(expected)


def test_every_table_has_a_name(runs):
    assert all(hasattr(type(runs[0]), name) for name in NAMES)
    assert set(runs[0]._tables) <= set(NAMES)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("reno", "--name", "rt"), "--name rt: no table of a run; did you mean rtt?"),
        (
            ("reno", "--name", "x"),
            "--name x: no table of a run; reno has rtt, cwnd, events, capacity",
        ),
        (
            ("reno/result.json",),
            "reno/result.json: is a file, not a run's directory; expected its directory, reno",
        ),
        (
            ("reno", "--name", "segments"),
            "--name segments: reno has no segments.parquet; it needs a run with trace=True",
        ),
        (("reno", "vegas", "--name", "rtt"), "--name rtt: takes one run, and all of its columns"),
        (
            ("reno", "--name", "rtt", "--complete"),
            "--name rtt: takes one run, and all of its columns",
        ),
        (("reno", "--out", "a.txt"), "--out a.txt: must end in .parquet or .csv"),
        (("reno", "s.csv"), "s.csv: a sweep is a table of its own"),
        (("s.csv",), "s.csv: No such file or directory"),
        (("no",), "no: No such file or directory"),
    ],
)
def test_bad_input(thinpipe, tmp_path, arguments, expected):
    done = thinpipe("table", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["reno", "vegas"]


def test_directory_of_something_else(thinpipe, tmp_path):
    (tmp_path / "a").mkdir()
    done = thinpipe("table", "a")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thinpipe: a: is no run's directory: it has no result.json\n"
