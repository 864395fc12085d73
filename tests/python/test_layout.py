"""Crates depend on lower layers only, and files and lines stay short."""

import json
import re
import subprocess

import pytest

LAYERS = (
    {"base"},
    {"observe", "settings"},
    {"aqm"},
    {"cc", "link", "mobility", "wire"},
    {"os", "radio", "tcp"},
    {"middlebox"},
    {"proxy", "world"},
    {"daemon", "scenario"},
    {"sim"},
    {"emulator"},
    {"costs", "peer", "py"},
    {"benches"},
)
"""From the lowest layer up: a crate may only depend on crates of lower layers."""

MUST_NOT_USE = {
    "radio": {"cc", "wire"},
    "tcp": {"link", "wire"},
    "middlebox": {"link", "radio", "wire"},
}
"""Crates of lower layers that a crate must not depend on either."""

DAEMON_MUST_NOT_USE = {"emulator", "link", "mobility", "radio", "scenario", "sim", "world"}
"""Crates that a router does not need; the daemon must not depend on them, not even indirectly."""

LONGEST_FILE = 500
LONGEST_LINE = 100


@pytest.fixture
def uses(root):
    """Return the crates that each crate depends on, without those of its tests."""
    text = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"],
        cwd=root,
        capture_output=True,
        check=True,
    ).stdout
    return {
        package["name"]: {
            each["name"]
            for each in package["dependencies"]
            if "path" in each and each["kind"] is None
        }
        for package in json.loads(text)["packages"]
    }


def test_every_crate_is_in_one_layer(uses):
    crates = [crate for layer in LAYERS for crate in layer]
    assert sorted(crates) == sorted(uses)


def test_crates_depend_on_lower_layers(uses):
    layer_of = {crate: number for number, layer in enumerate(LAYERS) for crate in layer}
    upward = [
        f"{crate} uses {other}"
        for crate, others in uses.items()
        for other in others
        if layer_of[other] >= layer_of[crate] or other in MUST_NOT_USE.get(crate, set())
    ]
    assert upward == []


def test_daemon_does_not_depend_on_the_simulator(uses):
    reached = set()
    ahead = {"daemon"}
    while ahead:
        reached |= ahead
        ahead = {other for crate in ahead for other in uses[crate]} - reached
    assert reached & DAEMON_MUST_NOT_USE == set()
    assert "proxy" in reached


def test_files_stay_small(root):
    files = [*root.glob("crates/*/src/**/*.rs"), *root.glob("python/**/*.py")]
    files += root.glob("python/**/*.js")
    assert len(files) > 50
    large = []
    for file in files:
        code = re.split(r"^#\[cfg\(test\)\]", file.read_text(encoding="utf-8"), flags=re.M)[0]
        if len(code.splitlines()) > LONGEST_FILE:
            large.append(f"{file.relative_to(root)}: {len(code.splitlines())} lines")
    assert large == []


def test_lines_stay_short(root):
    long = [
        f"{file.relative_to(root)}:{number}"
        for file in [
            *root.glob("crates/**/*.rs"),
            *root.glob("tests/peer/**/*.rs"),
            *root.glob("tests/costs/**/*.rs"),
            *root.glob("benches/*.rs"),
            *root.glob("python/**/*.py"),
            *root.glob("python/**/*.js"),
        ]
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []
