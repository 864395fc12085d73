"""``thinpipe reproduce`` from end to end."""

import io
import json
import time

import pytest
from rich.console import Console
from thinpipe.cli.findings import print_facts
from thinpipe.papers import papers
from thinpipe.papers.facts import Finding


def test_listing_names_paper_and_items(thinpipe):
    done = thinpipe("reproduce", "--list")
    assert done.returncode == 0
    for item in ("5a", "5b", "6a", "6b", "7a", "7b", "equations", "triggers"):
        assert f"  lo2005/{item} " in done.stdout


def test_item_alone_writes_its_report(thinpipe, tmp_path):
    done = thinpipe("reproduce", "lo2005/6a", "--out", "result", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)["papers"][0]["facts"]
    assert {fact["item"] for fact in facts} == {"6a"}
    assert all(fact["verdict"] == "holds" for fact in facts)
    assert all(len(fact["values"]) == 10 for fact in facts)
    report = (tmp_path / "result" / "report.html").read_text()
    assert "<svg" in report
    assert 'id="rtt-vegas-5-least"' in report
    assert "http" not in report.replace("http://www.w3.org", "")
    assert (tmp_path / "result" / "lo2005-6a.png").stat().st_size > 10_000


def test_directory_is_refused_before_anything_runs(thinpipe, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    for out in ("file", "full", "file/below"):
        start = time.monotonic()
        done = thinpipe("reproduce", "--out", out)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert time.monotonic() - start < 5
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "full"]


def test_directory_is_that_of_the_last_report(thinpipe, tmp_path):
    for item in ("6a", "6b"):
        assert thinpipe("reproduce", f"lo2005/{item}", "--out", "result").returncode == 0
    names = {each.name for each in (tmp_path / "result").iterdir()}
    assert {"report.html", "lo2005-6b.png"} <= names
    assert "lo2005-6a.png" not in names


@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_id_or_number_is_cut(width):
    findings = [Finding(fact, (12345.6, 23456.7)) for fact in papers()["lo2005"].facts]
    text = io.StringIO()
    print_facts(Console(file=text, width=width), findings)
    rows = [line.split() for line in text.getvalue().splitlines()]
    assert all(len(line) <= width for line in text.getvalue().splitlines())
    for finding in findings:
        row = next(row for row in rows if finding.fact.id in row)
        assert {*finding.fact.paper().split(), "17,900", *finding.fact.band().split()} <= {*row}


@pytest.mark.slow
def test_everything_holds(thinpipe):
    done = thinpipe("reproduce", "--json")
    assert done.returncode == 0, done.stdout
