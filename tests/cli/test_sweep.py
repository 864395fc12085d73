"""``thinpipe sweep`` from end to end."""

import hashlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from thinpipe.sweep.study import Study

GRID = ("--vary", "tcp.variant=reno,vegas", "--vary", "radio.tbler=0 %,10 %", "--seeds", "1..3")
SHORT = ("sweep", "umts-dch-384", *GRID, "--duration", "5s", "--out", "s.parquet")
LONG = (
    "sweep", "umts-dch-384", "--vary", "tcp.variant=reno,vegas", "--vary", "radio.tbler=10 %,20 %",
    "--seeds", "1..5", "--duration", "500s", "--out", "s.parquet",
)  # fmt: skip


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def names(directory: Path) -> list[str]:
    return sorted(each.name for each in directory.iterdir())


def finished(directory: Path) -> int:
    """Count the points in the journal."""
    journal = directory / "s.parquet.partial"
    return max(0, journal.read_bytes().count(b"\n") - 1) if journal.exists() else 0


def interrupted(directory: Path, number: signal.Signals, points: int) -> tuple[int, str]:
    """Start the long sweep, and end it by a signal after some points."""
    process = subprocess.Popen(
        [sys.executable, "-m", "thinpipe", *LONG, "--jobs", "2"],
        cwd=directory,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    patience = time.monotonic() + 300
    while finished(directory) < points:
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < patience
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=300)
    return process.returncode, said


def test_one_row_a_run_in_the_order_of_the_grid(thinpipe, tmp_path):
    done = thinpipe(*SHORT)
    assert (done.returncode, done.stderr) == (0, "")
    frame = pl.read_parquet(tmp_path / "s.parquet")
    assert frame.select("tcp.variant", "radio.tbler", "seed").rows() == [
        (variant, tbler, seed)
        for variant in ("reno", "vegas")
        for tbler in (0.0, 0.1)
        for seed in (1, 2, 3)
    ]
    assert Study.read(tmp_path / "s.parquet").complete["duration"].unique().to_list() == [5.0]
    assert frame["variant"].to_list() == frame["tcp.variant"].to_list()
    assert names(tmp_path) == ["s.parquet"]


def test_every_row_is_what_run_prints(thinpipe, tmp_path):
    assert thinpipe(*SHORT).returncode == 0
    settings = ("--set", "tcp.variant=vegas", "--set", "radio.tbler=10 %", "--seed", "2")
    run = json.loads(
        thinpipe("run", "umts-dch-384", *settings, "--duration", "5s", "--json").stdout
    )
    row = Study.read(tmp_path / "s.parquet").complete.row(10, named=True)
    flow = run["flows"][0]
    assert row["goodput_bps"] == flow["goodput_bps"]
    assert row["rtt_s.p95"] == flow["rtt_s"]["p95"]
    assert row["completed_s"] is None
    assert row["radio.downlink.blocks_in_error"] == run["radio"]["downlink"]["blocks_in_error"]
    [uu] = [link for link in run["links"] if link["name"] == "Uu/down"]
    assert row["links.Uu/down.queue_packets.mean"] == uu["queue_packets"]["mean"]
    assert row["flows.segments_sent"] == flow["segments_sent"]
    assert "schema" not in row


def test_same_bytes_whatever_the_scheduling(thinpipe, tmp_path):
    found = set()
    for jobs in ("1", "2", "2"):
        assert thinpipe(*SHORT, "--jobs", jobs).returncode == 0
        found.add(digest(tmp_path / "s.parquet"))
    assert thinpipe(*SHORT).returncode == 0
    assert {digest(tmp_path / "s.parquet")} == found


def test_table_has_means_and_intervals(thinpipe):
    done = thinpipe(*SHORT)
    assert "goodput (kbit/s)" in done.stdout
    assert "RTT mean (s)" in done.stdout
    assert "10 %" in done.stdout
    assert "±" in done.stdout
    assert "(Student's t) over 3 seeds" in done.stdout


