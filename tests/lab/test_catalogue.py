"""What a page may run: scenarios by name, settings that name no file."""

from __future__ import annotations

import pytest
import thinpipe as tp
from thinpipe import keys as known_keys
from thinpipe.lab.catalogue import Catalogue, Opened
from thinpipe.lab.request import RequestError


def test_all_names_are_listed_with_what_they_are():
    listed = Catalogue({}).listed()
    assert [each["name"] for each in listed] == [*tp.scenarios(), *tp.pipes()]
    assert all(each["description"] for each in listed)


def test_what_the_command_line_opened_comes_first():
    mine = tp.scenarios()["plain-384"]
    catalogue = Catalogue({"mine": Opened(mine, (("tcp.window", "9"),))})
    assert catalogue.first == "mine"
    assert dict(catalogue.point("mine", ()).settings) == {"tcp.window": "9"}
    assert dict(catalogue.point("mine", (("tcp.window", "8"),)).settings) == {"tcp.window": "8"}
    assert catalogue.described("mine")["values"]["tcp.window"] == "9"


@pytest.mark.parametrize("name", tp.scenarios())
def test_a_scenario_is_described_with_a_control_for_each_key(name):
    described = Catalogue({}).described(name)
    assert {"tcp.variant", "duration"} <= set(described["keys"])
    for key in described["keys"]:
        assert key in described["values"]
        assert described["controls"][key]["key"] == key
        assert described["controls"][key]["expected"]


@pytest.mark.parametrize("name", ["", "nowhere", "/etc/passwd", "../scenarios/link.toml", "<b>\n"])
def test_no_other_scenario_can_be_named(name):
    with pytest.raises(RequestError, match=r"^unknown scenario .*: the page has a list of them$"):
        Catalogue({}).point(name, ())


FILES = [
    ("link", "tcp.variant", "mine.py:Mine"),
    ("link", "tcp.variant", "./mine"),
    ("link", "tcp.variant", "mine.py"),
    ("link", "tcp.congestion_control", "mine.py"),
    ("link", "link.trace.down", "/etc/passwd"),
    ("link", "link.trace.up", "x"),
    ("link", "flow.arrivals", "shipped:lte-drive-up"),
]


@pytest.mark.parametrize(("name", "key", "text"), FILES)
def test_no_setting_names_a_file(name, key, text):
    with pytest.raises(RequestError, match="a page cannot name files; open the lab with it"):
        Catalogue({}).point(name, ((key, text),))


def test_a_setting_names_a_trace_that_ships():
    setting = ("link.trace.up", "shipped:lte-drive-up")
    assert dict(Catalogue({}).point("link", (setting,)).settings) == dict([setting])


def test_every_key_that_takes_a_file_is_refused():
    catalogue = Catalogue({})
    takers = [key.name for key in known_keys() if key.expected.startswith("the path of")]
    assert "flow.group.NAME.arrivals" in takers
    for key in takers:
        with pytest.raises(RequestError, match="cannot name files"):
            catalogue.point("link", ((key.replace("NAME", "web"), "/etc/passwd"),))


def test_a_file_that_the_command_line_gave_stays(mine):
    given = ("tcp.congestion_control", f"{mine}:Mine")
    catalogue = Catalogue({"mine": Opened(tp.scenarios()["link"], (given,))})
    assert dict(catalogue.point("mine", (given,)).settings)
    for name, text in (("mine", f"{mine.parent}/other.py"), ("link", given[1])):
        with pytest.raises(RequestError, match="cannot name files"):
            catalogue.point(name, (("tcp.congestion_control", text),))
