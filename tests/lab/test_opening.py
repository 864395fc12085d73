"""`thinpipe lab` opens scenarios, files, saved runs and sweeps, and refuses others in one line."""

import os
import shutil
import socket
import sys
from pathlib import Path

import pytest
import thinpipe as tp
from thinpipe.files import write_manifest
from thinpipe.inputs import Inputs, values_of
from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.copying import as_toml
from thinpipe.lab.experiment import Laboratory
from thinpipe.lab.opening import opening_of
from thinpipe.lab.request import Request, RequestError
from thinpipe.point import Point
from thinpipe.sweep.parameters import resolved
from thinpipe.sweep.study import Study

TRACE = "\n".join(str(5 * each) for each in range(1, 400)) + "\n"


def laboratory(opening) -> Laboratory:
    return Laboratory(Catalogue({opening.name: opening.opened}, opening.rows))


def answer(lab, scenario, given=None, variants=None):
    state = {"scenario": scenario, "set": given or {}, "variants": variants or [{}]}
    return lab.answer(Request.of(state), lambda: False)


@pytest.fixture
def traced(tmp_path, monkeypatch) -> Path:
    """A scenario in a file, which reads another file."""
    monkeypatch.chdir(tmp_path)
    Path("a.trace").write_text(TRACE)
    file = Path("mine.toml")
    file.write_text(as_toml(Point.of("plain-384", {"link.trace.down": "a.trace"})))
    return file


def test_a_shipped_scenario_keeps_its_name():
    opening = opening_of("plain-384", {})
    assert (opening.name, opening.opened.settings, opening.rows) == ("plain-384", (), ())


def test_a_file_named_like_one_that_ships_does_not_hide_it(tmp_path):
    file = tmp_path / "plain-384.toml"
    file.write_text(tp.scenarios()["link"].source)
    opening = opening_of(str(file), {})
    assert opening.name == str(file)
    listed = [each["name"] for each in laboratory(opening).catalogue.listed()]
    assert {"plain-384", str(file)} <= set(listed)


def test_files_of_the_scenario_are_read_and_no_others(traced):
    Path("other.trace").write_text(TRACE)
    opening = opening_of(str(traced), {"duration": "2s"})
    lab = laboratory(opening)
    assert answer(lab, "mine")["runs"][0]["goodput_bps"] > 0
    back_and_forth = {"link.trace.down": "a.trace"}
    assert answer(lab, "mine", back_and_forth)["runs"][0]["goodput_bps"] > 0
    with pytest.raises(RequestError, match=r"link\.trace\.down=other\.trace: a page cannot name"):
        answer(lab, "mine", {"link.trace.down": "other.trace"})


@pytest.mark.parametrize("key", ["tcp.congestion_control", "tcp.variant"])
@pytest.mark.parametrize("text", ["mine.py:Mine", "mine.py", "./mine.py", "mine.py:", " mine.py"])
def test_code_comes_from_the_command_line_alone(mine, monkeypatch, key, text):
    monkeypatch.chdir(mine.parent)
    mine.write_text(f"{mine.read_text()}\nopen('ran', 'w')\n")
    lab = laboratory(opening_of("plain-384", {"duration": "1s"}))
    with pytest.raises(RequestError, match="a page cannot name files"):
        answer(lab, "plain-384", {key: text})
    assert not Path("ran").exists()


def test_a_page_names_no_file_of_a_group(tmp_path):
    file = tmp_path / "mine.toml"
    source = tp.scenarios()["plain-384"].source
    file.write_text(f'{source}\n[[flow.group]]\nname = "a"\ncount = 1\n')
    lab = laboratory(opening_of(str(file), {}))
    with pytest.raises(RequestError, match="a page cannot name files"):
        answer(lab, "mine", {"flow.group.a.arrivals": "/etc/passwd"})


def test_a_controller_given_at_opening_stays_allowed(mine, monkeypatch):
    monkeypatch.chdir(mine.parent)
    given = {"tcp.congestion_control": "mine.py:Mine", "duration": "1s"}
    lab = laboratory(opening_of("plain-384", given))
    described = lab.catalogue.described("plain-384")
    assert described["values"]["tcp.congestion_control"] == "mine.py:Mine"
    once = answer(lab, "plain-384")["runs"][0]
    again = answer(lab, "plain-384", {"tcp.congestion_control": "mine.py:Mine"})["runs"][0]
    assert once["tables"] == again["tables"]
    assert any("mine" in cell for table in once["tables"] for row in table["rows"] for cell in row)


