"""docs/add: the Rust that the pages show compiles, all of it in one copy of the workspace.

A block belongs to the file that its page named last. A block of `rust` is a new file, or lines that
an old one has; one of `diff` adds lines (``+``) to an old file and takes lines away (``-``), behind
others that it has.
"""

import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

FOUND = re.compile(r"`(crates/[\w/-]+\.rs)`|^( *)```(rust|diff)\n(.*?)^\2```$", re.M | re.S)
COPIED = ("Cargo.toml", "Cargo.lock", "benches", "crates", "scenarios", "tests/costs", "tests/peer")
PACKAGES = ("proxy", "sim")
"""With all that they use, every crate that a page adds to."""
HTCP = "examples/htcp/README.md"


def blocks(page: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Return the file, the language and the lines of each block."""
    file = ""
    for named, indent, language, text in FOUND.findall(page.read_text(encoding="utf-8")):
        file = named or file
        if language:
            yield file, language, [line.removeprefix(indent) for line in text.splitlines()]


def edited(text: str, block: list[str]) -> str:
    """Return the text with the lines that a block adds, without those that it takes away."""
    lines = text.splitlines()
    at = lines.index(next(line[1:] for line in block if line[0] != "+"))
    for line in block:
        if line[0] == "+":
            lines.insert(at, line[1:])
        else:
            assert line[1:] in lines[at:], f"no such line: {line[1:]}"
            at = lines.index(line[1:], at)
        if line[0] == "-":
            del lines[at]
        else:
            at += 1
    return "\n".join(lines) + "\n"


def follow(page: Path, workspace: Path) -> Iterator[str]:
    """Do what the page says, and return the files that it changes."""
    for file, language, block in blocks(page):
        place = workspace / file
        is_new = not place.exists()
        assert not is_new or language == "rust", f"{page.name}: there is no {file}"
        old = "" if is_new else place.read_text(encoding="utf-8")
        if is_new:
            new = "\n".join(block) + "\n"
        elif language == "diff":
            new = edited(old, block)
        else:
            new = edited(old, [f" {line}" for line in block if line])
        if new == old:
            continue
        # Cargo checks again what has changed since the last time.
        times = [file.stat().st_mtime for file in (page, place) if file.exists()]
        place.parent.mkdir(exist_ok=True)
        place.write_text(new, encoding="utf-8")
        os.utime(place, (max(times), max(times)))
        yield file


def follow_in_copy(root: Path, pages: Iterable[Path], place: Path) -> dict[str, list[str]]:
    """Do what the pages say to a copy of the workspace, with the files that lie beside a page.

    Returns
    -------
    dict of str to list of str
        For each file that changes, the names of the pages that change it.
    """
    workspace = place / "workspace"
    shutil.rmtree(workspace, ignore_errors=True)
    for name in COPIED:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy2
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        copy(root / name, workspace / name)
    changed = defaultdict(list)
    for page in pages:
        if (page.parent / "crates").exists():
            shutil.copytree(page.parent / "crates", workspace / "crates", dirs_exist_ok=True)
        for file in follow(page, workspace):
            changed[file].append(page.name)
    return changed


def cargo(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run cargo in the copy, with a target of its own: cargo knows crates by their place."""
    return subprocess.run(
        ["cargo", *words],
        cwd=place / "workspace",
        env={**os.environ, "CARGO_TARGET_DIR": str(place / "target")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_the_pages_add_compiles(root):
    place = root / "target/add"
    pages = [*sorted((root / "docs/add").glob("*.md")), root / HTCP]
    changed = follow_in_copy(root, pages, place)
    assert len(changed) > 20
    packages = [word for name in PACKAGES for word in ("--package", name)]
    done = cargo(place, "check", "--quiet", *packages)
    told = re.findall(r"^error.*?^$", done.stderr + "\n", re.M | re.S) or [done.stderr]
    at = re.search(r"--> (crates/\S+?\.rs)", told[0])
    assert not done.stderr, f"{changed[at[1]] if at else 'the pages together'}: {told[0]}"


def htcp_growth(since_s: float, beta: float, rtt_s: float) -> float:
    """Return the segments by which a window grows after a loss: the integral of α over rounds.

    α(Δ) = 1 + 10 (Δ − 1) + ((Δ − 1)/2)² from a second on (draft-leith-tcp-htcp-06).
    """
    fast_s = max(since_s - 1, 0.0)
    return 2 * (1 - beta) * (since_s + 5 * fast_s**2 + fast_s**3 / 12) / rtt_s


@pytest.mark.slow
def test_the_example_obeys_laws_and_its_equation(root):
    place = root / "target/htcp"
    follow_in_copy(root, [root / HTCP], place)
    for command in (
        ("test", "--package", "cc"),
        ("clippy", "--package", "cc", "--all-targets", "--", "--deny", "warnings"),
        ("fmt", "--package", "cc", "--check"),
    ):
        done = cargo(place, *command)
        assert done.returncode == 0, done.stderr
    lines = cargo(place, "run", "--package", "sim", "--example", "htcp").stdout.splitlines()
    assert [line.split()[0] for line in lines].count("loss") == 4
    left: list[float] = []
    for kind, at_s, *windows in map(str.split, lines):
        if kind == "loss":
            lost_s, before, after = float(at_s), *map(float, windows)
            left.append(after / before)
        else:
            # A round trip repairs the loss, and acknowledges the window one before.
            since_s, rtt_s, grown = float(at_s) - lost_s, 0.1, float(windows[0]) - after
            least, most = (
                htcp_growth(since_s + rounds * rtt_s, left[-1], rtt_s) for rounds in (-2, 1)
            )
            assert least <= grown <= most, f"{since_s} s after a loss"
    # Throughput had not risen by a fifth since the loss before the last.
    assert left == pytest.approx([0.5, 0.5, 0.5, 0.8], abs=0.01)
