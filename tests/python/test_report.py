"""The page of the report: whole HTML, with what became of each paper and links that lead on."""

import itertools
import math
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from thinpipe.papers import papers
from thinpipe.papers.chakravorty2003.table1 import drawing as table1
from thinpipe.papers.chakravorty2003.table1 import matrix
from thinpipe.papers.chakravorty2003.table1.criteria import ROWS
from thinpipe.papers.chakravorty2003.table1.schemes import SCHEMES
from thinpipe.papers.paper import reproduce
from thinpipe.papers.registry import PaperError
from thinpipe.papers.yew2012 import spacing_drawing
from thinpipe.papers.yew2012.spacing import ASPECTS, FLOWS, PLACES, SPACED, Cell, Change
from thinpipe.report.chapters import OUTCOMES, Chapter
from thinpipe.report.figures import PX_PER_INCH, WIDTH_PX, figure_files
from thinpipe.report.page import NAME, page, write_report

VOID = {"meta", "img", "input", "link", "br", "hr"}


class Read(HTMLParser):
    """Reads a page, and fails if an element is not closed in the order in which it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or "" for name, value in attrs}
        assert len(attributes) == len(attrs), f"{tag}: an attribute twice"
        self.tags.append((tag, attributes))
        self.ids.update(filter(None, [attributes.get("id")]))
        self.links += filter(None, [attributes.get("href"), attributes.get("src")])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"line {self.getpos()[0]}"

    def handle_data(self, data):
        if not {"script", "style"} & {*self.open}:
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


@pytest.fixture(scope="module")
def quick():
    """Return an item with a figure that needs no run, and one with tables alone."""
    paper = papers()["yew2012"]
    items = [each for each in paper.items if each.id in ("arithmetic", "own-numbers")]
    return Chapter.of(paper, items), reproduce(paper, items)


@pytest.fixture
def chapters(quick):
    """Return a chapter of each status."""
    chapter, made = quick
    lo, live, proxy = (papers()[name] for name in ("lo2005", "emulation", "proxy"))
    return [
        chapter.done(made),
        Chapter.of(lo, lo.items),
        Chapter.of(live, live.items).left_out("needs <root>"),
        Chapter.of(proxy, proxy.items).failed(PaperError("paper proxy: broke", "proxy")),
        Chapter.unloaded(PaperError("paper toy: no module", "toy")),
    ]


def test_page_is_whole_and_its_links_lead_somewhere(tmp_path, quick, chapters):
    files = figure_files(quick[1])
    write_report(tmp_path / "out", chapters, files)
    text = (tmp_path / "out" / NAME).read_text(encoding="utf-8")
    read = Read(text)
    assert [name for name, count in read.ids.items() if count > 1] == []
    inside = {link[1:] for link in read.links if link.startswith("#")}
    beside = {unquote(link) for link in read.links if not link.startswith("#")}
    assert inside <= {*read.ids}
    assert beside == {*files} == {"yew2012-own-numbers.png", "yew2012-own-numbers.csv"}
    assert {fact.fact.id for fact in quick[1].findings} <= inside
    assert {"yew2012", "yew2012-arithmetic", "yew2012-own-numbers"} <= inside
    assert "://" not in text


def test_facts_of_two_papers_may_have_one_id(quick):
    chapter, made = quick
    other = replace(made, paper=replace(made.paper, id="other"))
    read = Read(page([chapter.done(made), replace(chapter, id="other").done(other)]))
    ids = {finding.fact.id for finding in made.findings}
    assert {*ids, *(f"other-{name}" for name in ids)} <= {*read.ids}
    assert max(read.ids.values()) == 1


def test_first_screen_says_what_became_of_each_paper(chapters):
    words = Read(page(chapters)).words
    first = words[: words.index("Counts")]
    made = chapters[0].made
    assert f"1 paper reproduced, {len(made.findings)} facts" in first
    for outcome, verb in OUTCOMES.items():
        assert f"{chapters[0].counts[outcome]} {verb}" in first
    others = chapters[1:]
    assert f"4 papers with {sum(each.facts for each in others)} facts did not run" in first
    assert "Unfinished. Not run yet: lo2005." in first
    assert f"{len(papers()['emulation'].facts)} facts left out needs <root>" in first
    for reason in ("failed paper proxy: broke", "failed paper toy: no module"):
        assert reason in first


def test_finished_report_is_not_called_unfinished(chapters):
    words = Read(page(chapters[:1])).words
    assert "Unfinished" not in words
    assert "did not run" not in words


def test_surprise_is_on_the_first_screen(quick):
    chapter, made = quick
    section = made.sections[1]
    finding = next(each for each in section.findings if each.verdict.value == "holds")
    other = replace(finding, values=(math.inf,))
    findings = tuple(other if each is finding else each for each in section.findings)
    changed = replace(made, sections=(made.sections[0], replace(section, findings=findings)))
    words = Read(page([chapter.done(changed)])).words
    first = words[: words.index("Counts")]
    assert "1 surprise" in first
    assert f"has surprises: {finding.fact.id} ." in first


def test_every_fact_can_be_filtered_by_its_outcome(chapters):
    read = Read(page(chapters))
    rows = [attributes for tag, attributes in read.tags if attributes.get("class") == "fact"]
    options = {attributes.get("value") for tag, attributes in read.tags if tag == "option"}
    outcomes = [row["data-outcome"].split(",") for row in rows]
    assert Counter(first for first, *_ in outcomes) == chapters[0].counts
    assert {each for row in outcomes for each in row} <= options
    (form,) = (attributes for tag, attributes in read.tags if tag == "form")
    assert "hidden" in form  # until the script that filters has begun


def test_figures_load_late_and_have_their_size_data_and_command(quick):
    chapter, made = quick
    read = Read(page([chapter.done(made)]))
    (image,) = (attributes for tag, attributes in read.tags if tag == "img")
    width, height = made.sections[1].figure.get_size_inches() * PX_PER_INCH
    assert (int(image["width"]), int(image["height"])) == (round(width), round(height))
    assert image["loading"] == "lazy"
    assert "Data (CSV) · thinpipe reproduce yew2012/own-numbers" in read.words
    assert made.sections[1].item.caption in read.words


@pytest.mark.parametrize("paper", papers().values(), ids=papers().keys())
def test_every_figure_says_what_it_shows(paper):
    for item in paper.items:
        sentences = [each for each in item.caption.removesuffix(".").split(". ") if each]
        assert bool(sentences) == (item.draw is not None), item.id
        assert len(sentences) <= 3, item.id
        assert item.caption.endswith("." if sentences else ""), item.id
        assert not any(each in text for each in sentences for text in item.text), item.id


SAME = "same numbers on any machine"


@pytest.mark.parametrize(("name", "same"), [("lo2005", True), ("emulation", False)])
def test_only_simulations_claim_the_same_numbers_everywhere(name, same, quick):
    paper = papers()[name]
    made = replace(quick[1], paper=paper, sections=())
    words = Read(page([Chapter.of(paper, ()).done(made)])).words
    assert (SAME in words) == same
    assert ("differ from run to run" in words) != same


def smallest_px(figure):
    """Return the height of the smallest text in the page, in pixels of CSS."""
    width_px = figure.get_figwidth() * PX_PER_INCH
    texts = [each for each in figure.findobj(Text) if each.get_visible() and each.get_text()]
    smallest = min(each.get_fontsize() for each in texts)
    return smallest * PX_PER_INCH / 72 * min(1.0, WIDTH_PX / width_px)


def pacing_map():
    """Draw the map of yew2012 with its longest numbers."""
    changes = [Change(aspect, 1.0, 9.99, clear=True) for aspect in ASPECTS]
    rows = [
        [
            Cell(place, flows, "Vegas", SPACED["Vegas"], change)
            for place in PLACES
            for flows in FLOWS
        ]
        for change in changes
    ]
    return spacing_drawing.heat_map({f"Westwood+, panel {number}": rows for number in range(7)})


def table_1(monkeypatch):
    """Draw Table I of chakravorty2003 with a long number in each cell."""
    cells = [
        [matrix.Cell(scheme, row, 0.0123, ours=True, paper=False) for row in range(len(ROWS))]
        for scheme in SCHEMES
    ]
    monkeypatch.setattr(table1, "matrix", lambda _: cells)
    return table1.heat_map({})


def overlaps(figure):
    """Return the pairs of texts within the axes that touch."""
    FigureCanvasAgg(figure).draw()
    boxes = {text: text.get_window_extent() for ax in figure.axes for text in ax.texts}
    heads = [label for ax in figure.axes for label in ax.get_xticklabels()]
    boxes |= {text: text.get_window_extent() for text in heads if text.get_text()}
    return [
        (one.get_text(), other.get_text())
        for (one, box), (other, beside) in itertools.combinations(boxes.items(), 2)
        if box.overlaps(beside)
    ]


@pytest.mark.parametrize("name", ["own-numbers", "pacing", "table-1"])
def test_labels_are_legible_in_the_page(name, quick, monkeypatch):
    """The maps have more text than other figures."""
    figure = {
        "own-numbers": lambda: quick[1].sections[1].figure,
        "pacing": pacing_map,
        "table-1": lambda: table_1(monkeypatch),
    }[name]()
    assert smallest_px(figure) >= 9
    assert overlaps(figure) == []
