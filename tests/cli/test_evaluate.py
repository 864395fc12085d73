"""``thinpipe evaluate`` from end to end, with criteria of one's own."""

import hashlib
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from thinpipe.sweep.study import Study

BLOAT = """
section = "5.1.2"
asks = "A sender keeps queues short."
read = "The deeper the queue, the longer the wait."
set.duration = "5 s"
set.flow.bytes = "unlimited"
set.link = { rate = "2 Mbit/s", delay = "20 ms", loss = "1 %" }
vary."queue.packets" = [10, 40]
full.vary."queue.packets" = [10, 20, 40]

[[pipe]]
scenario = "link"

[[pipe]]
scenario = "mine.toml"

[[measure]]
name = "goodput"
of = "goodput_bps"
better = "more"

[[measure]]
name = "sent again"
of = "retransmits"
per = "segments_sent"
better = "less"
"""

MINE = """
duration = "5 s"
[tcp]
profile = "modern"
[link]
delay = "5 ms"
"""

BESIDE = """
section = "5.2.1"
asks = "No harm."
read = "Harm is what the CUBIC flow loses."
controller = ["flow.tcp"]
always = ["cubic"]
set.duration = "10 s"
set.flow.bytes = "unlimited"
set.flow.start = "spread over 1 s"
set.flow.group.standard.bytes = "unlimited"
set.flow.group.standard.tcp.congestion_control = "cubic"
set.link = { rate = "2 Mbit/s", delay = "20 ms" }
set.queue.packets = 20

[[pipe]]
scenario = "link"

[[measure]]
name = "harm to goodput"
of = "groups.standard.goodput_bps"
better = "more"
without = { flow.count = 0 }

[[measure]]
name = "share"
of = "groups.standard.share"
unit = "share"
better = "neither"
"""

