"""``thinpipe run`` from end to end."""

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
import thinpipe as tp
from rich.console import Console
from thinpipe.cli.terminal import show
from thinpipe.files import write_manifest
from thinpipe.report.summary import MOST_ROWS, Table, summary
from thinpipe.result import Flow

LOSSY = ("umts-dch-384", "--set", "tcp.variant=vegas", "--set", "radio.tbler=20%")


def digests(directory: Path) -> dict[str, str]:
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(directory.iterdir())
    }


def test_json_is_one_object(thinpipe):
    done = thinpipe("run", *LOSSY, "--seed", "3", "--duration", "20s", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert (data["scenario"], data["seed"], data["duration_s"]) == ("umts-dch-384", 3, 20.0)
    assert data["flows"][0]["variant"] == "vegas"
    assert data["radio"]["blocks_in_error"] > 0


def test_table_is_for_readers(thinpipe):
    done = thinpipe("run", *LOSSY, "--duration", "20s")
    assert (done.returncode, done.stderr) == (0, "")
    assert "vegas" in done.stdout
    assert "20 s simulated" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("drops", "expected"), [([14], "1 packet dropped"), ([14, 28], "2 packets dropped")]
)
def test_drops_are_counted(drops, expected):
    assert expected in summary(tp.run("bottleneck", {"link.drop_arrivals": drops}).result).footer


def test_a_trace_of_ns_2_stands_beside_the_tables(thinpipe, tmp_path):
    done = thinpipe("run", *LOSSY, "--duration", "5s", "--trace", "ns2", "--out", "run")
    assert (done.returncode, done.stderr) == (0, "")
    first = (tmp_path / "run" / "ns2.tr").read_text().splitlines()[0]
    assert first == "+ 0 0 1 tcp 44 ------- 0 0.9 5.1024 0 0"
    assert "5 UE\n" in (tmp_path / "run" / "ns2.nodes").read_text()
    listed = (tmp_path / "run" / "thinpipe.sha256").read_text()
    assert "  ns2.nodes\n" in listed
    assert "  ns2.tr\n" in listed
    assert tp.load(tmp_path / "run").hops.height > 0


def test_same_seed_gives_the_same_bytes(thinpipe, tmp_path):
    printed = []
    for directory in ("a", "b"):
        done = thinpipe("run", *LOSSY, "--duration", "30s", "--json", "--out", directory)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    names = {"rtt", "cwnd", "events", "segments", "blocks", "hops"}
    assert {f"{name}.parquet" for name in names} < digests(tmp_path / "a").keys()
    other = thinpipe("run", *LOSSY, "--duration", "30s", "--seed", "2", "--out", "c")
    assert other.returncode == 0
    assert digests(tmp_path / "a")["rtt.parquet"] != digests(tmp_path / "c")["rtt.parquet"]


@pytest.mark.parametrize("more", [(), ("--trace", "ns2")])
def test_a_saved_run_is_run_again(thinpipe, tmp_path, more):
    asked = ("run", *LOSSY, "--seed", "4", "--duration", "9s", *more)
    assert thinpipe(*asked, "--out", "run").returncode == 0
    assert (tmp_path / "run" / "scenario.toml").read_text() == tp.scenarios()[LOSSY[0]].source
    done = thinpipe("run", "--again", "run", "--json")
    assert (done.returncode, done.stderr) == (0, "the same as in run\n")
    assert done.stdout == (tmp_path / "run" / "result.json").read_text()
    assert [each.name for each in tmp_path.iterdir()] == ["run"]
    cwnd = pl.read_parquet(tmp_path / "run" / "cwnd.parquet")
    cwnd.head(-1).write_parquet(tmp_path / "run" / "cwnd.parquet")
    (tmp_path / "run" / "host.pcapng").unlink()
    done = thinpipe("run", "--again", "run")
    assert done.returncode == 1
    assert done.stderr == "differs from run: cwnd.parquet, host.pcapng\n"


