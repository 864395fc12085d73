"""Files and directories are there whole or not at all."""

from pathlib import Path

import pytest
from thinpipe.files import refuse_foreign, whole_directory, write_whole


def ours(name: str) -> bool:
    return name.endswith(".ours")


def interrupted_while_writing(file: Path) -> None:
    file.write_text("half")
    raise KeyboardInterrupt


def test_directory_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "below" / "run"
    with whole_directory(target, ours) as partial:
        (partial / "a.ours").write_text("1")
        assert not target.exists()
    assert [each.name for each in target.iterdir()] == ["a.ours"]
    assert [each.name for each in target.parent.iterdir()] == ["run"]


def test_directory_vanishes_when_the_block_is_interrupted(tmp_path):
    with pytest.raises(KeyboardInterrupt), whole_directory(tmp_path / "run", ours) as partial:
        interrupted_while_writing(partial / "a.ours")
    assert list(tmp_path.iterdir()) == []


def test_former_directory_stays_when_the_block_is_interrupted(tmp_path):
    former = tmp_path / "run" / "a.ours"
    former.parent.mkdir()
    former.write_text("former")
    with pytest.raises(KeyboardInterrupt), whole_directory(tmp_path / "run", ours):
        raise KeyboardInterrupt
    assert former.read_text() == "former"
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


def test_former_directory_is_replaced_as_a_whole(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "old.ours").touch()
    with whole_directory(tmp_path / "run", ours) as partial:
        (partial / "new.ours").touch()
    assert [each.name for each in (tmp_path / "run").iterdir()] == ["new.ours"]
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


def test_foreign_directory_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match="thesis"):
        refuse_foreign(tmp_path, ours)
    with pytest.raises(FileExistsError), whole_directory(tmp_path, ours):
        pytest.fail("the block must not be entered")
    assert (tmp_path / "thesis.tex").exists()


def test_file_in_the_way_is_left_alone(tmp_path):
    (tmp_path / "run").write_text("mine")
    with pytest.raises(FileExistsError, match="not a directory"):
        refuse_foreign(tmp_path / "run", ours)


def test_file_is_replaced_in_one_step(tmp_path):
    write_whole(tmp_path / "new" / "page.html", b"1")
    write_whole(tmp_path / "new" / "page.html", b"22")
    assert (tmp_path / "new" / "page.html").read_bytes() == b"22"
    assert len(list((tmp_path / "new").iterdir())) == 1
