"""``thinpipe reproduce`` from end to end."""

import io
import json

import pytest
from rich.console import Console
from thinpipe.cli import findings as findings_of
from thinpipe.cli.findings import print_facts
from thinpipe.papers import papers
from thinpipe.papers.facts import Finding


def test_listing_names_paper_and_items(thinpipe):
    done = thinpipe("reproduce", "--list")
    assert done.returncode == 0
    for item in ("5a", "5b", "6a", "6b", "7a", "7b", "equations", "triggers"):
        assert f"  lo2005/{item} " in done.stdout
    for item in ("one-drop", "four-drops", "bursts", "tahoe-factor", "steady-state"):
        assert f"  hynderick2004/{item} " in done.stdout
    for item in ("figure-1", "figure-9", "table-1", "vegas-rescued", "rate-steps"):
        assert f"  chakravorty2003/{item} " in done.stdout


def test_listing_as_json_names_the_same(thinpipe):
    done = thinpipe("reproduce", "--list", "--json", "lo2005/6a", "yew2012")
    assert (done.returncode, done.stderr) == (0, "")
    first, second = json.loads(done.stdout)["papers"]
    assert (first["paper"], [each["id"] for each in first["items"]]) == ("lo2005", ["6a"])
    paper = papers()["yew2012"]
    assert second["citation"] == paper.citation
    assert [(each["id"], each["title"]) for each in second["items"]] == [
        (item.id, item.title) for item in paper.items
    ]


def test_what_differs_as_expected_is_no_failure(thinpipe, tmp_path):
    done = thinpipe("reproduce", "hynderick2004/two-drops", "--out", "result", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = {fact["id"]: fact for fact in json.loads(done.stdout)["papers"][0]["facts"]}
    assert (
        facts["v5-released"]["values"] == facts["v5-released"]["list"] == [20, 29, 30, 31, 32, 33]
    )
    assert (facts["v6-released"]["verdict"], facts["v6-released"]["expected"]) == ("differs",) * 2
    report = (tmp_path / "result" / "report.html").read_text()
    assert "29–33" in report
    assert "as expected" in report


def test_item_alone_writes_its_report(thinpipe, tmp_path):
    done = thinpipe("reproduce", "lo2005/6a", "--out", "result", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)["papers"][0]["facts"]
    assert {fact["item"] for fact in facts} == {"6a"}
    assert all(fact["verdict"] == "holds" for fact in facts)
    assert all(len(fact["values"]) == 10 for fact in facts)
    report = (tmp_path / "result" / "report.html").read_text()
    assert 'src="lo2005-6a.png"' in report
    assert 'id="rtt-vegas-5-samples"' in report
    assert "://" not in report
    assert (tmp_path / "result" / "lo2005-6a.png").stat().st_size > 10_000
    rows = (tmp_path / "result" / "lo2005-6a.csv").read_text().splitlines()
    assert rows[0] == "# thinpipe reproduce lo2005/6a"
    assert len(rows) > 10_000


def test_directory_is_refused_before_anything_runs(thinpipe, tmp_path, monkeypatch):
    """Also before checks of what can run, on a machine that lacks every program."""
    monkeypatch.setenv("PATH", "")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    for out in ("file", "full", "file/below"):
        done = thinpipe("reproduce", "--out", out)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "full"]


def test_directory_is_that_of_the_last_report(thinpipe, tmp_path):
    for item in ("one-drop", "two-drops"):
        assert thinpipe("reproduce", f"hynderick2004/{item}", "--out", "result").returncode == 0
    names = {each.name for each in (tmp_path / "result").iterdir()}
    assert {"report.html", "hynderick2004-two-drops.png"} <= names
    assert "hynderick2004-one-drop.png" not in names


@pytest.mark.parametrize("paper", papers().values(), ids=papers().keys())
@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_id_or_number_is_cut(width, paper):
    findings = [Finding(fact, fact.listed or (12345.6, 23456.7)) for fact in paper.facts]
    text = io.StringIO()
    print_facts(Console(file=text, width=width), findings)
    rows = [line.split() for line in text.getvalue().splitlines()]
    assert all(len(line) <= width for line in text.getvalue().splitlines())
    for finding in findings:
        row = next(row for row in rows if finding.fact.id in row)
        said = (findings_of.paper(finding), findings_of.ours(finding), finding.fact.band())
        assert {*" ".join(said).split()} <= {*row}


@pytest.mark.slow
def test_everything_holds(thinpipe):
    done = thinpipe("reproduce", "--json")
    assert done.returncode == 0, done.stdout
