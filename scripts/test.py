"""Run every check and test, and print their totals in a closing line.

``test.py [--all] [COMMAND…]``: COMMAND installs the module before anything else runs.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SEED = "20031"
"""Seed of the cases that `make test` draws."""

COMPILED_ONCE = {
    "CARGO_INCREMENTAL": "0",
    "PYO3_PYTHON": sys.executable,
    "PYTHONPYCACHEPREFIX": str(ROOT / "target/pycache"),
    "PYTHONDONTWRITEBYTECODE": "",
}
"""What spares cargo and the many Python programs that tests start to compile the same again, and
the notes of incremental compilation: they take space, and change the instructions that are counted.
"""

CARGO_SUMMARY = re.compile(r"^test result: .* (\d+) passed; (\d+) failed; (\d+) ignored", re.M)
CARGO_SKIPPED = re.compile(r"\bskipped: ([\w:]+): (.+)$", re.M)
"""How a test that cannot run here says so on standard error: cargo cannot skip tests."""

RUST_TEST = re.compile(r"^\s*#\[test\]$", re.M)
PYTEST_SUMMARY = re.compile(r"^.* in [\d.]+s\b.*$", re.M)
PYTEST_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b")
PYTEST_SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] \S+: (.+)$", re.M)
PYTEST_COLLECTED = re.compile(r"^collected (\d+) tests$", re.M)
"""tests/conftest.py"""


@dataclass(frozen=True)
class Count:
    """Numbers of tests that passed, failed and were skipped, the latter by requirement.

    `cpu_s` is the processor time that they took, with all programs that they started.
    """

    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    cpu_s: float = field(default=0.0, compare=False)

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.cpu_s + other.cpu_s,
        )

    def total(self) -> int:
        """Return how many tests ran or were skipped."""
        return self.passed + self.failed + self.skipped.total()


@dataclass(frozen=True)
class Step:
    """A command, what it needs in the environment, and what its output says.

    `count` is for what became of its tests, `expect` for how many there are.
    """

    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    count: Callable[[str], Count] | None = None
    expect: Callable[[str], int] = lambda _: 0


def count_cargo(output: str) -> Count:
    """Add up the summaries of all test binaries."""
    rows = [[int(number) for number in row] for row in CARGO_SUMMARY.findall(output)]
    passed, failed, ignored = map(sum, zip((0, 0, 0), *rows, strict=True))
    skipped = Counter(dict(CARGO_SKIPPED.findall(output)).values())
    return Count(passed - skipped.total(), failed, skipped + Counter(ignored=ignored))


def expect_cargo(_: str) -> int:
    """Count the tests in the sources, also if they do not compile."""
    folders = ("crates", "tests/costs", "tests/peer")
    sources = [file for folder in folders for file in (ROOT / folder).rglob("*.rs")]
    return sum(len(RUST_TEST.findall(file.read_text(encoding="utf-8"))) for file in sources)


def count_pytest(output: str) -> Count:
    """Read pytest's last summary."""
    summaries = PYTEST_SUMMARY.findall(output)
    words = {word: int(n) for n, word in PYTEST_COUNT.findall("".join(summaries[-1:]))}
    failed = sum(words.get(word, 0) for word in ("failed", "error", "errors", "xpassed"))
    skipped: Counter[str] = Counter()
    for number, reason in PYTEST_SKIPPED.findall(output):
        skipped[reason] += int(number)
    skipped["no reason"] = words.get("skipped", 0) - skipped.total()
    return Count(words.get("passed", 0) + words.get("xfailed", 0), failed, +skipped)


def expect_pytest(output: str) -> int:
    """Read how many tests were collected."""
    return sum(int(number) for number in PYTEST_COLLECTED.findall(output)[-1:])


