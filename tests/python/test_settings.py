"""Settings from Python reach a scenario as text of its file."""

from fractions import Fraction

import numpy as np
import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.point import Point
from thinpipe.values import as_text


def test_keywords_and_mapping_are_one_list():
    point = Point.of("umts-dch-384", {"tcp.variant": "vegas"}, seed=7, radio__rlc__in_order=False)
    assert point.settings == (
        ("tcp.variant", "vegas"),
        ("seed", "7"),
        ("radio.rlc.in_order", "false"),
    )


def test_equal_points_are_one_key():
    assert len({Point.of("umts-dch-384", seed=1), Point.of("umts-dch-384", {"seed": "1"})}) == 1


def test_value_of_another_kind_is_refused():
    with pytest.raises(TypeError, match=r"tcp\.mss: \{512\} is neither text nor a number"):
        Point.of("umts-dch-384", tcp__mss={512})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float64(0.1), "0.1"),
        (np.int64(3), "3"),
        (np.uint8(3), "3"),
        (np.bool_(True), "true"),  # noqa: FBT003
        (np.str_("5 %"), "5 %"),
        (np.array(2), "2"),
        (Fraction(1, 4), "0.25"),
        ([14, np.int64(28)], "[14, 28]"),
        ((), "[]"),
        ([("5 s", "20 s")], '[["5 s", "20 s"]]'),
        ([{"at": "20 s", "loss": 0.5}], '[{at = "20 s", loss = 0.5}]'),
        (False, "false"),
    ],
)
def test_numbers_of_other_libraries_are_numbers(value, text):
    assert as_text("key", value) == text


@pytest.mark.parametrize("settings", ["seed=1", ["seed=1"], [("seed", 1, 2)]])
def test_settings_that_are_no_pairs_are_refused(settings):
    with pytest.raises(TypeError, match=r"^settings: must be a mapping with keys of text, such as"):
        tp.run("umts-dch-384", settings)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seed", -1, "seed=-1: must be a whole number from 0"),
        ("tcp__variont", "reno", "tcp.variont=reno: unknown key; did you mean tcp.variant?"),
    ],
)
def test_error_names_the_key(key, value, message):
    with pytest.raises(tp.ScenarioError) as caught:
        tp.run("umts-dch-384", **{key: value})
    assert str(caught.value) == message


def test_every_key_has_its_default_and_its_meaning():
    listed = tp.keys()
    keys = {key.name: key for key in listed}
    assert keys["tcp.variant"].default == "reno"
    assert "prague or copa" in keys["tcp.variant"].expected
    assert all(key.expected and key.doc for key in keys.values())


def test_scenario_error_is_named_where_it_is_found():
    assert tp.ScenarioError.__module__ == "thinpipe"
    assert tp.ScenarioError is vars(tp)["ScenarioError"]


def test_nearest_scenario_only_if_it_is_near():
    with pytest.raises(tp.ScenarioError, match="ships; did you mean umts-dch-384"):
        tp.run("umts-dhc-384")
    with pytest.raises(tp.ScenarioError, match=r"ships; see `thinpipe pipes`$"):
        tp.run("nope")


def test_description_of_what_is_not_toml():
    with pytest.raises(tp.ScenarioError, match=r"^mine: not TOML: "):
        _ = tp.Scenario("mine", "description =").description


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_survives_as_text(value):
    assert float(as_text("key", value)) == value


@given(
    st.sampled_from(["vegas", "reno"]),
    st.integers(64, 1460),
    st.integers(1, 64),
    st.floats(0, 0.9),
    st.integers(0, 2**64 - 1),
)
def test_settings_change_the_run_that_they_name(variant, mss, window, tbler, seed):
    run = tp.run(
        "umts-dch-384",
        {"tcp.variant": variant, "radio.tbler": tbler},
        tcp__mss=mss,
        tcp__window=window,
        seed=seed,
        duration="2 s",
    )
    flow = run.flows[0]
    assert (flow.variant, run.result.seed, run.result.duration_s) == (variant, seed, 2.0)
    assert flow.bytes_acked % mss == 0
    assert flow.cwnd_segments.max is None or flow.cwnd_segments.max <= window
    assert (flow.normalized_throughput or 0.0) <= 1.0


@pytest.mark.parametrize(
    ("settings", "more", "message"),
    [
        ({"tcp.mss": 1}, {"tcp__mss": 2}, "tcp.mss=2: set to 1 as well; give it once"),
        ({"seed": 1, " seed": 1}, {}, "seed=1: set to 1 as well; give it once"),
    ],
)
def test_key_that_is_set_twice_is_refused(settings, more, message):
    for call in (tp.Point.of, tp.run, tp.emulate):
        with pytest.raises(tp.ScenarioError) as caught:
            call("plain-384", settings, **more)
        assert str(caught.value) == message


RADIO_KINDS = next(key.words for key in tp.keys("radio.kind") if key.name == "radio.kind")


@pytest.mark.parametrize("kind", RADIO_KINDS)
def test_default_of_a_key_is_that_of_its_kind(kind):
    radio = {"kind": kind} | ({"ues": 1} if kind == "umts-cell" else {})
    values = tp.scenario.find({"radio": radio}).values()
    plain = values.keys() - {"radio.kind", "radio.ues"}
    keys = [key for key in tp.keys("radio.") if key.name in plain]
    assert len(keys) >= 10
    for key in keys:
        of_kind = [other.default for other in key.other_defaults if kind in other.kinds]
        assert values[key.name] == (of_kind or [key.default])[0], key.name
