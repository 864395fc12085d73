"""Scenarios made of nested dicts."""

import tomllib
from typing import Any

import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="."), min_size=1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
LISTS = st.lists(PLAIN | st.dictionaries(NAMES, PLAIN, max_size=3), max_size=3)
TABLES = st.recursive(
    st.dictionaries(NAMES, PLAIN | LISTS, max_size=4),
    lambda tables: st.dictionaries(NAMES, PLAIN | tables, max_size=3),
    max_leaves=8,
)


@given(TABLES)
def test_tables_come_back_from_their_text(tables: dict[str, Any]) -> None:
    assert tomllib.loads(tp.Scenario.of(tables).source) == tables


@pytest.mark.parametrize("name", sorted(tp.scenarios()))
def test_a_shipped_scenario_is_the_same_from_its_tables(name: str) -> None:
    shipped = tp.scenarios()[name]
    assert tp.Scenario.of(shipped.to_dict(), name).values() == shipped.values()


def test_a_dot_in_a_key_stands_for_a_table() -> None:
    nested = {"link": {"rate": "2 Mbit/s", "delay": "40 ms"}, "duration": "5 s"}
    dotted = {"link.rate": "2 Mbit/s", "link.delay": "40 ms", "duration": "5 s"}
    assert tp.Scenario.of(nested).source == tp.Scenario.of(dotted).source
    runs = [tp.run(tables, tcp__variant="cubic") for tables in (nested, dotted)]
    assert runs[0].flows == runs[1].flows
    assert runs[0].result.scenario == "scenario"


def test_a_wrong_key_is_named() -> None:
    with pytest.raises(tp.ScenarioError, match=r"link\.rte"):
        tp.run({"link": {"rte": "2 Mbit/s"}})
    with pytest.raises(TypeError, match=r"link\.rate"):
        tp.run({"link": {"rate": object()}})


def test_tables_are_a_mapping() -> None:
    with pytest.raises(TypeError, match=r"^tables: must be a mapping .*, not 'plain-384'$"):
        tp.Scenario.of("plain-384")  # type: ignore[arg-type]


def test_settings_are_a_mapping() -> None:
    with pytest.raises(TypeError, match=r"^settings: must be a mapping"):
        tp.run("bottleneck", [("tcp.variant", "vegas")])  # type: ignore[arg-type]
