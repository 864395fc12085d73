"""Papers of other distributions, found by their entry points."""

import json
import os
import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

CHEAP = "yew2012/arithmetic"
"""An item that needs no run."""


def install(site: Path, name: str, entries: dict[str, dict[str, str]]) -> None:
    """Write the metadata of an installed distribution beside its modules."""
    info = site / f"{name.replace('-', '_')}-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    lines = [
        f"[{group}]\n{key} = {entries[group][key]}\n" for group in entries for key in entries[group]
    ]
    (info / "entry_points.txt").write_text("".join(lines))


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a directory of installed packages."""
    made = tmp_path / "site"
    paths = [str(made), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return made


@pytest.fixture
def page(root):
    return (root / "docs" / "add" / "paper.md").read_text(encoding="utf-8")


@pytest.fixture
def smith(site, page):
    """Install the package of docs/add/paper.md, and return its folder."""
    for name, text in re.findall(r"^`([\w./]+)`\n\n```\w+\n(.*?)```", page, re.M | re.S):
        file = site / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    project = tomllib.loads((site / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(site, project["name"], project["entry-points"])
    return site / "smith2026"


def shown(page, first):
    """Return the lines of the block with this beginning."""
    (block,) = re.findall(rf"```text\n({first}.*?)```", page, re.S)
    return block.splitlines()


def test_papers_that_ship_are_those_of_pyproject(root):
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["project"]["entry-points"]["thinpipe.papers"]
    installed = distribution("thinpipe").entry_points.select(group="thinpipe.papers")
    assert {each.name: each.value for each in installed} == entries, "run `make build`"


def test_page_can_be_followed(thinpipe, tmp_path, page, smith):
    listed = thinpipe("reproduce", "--list")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "smith2026: A. Smith" in listed.stdout
    done = thinpipe("reproduce", "smith2026", "--wrong-models")
    assert (done.returncode, done.stderr) == (0, "")
    expected = shown(page, "fact ")
    assert [line.rstrip() for line in done.stdout.splitlines()][: len(expected)] == expected
    assert "Windows over thin links" in (tmp_path / "out" / "report.html").read_text()

    facts = smith / "facts.toml"
    facts.write_text(facts.read_text().replace("value = 17", "value = 18"))
    assert thinpipe("reproduce", "smith2026").returncode == 1

    module = smith / "__init__.py"
    module.write_text(module.read_text().replace('f"window-{window}": m', 'f"w-{window}": m'))
    refused = thinpipe("reproduce", "smith2026")
    assert (refused.returncode, refused.stderr.splitlines()) == (2, shown(page, "thinpipe: "))


PAPER = """
from thinpipe.papers.outcomes import Detail
from thinpipe.papers.paper import Item, Live, Paper

def fail(*_, **__):
    raise RuntimeError("two\\nlines")

PAPER = Paper("toy", "Toy", (), (Item("i", "I", (), (), Detail.RESULT{item}),), (), {{}}{paper})
"""


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (None, "ModuleNotFoundError: No module named 'toy'"),
        ("", "AttributeError: module 'toy' has no attribute 'PAPER'"),
        ("raise RuntimeError('two\\nlines')", "RuntimeError: two lines"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("PAPER = 3", "is no thinpipe.papers.paper.Paper but int"),
        (PAPER.format(item="", paper="").replace('"toy"', '"joy"'), "the paper's id is 'joy'"),
        (PAPER.format(item=", fail", paper=""), "RuntimeError: two lines"),
        (PAPER.format(item=", lambda _: 3", paper=""), "AttributeError: .*int"),
        (PAPER.format(item="", paper=", live=Live(fail, fail, fail)"), "RuntimeError: two lines"),
    ],
)
def test_broken_paper_is_one_line_and_the_others_run(thinpipe, tmp_path, site, source, reason):
    install(site, "toy-papers", {"thinpipe.papers": {"toy": "toy:PAPER"}})
    if source is not None:
        (site / "toy.py").write_text(source)
    line = rf"thinpipe: paper toy of toy-papers \(toy:PAPER\): {reason}.*\n"
    done = thinpipe("reproduce", "toy", CHEAP, "--json")
    assert (done.returncode, bool(re.fullmatch(line, done.stderr))) == (2, True), done.stderr
    assert [each["paper"] for each in json.loads(done.stdout)["papers"]] == ["yew2012"]
    assert "paper toy of toy-papers (toy:PAPER): " in (tmp_path / "out" / "report.html").read_text()

    alone = thinpipe("reproduce", "toy", "--out", "alone")
    assert (alone.returncode, alone.stdout, alone.stderr) == (2, "", done.stderr)
    assert not (tmp_path / "alone").exists()


INTERRUPTED = PAPER.format(item=", fail", paper="").replace(
    'raise RuntimeError("two\\nlines")', "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
)


def test_report_has_the_papers_before_an_interruption(thinpipe, tmp_path, site):
    install(site, "toy-papers", {"thinpipe.papers": {"toy": "toy:PAPER"}})
    (site / "toy.py").write_text(INTERRUPTED)
    done = thinpipe("reproduce", CHEAP, "toy", "lo2005/6a")
    assert (done.returncode, done.stderr) == (130, "")
    report = (tmp_path / "out" / "report.html").read_text()
    assert "Unfinished.</b> Not run yet: toy, lo2005." in report
    assert 'id="yew2012-arithmetic"' in report
    assert thinpipe("reproduce", CHEAP).returncode == 0  # it may be replaced
    assert "Unfinished" not in (tmp_path / "out" / "report.html").read_text()


def test_nothing_is_left_if_the_first_paper_is_interrupted(thinpipe, tmp_path, site):
    install(site, "toy-papers", {"thinpipe.papers": {"toy": "toy:PAPER"}})
    (site / "toy.py").write_text(INTERRUPTED)
    assert thinpipe("reproduce", "toy", CHEAP).returncode == 130
    assert {each.name for each in tmp_path.iterdir()} == {"site"}


def test_broken_paper_that_nobody_asked_for_is_not_mentioned(thinpipe, site):
    install(site, "toy-papers", {"thinpipe.papers": {"toy": "toy:PAPER"}})
    other = thinpipe("reproduce", CHEAP)
    assert (other.returncode, other.stderr) == (0, "")


def test_name_that_is_taken_is_refused(thinpipe, site):
    install(site, "toy-papers", {"thinpipe.papers": {"yew2012": "toy:PAPER"}})
    done = thinpipe("reproduce", "--list")
    reason = "thinpipe has a paper of that name"
    assert done.stderr == f"thinpipe: paper yew2012 of toy-papers (toy:PAPER): {reason}\n"
    assert done.returncode == 2
    assert done.stdout.count("yew2012: ") == 1
    assert thinpipe("reproduce", CHEAP).returncode == 0


def test_source_tree_that_is_not_installed_says_so(thinpipe, site):
    install(site, "thinpipe", {})
    done = thinpipe("reproduce", "--list")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "make build" in done.stderr