def test_a_saved_run_is_opened_with_its_settings(thinpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ("--set", "tcp.variant=vegas", "--duration", "2s", "--seed", "4")
    assert thinpipe("run", "plain-384", *given, "--out", "saved").returncode == 0
    opening = opening_of("saved", {})
    run = answer(laboratory(opening), opening.name)["runs"][0]
    assert run["goodput_bps"] == tp.load("saved").flows[0].goodput_bps


def test_a_saved_run_finds_its_files_from_elsewhere(thinpipe, traced, mine, monkeypatch):
    given = ("--set", "tcp.congestion_control=mine.py:Mine", "--duration", "2s")
    assert mine.exists()
    assert thinpipe("run", str(traced), *given, "--out", "saved").returncode == 0
    elsewhere = traced.absolute().parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    opening = opening_of("../saved", {})
    run = answer(laboratory(opening), opening.name)["runs"][0]
    assert run["goodput_bps"] == tp.load("../saved").flows[0].goodput_bps


def test_a_saved_run_whose_file_has_changed(thinpipe, traced):
    assert thinpipe("run", str(traced), "--duration", "2s", "--out", "saved").returncode == 0
    Path("a.trace").write_text("9\n")
    with pytest.raises(tp.ScenarioError, match=r"a\.trace: has changed since that run"):
        opening_of("saved", {})


def test_a_capture_that_a_run_reads_is_one_of_its_files(thinpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert thinpipe("run", "plain-384", "--duration", "2s", "--out", "first").returncode == 0
    capture = sorted(Path("first").glob("*.pcapng"))[0]
    shutil.copy(capture, "a.pcapng")
    given = ("--set", "flow.arrivals=a.pcapng", "--duration", "2s")
    done = thinpipe("run", "plain-384", *given, "--out", "second")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(Inputs.read(Path("second")).files) == ["a.pcapng"]


VARIED = [
    {"tcp.variant": ["reno", "vegas"], "radio.tbler": ["0 %", "12.5 %"]},
    {"queue.packets": ["8", "unlimited"], "flow.bytes": ["3 kB", "unlimited"]},
    {"wired.Gi.delay": ["15 ms", "400 us"], "tcp.sack": ["true", "false"]},
    {"radio.schedule": ["[]", '[{at = "1 s", tbler = 0.1}]'], "tcp.initial_window": [2, 4]},
    {"radio.downlink.rate": ["384 kbit/s", "64 kbit/s"]},
]


@pytest.mark.parametrize("varied", VARIED, ids=str)
def test_the_rows_of_a_sweep_are_its_points(tmp_path, monkeypatch, varied):
    monkeypatch.chdir(tmp_path)
    given = {"duration": "2 s", "tcp.mss": "1000 B"}
    tp.sweep("umts-dch-384", varied, given, seeds=[3, 7], out="s.parquet")
    opening = opening_of("s.parquet", {})
    assert opening.name == "s"
    frame = Study.read("s.parquet").complete
    assert [row.goodput_bps for row in opening.rows] == frame["goodput_bps"].to_list()
    lab, row = laboratory(opening), opening.rows[-1]
    run = answer(lab, "s", row.settings)["runs"][0]
    assert (run["goodput_bps"], run["p95_delay_s"]) == (row.goodput_bps, row.p95_delay_s)
    last = {key: values[-1] for key, values in varied.items()}
    wanted = Point.of("umts-dch-384", {**given, **last, "seed": 7})
    point = lab.catalogue.point("s", tuple(row.settings.items()))
    assert resolved(values_of(point)) == resolved(values_of(wanted))


def test_a_sweep_that_keeps_no_scenario(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = Study(tp.frame([tp.run("plain-384", duration="1 s")]))
    for name in ("s.parquet", "s.csv"):
        study.write(name)
        with pytest.raises(ValueError, match=rf"^{name}: does not keep its scenario; only the"):
            opening_of(name, {})


def spoilt(directory: Path, name: str, content: bytes) -> None:
    """Damage a file of a saved run so that its digest is right."""
    Path(directory, name).write_bytes(content)
    write_manifest(directory)


BAD = [
    (("nosuch",), "unknown scenario 'nosuch': neither a file nor one that ships; see"),
    (("nosuch.toml",), "nosuch.toml: No such file or directory"),
    (("nosuch.parquet",), "nosuch.parquet: No such file or directory"),
    (("bad.parquet",), "bad.parquet: is not the table of a sweep"),
    (("rtt.parquet",), "rtt.parquet: is not the table of a sweep"),
    (("bad.toml",), "bad.toml:1: "),
    (("empty",), "empty: is a directory; expected a TOML file"),
    (("damaged",), "damaged/result.json: "),
    (("inputless",), "inputless/inputs.json: does not hold the inputs of a run"),
    (("plain-384", "--set", "tcp.varient=reno"), "--set tcp.varient=reno: unknown key; did you"),
    (("plain-384", "--set", "duration"), "--set duration: expected KEY=VALUE"),
    (("--set", "duration=1s"), "--set duration=1s: needs a scenario to set it in"),
    (("--port", "70000"), "--port 70000: must be a whole number from 0 to 65535"),
    (("plain-384", "link"), "got unexpected extra argument"),
]


@pytest.fixture
def bad(thinpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert thinpipe("run", "plain-384", "--duration", "1s", "--out", "damaged").returncode == 0
    shutil.copytree("damaged", "inputless")
    shutil.copy("damaged/rtt.parquet", "rtt.parquet")
    spoilt(Path("damaged"), "result.json", b"{}")
    spoilt(Path("inputless"), "inputs.json", b"{}")
    Path("bad.parquet").write_bytes(b"PAR1")
    Path("bad.toml").write_text('duration = "1 s\n')
    Path("empty").mkdir()
    return tmp_path


def test_bad_input_is_one_line(thinpipe, bad):
    assert bad.is_dir()
    for arguments, expected in BAD:
        done = thinpipe("lab", "--no-open", *arguments)
        assert (done.returncode, done.stdout) == (2, ""), (arguments, done)
        assert done.stderr.startswith(f"thinpipe: {expected}"), done.stderr
        assert done.stderr.count("\n") == 1


def test_a_port_that_is_taken(thinpipe):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = thinpipe("lab", "--no-open", "--port", port)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"thinpipe: --port {port}: Address already in use; 0 takes any that is free\n"
    )


def test_an_extra_that_is_not_installed(thinpipe, tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "uvicorn.py").write_text("raise ImportError('uvicorn')\n")
    script = tmp_path / "without.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(hidden)!r})\n"
        "from thinpipe.cli.app import program\nsys.exit(program())\n"
    )
    path = os.pathsep.join(sys.path)
    done = thinpipe("lab", "--no-open", script=script, PYTHONPATH=path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thinpipe: the lab needs more packages: pip install 'thinpipe[lab]'\n"
