"""The grid of a sweep: parsing of text, and order of points."""

from contextlib import suppress
from itertools import product

import pytest
import thinpipe as tp
from hypothesis import given
from hypothesis import strategies as st
from thinpipe.sweep.grid import MAX_SEED, Grid, split

WORDS = st.text("abc012 .%/=-", min_size=1, max_size=6).filter(lambda text: text == text.strip())
QUOTED = st.one_of(
    st.text("ab ,[]{}()'", max_size=6).map(lambda text: f'"{text}"'),
    st.text('ab ,[]{}()"\\', max_size=6).map(lambda text: f"'{text}'"),
    st.text('ab,"\\', max_size=6).map(
        lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    ),
)
NESTED = st.recursive(
    WORDS | QUOTED,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]"),
        st.lists(inner, max_size=3).map(lambda parts: f"{{{', '.join(parts)}}}"),
    ),
    max_leaves=6,
)


@given(st.lists(NESTED, min_size=1, max_size=5))
def test_what_was_joined_by_commas_is_split_again(parts):
    assert split(",".join(parts)) == parts
    assert split(" , ".join(parts)) == parts


@given(st.text("[](){}\"'\\,a ", max_size=12))
def test_any_text_is_split_or_refused(text):
    try:
        parts = split(text)
    except ValueError:
        return
    assert "".join(",".join(parts).split()) == "".join(text.split())


@given(st.text(max_size=30))
def test_any_text_is_a_grid_or_a_scenario_error(text):
    with suppress(tp.ScenarioError):
        assert len(Grid.of([("tcp.window", text)], text)) >= 1


@given(
    st.lists(
        st.lists(st.integers(0, 99), min_size=1, max_size=4, unique=True), min_size=1, max_size=3
    ),
    st.lists(st.integers(0, MAX_SEED), min_size=1, max_size=3, unique=True),
)
def test_grid_is_the_cartesian_product_in_order(values, seeds):
    keys = [f"k{number}" for number in range(len(values))]
    text = [(key, ",".join(map(str, each))) for key, each in zip(keys, values, strict=True)]
    grid = Grid.of(text, ",".join(map(str, seeds)))
    found = [tuple(int(str(value)) for _, value in each) for each in grid.combinations()]
    assert found == list(product(*values))
    assert (grid.seeds, len(grid)) == (tuple(seeds), len(found) * len(seeds))
    same = Grid.of(dict(zip(keys, values, strict=True)), seeds)
    assert [*same.combinations()] == [
        tuple(zip(keys, each, strict=True)) for each in product(*values)
    ]


@given(st.integers(-50, 50), st.integers(0, 30))
def test_range_has_both_ends(first, more):
    grid = Grid.of({"k": f"{first}..{first + more}"}, None)
    assert grid.axes == (("k", tuple(range(first, first + more + 1))),)
    assert grid.seeds == (None,)


def test_ranges_stand_beside_values_and_paths_are_none():
    grid = Grid.of({"k": "1..3, 8,unlimited", "f": "../a.trace,1...2"}, None)
    assert grid.axes == (("k", (1, 2, 3, "8", "unlimited")), ("f", ("../a.trace", "1...2")))


def test_schedules_are_values():
    off, steps = "[]", '[{at = "1 s", rate = "64 kbit/s"}, {at = "2 s", loss = 0.1}]'
    assert split(f"{off},{steps}") == [off, steps]
    frame = tp.sweep(
        "link",
        {"link.schedule": f"{off},{steps}"},
        {"link.rate": "384 kbit/s", "duration": "5 s"},
    )
    free, slowed = frame["goodput_bps"]
    assert slowed < free / 2


@pytest.mark.parametrize(
    ("vary", "seeds", "expected"),
    [
        ({"k": []}, None, r"^k=\[\]: no value$"),
        ({"k": "1,(2"}, None, r"^k=1,\(2: \) is missing$"),
        ({"k": "1,2]"}, None, r"^k=1,2\]: \] closes nothing$"),
        ({"k": '1,"2'}, None, '^k=1,"2: " is missing$'),
        ([("k", 1), (" k ", 2)], None, "^k=2: varied over 1 as well; once only$"),
        ({"k": [1, "1"]}, None, "1 stands there twice$"),
        ({"k": 1}, "1.5", "^seeds=1.5: whole numbers from 0"),
        ({"k": 1}, [1, 1], "1 stands there twice$"),
        ({"k": 1}, MAX_SEED + 1, "whole numbers from 0"),
        ({"k": 1}, "1..9999999999999", "at most 1,000,000 numbers$"),
    ],
)
def test_bad_grid(vary, seeds, expected):
    with pytest.raises(tp.ScenarioError, match=expected):
        Grid.of(vary, seeds)