def test_a_key_that_changes_nothing_is_named(thinpipe):
    vary = ("--vary", "tcp.vegas.alpha=1,2", "--vary", "queue.packets=5,20")
    done = thinpipe("sweep", "plain-384", *vary, "--duration", "5s", "--out", "s.parquet")
    said = "tcp.vegas.alpha changes nothing: every metric is the same for all of its values"
    assert done.stdout.splitlines().count(said) == 1
    assert "queue.packets changes nothing" not in done.stdout


def test_table_says_where_an_interval_means_little(thinpipe):
    """Without block errors nothing is random; a run in three has no timeout."""
    counted = ("--measure", "goodput_bps", "--measure", "fast_retransmits")
    longer = ("20s" if each == "5s" else each for each in SHORT)
    done = thinpipe(*longer, *counted, "--set", "queue.packets=5")
    clean = [line for line in done.stdout.splitlines() if " 0 %" in line]
    assert len(clean) == 2
    assert all(line.count("=") == 2 and "±" not in line for line in clean)
    assert done.stdout.splitlines()[-1] == "seeds change nothing in 2 of 4 combinations"
    assert "= equal for all seeds" in done.stdout
    marked = [line for line in done.stdout.splitlines()[1:5] if line.endswith("†")]
    noted = "† interval reaches below zero: too few seeds, or too skewed" in done.stdout
    assert marked
    assert noted


def test_csv_has_the_rows_of_parquet_and_resumes(thinpipe, tmp_path):
    assert thinpipe(*SHORT).returncode == 0
    arguments = (*SHORT[:-1], "s.csv")
    assert thinpipe(*arguments).returncode == 0
    assert names(tmp_path) == ["s.csv", "s.parquet"]
    first = digest(tmp_path / "s.csv")
    frame = Study.read(tmp_path / "s.parquet").frame
    assert Study.read(tmp_path / "s.csv").frame.equals(frame)
    assert thinpipe(*arguments, "--jobs", "1").returncode == 0
    assert digest(tmp_path / "s.csv") == first
    (tmp_path / "s.csv").write_text("a,b\n1,2\n")
    check(thinpipe(*arguments), "s.csv: is no sweep's file; choose another name")


def test_the_flow_is_one_of_so_many(thinpipe):
    of = ("sweep", "dumbbell-100", "--duration", "500ms", "--out", "s.parquet")
    for counts, said in [("1", "flow 0;"), ("3", "flow 0 of 3;"), ("2,3", "flow 0 of 2 to 3;")]:
        done = thinpipe(*of, "--vary", f"flow.count={counts}")
        assert said in done.stdout, done.stderr


def test_one_seed_has_no_interval_and_measures_can_be_chosen(thinpipe):
    one = ("sweep", "umts-dch-384", "--vary", "tcp.window=4..6", "--duration", "2s")
    measures = ("--measure", "cwnd_segments.max", "--measure", "links.Uu/down.utilization")
    done = thinpipe(*one, *measures, "--out", "s.parquet")
    assert (done.returncode, done.stderr) == (0, "")
    assert "±" not in done.stdout.splitlines()[1]
    assert "one seed, so no confidence intervals" in done.stdout
    assert "cwnd max (segments)" in done.stdout
    assert "goodput" not in done.stdout


def test_a_measure_is_of_any_combination(thinpipe):
    """Where its group has no flow it is empty, whichever combination comes first."""
    of = ("sweep", "umts-dch-384", "--measure", "groups.x.share", "--duration", "1s")
    for counts, first_has_it in [("0,2", False), ("2,0", True)]:
        done = thinpipe(*of, "--vary", f"flow.group.x.count={counts}", "--out", "s.parquet")
        rows = [line.split() for line in done.stdout.splitlines()[2:4]]
        assert [count for count, _ in rows] == counts.split(","), done.stderr
        assert [share != "–" for _, share in rows] == [first_has_it, not first_has_it]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_sweep_goes_on(thinpipe, count_runs, tmp_path, number):
    status, said = interrupted(tmp_path, number, 3)
    kept = finished(tmp_path)
    assert kept >= 3
    assert names(tmp_path) == ["s.parquet.partial"]
    if number == signal.SIGINT:
        assert (status, said) == (
            130,
            f"thinpipe: {kept} of 20 points are kept in s.parquet.partial; "
            "the same command goes on\n",
        )
    ran = count_runs(LONG)
    assert ran == 20 - kept
    assert names(tmp_path) == ["ran", "s.parquet"]
    after = digest(tmp_path / "s.parquet")
    assert thinpipe(*LONG).returncode == 0
    assert digest(tmp_path / "s.parquet") == after


