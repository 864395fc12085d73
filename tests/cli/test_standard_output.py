"""Every command ends alike if nobody reads its output, or if it has none."""

import subprocess
import sys

import pytest
import thinpipe as tp

SCENARIO = ("umts-dch-384", "--duration", "1s")
COMMANDS = [
    ("--help",),
    ("keys",),
    ("run", *SCENARIO),
    ("sweep", *SCENARIO, "--vary", "tcp.window=2,4", "--out", "s.csv"),
    ("table", "saved"),
]
"""They print by themselves, through click, through rich, as one text, and after their work."""


def ends(folder, arguments, redirection: str) -> tuple[int, str]:
    """Return status and standard error of the program, whose output goes elsewhere."""
    command = f'"{sys.executable}" -m thinpipe {" ".join(arguments)} {redirection}'
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Save a run in ``saved``; return the directory that it is in."""
    folder = tmp_path_factory.mktemp("output")
    tp.run(SCENARIO[0], duration="1 s").save(folder / "saved")
    return folder


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
@pytest.mark.parametrize(
    ("redirection", "status", "said"),
    [
        ("| exec 0<&-; exit ${PIPESTATUS[0]}", 141, ""),
        (">&-", 2, "thinpipe: standard output: is closed\n"),
        (">/dev/full", 2, "thinpipe: standard output: No space left on device\n"),
    ],
    ids=["broken", "closed", "full"],
)
def test_output_that_is_lost(saved, arguments, redirection, status, said):
    assert ends(saved, arguments, redirection) == (status, said)
    assert not list(saved.glob(".*partial"))


@pytest.mark.parametrize(
    ("redirection", "said"),
    [
        ("<&- >&-", "thinpipe: standard output: is closed\n"),
        ("<&- >&- 2>&-", ""),
        (">/dev/full 2>/dev/full", ""),
    ],
)
def test_other_streams_may_be_lost_as_well(saved, redirection, said):
    assert ends(saved, ("scenarios",), redirection) == (2, said)