REASON = """
section = "7.10"
asks = "Harm by several paths."
reason = "a connection has one path."
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    """Write a folder of criteria, ``own``."""
    own: Path = tmp_path / "own"
    own.mkdir()
    (own / "7.10-paths.toml").write_text(REASON)
    (own / "5.1.2-bloat.toml").write_text(BLOAT.replace("mine.toml", "pipes/mine.toml"))
    (own / "5.2.1-beside.toml").write_text(BESIDE)
    (own / "pipes").mkdir()
    (own / "pipes" / "mine.toml").write_text(MINE)
    return own


pytestmark = pytest.mark.usefixtures("folder")

TINY = (
    "evaluate", "vegas", "--beside", "reno", "--folder", "own", "--seeds", "1..3", "--out", "e",
)  # fmt: skip


def found(tmp_path):
    return json.loads((tmp_path / "e" / "evaluation.json").read_text())["criteria"]


def digests(directory: Path) -> dict[str, str]:
    return {
        each.name: hashlib.sha256(each.read_bytes()).hexdigest()
        for each in sorted(directory.iterdir())
    }


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


def test_page_and_data_have_all_criteria(thinpipe, folder, tmp_path):
    bloat = folder / "5.1.2-bloat.toml"
    bloat.write_text(f"drawn = true\n{bloat.read_text()}")
    harm = "without = { flow.count = 0 }\n"
    (folder / "5.2.1-beside.toml").write_text(BESIDE.replace(harm, f"{harm}drawn = true\n"))
    done = thinpipe(*TINY)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout == "vegas by RFC 9743: 36 runs, 2 of 3 criteria measured; e/evaluation.html\n"
    )
    bloat, beside, paths = found(tmp_path)
    assert [each["section"] for each in (bloat, beside, paths)] == ["5.1.2", "5.2.1", "7.10"]
    assert (paths["reason"], paths["lines"]) == ("a connection has one path.", [])
    assert [(each["scenario"], each["varied"], each["measure"]) for each in bloat["lines"]] == [
        (pipe, {"queue.packets": packets}, measure)
        for pipe in ("link", "own/pipes/mine.toml")
        for packets in ("10", "40")
        for measure in ("goodput", "sent again")
    ]
    for line in bloat["lines"]:
        assert list(line["results"]) == ["vegas", "reno"]
        for result in line["results"].values():
            assert len(result["values"]) == 3
            assert result["low"] <= result["mean"] <= result["high"]
    page = (tmp_path / "e" / "evaluation.html").read_text()
    for text in ("A sender keeps queues short.", "a connection has one path.", "harm to goodput"):
        assert text in page
    for picture in ("throughput-delay", "harm-5.2.1-beside"):
        assert f'src="{picture}.png"' in page
        assert (tmp_path / "e" / f"{picture}.csv").read_text().count("\n") > 10
    assert "://" not in page
    assert not (tmp_path / "e.runs.partial").exists()


def test_figures_are_those_of_the_commands_beside_them(thinpipe, tmp_path):
    assert thinpipe(*TINY).returncode == 0
    bloat, _, _ = found(tmp_path)
    [command] = [each["command"] for each in bloat["commands"] if each["of"] == "vegas"][:1]
    assert thinpipe(*shlex.split(command)[1:]).returncode == 0
    runs = Study.read(tmp_path / "runs.parquet").complete
    ten = runs.filter(pl.col("queue.packets") == 10)
    goodput, again = bloat["lines"][:2]
    assert goodput["results"]["vegas"]["values"] == ten["goodput_bps"].to_list()
    sent = (ten["retransmits"] / ten["segments_sent"]).to_list()
    assert again["results"]["vegas"]["values"] == sent


def test_harm_is_between_runs_with_and_without(thinpipe, tmp_path):
    assert thinpipe(*TINY).returncode == 0
    _, beside, _ = found(tmp_path)
    with_vegas, alone = (
        [each["command"] for each in beside["commands"] if each["of"].startswith(of)]
        for of in ("vegas", "without")
    )
    assert thinpipe(*shlex.split(with_vegas[0])[1:]).returncode == 0
    y = Study.read(tmp_path / "runs.parquet").complete["groups.standard.goodput_bps"]
    assert thinpipe(*shlex.split(alone[0])[1:]).returncode == 0
    x = Study.read(tmp_path / "runs.parquet").complete["total.goodput_bps"]
    harm, share = beside["lines"]
    assert list(harm["results"]) == ["vegas", "reno", "cubic"]
    assert harm["harm_without"] == {"flow.count": "0"}
    assert harm["results"]["vegas"]["values"] == pytest.approx(((x - y) / x).to_list())
    assert share["harm_without"] is None
    assert all(0 < value < 1 for value in share["results"]["cubic"]["values"])


@pytest.mark.usefixtures("mine")
def test_a_class_of_ones_own_and_keys_of_its_endpoints(thinpipe, tmp_path):
    """The runs of the others are kept: only those of the class are new."""
    assert thinpipe(*TINY).returncode == 0
    own = ("evaluate", "mine.py:Mine", *TINY[2:], "--set", "tcp.initial_window=4")
    done = thinpipe(*own)
    assert (done.returncode, done.stderr) == (0, "")
    bloat, beside, _ = found(tmp_path)
    name = "mine, initial_window=4"
    assert list(bloat["lines"][0]["results"]) == [name, "reno"]
    commands = [each["command"] for each in beside["commands"] if each["of"] == name]
    assert "--vary flow.tcp.congestion_control=mine.py:Mine" in commands[0]
    assert "--set flow.tcp.initial_window=4" in commands[0]
    assert thinpipe(*shlex.split(commands[0])[1:]).returncode == 0


def test_one_with_other_keys_is_another(thinpipe, tmp_path):
    chosen = ("--criteria", "5.2.1", "--seeds", "1")
    own = ("evaluate", "cubic", "--beside", "cubic", "--set", "tcp.initial_window=2", *TINY[4:6])
    assert thinpipe(*own, *chosen, "--out", "e").returncode == 0
    [beside] = found(tmp_path)
    assert list(beside["lines"][0]["results"]) == ["cubic, initial_window=2", "cubic"]
    assert (
        thinpipe(
            "evaluate", "cubic", "--beside", "cubic", *own[6:], *chosen, "--out", "e"
        ).returncode
        == 0
    )
    [beside] = found(tmp_path)
    assert list(beside["lines"][0]["results"]) == ["cubic"]


def test_same_bytes_on_any_number_of_threads(thinpipe, tmp_path):
    seen = []
    for jobs in ("1", "2"):
        assert thinpipe(*TINY, "--jobs", jobs).returncode == 0
        files = digests(tmp_path / "e")
        page = (tmp_path / "e" / "evaluation.html").read_text().replace(f"--jobs {jobs}", "")
        assert not {"evaluation.html", "evaluation.json", "runs.jsonl"} - set(files)
        for name in ("evaluation.html", "thinpipe.sha256"):  # the command is in the page
            del files[name]
        seen.append((files, page))
        for file in (tmp_path / "e").iterdir():
            file.unlink()
    assert seen[0] == seen[1]


def test_interrupted_evaluation_goes_on(thinpipe, folder, tmp_path):
    longer = BLOAT.replace('"5 s"', '"200 s"').replace("mine.toml", "pipes/mine.toml")
    (folder / "5.1.2-bloat.toml").write_text(longer)
    assert thinpipe(*TINY).returncode == 0
    expected = digests(tmp_path / "e")
    for file in (tmp_path / "e").iterdir():
        file.unlink()
    journal = tmp_path / "e.runs.partial"
    process = subprocess.Popen(
        [sys.executable, "-m", "thinpipe", *TINY, "--jobs", "1"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    patience = time.monotonic() + 300
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < patience
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 128 + signal.SIGINT
    kept = re.fullmatch(
        r"thinpipe: (\d+) of 36 points are kept in e\.runs\.partial; the same command goes on\n",
        said,
    )
    assert kept is not None
    assert len(journal.read_bytes().splitlines()) == 1 + int(kept[1])
    assert thinpipe(*TINY).returncode == 0
    assert digests(tmp_path / "e") == expected
    assert not journal.exists()


def test_damaged_runs_are_refused(thinpipe, tmp_path):
    assert thinpipe(*TINY).returncode == 0
    (tmp_path / "e" / "runs.jsonl").write_bytes(b"")
    reason = "holds 'runs.jsonl', changed since a run wrote it; choose another directory"
    check(thinpipe(*TINY), f"e: {reason}")


def test_listing_names_criteria_and_pipes(thinpipe):
    done = thinpipe("evaluate", "--list", "--folder", "own")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "5.1.2  Protection against bufferbloat: link, own/pipes/mine.toml",
        "5.2.1  Existing general-purpose congestion control: link",
        "7.10   Multipath transport: no runs, a connection has one path.",
    ]
    shipped = thinpipe("evaluate", "--list").stdout
    assert "7.5    Paths with high delay: satellite-geo, leo-15s\n" in shipped


def test_sections_and_bearers_are_chosen(thinpipe):
    tiny = (*TINY[:6], "--out", "e", "--seeds", "1")
    chosen = ("--criteria", "5.1,7.10", "--bearers", "link")
    assert thinpipe(*tiny, *chosen).stdout.startswith("vegas by RFC 9743: 4 runs, 1 of 2")
    assert thinpipe(*tiny, "--full").stdout.startswith("vegas by RFC 9743: 16 runs")


NAMED = """
import thinpipe as tp
class Reno(tp.CongestionControl):
    def on_ack(self, ack): ...
    def on_loss(self, loss): ...
