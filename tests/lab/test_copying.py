"""What the page offers to copy gives the numbers that the page shows."""

import json
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import thinpipe as tp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from thinpipe.inputs import values_of
from thinpipe.lab.catalogue import Catalogue, Opened
from thinpipe.lab.copying import as_command, as_python, as_sweep, as_toml, copies, keys_of
from thinpipe.lab.experiment import Laboratory
from thinpipe.lab.opening import opening_of
from thinpipe.lab.request import Request
from thinpipe.point import Point
from thinpipe.run import run_point
from thinpipe.scenario import Scenario
from thinpipe.scenario import keys as all_keys
from thinpipe.sweep.grid import Grid
from thinpipe.sweep.plan import Plan

SHIPPED = list(tp.scenarios())

STATES = [
    ("umts-dch-384", {"duration": "5s"}, [{"tcp.variant": "reno"}, {"tcp.variant": "vegas"}]),
    ("umts-dch-384", {"duration": "5s", "seed": "42"}, [{"radio.tbler": "5 %"}, {}]),
    (
        "umts-dch-384",
        {"duration": "8s", "wired.Gi.delay": "40 ms", "tcp.sack": "true"},
        [{"radio.schedule": '[{at = "2 s", coverage = false}, {at = "4 s", coverage = true}]'}],
    ),
    ("plain-384", {"duration": "5s", "link.drop_arrivals": "[14, 28]"}, [{}]),
    ("hmipv6-handover", {"duration": "5s"}, [{"queue.packets": "20"}]),
    ("gprs-3+1", {"duration": "5s", "queue.packets": "unlimited"}, [{}]),
]


def laboratory(name, opened=None) -> Laboratory:
    return Laboratory(Catalogue({name: opened} if opened else {}))


def answer(lab: Laboratory, scenario: str, given, variants):
    request = Request.of({"scenario": scenario, "set": given, "variants": variants})
    return {**lab.answer(request, lambda: False), "copy": copies(lab, request)}


def shown(page_run):
    return [(tuple(table["columns"]), table["rows"]) for table in page_run["tables"]]


def printed(done):
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def check_command(thinpipe, line: str, page_run) -> None:
    """The cells of the page's tables stand in what a command prints, in their order."""
    words = shlex.split(line)
    assert words[0] == "thinpipe"
    text = printed(thinpipe(*words[1:])).split()
    cells = [
        word
        for table in page_run["tables"]
        for row in table["rows"]
        for cell in row
        for word in cell.split()
    ]
    rest = iter(text)
    assert all(cell in rest for cell in cells), (cells, text)
    result = json.loads(printed(thinpipe(*words[1:], "--json")))
    goodputs = [flow["goodput_bps"] for flow in result["flows"]]
    assert sum(each for each in goodputs if each is not None) == page_run["goodput_bps"]


@pytest.mark.parametrize(("scenario", "given", "variants"), STATES)
def test_command_prints_what_the_page_shows(thinpipe, scenario, given, variants):
    found = answer(laboratory(scenario), scenario, given, variants)
    lines = found["copy"]["command"].splitlines()
    assert len(lines) == len(variants)
    for line, page_run in zip(lines, found["runs"], strict=True):
        check_command(thinpipe, line, page_run)


@pytest.mark.parametrize(("scenario", "given", "variants"), STATES)
def test_toml_is_a_file_that_runs_alike(thinpipe, tmp_path, scenario, given, variants):
    found = answer(laboratory(scenario), scenario, given, variants)
    (tmp_path / "taken.toml").write_text(found["copy"]["toml"])
    check_command(thinpipe, "thinpipe run taken.toml", found["runs"][0])


@pytest.mark.parametrize(("scenario", "given", "variants"), STATES[:3])
def test_program_has_the_same_goodput(tmp_path, scenario, given, variants):
    found = answer(laboratory(scenario), scenario, given, variants)
    program = found["copy"]["python"] + "\nprint([run.flows[0].goodput_bps for run in runs])\n"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout.splitlines()[-1])
    assert said == [run["goodput_bps"] for run in found["runs"]]


def planned(line):
    """Return the plan of a `thinpipe sweep`."""
    words = shlex.split(line)
    assert words[:2] == ["thinpipe", "sweep"]
    options = list(zip(words[3::2], words[4::2], strict=True))
    pairs = [(name, *text.partition("=")[::2]) for name, text in options]
    given = tuple((key, text) for name, key, text in pairs if name == "--set")
    vary = [(key, text) for name, key, text in pairs if name == "--vary"]
    return Plan.of(words[2], given, Grid.of(vary, dict(options)["--seeds"]))


def check_sweep(points) -> None:
    """The grids have all points, each once, and ten seeds or more of each."""
    plans = [planned(line) for line in as_sweep(points).splitlines()]
    runs = [values_of(job.point) for plan in plans for job in plan.jobs()]
    for point in points:
        assert values_of(point) in runs
    assert len(runs) >= 10


