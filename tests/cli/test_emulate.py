"""``thinpipe emulate`` as a command: arguments, waiting, messages and files.

A stand-in for the emulator makes no network; `tests/live` has the real one.
"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from thinpipe.cli.emulation_summary import print_summary
from thinpipe.emulation_record import EmulationRecord, Traffic
from thinpipe.packet_log import read_log

FAKE = Path(__file__).with_name("fake_emulator.py")
SCENARIO = "umts-dch-384"
LIMIT_S = 300


@pytest.fixture
def emulate(thinpipe):
    """Run the command with the fake emulator, in an empty directory."""
    return partial(thinpipe, "emulate", script=FAKE)


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("umts-dhc-384",),
            "unknown scenario 'umts-dhc-384': neither a file nor one that ships; "
            "did you mean umts-dch-384?",
        ),
        (
            (SCENARIO, "--set", "radio.tblr=5%"),
            "--set radio.tblr=5%: unknown key; did you mean radio.tbler?",
        ),
        (
            ("umts-cell-50",),
            "umts-cell-50: has 50 mobiles, and an emulated program is one alone: --set radio.ues=1",
        ),
        ((SCENARIO, "--seed", "one"), "--seed one: must be a whole number from 0"),
        ((SCENARIO, "--log", "x.csv"), "--log x.csv: must end in .jsonl or .parquet"),
        ((SCENARIO, "--log", "/proc/x.jsonl"), "/proc/x.jsonl: No such file or directory"),
        ((SCENARIO, "--record", "/proc/x"), "/proc/x: No such file or directory"),
        ((SCENARIO, "--record", "."), ".: Is a directory"),
        (
            (SCENARIO, "--record", ""),
            "--record '': is empty; expected FILE, see `thinpipe emulate --help`",
        ),
        (("",), "argument '': is empty; expected SCENARIO, see `thinpipe emulate --help`"),
        (
            (SCENARIO, "--log", "x.jsonl", "--record", "./x.jsonl"),
            "--log x.jsonl: would be --record x.jsonl or in it; choose another name",
        ),
        (
            (SCENARIO, "--pcap", "x", "--record", "x/y/z"),
            "--record x/y/z: would be --pcap x or in it; choose another name",
        ),
        ((SCENARIO, "--snap", "96"), "--snap cuts the packets of captures: add --pcap DIR"),
        (
            (SCENARIO, "--pcap", "x", "--snap", "0"),
            "--snap 0: must be a whole number from 1 to 65549",
        ),
        ((SCENARIO, "--pcap", "/proc/x"), "/proc/x: No such file or directory"),
        ((SCENARIO, "--server", "'x"), "--server 'x: No closing quotation"),
        (
            (SCENARIO, "--server", ""),
            "--server '': is empty; expected COMMAND, see `thinpipe emulate --help`",
        ),
        (
            (SCENARIO, "--server", "no-such-server -x"),
            "--server no-such-server -x: no such program",
        ),
        ((SCENARIO, "--server", "false"), "--server false: ended with status 1"),
        (
            (SCENARIO, "--between", "a", "b", "--", "true"),
            "--between runs no command and no --server",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_line(emulate, tmp_path, arguments, expected):
    command = () if "--" in arguments else ("--", "touch", "ran")
    check(emulate(*arguments, *command), expected)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mtu", ["67", "65536", "big"])
def test_mtu_that_no_packet_can_have(emulate, mtu):
    done = emulate(SCENARIO, "--mtu", mtu, "--", "true")
    check(done, f"--mtu {mtu}: must be a whole number from 68 to 65535")


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (("true",), 0),
        (("sh", "-c", "exit 7"), 7),
        (("sh", "-c", "kill -9 $$"), 137),
    ],
)
def test_exit_status_is_the_command_s(emulate, command, status):
    done = emulate(SCENARIO, "--quiet", "--record", "record.json", "--", *command)
    assert done.returncode == status
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("command", "status", "reason"),
    [
        ("no-such-program", 127, "No such file or directory"),
        ("/etc/passwd", 126, "Permission denied"),
    ],
)
def test_command_that_does_not_start_leaves_one_line(emulate, tmp_path, command, status, reason):
    files = ("--log", "log.jsonl", "--pcap", "pcap", "--record", "record.json")
    done = emulate(SCENARIO, *files, "--quiet", "--", command)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr == f"thinpipe: {command}: {reason}\n"
    assert list(tmp_path.iterdir()) == []


def test_empty_arguments_of_the_command_are_its_own(emulate):
    done = emulate(SCENARIO, "--quiet", "--", "printf", "<%s>", "")
    assert (done.returncode, done.stdout) == (0, "<>")


def test_link_without_packets_has_a_line_in_place_of_a_table(emulate, tmp_path, capsys):
    assert emulate(SCENARIO, "--record", "record.json", "--", "true").returncode == 0
    record = EmulationRecord.from_json((tmp_path / "record.json").read_text())
    idle = replace(record.down, entered=Traffic(0, 0), dropped_before=0)
    print_summary(replace(record, down=idle, up=idle), [])
    first, *_ = capsys.readouterr().err.splitlines()
    assert first == "no packet entered the link in either direction"
    for down in (record.down, replace(idle, dropped_before=1)):
        print_summary(replace(record, down=down, up=idle), [])
        assert capsys.readouterr().err.split()[:2] == ["down", "up"]


def test_options_of_the_command_are_its_own(emulate):
    nested = ("echo", "--set", "a=b", "-v", "--", "--quiet")
    done = emulate(SCENARIO, "--quiet", "--", *nested)
    assert (done.returncode, done.stdout) == (0, "--set a=b -v -- --quiet\n")


def test_command_knows_the_way_out(emulate):
    done = emulate(SCENARIO, "--quiet", "--", "sh", "-c", "echo $SIDE $THINPIPE_GATEWAY")
    assert done.stdout == "mobile 100.64.0.1\n"


def test_summary_tells_every_way_a_packet_went(emulate):
    said = emulate(SCENARIO, "--", "true").stderr
    for words in ("9 packets, 9 kB", "2 queue", "24 kbit/s", "60 ms", "70 ms", "80 ms"):
        assert words in said
    assert "rate, mean of the run" in said
    assert "dropped ahead of it" in said
    assert "3 packets, by the kernel" in said
    assert "ended 1 process left behind" in said
    assert "CAP_SYS_NICE" in said
    assert "trust" not in said


def test_notes_on_the_set_up_come_before_the_command(emulate):
    command = ("sh", "-c", "echo started >&2")
    said = emulate(SCENARIO, "--", *command).stderr.splitlines()
    assert said[:2] == ["thinpipe: nothing beyond this host", "started"]
    assert not any("nothing beyond" in line for line in said[2:])
    assert emulate(SCENARIO, "--quiet", "--", *command).stderr == "started\n"


def test_late_run_says_so(emulate):
    said = emulate(SCENARIO, "--", "true", LATE_S="0.01").stderr
    assert "10 ms (99 %), where 5 ms is the bound; do not trust the timings" in said


def test_failure_of_the_emulator_has_its_own_status(emulate, tmp_path):
    files = ("--log", "log.jsonl", "--pcap", "pcap", "--record", "record.json")
    done = emulate(SCENARIO, *files, "--quiet", "--", "true", FAILING=SCENARIO)
    assert done.returncode == 125
    assert done.stderr == "thinpipe: the packet thread ended: Device or resource busy\n"
    assert list(tmp_path.iterdir()) == []


def test_full_disk_is_told_by_the_name_that_was_given(emulate, tmp_path):
    done = emulate(SCENARIO, "--log", "x.jsonl", "--quiet", "--", "true", FULL="yes")
    said = "thinpipe: cannot write x.jsonl: No space left on device\n"
    assert (done.returncode, done.stderr) == (125, said)
    assert list(tmp_path.iterdir()) == []


def test_files_appear_whole(emulate, tmp_path):
    (tmp_path / "log.jsonl").write_text("former")
    files = ("--log", "log.jsonl", "--pcap", "pcap", "--record", "sub/record.json")
    assert emulate(SCENARIO, *files, "--", "sh", "-c", "exit 3").returncode == 3
    names = sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*"))
    captures = ["pcap/mobile.pcapng", "pcap/network.pcapng", "pcap/thinpipe.sha256"]
    assert names == ["log.jsonl", "pcap", *captures, "sub", "sub/record.json"]
    record = json.loads((tmp_path / "sub/record.json").read_text())
    assert (record["command"], record["exit_status"]) == (["sh", "-c", "exit 3"], 3)
    assert read_log(tmp_path / "log.jsonl").height == 1


def names(directory: Path) -> list[str]:
    return sorted(each.name for each in directory.iterdir())


@pytest.mark.parametrize(("option", "name"), [("--log", "x.jsonl"), ("--record", "x")])
def test_what_is_no_regular_file_is_let_be(emulate, tmp_path, option, name):
    os.mkfifo(tmp_path / name)
    done = emulate(SCENARIO, option, name, "--", "touch", "ran")
    check(done, f"{name}: is no regular file")
    assert (tmp_path / name).is_fifo()
    assert names(tmp_path) == [name]


@pytest.mark.parametrize(("option", "name"), [("--log", "x.parquet"), ("--record", "x")])
def test_link_is_followed(emulate, tmp_path, option, name):
    (tmp_path / "far").mkdir()
    (tmp_path / name).symlink_to("far/end")
    assert emulate(SCENARIO, option, name, "--", "true").returncode == 0
    assert (tmp_path / name).is_symlink()
    assert (names(tmp_path), names(tmp_path / "far")) == (["far", name], ["end"])


LOG, PARQUET, PCAP, RECORD = (
    (option, f"new/{name}")
    for option, name in (
        ("--log", "log.jsonl"),
        ("--log", "log.parquet"),
        ("--pcap", "pcap"),
        ("--record", "record"),
    )
)


@pytest.mark.parametrize("lost", [LOG, PARQUET, PCAP, RECORD], ids=lambda each: each[1])
def test_what_cannot_be_written_at_the_end_takes_no_summary_with_it(emulate, lost):
    gone = "rm -r new; touch new"
    done = emulate(SCENARIO, *lost, "--", "sh", "-c", gone)
    assert done.returncode == 125
    assert "behind the model" in done.stderr
    name = "" if lost == RECORD else lost[1]  # its directory cannot be recreated
    assert done.stderr.splitlines()[-1].startswith(f"thinpipe: cannot write {name}")


def test_log_that_is_lost_leaves_the_captures(emulate, tmp_path):
    gone = ("sh", "-c", "rm -r new")
    assert emulate(SCENARIO, *LOG, "--pcap", "kept", "--", *gone).returncode == 125
    assert names(tmp_path) == ["kept"]


def test_option_before_the_dashes_is_told_of_them(emulate):
    said = "options of COMMAND stand behind `--`"
    assert said in emulate(SCENARIO, "curl", "-o", "x").stderr


def test_log_as_parquet_has_the_same_rows(emulate, tmp_path):
    for name in ("log.jsonl", "log.parquet"):
        assert emulate(SCENARIO, "--quiet", "--log", name, "--", "true").returncode == 0
    lines = read_log(tmp_path / "log.jsonl")
    assert lines.equals(read_log(tmp_path / "log.parquet"))
    assert lines.schema["direction"] == pl.Enum(["down", "up"])
    assert lines["left_s"].to_list() == [0.2001]


def test_empty_log_is_a_table(tmp_path):
    (tmp_path / "log.jsonl").touch()
    assert read_log(tmp_path / "log.jsonl").height == 0


def test_meter_shows_the_status(emulate):
    said = emulate(SCENARIO, "--quiet", "--meter", "--", "sleep", "1.5").stderr
    way = "384 kbit/s 2 queued 1 dropped"
    assert {*said.splitlines()} == {f"RTT 100 ms  ↓ {way}  ↑ {way}"}


SERVER = """
import socket, time
time.sleep(0.5)
with socket.create_server(("127.0.0.1", 0)) as listener:
    print("out")
    open("port", "w").write(str(listener.getsockname()[1]))
    time.sleep(60)