"""

BAD = {
    ("evaluate",): "CONTROLLER is missing; see `thinpipe evaluate --help`",
    ("evaluate", "vegass"): "vegass: neither a congestion control that ships nor FILE.py:CLASS; "
    "did you mean vegas?",
    (
        "evaluate",
        "vegas",
        "--beside",
        "renno",
    ): "--beside renno: neither a congestion control that ships nor FILE.py:CLASS; did you mean "
    "reno?",
    ("evaluate", "variant"): "variant: neither a congestion control that ships nor FILE.py:CLASS; "
    "those that ship are tahoe, reno, vegas, westwood, cubic, bbr, wtcp, dctcp, prague, copa",
    ("evaluate", "vegas", "--beside", "reno,"): "--beside reno,: an empty name; expected names as "
    "in a,b",
    (
        "evaluate",
        "none.py:Mine",
    ): "none.py:Mine: cannot read none.py: No such file or directory",
    (
        "evaluate",
        "named.py:Reno",
    ): "named.py:Reno: 'reno' ships; give Reno a name of its own",
    ("evaluate", "vegas", "--bearers", "lnk", "--folder", "own"): "--bearers lnk: no pipe lnk; did "
    "you mean link?",
    ("evaluate", "vegas", "--criteria", "9", "--folder", "own"): "--criteria 9: no section 9; see "
    "`thinpipe evaluate --list`",
    ("evaluate", "vegas", "--folder", "none"): "none: No such file or directory",
    ("evaluate", "vegas", "--folder", "empty"): "empty: has no files of criteria, as "
    "SECTION-NAME.toml",
    (
        "evaluate",
        "vegas",
        "--seeds",
        "x",
    ): "--seeds x: whole numbers from 0 are needed, as in 1..10 or 1,2,7",
    (
        "evaluate",
        "vegas",
        "--set",
        "ecn=accurate",
    ): "--set ecn=accurate: expected a key of [tcp], as in tcp.ecn",
    (
        "evaluate",
        "vegas",
        "--set",
        "tcp.congestion_control=reno",
    ): "--set tcp.congestion_control=reno: CONTROLLER vegas says that",
    (
        "evaluate",
        "vegas",
        "--set",
        "tcp.mss=70000 B",
    ): "--set tcp.mss=70000 B: must be a size from 1 B to 65495 B",
    (
        "evaluate",
        "vegas",
        "--criteria",
        "5.2.1",
        "--set",
        "tcp.windw=9",
    ): "--set tcp.windw=9: unknown key; did you mean tcp.window?",
    (
        "evaluate",
        "prague",
        "--set",
        "tcp.ecn=off",
    ): "prague, ecn=off: prague answers the share of marks: tcp.ecn must be accurate (RFC 9768)",
    ("evaluate", "vegas", "--jobs", "2", "--scheduler", "tcp://h:1"): "--scheduler tcp://h:1: its "
    "cluster needs no --jobs 2",
}


@pytest.mark.parametrize("arguments", BAD)
def test_bad_input_is_one_line(thinpipe, tmp_path, arguments):
    (tmp_path / "empty").mkdir()
    (tmp_path / "named.py").write_text(NAMED)
    check(thinpipe(*arguments), BAD[arguments])


BROKEN = {
    f"{BESIDE}drawn = true": "drawn: is for a harm, which has without",
    "section = 5": "section = 5: must be a text",
    "x": "not TOML: Expected '=' after a key in a key/value pair (at end of document)",
    'asks = "a"': "lacks 'section'",
    'section = "five"\nasks = "a"': "section = 'five': expected that of the RFC, as in '5.1.2'",
    'section = "5.1.1"\nasks = "a"': "needs either a reason, or read, [[pipe]] and [[measure]]",
    REASON.replace("reason", "raeson"): "unknown key 'raeson'; did you mean reason?",
    BESIDE.replace(
        'scenario = "link"', 'scenario = "lnk"'
    ): "unknown scenario 'lnk': neither a file nor one that ships; did you mean link?",
    BESIDE.replace("groups.standard.share", "groups.standard.shar"): "no measure "
    "'groups.standard.shar'; did you mean groups.NAME.share?",
    BESIDE.replace(
        'better = "neither"', 'better = "most"'
    ): "better = 'most': must be more, less or neither",
    BESIDE.replace(
        'always = ["cubic"]', 'always = ["cubik"]'
    ): "cubik: neither a congestion control that ships nor FILE.py:CLASS; did you mean cubic?",
}


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_broken_file_is_one_line(thinpipe, folder, text):
    (folder / "5.2.1-beside.toml").write_text(text)
    done = thinpipe(*TINY)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"5.2.1-beside.toml: {BROKEN[text]}\n")
    assert done.stderr.startswith("thinpipe: own/5.2.1-beside.toml: ")


def test_wrong_setting_of_a_file_is_one_line(thinpipe, folder):
    (folder / "5.2.1-beside.toml").write_text(BESIDE.replace("queue.packets", "queue.pakets"))
    done = thinpipe(*TINY)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("thinpipe: own/5.2.1-beside.toml: queue.pakets=20: ")
    assert done.stderr.count("\n") == 1


def test_directory_may_be_in_a_new_one(thinpipe, tmp_path):
    done = thinpipe(*TINY[:-1], "new/e", "--criteria", "7.10")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "new" / "e" / "evaluation.html").exists()


def test_error_of_a_class_is_one_line(thinpipe, tmp_path):
    (tmp_path / "wrong.py").write_text(
        NAMED.replace("Reno", "Wrong").replace("ack): ...", "ack): 1 / 0", 1)
    )
    done = thinpipe("evaluate", "wrong.py:Wrong", *TINY[2:])
    assert done.returncode == 2
    assert done.stderr.endswith("wrong.py:4: ZeroDivisionError: division by zero\n")
    assert done.stderr.count("\n") == 1


def test_directory_with_other_files_is_left_alone(thinpipe, tmp_path):
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "notes.txt").write_text("mine")
    check(thinpipe(*TINY), "e: holds 'notes.txt', which no run wrote; choose another directory")
