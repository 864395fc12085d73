"""Break it, on the page: by button, by keyboard, by address, and back."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.lab import browsing

TWO = ("tcp.variant=reno", "tcp.variant=vegas")


def point_at(page, share: float, panel: str = "cwnd") -> None:
    """Click at a share of a panel's width."""
    box = browsing.canvas(page, panel).bounding_box()
    assert box is not None
    browsing.canvas(page, panel).click(position={"x": share * box["width"], "y": 80})


def break_it(page, name: str) -> None:
    page.click(f'[data-break="{name}"]')
    browsing.settle(page)


def lines(page) -> list[str]:
    said: list[str] = page.locator("#breaks .break > span").all_inner_texts()
    return said


def difference(page) -> list[list[str]]:
    return [
        row.locator("th, td").all_inner_texts()
        for row in page.locator("#difference tbody tr").all()
    ]


def breaks_of(page) -> list[str]:
    return parse_qs(urlsplit(page.url).fragment).get("break", [])


def test_a_black_out_at_the_cursor_and_back(page):
    browsing.open_state(page, browsing.state("umts-dch-384", *TWO, settings="duration=20s"))
    button = page.locator('[data-break="black-out"]')
    assert button.is_disabled()
    assert "needs a time" in button.get_attribute("title")
    point_at(page, 0.4)
    held = browsing.cursor(page)
    browsing.canvas(page, "rtt").hover()
    assert browsing.cursor(page) == held
    break_it(page, "black-out")
    [line] = lines(page)
    assert float(line.split()[2]) == pytest.approx(float(held.split()[0]), abs=0.01)
    rows = difference(page)
    assert [row[0] for row in rows] == ["reno, before → reno", "vegas, before → vegas"]
    assert all(re.fullmatch(r"[\d.]+ → [\d.]+ \(−\d+ %\)", row[1]) for row in rows)
    assert all(int(row[3].split(" → ")[1]) > 0 for row in rows)
    assert line in browsing.legend(page, "rtt")
    page.click("text=Undo the break")
    browsing.settle(page)
    assert (lines(page), difference(page), breaks_of(page)) == ([], [], [])


def test_back_brings_the_size_of_a_break_back(page):
    given = {"break": "name=black-out&at=6&lasts=2"}
    browsing.open_state(page, browsing.state("plain-384", settings="duration=20s", **given))
    slider = page.locator('[aria-label="Black-out 1: lasts"]')
    said = page.locator(".break output")
    before = (slider.input_value(), said.inner_text())
    slider.evaluate(browsing.MOVE, 900)
    browsing.settle(page)
    assert said.inner_text() != before[1]
    page.go_back()
    page.wait_for_function("() => location.hash.includes('lasts%3D2')")
    browsing.settle(page)
    assert (slider.input_value(), said.inner_text()) == before


def test_breaks_add_up_and_the_address_has_them(page):
    browsing.open_state(page, browsing.state("plain-384", settings="duration=20s"))
    point_at(page, 0.5)
    browsing.canvas(page, "cwnd").focus()
    for key in "bdbr":
        page.keyboard.press(key)
    browsing.settle(page)
    assert [each.split(" at ")[0] for each in lines(page)] == ["Delay spike", "Rate step"]
    page.locator('[aria-label="Rate step 2: rate"]').evaluate(browsing.MOVE, 100)
    browsing.settle(page)
    shown = difference(page)
    assert "rate=" in breaks_of(page)[1]
    page.reload()
    browsing.settle(page)
    assert difference(page) == shown
    browsing.canvas(page, "cwnd").focus()
    page.keyboard.press("b")
    page.keyboard.press("u")
    browsing.settle(page)
    assert len(lines(page)) == 1


def test_a_dropped_packet_is_named(page):
    browsing.open_state(page, browsing.state("bottleneck"))
    point_at(page, 0.25)
    break_it(page, "drop")
    [said] = lines(page)
    found = re.fullmatch(
        r"Dropped the segment from byte [\d,]+, arrival (\d+) at bottleneck, at [\d.]+ s", said
    )
    assert found is not None
    [row] = difference(page)
    assert row[4] == "0 → 1"


def test_the_segments_of_the_part_about_the_cursor(page):
    browsing.open_state(page, browsing.state("plain-384", settings="duration=100s"))
    point_at(page, 0.5)
    page.click('#breaks button:text("Segments")')
    browsing.settle(page)
    assert "sequence" in browsing.panels(page)
    assert browsing.is_drawn(page, "sequence")
    assert "sent" in browsing.legend(page, "sequence")
    start, end = (
        float(each) for each in parse_qs(urlsplit(page.url).fragment)["span"][0].split(",")
    )
    assert end - start == pytest.approx(2.0)


def test_without_its_middlebox(page):
    settings = "duration=20s middlebox.kind=atcp"
    browsing.open_state(page, browsing.state("umts-384-lossy", settings=settings))
    assert difference(page) == []
    page.check("text=Compare with no middlebox")
    browsing.settle(page)
    assert [row[0] for row in difference(page)] == ["cubic, no middlebox → cubic"]
    browsing.open_state(page, browsing.state("umts-384-lossy"))
    assert not page.is_visible("text=Compare with no middlebox")


def test_a_break_that_the_address_has_wrong_can_be_taken_back(page):
    address = browsing.state("plain-384", **{"break": "name=handover&at=3"})
    browsing.open_state(page, address)
    assert "this scenario offers black-out" in browsing.error(page)
    page.click("text=Undo the break")
    browsing.settle(page)
    assert (browsing.error(page), lines(page)) == ("", [])
