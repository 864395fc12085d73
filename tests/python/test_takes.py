"""What a key takes, said for programs, is what it takes."""

import math
import re
from decimal import Decimal

import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st
from thinpipe import _core

KEYS = tp.keys()
NUMBERS = [key for key in KEYS if key.takes.kind not in {"choice", "flag", "other"}]
LONGEST, FASTEST = 1e8, 1e12
"""No duration in s is longer and no rate in bit/s higher, which ``expected`` does not mention."""


def named(key):
    return key.name


def written(takes, number):
    """Return a number as a scenario has it, without an exponent."""
    text = f"{Decimal(repr(number)):f} {takes.unit}"
    return text.strip()


def refusal(key, text):
    with pytest.raises(tp.ScenarioError) as caught:
        key.number(text)
    return str(caught.value)


def is_within(takes, number):
    low = -math.inf if takes.minimum is None else takes.minimum
    high = math.inf if takes.maximum is None else takes.maximum
    is_above = number > low if takes.exclusive_minimum else number >= low
    return is_above and (number < high if takes.exclusive_maximum else number <= high)


def test_there_is_every_kind():
    numbers = {"duration", "rate", "size", "whole", "number", "probability"}
    assert {key.takes.kind for key in NUMBERS} == numbers
    assert {key.takes.kind for key in KEYS} == numbers | {"choice", "flag", "other"}


@pytest.mark.parametrize(
    ("name", "kind", "unit", "limits", "words"),
    [
        ("tcp.min_rto", "duration", "s", (0, LONGEST), ()),
        ("link.rate", "rate", "bit/s", (1, FASTEST), ("unlimited",)),
        ("tcp.mss", "size", "B", (1, 65_495), ()),
        ("seed", "whole", "", (0, None), ()),
        ("queue.packets", "whole", "", (1, 1e9), ("unlimited", "as kind")),
        ("link.loss", "probability", "", (0, 1), ()),
        (
            "queue.kind",
            "choice",
            "",
            (None, None),
            ("droptail", "red", "codel", "fair", "fq-codel", "pie", "dualpi2", "cake"),
        ),
        ("tcp.sack", "flag", "", (None, None), ("true", "false", "recovery")),
        ("link.outages", "other", "", (None, None), ()),
    ],
)
def test_what_a_key_takes(name, kind, unit, limits, words):
    takes = next(key.takes for key in KEYS if key.name == name)
    assert (takes.kind, takes.unit, takes.words) == (kind, unit, words)
    assert (takes.minimum, takes.maximum) == limits


@pytest.mark.parametrize("key", [key for key in KEYS if key.takes.kind != "other"], ids=named)
def test_a_default_is_among_what_its_key_takes(key):
    number = key.number(key.default)
    assert key.default in key.takes.words if number is None else is_within(key.takes, number)


@pytest.mark.parametrize("key", [key for key in KEYS if key.takes.words], ids=named)
def test_every_word_is_taken_and_named(key):
    for word in key.takes.words:
        # A delayed acknowledgement that is true waits for 100 ms.
        assert key.number(word) == (0.1 if (key.takes.kind, word) == ("duration", "true") else None)
        assert word in key.expected or "a power of two from 4 to 512" in key.expected
    if key.takes.kind not in {"flag", "other"}:
        assert "neither: " in refusal(key, "neither")


@pytest.mark.parametrize("key", NUMBERS, ids=named)
def test_limits_are_taken_and_what_is_beyond_is_not(key):
    takes = key.takes
    step = Decimal("1e-9" if takes.unit == "s" else "1")
    for limit, is_exclusive, beyond in (
        (takes.minimum, takes.exclusive_minimum, -step),
        (takes.maximum, takes.exclusive_maximum, step),
    ):
        if limit is None:
            continue
        if is_exclusive:
            assert key.name in refusal(key, written(takes, limit))
        else:
            assert key.number(written(takes, limit)) == as_kept(key, limit)
        assert key.name in refusal(key, f"{Decimal(repr(limit)) + beyond:f} {takes.unit}".strip())


