"""Whatever a page sends is a request, or an error of one line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.lab.request import (
    LONGEST_TEXT,
    MOST_COLUMNS,
    MOST_NUMBER,
    MOST_VARIANTS,
    NO_NUMBER,
    Request,
    RequestError,
    number_of,
)

PARTS = (
    *("number", "scenario", "set", "variants", "before", "without", "span", "columns", "panels"),
    *("focus", "flow", "coarse", "breaks"),
)
NAMES = (*PARTS, "name", "at_s", "sizes")
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | st.text(max_size=20)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), inner, max_size=6)
    ),
    max_leaves=15,
)
MESSAGES = VALUES | st.fixed_dictionaries({}, optional=dict.fromkeys(PARTS, VALUES))


def read(message: object) -> Request | RequestError:
    try:
        return Request.of(message)
    except RequestError as error:
        return error


@given(MESSAGES)
def test_anything_is_a_request_or_an_error_of_one_line(message):
    number = number_of(message)
    assert number == NO_NUMBER or 0 <= number <= MOST_NUMBER
    request = read(message)
    if isinstance(request, RequestError):
        assert len(str(request).splitlines()) == 1
        return
    assert isinstance(message, dict)
    assert 1 <= len(request.variants) <= MOST_VARIANTS
    assert 50 <= request.columns <= MOST_COLUMNS
    assert request.span is None or 0 <= request.span[0] < request.span[1]
    assert request.number == message.get("number", 0)
    assert hash(request) == hash(Request.of(message))


SETTINGS = st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=4)
GOOD = st.fixed_dictionaries(
    {"number": st.integers(0, MOST_NUMBER), "scenario": st.text(max_size=9), "set": SETTINGS},
    optional={
        "variants": st.lists(SETTINGS, min_size=1, max_size=MOST_VARIANTS),
        "before": st.none() | SETTINGS,
        "without": st.booleans(),
        "span": st.none() | st.floats(0, 1e6).map(lambda start: [start, start + 1]),
        "columns": st.integers(50, MOST_COLUMNS),
        "panels": st.none() | st.lists(st.text(max_size=9), max_size=9),
        "focus": st.integers(0, MOST_VARIANTS - 1),
        "flow": st.integers(0, 200),
        "coarse": st.booleans(),
    },
)


@given(GOOD)
def test_what_a_page_may_send_is_a_request(message):
    """And nothing in it is lost on the way through JSON."""
    request = Request.of(json.loads(json.dumps(message)))
    assert dict(request.settings) == {key.strip(): text for key, text in message["set"].items()}
    assert request.scenario == message["scenario"]
    assert request.number == number_of(message) == message["number"]
    assert len(request.variants) == len(message.get("variants", [{}]))
    assert request.panels == (None if message.get("panels") is None else tuple(message["panels"]))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (None, "a request must be an object"),
        ({"variants": []}, "variants: must be 1 to 4, not 0"),
        ({"variants": [{}] * 5}, "variants: must be 1 to 4, not 5"),
        ({"set": {"a": 1}}, "'a': must be a text of at most 10,000 characters"),
        (
            {"set": {"a": "x" * (LONGEST_TEXT + 1)}},
            "'a': must be a text of at most 10,000 characters",
        ),
        ({"set": {"a\nb": 1}}, "'a\\nb': must be a text of at most 10,000 characters"),
        ({"span": [1, 1.0000001]}, "span: must begin at 0 or later, and be 1 µs or more"),
        ({"span": [-1, 1]}, "span: must begin at 0 or later, and be 1 µs or more"),
        ({"span": [0, 10**400]}, "span: each time must be a number"),
        ({"span": [0, True]}, "span: each time must be a number"),
        ({"span": [0]}, "span: must be two times in seconds"),
        ({"columns": 49}, "columns: must be a whole number from 50 to 4000"),
        ({"columns": 800.0}, "columns: must be a whole number from 50 to 4000"),
    ],
)
def test_what_is_wrong_is_said(message: Any, said):
    with pytest.raises(RequestError) as wrong:
        Request.of(message)
    assert str(wrong.value) == said