def lanes(*, everything: bool) -> tuple[list[Step], list[Step]]:
    """Return two lists of steps, which run in parallel, each list in sequence.

    `everything` also runs what takes minutes, and draws cases anew.
    """
    # Each change is tested with the same cases.
    anew = (
        ("PROPTEST_CASES", "2000"),
        ("ANYTHING_SEED", str(secrets.randbits(32))),
        ("ANYTHING_CASES", "40000"),
    )
    cases = anew if everything else (("PROPTEST_RNG_SEED", SEED),)
    choice = () if everything else ("-m", "not slow", f"--hypothesis-seed={SEED}")
    pytest = (f"{BIN}/pytest", "-rs", "--continue-on-collection-errors", "--dist", "loadfile", "-n")
    strict = (("RUSTDOCFLAGS", "-D warnings"),)
    units = Step(
        "cargo test",
        ("cargo", "test", "--no-fail-fast"),
        cases,
        count_cargo,
        expect_cargo,
    )
    offline = Step(
        "pytest",
        (*pytest, "2", "tests/python", "tests/cli", *choice),
        (),
        count_pytest,
        expect_pytest,
    )
    python = [
        Step("ruff check", (f"{BIN}/ruff", "check")),
        Step("ruff format", (f"{BIN}/ruff", "format", "--check")),
        Step("mypy", (f"{BIN}/mypy",)),
        Step("stubtest", (f"{BIN}/stubtest", "thinpipe._core")),
    ]
    rust = [
        Step("rustfmt", ("cargo", "fmt", "--all", "--check")),
        Step("clippy", ("cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings")),
        Step("cargo doc", ("cargo", "doc", "--workspace", "--no-deps"), strict),
    ]
    # These tests mostly wait for packets, while others compute. `cargo test` builds their programs.
    live = Step(
        "live tests", (*pytest, "6", "tests/live", *choice), (), count_pytest, expect_pytest
    )
    lab = Step("lab tests", (*pytest, "2", "tests/lab", *choice), (), count_pytest, expect_pytest)
    # The same figures as of what is shipped; `make test-all` has built that.
    costs = Step("costs", ("cargo", "test", "--release", "--package", "costs"), (), count_cargo)
    return [units, live, lab], [*python, offline, *rust, *([costs] if everything else [])]


def run(step: Step) -> Count:
    """Run one step, show its output in one piece, and count its tests."""
    print(f"── {step.name} begins: {' '.join(step.command)}", flush=True)
    environment = {**os.environ, **COMPILED_ONCE, **dict(step.environment)}
    with subprocess.Popen(
        step.command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as child:
        output = child.stdout.read() if child.stdout else ""
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    counted, missing = judge(step, output, succeeded=child.returncode == 0)
    shortfall = f"{step.name}: {missing} did not run\n" if missing else ""
    print(f"── {step.name} is over\n{output}{shortfall}", end="", flush=True)
    return counted + Count(failed=missing, cpu_s=usage.ru_utime + usage.ru_stime)


def judge(step: Step, output: str, *, succeeded: bool) -> tuple[Count, int]:
    """Return the results of a step's tests, and how many did not run."""
    if step.count is None:
        return Count(passed=int(succeeded), failed=int(not succeeded)), 0
    counted = step.count(output)
    silent = (not succeeded and counted.failed == 0) or counted.total() == 0
    return counted, max(int(silent), step.expect(output) - counted.total())


def main(words: list[str]) -> int:
    """Run all steps, also after failures, and print the totals."""
    everything = words[:1] == ["--all"]
    counts: list[tuple[Step, Count]] = []
    if command := tuple(words[everything:]):
        install = Step("install", command)
        counts.append((install, run(install)))
    if not any(count.failed for _, count in counts):
        with ThreadPoolExecutor(2) as pool:
            done = pool.map(
                lambda lane: [(step, run(step)) for step in lane], lanes(everything=everything)
            )
            counts += [each for lane in done for each in lane]
    close(counts)
    return 1 if any(count.failed for _, count in counts) else 0


def close(counts: list[tuple[Step, Count]]) -> None:
    """Print what became of each step, what was skipped, the CPU time, and the totals."""
    total = sum((count for _, count in counts), Count())
    print()
    for step, count in counts:
        skipped = f", {count.skipped.total()} skipped" if count.skipped else ""
        verdict = "FAILED" if count.failed else "ok"
        tests = f"{count.passed} ok, {count.failed} not{skipped}"
        print(f"{step.name:<12} {verdict:<7} {count.cpu_s / 60:>5.1f} CPU min  {tests}")
    for reason, number in total.skipped.most_common():
        print(f"{number:>5} skipped: {reason}")
    print(f"CPU time: {total.cpu_s / 60:.1f} min")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped.total()} skipped")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