@given(st.data())
def test_a_number_is_taken_if_it_is_within_the_limits(data):
    key = data.draw(st.sampled_from(NUMBERS), label="key")
    takes = key.takes
    low = -1e12 if takes.minimum is None else takes.minimum
    high = 1e12 if takes.maximum is None else takes.maximum
    if takes.kind in {"number", "probability"}:
        wide = st.floats(-1e9, 1e9) | st.floats(low, high)
        number = data.draw(wide.map(lambda number: round(number, 6)), label="number")
    else:
        scale = 10**9 if takes.kind == "duration" else 1
        wide = st.integers(-10, 10**18) | st.integers(round(low * scale), round(high * scale))
        number = data.draw(wide, label="number") / scale
    text = written(takes, number)
    if is_within(takes, number):
        assert key.number(text) == pytest.approx(as_kept(key, number), rel=1e-12, abs=1e-9)
    else:
        assert key.name in refusal(key, text)


def as_kept(key, number):
    """Return a number as its key keeps it: a window of 4096 in 12 bits is one of 4095."""
    return min(number, 4095) if "4096 counts as 4095" in key.expected else number


UNIT = r"(?: (?!to\b)([a-zA-Z/%]+))?"
LIMITS = re.compile(rf"from (-?[\d.]+){UNIT}(?: to (below )?(-?[\d.]+){UNIT})?")
SCALES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "min": 60, "%": 0.01}


@pytest.mark.parametrize("key", NUMBERS, ids=named)
def test_limits_are_those_that_people_read(key):
    takes = key.takes
    minimum = maximum = None
    is_above = is_below = False
    if found := LIMITS.search(key.expected):
        low, low_unit, below, high, high_unit = found.groups()
        minimum = float(low) * SCALES.get(low_unit, 1)
        maximum = float(high) * SCALES.get(high_unit, 1) if high else None
        is_below = below is not None
    elif "above zero" in key.expected or "above 0 %" in key.expected:
        minimum = {"duration": 1e-9, "rate": 1}.get(takes.kind, 0)
        is_above = takes.kind not in {"duration", "rate"}
    elif "not below zero" in key.expected or takes.kind == "duration":
        minimum = 0
    if found := re.search(r"up to (\d+)( %)?", key.expected):
        maximum = float(found[1]) * (0.01 if found[2] else 1)
    if maximum is None:
        maximum = {"duration": LONGEST, "rate": FASTEST}.get(takes.kind)
    assert (takes.minimum, takes.maximum) == pytest.approx((minimum, maximum))
    assert (takes.exclusive_minimum, takes.exclusive_maximum) == (is_above, is_below)
    assert takes.unit in key.expected or takes.kind in {"duration", "rate"}


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("seed", "-1", "seed=-1: must be a whole number from 0"),
        ("tcp.variont", "reno", "tcp.variont=reno: unknown key; did you mean tcp.variant?"),
        ("tcp", "reno", "tcp=reno: a table; set one of its keys, as in tcp.profile"),
        (
            "queue.kind",
            "fiar",
            "queue.kind=fiar: must be droptail, red, codel, fair, fq-codel, pie, dualpi2 or cake; "
            "did you mean fair?",
        ),
        ("seed", "[1]", "seed=[1]: expected a whole number from 0"),
    ],
)
def test_what_is_no_value_is_refused_in_the_usual_line(key, text, message):
    with pytest.raises(tp.ScenarioError) as caught:
        _core.number(key, text)
    assert str(caught.value) == message


def test_numbers_of_a_scenario_are_read_as_its_keys_read_them():
    read = {key: _core.number(key, text) for key, text in tp.scenarios()["link"].values().items()}
    assert (read["duration"], read["flow.bytes"], read["flow.udp.rate"]) == (60, 1e6, 64e3)
    assert read["link.back.delay"] is read["tcp.variant"] is read["link.outages"] is None


def test_a_key_of_some_kinds_names_them():
    needs = {key.name: key.needs for key in KEYS}
    assert needs["seed"] == ()
    assert needs["radio.rlc.mode"] == (
        tp.Needs("radio.kind", ("umts-dch", "umts-cell", "umts-hs")),
    )
