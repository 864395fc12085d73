"""The comparison of middleboxes in docs/middleboxes.md."""

from __future__ import annotations

import subprocess
import sys


def test_the_example_prints_the_table(root):
    command = [sys.executable, root / "examples" / "boxes.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout in (root / "docs" / "middleboxes.md").read_text(encoding="utf-8")
