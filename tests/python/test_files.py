"""Files and directories are written atomically."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thinpipe.files import (
    MANIFEST,
    ContentError,
    atomic_directory,
    check_directory,
    check_writable,
    read_listed,
    write_atomically,
)
from thinpipe.signals import signals_deferred


def names(directory: Path) -> list[str]:
    return sorted(each.name for each in directory.iterdir())


def make(target: Path, *files: str) -> None:
    with atomic_directory(target) as partial:
        for name in files:
            (partial / name).write_text(name)


def interrupted_while_writing(file: Path) -> None:
    file.write_text("half")
    raise KeyboardInterrupt


def test_directory_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "below" / "run"
    with atomic_directory(target) as partial:
        (partial / "a").write_text("1")
        assert not target.exists()
    assert names(target) == ["a", MANIFEST]
    assert names(target.parent) == ["run"]


def test_directory_vanishes_when_the_block_is_interrupted(tmp_path):
    target = tmp_path / "new" / "below" / "run"
    with pytest.raises(KeyboardInterrupt), atomic_directory(target) as partial:
        interrupted_while_writing(partial / "a")
    assert names(tmp_path) == []


def test_former_directory_stays_when_the_block_is_interrupted(tmp_path):
    make(tmp_path / "run", "a")
    with pytest.raises(KeyboardInterrupt), atomic_directory(tmp_path / "run"):
        raise KeyboardInterrupt
    assert names(tmp_path / "run") == ["a", MANIFEST]
    assert names(tmp_path) == ["run"]


def test_former_directory_is_replaced_as_a_whole(tmp_path):
    make(tmp_path / "run", "old")
    make(tmp_path / "run", "new")
    assert names(tmp_path / "run") == ["new", MANIFEST]
    assert names(tmp_path) == ["run"]


def foreign(run: Path) -> None:
    (run / "host.pcapng").write_text("mine")


def changed(run: Path) -> None:
    (run / "UE.pcapng").write_text("mine")


def linked(run: Path) -> None:
    (run / "UE.pcapng").rename(run.parent / "kept")
    (run / "UE.pcapng").symlink_to(run.parent / "kept")


def directory(run: Path) -> None:
    (run / "UE.pcapng").unlink()
    (run / "UE.pcapng").mkdir()


def unnamed(run: Path) -> None:
    (run / MANIFEST).unlink()


@pytest.mark.parametrize("touch", [foreign, changed, linked, directory, unnamed])
def test_what_is_not_ours_is_left_alone(tmp_path, touch):
    make(tmp_path / "run", "UE.pcapng", "result.json")
    touch(tmp_path / "run")
    before = names(tmp_path / "run")
    with pytest.raises(FileExistsError, match=r"UE\.pcapng|host\.pcapng"):
        make(tmp_path / "run")
    assert names(tmp_path / "run") == before


def test_what_came_in_the_meantime_is_left_alone(tmp_path):
    make(tmp_path / "run")
    with pytest.raises(FileExistsError, match="thesis"), atomic_directory(tmp_path / "run"):
        (tmp_path / "run" / "thesis.tex").touch()
    assert names(tmp_path / "run") == ["thesis.tex", MANIFEST]


def test_file_in_the_way_is_left_alone(tmp_path):
    (tmp_path / "run").write_text("mine")
    with pytest.raises(FileExistsError, match="not a directory"):
        check_directory(tmp_path / "run")


def test_check_of_a_directory_changes_nothing(tmp_path):
    make(tmp_path / "run", "a")
    check_directory(tmp_path / "run")
    check_directory(tmp_path / "new" / "below" / "run")
    assert names(tmp_path) == ["run"]
    assert names(tmp_path / "run") == ["a", MANIFEST]
    for wrong in (tmp_path / "run" / "a", tmp_path / "run" / "a" / "below"):
        with pytest.raises(OSError, match=wrong.name):
            check_directory(wrong)


def test_errors_name_the_path_that_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught, atomic_directory(Path("run")) as partial:
        (partial / "no" / "file").touch()
    assert caught.value.filename == "run/no/file"
    with pytest.raises(OSError, match="'/proc/x'"):
        make(Path("/proc/x"))


def test_signals_wait_until_the_block_is_done():
    done = []

    def work() -> None:
        with signals_deferred():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("work")

    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGINT, former)
    assert done == ["work"]


def test_file_is_replaced_in_one_step(tmp_path):
    write_atomically(tmp_path / "new" / "page.html", b"1")
    write_atomically(tmp_path / "new" / "page.html", b"22")
    assert (tmp_path / "new" / "page.html").read_bytes() == b"22"
    assert len(list((tmp_path / "new").iterdir())) == 1


PARTS = (
    *("..", ".", "no", "mine", "below", "empty", "run", "run-with-notes", "link", "dangling"),
    *("loop", "deep", "pipe", "notes.csv", "thesis.tex", "rtt.parquet", MANIFEST),
)
MAX_PARTS = 5
paths = st.lists(st.sampled_from(PARTS), min_size=1, max_size=MAX_PARTS).map("/".join)


@contextmanager
def place_of(path: str) -> Iterator[tuple[Path, Path]]:
    """Yield a temporary directory and the one in it where a path of `paths` starts.

    It starts deeper than a path can climb, so that a wrong check destroys nothing but this.
    """
    with TemporaryDirectory() as folder:
        whole = Path(folder).resolve() / "whole"
        top = whole.joinpath(*["above"] * MAX_PARTS, "top")
        top.mkdir(parents=True)
        assert path.split("/").count("..") < len(top.relative_to(whole).parts)
        assert Path(os.path.realpath(top / path)).is_relative_to(whole)
        foreign_files(top)
        yield whole, top


def foreign_files(top: Path) -> None:
    """Make directories and files that no run wrote, a run's directory, and links of all kinds."""
    (top / "mine" / "below").mkdir(parents=True)
    (top / "empty").mkdir()
    (top / "run-with-notes").mkdir()
    for name in ("mine/thesis.tex", "mine/below/notes.csv", "notes.csv", "run-with-notes/a"):
        (top / name).write_text(name)
    os.mkfifo(top / "pipe")
    make(top / "run", "rtt.parquet")
    links = {"link": "mine", "dangling": "no", "loop": "loop", "deep": "mine/below"}
    for name, to in links.items():
        (top / name).symlink_to(to)


