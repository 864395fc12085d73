"""Files and directories are written atomically."""

import os
import signal
from pathlib import Path

import pytest
from thinpipe.files import (
    MANIFEST,
    atomic_directory,
    check_directory,
    check_replaceable,
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
        check_replaceable(tmp_path / "run")


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
