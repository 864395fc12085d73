"""A running link over HTTP, before a link that is made up and one at the end of a socket."""

import asyncio
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from thinpipe import ScenarioError
from thinpipe._core import EmulationError
from thinpipe.running_link import ChangeableLink, RemoteLink, serve
from thinpipe.values import as_text

pytest.importorskip("starlette", reason="needs starlette")
httpx = pytest.importorskip("httpx", reason="needs httpx")

LIMIT_S = 60


class MadeUp:
    """A link that remembers what it was told."""

    def __init__(self) -> None:
        self.changeable = {"link.rate": "4 Mbit/s", "radio.tbler": "0.05 down, 0.1 up"}
        self.black_out_s = 0.0
        self.stopped = False

    def change(self, settings: Mapping[str, Any]) -> None:
        texts = {key: as_text(key, value) for key, value in settings.items()}
        for key, text in texts.items():
            if key not in self.changeable:
                raise ScenarioError(f"{key}: cannot be changed while it runs")
            if text == "fast":
                raise ScenarioError(f"{key}={text}: not a rate")
        self.changeable.update(texts)

    def black_out(self, seconds: float) -> None:
        if not 0 <= seconds < 100:
            raise ScenarioError(f"black-out = {seconds}: must be from 0 to 100 seconds")
        self.black_out_s = seconds

    def meter(self) -> dict[str, Any]:
        if self.stopped:
            raise EmulationError("the emulator has stopped")
        return {"at_s": 1.5}


class Client:
    """A client of the API before a link."""

    def __init__(self, link: ChangeableLink) -> None:
        from starlette.applications import Starlette
        from thinpipe.lab.link_api import routes

        self._app = Starlette(routes=routes(link))

    def ask(self, method: str, path: str, **content: Any) -> Any:
        async def asked() -> Any:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://lab") as client:
                return await client.request(method, path, **content)

        return asyncio.run(asked())

    def get(self, path: str) -> Any:
        return self.ask("GET", path)

    def patch(self, path: str, **content: Any) -> Any:
        return self.ask("PATCH", path, **content)

    def post(self, path: str, **content: Any) -> Any:
        return self.ask("POST", path, **content)


@pytest.fixture
def link() -> MadeUp:
    return MadeUp()


@pytest.fixture(params=["here", "remote"])
def client(request, link) -> Iterator[Client]:
    """Return a client of the API before the link, and before the same at the end of a socket."""
    if request.param == "here":
        yield Client(link)
        return
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=serve, args=(link, theirs))
    thread.start()
    remote = RemoteLink(ours)
    try:
        yield Client(remote)
    finally:
        remote.close()
        thread.join(LIMIT_S)
        assert not thread.is_alive()


def test_it_tells_what_can_be_changed(client):
    told = client.get("/api/link").json()
    assert told["changeable"] == {"link.rate": "4 Mbit/s", "radio.tbler": "0.05 down, 0.1 up"}
    assert (told["black_out_s"], told["meter"]) == (0.0, {"at_s": 1.5})
    controls = told["controls"]
    assert (controls["link.rate"]["kind"], controls["link.rate"]["value"]) == ("range", 4e6)
    assert (controls["radio.tbler"]["key"], controls["radio.tbler"]["value"]) == (
        "radio.tbler",
        None,
    )


def test_a_change_is_answered_with_the_new_state(client, link):
    answer = client.patch("/api/link", json={"link.rate": "1 Mbit/s", "radio.tbler": 0.25})
    assert (answer.status_code, answer.json()["changeable"]) == (200, link.changeable)
    assert link.changeable == {"link.rate": "1 Mbit/s", "radio.tbler": "0.25"}
    assert client.patch("/api/link", json={}).status_code == 200


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"link.rate": "fast"}', "link.rate=fast: not a rate"),
        ('{"radio.tbler": 0.5, "link.rate": "fast"}', "link.rate=fast: not a rate"),
        ('{"queue.packets": 3}', "queue.packets: cannot be changed while it runs"),
        (
            '{"link.rate": null}',
            "link.rate: None is neither text nor a number nor a list of them",
        ),
        ('["link.rate"]', "expected an object"),
        ("{", "expected an object"),
        ("", "expected an object"),
        ("[" * 100_000, "expected an object"),
    ],
)
def test_a_wrong_change_is_one_line_and_changes_nothing(client, link, content, line):
    before = dict(link.changeable)
    answer = client.patch("/api/link", content=content)
    assert (answer.status_code, answer.json().keys()) == (422, {"error"})
    assert answer.json()["error"].startswith(line)
    assert "\n" not in answer.json()["error"]
    assert link.changeable == before


def test_black_outs_begin_and_end(client, link):
    answer = client.post("/api/link/black-out", json={"seconds": 3})
    assert (answer.status_code, answer.json()["black_out_s"]) == (200, 3.0)
    for end in (0, None):
        link.black_out_s = 3.0
        assert client.post("/api/link/black-out", json={"seconds": end}).status_code == 200
        assert link.black_out_s == 0.0


@pytest.mark.parametrize(
    "content",
    ['{"seconds": "3"}', '{"seconds": true}', "{}", "3", '{"seconds": 1, "x": 2}', "{"],
)
def test_a_wrong_black_out_says_what_is_expected(client, link, content):
    answer = client.post("/api/link/black-out", content=content)
    assert (answer.status_code, link.black_out_s) == (422, 0.0)
    expected = 'expected an object with a number of seconds: {"seconds": 3}'
    assert answer.json() == {"error": expected}


@pytest.mark.parametrize("seconds", ["-1", "100", "1e999", "NaN"])
def test_a_black_out_out_of_range_is_one_line(client, link, seconds):
    answer = client.post("/api/link/black-out", content=f'{{"seconds": {seconds}}}')
    assert (answer.status_code, link.black_out_s) == (422, 0.0)
    assert "must be from 0 to 100 seconds" in answer.json()["error"]


def test_a_link_that_has_stopped_says_so(client, link):
    link.stopped = True
    answer = client.get("/api/link")
    assert (answer.status_code, answer.json()) == (503, {"error": "the emulator has stopped"})


def test_other_methods_are_refused(client):
    assert client.ask("PUT", "/api/link", json={}).status_code == 405
    assert client.get("/api/link/black-out").status_code == 405


def test_whoever_asks_one_that_is_gone_is_told():
    ours, theirs = socket.socketpair()
    remote = RemoteLink(ours)
    theirs.close()
    with pytest.raises(EmulationError, match="has stopped"):
        remote.meter()
    remote.close()
    with pytest.raises(EmulationError, match="has stopped"):
        remote.change({"link.rate": "1 Mbit/s"})