def inventory(whole: Path) -> dict[Path, str]:
    """Return the content of each file, and the kind of all else."""

    def kept(path: Path) -> str:
        if path.is_symlink():
            return f"to {path.readlink()}"
        return path.read_text() if path.is_file() else oct(path.stat().st_mode)

    return {path: kept(path) for path in whole.rglob("*")}


def changed_in(before: dict[Path, str], after: dict[Path, str]) -> set[Path]:
    return {path for path, kept in before.items() if after.get(path) != kept}


@settings(max_examples=400)
@given(path=paths)
def test_no_path_leads_a_directory_over_what_no_run_wrote(path):
    """What was there is there afterwards, unchanged, or a run wrote it."""
    with place_of(path) as (whole, top):
        before = inventory(whole)
        try:
            make(top / path, "result.json")
        except OSError:
            assert inventory(whole) == before
            return
        after = inventory(whole)
        ours = {top / "run", top / "run" / "rtt.parquet", top / "run" / MANIFEST, top / "empty"}
        assert changed_in(before, after) <= ours
        assert not [each for each in after if each.suffix in (".partial", ".former")]


@settings(max_examples=400)
@given(path=paths)
def test_no_path_leads_a_file_over_anything_but_that_file(path):
    """At most the one regular file that the path names is replaced, and none of a run."""
    with place_of(path) as (whole, top):
        before = inventory(whole)
        end = Path(os.path.realpath(top / path))
        try:
            write_atomically(top / path, b"new")
        except OSError:
            assert changed_in(before, inventory(whole)) == set()
            return
        of_a_run = {top / "run" / "rtt.parquet", top / "run" / MANIFEST}
        assert changed_in(before, inventory(whole)) <= {end} - of_a_run
        assert end.read_bytes() == b"new"


def test_a_missing_directory_and_back_is_no_way_around_the_check(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("thesis")
    (tmp_path / "dangling").symlink_to("missing")
    reason = "holds 'thesis.tex', which no run wrote; choose another directory"
    for way in ("no", "dangling"):
        given_path = tmp_path / way / ".." / "mine"
        with pytest.raises(FileExistsError) as caught, atomic_directory(given_path):
            pass
        assert str(caught.value) == f"{given_path}: {reason}"
    assert names(tmp_path) == ["dangling", "mine"]
    assert names(tmp_path / "mine") == ["thesis.tex"]


def test_what_comes_after_the_check_is_kept(tmp_path, monkeypatch):
    target = tmp_path / "run"
    make(target, "rtt.parquet")
    rename = Path.rename

    def rename_late(self, to):
        if self == target:
            (target / "thesis.tex").write_text("thesis")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", rename_late)
    with pytest.raises(OSError, match="not empty"):
        make(tmp_path / "run", "result.json")
    assert [each.read_text() for each in tmp_path.rglob("thesis.tex")] == ["thesis"]


def test_links_in_a_circle_are_the_line_of_the_system(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for check in (check_writable, check_directory):
        with pytest.raises(OSError, match="Too many levels of symbolic links"):
            check(tmp_path / "loop")


def test_a_directory_that_is_not_utf_8(tmp_path):
    with pytest.raises(OSError, match="must be UTF-8"):
        check_directory(tmp_path / "o\udcff")
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["rtt.parquet", MANIFEST])
def test_a_file_of_a_run_is_no_output(tmp_path, name):
    make(tmp_path / "run", "rtt.parquet")
    for check in (check_writable, lambda file: write_atomically(file, b"")):
        with pytest.raises(FileExistsError, match=f"run/{name}: is a file of a run"):
            check(tmp_path / "run" / name)
    check_directory(tmp_path / "run")


def emptied(run: Path) -> None:
    (run / MANIFEST).write_text("")


@pytest.mark.parametrize(
    ("touch", "reason"),
    [
        (changed, r"is damaged: .*thinpipe\.sha256 has another digest"),
        (emptied, r"is not listed in .*thinpipe\.sha256"),
        (unnamed, r"is not listed in .*thinpipe\.sha256"),
    ],
)
def test_a_file_is_held_to_its_digest(tmp_path, touch, reason):
    make(tmp_path / "run", "UE.pcapng")
    assert read_listed(tmp_path / "run", "UE.pcapng") == b"UE.pcapng"
    touch(tmp_path / "run")
    with pytest.raises(ContentError, match=rf"run/UE\.pcapng: {reason}"):
        read_listed(tmp_path / "run", "UE.pcapng")
