"""A run's directory holds what the run wrote, or one line says which file does not."""

import os
import shutil
from pathlib import Path

import pytest
import thinpipe as tp
from thinpipe.files import MANIFEST, write_manifest

DAMAGED = f"is damaged: run/{MANIFEST} has another digest"


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    run: Path = tmp_path_factory.mktemp("whole") / "run"
    tp.run("plain-384", duration="2 s", trace=True).save(run)
    return run


@pytest.fixture
def run_dir(whole, tmp_path) -> Path:
    shutil.copytree(whole, tmp_path / "run")
    return Path(tmp_path / "run")


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def overwritten(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def of_another_run(file: Path) -> None:
    other = file.with_name("cwnd.parquet")
    file.write_bytes(other.read_bytes() + b"\n" * (other == file))


READ = [
    ("result.json", "table run"),
    ("result.json", "run --again run"),
    ("scenario.toml", "run --again run"),
    ("scenario.toml", "table run"),
    ("scenario.toml", "show run"),
    ("scenario.toml", "plot run"),
    ("scenario.toml", "plot run --kind goodput"),
    ("inputs.json", "run --again run"),
    ("inputs.json", "table run"),
    ("inputs.json", "show run"),
    ("inputs.json", "plot run"),
    ("rtt.parquet", "plot run"),
    ("rtt.parquet", "plot run --kind rtt"),
    ("rtt.parquet", "table run --name rtt"),
    ("queue.parquet", "plot run"),
    ("queue.parquet", "plot run --kind queue"),
    ("queue.parquet", "table run --name queue"),
    ("queue.parquet", "plot run --kind goodput"),
    ("hops.parquet", "plot run --kind packets"),
]


@pytest.mark.parametrize("damage", [truncated, emptied, overwritten, of_another_run])
@pytest.mark.parametrize(("name", "command"), READ)
def test_a_damaged_file_is_named(thinpipe, run_dir, name, command, damage):
    damage(run_dir / name)
    check(thinpipe(*command.split()), f"run/{name}: {DAMAGED}")
    assert [each.name for each in run_dir.parent.iterdir()] == ["run"]


@pytest.mark.parametrize("command", ["plot run", "plot run --kind queue", "table run --name queue"])
def test_a_missing_table_is_named(thinpipe, run_dir, command):
    (run_dir / "queue.parquet").unlink()
    check(thinpipe(*command.split()), "run/queue.parquet: is missing, so run has no table queue")


@pytest.mark.parametrize("command", ["run --again run", "table run", "plot run", "show run"])
def test_a_manifest_without_files(thinpipe, run_dir, command):
    emptied(run_dir / MANIFEST)
    done = thinpipe(*command.split())
    check(done, f"run/result.json: is not listed in run/{MANIFEST}")


def test_a_manifest_that_lists_fewer_files_differs(thinpipe, run_dir):
    lines = (run_dir / MANIFEST).read_text().splitlines(keepends=True)
    (run_dir / MANIFEST).write_text("".join(each for each in lines if "queue" not in each))
    done = thinpipe("run", "--again", "run")
    assert (done.returncode, done.stderr) == (1, f"differs from run: {MANIFEST}\n")


def test_a_damaged_run_is_not_saved_as_a_whole_one(run_dir, tmp_path):
    saved = tp.load(run_dir)
    overwritten(run_dir / "queue.parquet")
    with pytest.raises(ValueError, match=r"run/queue\.parquet: is damaged"):
        saved.save(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("value", ['"x"', "[]", "true", "{}"])
def test_a_figure_of_another_type(thinpipe, run_dir, value):
    text = (run_dir / "result.json").read_text()
    start, _, rest = text.partition('"goodput_bps": ')
    (run_dir / "result.json").write_text(f'{start}"goodput_bps": {value},{rest.partition(",")[2]}')
    write_manifest(run_dir)
    check(
        thinpipe("table", "run"),
        "run/result.json: does not hold the figures of a run of this version",
    )


@pytest.mark.parametrize(
    "command",
    [
        "table run --out run/rtt.parquet",
        "table run --name rtt --out run/cwnd.parquet",
        "sweep plain-384 --vary tcp.window=2,4 --duration 1s --out run/rtt.parquet",
        "table run --out no/../run/rtt.parquet",
    ],
)
def test_a_table_of_a_run_is_no_output(thinpipe, run_dir, command):
    before = {each.name: each.read_bytes() for each in run_dir.iterdir()}
    out = command.split()[-1]
    done = thinpipe(*command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"thinpipe: {out}: is a file of a run; choose another name")
    assert {each.name: each.read_bytes() for each in run_dir.iterdir()} == before


@pytest.mark.parametrize(
    "command", ["plot loop", "table loop", "run --again loop", "run plain-384 --out loop"]
)
def test_links_in_a_circle(thinpipe, tmp_path, command):
    (tmp_path / "loop").symlink_to("loop")
    check(thinpipe(*command.split()), "loop: Too many levels of symbolic links")


BYTES = os.fsdecode(b"\xff")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--out", f"o{BYTES}"), r"o\udcff: its absolute path must be UTF-8"),
        (("--set", f"tcp.variant={BYTES}"), r"--set tcp.variant=\udcff: must be UTF-8"),
        (("--set", f"{BYTES}=1"), r"--set \udcff=1: must be UTF-8"),
        (("--duration", BYTES), r"--duration \udcff: must be UTF-8"),
    ],
)
def test_what_is_not_utf_8(thinpipe, tmp_path, arguments, expected):
    check(thinpipe("run", "plain-384", *arguments), expected)
    assert list(tmp_path.iterdir()) == []


def test_the_line_of_the_api_is_that_of_the_command(thinpipe, run_dir, monkeypatch):
    monkeypatch.chdir(run_dir.parent)
    Path("s.parquet").write_text("")
    run = tp.load("run")
    for use, command in (
        (lambda: run.save("."), "run plain-384 --out ."),
        (lambda: run.save("s.parquet"), "run plain-384 --out s.parquet"),
        (lambda: run.save("no/../run/.."), "run plain-384 --out no/../run/.."),
        (lambda: tp.load("s.parquet"), "run --again s.parquet"),
        (lambda: tp.load("."), "run --again ."),
    ):
        with pytest.raises(OSError) as caught:  # noqa: PT011 - the command says which
            use()
        check(thinpipe(*command.split()), str(caught.value))