def test_another_version_is_named_where_a_run_differs(thinpipe, tmp_path):
    assert thinpipe("run", *LOSSY, "--duration", "2s", "--out", "run").returncode == 0
    for name in ("inputs.json", "result.json"):
        text = (tmp_path / "run" / name).read_text()
        (tmp_path / "run" / name).write_text(text.replace(tp.__version__, "0.0.9"))
    write_manifest(tmp_path / "run")
    assert thinpipe("run", "--again", "run").stderr == "the same as in run\n"
    result = (tmp_path / "run" / "result.json").read_text()
    events = json.loads(result)["events"]
    (tmp_path / "run" / "result.json").write_text(result.replace('"events":', '"events":9'))
    write_manifest(tmp_path / "run")
    done = thinpipe("run", "--again", "run")
    assert (done.returncode, done.stderr) == (
        1,
        "differs from run, which is of thinpipe 0.0.9: "
        f"result.json (events 9{events} → {events})\n",
    )


def test_a_run_of_a_version_with_other_figures_says_which(thinpipe, tmp_path):
    """It had one that there is no more, lacked one, and two were others."""
    assert thinpipe("run", *LOSSY, "--duration", "2s", "--out", "run").returncode == 0
    file = tmp_path / "run" / "result.json"
    result = json.loads(file.read_text())
    flow = result["flows"][0]
    sent = flow["segments_sent"]
    old = flow | {"segments_sent": sent + 1, "variant": "old", "former": 1.5}
    del old["timeouts"]
    file.write_text(json.dumps(result | {"flows": [old]}))
    write_manifest(tmp_path / "run")
    done = thinpipe("run", "--again", "run")
    assert done.returncode == 1
    variant = f'flows[0].variant "old" → "{flow["variant"]}"'
    segments = f"flows[0].segments_sent {sent + 1} → {sent}"
    former = "flows[0].former 1.5 → none"
    told = f"result.json ({variant}, {segments}, {former}, 1 more)"
    assert done.stderr == f"differs from run: {told}\n"


