"""Run every check and test, and close with one line that adds them up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CARGO_SUMMARY = re.compile(r"^test result: .* (\d+) passed; (\d+) failed; (\d+) ignored", re.M)
PYTEST_SUMMARY = re.compile(r"^.* in [\d.]+s\b.*$", re.M)
PYTEST_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b")


@dataclass(frozen=True)
class Count:
    """How many tests passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )


@dataclass(frozen=True)
class Step:
    """A command, what it needs in the environment, and how its output is counted."""

    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    count: Callable[[str], Count] | None = None


def count_cargo(output: str) -> Count:
    """Add up the summaries of all test binaries."""
    rows = [Count(*(int(number) for number in row)) for row in CARGO_SUMMARY.findall(output)]
    return sum(rows, Count())


def count_pytest(output: str) -> Count:
    """Read pytest's last summary."""
    summaries = PYTEST_SUMMARY.findall(output)
    words = {word: int(n) for n, word in PYTEST_COUNT.findall("".join(summaries[-1:]))}
    failed = sum(words.get(word, 0) for word in ("failed", "error", "errors", "xpassed"))
    return Count(words.get("passed", 0) + words.get("xfailed", 0), failed, words.get("skipped", 0))


def steps(*, everything: bool) -> list[Step]:
    """Return what to run; `everything` also runs what takes minutes."""
    more_cases = (("PROPTEST_CASES", "2000"),) if everything else ()
    marks = () if everything else ("-m", "not slow")
    pytest = (f"{BIN}/pytest", "-rs", "--dist", "loadfile", "-n")
    strict = (("RUSTDOCFLAGS", "-D warnings"),)
    return [
        Step("rustfmt", ("cargo", "fmt", "--all", "--check")),
        Step("clippy", ("cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings")),
        Step("cargo doc", ("cargo", "doc", "--workspace", "--no-deps"), strict),
        Step("ruff check", (f"{BIN}/ruff", "check")),
        Step("ruff format", (f"{BIN}/ruff", "format", "--check")),
        Step("mypy", (f"{BIN}/mypy",)),
        Step("stubtest", (f"{BIN}/stubtest", "thinpipe._core")),
        Step("cargo test", ("cargo", "test", "--workspace"), more_cases, count_cargo),
        Step("pytest", (*pytest, "2", "tests/python", "tests/cli", *marks), (), count_pytest),
        # These mostly wait for packets.
        Step("live tests", (*pytest, "4", "tests/live", *marks), (), count_pytest),
    ]


def run(step: Step) -> Count:
    """Run one step, show its output as it comes, and count."""
    print(f"── {step.name}: {' '.join(step.command)}", flush=True)
    environment = {**os.environ, "PYO3_PYTHON": sys.executable, **dict(step.environment)}
    lines = []
    with subprocess.Popen(
        step.command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line)
    succeeded = process.returncode == 0
    if step.count is None:
        return Count(passed=int(succeeded), failed=int(not succeeded))
    counted = step.count("".join(lines))
    silent = (not succeeded and counted.failed == 0) or counted == Count()
    return counted + Count(failed=int(silent))


def main() -> int:
    """Run all steps, whatever fails before, and sum up."""
    counts = [(step, run(step)) for step in steps(everything="--all" in sys.argv[1:])]
    total = sum((count for _, count in counts), Count())
    print()
    for step, count in counts:
        skipped = f", {count.skipped} skipped" if count.skipped else ""
        verdict = "FAILED" if count.failed else "ok"
        print(f"{step.name:<12} {verdict:<7} {count.passed} ok, {count.failed} not{skipped}")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
