"""docs/lab.md and docs/add/view.md: what they list exists, and the example works."""

import re
from types import ModuleType

import thinpipe as tp
from thinpipe.lab.experiment import LONGEST_S, MOST_FLOWS, MOST_GROWTH
from thinpipe.lab.notebook import COLUMNS, lab
from thinpipe.lab.panel import Sight, panel_of
from thinpipe.lab.views import KINDS


def read(root, page):
    return (root / "docs" / page).read_text(encoding="utf-8")


def test_the_page_lists_the_panels(root):
    rows = re.findall(r"^\| `([\w-]+)`( \*)? \| ", read(root, "lab.md"), re.MULTILINE)
    listed = [(name, bool(star)) for name, star in rows]
    assert listed == [(kind.name, kind.usual) for kind in KINDS]


def test_the_page_has_the_limits(root):
    page = read(root, "lab.md")
    assert f"at most {MOST_FLOWS} flows" in page
    assert f"after {LONGEST_S:g} s, or when it takes more than {MOST_GROWTH / 1e9:g} GB" in page
    assert f"{COLUMNS:,} columns" in page


def test_the_example_of_a_view_draws(root):
    [text, *_] = re.findall(r"```python\n(.*?)```", read(root, "add/view.md"), re.DOTALL)
    module = ModuleType("outstanding")
    exec(compile(text, "view.md", "exec"), module.__dict__)
    run = tp.run("plain-384", duration="5 s", trace=True)
    sight = Sight(run, 0, "reno", 0, 0.0, 5.0, 800)
    panel = panel_of(module.OUTSTANDING, [sight], 0, is_open=True)
    assert panel is not None
    [curve] = panel["layers"]
    window = run.cwnd["cwnd_segments"].to_numpy().max()
    assert 0 < max(curve["y"]) <= window * 512 / 1000


def test_the_example_of_a_notebook_runs(root, tmp_path, monkeypatch):
    page = read(root, "lab.md")
    [text] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    tp.run("plain-384", duration="20 s", trace=True).save("out")
    short = text.replace('radio__tbler="5 %"', 'radio__tbler="5 %", duration="5 s"')
    assert short != text
    exec(compile(short, "lab.md", "exec"), {})
    assert tp.lab is lab
