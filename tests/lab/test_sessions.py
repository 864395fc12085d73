"""The lab's page over time: its address, several tabs, long runs, and a server that goes."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.lab import browsing
from tests.lab.browsing import Answers, change, expecting, open_state, settle, state, tables

FIRST = state("umts-dch-384", "tcp.variant=reno", "tcp.variant=vegas", span="2,6", focus="1")
SECOND = state("plain-384", "tcp.variant=cubic")
FOUR_KEYS = """(range) => {
  for (let key = 0; key < 4; key += 1) {
    range.stepUp(10);
    for (const name of ["input", "change"]) range.dispatchEvent(new Event(name, {bubbles: true}));
  }
}"""
"""What a browser tells of four presses of a key on a slider, at once on any machine."""
EVIL = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"


def test_an_address_brings_the_state_back(page):
    answers = Answers(page)
    open_state(page, state())
    change(page, "tcp.variant", "vegas")
    answers.newest()
    change(page, "tcp.window", "20")
    answers.newest()
    page.locator("#add-variant").click()
    shown = answers.newest()
    other = page.context.new_page()
    heard = Answers(other)
    other.goto(page.url)
    again = heard.newest()
    assert tables(other) == tables(page)
    assert {**again, "number": 0, "run_s": 0, "look_s": 0} == {
        **shown,
        "number": 0,
        "run_s": 0,
        "look_s": 0,
    }
    assert other.url == page.url


def test_back_and_forward(page):
    open_state(page, FIRST)
    first = tables(page)
    page.evaluate("hash => { location.hash = hash; }", SECOND)
    expecting(page.locator("#scenario")).to_have_value("plain-384")
    settle(page)
    second = tables(page)
    assert len(second) == 1
    page.go_back()
    expecting(page.locator("#scenario")).to_have_value("umts-dch-384")
    settle(page)
    assert tables(page) == first
    assert "span=2%2C6" in page.url
    page.go_forward()
    expecting(page.locator("#scenario")).to_have_value("plain-384")
    settle(page)
    assert tables(page) == second


def test_back_undoes_what_was_set(page):
    open_state(page, state("plain-384"))
    first = tables(page)
    change(page, "tcp.window", "4")
    settle(page)
    assert tables(page) != first
    page.go_back()
    page.wait_for_function("() => !location.hash.includes('tcp.window')")
    settle(page)
    assert tables(page) == first
    page.go_forward()
    page.wait_for_function("() => location.hash.includes('tcp.window')")


def test_a_scenario_that_does_not_come_is_asked_for_again(page, complaints):
    open_state(page, state("plain-384"))
    page.route("**/api/scenario/link", lambda route: route.abort(), times=2)
    page.locator("#scenario").select_option("link")
    settle(page)
    expecting(page.locator("#description")).to_contain_text("link")
    assert browsing.error(page) == ""
    complaints[:] = [each for each in complaints if "ERR_FAILED" not in each]


def test_back_leaves_a_scenario_that_there_is_not(page, complaints):
    open_state(page, state("plain-384"))
    shown = tables(page)
    page.evaluate("() => { location.hash = '#scenario=nonsense'; }")
    page.locator("#error", has_text="nonsense").wait_for()
    assert page.locator("#results.stale").count() == 1
    page.go_back()
    page.locator("#error").wait_for(state="hidden")
    settle(page)
    assert tables(page) == shown
    assert page.locator("#results.stale").count() == 0
    complaints[:] = [each for each in complaints if "404 (Not Found)" not in each]


def test_arrow_keys_on_a_slider_are_one_change(page):
    open_state(page, state("plain-384"))
    first = page.url
    browsing.setting(page, "tcp.window").evaluate(FOUR_KEYS)
    settle(page)
    assert page.url != first
    page.go_back()
    page.wait_for_url(first)


def test_a_plus_typed_in_an_address_is_a_plus(page):
    open_state(page, "scenario=gprs-3+1&set=duration=5s")
    assert page.locator("#scenario").input_value() == "gprs-3+1"
    assert browsing.error(page) == ""


def test_two_tabs_do_not_disturb_each_other(page):
    other = page.context.new_page()
    open_state(page, FIRST)
    open_state(other, SECOND)
    first, second = tables(page), tables(other)
    for window in ("10", "20", "30"):
        change(page, "tcp.window", window)
        change(other, "tcp.window", window)
    change(page, "tcp.window", "64")
    change(other, "tcp.window", "64")
    settle(page)
    settle(other)
    assert tables(page) == first
    assert [table["columns"] for table in tables(other)[0]] == [
        table["columns"] for table in second[0]
    ]
    alone = page.context.new_page()
    open_state(alone, other.url.partition("#")[2])
    assert tables(alone) == tables(other)


def test_the_page_answers_while_a_long_run_is_under_way(page):
    """And a newer request takes its place: no answer of the older ever comes."""
    variants = [f"tcp.variant={name}" for name in ("reno", "vegas", "cubic", "sack")]
    answers = Answers(page)
    open_state(page, state("umts-dch-384", *variants))
    change(page, "duration", "100000 s")
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") != theme
    assert page.locator("#results").get_attribute("aria-busy") == "true"
    change(page, "duration", "12 s")
    newest = answers.newest()
    assert newest["duration_s"] == 12
    numbers = [each["number"] for each in answers.heard]
    assert numbers == sorted(numbers)
    assert newest["number"] - 1 not in numbers
    assert browsing.error(page) == ""


def test_a_run_of_a_thousand_seconds_is_drawn(page):
    variants = [f"tcp.variant={name}" for name in ("reno", "vegas", "cubic", "sack")]
    open_state(page, state("umts-dch-384", *variants, settings="duration=1000s"))
    assert browsing.error(page) == ""
    assert len(tables(page)) == 4
    assert all(browsing.is_drawn(page, name) for name in browsing.panels(page))


def test_a_page_finds_its_server_again(contexts, labs, tmp_path, complaints):
    first = labs(state=tmp_path)
    page = contexts(first).new_page()
    open_state(page, state())
    shown = tables(page)
    first.end()
    expecting(page.locator("#status")).to_contain_text("The server is gone")
    change(page, "tcp.window", "20")
    again = labs(state=tmp_path, port=first.port)
    assert again.token == first.token
    settle(page)
    assert browsing.error(page) == ""
    assert tables(page) != shown
    change(page, "tcp.window", "64")
    settle(page)
    assert tables(page) == shown
    assert [each for each in complaints if not re.search("WebSocket|ERR_CONN|503", each)] == []
    complaints.clear()
    assert again.errors() == ""


def test_a_wrong_setting_says_so_and_the_page_goes_on(page):
    open_state(page, state())
    shown = tables(page)
    change(page, "tcp.window", "many")
    settle(page)
    said = browsing.error(page)
    assert said.startswith("tcp.window=many: ")
    assert len(said.splitlines()) == 1
    assert tables(page) == shown
    change(page, "tcp.window", "64")
    settle(page)
    assert browsing.error(page) == ""
    assert tables(page) == shown


def test_ten_thousand_mobiles_are_refused_with_the_reason(page):
    open_state(page, state("umts-cell-50", settings="radio.ues=10000 duration=10s"))
    assert browsing.error(page) == (
        "radio.ues=10000: the lab shows at most 200; `thinpipe run` takes more"
    )


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"scenario={quote(EVIL)}", "unknown scenario"),
        (f"set={quote(EVIL)}={quote(EVIL)}", "unknown key"),
        (f"set=tcp.variant={quote(EVIL)}", "cannot name files"),
        (f"set=name={quote(EVIL)}&set=description={quote(EVIL)}&set=duration=2s", ""),
        (f"set=duration=2s&panels={quote(EVIL)},cwnd&lesson={quote(EVIL)}", ""),
        (f"variant={quote(quote(EVIL) + '=1')}", "unknown key"),
        (f"variant={quote('name=' + quote(EVIL))}&variant=&set=duration=2s", ""),
        ("set=duration=2s&span=NaN,Infinity&focus=-1&flow=1e99&without=2", ""),
        ("set=duration=2s&span=0,1e-300", "span"),
        ("scenario=..%2F..%2Fetc%2Fpasswd", "unknown scenario"),
        ("set=tcp.variant=mine.py:Mine", "cannot name files"),
        ("set=__proto__=1&variant=__proto__%3D1", "unknown key"),
        ("%E0%A4%A&scenario", ""),
        ("set=duration=" + "9" * 20_000, "at most 10,000 characters"),
        ("&".join(f"set=k{number}=1" for number in range(200)), "at most 100 keys"),
    ],
)
def test_nothing_in_an_address_is_executed(page, complaints, address, said):
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    open_state(page, address)
    error = browsing.error(page)
    assert said in error
    assert bool(error) == bool(said)
    assert len(error.splitlines()) <= 1
    assert page.evaluate("window.hacked ?? null") is None
    assert page.locator("img[onerror], script:not([src])").count() == 0
    complaints[:] = [each for each in complaints if "404 (Not Found)" not in each]