"""


def test_command_waits_for_its_server(emulate, tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    server = f"{sys.executable} -u server.py"
    connect = "import socket; socket.create_connection(('127.0.0.1', int(open('port').read())))"
    done = emulate(SCENARIO, "--quiet", "--server", server, "--", sys.executable, "-c", connect)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "out\n")
    gone = emulate(SCENARIO, "--quiet", "--", sys.executable, "-c", connect)
    assert "ConnectionRefusedError" in gone.stderr


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ("sleep 50", "--server sleep 50: did not listen within 5 s\n"),
        (f"{sys.executable} brief.py", "brief.py: ended before COMMAND did, with status 7\n"),
    ],
)
def test_server_that_failed_the_command_is_mentioned(emulate, tmp_path, server, said):
    # It ends once COMMAND reads, and COMMAND a little after it: nobody else has the pipe open.
    brief = SERVER.replace("time.sleep(60)", "pipe = open('pipe', 'w'); raise SystemExit(7)")
    (tmp_path / "brief.py").write_text(brief)
    os.mkfifo(tmp_path / "pipe")
    command = "cat pipe; sleep 0.2" if "brief" in server else "true"
    done = emulate(SCENARIO, "--server", server, "--", "sh", "-c", command)
    assert done.returncode == 0
    assert said in done.stderr


def start(tmp_path, *arguments):
    return subprocess.Popen(
        [sys.executable, FAKE, "emulate", SCENARIO, "--quiet", *arguments], cwd=tmp_path
    )


def wait_for(file: Path) -> None:
    patience = time.monotonic() + LIMIT_S
    while not file.exists():
        assert time.monotonic() < patience, f"no {file.name}"
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("number", "script", "status"),
    [
        (signal.SIGTERM, "touch up; exec sleep 50", 143),
        (signal.SIGHUP, "touch up; exec sleep 50", 129),
        (signal.SIGTERM, "trap 'exit 5' TERM; touch up; while :; do sleep 0.1; done", 5),
        (signal.SIGTERM, "trap '' TERM; touch up; exec sleep 50", 137),
        (signal.SIGINT, "touch up; exec sleep 1", 0),
        (signal.SIGQUIT, "touch up; exec sleep 1", 0),
    ],
)
def test_signals_are_the_command_s(tmp_path, number, script, status):
    program = start(tmp_path, "--record", "record.json", "--", "sh", "-c", script)
    wait_for(tmp_path / "up")
    program.send_signal(number)
    assert program.wait(LIMIT_S) == status
    assert json.loads((tmp_path / "record.json").read_text())["exit_status"] == status


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT])
def test_box_in_the_middle_runs_until_it_is_told(tmp_path, capsys, number):
    program = start(tmp_path, "--meter", "--record", "record.json", "--between", "a", "b")
    wait_for(tmp_path / "metered")
    assert program.poll() is None
    program.send_signal(number)
    assert program.wait(LIMIT_S) == 0
    record = EmulationRecord.from_json((tmp_path / "record.json").read_text())
    assert (record.command, record.exit_status, record.mtu) == (None, None, None)
    print_summary(record, [])
    assert "packets of at most" not in capsys.readouterr().err


@pytest.mark.parametrize(("shell", "ready"), [("/bin/bash", "bash"), ("/bin/sh", "sh")])
def test_shell_has_the_terminal_and_says_where_it_is(tmp_path, shell, ready):
    if not Path(shell).exists():
        pytest.skip(f"needs {shell}")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.environ.update(SHELL=shell, HOME=str(tmp_path), COLUMNS="200")
        os.execv(sys.executable, [sys.executable, str(FAKE), "emulate", SCENARIO])
    said = ""
    for awaited, typed in (
        (f"[{Path(SCENARIO).stem}] ", "sleep 40; touch woken\n"),
        ("touch woken", ""),
        ("", "\x03"),
        (f"\n[{Path(SCENARIO).stem}] ", "exit 3\n"),
        ("behind the model", ""),
    ):
        said = read_until(terminal, awaited) if awaited else said
        time.sleep(0.3)
        os.write(terminal, typed.encode())
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3, ready
    os.close(terminal)


def read_until(terminal: int, awaited: str) -> str:
    said = ""
    while awaited not in said.replace("\x1b[?2004h", ""):
        assert select.select([terminal], [], [], LIMIT_S)[0], said
        said += os.read(terminal, 4096).decode(errors="replace")
    return said