@pytest.mark.parametrize("content", ["", "[]", "3"])
def test_a_run_without_figures_is_not_run_again(thinpipe, tmp_path, content):
    assert thinpipe("run", "plain-384", "--duration", "1s", "--out", "run").returncode == 0
    (tmp_path / "run" / "result.json").write_text(content)
    write_manifest(tmp_path / "run")
    done = thinpipe("run", "--again", "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thinpipe: run/result.json: does not hold the figures of a run\n"


def test_files_that_a_run_read_are_held_to_their_digest(thinpipe, tmp_path, mine):
    """From another directory too: paths start from where it ran."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.toml").write_text('[link]\ntrace.down = "slow.trace"\n')
    (tmp_path / "own" / "slow.trace").write_text("".join(f"{at}\n" for at in range(20, 999, 20)))
    asked = ("own/mine.toml", "--set", "tcp.congestion_control=mine.py:Mine", "--duration", "3s")
    done = thinpipe("run", *asked, "--out", "run")
    assert (done.returncode, done.stderr) == (0, "")
    again = [sys.executable, "-m", "thinpipe", "run", "--again", "../run"]
    told = subprocess.run(again, cwd=tmp_path / "own", capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "the same as in ../run\n")
    for file in (mine, tmp_path / "own" / "slow.trace"):
        content = file.read_text()
        file.write_text(f"{content}\n")
        done = thinpipe("run", "--again", "run")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"thinpipe: {file}: has changed since that run\n"
        file.write_text(content)


@pytest.mark.parametrize(
    "damage",
    [
        {"trace": 1},
        {"scenario": 3},
        {"settings": [["a"]]},
        {"settings": 5},
        {"files": ["a"]},
        {"files": {"a": 1}},
        {"directory": 1},
        {"versions": ["a"]},
        {"versions": {"polars": 1}},
        {"more": 1},
    ],
)
def test_inputs_of_another_program_are_one_line(thinpipe, tmp_path, damage):
    assert thinpipe("run", "plain-384", "--duration", "1s", "--out", "run").returncode == 0
    file = tmp_path / "run" / "inputs.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | damage))
    write_manifest(tmp_path / "run")
    done = thinpipe("run", "--again", "run")
    assert (done.returncode, done.stdout) == (2, "")
    told = "does not hold the inputs of a run of this version"
    assert done.stderr == f"thinpipe: run/inputs.json: {told}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--again", "no"], "no: No such file or directory"),
        (["--again", "."], ".: is no run's directory: it has no result.json"),
        (["plain-384", "--again", "run"], "--again run: takes nothing but --json with it"),
        (["--again", "run", "--seed", "1"], "--again run: takes nothing but --json with it"),
        ([], "missing argument 'SCENARIO'; see `thinpipe run --help`"),
        (["--again", "run"], "run/inputs.json: does not hold the inputs of a run of this version"),
    ],
)
def test_what_cannot_be_run_again_is_one_line(thinpipe, tmp_path, arguments, said):
    assert thinpipe("run", "plain-384", "--duration", "1s", "--out", "run").returncode == 0
    (tmp_path / "run" / "inputs.json").write_text('{"settings": []}')
    write_manifest(tmp_path / "run")
    done = thinpipe("run", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {said}\n"


def test_out_directory_reads_back(thinpipe, tmp_path):
    done = thinpipe("run", *LOSSY, "--duration", "30s", "--json", "--out", "run")
    data = json.loads(done.stdout)
    assert (tmp_path / "run" / "result.json").read_text() == done.stdout
    rtt = pl.read_parquet(tmp_path / "run" / "rtt.parquet")
    assert len(rtt) == data["flows"][0]["rtt_s"]["samples"]
    blocks = pl.read_parquet(tmp_path / "run" / "blocks.parquet")
    assert len(blocks) == data["radio"]["blocks_sent"]


def test_former_run_is_replaced_and_anything_else_is_not(thinpipe, tmp_path):
    assert thinpipe("run", *LOSSY, "--duration", "5s", "--out", "run").returncode == 0
    assert thinpipe("run", *LOSSY, "--duration", "6s", "--out", "run").returncode == 0
    assert json.loads((tmp_path / "run" / "result.json").read_text())["duration_s"] == 6.0
    (tmp_path / "run" / "notes.txt").touch()
    done = thinpipe("run", *LOSSY, "--duration", "7s", "--out", "run")
    assert done.returncode == 2
    assert done.stderr == (
        "thinpipe: run: holds 'notes.txt', which no run wrote; choose another directory\n"
    )


def end(
    tmp_path: Path,
    *arguments: str,
    by: signal.Signals = signal.SIGINT,
    after: float = 0.2,
    sign: str = "*",
) -> subprocess.CompletedProcess[str]:
    """Start the program, and send it a signal twice once it has begun a directory of that name."""
    with subprocess.Popen(
        [sys.executable, "-m", "thinpipe", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        patience = time.monotonic() + 300
        while not any(tmp_path.glob(sign)) and time.monotonic() < patience:
            time.sleep(0.002)
        time.sleep(after)
        process.send_signal(by)
        time.sleep(0.0005)
        process.send_signal(by)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)


FOR_EVER = ("run", "umts-dch-384", "--duration", "5000000s", "--out", "run")


@pytest.mark.parametrize(
    ("by", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_run_that_is_ended_leaves_nothing(tmp_path, by, status):
    done = end(tmp_path, *FOR_EVER, by=by)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("after", [0.0, 0.03, 0.1, 0.2, 0.3, 0.5])
def test_run_that_is_ended_early_or_late_leaves_nothing_or_all(tmp_path, after):
    longer = ("run", "umts-dch-384", "--duration", "3000s", "--out", "run")
    done = end(tmp_path, *longer, after=after)
    left = [each.name for each in tmp_path.iterdir()]
    assert done.stderr == ""
    # The second signal may come when no handler is there any more; a shell says 130 then, too.
    is_ended = done.returncode in (130, -signal.SIGINT)
    assert left == ([] if is_ended else ["run"])


def test_reproduction_that_is_ended_leaves_the_report_of_what_had_run(tmp_path):
    done = end(tmp_path, "reproduce", "yew2012/arithmetic", "lo2005/triggers", sign="out")
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["out"]
    assert "Not run yet: lo2005." in (tmp_path / "out" / "report.html").read_text()


@pytest.fixture(scope="module")
def long_table() -> Table:
    """Return a table whose numbers have many digits."""
    return summary(tp.run("umts-dch-384", duration="1000 s").result).tables[0]


MOBILES = ("run", "gprs-3+1", "--set", "radio.ues=5", "--set", "flow.count=10")


def test_threads_change_nothing(thinpipe):
    runs = [
        thinpipe(*MOBILES, "--duration", "20s", "--json", *threads)
        for threads in ((), ("--threads", "1"), ("--threads", "7"), ("--threads", "9" * 20))
    ]
    assert [(run.returncode, run.stderr) for run in runs] == [(0, "")] * 4
    assert len({run.stdout for run in runs}) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--threads", "0"), "--threads 0: must be a whole number from 1"),
        (("--threads", "two"), "--threads two: must be a whole number from 1"),
    ],
)
def test_threads_are_a_number(thinpipe, arguments, said):
    done = thinpipe(*MOBILES, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"thinpipe: {said}\n")


def test_of_many_flows_the_table_says_how_they_are_spread(thinpipe):
    few, many = (
        thinpipe("run", "gprs-3+1", "--set", f"flow.count={count}", "--duration", "20s").stdout
        for count in (MOST_ROWS, MOST_ROWS + 1)
    )
    few, many = ((shown.splitlines()[3:]) for shown in (few, many))  # below all flows
    assert [line.split()[0] for line in few[1:3]] == ["0", "1"]
    count, *rows = many[1:7]
    assert count.split()[:3] == ["count", "sack", str(MOST_ROWS + 1)]
    heads = [row[: row.index("sack")].strip() for row in rows]
    assert heads == ["min", "5 %", "median", "95 %", "max"]
    goodputs = [float(row.split("sack")[1].split()[0]) for row in rows]
    assert goodputs == sorted(goodputs)
    assert goodputs[0] < goodputs[-1]


def test_each_column_says_of_how_many_flows_it_is():
    settings = {"radio.ues": "10", "flow.count": f"{MOST_ROWS + 50}", "flow.interval": "1 s"}
    result = tp.run("gprs-3+1", settings, duration="40 s").result
    _, table = summary(result).tables
    counts = dict(zip(table.columns, table.rows[0], strict=True))
    measured = sum(flow.rtt_s.mean is not None for flow in result.flows)
    assert (counts["segments"], counts["mean"]) == (str(MOST_ROWS + 50), str(measured))
    assert 0 < measured < MOST_ROWS


def test_of_many_flows_each_group_and_kind_of_time_has_a_table():
    groups = [
        {"application": "web", "count": 99},
        {"application": "telnet", "count": 5},
        {"application": "udp", "count": 20},
    ]
    scenario = tp.scenarios()["gprs-3+1"].to_dict()
    scenario["flow"] = {"group": [{"name": each["application"], **each} for each in groups]}
    result = tp.run(tp.Scenario.of(scenario), duration="20 s").result
    together, *tables = summary(result).tables
    assert [row[:2] for row in together.rows] == [
        ("all", "124"),
        ("web", "99"),
        ("telnet", "5"),
        ("udp", "20"),
    ]
    assert [table.rows[0][0] for table in tables] == [
        "count of web",
        "count of telnet",
        "count",
        "count of web, page",
        "count of telnet, echo",
    ]
    assert all(len(table.rows) == 6 for table in tables)


def test_summary_reads_each_flow_once():
    class Counted(tuple[Flow, ...]):
        __slots__ = ()

        def __iter__(self):
            passes.append(len(self))
            return super().__iter__()

    passes: list[int] = []
    result = tp.run("gprs-3+1", {"flow.count": MOST_ROWS + 1}, duration="1 s").result
    counted = dataclasses.replace(result, flows=Counted(result.flows))
    assert summary(counted) == summary(result)
    assert passes == [MOST_ROWS + 1]


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_no_width_cuts_names_or_numbers(long_table, width):
    screen = Console(width=width, file=io.StringIO())
    show(screen, long_table.columns, long_table.rows, text=long_table.text)
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert all(word in shown for word in (*long_table.columns, *long_table.rows[0]))
    assert "…" not in shown


def test_keys_are_listed(thinpipe):
    done = thinpipe("keys")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tcp.variant = reno\n    Congestion control" in done.stdout
    assert "Takes rounded or exact." in done.stdout


def test_keys_are_listed_with_the_defaults_of_a_profile(thinpipe):
    done = thinpipe("keys", "--profile", "ns2-2.35")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tcp.profile = ns2-2.35\n" in done.stdout
    assert "tcp.min_rto = 200 ms\n" in done.stdout
    done = thinpipe("keys", "--profile", "mdern")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thinpipe: unknown profile 'mdern'; did you mean modern?\n"


def test_a_congestion_control_in_a_file(thinpipe, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import thinpipe as tp\n"
        "class Mine(tp.CongestionControl):\n"
        "    window = 4096\n"
        "    def on_ack(self, ack):\n"
        "        if ack.now_s > 1:\n"
        "            raise RuntimeError('enough')\n"
        "    def on_loss(self, loss): ...\n"
    )
    mine = ("run", "plain-384", "--set", "tcp.congestion_control=mine.py:Mine", "--json")
    done = thinpipe(*mine, "--duration", "0.5s")
    assert json.loads(done.stdout)["flows"][0]["variant"] == "mine+reno"
    done = thinpipe(*mine)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {tmp_path / 'mine.py'}:6: RuntimeError: enough\n"
    done = thinpipe("run", "plain-384", "--set", "tcp.congestion_control=mine.py:Min")
    assert done.stderr == (
        "thinpipe: --set tcp.congestion_control=mine.py:Min: no CongestionControl of that name; "
        "mine.py has Mine\n"
    )


def test_no_progress_bar_in_a_pipe(thinpipe):
    done = thinpipe("run", *LOSSY, "--duration", "40000s", "--json")
    assert (done.returncode, done.stderr) == (0, "")


def test_progress_bar_on_a_terminal_after_a_second(tmp_path):
    def shown(duration: str) -> tuple[bool, int]:
        """Run until there is a bar, or to the end; say whether there is, and the exit status."""
        terminal, theirs = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "thinpipe", "run", "umts-dch-384", "--duration", duration],
            cwd=tmp_path,
            env={**os.environ, "TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            said = b""
            with contextlib.suppress(OSError):  # EIO: it has ended
                while "━".encode() not in said:
                    said += os.read(terminal, 4096)
                process.send_signal(signal.SIGINT)
            status = process.wait(300)
        os.close(terminal)
        return "━".encode() in said, status

    assert shown("30000s") == (True, 130)
    assert shown("1s") == (False, 0)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("    def on_ack(self ack):", r"mine.py:5: not Python: .*"),
        (
            "    def on_ack(self, ack):\n        ack.nothing",
            r"mine.py:6: AttributeError: .*nothing.*",
        ),
        ("    def on_ack(self, ack):\n        self.window = -3", r"Mine\.window = -3: must be .*"),
        ("    x = 1 / 0", r"mine.py:5: ZeroDivisionError: division by zero"),
    ],
)
def test_a_controller_with_a_fault_is_one_line(thinpipe, tmp_path, body, reason):
    head = "import thinpipe as tp\n\n\nclass Mine(tp.CongestionControl):\n"
    rest = "    def on_loss(self, loss): ..."
    (tmp_path / "mine.py").write_text(f"{head}{body}\n{rest}\n")
    setting = f"tcp.congestion_control={tmp_path / 'mine.py'}:Mine"
    done = thinpipe("run", "plain-384", "--set", setting, "--duration", "2s")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"thinpipe: (?:.*/)?{reason}\n", done.stderr), done.stderr


def test_the_table_says_when_a_transfer_was_complete() -> None:
    flow = tp.run("bottleneck", duration="20 s").result.flows[0]
    [table] = summary(tp.run("bottleneck", duration="20 s").result).tables
    [row] = table.rows
    cells = dict(zip(table.columns, row, strict=True))
    assert flow.completed_s is not None
    assert float(cells["completed s"]) == pytest.approx(flow.completed_s, rel=0.01)
    [row] = summary(tp.run("bottleneck", duration="1 s").result).tables[0].rows
    assert row[table.columns.index("completed s")] == "–"


def test_text_in_brackets_is_printed_as_it_is(thinpipe, root, tmp_path):
    file = tmp_path / "[red]a[" / "b].toml"
    file.parent.mkdir()
    shutil.copy(root / "scenarios" / "lte-drive-test.toml", file)
    late = ("--duration", "1s", "--set", "radio.edrx.cycle=40s")
    told = thinpipe("run", str(file), *late).stdout.splitlines()
    assert any(line.startswith(f"{file}, seed 1") for line in told)
    assert told[-1] == "hint: radio.edrx.cycle changes nothing without [radio.rrc]"
