"""Runs as a table: which columns there are, and that files give them back."""

import math

import polars as pl
import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from thinpipe import _core
from thinpipe.frame import study_of
from thinpipe.inputs import _values
from thinpipe.scenario import scenarios
from thinpipe.sweep import Study
from thinpipe.sweep.parameters import column, resolved, unit_of
from thinpipe.sweep.table import SCENARIO, SEED, joined, split
from thinpipe.sweep.words import ALWAYS

VARY = {"tcp.variant": "reno,vegas", "radio.tbler": "0 %,10 %"}
SETTINGS = {"duration": "5 s", "tcp.mss": "1000 B"}
MAIN = {SCENARIO, SEED, *ALWAYS}


@pytest.fixture(scope="module")
def runs():
    """Return the runs of a sweep, in its order."""
    return tp.run_many(
        tp.Point.of(
            "umts-dch-384",
            {**SETTINGS, "tcp.variant": variant, "radio.tbler": tbler, "seed": seed},
        )
        for variant in ("reno", "vegas")
        for tbler in ("0 %", "10 %")
        for seed in (1, 2, 3)
    )


@pytest.fixture(scope="module", params=[".parquet", ".csv"])
def swept(request, tmp_path_factory):
    """Return the frame of a sweep, and the file that it wrote."""
    out = tmp_path_factory.mktemp("swept") / f"s{request.param}"
    return tp.sweep("umts-dch-384", VARY, SETTINGS, seeds="1..3", out=out), out


def test_frame_of_a_sweeps_runs_is_the_sweeps(runs, swept):
    frame, _ = swept
    assert tp.frame(runs).equals(frame)
    assert tp.frame(runs).schema == frame.schema
    whole = tp.sweep("umts-dch-384", VARY, SETTINGS, seeds="1..3", complete=True)
    assert tp.frame(runs, complete=True).equals(whole)


def test_saved_runs_are_what_they_were(runs, tmp_path):
    directories = [tmp_path / str(number) for number in range(len(runs))]
    for run, directory in zip(runs, directories, strict=True):
        run.save(directory)
    frame = tp.frame(runs, complete=True)
    assert tp.frame(directories, complete=True).equals(frame)
    assert tp.frame(map(str, directories), complete=True).equals(frame)
    assert tp.frame(map(tp.load, directories), complete=True).equals(frame)


def test_files_give_back_the_frame(swept):
    frame, file = swept
    read = Study.read(file)
    assert read.frame.equals(frame)
    assert read.frame.schema == frame.schema
    assert (read.scenario, read.varied) == ("umts-dch-384", tuple(VARY))
    again = file.with_stem("again")
    read.write(again)
    assert again.read_bytes() == file.read_bytes()


def test_parquet_keeps_what_the_frame_leaves_out(runs, tmp_path):
    file = tmp_path / "runs.parquet"
    study_of(runs).write(file)
    assert Study.read(file).complete.equals(tp.frame(runs, complete=True))
    assert len(pl.read_parquet(file).columns) < 100 < len(Study.read(file).constants)


def test_a_column_that_varies_is_never_left_out(runs):
    frame, whole = tp.frame(runs), tp.frame(runs, complete=True)
    varying = {each.name for each in whole if each.n_unique() > 1}
    assert varying | MAIN == set(frame.columns)
    assert whole.columns[: len(frame.columns)] == frame.columns
    assert {"radio.uplink.tbler", "flows.count", "tcp.mss"} <= set(whole.columns)


def test_settings_stand_before_the_seed_and_metrics_behind(runs):
    columns = tp.frame(runs).columns
    assert columns[:5] == [SCENARIO, "tcp.variant", "radio.tbler", SEED, "variant"]
    assert columns.index("goodput_bps") < columns.index("radio.downlink.tbler")


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False),
    st.text(max_size=3),
)  # fmt: skip


@given(st.lists(VALUES, min_size=1, max_size=6), st.integers(1, 4))
def test_split_and_join_are_inverse(values, height):
    """Of any values: the columns after the seed are constant, or vary in the last row."""
    front = {SCENARIO: ["a"] * height, SEED: list(range(height))}
    same = {f"same.{number}": [value] * height for number, value in enumerate(values)}
    frame = pl.DataFrame({**front, "varies": list(range(height)), **same}, strict=False)
    frame = frame.with_columns(pl.col(pl.Null).cast(pl.Float64))
    narrow, constants = split(frame)
    assert narrow.columns == [SCENARIO, SEED, *(["varies"] if height > 1 else [])]
    assert joined(narrow, constants).select(frame.columns).equals(frame)


