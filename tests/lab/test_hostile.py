"""What the lab's server does with what no page of its own would send."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from socket import create_connection
from typing import Any

import httpx
import pytest
from thinpipe.lab.access import COOKIE
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

LIMIT_S = 60
SMALL = {"scenario": "umts-dch-384", "set": {"duration": "2s"}}


@pytest.fixture(autouse=True)
def quiet(lab) -> Iterator[None]:
    """Nothing that a client sends makes the server say anything, least of all a traceback."""
    before = lab.errors()
    yield
    assert lab.errors() == before
    assert lab.process.poll() is None


def socket(
    lab, *, host: str | None = None, origin: str | None = "own", token: str | None = "own"
) -> ClientConnection:
    """Open a socket to the lab, from an origin, under a host's name, with a token."""
    headers = {}
    if token is not None:
        headers["Cookie"] = f"{COOKIE}={lab.token if token == 'own' else token}"
    return connect(
        f"ws://{host or lab.host}/socket",
        sock=create_connection(("127.0.0.1", lab.port), LIMIT_S),
        origin=lab.origin if origin == "own" else origin,  # type: ignore[arg-type]
        additional_headers=headers,
        open_timeout=LIMIT_S,
        max_size=None,
    )


def told(opened: ClientConnection) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(opened.recv(LIMIT_S))
    return answer


def works(opened: ClientConnection) -> bool:
    """Return whether a socket still answers as it should."""
    opened.send(json.dumps({**SMALL, "number": 7_000}))
    while (answer := told(opened))["number"] != 7_000:
        pass
    return "runs" in answer


def test_the_lab_answers_its_own_page(lab):
    with socket(lab) as opened:
        assert works(opened)


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": None},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"host": "evil.example"},
        {"host": "evil.example", "origin": "http://evil.example"},
        {"host": "127.0.0.1.evil.example", "origin": "http://127.0.0.1.evil.example"},
        {"token": None},
        {"token": ""},
        {"token": "wrong"},
        {"token": "\xe4"},
        {"token": '"\\377"'},
    ],
)
def test_other_sockets_are_refused(lab, wrong):
    with pytest.raises(InvalidStatus) as refused, socket(lab, **wrong):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, 403),
        ({"Cookie": f"{COOKIE}=wrong"}, 403),
        ({"Cookie": "a@b=c"}, 403),
        ({"Cookie": "\xff=\xff; ;=;\xff"}, 403),
        ({"Host": "evil.example", "Cookie": "own"}, 403),
        ({"Host": "", "Cookie": "own"}, 403),
        ({"Origin": "http://evil.example", "Cookie": "own"}, 403),
        ({"Cookie": "own"}, 200),
        ({"Cookie": "a@b=c; own"}, 200),
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/catalogue", "/page/lab.js"])
def test_requests_need_the_token_the_name_and_the_origin(lab, path, headers, expected):
    own = f"{COOKIE}={lab.token}"
    given = {name: text.replace("own", own).encode("latin-1") for name, text in headers.items()}
    answer = httpx.get(f"{lab.origin}{path}", headers=given, timeout=LIMIT_S, trust_env=False)
    assert answer.status_code == expected
    assert lab.token not in answer.text


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?token=%FF", "?token=%00&token"])
def test_a_wrong_token_is_told_what_to_do(lab, query):
    answer = httpx.get(f"{lab.address.split('?')[0]}{query}", timeout=LIMIT_S, trust_env=False)
    assert answer.status_code == 403
    assert answer.text == "open the address that `thinpipe lab` printed: it has the token\n"


def test_the_token_becomes_a_cookie_that_no_other_site_can_use(lab):
    answer = httpx.get(lab.address, timeout=LIMIT_S, trust_env=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


@pytest.mark.parametrize(
    "path",
    [
        "/page/../application.py",
        "/page/..%2fapplication.py",
        "/page/%2e%2e/application.py",
        "/page/....//application.py",
        "/page//etc/passwd",
        "/page/%00",
        "/page/..%5capplication.py",
        "/api/scenario/..%2f..%2fetc%2fpasswd",
        "/api/scenario//etc/passwd",
        "/api/scenario/%00",
        "/api/scenario/" + "x" * 5_000,
        "/api/scenario/<script>alert(1)</script>",
    ],
)
def test_no_path_leads_out_of_the_page(lab, path):
    """By a client that sends the path as it is."""
    client = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=LIMIT_S)
    client.putrequest("GET", path)
    client.putheader("Cookie", f"{COOKIE}={lab.token}")
    client.endheaders()
    answer = client.getresponse()
    text = answer.read()
    client.close()
    assert answer.status == 404
    assert b"import" not in text
    assert b"root:" not in text
    assert "html" not in answer.headers["content-type"]


