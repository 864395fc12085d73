"""``thinpipe plot`` of a sweep."""

import json

import matplotlib.image
import polars as pl
import pytest
import thinpipe as tp
from thinpipe.sweep.study import LEFT_OUT, MARK


@pytest.fixture
def swept(tmp_path):
    tp.sweep(
        "umts-dch-384",
        {"tcp.variant": "reno,vegas", "radio.tbler": "0 %,10 %"},
        {"duration": "2 s"},
        seeds="1..3",
        out=tmp_path / "s.parquet",
    )
    return "s.parquet"


def test_picture_beside_where_one_stands(thinpipe, tmp_path, swept):
    done = thinpipe("plot", swept)
    assert (done.returncode, done.stdout, done.stderr) == (0, "s-goodput_bps.png\n", "")
    image = matplotlib.image.imread(tmp_path / "s-goodput_bps.png")
    assert image.shape[:2] == (750, 1350)
    assert image[..., :3].std() > 0.05


def test_choices_change_the_picture(thinpipe, tmp_path, swept):
    pictures = set()
    for more in (
        (), ("--x", "tcp.variant"), ("--y", "rtt_s.mean"), ("--x", "seed"),
        ("--by", "tcp.variant", "--by", "seed"),
    ):  # fmt: skip
        done = thinpipe("plot", swept, "--out", "a.png", *more)
        assert (done.returncode, done.stderr) == (0, "")
        pictures.add((tmp_path / "a.png").read_bytes())
    assert len(pictures) == 5


@pytest.mark.parametrize("kind", ["lines", "scatter", "cdf", "box"])
def test_every_kind_is_drawn_of_both_files(thinpipe, tmp_path, swept, kind):
    assert thinpipe("table", swept, "--out", "s.csv").returncode == 0
    done = thinpipe("plot", swept, "--kind", kind)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"s-{kind}-goodput_bps.png\n", "")
    of_parquet = (tmp_path / f"s-{kind}-goodput_bps.png").read_bytes()
    assert thinpipe("plot", "s.csv", "--kind", kind, "--out", "b.png").returncode == 0
    assert (tmp_path / "b.png").read_bytes() == of_parquet
    image = matplotlib.image.imread(tmp_path / "b.png")
    assert image[..., :3].std() > 0.05


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--kind", "cwnd"), "--kind cwnd: must be lines, scatter, cdf or box"),
        (
            ("--kind", "boxes"),
            "--kind boxes: must be lines, scatter, cdf or box; did you mean box?",
        ),
        (
            ("--kind", "cdf", "--x", "radio.tbler"),
            "--x radio.tbler: a distribution has its metric, y, on this axis",
        ),
        (
            ("--kind", "scatter", "--x", "radio.tbler"),
            "--x radio.tbler: no metric of these runs; did you mean radio.blocks_sent?",
        ),
        (("--flow", "0"), "--flow 0: only the picture of a run takes it"),
        (("--from", "1s"), "--from 1s: only the picture of a run takes it"),
        (
            ("--x", "radio.tbl"),
            "--x radio.tbl: not varied in this sweep; did you mean radio.tbler?",
        ),
        (
            ("--x", "nosuch"),
            "--x nosuch: not varied in this sweep; it varies tcp.variant, radio.tbler, seed",
        ),
        (("--y", "nosuch"), "--y nosuch: no metric of these runs; see `thinpipe measures`"),
        (("--y", "goodpt"), "--y goodpt: no metric of these runs; did you mean goodput_bps?"),
        (
            ("--by", "tcp.mss"),
            "--by tcp.mss: not varied in this sweep; it varies tcp.variant, radio.tbler, seed",
        ),
        (
            ("--x", "seed", "--by", "radio.tbler"),
            "--by radio.tbler: tcp.variant varies as well; runs with different ones do not mix",
        ),
        (("--out", "a.jpg"), "--out a.jpg: must end in .png, .svg or .pdf"),
    ],
)
def test_bad_input(thinpipe, tmp_path, swept, arguments, expected):
    done = thinpipe("plot", swept, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"
    assert [each.name for each in tmp_path.iterdir()] == ["s.parquet"]


@pytest.fixture
def equal(tmp_path):
    """Return two files of a sweep of which most metrics are the same in every run."""
    files = [tmp_path / "e.parquet", tmp_path / "e.csv"]
    for file in files:
        tp.sweep("plain-384", {"tcp.variant": "reno,cubic"}, {"duration": "5 s"}, out=file)
    return [file.name for file in files]


def test_default_pictures_of_metrics_that_do_not_vary(thinpipe, equal):
    for file in equal:
        for kind in ("lines", "scatter", "cdf", "box"):
            done = thinpipe("plot", file, "--kind", kind)
            assert (done.returncode, done.stderr) == (0, "")


def test_metric_that_does_not_vary_is_in_parquet(thinpipe, equal):
    for name in ("total.jain_index", "links.bottleneck/down.utilization"):
        assert thinpipe("plot", equal[0], "--y", name).returncode == 0
        done = thinpipe("plot", equal[1], "--y", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"thinpipe: --y {name}: {LEFT_OUT}\n"
    done = thinpipe("plot", equal[0], "--y", "radio.blocks_sent")
    assert done.stderr == "thinpipe: --y radio.blocks_sent: none of these runs has this metric\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.parquet", b"PAR1"),
        ("s.csv", b""),
        ("s.csv", b"scenario,seed\n"),
        ("s.csv", b"scenario,seed\n,1\n"),
        ("s.csv", b"scenario,seed\na,b\n"),
        ("s.csv", b"seed,scenario\n1,a\n"),
        ("s.csv", b"scenario,seed\na,1,2\n"),
        ("s.csv", b"\xff\xfe\x00"),
    ],
)
def test_table_of_something_else(thinpipe, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    done = thinpipe("plot", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {name}: is not the table of a sweep\n"


@pytest.mark.parametrize("about", [{}, {"constants": 1}, {"constants": {"a": []}}, []])
def test_damaged_metadata(thinpipe, tmp_path, about):
    frame = pl.DataFrame({"scenario": ["a"], "seed": [1], "goodput_bps": [1.0]})
    frame.write_parquet(tmp_path / "s.parquet", metadata={MARK: json.dumps(about)})
    done = thinpipe("plot", "s.parquet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thinpipe: s.parquet: is not the table of a sweep\n"


def test_sweep_options_are_not_for_runs(thinpipe, tmp_path):
    tp.run("plain-384", duration="1 s").save(tmp_path / "run")
    done = thinpipe("plot", "run", "--y", "goodput_bps")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thinpipe: --y goodput_bps: only the picture of many runs takes it\n"
