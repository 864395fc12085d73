"""Bad input is one line that says what, where and what would be valid; exit status 2."""

import pytest

SCENARIO = "umts-dch-384"


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


def test_no_scenario_of_that_name(thinpipe):
    check(
        thinpipe("run", "umts-dhc-384"),
        "unknown scenario 'umts-dhc-384': neither a file nor one that ships; "
        "did you mean 'umts-dch-384'?",
    )


def test_no_such_file(thinpipe):
    check(thinpipe("run", "mine.toml"), "mine.toml: No such file or directory")


def test_file_of_another_kind(thinpipe, tmp_path):
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    check(thinpipe("run", "mine.toml"), "mine.toml: not a UTF-8 text file")


def test_directory(thinpipe):
    check(thinpipe("run", "."), ".: Is a directory")


def test_setting_without_a_value(thinpipe):
    check(
        thinpipe("run", SCENARIO, "--set", "radio.tbler"),
        "--set radio.tbler: expected KEY=VALUE, as in radio.tbler=5%",
    )


def test_unknown_paper(thinpipe):
    check(thinpipe("reproduce", "lo2004"), "unknown paper 'lo2004'; did you mean 'lo2005'?")


def test_unknown_item(thinpipe):
    check(thinpipe("reproduce", "lo2005/5c"), "lo2005 has no item '5c'; did you mean '5b'?")


@pytest.mark.parametrize("arguments", [("run",), ("run", SCENARIO, "--sed", "1"), ("fly",)])
def test_bad_usage(thinpipe, arguments):
    done = thinpipe(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