@pytest.mark.parametrize(
    "variants",
    [
        [{}],
        [{}, {}],
        [{"tcp.variant": "reno"}, {}],
        [{"radio.tbler": "5%"}, {"radio.tbler": "0.05"}, {"radio.tbler": "10 %"}],
        [{"seed": "4"}, {"seed": "99"}],
        [{"radio.spikes": '[{at = "1 s", lasts = "1 s"}]'}, {"radio.spikes": "[]"}],
        [{"tcp.variant": "vegas", "queue.packets": "5"}, {"tcp.variant": "reno"}],
        [{"radio.downlink.sf": "16"}, {"radio.downlink.rate": "240 kbit/s"}],
        [{f"{key}": str(n) for key in ("tcp.window", "tcp.initial_window")} for n in (4, 5, 6, 7)],
        [
            {"tcp.window": str(n), "queue.packets": str(n), "wired.Gi.delay": f"{n} ms"}
            for n in (4, 5, 6)
        ],
        [{"tcp.min_rto": "1 s", "tcp.max_rto": "4 s"}, {"tcp.min_rto": "5 s", "tcp.max_rto": "9s"}],
    ],
    ids=str,
)
def test_sweep_has_the_variants(variants):
    check_sweep([Point.of("umts-dch-384", each) for each in variants])


def test_a_value_with_commas_is_one_value():
    where = ["100 m, 0 m", "200 m, 0 m"]
    points = [Point.of("umts-handover", {"radio.ue.walker.position": each}) for each in where]
    check_sweep(points)


def values_by_key():
    """Return for each key the values that it has in any scenario that ships, and its words."""
    found = defaultdict[str, dict[str, None]](dict)
    for name in SHIPPED:
        for key, text in values_of(Point.of(name)).items():
            found[key][text] = None
    for known in all_keys():
        if len(known.words) < 12:
            found[known.name].update(dict.fromkeys(known.words))
    return {key: list(texts) for key, texts in found.items() if texts}


VALUES = values_by_key()

chosen = st.sampled_from(sorted(VALUES.keys() - {"name", "duration"})).flatmap(
    lambda key: st.tuples(st.just(key), st.sampled_from(VALUES[key]))
)


@settings(max_examples=150)
@example("bbr-beside-cubic", [("flow.group.NAME.peer.tcp.spacing_rtt", "base")])
@example(
    "bottleneck",
    [
        ("flow.group.NAME.peer.tcp.initial_ssthresh", "window"),
        ("flow.group.NAME.tcp.prr_after_marks", "true"),
    ],
)
@given(st.sampled_from(SHIPPED), st.lists(chosen, min_size=1, max_size=4, unique_by=lambda x: x[0]))
def test_toml_runs_as_the_settings(name, pairs):
    try:
        point = Point.of(name, {**dict(pairs), "duration": "1 s"})
        wanted = values_of(point)
    except tp.ScenarioError:
        return
    taken = Scenario(name, as_toml(point))
    # What is of a kind that is not in use may be set, but cannot stand in a file.
    left = {*keys_of(point.scenario.to_dict()), *dict(pairs)} - {*keys_of(taken.to_dict())}
    # Nor does a group's receivers' endpoint inherit it then.
    left |= {key.replace(".tcp.", ".peer.tcp.") for key in left if key.startswith("flow.group.")}
    found = values_of(Point(taken))
    # With the only key of a group's endpoints go the values of their others.
    endpoints = tuple(f"{key.partition('.tcp.')[0]}.tcp." for key in left if ".tcp." in key)
    assert all(key.startswith(endpoints) for key in wanted.keys() ^ found.keys())
    wanted = {key: text for key, text in wanted.items() if key in found}
    assert {key: text for key, text in wanted.items() if found[key] != text}.keys() <= left
    # The files without end of a new group stand still over a link without a rate.
    is_endless = wanted.get("link.rate") == "unlimited" and any("group" in key for key, _ in pairs)
    numbers = ("flow.count", "radio.ues", "wlan.mobiles")
    if not is_endless and all(int(wanted.get(key, "1")) < 100 for key in numbers):
        results = [
            run_point(each).to_dict() | {"settings": {}, "hints": [], "made": []}
            for each in (point, Point(taken))
        ]
        assert results[0] == results[1]


def test_toml_of_text_that_looks_like_a_number():
    point = Point.of("plain-384", {"description": "1e3", "reference": "true", "seed": "'7'"})
    assert values_of(Point(Scenario("plain-384", as_toml(point)))) == values_of(point)