def test_runs_of_several_scenarios(tmp_path):
    runs = [tp.run(name, duration="2 s") for name in ("plain-384", "umts-dch-384")]
    study = study_of(runs)
    assert study.frame[SCENARIO].to_list() == ["plain-384", "umts-dch-384"]
    assert study.varied == (SCENARIO,)
    assert study.frame["radio.tbler"].to_list() == [None, 0.0]
    file = tmp_path / "runs.csv"
    study.write(file)
    assert Study.read(file).varied == (SCENARIO,)


def test_a_scenario_that_was_edited_tells_its_runs_apart(tmp_path):
    scenario = tmp_path / "mine.toml"
    runs = []
    for window in (4, 8):
        scenario.write_text(
            f'duration = "2 s"\n[link]\nrate = "64 kbit/s"\n[tcp]\nwindow = {window}\n'
        )
        runs.append(tp.run(scenario))
    assert study_of(runs).varied == ("tcp.window",)


def test_one_run_has_the_main_metrics():
    run = tp.run("plain-384", duration="2 s")
    assert set(tp.frame([run]).columns) == MAIN
    whole = tp.frame([run], complete=True)
    assert whole["segments_sent"].to_list() == [run.flows[0].segments_sent]


def test_what_is_no_list_of_runs(tmp_path):
    with pytest.raises(TypeError, match=r"^runs: must be a list of runs, .*, not <Run plain-384"):
        tp.frame(tp.run("plain-384", duration="1 s"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^runs: must be a list of runs, .*, not 'out'"):
        tp.frame("out")
    with pytest.raises(ValueError, match="runs: there is none"):
        tp.frame([])
    with pytest.raises(OSError, match="is no run's directory"):
        tp.frame([tmp_path])


def test_a_study_needs_a_table_of_runs():
    with pytest.raises(ValueError, match="frame: is no table of runs"):
        Study(pl.DataFrame({"a": [1]}))
    frame = tp.sweep("plain-384", {"tcp.window": "4,8"}, {"duration": "2 s"})
    assert Study(frame).varied == ("tcp.window",)


def test_csv_is_exact(tmp_path):
    file = tmp_path / "s.csv"
    values = [0.1 + 0.2, 1e-300, math.inf, None]
    columns = {
        SCENARIO: ["1"] * 4,
        SEED: [2**64 - 1, 0, 1, 2],
        "a": values,
        "b": ["x,", "y", '"', None],
    }
    frame = pl.DataFrame(
        columns, {SCENARIO: pl.String, SEED: pl.UInt64, "a": pl.Float64, "b": pl.String}
    )
    Study(frame).write(file)
    assert Study.read(str(file)).frame.equals(frame)
    assert file.read_bytes().startswith(
        b"scenario,seed,a,b\n1,18446744073709551615,0.30000000000000004,"
    )


def test_units_follow_from_names():
    """A CSV file has no units, so those of the values have to be those of the keys."""
    followers = {"flow.segments"}  # takes a number of segments, or follows a size
    for name, scenario in scenarios().items():
        for key, text in resolved(dict(_core.values(scenario.source, name, []))).items():
            found = column(key, [text])
            if found.unit is not None and key not in followers:
                assert unit_of(key) == found.unit, key


def test_sizes_in_powers_of_two_are_bytes():
    assert column("flow.bytes", ["600 KiB", "1 MB"]).values == [600 * 1024, 10**6]


def test_powers_are_watts_and_energies_nanojoules_a_bit():
    assert column("radio.power.idle", ["5 mW", "0.7 W"]).values == [0.005, 0.7]
    found = column("radio.power.uplink", ["438.39 nJ/bit", "2 µJ/bit"])
    assert (found.values, found.unit) == ([438.39, 2000.0], "nJ/bit")


def test_pictures_of_runs_that_do_not_differ():
    run = tp.run("plain-384", duration="2 s")
    found = tp.Study(tp.frame([run]))
    for draw in (found.plot.lines, found.plot.scatter, found.plot.cdf, found.plot.box):
        assert draw(Figure().subplots()).axes[0].has_data()
    for ask in (
        lambda of: of.means(["total.jain_index"]),
        lambda of: of.plot.lines(Figure().subplots(), y="total.jain_index"),
    ):
        with pytest.raises(ValueError, match=r"=total.jain_index: .*does not vary.*complete=True"):
            ask(found)
        ask(tp.Study(tp.frame([run], complete=True)))


def test_values_are_read_once_for_all_seeds_of_a_combination(runs, monkeypatch):
    asked = []
    read = _core.values

    def counting(*point):
        asked.append(point)
        return read(*point)

    _values.cache_clear()
    monkeypatch.setattr(_core, "values", counting)
    found = tp.frame([*reversed(runs)], complete=True)
    combinations = {tuple(run.point.settings[:-1]) for run in runs}
    assert len(asked) == len(combinations) < len(runs)
    assert found[SEED].to_list() == [run.result.seed for run in reversed(runs)]
