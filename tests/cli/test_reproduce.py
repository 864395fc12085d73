"""``thinpipe reproduce`` from end to end."""

import json

import pytest


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


@pytest.mark.slow
def test_everything_holds(thinpipe):
    done = thinpipe("reproduce", "--json")
    assert done.returncode == 0, done.stdout
