"""The stairs between rooms go one way, and the rooms stay small."""

import json
import re
import subprocess

import pytest

STAIRS = (
    {"base"},
    {"observe", "settings"},
    {"cc", "link", "mobility", "wire"},
    {"os", "radio", "tcp"},
    {"middlebox"},
    {"proxy", "world"},
    {"daemon", "scenario"},
    {"sim"},
    {"emulator"},
    {"py"},
)
"""From the ground up: a room may use only rooms of lower steps."""

MAY_NOT_KNOW = {
    "radio": {"cc", "wire"},
    "tcp": {"link", "wire"},
    "middlebox": {"link", "radio", "wire"},
}
"""Rooms below that a room must do without all the same."""

DAEMON_DOES_WITHOUT = {"emulator", "link", "mobility", "radio", "scenario", "sim", "world"}
"""What is not on a router, not even by way of other rooms."""

LONGEST_FILE = 500
LONGEST_LINE = 100


@pytest.fixture
def uses(root):
    """Return the rooms that each room uses outside its tests."""
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


def test_every_room_stands_on_one_step(uses):
    rooms = [room for step in STAIRS for room in step]
    assert sorted(rooms) == sorted(uses)


def test_stairs_go_one_way(uses):
    step_of = {room: number for number, step in enumerate(STAIRS) for room in step}
    upward = [
        f"{room} uses {other}"
        for room, others in uses.items()
        for other in others
        if step_of[other] >= step_of[room] or other in MAY_NOT_KNOW.get(room, set())
    ]
    assert upward == []


def test_daemon_does_without_the_simulator(uses):
    reached = set()
    ahead = {"daemon"}
    while ahead:
        reached |= ahead
        ahead = {other for room in ahead for other in uses[room]} - reached
    assert reached & DAEMON_DOES_WITHOUT == set()
    assert "proxy" in reached


def test_files_stay_small(root):
    files = [*root.glob("crates/*/src/**/*.rs"), *root.glob("python/**/*.py")]
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
        for file in [*root.glob("crates/**/*.rs"), *root.glob("python/**/*.py")]
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []
