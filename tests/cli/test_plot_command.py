"""``thinpipe plot`` from end to end."""

import shutil

import matplotlib.image
import pytest
import thinpipe as tp
from thinpipe.files import write_manifest
from thinpipe.plot.kinds import KINDS, OF_A_FLOW, SHARING, TRACE
from thinpipe.suggestion import either

KINDS_NAMED = either([*KINDS])
OF_ANY_RUN = [kind for kind in KINDS.values() if kind.needs in ("", TRACE)]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    directory = tmp_path_factory.mktemp("saved") / "run"
    run = tp.run("plain-384", {"queue.packets": 8, "flow.count": 2}, duration="20 s", trace=True)
    run.save(directory)
    return directory


@pytest.fixture
def run_dir(saved, tmp_path):
    """Return a directory ``run`` in the current one of the program."""
    return shutil.copytree(saved, tmp_path / "run")


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


@pytest.mark.parametrize("kind", OF_ANY_RUN, ids=lambda kind: kind.name)
def test_every_kind_is_drawn_beside_the_run(thinpipe, run_dir, tmp_path, kind):
    done = thinpipe("plot", "run", "--kind", kind.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"run-{kind.name}.png\n", "")
    image = matplotlib.image.imread(tmp_path / f"run-{kind.name}.png")
    width, height = kind.size
    assert image.shape[:2] == (150 * height, 150 * width)
    assert image[..., :3].std() > 0.05
    tp.run("plain-384", duration="1 s").save(run_dir)  # the failed run left nothing in it


def test_picture_of_a_run_in_another_place(thinpipe, saved):
    done = thinpipe("plot", str(saved), "--flow", "1", "--from", "500ms", "--to", "0.1 min")
    assert (done.returncode, done.stdout) == (0, "run-overview-flow1.png\n")


@pytest.mark.usefixtures("run_dir")
@pytest.mark.parametrize(("name", "first"), [("a.svg", b"<?xml"), ("b.PDF", b"%PDF-")])
def test_file_is_of_the_kind_that_its_name_says(thinpipe, tmp_path, name, first):
    done = thinpipe("plot", "run", "--out", f"new/{name}")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"new/{name}\n", "")
    assert (tmp_path / "new" / name).read_bytes().startswith(first)


@pytest.mark.usefixtures("run_dir")
def test_view_and_modulo_change_the_picture(thinpipe, tmp_path):
    pictures = set()
    for more in ((), ("--from", "5s"), ("--to", "5s"), ("--modulo", "90"), ("--flow", "1")):
        done = thinpipe("plot", "run", "--kind", "packets", "--out", "a.png", *more)
        assert done.returncode == 0, done.stderr
        pictures.add((tmp_path / "a.png").read_bytes())
    assert len(pictures) == 5


@pytest.mark.usefixtures("run_dir")
def test_link_and_several_flows_change_the_picture(thinpipe, tmp_path):
    pictures = set()
    for more, name in (
        ((), "run-queue.png"),
        (("--link", "bottleneck/up"), "run-queue.png"),
        (("--flow", "all"), "run-queue-all.png"),
        (("--flow", "0,1", "--to", "9s"), "run-queue-flow0,1.png"),
    ):
        done = thinpipe("plot", "run", "--kind", "queue", *more)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{name}\n", "")
        pictures.add((tmp_path / name).read_bytes())
    assert len(pictures) == 4


@pytest.mark.usefixtures("run_dir")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("--kind", "time-seqence"),
            f"--kind time-seqence: must be {KINDS_NAMED}; did you mean time-sequence?",
        ),
        (
            ("--kind", "time_sequence"),
            f"--kind time_sequence: must be {KINDS_NAMED}; did you mean time-sequence?",
        ),
        (("--kind", "x"), f"--kind x: must be {KINDS_NAMED}"),
        (("--flow", "2"), "--flow 2 is none of this run's, 0 to 1"),
        (("--flow", "-1"), "--flow -1 is none of this run's, 0 to 1"),
        (("--out", "a.jpg"), "--out a.jpg: must end in .png, .svg or .pdf"),
        (("--out", "a"), "--out a: must end in .png, .svg or .pdf"),
        (("--out", "/proc/a.png"), "/proc/a.png: No such file or directory"),
        (("--from", "5"), "--from 5: must be a time in ns, us, µs, ms, s, min, h or d, as in 10s"),
        (("--to", "-5s"), "--to -5s: must not be negative"),
        (("--to", "5w"), "--to 5w: must be a time in ns, us, µs, ms, s, min, h or d, as in 10s"),
        (("--from", "20s"), "--from 20s: must be from 0 s to below 20 s, not 20 s"),
        (
            ("--from", "6s", "--to", "5s"),
            "--to 5s: must be after the start, 6 s, not 5 s",
        ),
        (("--flow", "x"), "--flow x: must be a number from 0, several as in 0,2, or all"),
        (("--flow", "0,1,0"), "--flow 0 is given twice; give it once"),
        (("./run",), "run: the same run as another one; give it once"),
        (("./run", "--kind", "box"), "run: the same run as another one; give it once"),
        (("--flow", "0,2"), "--flow 2 is none of this run's, 0 to 1"),
        (
            ("--flow", "1", "--kind", "groups"),
            f"--flow 1 needs a kind that takes one: {either(OF_A_FLOW)}",
        ),
        (
            ("--flow", "0,1", "--kind", "completion"),
            f"--flow 0,1 needs a kind that takes one: {either(OF_A_FLOW)}",
        ),
        (
            ("--flow", "all", "--kind", "packets"),
            f"--flow all needs a kind that shows several: {either(SHARING)}",
        ),
        (
            ("--flow", "0,1", "--kind", "time-sequence"),
            f"--flow 0,1 needs a kind that shows several: {either(SHARING)}",
        ),
        (("--modulo", "60"), "--modulo 60: only --kind packets takes it"),
        (("--link", "Gi"), "--link Gi: only --kind queue or packets takes it"),
        (
            ("--link", "Gi", "--kind", "packets"),
            "--link Gi: 'Gi' is none of bottleneck/down, bottleneck/up",
        ),
        (("--cell", "-1"), "--cell -1: must be a whole number from 0"),
        (("--mobile", "x"), "--mobile x: must be a whole number from 0"),
        (("--at", "5s"), "--at 5s: only --kind codes takes it"),
        (("--cell", "0"), "--cell 0: only --kind cell or codes takes it"),
        (("--kind", "cell"), "--kind cell: needs a run with radio.kind = umts-cell"),
        (
            ("--kind", "codes", "--at", "5s"),
            "--kind codes: needs a run with radio.kind = umts-cell",
        ),
        (
            ("--kind", "packets", "--modulo", "0"),
            "--modulo 0: must be a whole number from 1",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input(thinpipe, tmp_path, arguments, expected):
    check(thinpipe("plot", "run", *arguments), expected)
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    directory = tmp_path_factory.mktemp("cells") / "run"
    tp.run("umts-handover", duration="100 s").save(directory)
    return str(directory)


def test_pictures_of_cells(thinpipe, tmp_path, cells):
    pictures = set()
    for kind, *more in (
        ("cell",),
        ("cell", "--cell", "1"),
        ("codes",),
        ("codes", "--at", "0.5s"),
        ("codes", "--cell", "1"),
        ("codes", "--from", "80s", "--to", "1.6 min"),
    ):
        done = thinpipe("plot", cells, "--kind", kind, *more)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"run-{kind}.png\n", "")
        pictures.add((tmp_path / f"run-{kind}.png").read_bytes())
    assert len(pictures) == 6


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--cell", "2"), "--cell 2: 2 is none of this run's, 0 to 1"),
        (("--at", "5"), "--at 5: must be a time in ns, us, µs, ms, s, min, h or d, as in 10s"),
        (("--at", "101s"), "--at 101s: must be from 0 s to 100 s, not 101 s"),
    ],
)
def test_bad_input_of_cells(thinpipe, cells, arguments, expected):
    check(thinpipe("plot", cells, "--kind", "codes", *arguments), expected)


