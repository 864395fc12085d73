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
from collections.abc import Iterator
from pathlib import Path

FOUND = re.compile(r"`(crates/[\w/-]+\.rs)`|^( *)```(rust|diff)\n(.*?)^\2```$", re.M | re.S)
COPIED = ("Cargo.toml", "Cargo.lock", "benches", "crates", "scenarios", "tests/costs", "tests/peer")
PACKAGES = ("proxy", "sim")
"""With all that they use, every crate that a page adds to."""


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


def test_what_the_pages_add_compiles(root):
    # Cargo knows crates by their place in a workspace: the copy has a target of its own.
    workspace, target = root / "target/add/workspace", root / "target/add/target"
    shutil.rmtree(workspace, ignore_errors=True)
    for name in COPIED:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy2
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        copy(root / name, workspace / name)
    pages = defaultdict(list)
    for page in sorted((root / "docs/add").glob("*.md")):
        for file in follow(page, workspace):
            pages[file].append(page.name)
    assert len(pages) > 20
    command = ["cargo", "check", "--quiet", "--target-dir", target]
    packages = [word for name in PACKAGES for word in ("--package", name)]
    done = subprocess.run(
        [*command, *packages], cwd=workspace, capture_output=True, text=True, check=False
    )
    told = re.findall(r"^error.*?^$", done.stderr + "\n", re.M | re.S) or [done.stderr]
    at = re.search(r"--> (crates/\S+?\.rs)", told[0])
    assert not done.stderr, f"{pages[at[1]] if at else 'the pages together'}: {told[0]}"
