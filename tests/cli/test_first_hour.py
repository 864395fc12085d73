"""The commands of docs/first-hour.md, in order, with fewer seeds and shorter runs."""

import re
import subprocess
import sys

import pytest

SHORTER = (("--seeds 1..10", "--seeds 1..2"), ("--duration 100s", "--duration 10s"))
FILE = re.compile(r"^`(?P<name>\w+\.\w+)`:\n\n```\w+\n(?P<text>.*?)```", re.M | re.S)
APPENDED = re.compile(r"^Append to `(?P<name>\w+\.\w+)`.*?```toml\n(?P<text>.*?)```", re.M | re.S)
COMMANDS = re.compile(r"(?:^    .*\n)+", re.M)


@pytest.mark.slow
def test_page_can_be_followed(root, tmp_path):
    page = (root / "docs" / "first-hour.md").read_text(encoding="utf-8")
    for shorter in SHORTER:
        page = page.replace(*shorter)
    for file in FILE.finditer(page):
        (tmp_path / file["name"]).write_text(file["text"], encoding="utf-8")
    trace = [sys.executable, str(root / "examples" / "trace.py")]
    made = subprocess.run(trace, capture_output=True, check=True).stdout
    (tmp_path / "radio.trace").write_bytes(made)
    outside = re.sub(r"```.*?```", "", page, flags=re.S)
    commands = [
        line.strip()
        for block in COMMANDS.findall(outside)
        for line in re.sub(r"\\\n\s*", "", block).splitlines()
    ]
    assert len(commands) > 15
    appended = APPENDED.search(page)
    assert appended is not None
    for command in commands:
        run = command.replace("thinpipe", f"{sys.executable} -m thinpipe", 1)
        done = subprocess.run(
            run, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), command
        if "> walk.toml" in command:
            with (tmp_path / appended["name"]).open("a", encoding="utf-8") as file:
                file.write(appended["text"])
    pictures = sorted(file.name for file in tmp_path.glob("*.png"))
    assert len(pictures) == sum(each.split()[1] in ("plot", "show") for each in commands)
