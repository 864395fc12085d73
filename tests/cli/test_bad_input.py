"""Bad input is one line that says what, where and what would be valid; exit status 2."""

import json
import subprocess
import sys

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


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("--set", "tcp.variont=vegas"),
            "--set tcp.variont=vegas: unknown key; did you mean tcp.variant?",
        ),
        (
            ("--set", "tcp.variant=vega"),
            "--set tcp.variant=vega: must be tahoe, reno, newreno, sack, fack, vegas, westwood, "
            "cubic or bbr; did you mean vegas?",
        ),
        (
            ("--set", "radio.tbler=100%"),
            "--set radio.tbler=100%: a constant block error rate must be from 0 % to below 100 %, "
            "as in 5 % or 0.05",
        ),
        (
            ("--set", "radio.uplink.tbler=1.0"),
            "--set radio.uplink.tbler=1.0: a constant block error rate must be from 0 % to below "
            "100 %, as in 5 % or 0.05, or as radio.tbler",
        ),
        (
            ("--set", "tcp.window=0"),
            "--set tcp.window=0: must be a whole number from 1 to 1073741824",
        ),
        (
            ("--set", "radio.downlink.rate=-384 kbit/s"),
            "--set radio.downlink.rate=-384 kbit/s: must be a rate that is not negative",
        ),
        (
            ("--set", "radio.downlink.rate=384 kB"),
            "--set radio.downlink.rate=384 kB: unknown unit kB: a rate is in bit/s, kbit/s, Mbit/s "
            "or Gbit/s",
        ),
        (
            ("--set", "radio.downlink.tti=15 ms"),
            "--set radio.downlink.tti=15 ms: must be 10 ms, 20 ms, 40 ms or 80 ms",
        ),
        (("--duration", "0s"), "--duration 0s: must be above zero"),
        (
            ("--duration", "5"),
            "--duration 5: a duration needs its unit (ns, us, µs, ms, s or min), as in 5 s",
        ),
        (("--seed", "one"), "--seed one: must be a whole number from 0"),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else "",
)
def test_setting(thinpipe, arguments, expected):
    check(thinpipe("run", SCENARIO, *arguments), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'duration = "1 s"\n[tcp]\nvarient = "reno"\n',
            "mine.toml:3: tcp.varient: unknown key; did you mean tcp.variant?",
        ),
        (
            'duration = "10 kbit/s"\n[link]\nrate = "1 Mbit/s"\n',
            'mine.toml:1: duration = "10 kbit/s": unknown unit kbit/s: a duration is in ns, us, '
            "µs, ms, s or min",
        ),
        (
            "[tcp]\nwindow = 0\n",
            "mine.toml:2: tcp.window = 0: must be a whole number from 1 to 1073741824",
        ),
        ("", "mine.toml: no network: needs [radio], [link] or [[wired]]"),
    ],
)
def test_file(thinpipe, tmp_path, text, expected):
    (tmp_path / "mine.toml").write_text(text)
    check(thinpipe("run", "mine.toml"), expected)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('duration = "10 s\n', "mine.toml:1"),
        ("[tcp]\nwindow = 3\nwindow = 4\n", "mine.toml:3: window"),
    ],
)
def test_file_that_is_not_toml(thinpipe, tmp_path, text, place):
    (tmp_path / "mine.toml").write_text(text)
    done = thinpipe("run", "mine.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"thinpipe: {place}: not TOML: ")
    assert done.stderr.count("\n") == 1


def test_radio_that_lets_nothing_through_still_ends(thinpipe):
    done = thinpipe("run", SCENARIO, "--set", "radio.tbler=99.9%", "--duration", "60s", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["duration_s"] == 60.0


def test_unknown_paper(thinpipe):
    check(thinpipe("reproduce", "lo2004"), "unknown paper 'lo2004'; did you mean 'lo2005'?")


def test_report_where_a_file_stands(thinpipe, tmp_path):
    (tmp_path / "out").touch()
    check(thinpipe("reproduce", "lo2005/6a"), "out: is a file, not a directory")


def test_unknown_item(thinpipe):
    check(thinpipe("reproduce", "lo2005/5c"), "lo2005 has no item '5c'; did you mean '5b'?")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("run",), "missing argument 'SCENARIO'; see `thinpipe run --help`"),
        (("runn",), "no such command 'runn'; did you mean 'run'?"),
        (("fly",), "no such command 'fly'; see `thinpipe --help`"),
        (
            ("run", SCENARIO, "x", "y"),
            "got unexpected extra argument(s) (x y); see `thinpipe run --help`",
        ),
    ],
)
def test_bad_usage(thinpipe, arguments, expected):
    check(thinpipe(*arguments), expected)


def test_unknown_option(thinpipe):
    done = thinpipe("run", SCENARIO, "--sed", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("thinpipe: no such option: --sed")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("out", ["/proc/x", "/proc/a/b"])
def test_directory_that_cannot_be_made_is_noticed_before_the_run(thinpipe, out):
    done = thinpipe("run", SCENARIO, "--duration", "5000000s", "--out", out)
    check(done, f"{out}: No such file or directory")


def test_names_of_any_letters_stay_one_line(thinpipe):
    check(thinpipe("run", "a\nb\udcff/c"), r"a\nb\udcff/c: No such file or directory")


@pytest.mark.parametrize(
    ("kib", "file"), [(1, "run/result.json"), (40, "run/rtt.parquet"), (8000, "run/host.pcapng")]
)
def test_file_that_does_not_fit(tmp_path, kib, file):
    command = f"ulimit -f {kib}; exec {sys.executable} -m thinpipe run {SCENARIO} --out run"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    check(done, f"{file}: File too large")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("redirection", "status", "said"),
    [
        (">&-", 0, ""),
        (">/dev/full", 2, "thinpipe: No space left on device\n"),
        ("| true; exit ${PIPESTATUS[0]}", 1, ""),
    ],
)
def test_standard_output_that_nobody_reads(tmp_path, redirection, status, said):
    command = f"{sys.executable} -m thinpipe keys {redirection}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, said)
