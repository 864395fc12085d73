"""The closing line of `make test` adds up what each runner says."""

import importlib.util
import sys

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
running 3 tests
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 40 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s
"""


@pytest.mark.parametrize(
    ("output", "expected"),
    [(CARGO, (43, 2, 1)), ("error: could not compile `tcp`\n", (0, 0, 0))],
)
def test_cargo_binaries_are_added(runner, output, expected):
    assert runner.count_cargo(output) == runner.Count(*expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("70 passed in 5.39s", (70, 0, 0)),
        ("1 failed, 70 passed, 1 deselected, 2 errors in 5.39s", (70, 3, 0)),
        ("3 passed, 2 skipped, 1 xfailed in 1s", (4, 0, 2)),
        ("no tests ran in 0.01s", (0, 0, 0)),
    ],
)
def test_last_line_of_pytest_counts(runner, line, expected):
    assert runner.count_pytest(f"5 passed as a red herring\n{line}\n") == runner.Count(*expected)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('2 passed in 1s')", (2, 0, 0)),
        ("print('2 passed in 1s'); raise SystemExit(1)", (2, 1, 0)),
        ("print('nothing')", (0, 1, 0)),
    ],
)
def test_runner_that_fails_or_is_silent_counts_as_a_failure(runner, code, expected, capfd):
    step = runner.Step("fake", (sys.executable, "-c", code), (), runner.count_pytest)
    assert runner.run(step) == runner.Count(*expected)
    assert "fake" in capfd.readouterr().out
