"""``thinpipe proxy`` as a command without privileges: arguments, answers and errors."""

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

LEAST = """
[radio]
interfaces = ["wl0"]
[wired]
interfaces = ["eth0"]
[[profile]]
name = "gprs"
mobiles = ["10.45.0.0/16"]
"""


@pytest.fixture
def config(tmp_path):
    """Return a function that writes a configuration with its socket in the test's directory."""

    def write(more: str = "") -> Path:
        file: Path = tmp_path / "proxy.toml"
        control = f'[control]\nsocket = "{tmp_path}/control"\n'
        file.write_text(f"{more}\n{LEAST}\n{control}", encoding="utf-8")
        return file

    return write


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "--config FILE is missing; see `thinpipe proxy --help`"),
        (("--check",), "--config FILE is missing; see `thinpipe proxy --help`"),
        (("status",), "--config FILE is missing; see `thinpipe proxy --help`"),
        (("--check", "status"), "--check does not go with status"),
        (("--cheek",), "no such option: --cheek (Possible options: --check)"),
        (("--config", "none.toml"), "none.toml: cannot be read: No such file or directory"),
        (("--config", "none.toml", "--check"), "none.toml: cannot be read: No such file"),
        (("status", "--config", "none.toml"), "none.toml: cannot be read: No such file"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(thinpipe, words, expected):
    done = thinpipe("proxy", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"thinpipe: {expected[:30]}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [(), ("--check",), ("status",)])
def test_a_file_that_is_no_text_is_refused_in_a_line(thinpipe, tmp_path, words):
    (tmp_path / "proxy.toml").write_bytes(b"drain = '3 s' # \xff")
    done = thinpipe("proxy", "--config", "proxy.toml", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thinpipe: proxy.toml: not a UTF-8 text file\n"


@pytest.mark.parametrize("words", [(), ("--check",), ("status",)])
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("drian = '3 s'", "drian: unknown key; did you mean drain?"),
        ("drain = 3", "drain = 3"),
        ("on_failure = 'ignore'", "on_failure"),
        ("[limits]\nflows = 0", "limits.flows = 0"),
        ("nonsense", "proxy.toml"),
    ],
)
def test_a_bad_file_is_refused_in_a_line(thinpipe, config, words, more, expected):
    done = thinpipe("proxy", *words, "--config", str(config(more)))
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("thinpipe: ")
    assert "proxy.toml" in line
    assert expected in line


def test_no_proxy_is_told_in_a_line(thinpipe, config, tmp_path):
    done = thinpipe("proxy", "status", "--config", str(config()))
    check(done, f"{tmp_path}/control: no proxy runs with this configuration")


def test_config_may_stand_before_status(thinpipe, config, tmp_path):
    done = thinpipe("proxy", "--config", str(config()), "status")
    check(done, f"{tmp_path}/control: no proxy runs with this configuration")


@pytest.mark.skipif(shutil.which("ip") is None, reason="needs iproute2")
def test_a_check_says_what_is_missing(thinpipe, config):
    """No machine has an interface of this name."""
    file = config()
    file.write_text(file.read_text(encoding="utf-8").replace("wl0", "nosuch0"), encoding="utf-8")
    done = thinpipe("proxy", "--config", str(file), "--check")
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert "error: there is no interface nosuch0: see `ip link`" in lines
    assert all(re.match("(ok|warning|error): ", line) for line in lines)


@contextmanager
def _daemon(path: Path, answer: bytes | None):
    """Answer one request at a control socket; `None` sends nothing."""
    said: list[bytes] = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        visitor, _ = listener.accept()
        with visitor:
            with visitor.makefile("rb") as lines:
                said.append(lines.readline())
            if answer is None:
                visitor.recv(1)
            else:
                visitor.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield said
    finally:
        listener.close()
        thread.join(timeout=10)


VOLUME = {"packets": 3, "bytes": 4500}
LEG = {
    "received": VOLUME,
    "sent": VOLUME,
    "retransmissions": 1,
    "round_trip": {"counts": [2] + [0] * 14, "sum_ns": 1_800_000_000},
}
PROFILE = {
    "name": "gprs",
    "scheme": "atcp",
    "retired": False,
    "flows": {"opening": 0, "open": 2},
    "connections": {"taken": 5, "bypassed": 1, "released": 0, "reset": 0},
    "syns": {"seen": 6, "held": 0, "refused": 0},
    "wired": LEG,
    "radio": LEG,
    "stalls": 0,
    "stalled_seconds": 0.0,
    "stalled_mobiles": 0,
    "mobiles": 1,
    "queued_bytes": 12345,
    "in_flight_bytes": 3900,
    "cwnd_bytes": 3900,
    "held_bytes": 0,
    "zero_windows": 0,
}
STATUS = {
    "state": "serving",
    "version": "0.1.0",
    "uptime_seconds": 90.0,
    "worker_uptime_seconds": 90.0,
    "heartbeat_age_seconds": 0.01,
    "worker_restarts": 0,
    "reloads": 0,
    "reloads_refused": 0,
    "journal_flows": 1,
    "device_overflow_packets": 0,
    "received": VOLUME,
    "sent": VOLUME,
    "bypassed": [{"reason": "not_tcp", "packets": 2}],
    "dropped": [],
    "profiles": [PROFILE],
}
MOBILE = {
    "address": "10.45.0.2",
    "profile": "gprs",
    "flows": 2,
    "queued_bytes": 12345,
    "in_flight_bytes": 3900,
    "cwnd_bytes": 3900,
    "round_trip_seconds": 0.9,
    "stalled_seconds": None,
}


def test_status_is_shown_as_tables(thinpipe, config, tmp_path):
    answer = json.dumps(STATUS | {"mobiles": [MOBILE]}).encode()
    with _daemon(tmp_path / "control", answer) as said:
        done = thinpipe("proxy", "status", "--mobiles", "--config", str(config()))
    assert (done.returncode, done.stderr) == (0, "")
    assert said == [b"mobiles\n"]
    assert "serving, up 1.50 min" in done.stdout
    assert "untouched: 2 not tcp" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["queued", "12.3", "kB"] in rows
    mobile = "10.45.0.2 gprs 2 12.3 kB 3.90 kB 3.90 kB 900 ms –"
    assert mobile.split() in rows


def test_json_is_handed_on_as_it_came(thinpipe, config, tmp_path):
    answer = json.dumps(STATUS).encode() + b"\n"
    with _daemon(tmp_path / "control", answer) as said:
        done = thinpipe("proxy", "status", "--json", "--config", str(config()))
    assert (done.returncode, done.stdout.encode(), said) == (0, answer, [b"status\n"])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b'{"error": "packets are not handled in time"}\n', "packets are not handled in time"),
        (b"220 smtp\r\n", "what answers there is no proxy"),
        (b"", "what answers there is no proxy"),
        (None, "the proxy did not answer within 3 s: its log says why"),
    ],
)
def test_a_proxy_that_does_not_answer_is_told_in_a_line(
    thinpipe, config, tmp_path, answer, expected
):
    with _daemon(tmp_path / "control", answer):
        done = thinpipe("proxy", "status", "--config", str(config()))
    check(done, f"{tmp_path}/control: {expected}")