COUNTING = """
from thinpipe.sweep import running
of, ran = running.metrics_of, []
running.metrics_of = lambda text: (ran.append(1), of(text))[1]
from thinpipe.cli.app import program
status = program()
open('ran', 'w').write(str(len(ran)))
raise SystemExit(status)
"""


@pytest.fixture
def count_runs(thinpipe, tmp_path, tmp_path_factory):
    """Run the program with a counter of finished points."""
    script = tmp_path_factory.mktemp("counting") / "count.py"
    script.write_text(COUNTING)

    def counted(arguments: tuple[str, ...]) -> int:
        done = thinpipe(*arguments, script=script)
        assert (done.returncode, done.stderr) == (0, "")
        return int((tmp_path / "ran").read_text())

    return counted


def test_what_has_changed_is_run_again(count_runs, tmp_path):
    interrupted(tmp_path, signal.SIGKILL, 3)
    changed = (*LONG, "--set", "tcp.mss=256 B", "--set", "flow.bytes=10 kB")
    assert count_runs(changed) == 20


def test_line_that_was_cut_off_is_no_row(count_runs, tmp_path):
    interrupted(tmp_path, signal.SIGKILL, 3)
    journal = tmp_path / "s.parquet.partial"
    whole = journal.read_bytes()
    journal.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 20])
    kept = finished(tmp_path)
    assert count_runs(LONG) == 20 - kept


def test_damaged_lines_are_no_rows_and_cost_no_others(count_runs, tmp_path):
    interrupted(tmp_path, signal.SIGKILL, 3)
    journal = tmp_path / "s.parquet.partial"
    first, second, third, *rest = journal.read_bytes().splitlines(keepends=True)
    changed = second.replace(b'"figures":{"', b'"figures":{"x', 1)
    journal.write_bytes(b"".join((first, changed, b"not a line\n", third, *rest)))
    kept = finished(tmp_path)
    assert count_runs(LONG) == 20 - (kept - 2)


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


