"""The lab's page keeps runs as dots, and gives away texts, files and the network."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest
import thinpipe as tp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lab import browsing

TWO = browsing.state(
    "umts-dch-384", "tcp.variant=reno", "tcp.variant=vegas", settings="duration=5s"
)
SVG = "{http://www.w3.org/2000/svg}"


def dots(page):
    labels: list[str] = page.locator("#scatter .dot").evaluate_all(
        "dots => dots.map(dot => dot.getAttribute('aria-label'))"
    )
    return labels


def shown_variants(page):
    return [columns[0]["rows"][0][1] for columns in browsing.tables(page)]


def test_each_finished_run_is_a_dot_once(page):
    browsing.open_state(page, TWO)
    assert [each.split(":")[0] for each in dots(page)] == ["reno", "vegas"]
    wanted = tp.run("umts-dch-384", {"tcp.variant": "reno", "duration": "5s"}).flows[0]
    assert wanted.goodput_bps is not None
    assert f"{wanted.goodput_bps / 1000:.4g} kbit/s" in dots(page)[0]
    page.locator("#transport button", has_text="+").click()
    browsing.settle(page)
    assert len(dots(page)) == 2
    browsing.change(page, "tcp.window", "4")
    browsing.settle(page)
    assert len(dots(page)) == 4
    page.reload()
    browsing.settle(page)
    assert len(dots(page)) == 4


def test_a_ghost_is_no_dot(page):
    state = browsing.state(settings="duration=5s", before="tcp.window=4")
    browsing.open_state(page, state)
    assert len(dots(page)) == 1


def test_a_dot_brings_its_state_back(page):
    browsing.open_state(page, browsing.state("umts-dch-384", settings="duration=5s"))
    first, shown = page.url, browsing.tables(page)
    browsing.change(page, "tcp.window", "4")
    browsing.settle(page)
    assert page.url != first
    page.locator("#scatter .dot").first.click()
    page.wait_for_url(first)
    browsing.settle(page)
    assert browsing.tables(page) == shown


def test_dots_are_of_the_scenario_in_view(page):
    browsing.open_state(page, TWO)
    page.locator("#scenario").select_option("plain-384")
    browsing.settle(page)
    assert [each.split(":")[0] for each in dots(page)] == ["reno"]
    page.get_by_role("button", name="Forget the runs").click()
    assert dots(page) == []
    page.go_back()
    browsing.expecting(page.locator("#scatter .dot")).to_have_count(2)


def test_a_run_of_which_no_delay_is_known_is_named_in_the_place_of_a_dot(page):
    split = browsing.state(settings="duration=5s middlebox.kind=split")
    browsing.open_state(page, split)
    assert dots(page) == []
    assert "behind a split" in page.locator("#scatter").inner_text()


def test_dots_work_with_keys_alone(page):
    browsing.open_state(page, TWO)
    first = page.url
    browsing.change(page, "tcp.window", "4")
    browsing.settle(page)
    assert page.locator('#scatter .dot[tabindex="0"]').count() == 1
    page.locator('#scatter .dot[tabindex="0"]').focus()
    wanted = next(each for each in dots(page)[:2] if each.startswith("vegas"))
    for _ in range(4):
        focused = page.locator("#scatter .dot:focus")
        if focused.get_attribute("aria-label") == wanted:
            break
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url(first)
    browsing.settle(page)
    assert shown_variants(page) == ["reno", "vegas"]


def test_runs_are_forgotten(page):
    browsing.open_state(page, TWO)
    page.get_by_role("button", name="Forget the runs").click()
    assert dots(page) == []
    page.reload()
    browsing.settle(page)
    assert len(dots(page)) == 2


def test_what_is_kept_is_bounded_and_may_be_nonsense(page):
    browsing.open_state(page, TWO)
    dot = {"address": "scenario=link", "run": 0, "goodput_bps": 1e5, "p95_delay_s": 1, "label": "x"}
    many = [{**dot, "key": str(number), "scenario": "umts-dch-384"} for number in range(500)]
    put = "runs => sessionStorage.setItem('thinpipe-lab-runs', runs)"
    for kept, count in (("{", 2), ('[1, {"run": "a"}]', 2), (json.dumps(many), 200)):
        page.evaluate(put, kept)
        page.reload()
        browsing.settle(page)
        assert len(dots(page)) == count


@pytest.mark.parametrize(
    ("kind", "begins"),
    [
        ("command", "thinpipe run umts-dch-384 --set duration=5s --set tcp.variant=reno\nthinpipe"),
        ("toml", "description = "),
        ("python", "import thinpipe as tp\n"),
        ("sweep", "thinpipe sweep umts-dch-384 --set duration=5s --vary tcp.variant=reno,vegas"),
        ("link", "http://127.0.0.1:"),
    ],
)
def test_texts_to_copy(contexts, kind, begins):
    context = contexts(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    browsing.open_state(page, TWO)
    page.locator(f"[data-copy={kind}]").click()
    dialog = page.locator("dialog[open]")
    text = dialog.locator("textarea").input_value()
    assert text.startswith(begins)
    dialog.get_by_role("button", name="Copy").click()
    dialog.get_by_text("Copied").wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()") == text
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_what_cannot_be_copied_is_said_where_it_was_asked_for(page, complaints):
    browsing.open_state(page, browsing.state("plain-384", settings="duration=5s tcp.window=abc"))
    page.locator("[data-copy=command]").click()
    dialog = page.locator("dialog[open]")
    assert "tcp.window" in dialog.inner_text()
    assert dialog.locator("textarea").is_hidden()
    complaints[:] = [each for each in complaints if "400 (Bad Request)" not in each]


def saved(page, name):
    with page.expect_download() as download:
        page.locator("#take").get_by_role("button", name=name, exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_panels_are_saved_as_they_are_seen(page):
    browsing.open_state(page, TWO)
    page.get_by_text("Save as files").click()
    name, png = saved(page, "PNG")
    assert name == "umts-dch-384-panels.png"
    assert png.startswith(b"\x89PNG")
    _, svg = saved(page, "SVG")
    words = [each.text for each in ET.fromstring(svg).iter(f"{SVG}text")]
    titles = [page.locator("figcaption").nth(each).inner_text()
              for each in range(len(browsing.panels(page)))]  # fmt: skip
    assert set(titles) <= set(words)
    assert "reno: cwnd" in words
    page.get_by_label("Panel to save").select_option("rtt")
    name, one = saved(page, "SVG")
    assert name == "umts-dch-384-rtt.svg"
    words = [each.text for each in ET.fromstring(one).iter(f"{SVG}text")]
    assert "vegas: RTT" in words
    assert "reno: cwnd" not in words
    papers = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        root = ET.fromstring(saved(page, "SVG")[1])
        papers.append(root.findall(f"{SVG}path")[0].get("fill"))
    assert papers == ["#ffffff", "#1b1f24"]


def test_tables_are_saved(page):
    browsing.open_state(page, TWO)
    page.get_by_text("Save as files").click()
    page.get_by_label("Variant whose table to save").select_option("1")
    page.get_by_label("Table to save", exact=True).select_option("base_rtt")
    name, content = saved(page, "Parquet")
    assert name == "umts-dch-384-vegas-base_rtt.parquet"
    run = tp.run("umts-dch-384", {"tcp.variant": "vegas", "duration": "5s"})
    assert pl.read_parquet(io.BytesIO(content)).equals(run.base_rtt)
    _, content = saved(page, "CSV")
    assert content.decode() == run.base_rtt.write_csv()


def is_not_overtaken(page, path, ask, newest):
    """Do what asks twice, let the first answer come last, and look that it changes nothing."""
    held = []

    def hold(route):
        held.append(route)

    page.route(path, hold)
    ask()
    while len(held) < 2:
        page.wait_for_timeout(20)
    held[1].continue_()
    browsing.expecting(newest).to_have_count(1)
    with page.expect_response(path) as late:
        held[0].continue_()
    late.value.finished()
    page.wait_for_timeout(100)
    browsing.expecting(newest).to_have_count(1)


def test_tables_are_those_of_the_variant_that_was_chosen_last(page):
    browsing.open_state(page, TWO)

    def choose():
        page.get_by_text("Save as files").click()
        page.get_by_label("Variant whose table to save").select_option("1")

    is_not_overtaken(page, "**/api/tables", choose, page.locator('option[value="base_rtt"]'))


def test_the_network_is_that_of_the_last_change(page):
    browsing.open_state(page, browsing.state(settings="duration=5s wired.Gi.delay=33ms"))
    page.locator('#network img[alt*="33 ms"]').first.wait_for()

    def change():
        for delay in ("0.1 s", "44 ms"):
            with page.expect_request("**/api/network"):
                browsing.change(page, "wired.Gi.delay", delay)

    newest = page.locator('#network .scroll img[alt*="44 ms"]')
    is_not_overtaken(page, "**/api/network", change, newest)


def test_the_network_is_shown_and_follows_the_settings(page):
    browsing.open_state(page, browsing.state(settings="duration=5s wired.Gi.delay=33ms"))
    image = page.locator("#network .scroll img")
    page.locator('#network img[alt*="33 ms"]').first.wait_for()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth > 100)")
    before = image.get_attribute("src")
    browsing.change(page, "wired.Gi.delay", "44 ms")
    page.locator('#network img[alt*="44 ms"]').first.wait_for()
    assert image.get_attribute("src") != before


def test_the_runs_of_a_sweep_are_dots(labs, contexts, tmp_path):
    file = tmp_path / "s.parquet"
    tp.sweep(
        "umts-dch-384",
        {"tcp.variant": ["reno", "vegas"], "radio.tbler": ["0 %", "10 %"]},
        {"duration": "5 s"},
        out=file,
    )
    served = labs(str(file))
    page = contexts(served).new_page()
    browsing.open_state(page)
    rows = [each for each in dots(page) if each.startswith("tcp.variant=")]
    assert len(rows) == 4
    page.locator('#scatter .dot[aria-label^="tcp.variant=vegas radio.tbler=0.1"]').click()
    page.wait_for_url("**#scenario=s&set=tcp.variant%3Dvegas&set=radio.tbler%3D0.1&**")
    browsing.settle(page)
    assert shown_variants(page) == ["vegas"]


KEYS = st.from_regex(r"[a-z_]{1,8}(\.[A-Za-z0-9_+-]{1,8}){0,3}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SETTINGS = st.dictionaries(KEYS, TEXTS, max_size=4)
NUMBERS = st.floats(0, 1e6, allow_nan=False)
SIZES = st.dictionaries(st.from_regex(r"size_[a-z]{1,5}", fullmatch=True), NUMBERS, max_size=2)
NAMES = st.from_regex(r"[a-z][a-z-]{0,10}", fullmatch=True)
STATES = st.fixed_dictionaries(
    {
        "scenario": st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
        "set": SETTINGS,
        "variants": st.lists(SETTINGS, min_size=1, max_size=4),
        "breaks": st.lists(
            st.fixed_dictionaries({"name": NAMES, "at_s": NUMBERS, "sizes": SIZES}), max_size=3
        ),
        "before": st.none() | SETTINGS,
        "without": st.booleans(),
        "span": st.none() | st.tuples(NUMBERS, NUMBERS).filter(lambda of: of[0] < of[1]).map(list),
        "panels": st.none() | st.lists(NAMES, max_size=4),
        "focus": st.integers(0, 3),
        "flow": st.integers(0, 1_000_000),
        "lesson": st.none() | NAMES,
    }
)

BACK = """async (states) => {
  const {fromAddress, toAddress} = await import("/page/state.js");
  return states.map((state) => fromAddress(`#${toAddress(state)}`, "another"));
}"""


def test_an_address_brings_back_any_state(page):
    browsing.open_state(page, TWO)

    @settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(STATES, min_size=1, max_size=12))
    def law(states):
        assert page.evaluate(BACK, states) == states

    law()
