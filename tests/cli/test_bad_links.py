"""Errors of a link, its queue or its trace are one line; exit status 2."""

import json

import pytest

from tests.expected import EXPECTED

SCENARIO = "bottleneck"


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (
            "link.drop_arivals=14",
            "unknown key; did you mean link.drop_arrivals?",
        ),
        (
            "link.drop_arrivals=[14,x]",
            "expected a list of whole numbers from 0, as in [14, 28]",
        ),
        (
            "link.loss=2",
            "must be a probability from 0 % to 100 %, as in 5 % or 0.05",
        ),
        (
            "link.corrupt=120 %",
            "must be a probability from 0 % to 100 %, as in 5 % or 0.05",
        ),
        (
            "link.duplicate=-1",
            "must be a probability from 0 % to 100 %, as in 5 % or 0.05",
        ),
        (
            "link.jitter=1 h",
            "link.jitter must not be above link.delay, 100 ms here, or delays fall below zero",
        ),
        (
            "link.jitter_order=none",
            "must be kept or free",
        ),
        (
            "link.reorder_distance=0",
            "must be a whole number from 1 to 1000",
        ),
        (
            "link.outages=5 s",
            'expected a list of times from and to, in order, as in [["5 s", "20 s"]]',
        ),
        (
            "link.outages=[['20 s', '5 s']]",
            "a span must end after it begins",
        ),
        (
            "link.schedule=[{at = '20 s'}, {at = '5 s'}]",
            "link.schedule[1].at: must not come before the one before it, at 20 s: "
            "the list is in order of time",
        ),
        (
            "queue.kind=codle",
            f"must be {EXPECTED['queue.kind']}; did you mean codel?",
        ),
        (
            "queue.bytes=0",
            "must be a size from 1 B, or unlimited",
        ),
        (
            "link.gilbert_elliott.r=-1 %",
            "must be a probability from 0 % to 100 %, as in 5 % or 0.05",
        ),
    ],
)
def test_setting(thinpipe, setting, expected):
    check(thinpipe("run", SCENARIO, "--set", setting), f"--set {setting}: {expected}")


def test_trace_that_is_not_there(thinpipe):
    check(
        thinpipe("run", SCENARIO, "--set", "link.trace.down=none.down"),
        "--set link.trace.down=none.down: cannot read none.down: No such file or directory",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            b"0\n5\nsix\n",
            "line 3: not a number: expected whole milliseconds from the start",
        ),
        (
            b"0\n5.5\n",
            "line 2: not a number: expected whole milliseconds from the start",
        ),
        (
            b"0\n5\n4\n",
            "line 3: before the line above it: times must not go back",
        ),
        (
            b"0\n0\n",
            "takes no time: its last line must be above 0, in milliseconds",
        ),
        (
            b"",
            "takes no time: its last line must be above 0, in milliseconds",
        ),
    ],
)
def test_trace_that_is_none(thinpipe, tmp_path, text, expected):
    (tmp_path / "bad.up").write_bytes(text)
    check(
        thinpipe("run", SCENARIO, "--set", "link.trace.up=bad.up"),
        f"--set link.trace.up=bad.up: bad.up: {expected}",
    )


HEADING = b"series,at_ms,ms,packets\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (b"heavy,5\n", "line 2: expected four values: series, at_ms, ms and packets"),
        (b"ligth,0,1,1\n", "line 2: unknown series: expected idle, delay, light or heavy"),
        (
            b"heavy,5,,1\nheavy,5.5,,1\n",
            "line 3: at_ms: not a number: expected whole milliseconds from the start",
        ),
        (
            b"# mine\ndelay,0,24 ms,\n",
            "line 3: ms: expected a number of milliseconds from 0, as in 24 or 24.125",
        ),
        (b"heavy,5,,none\n", "line 2: packets: expected a whole number from 1 to 10000"),
        (b"idle,,100,1\n", "line 2: idle has ms alone, as in idle,,100,"),
        (b"delay,5,24,\n", "line 2: delay: the first must be at 0"),
        (b"light,0,5,1\nlight,0,4,1\n", "line 3: light: ms must not go back within an at_ms"),
        (b"heavy,5,,1\nheavy,4,,1\n", "line 3: heavy: at_ms must not go back"),
        (
            b"light,0,0,1\nheavy,5,,1\n",
            "light lines and an idle line, as in idle,,100, need each other",
        ),
        (b"", "takes no time: its last heavy line must be above 0 ms"),
    ],
)
def test_load_dependent_trace_that_is_none(thinpipe, tmp_path, lines, expected):
    (tmp_path / "bad.csv").write_bytes(HEADING + lines)
    check(
        thinpipe("run", SCENARIO, "--set", "link.trace.down=bad.csv"),
        f"--set link.trace.down=bad.csv: bad.csv: {expected}",
    )


