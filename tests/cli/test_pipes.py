"""``thinpipe pipes``: networks by name."""

import json

import pytest
import thinpipe as tp


def test_a_name_is_shown_beside_others_with_that_word(thinpipe, tmp_path):
    picture = tmp_path / "3g.png"
    done = thinpipe("pipes", "3g", "--plot", str(picture))
    assert (done.returncode, done.stderr) == (0, "")
    first, *others = done.stdout.splitlines()
    assert first.startswith("3g: HSDPA")
    names = {line.split(" ", 1)[0] for line in others}
    assert {name for name in tp.pipes() if name.endswith(":3g")} <= names
    assert "chrome:slow-4g" in names, "once Fast 3G"
    assert "webpagetest:cable" not in names
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_one_name_has_its_source(thinpipe):
    done = thinpipe("pipes", "apple:3g")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no text of Apple's was found, read 2026-11, second-hand\n" in done.stdout
    assert "\nThe radio that it stands for, live: 3g, which is hsdpa-3.6.\n" in done.stdout
    assert done.stdout.startswith("apple:3g: 3G of Apple Network Link Conditioner\n")


def test_the_list_has_all_names_and_profiles(thinpipe):
    done = thinpipe("pipes")
    assert (done.returncode, done.stderr) == (0, "")
    beginnings = {line.split(" ", 1)[0] for line in done.stdout.splitlines()}
    assert {*tp.pipes(), *tp.scenarios(), *tp.profiles()} <= beginnings


def test_a_program_reads_figures_and_sources(thinpipe):
    done = thinpipe("pipes", "firefox:gprs", "--json")
    rows = json.loads(done.stdout)
    row = next(row for row in rows if row["name"] == "firefox:gprs")
    assert row["down"] == {"rate_bps": 51200, "delay_s": 0.25, "jitter_s": 0, "loss": 0}
    assert (row["kind"], row["second_hand"], row["title"]) == ("pipe", False, "GPRS")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("pipes", "3gg"), "no pipe has '3gg' in its name or description; did you mean 3g?"),
        (
            ("pipes", "qqq"),
            "no pipe has 'qqq' in its name or description; `thinpipe pipes` lists all",
        ),
        (
            ("pipes", "lte-cat4", "--plot", "x.png"),
            "--plot x.png: nothing to draw: no pipe with figures is listed",
        ),
        (("pipes", "3g", "--plot", "x.gif"), None),
        (
            ("run", "webpagtest:3g"),
            "unknown scenario 'webpagtest:3g': neither a file nor one that ships; "
            "did you mean webpagetest:3g?",
        ),
        (("run", "chrome:offline"), "chrome:offline: no pipe is made of it, as it passes nothing"),
    ],
)
def test_what_is_wrong_is_one_line(thinpipe, arguments, line):
    done = thinpipe(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    if line is not None:
        assert done.stderr == f"thinpipe: {line}\n"


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("thinpipe|run|webpagetest|:|3g-s", ["3g-slow"]),
        ("thinpipe|emulate|webpagetest|:", None),
        (
            "thinpipe|run|chrome|:|fast-4g|--set|link.jitter_o",
            ["link.jitter_order=kept", "link.jitter_order=free"],
        ),
    ],
)
def test_bash_completes_names_although_it_divides_them(thinpipe, monkeypatch, typed, completed):
    monkeypatch.setenv("_THINPIPE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed.replace("|", "\n"))
    monkeypatch.setenv("COMP_CWORD", str(typed.count("|")))
    every = [name.partition(":")[2] for name in tp.pipes() if name.startswith("webpagetest:")]
    assert thinpipe().stdout.splitlines() == (every if completed is None else completed)
