"""Messages of handovers, and the map on which mobiles move."""

from __future__ import annotations

import polars as pl
import pytest
from thinpipe.lab.views.ladder import LADDER, messages
from thinpipe.lab.views.places import PLACES, metres
from thinpipe.network import Network
from thinpipe.plot.handover import lanes

from tests.lab import asked

SETTINGS = {"duration": "100 s"}


@pytest.fixture(scope="module")
def walk():
    return asked.traced("hmipv6-handover", SETTINGS)


def test_rows_lead_from_the_mobile_to_the_host(walk):
    assert asked.rows(LADDER, asked.sight(walk))[::-1] == ["MN", "AR1", "AR2", "MAP", "HA", "CN"]


def test_every_message_is_sent_before_it_is_received(walk):
    found = messages(walk.mobility)
    for each in found:
        if each.sent_s is not None and each.received_s is not None:
            assert each.sent_s < each.received_s < each.sent_s + 1
    events = walk.mobility["event"].cast(str)
    assert sum(each.sent_s is not None for each in found) == (events == "sent").sum()
    heard = events.is_in(["received", "advertised"]).sum()
    assert sum(each.received_s is not None for each in found) == heard


def test_a_lost_message_arrives_never():
    rows = [
        (1.0, "MN/mobility", "sent", "HA", "binding update"),
        (2.0, "MN/mobility", "sent", "HA", "binding update"),
        (2.1, "HA/mobility", "received", "MN@AR1", "binding update"),
    ]
    schema = ["time_s", "agent", "event", "subject", "message"]
    lost, arrived = messages(pl.DataFrame(rows, schema=schema, orient="row"))
    assert (lost.sent_s, lost.received_s) == (1.0, None)
    assert (arrived.sent_s, arrived.received_s) == (2.0, 2.1)
    assert (arrived.sender, arrived.receiver) == ("MN", "HA")


def test_arrows_have_words_and_rows(walk):
    sight = asked.sight(walk, 7.0, 11.0)
    layers, rows = LADDER.build(sight), asked.rows(LADDER, sight)
    [arrows], [words] = asked.of_kind(layers, "arrows"), asked.of_kind(layers, "words")
    assert len(arrows["x0"]) == len(words["text"]) == 7
    update = words["text"].index(" binding update")
    assert rows[int(arrows["y0"][update])] == "MN"
    assert rows[int(arrows["y1"][update])] == "MAP"


def test_bars_are_the_lanes_of_the_mobile(walk):
    sight = asked.sight(walk)
    rows = asked.rows(LADDER, sight)
    spans = lanes(walk.mobility, "MN/mobility", 100.0)
    wanted = sorted(
        (rows.index(router), *span) for router, its in spans.items() for span in its["link"]
    )
    [link] = [each for each in LADDER.build(sight) if each["label"] == "Link is up"]
    row = [round((low + high) / 2) for low, high in zip(link["y0"], link["y1"], strict=True)]
    assert sorted(zip(row, link["x0"], link["x1"], strict=True)) == wanted


def test_the_map_has_what_the_network_has(walk):
    network = Network.of("hmipv6-handover", SETTINGS)
    layers = PLACES.build(asked.sight(walk))
    [circles], [course] = asked.of_kind(layers, "circles"), asked.of_kind(layers, "course")
    assert circles["radius"] == [station.range_m for station in network.stations]
    [way] = network.walks
    assert [*zip(course["time_s"], course["x"], course["y"], strict=True)] == list(way.course)


def test_a_handle_sets_the_key_that_it_names(walk):
    handles = asked.handles(PLACES, asked.sight(walk))
    [turn] = [each for each in handles if each["label"] == "Turn 1 of MN"]
    assert (turn["key"], turn["x"], turn["y"]) == ("wlan.mobile.MN.walk", 580.0, 0.0)
    for each in handles:
        text = each["text"].replace("{x}", "123").replace("{y}", "-45")
        network = Network.of("hmipv6-handover", {**SETTINGS, each["key"]: text})
        places = [station.position_m for station in network.stations]
        places += [(x, y) for walk in network.walks for _, x, y in walk.course]
        reached = (123.0, -45.0) in places
        assert reached or each["label"] == "Turn 2 of MN", each  # which 100 s do not reach
        assert "{" not in text.replace("{at", "")


def test_an_unmoved_handle_changes_nothing(walk):
    before = Network.of("hmipv6-handover", SETTINGS)
    for each in asked.handles(PLACES, asked.sight(walk)):
        text = each["text"].replace("{x}", f"{each['x']:g}").replace("{y}", f"{each['y']:g}")
        assert Network.of("hmipv6-handover", {**SETTINGS, each["key"]: text}) == before


def test_a_velocity_has_no_handles():
    run = asked.traced("umts-handover", {"duration": "2 s"})
    labels = [each["label"] for each in asked.handles(PLACES, asked.sight(run))]
    assert labels == ["A", "B"]


@pytest.mark.parametrize(("text", "wanted"), [("580 m", 580), ("-1.5 km", -1500), ("0 m", 0)])
def test_lengths(text, wanted):
    assert metres(text) == wanted


def test_turns_that_are_not_reached_are_ahead(walk):
    [ahead] = asked.of_kind(PLACES.build(asked.sight(walk)), "line")
    assert [*zip(ahead["x"], ahead["y"], strict=True)] == [(650.0, 0.0), (820.0, 0.0)]
    long = asked.traced("hmipv6-handover", {"duration": "300 s"})
    assert not asked.of_kind(PLACES.build(asked.sight(long)), "line")


def test_a_flow_of_udp_has_a_ladder_and_a_map():
    found = asked.panels("hmipv6-handover", {"flow.application": "udp", "duration": "20 s"})
    assert found["ladder"]["rows"][-1] == "MN"
    assert {"ladder", "map", "datagrams"} <= {*found}
