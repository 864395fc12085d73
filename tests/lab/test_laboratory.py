"""Experiments of the lab: what is run, kept, ended and refused."""

from __future__ import annotations

import asyncio
import json
import threading
from types import SimpleNamespace

import pytest
from starlette.websockets import WebSocketDisconnect
from thinpipe.lab import experiment
from thinpipe.lab.application import Session
from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.experiment import LONGEST_S, CancelledError, Laboratory
from thinpipe.lab.request import Request, RequestError
from thinpipe.run import run_point


@pytest.fixture
def laboratory():
    return Laboratory(Catalogue({}))


@pytest.fixture
def runs(monkeypatch):
    """Count the runs that are made."""
    made = []

    def counted(point, **how):
        made.append(dict(point.settings))
        return run_point(point, **how)

    monkeypatch.setattr(experiment, "run_point", counted)
    return made


def request(*variants, scenario="plain-384", **entries):
    given = {"duration": "2 s", **entries.pop("settings", {})}
    message = {"scenario": scenario, "set": given, "variants": list(variants) or [{}], **entries}
    return Request.of(message)


def never():
    return False


def test_an_answer_has_all_runs_in_order(laboratory):
    answer = laboratory.answer(request({"tcp.variant": "vegas"}, {}, number=7), never)
    assert answer["number"] == 7
    assert [run["name"] for run in answer["runs"]] == ["vegas", "reno"]
    assert answer["span"] == [0, 2]


def test_flows_of_mobiles_that_differ_are_told_apart_by_their_groups(laboratory):
    answer = laboratory.answer(request({}, scenario="lte-edge-and-centre", flow=1), never)
    names = ["flow 0, edge", "flow 1, centre"]
    assert [run["flows"] for run in answer["runs"]] == [names]
    panels = {panel["name"]: panel for panel in answer["panels"]}
    assert panels["cwnd"]["title"] == f"Congestion window of {names[1]}"
    areas = [layer for layer in panels["goodput"]["layers"] if layer["kind"] == "area"]
    assert [area["label"] for area in areas] == names


def test_another_look_needs_no_new_run(laboratory, runs):
    laboratory.answer(request({}, {"tcp.variant": "vegas"}), never)
    assert len(runs) == 2
    laboratory.answer(request({"tcp.variant": "vegas"}, {}, span=[0.5, 1]), never)
    laboratory.answer(request({}, coarse=True), never)
    assert len(runs) == 2


def test_a_coarse_run_is_no_traced_one(laboratory, runs):
    coarse = laboratory.answer(request(coarse=True), never)
    full = laboratory.answer(request(), never)
    assert len(runs) == 2
    names = [{panel["name"] for panel in answer["panels"]} for answer in (coarse, full)]
    assert names[0] < names[1]


def test_the_latest_runs_are_kept_by_their_size(laboratory, runs, monkeypatch):
    monkeypatch.setattr(experiment, "_size", lambda run: round(run.result.duration_s))
    monkeypatch.setattr(experiment, "MOST_KEPT", 9)
    monkeypatch.setattr(experiment, "_resident", lambda: 0)

    def look(seed, duration):
        given = {"seed": str(seed), "duration": duration}
        laboratory.answer(request(settings=given), never)
        return len(runs)

    assert [look(seed, "3 s") for seed in (1, 2, 3)] == [1, 2, 3]
    assert [look(seed, "3 s") for seed in (1, 2, 3)] == [3, 3, 3]
    assert look(4, "6 s") == 4  # takes the place of the two that were looked at longest ago
    assert look(3, "3 s") == 4
    assert look(2, "3 s") == 5


def test_another_look_at_the_largest_runs_needs_no_new_one(laboratory, runs, monkeypatch):
    monkeypatch.setattr(experiment, "MOST_KEPT", 0)
    monkeypatch.setattr(experiment, "_resident", lambda: 0)
    variants = [{"seed": str(seed)} for seed in range(1, 5)]
    laboratory.answer(request(*variants), never)
    laboratory.answer(request(*variants, span=[0.5, 1]), never)
    assert len(runs) == 4
    laboratory.answer(request({"seed": "5"}), never)
    laboratory.answer(request(*variants), never)
    assert len(runs) == 9