def test_toml_of_members_of_a_list(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        tp.scenarios()["plain-384"].source.replace("[flow]", "[flow]\n# none of the group's")
        + '\n[[flow.group]]\nname = "a"\ncount = 1\n[[flow.group]]\nname = "b"\ncount = 1\n'
    )
    point = Point.of(file, {"flow.group.b.count": "3", "flow.group.a.bytes": "20 kB"})
    assert values_of(Point(Scenario(str(file), as_toml(point)))) == values_of(point)


def test_an_opened_file_is_named_as_it_was_given(thinpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("of mine").mkdir()
    Path("of mine", "a.toml").write_text(tp.scenarios()["plain-384"].source)
    opening = opening_of("of mine/a.toml", {"duration": "3s"})
    found = answer(laboratory(opening.name, opening.opened), opening.name, {}, [{}])
    assert found["copy"]["command"] == "thinpipe run 'of mine/a.toml' --set duration=3s"
    check_command(thinpipe, found["copy"]["command"], found["runs"][0])
    Path("of mine", "a.toml").write_text(tp.scenarios()["link"].source)
    found = answer(laboratory(opening.name, opening.opened), opening.name, {}, [{}])
    assert found["copy"]["command"].startswith("# 'of mine/a.toml' is not what the lab has opened")


def test_a_file_beside_an_opened_one(thinpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("of mine").mkdir()
    Path("of mine", "a.trace").write_text("".join(f"{5 * each}\n" for each in range(1, 400)))
    text = tp.scenarios()["plain-384"].source.replace("rate =", "# rate =")
    Path("of mine", "a.toml").write_text(f'{text}\n[link.trace]\ndown = "a.trace"\n')
    opening = opening_of("of mine/a.toml", {"duration": "3s"})
    found = answer(laboratory(opening.name, opening.opened), opening.name, {}, [{}])
    check_command(thinpipe, found["copy"]["command"], found["runs"][0])
    Path("taken.toml").write_text(found["copy"]["toml"])
    check_command(thinpipe, "thinpipe run taken.toml", found["runs"][0])


def test_a_saved_run_is_spelled_out(thinpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    args = ("--duration", "3s", "--set", "tcp.variant=vegas", "--seed", "9")
    assert thinpipe("run", "umts-dch-384", *args, "--out", "saved").returncode == 0
    opening = opening_of("saved", {})
    found = answer(laboratory(opening.name, opening.opened), opening.name, {}, [{}])
    command = found["copy"]["command"]
    assert command.startswith("thinpipe run umts-dch-384 --set tcp.variant=vegas")
    check_command(thinpipe, command, found["runs"][0])


def test_a_saved_run_of_a_file_that_has_gone(thinpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(tp.scenarios()["plain-384"].source)
    assert thinpipe("run", "mine.toml", "--duration", "3s", "--out", "saved").returncode == 0
    Path("mine.toml").unlink()
    opening = opening_of("saved", {})
    found = answer(laboratory(opening.name, opening.opened), opening.name, {}, [{}])
    assert found["copy"]["command"] == "thinpipe run saved/scenario.toml --set duration=3s"
    check_command(thinpipe, found["copy"]["command"], found["runs"][0])


def test_a_controller_of_a_file(thinpipe, mine, monkeypatch):
    monkeypatch.chdir(mine.parent)
    opening = opening_of("plain-384", {"tcp.congestion_control": "mine.py:Mine", "duration": "3s"})
    lab = laboratory(opening.name, opening.opened)
    found = answer(lab, opening.name, {}, [{}, {"tcp.congestion_control": "reno"}])
    first, second = found["copy"]["command"].splitlines()
    assert "tcp.congestion_control=mine.py:Mine" in first
    assert "tcp.congestion_control=reno" in second
    check_command(thinpipe, first, found["runs"][0])
    check_command(thinpipe, second, found["runs"][1])
    remark, *rest = found["copy"]["toml"].splitlines()
    assert remark == "# run it with --set tcp.congestion_control=mine.py:Mine"
    assert not any("mine" in line for line in rest)
    points = [Point.of("plain-384", {"tcp.congestion_control": "mine.py:Mine"})]
    assert "mine.py:Mine" in as_python(points)
    assert "mine.py:Mine" in as_command(points)
    assert "mine.py:Mine" in as_sweep(points)


def test_program_of_equal_variants_prints_them():
    scope: dict[str, Any] = {}
    exec(as_python([Point.of("plain-384", {"duration": "1s"})] * 2), scope)
    assert isinstance(tp.frame(scope["runs"]), pl.DataFrame)


def test_opened_settings_stand_in_every_copy():
    opened = Opened(tp.scenarios()["plain-384"], (("duration", "2s"),))
    found = answer(laboratory("mine", opened), "mine", {"seed": "5"}, [{}])
    assert found["duration_s"] == 2
    for name in ("command", "toml", "python", "sweep"):
        assert "2s" in found["copy"][name]