def test_load_dependent_trace_without_a_heading(thinpipe, tmp_path):
    (tmp_path / "bad.csv").write_bytes(b"# mine\nheavy,5,,1\n")
    check(
        thinpipe("run", SCENARIO, "--set", "link.trace.up=bad.csv"),
        "--set link.trace.up=bad.csv: bad.csv: line 2: expected the heading "
        "series,at_ms,ms,packets",
    )


def test_trace_that_does_not_ship(thinpipe):
    check(
        thinpipe("run", SCENARIO, "--set", "link.trace.down=shipped:lte"),
        "--set link.trace.down=shipped:lte: cannot read lte: no such trace ships; these do: "
        "lte-drive-down, lte-drive-up, lte-drive-test",
    )


@pytest.mark.parametrize(
    ("scenario", "key"),
    [(SCENARIO, "link.trace.down"), ("lte-drive-test", "radio.downlink.trace")],
)
def test_file_without_an_end(thinpipe, scenario, key):
    check(
        thinpipe("run", scenario, "--set", f"{key}=/dev/zero"),
        f"--set {key}=/dev/zero: cannot read /dev/zero: is no regular file",
    )


def test_file_that_is_too_large(thinpipe, tmp_path):
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(200_000_001)
    check(
        thinpipe("run", "lte-drive-test", "--set", "radio.downlink.trace=large.csv"),
        "--set radio.downlink.trace=large.csv: cannot read large.csv: has more than 200 MB",
    )


def test_trace_in_a_file_says_the_line_of_both(thinpipe, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "mine.toml").write_text('[link]\n\ntrace.down = "bad.down"\n', encoding="utf-8")
    (folder / "bad.down").write_bytes(b"1\n2\n\n3\n")
    check(
        thinpipe("run", "runs/mine.toml"),
        'runs/mine.toml:3: link.trace.down = "bad.down": runs/bad.down: line 3: not a number: '
        "expected whole milliseconds from the start",
    )


def test_recording_that_is_none_says_the_line_of_both(thinpipe, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    text = '[radio]\nkind = "leo"\ntrace = "bad.csv"\n'
    (folder / "mine.toml").write_text(text, encoding="utf-8")
    (folder / "bad.csv").write_bytes(b"time_s,rtt_ms\n0,30\n\n1,3O\n")
    check(
        thinpipe("run", "runs/mine.toml"),
        'runs/mine.toml:3: radio.trace = "bad.csv": runs/bad.csv: line 4: rtt_ms "3O": '
        "expected a number from 0 to 1000000",
    )


def test_trace_and_rate(thinpipe, tmp_path):
    (tmp_path / "good.down").write_bytes(b"5\n")
    check(
        thinpipe(
            "run",
            SCENARIO,
            "--set",
            "link.rate=1 Mbit/s",
            "--set",
            "link.trace.down=good.down",
        ),
        "--set link.trace.down=good.down: give link.rate or link.trace.down, not both",
    )


def test_what_is_right_runs(thinpipe, tmp_path):
    (tmp_path / "good.down").write_bytes(b"12\n")
    settings = [
        "link.trace.down=good.down",
        "link.drop_arrivals=[14,28]",
        "link.back.loss=1 %",
        "queue.kind=codel",
    ]
    options = [word for setting in settings for word in ("--set", setting)]
    done = thinpipe("run", SCENARIO, "--json", *options)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    down = next(link for link in result["links"] if link["name"] == "bottleneck/down")
    assert down["drops_by_reason"]["list"] == 2
    assert down["drops"] == sum(down["drops_by_reason"].values())
    assert result["flows"][0]["bytes_acked"] == 200_000