DEEP = "[" * 100_000 + "]" * 100_000
HOSTILE = {
    "no JSON": "x",
    "nothing": "",
    "a number": "1",
    "a list": "[]",
    "null": "null",
    "deep": DEEP,
    "deep within": f'{{"scenario": {DEEP}}}',
    "a long number": "9" * 5_000,
    "not a number": '{"number": NaN}',
    "without end": '{"number": Infinity}',
    "a great number": '{"number": 1e400}',
    "number is text": '{"number": "1"}',
    "number is nothing": '{"number": null}',
    "number is a list": '{"number": [1]}',
    "number is below zero": '{"number": -5}',
    "number is half": '{"number": 0.5}',
    "number is too great": '{"number": 1180591620717411303424}',
    "unknown scenario": '{"number": 1, "scenario": "nowhere"}',
    "a file": '{"number": 1, "scenario": "/etc/passwd"}',
    "scenario is a number": '{"number": 1, "scenario": 5}',
    "scenario in the folder": '{"number": 1, "scenario": "../x.toml"}',
    "a script": '{"number": 1, "scenario": "<script>alert(1)</script>"}',
    "settings in a list": '{"number": 1, "scenario": "umts-dch-384", "set": ["a"]}',
    "a setting is a number": '{"number": 1, "scenario": "umts-dch-384", "set": {"duration": 5}}',
    "no UTF-8": '{"number": 1, "scenario": "umts-dch-384", "set": {"duration": "\\ud800"}}',
    "no UTF-8 in a key": '{"number": 1, "scenario": "umts-dch-384", "set": {"\\ud800": "1"}}',
    "no UTF-8 in a name": '{"number": 1, "scenario": "\\ud800"}',
    "zero bytes": '{"number": 1, "scenario": "umts-dch-384", "set": {"tcp.variant": "\\u0000"}}',
    "many settings": json.dumps({"number": 1, "set": {str(each): "1" for each in range(101)}}),
    "a long setting": json.dumps({"number": 1, "set": {"duration": "9" * 10_001}}),
    "nine variants": json.dumps({"number": 1, **SMALL, "variants": [{}] * 9}),
    "no variants": json.dumps({"number": 1, **SMALL, "variants": []}),
    "a variant is a list": json.dumps({"number": 1, **SMALL, "variants": [[]]}),
    "span is a text": json.dumps({"number": 1, **SMALL, "span": "0,1"}),
    "span is turned": json.dumps({"number": 1, **SMALL, "span": [2, 1]}),
    "span is infinite": '{"number": 1, "scenario": "umts-dch-384", "span": [0, 1e999]}',
    "span is of great numbers": json.dumps({"number": 1, **SMALL, "span": [0, 10**400]}),
    "span is too short": json.dumps({"number": 1, **SMALL, "span": [1, 1.0000000000000002]}),
    "span is of nothing": json.dumps({"number": 1, **SMALL, "span": [0, 5e-324]}),
    "columns": json.dumps({"number": 1, **SMALL, "columns": 10**9}),
    "panels": json.dumps({"number": 1, **SMALL, "panels": [{}]}),
    "a controller": '{"number": 1, "scenario": "link", "set": {"tcp.variant": "mine.py:Mine"}}',
    "a table of a file": json.dumps(
        {"number": 1, "scenario": "link", "set": {"link.trace.down": "/etc/passwd"}}
    ),
    "lines": '{"number": 1, "scenario": "link", "set": {"tcp.variant": "a\\nb\\r\\u2028"}}',
    "a crowd": '{"number": 1, "scenario": "umts-cell-50", "set": {"radio.ues": "10000"}}',
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_message_that_is_no_request_is_told_so_in_a_line(lab, what):
    with socket(lab) as opened:
        opened.send(HOSTILE[what])
        answer = told(opened)
        said = answer["error"]
        assert isinstance(said, str)
        assert len(said.splitlines()) == 1
        assert isinstance(answer["number"], int)
        assert works(opened)


def test_bytes_and_great_messages_end_the_socket(lab):
    for message in (b"\xff\x00", b"", " " * (1 << 21)):
        # A great message may be refused before all of it is sent.
        with socket(lab) as opened, pytest.raises(ConnectionClosed):  # noqa: PT012
            opened.send(message)
            opened.recv(LIMIT_S)
    with socket(lab) as opened:
        assert works(opened)


def test_unknown_panels_and_names_do_no_harm(lab):
    evil = "<img src=x onerror=alert(1)>"
    with socket(lab) as opened:
        opened.send(
            json.dumps(
                {
                    **SMALL,
                    "number": 1,
                    "set": {"duration": "2s", "name": evil, "description": evil},
                    "panels": [evil, "cwnd"],
                    evil: evil,
                }
            )
        )
        answer = told(opened)
        assert [panel["name"] for panel in answer["panels"]] == ["cwnd"]


def test_of_many_requests_at_once_the_newest_is_answered(lab):
    with socket(lab) as opened:
        for number in range(50):
            of = {"duration": f"{2 + number % 7} s"}
            opened.send(json.dumps({**SMALL, "number": number, "set": of}))
        numbers: list[int] = []
        while not numbers or numbers[-1] != 49:
            numbers.append(told(opened)["number"])
        assert numbers == sorted(numbers)
        assert works(opened)


def test_who_leaves_at_once_leaves_nothing(lab):
    for _ in range(5):
        with socket(lab) as opened:
            opened.send(json.dumps({**SMALL, "number": 1, "set": {"duration": "500 s"}}))
    with socket(lab) as opened:
        assert works(opened)
