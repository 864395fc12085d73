"""``scripts/setup.sh`` names in one line what a machine lacks to build the program."""

import shutil
import subprocess
import sys

import pytest

RUSTUP = "https://rustup.rs installs it"
TOOLS = ("as", "cargo", "cc", "ld", "rustc", "sh")


@pytest.fixture
def machine(tmp_path):
    """Make a directory of programs, the only ones that there are, and nobody is root."""
    for name in TOOLS:
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"needs {name}")
        (tmp_path / name).symlink_to(found)
    (tmp_path / "python3").symlink_to(sys.executable)
    script(tmp_path / "id", "echo 1000")
    return tmp_path


def script(file, line):
    file.unlink(missing_ok=True)
    file.write_text(f"#!/bin/sh\n{line}\n")
    file.chmod(0o755)


def setup(machine, root):
    done = subprocess.run(
        [root / "scripts" / "setup.sh", "build"],
        env={"PATH": str(machine)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_nothing_is_said_where_nothing_is_missing(machine, root):
    assert setup(machine, root) == (0, "")


@pytest.mark.parametrize(
    ("without", "line"),
    [
        ("cargo", f"missing: cargo; {RUSTUP}"),
        ("rustc", f"missing: rustc; {RUSTUP}"),
        ("python3", "missing: python3-venv; on Debian: sudo apt-get install python3-venv"),
        ("cc", "missing: gcc libc6-dev; on Debian: sudo apt-get install gcc libc6-dev"),
    ],
)
def test_a_missing_program_is_named_with_what_installs_it(machine, root, without, line):
    (machine / without).unlink()
    assert setup(machine, root) == (2, f"{line}\n")


@pytest.mark.parametrize(
    ("python", "line"),
    [
        ('case "$*" in *version*) exit 1;; esac', "Python 3.11 or later; PYTHON=... names another"),
        ('case "$*" in *ensurepip*) exit 1;; esac', "python3-venv; on Debian: sudo apt-get"),
    ],
)
def test_an_old_python_or_one_without_venv_is_told(machine, root, python, line):
    script(machine / "python3", python)
    status, said = setup(machine, root)
    assert (status, said.count("\n")) == (2, 1)
    assert said.startswith(f"missing: {line}")
