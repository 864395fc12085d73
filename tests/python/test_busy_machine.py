"""A comparison with the clock for which the machine was too busy is reported apart."""

import io
import json
from dataclasses import dataclass

import pytest
from rich.console import Console
from thinpipe.cli import findings as printed
from thinpipe.cli.reproduce import _as_json
from thinpipe.papers.facts import load
from thinpipe.papers.outcomes import Detail, Outcome
from thinpipe.papers.paper import Item, Live, Paper, reproduce
from thinpipe.point import Point
from thinpipe.report.chapters import Chapter
from thinpipe.report.page import page
from thinpipe.run import run

FACT = """
[[fact]]
id = "{name}"
item = "i"
says = "s"
where = "w"
unit = "u"
basis = "own"
band = [0, 1]
"""

POINTS = {
    name: Point.of("plain-384", duration="1 s", tcp__window=window)
    for name, window in (("quiet", 1), ("busy", 2), ("wrong", 3))
}
LOST = {"quiet": False, "busy": True, "wrong": False}


@dataclass(frozen=True, slots=True)
class Carried(Outcome):
    """A run between real programs, as recorded."""

    lost: bool

    @property
    def starved(self) -> bool:
        return self.lost


def outcome(point, lost):
    return Carried(run(point.scenario, dict(point.settings)).result, {}, lost)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Reproduce a paper of which all values lie outside of their bands, one on a busy machine."""
    file = tmp_path_factory.mktemp("facts") / "facts.toml"
    file.write_text("".join(FACT.format(name=name) for name in POINTS))

    def measured(name):
        value = 0.5 if name == "quiet" else 2.0

        def measure(outcomes):
            assert outcomes[POINTS[name]].flow
            return [value]

        return measure

    paper = Paper(
        "toy",
        "Toy",
        (),
        (Item("i", "I", (), tuple(POINTS.values()), Detail.RESULT),),
        load(file, {}),
        {name: measured(name) for name in POINTS},
        live=Live(lambda _: lambda _: None, outcome, lambda: None),
    )
    lost = {POINTS[name]: LOST[name] for name in POINTS}
    return reproduce(paper, carried=lambda key: lost[key[1]])


def test_it_is_no_surprise_and_others_are(made):
    verdicts = {each.fact.id: (each.verdict.value, each.surprising) for each in made.findings}
    assert verdicts == {
        "quiet": ("holds", False),
        "busy": ("not judged", False),
        "wrong": ("differs", True),
    }


def test_terminal_and_json_name_it(made, monkeypatch):
    text = io.StringIO()
    monkeypatch.setattr(printed, "console", lambda: Console(file=text, width=80))
    printed.print_reproduction(made)
    printed.print_counts([made])
    assert "\ntoy, not judged: machine busy:\nbusy\n" in text.getvalue()
    assert "1 / 1 / 0" in text.getvalue()
    facts = json.loads(json.dumps(_as_json(made)))["facts"]
    assert [each["verdict"] for each in facts] == ["holds", "not judged", "differs"]


def test_report_names_it_apart_from_surprises(made):
    text = page([Chapter.of(made.paper, made.paper.items).done(made)])
    first = text[: text.index("<h2>")]
    assert '<p>toy has surprises: <a href="#wrong">wrong</a>.</p>' in first
    assert '<p>toy, not judged: machine busy: <a href="#busy">busy</a>.</p>' in first
    assert '<b class="not-judged">1</b> are not judged: machine busy' in first