def test_no_directory(thinpipe):
    check(thinpipe("plot", "run"), "run: No such file or directory")


def test_file_in_place_of_a_directory(thinpipe, tmp_path):
    (tmp_path / "run").touch()
    check(thinpipe("plot", "run"), "run: is a file, not a run's directory")


@pytest.mark.usefixtures("run_dir")
def test_file_of_a_run_in_place_of_its_directory(thinpipe):
    expected = "run/result.json: is a file, not a run's directory; expected its directory, run"
    check(thinpipe("plot", "run/result.json"), expected)
    check(thinpipe("run", "--again", "run/result.json"), expected)


def test_directory_of_something_else(thinpipe):
    check(thinpipe("plot", "."), ".: is no run's directory: it has no result.json")


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"flows": 3}', '{"flows": [1]}'])
def test_result_of_another_program(thinpipe, run_dir, text):
    (run_dir / "result.json").write_text(text)
    write_manifest(run_dir)
    expected = "run/result.json: does not hold the figures of a run of this version"
    check(thinpipe("plot", "run"), expected)


@pytest.mark.parametrize("content", [b"", b"PAR1" * 9])
def test_table_that_is_damaged(thinpipe, run_dir, content):
    (run_dir / "segments.parquet").write_bytes(content)
    done = thinpipe("plot", "run", "--kind", "time-sequence")
    check(done, "run/segments.parquet: is damaged: run/thinpipe.sha256 has another digest")


def test_run_without_a_trace(thinpipe, tmp_path):
    tp.run("plain-384", duration="1 s").save(tmp_path / "run")
    done = thinpipe("plot", "run", "--kind", "packets")
    check(done, "run has no segments.parquet; it needs a run with trace=True")
    assert thinpipe("plot", "run").returncode == 0


def test_run_without_a_table_that_all_have(thinpipe, run_dir):
    (run_dir / "cwnd.parquet").unlink()
    done = thinpipe("plot", "run", "--kind", "cwnd")
    check(done, "run/cwnd.parquet: is missing, so run has no table cwnd")


@pytest.fixture
def two(thinpipe):
    """Run Reno and Vegas into directories of these names."""
    for name in ("reno", "vegas"):
        asked = ("plain-384", "--set", f"tcp.variant={name}", "--duration", "5s", "--out", name)
        assert thinpipe("run", *asked).returncode == 0


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        ([], "reno-vegas-overview.png"),
        (["--flow", "all"], "reno-vegas-overview-all.png"),
        (["--kind", "goodput", "--from", "1s"], "reno-vegas-goodput.png"),
        (["--kind", "goodput", "--out", "both.svg"], "both.svg"),
    ],
)
def test_several_runs_are_one_picture(thinpipe, tmp_path, arguments, file):
    done = thinpipe("plot", "reno", "vegas", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{file}\n", "")
    assert (tmp_path / file).stat().st_size > 0


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["vegas", "--kind", "packets"],
            f"--kind packets: of several runs must be {either(SHARING)}",
        ),
        (["s.parquet"], "s.parquet: a sweep has a picture of its own"),
        (["no"], "no: No such file or directory"),
        (["vegas", "--flow", "1"], "--flow 1 is none of this run's, 0 to 0"),
        (["vegas", "--x", "seed"], "--x seed: only the picture of many runs takes it"),
    ],
)
def test_several_runs_that_cannot_be_one_picture(thinpipe, arguments, expected):
    done = thinpipe("plot", "reno", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"thinpipe: {expected}\n")
