"""The lessons of the lab: what they say is true of their runs."""

import asyncio
import re
from dataclasses import replace
from typing import Any

import httpx
import pytest
from thinpipe.inputs import values_of
from thinpipe.lab.access import COOKIE
from thinpipe.lab.application import application
from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.experiment import Laboratory
from thinpipe.lab.lessons import TEXTS, Fact, LessonError, lessons, read
from thinpipe.lab.views import KINDS
from thinpipe.run import run_point
from thinpipe.sweep.measures import is_measure

LESSONS = lessons()
MOST_WORDS = 120
CATALOGUE = Catalogue({})


def ids(lesson):
    return lesson.name


def points(lesson):
    scenario = lesson.request().scenario
    return {
        number: CATALOGUE.point(scenario, settings) for number, settings in lesson.runs().items()
    }


def prose(lesson):
    return "\n".join(getattr(lesson, name) for name in TEXTS)


def given(lesson):
    """The values that the scenario itself or the lesson gives, as texts."""
    scenario = lesson.request().scenario
    keys = set(CATALOGUE.described(scenario)["keys"])
    for settings in lesson.runs().values():
        keys |= {key for key, _ in settings}
    texts = set()
    for point in points(lesson).values():
        values = values_of(point)
        texts |= {values[key] for key in keys if key in values}
    texts |= {text for settings in lesson.runs().values() for _, text in settings}
    nested = {part for text in texts if "{" in text for part in re.findall(r'"([^"]+)"', text)}
    return texts | nested


def without_sources(lesson):
    """The prose without the numbers that facts or settings account for."""
    text = prose(lesson)
    quotes = {fact.quoted for fact in lesson.facts if fact.quoted} | given(lesson)
    for quote in sorted(quotes, key=len, reverse=True):
        if re.search(r"\d", quote):
            text = re.sub(rf"(?<![\w.,]){re.escape(quote)}(?!\w|[.,]\d)", "", text)
    return text


def test_they_are_numbered_in_order():
    numbers = [f"{number:02}" for number in range(1, 1 + len(LESSONS))]
    assert LESSONS
    assert [lesson.name[:2] for lesson in LESSONS] == numbers


@pytest.mark.parametrize("lesson", LESSONS, ids=ids)
def test_facts_hold(lesson):
    runs = {
        number: run_point(point, threads=1).to_dict() for number, point in points(lesson).items()
    }
    wrong = []
    for fact in lesson.facts:
        value = fact.value(runs)
        if not fact.holds(value):
            wrong.append((fact, value))
    assert not wrong


@pytest.mark.parametrize("lesson", LESSONS, ids=ids)
def test_every_fact_can_fail_and_every_run_has_one(lesson):
    for fact in lesson.facts:
        assert is_measure(fact.measure)
        assert (fact.at_least, fact.at_most, fact.quoted) != (None, None, None)
    assert {fact.run for fact in lesson.facts} == lesson.runs().keys()


@pytest.mark.parametrize("lesson", LESSONS, ids=ids)
def test_every_number_in_the_text_is_of_a_fact_or_a_setting(lesson):
    rest = without_sources(lesson)
    assert not re.search(r"\d", rest), rest
    for fact in lesson.facts:
        assert fact.quoted is None or fact.quoted in prose(lesson)


def test_a_number_without_a_source_is_found():
    first = LESSONS[0]
    changed = replace(first, answer=f"{first.answer} It has 77 segments.")
    assert re.findall(r"\d+", without_sources(changed)) == ["77"]


@pytest.mark.parametrize("lesson", LESSONS, ids=ids)
def test_text_is_short_and_panels_exist(lesson):
    assert len(lesson.text.split()) <= MOST_WORDS
    assert len(lesson.answer.split()) <= MOST_WORDS
    assert lesson.question.endswith("?")
    assert set(lesson.state.get("panels", ())) <= {kind.name for kind in KINDS}


@pytest.mark.parametrize("lesson", LESSONS, ids=ids)
def test_a_page_gets_no_facts(lesson):
    page = lesson.page()
    assert page.keys() == {"name", "title", "text", "question", "answer", "state"}


@pytest.mark.parametrize(
    ("fact", "value", "expected"),
    [
        (Fact("goodput_bps", quoted="312 kbit/s"), 311_623.7, True),
        (Fact("goodput_bps", quoted="312 kbit/s"), 311_400.0, False),
        (Fact("goodput_bps", quoted="1.90 Mbit/s"), 1_896_000.0, True),
        (Fact("goodput_bps", quoted="1,579 changes"), 1579, True),
        (Fact("rtt_s.mean", quoted="22 ms"), 0.022, True),
        (Fact("utilization", quoted="97 %"), 0.9687, True),
        (Fact("goodput_bps", at_least=2), 1.9, False),
        (Fact("goodput_bps", at_most=2), 2.1, False),
        (Fact("goodput_bps", at_least=1, at_most=2), 1.5, True),
    ],
)
def test_facts(fact, value, expected):
    assert fact.holds(value) is expected


def test_a_fact_is_of_a_flow_and_may_be_a_ratio():
    def of(*goodputs):
        return {"flows": [{"id": n, "goodput_bps": bps} for n, bps in enumerate(goodputs)],
                "links": [], "groups": []}  # fmt: skip

    runs: dict[int | str, Any] = {0: of(10.0, 30.0), 1: of(5.0, 6.0)}
    assert Fact("goodput_bps", flow=1).value(runs) == 30
    assert Fact("goodput_bps", run=0, of=1).value(runs) == 2
    with pytest.raises(KeyError):
        Fact("rtt_s.mean").value(runs)


GOOD = 'title = "a"\ntext = "b"\nquestion = "c?"\nanswer = "d"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('title = "a"', "mine.toml: text: must be a text"),
        (GOOD, "mine.toml: scenario: must be there"),
        (f'{GOOD}scenario = "link"\nspam = 1', "mine.toml: unknown key 'spam'"),
        (f'{GOOD}scenario = "link"\nflow = -1', "mine.toml: flow: must be a whole number"),
        (f'{GOOD}scenario = "link"\n[[facts]]\nmeasures = "a"', "mine.toml: .*measures"),
        ("title = ", "mine.toml: Invalid value"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, text, said):
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(LessonError, match=f"^{said}"):
        read(file)


def test_the_server_hands_them_out():
    async def ask():
        transport = httpx.ASGITransport(application(CATALOGUE, "token"))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", cookies={COOKIE: "token"}
        ) as client:
            return await client.get("/api/lessons")

    assert asyncio.run(ask()).json()["lessons"] == [lesson.page() for lesson in LESSONS]


@pytest.mark.parametrize("lesson", LESSONS, ids=ids)
def test_the_lab_runs_it_and_shows_its_panels(lesson):
    answer = Laboratory(CATALOGUE).answer(lesson.request(), lambda: False)
    names = {panel["name"] for panel in answer["panels"]}
    assert set(lesson.state.get("panels", names)) == names