def _with(text: str, *names: str) -> str:
    """Return the shipped file with these profiles uncommented."""
    blocks = text.split("\n\n")
    live = [
        re.sub("^# (?=\\[|[a-z_.]+ = )", "", block, flags=re.M)
        if any(f'# name = "{name}"' in block for name in names)
        else block
        for block in blocks
    ]
    return "\n\n".join(live)


@pytest.mark.parametrize("names", [(), ("umts",), ("satellite",), ("split",), ("telnet",)])
def test_the_shipped_file_and_its_examples_are_valid(thinpipe, root, tmp_path, names):
    """With a valid file, the error is that no proxy runs."""
    text = (root / "packaging" / "proxy.toml").read_text(encoding="utf-8")
    text = _with(text, *names).replace("[control]", f'[control]\nsocket = "{tmp_path}/none"')
    assert all(f'\nname = "{name}"' in text for name in names)
    file = tmp_path / "proxy.toml"
    file.write_text(text, encoding="utf-8")
    done = thinpipe("proxy", "status", "--config", str(file))
    check(done, f"{tmp_path}/none: no proxy runs with this configuration")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_systemd_understands_the_unit(root, tmp_path):
    text = (root / "packaging" / "thinpiped.service").read_text(encoding="utf-8")
    file = tmp_path / "thinpiped.service"
    file.write_text(text.replace("/usr/local/bin/thinpiped", sys.executable), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", file],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if "thinpiped" in line]
    assert (done.returncode, lines) == (0, [])
