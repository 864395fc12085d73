"""The closing line of `make test` adds up the results of all runners."""

import importlib.util
import sys
from collections import Counter

import pytest


@pytest.fixture
def runner(root, monkeypatch):
    spec = importlib.util.spec_from_file_location("closing_line", root / "scripts" / "test.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "closing_line", module)
    spec.loader.exec_module(module)
    return module


CARGO = """
running 4 tests
skipped: host::rules: needs root
test a ... skipped: host::rules: needs root
skipped: checksums: needs tshark
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 40 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s
"""


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (CARGO, (41, 2, {"needs root": 1, "needs tshark": 1, "ignored": 1})),
        ("error: could not compile `tcp`\n", (0, 0, {})),
    ],
)
def test_cargo_binaries_are_added(runner, output, expected):
    assert runner.count_cargo(output) == count(runner, *expected)


def count(runner, passed, failed, skipped):
    return runner.Count(passed, failed, Counter(skipped))


PYTEST = """
SKIPPED [2] tests/live/test_site.py:238: needs nft
SKIPPED [1] tests/cli/test_captures.py:10: needs tshark
SKIPPED [1] tests/live/test_site.py:370: needs nft
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("70 passed in 5.39s", (70, 0, {})),
        ("1 failed, 70 passed, 1 deselected, 2 errors in 5.39s", (70, 3, {})),
        (
            f"{PYTEST}3 passed, 4 skipped, 1 xfailed in 1s",
            (4, 0, {"needs nft": 3, "needs tshark": 1}),
        ),
        ("3 passed, 2 skipped in 1s", (3, 0, {"no reason": 2})),
        ("no tests ran in 0.01s", (0, 0, {})),
    ],
)
def test_last_line_of_pytest_counts(runner, line, expected):
    counted = runner.count_pytest(f"5 passed as a red herring\n{line}\n")
    assert counted == count(runner, *expected)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('2 passed in 1s')", (2, 0, {})),
        ("print('2 passed in 1s'); raise SystemExit(1)", (2, 1, {})),
        ("print('nothing')", (0, 1, {})),
        # A session that dies, one that ends early, and one that runs all.
        ("print('collected 9 tests')", (0, 9, {})),
        ("print('collected 9 tests\\n1 failed, 2 passed in 1s')", (2, 7, {})),
        ("print('collected 3 tests\\ncollected 3 tests\\n1 failed, 2 passed in 1s')", (2, 1, {})),
    ],
)
def test_what_does_not_run_counts_as_a_failure(runner, code, expected, capfd):
    command = (sys.executable, "-c", code)
    step = runner.Step("fake", command, (), runner.count_pytest, runner.expect_pytest)
    assert runner.run(step) == count(runner, *expected)
    assert "fake" in capfd.readouterr().out


def test_rust_tests_that_do_not_compile_are_expected(runner, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    folder = tmp_path / "crates" / "tcp" / "tests"
    folder.mkdir(parents=True)
    (folder / "a.rs").write_text("#[test]\nfn a() { is no Rust }\n    #[test]\n    fn b() {}\n")
    (folder / "b.rs").write_text("//! About #[test].\n")
    assert runner.expect_cargo('error: could not compile `tcp` (test "a")\n') == 2


SUITE = {
    "test_good.py": "import pytest\ndef test_a(): pass\ndef test_b(): pytest.skip('needs x')\n",
    "test_bad.py": "import no_such_module\ndef test_c(): pass\n",
}


def test_pytest_tells_how_many_there_are(runner, root, tmp_path, capfd):
    """One file cannot be imported: the tests of the other run, and count as expected."""
    for name, text in SUITE.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "conftest.py").write_text((root / "tests" / "conftest.py").read_text())
    steps = [step for lane in runner.lanes(everything=True) for step in lane]
    [command] = [step.command for step in steps if step.name == "pytest"]
    command = tuple(word for word in command if not word.startswith("tests/"))
    step = runner.Step(
        "pytest", (*command, str(tmp_path)), (), runner.count_pytest, runner.expect_pytest
    )
    assert runner.run(step) == count(runner, 1, 1, {"needs x": 1})
    assert "\ncollected 2 tests\n" in capfd.readouterr().out


SPIN = "import time\nwhile time.process_time() < {}: pass"


def test_processor_time_is_that_of_all_that_a_step_starts(runner, capfd):
    """A child spins for 0.2 s, and so does the child of another, however busy the machine is."""
    inner = SPIN.format(0.2)
    outer = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {inner!r}])"
    counts = []
    for name, code in (("spin", inner), ("start", outer)):
        step = runner.Step(name, (sys.executable, "-S", "-c", code))
        counts.append((step, runner.run(step)))
    assert all(counted.cpu_s >= 0.2 for _, counted in counts)
    runner.close(counts)
    *_, time, last = capfd.readouterr().out.splitlines()
    total_s = sum(counted.cpu_s for _, counted in counts)
    assert time == f"CPU time: {total_s / 60:.1f} min"
    assert last == "2 passed, 0 failed, 0 skipped"


def test_nothing_runs_without_the_module(runner, capfd, monkeypatch):
    def lanes(*, everything):
        raise AssertionError(everything)

    monkeypatch.setattr(runner, "lanes", lanes)
    assert runner.main([sys.executable, "-c", "raise SystemExit(1)"]) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"


def test_everything_runs_after_the_module_is_installed(runner, capfd, monkeypatch):
    done = []

    def lanes(*, everything):
        done.append(everything)
        return [], []

    monkeypatch.setattr(runner, "lanes", lanes)
    assert runner.main(["--all", sys.executable, "-c", "print('installed')"]) == 0
    assert runner.main([]) == 0
    assert done == [True, False]
    assert capfd.readouterr().out.splitlines()[-1] == "0 passed, 0 failed, 0 skipped"
