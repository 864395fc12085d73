"""What a middlebox holds and does."""

from __future__ import annotations

import pytest

from tests.lab import asked

SETTINGS = {"middlebox.kind": "atcp", "flow.bytes": "100 kB", "duration": "40 s"}


def test_curves_are_those_of_the_tables():
    run = asked.traced("gprs-3+1", SETTINGS)
    found = asked.panels("gprs-3+1", SETTINGS)
    queued, in_flight, allowed = found["middlebox"]["layers"]
    for layer, column in (
        (queued, "queued_bytes"),
        (in_flight, "in_flight_bytes"),
        (allowed, "cwnd_bytes"),
    ):
        assert max(layer["y"]) == pytest.approx(
            run.middlebox_backlog[column].to_numpy().max() / 1000
        )
    [times] = asked.of_kind(found["middlebox-rtt"]["layers"], "line")
    assert times["y"] == pytest.approx(run.middlebox_rtt["rtt_s"].to_list(), rel=1e-4)


def test_each_event_is_a_mark():
    settings = {**SETTINGS, "radio.outages": '[["15 s", "22 s"]]'}
    run = asked.traced("gprs-3+1", settings)
    assert len(run.middlebox_events) > 0
    marks = asked.of_kind(asked.panels("gprs-3+1", settings)["middlebox-rtt"]["layers"], "marks")
    assert sum(len(each["x"]) for each in marks) == len(run.middlebox_events)
    said = {each["label"].rpartition(" (")[0] for each in marks}
    assert said == {event.replace("_", " ") for event in run.middlebox_events["event"]}


def test_without_it_is_a_ghost_beside_it():
    found = asked.panels("gprs-3+1", SETTINGS, without=True)
    assert {layer["ghost"] for layer in found["cwnd"]["layers"]} == {False, True}
    assert {layer["ghost"] for layer in found["middlebox"]["layers"]} == {False}


OTHERS = {
    "flow.count": "0",
    "flow.group.other.encrypted": "true",
    "flow.group.call.application": "voip",
    "middlebox.kind": "atcp",
    "middlebox.atcp.estimator": "westwood",
    "duration": "20 s",
}


def test_waits_are_drawn_by_class_and_rates_beside_them():
    run = asked.traced("umts-384", OTHERS)
    found = asked.panels("umts-384", OTHERS)
    [line] = [each for each in found["middlebox-waits"]["layers"] if each["kind"] != "marks"]
    assert line["label"] == "in no class"
    highest = line["y"] if line["kind"] == "line" else line["high"]
    assert run.middlebox is not None
    assert max(highest) == pytest.approx(run.middlebox.classes[-1].waited_s.max, rel=1e-4)
    *_, estimate = found["middlebox-rate"]["layers"]
    assert estimate["label"] == "estimated by the middlebox"
    assert max(estimate["y"]) * 1000 == pytest.approx(
        run.middlebox_rates["estimate_bps"].max(), rel=1e-4
    )


def test_panels_of_what_nobody_sent_are_not_offered():
    found = asked.panels("gprs-3+1", SETTINGS)
    assert {"middlebox-waits", "middlebox-rate"}.isdisjoint(found)
