"""What the lab's server gives away: tables of runs as files, and the network as a picture."""

import asyncio
import io
import json
from xml.etree import ElementTree as ET

import polars as pl
import pytest
import thinpipe as tp
from thinpipe.lab import network_picture
from thinpipe.lab.access import COOKIE
from thinpipe.lab.application import application
from thinpipe.lab.catalogue import Catalogue
from thinpipe.lab.serving import LONGEST_MESSAGE
from thinpipe.network import Network

httpx = pytest.importorskip("httpx")

SETTINGS = {"duration": "5s", "radio.tbler": "5 %"}
STATE = {
    "scenario": "umts-dch-384",
    "set": SETTINGS,
    "variants": [{"tcp.variant": "reno"}, {"tcp.variant": "vegas"}],
}


class Client:
    """Asks an application, with its token in a cookie or without."""

    def __init__(self, app, token):
        self.app = app
        self.options = {"base_url": "http://127.0.0.1:1", "cookies": {COOKIE: token}}

    def ask(self, method, path, **options):
        async def answer():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, **self.options) as client:
                return await client.request(method, path, **options)

        return asyncio.run(answer())


@pytest.fixture(scope="module")
def client():
    return Client(application(Catalogue({}), "token"), "token")


def post(client, path, **message):
    return client.ask("POST", path, json={**STATE, **message})


@pytest.mark.parametrize("name", ["rtt", "cwnd", "events", "capacity", "segments", "hops", "queue"])
def test_a_table_is_that_of_the_run(client, name):
    run = tp.run("umts-dch-384", {**SETTINGS, "tcp.variant": "vegas"}, trace=True)
    wanted = getattr(run, name)
    answer = post(client, "/api/table", table=name, format="parquet", variant=1)
    assert answer.status_code == 200
    assert pl.read_parquet(io.BytesIO(answer.content)).equals(wanted)
    answer = post(client, "/api/table", table=name, format="csv", variant=1)
    assert answer.text == wanted.write_csv()
    said = f'attachment; filename="umts-dch-384-vegas-{name}.csv"'
    assert answer.headers["content-disposition"] == said


def test_the_list_has_the_tables_that_a_run_has(client):
    found = {each["name"]: each["rows"] for each in post(client, "/api/tables").json()["tables"]}
    run = tp.run("umts-dch-384", {**SETTINGS, "tcp.variant": "reno"}, trace=True)
    assert found["segments"] == run.segments.height
    assert "base_rtt" not in found
    vegas = post(client, "/api/tables", variant=1).json()["tables"]
    assert "base_rtt" in [each["name"] for each in vegas]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"table": "nosuch", "format": "csv"}, "table: must be one of rtt, cwnd, events, "),
        ({"table": ["rtt"], "format": "csv"}, "table: must be one of rtt, cwnd, events, "),
        ({"table": "rtt", "format": "xlsx"}, "format: must be csv or parquet"),
        ({"table": "rtt", "format": []}, "format: must be csv or parquet"),
        ({"table": "rtt", "format": "csv", "variant": 4}, "variant: must be a whole number from"),
        ({"table": "rtt", "format": "csv", "variant": True}, "variant: must be a whole number"),
        ({"table": "pages", "format": "csv"}, "the table 'pages' is not there"),
        ({"scenario": "nosuch", "table": "rtt", "format": "csv"}, "unknown scenario 'nosuch'"),
        ({"set": {"tcp.varient": "x"}, "table": "rtt", "format": "csv"}, "tcp.varient=x: unknown"),
    ],
    ids=str,
)
def test_a_bad_request_is_one_line(client, message, expected):
    answer = post(client, "/api/table", **message)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(expected)


@pytest.mark.parametrize("path", ["/api/table", "/api/tables", "/api/network"])
@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"\xff", b"[" * 5000, b" " * (LONGEST_MESSAGE + 1)], ids=len
)
def test_a_body_that_is_no_request(client, path, body):
    answer = client.ask("POST", path, content=body)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("a request must ")


@pytest.mark.parametrize("path", ["/api/table", "/api/tables", "/api/network"])
def test_nothing_is_given_to_strangers(client, path):
    other = {"origin": "http://elsewhere.example"}
    assert client.ask("POST", path, json=STATE, headers=other).status_code == 403
    stranger = Client(client.app, "another")
    assert stranger.ask("POST", path, json=STATE).status_code == 403


def test_the_network_is_a_picture_with_its_list_as_text(client):
    found = post(client, "/api/network").json()
    assert ET.fromstring(found["svg"]).tag == "{http://www.w3.org/2000/svg}svg"
    assert "Uu (bearer) from NodeB to UE: 384 kbit/s" in found["alt"]
    assert "TBLER 5 %" in found["outline"]


@pytest.mark.parametrize("name", list(tp.scenarios()))
def test_the_text_has_all_nodes_and_links(name):
    network = Network.of(name)
    text = network_picture.as_text(network, name)
    shown = network.grouped()
    names = [*(node.name for node in shown.nodes), *(link.name for link in shown.links)]
    assert [each for each in names if each not in text] == []


def test_a_network_is_drawn_again_only_if_it_has_changed(client, monkeypatch):
    drawn = []

    def count(network, **_more):
        drawn.append(network)
        return "<svg/>"

    monkeypatch.setattr("thinpipe.plot.picture.network_as_svg", count)
    network_picture._drawn.cache_clear()
    try:
        for given in ({}, {"seed": "3"}, {"radio.tbler": "9 %"}, {"tcp.variant": "reno"}):
            post(client, "/api/network", set=given)
        assert len(drawn) == 1
        post(client, "/api/network", set={"wired.Gi.delay": "70 ms"})
        assert len(drawn) == 2
        post(client, "/api/network", set={"wired.Gi.delay": "70 ms", "duration": "9s"})
        assert len(drawn) == 2
    finally:
        network_picture._drawn.cache_clear()


def test_the_catalogue_has_no_runs_of_a_sweep_unless_one_is_opened(client):
    assert json.loads(client.ask("GET", "/api/catalogue").text)["rows"] == []
