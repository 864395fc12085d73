"""``thinpipe doctor``: what this machine lacks."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from thinpipe.acceptance.emulation.collect import missing as emulation_missing
from thinpipe.cli import doctor
from thinpipe.cli.doctor import PARTS
from thinpipe.testbed import BedError, Plan, bed


def test_each_part_is_told_with_its_remedy(thinpipe):
    done = thinpipe("doctor")
    lines = done.stdout.splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert [head.split(maxsplit=1)[1] for head in heads] == [part.name for part in PARTS]
    lacking = [head for head in heads if head.startswith("lacks ")]
    assert done.returncode == (1 if lacking else 0)
    assert len(lines) == len(heads) + 2 * len(lacking)


def test_json_is_the_same(thinpipe):
    done = thinpipe("doctor", "--json")
    told = json.loads(done.stdout)
    assert [each["part"] for each in told] == [part.name for part in PARTS]
    assert done.returncode == int(any(each["lacks"] for each in told))
    assert all((each["lacks"] is None) == (each["remedy"] is None) for each in told)


def test_what_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(Path, "exists", lambda _: True)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "nft" else f"/bin/{name}")
    [daemon] = [part for part in PARTS if part.name.startswith("proxy")]
    assert daemon.look() == "needs nft, which is in nftables"
    monkeypatch.setattr(Path, "exists", lambda _: False)
    assert daemon.look() == "needs /dev/net/tun"


def test_a_program_that_a_test_bed_lacks_is_named_with_its_package(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BedError, match=r"^needs ip, which is in iproute2$"), bed(Plan()):
        pass


def test_what_an_emulation_lacks_is_told_as_one_reason(monkeypatch):
    line = "`ip` is missing: it comes with iproute2"
    done = subprocess.CompletedProcess([], 2, "", f"thinpipe: {line}\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    assert emulation_missing() == line


@pytest.mark.parametrize("part", PARTS[1:], ids=[part.name for part in PARTS[1:]])
def test_every_remedy_can_be_typed(part):
    assert "install" in part.remedy


def test_a_package_that_the_lab_lacks_is_named(monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "uvicorn" else name)
    [lab] = [part for part in PARTS if part.name == "lab"]
    assert lab.look() == "needs uvicorn"
    monkeypatch.setattr(doctor, "find_spec", lambda name: name)
    assert lab.look() is None
