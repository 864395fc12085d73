"""docs/mobility.md: its scenario runs, and its commands print the output there."""

import json
import re

import pytest
import thinpipe as tp

SCENARIO = "hmipv6-handover"


@pytest.fixture
def page(root):
    return (root / "docs" / "mobility.md").read_text(encoding="utf-8")


@pytest.fixture
def mine(page, tmp_path):
    """Return the page's scenario as a file."""
    (source,) = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "mine.toml").write_text(source)
    return "mine.toml"


def test_the_scenario_runs(thinpipe, mine):
    done = thinpipe("run", mine, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [each["router"] for each in result["mobility"]["handovers"]] == [1, 2]
    assert result["flows"][0]["bytes_acked"] > 1_000_000


def test_settings_of_the_page_are_taken(thinpipe, page, mine):
    settings = re.findall(r"`--set '([^']*)'`", page)
    assert len(settings) >= 2
    for setting in settings:
        done = thinpipe("run", mine, "--set", setting, "--json")
        assert done.returncode == 0, done.stderr


def test_places_are_those_that_are_listed(thinpipe, page):
    done = thinpipe("show", SCENARIO)
    assert done.returncode == 0, done.stderr
    listed = "\n".join(f"    {line.rstrip()}" for line in done.stdout.splitlines() if line.strip())
    (said,) = re.findall(r"^    name  .*?(?=\n\n)", page, re.DOTALL | re.MULTILINE)
    assert said in listed


@pytest.mark.parametrize(
    ("settings", "differ"),
    [
        ({}, False),
        ({"wlan.access": "csma-ca"}, True),
        ({"mobile_ip.answer_delay": "500 ms"}, True),
        ({"wlan.power": "0 dBm"}, True),
        ({"wlan.power": "0 dBm", "wlan.loss": "none"}, False),
        ({"wlan.mobiles": 2, "flow.count": 3}, True),
        ({"flow.application": "web"}, True),
    ],
)
def test_what_seeds_change(settings, differ):
    runs = [tp.run(SCENARIO, settings, seed=seed).result for seed in (1, 2)]
    one, other = ((run.flows, run.links) for run in runs)
    assert (one != other) == differ


def test_frames_out_of_range_are_lost_without_errors_of_the_radio():
    links = tp.run(SCENARIO, {"wlan.loss": "none"}).result.links
    assert sum(link.drops_by_reason.loss for link in links) > 0


def test_two_access_points_at_one_place_are_changed_once_at_rest():
    settings = {
        "wlan.access_point.AR2.position": ["500 m", "0 m"],
        "wlan.mobile.MN.position": ["500 m", "0 m"],
        "wlan.mobile.MN.walk": [],
        "duration": "60 s",
    }
    found = tp.run(SCENARIO, settings).result.mobility
    assert found is not None
    (only,) = found.handovers
    assert only.link_up_s < 1
    still = tp.run(SCENARIO, {**settings, "wlan.hysteresis": "0 dB"}).result.mobility
    assert still is not None
    assert still.handovers == ()
