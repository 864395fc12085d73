"""The tables of docs/variants.md are those of the program."""

import re
import tomllib

import pytest
import thinpipe as tp

from tests.expected import words

NEED_SACK = ("sack", "fack", "rack")


def rows(root, heading: str) -> list[list[str]]:
    """Return the first words in code of each cell of a table, by the first word of its head."""
    lines = (root / "docs" / "variants.md").read_text().splitlines()
    start = lines.index(next(line for line in lines if line.startswith(f"| `{heading}` |"))) + 2
    found = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        found.append([re.findall(r"`([^`]+)`", cell)[:1] for cell in line.split("|")[1:-1]])
    return [[words[0] for words in cells if words] for cells in found]


def variant(**settings: str) -> str:
    keys = {f"tcp.{key}": value for key, value in settings.items()}
    run = tp.run(
        "plain-384", {"tcp.timestamps": "true", "tcp.ecn": "accurate", **keys}, duration="1 s"
    )
    return run.flows[0].variant


def test_every_variant_is_the_pair_that_its_row_says(root):
    table = rows(root, "tcp.variant")
    assert [name for name, *_ in table] == words("tcp.variant")
    for name, control, recovery in table:
        assert variant(congestion_control=control, recovery=recovery) == name
        # Another half has another name, so the row has the right one.
        other = "reno" if recovery != "reno" else "newreno"
        assert variant(variant=name, recovery=other) != name
        assert variant(variant=name) == name


def test_other_pairs_have_both_names():
    assert variant(variant="vegas", recovery="sack") == "vegas+sack"
    assert variant(congestion_control="cubic", recovery="newreno") == "cubic+newreno"


def test_profiles_are_those_of_the_table(root):
    table = [name for [name, *_] in rows(root, "tcp.profile")]
    assert sorted(table) == sorted(words("tcp.profile"))
    assert {*table} - {"none"} <= {*tp.profiles()}


def leaves(table: dict[str, object], at: str) -> dict[str, object]:
    """Return the values of a table by their whole names."""
    found: dict[str, object] = {}
    for name, value in table.items():
        key = f"{at}.{name}"
        found |= leaves(value, key) if isinstance(value, dict) else {key: value}
    return found


def test_every_key_of_modern_stands_beside_its_standard_and_linux(root):
    page = (root / "docs" / "variants.md").read_text()
    section = page[page.index("### `modern`") : page.index("## Pacing")]
    table = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("| `tcp.")]
    said = {
        key: values[at]
        for cells in table
        for keys, values in [(re.findall(r"`([^`]+)`", cells[0]), cells[1].split(","))]
        for at, key in enumerate(keys)
    }
    modern = leaves(tomllib.loads(tp.profiles()["modern"])["tcp"], "tcp")
    assert said.keys() == modern.keys()
    for key, value in modern.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        assert said[key].strip().strip("`") == text, key


def test_recoveries_that_need_selective_acknowledgements_refuse_to_do_without():
    for recovery in words("tcp.recovery")[:-1]:  # the last is `variant`
        settings = {"tcp.recovery": recovery, "tcp.sack": "false"}
        if recovery in NEED_SACK:
            with pytest.raises(tp.ScenarioError, match=r"tcp\.sack must not be false"):
                tp.run("plain-384", settings, duration="1 s")
        else:
            tp.run("plain-384", settings, duration="1 s")