OUT = ("--out", "s.parquet")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("--vary", "radio.tblr=0%,5%", *OUT),
            "--vary radio.tblr=0%: unknown key; did you mean radio.tbler?",
        ),
        (
            ("--vary", "radio.tbler", *OUT),
            "--vary radio.tbler: expected KEY=V1,V2,…, as in radio.tbler=0%,5%",
        ),
        (
            ("--vary", "radio.tbler=", *OUT),
            "--vary radio.tbler=: an empty value; expected values as in 1,2 or 1..10",
        ),
        (
            ("--vary", "radio.tbler=0%,,5%", *OUT),
            "--vary radio.tbler=0%,,5%: an empty value; expected values as in 1,2 or 1..10",
        ),
        (
            ("--vary", "radio.downlink.tti=10 ms,20 kB", *OUT),
            "--vary radio.downlink.tti=20 kB: unknown unit kB: a duration is in ns, us, µs, ms, s, "
            "min, h or d",
        ),
        (
            ("--vary", "tcp.window=4", "--vary", "tcp.window=8", *OUT),
            "--vary tcp.window=8: varied over 4 as well; once only",
        ),
        (
            ("--vary", "tcp.window=4,8", "--set", "tcp.window=16", *OUT),
            "--vary tcp.window=4: set to 16 as well; set or vary it",
        ),
        (
            ("--vary", "tcp.window=4", "--set", "tcp.mss=1", "--set", "tcp.mss=2", *OUT),
            "--set tcp.mss=2: set to 1 as well; give it once",
        ),
        (
            ("--vary", "tcp.window=4,8,4", *OUT),
            "--vary tcp.window=4,8,4: 4 stands there twice",
        ),
        (
            ("--vary", "radio.tbler=5 %,0.05", *OUT),
            "--vary radio.tbler=0.05: the same as 5 %, which is there too",
        ),
        (
            ("--vary", "flow.group.x.name=a,b", *OUT),
            "--vary flow.group.x.name=b: the table could not tell it from a: their runs have no "
            "such key",
        ),
        (
            (
                "--vary",
                "middlebox.kind=none,snoop",
                "--vary",
                "middlebox.snoop.tick=1ms,2ms",
                *OUT,
            ),
            "--vary middlebox.snoop.tick=2ms: the table could not tell it from 1ms: their runs "
            "have no such key",
        ),
        (
            ("--vary", "tcp.window=8..4", *OUT),
            "--vary tcp.window=8..4: a range goes upwards, as in 4..8",
        ),
        (
            ("--vary", 'link.schedule=[{at = "1 s"}', *OUT),
            '--vary link.schedule=[{at = "1 s"}: ] is missing',
        ),
        (
            ("--vary", "seed=1,2", *OUT),
            "--vary seed=1,2: seeds have an option of their own",
        ),
        (
            ("--vary", "tcp.window=4", "--seeds", "10..1", *OUT),
            "--seeds 10..1: a range goes upwards, as in 1..10",
        ),
        (
            ("--vary", "tcp.window=4", "--seeds", "1,-2", *OUT),
            "--seeds 1,-2: whole numbers from 0 are needed, as in 1..10 or 1,2,7",
        ),
        (
            ("--vary", "tcp.window=4", "--seeds", "1,2", "--set", "seed=3", *OUT),
            "--set seed=3: give a seed or seeds, not both",
        ),
        (
            ("--vary", "tcp.window=1..1000", "--seeds", "1..10000", *OUT),
            "the grid has 10,000,000 points; at most 1,000,000 run",
        ),
        (
            ("--vary", "tcp.window=4", "--set", "tcp.mss=1 kbit/s", *OUT),
            "--set tcp.mss=1 kbit/s: unknown unit kbit/s: a size is in B, kB, KiB, MB, MiB, GB "
            "or GiB",
        ),
        (
            ("--vary", "tcp.window=4", "--duration", "5", *OUT),
            "--duration 5: a duration needs its unit (ns, us, µs, ms, s, min, h or d), as in 5 s",
        ),
        (
            ("--vary", "tcp.window=4", "--measure", "rtt_s.men", *OUT),
            "--measure rtt_s.men: no figure of a run; did you mean rtt_s.mean?",
        ),
        (
            ("--vary", "flow.group.x.count=0,2", "--measure", "groups.y.share", *OUT),
            "--measure groups.y.share: no figure of a run; did you mean groups.x.share?",
        ),
        (
            ("--vary", "tcp.window=4", "--out", "s.txt"),
            "--out s.txt: must end in .parquet or .csv",
        ),
        (
            ("--vary", "tcp.window=4", "--out", "no/s.parquet"),
            "no: No such directory",
        ),
        (
            ("--vary", "tcp.window=4", "--jobs", "0", *OUT),
            "--jobs 0: must be a whole number from 1",
        ),
        (
            ("--vary", "tcp.window=4", "--jobs", "2", "--scheduler", "tcp://[::1]:9", *OUT),
            "--scheduler tcp://[::1]:9: its cluster needs no --jobs 2",
        ),
        (("--vary", "tcp.window=4"), "missing option '--out'; see `thinpipe sweep --help`"),
        (OUT, "missing option '--vary'; see `thinpipe sweep --help`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input(thinpipe, tmp_path, arguments, expected):
    check(thinpipe("sweep", "umts-dch-384", *arguments), expected)
    assert names(tmp_path) == []


def test_file_of_something_else_is_left_alone(thinpipe, tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "s.parquet")
    before = digest(tmp_path / "s.parquet")
    check(thinpipe(*SHORT), "s.parquet: is no sweep's file; choose another name")
    assert digest(tmp_path / "s.parquet") == before
    (tmp_path / "s.parquet").write_bytes(b"")
    check(thinpipe(*SHORT), "s.parquet: is no sweep's file; choose another name")


def test_journal_of_something_else_is_left_alone(thinpipe, tmp_path):
    (tmp_path / "s.parquet.partial").write_text("mine")
    check(thinpipe(*SHORT), "s.parquet.partial: stands in the way, and no sweep wrote it")
    assert (tmp_path / "s.parquet.partial").read_text() == "mine"


def test_two_sweeps_do_not_write_one_file(thinpipe, tmp_path):
    running = subprocess.Popen(
        [sys.executable, "-m", "thinpipe", *LONG],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not finished(tmp_path):
            time.sleep(0.01)
        check(thinpipe(*SHORT), "s.parquet.partial: another sweep is writing it")
    finally:
        running.kill()
        running.wait(30)


def test_file_says_what_it_is(thinpipe, tmp_path):
    assert thinpipe(*SHORT, "--set", "tcp.window=16").returncode == 0
    study = Study.read(tmp_path / "s.parquet")
    assert (study.scenario, study.varied) == ("umts-dch-384", ("tcp.variant", "radio.tbler"))
    assert study.units["radio.tbler"] == "share"
    assert study.units["tcp.mss"] == "B"
    assert study.about["set"] == [["tcp.window", "16"], ["duration", "5s"]]
    assert study.about["source"].startswith("# One file transfer")


def test_no_room_for_the_journal(tmp_path):
    command = f"ulimit -f 4; exec {sys.executable} -m thinpipe {' '.join(map(repr, SHORT))}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    check(done, "s.parquet.partial: File too large")
    assert "s.parquet" not in names(tmp_path)


def test_a_sweep_says_where_the_window_decides(thinpipe, tmp_path):
    """Reno and CUBIC are equal where both fill `tcp.window`."""
    common = ("--vary", "tcp.variant=reno,cubic", "--duration", "20s", "--out")
    said = thinpipe("sweep", "umts-dch-384", *common, str(tmp_path / "a.parquet")).stdout
    assert "tcp.window limits flow 0 for most of the time in 2 runs" in said
    free = ("--set", "tcp.window=1000", "--set", "queue.packets=15")
    said = thinpipe("sweep", "umts-dch-384", *free, *common, str(tmp_path / "b.parquet")).stdout
    assert "tcp.window" not in said
    group = ("--set", "flow.count=0", "--set", "flow.group.a.tcp.window=9")
    said = thinpipe("sweep", "umts-dch-384", *group, *common, str(tmp_path / "c.parquet")).stdout
    assert "flow.group.a.tcp.window limits flow 0 for most of the time in 2 runs" in said


MADE = "flow.group.far.delay=20 ms"
LINE = "flow.group.far is made by a setting: the scenario has none of that name"


@pytest.mark.parametrize(
    "command",
    [
        ("run", "plain-384", "--set", MADE, "--duration", "1s"),
        ("show", "plain-384", "--set", MADE),
        ("sweep", "plain-384", "--set", MADE, "--vary", "tcp.window=20,30", "--out", "s.csv",
         "--duration", "1s"),
        ("sweep", "plain-384", "--vary", "flow.group.far.delay=20 ms,30 ms", "--out", "s.csv",
         "--duration", "1s"),
    ],
    ids=["run", "show", "sweep", "vary"],
)  # fmt: skip
def test_a_group_that_a_setting_makes_is_said_first(thinpipe, command):
    made = thinpipe(*command)
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[0] == LINE
    assert made.stdout.count("is made by a setting") == 1


@pytest.mark.parametrize("command", ["run", "show"])
def test_groups_of_the_scenario_are_not_announced(thinpipe, command):
    more = ("--duration", "1s") if command == "run" else ()
    known = thinpipe(command, "rtt-unfairness", "--set", "flow.group.far.delay=20 ms", *more)
    assert known.returncode == 0, known.stderr
    assert "is made by" not in known.stdout