def test_runs_that_nobody_looks_at_are_given_up_when_memory_runs_out(laboratory, runs, monkeypatch):
    monkeypatch.setattr(experiment, "_resident", lambda: experiment.MOST_HELD + 1)
    for _ in range(2):
        laboratory.answer(request({"tcp.variant": "reno"}), never)
        laboratory.answer(request({"tcp.variant": "vegas"}), never)
    assert len(runs) == 4
    laboratory.answer(request({"tcp.variant": "vegas"}, span=[0, 1]), never)
    assert len(runs) == 4


def test_a_newer_request_ends_a_run(laboratory, runs):
    """One that has begun, and one that has not."""
    asked = []

    def cancelled():
        asked.append(1)
        return len(asked) > 10

    long = request(*[{"seed": str(seed)} for seed in range(4)], settings={"duration": "100000 s"})
    with pytest.raises(CancelledError):
        laboratory.answer(long, cancelled)
    began = len(runs)
    with pytest.raises(CancelledError):
        laboratory.answer(long, cancelled)
    assert len(runs) == began
    assert laboratory.answer(request(), never)["runs"]


def test_a_newer_request_ends_the_look_at_a_run(laboratory, monkeypatch):
    laboratory.answer(request(), never)
    looked = []
    monkeypatch.setattr(experiment, "panel_of", lambda kind, *_, **__: looked.append(kind))
    with pytest.raises(CancelledError):
        laboratory.answer(request(), lambda: len(looked) >= 2)
    assert len(looked) == 2


def test_a_run_that_takes_too_long_is_ended_and_says_so(laboratory, monkeypatch):
    clock = iter(range(0, 1_000_000, 4))
    time = SimpleNamespace(thread_time=lambda: float(next(clock)), perf_counter=lambda: 0.0)
    monkeypatch.setattr(experiment, "time", time)
    with pytest.raises(RequestError, match=rf"more than {LONGEST_S:g} s and was ended at \d+ of"):
        laboratory.answer(request(settings={"duration": "100000 s"}), never)


def test_a_run_that_takes_too_much_memory_is_ended_and_says_so(laboratory, monkeypatch):
    held = iter(range(0, 1 << 60, experiment.MOST_GROWTH // 4))
    monkeypatch.setattr(experiment, "_resident", lambda: next(held))
    with pytest.raises(RequestError, match="more than 2 GB and was ended at"):
        laboratory.answer(request(settings={"duration": "100000 s"}), never)


def test_when_one_run_fails_the_others_end(laboratory, monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    def failing(point, *, progress, **_):
        if dict(point.settings).get("seed") == "1":
            begun.wait(5)
            raise RequestError("no such luck")
        begun.set()
        try:
            while True:
                progress(0.0, 1.0)
        finally:
            ended.set()

    monkeypatch.setattr(experiment, "run_point", failing)
    with pytest.raises(RequestError, match="no such luck"):
        laboratory.answer(request({"seed": "1"}, {"seed": "2"}), never)
    # With a single processor the other one never begins.
    assert not begun.is_set() or ended.wait(60)


@pytest.mark.parametrize(
    ("scenario", "key"),
    [
        ("umts-cell-50", "radio.ues"),
        ("plain-384", "flow.count"),
        ("umts-dch-384", "radio.ues"),
        ("lte-edge-and-centre", "radio.ue.edge.count"),
        ("hmipv6-handover", "wlan.mobiles"),
    ],
)
def test_a_crowd_is_refused_before_it_runs(laboratory, runs, scenario, key):
    with pytest.raises(RequestError, match=": the lab shows at most 200; `thinpipe run` takes"):
        laboratory.answer(request(scenario=scenario, settings={key: "10000"}), never)
    assert runs == []


def test_a_view_beyond_the_end_shows_all(laboratory):
    for span in ([5, 9], [1.9999999, 9]):
        assert laboratory.answer(request(span=span), never)["span"] == [0, 2]
    assert laboratory.answer(request(span=[1, 9]), never)["span"] == [1, 2]


@pytest.mark.parametrize("raised", [WebSocketDisconnect(code=1006), RuntimeError("closed")])
def test_a_page_may_leave_while_it_is_told(laboratory, raised):
    told, complaints = [], []

    async def leaving(text):
        told.append(json.loads(text)["number"])
        raise raised

    async def visit():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, complaint: complaints.append(complaint))
        session = Session(laboratory, leaving)
        session.take(
            json.dumps({"scenario": "plain-384", "set": {}, "variants": [{}], "number": 3})
        )
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})

    asyncio.run(visit())
    assert told == [3]
    assert complaints == []
