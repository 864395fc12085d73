"""The lab's pictures in a notebook: complete in themselves, harmless, and not too large."""

import re
from html import unescape

import pytest
import thinpipe as tp
from thinpipe.lab.notebook import MOST_RUNS

LARGEST = 3_000_000
NAMESPACE = "http://www.w3.org/2000/svg"
"""A name that is not an address."""


@pytest.fixture(scope="module")
def runs():
    return [
        tp.run("plain-384", {"tcp.variant": each, "duration": "5 s"}, trace=True)
        for each in ("reno", "vegas")
    ]


def document_of(view):
    """The page within the frame that a notebook gets."""
    [srcdoc] = re.findall(r'srcdoc="([^"]*)"', view._repr_html_())
    return unescape(srcdoc)


def elsewhere(document):
    found = re.findall(r"https?://[^\s\"'`)<]*", document)
    return [each for each in found if each != NAMESPACE]


def test_the_page_is_in_the_frame_and_loads_nothing(runs):
    view = tp.lab(*runs)
    assert document_of(view) == view.document
    assert elsewhere(view.document) == []
    assert not re.search(r"(?:src|href)=|url\(|@import|^import", view.document, re.MULTILINE)


def test_an_address_would_be_found():
    assert elsewhere('<img src="https://elsewhere/a.png">') == ["https://elsewhere/a.png"]


def test_a_browser_shows_it(chromium, runs):
    page = chromium.new_page(viewport={"width": 1000, "height": 800})
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(f'<meta charset="utf-8">{tp.lab(*runs)._repr_html_()}')
    frame = page.frame_locator("iframe")
    frame.locator("body[data-shown]").wait_for()
    assert frame.locator("figure").count() >= 4
    span = frame.locator("#transport output").nth(1)
    assert span.inner_text() == "0 s to 5 s"
    window = frame.locator("figure[data-panel=cwnd]")
    canvas = window.locator(":scope > canvas")
    for _ in range(10):
        canvas.press("ArrowRight")
    window.locator(".legend").filter(has_text=re.compile(r"reno: cwnd \d")).wait_for()
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 100, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 50, steps=3)
    page.mouse.up()
    frame.locator("#transport output").filter(has_not_text="0 s to 5 s").nth(1).wait_for()
    assert span.inner_text() != "0 s to 5 s"
    frame.get_by_role("button", name="Show the whole run").click()
    assert span.inner_text() == "0 s to 5 s"
    frame.locator("summary").click()
    frame.get_by_role("checkbox").first.uncheck()
    assert frame.locator("figure[data-panel=cwnd]").count() == 0
    assert said == []
    assert [url for url in asked if not url.startswith(("about:", "data:"))] == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(chromium, runs, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = chromium.new_page(color_scheme=scheme)
    page.set_content(tp.lab(*runs).document)
    page.locator("body[data-shown]").wait_for()
    assert axe.Axe().run(page).response["violations"] == []
    page.close()


def test_hostile_names_stay_text(tmp_path):
    name = "<img src=x onerror=alert(1)><!--<script>\"'"
    scenario = tp.Scenario.of({"link": {"rate": "1 Mbit/s"}}, name=name)
    one = tp.run(scenario, duration="1 s")
    hostile = tmp_path / "<!--<script><b>\"'"
    one.save(hostile)
    document = tp.lab(tp.load(hostile), one).document
    assert "<b>" not in document
    assert document.count("<script") == 2
    assert document.count("</script>") == 2
    assert "<!--" not in document
    assert "<img" not in tp.lab(one)._repr_html_()
    assert "<img" not in tp.lab(one).document


def test_a_saved_run_has_the_same_panels(tmp_path, runs):
    runs[0].save(tmp_path / "one")
    saved = tp.lab(tp.load(tmp_path / "one"))
    shown = re.findall(r'"name":"(\w+)","title"', tp.lab(runs[0]).document)
    assert re.findall(r'"name":"(\w+)","title"', saved.document) == shown
    assert "queue" in shown


def test_without_a_trace_panels_of_packets_are_left_out(tmp_path):
    run = tp.run("plain-384", duration="2 s")
    run.save(tmp_path / "one")
    for each in (run, tp.load(tmp_path / "one")):
        shown = re.findall(r'"name":"(\w+)","title"', tp.lab(each).document)
        assert "cwnd" in shown
        assert "queue" not in shown


def test_panels_and_time_can_be_chosen(runs):
    view = tp.lab(runs[0], panels=["sequence"], start_s=1, end_s=2)
    assert re.findall(r'"name":"(\w+)","title"', view.document) == ["sequence"]
    assert '"span":[1,2]' in view.document


def test_a_long_run_is_no_large_page():
    run = tp.run("umts-dch-384", {"radio.tbler": "10 %"}, duration="1000 s", trace=True)
    assert len(tp.lab(run)._repr_html_()) < LARGEST


def test_runs_are_told_apart(runs):
    assert repr(tp.lab(*runs)) == "<LabView reno, vegas>"
    assert repr(tp.lab(runs[0], runs[0])) == "<LabView reno (1), reno (2)>"
    assert repr(tp.lab(runs[0])) == "<LabView plain-384>"


@pytest.mark.parametrize(
    ("count", "arguments", "kind", "said"),
    [
        (0, {}, ValueError, "runs: must be 1 to 4, not 0"),
        (MOST_RUNS + 1, {}, ValueError, "runs: must be 1 to 4, not 5"),
        (1, {"flow": 1}, ValueError, "flow: 1 is none of each run's"),
        (1, {"flow": "a"}, TypeError, "flow: must be a whole number, not 'a'"),
        (1, {"panels": "cwnd"}, TypeError, "panels: must be a list of names, such as "),
        (1, {"panels": ["cwn"]}, ValueError, "panels: there is no 'cwn'; did you mean cwnd"),
        (1, {"start_s": 5}, ValueError, "start_s: must be from 0 to before 5, not 5"),
        (1, {"start_s": float("nan")}, ValueError, "start_s: must be from 0 to before 5, not nan"),
    ],
)
def test_what_is_wrong_is_one_line(runs, count, arguments, kind, said):
    with pytest.raises(kind, match=f"^{re.escape(said)}"):
        tp.lab(*runs[:1] * count, **arguments)


def test_only_runs_can_be_shown():
    with pytest.raises(TypeError, match=r"^runs: must be runs, as thinpipe.run or .*, not 'out'$"):
        tp.lab("out")  # type: ignore[arg-type]
