"""The benches that `make bench` calls are there."""

import re


def test_make_bench_calls_benches_that_exist(root):
    called = [
        name
        for script in sorted((root / "benches").glob("*.py"))
        for name in re.findall(
            r'"--package", "(\S+?)", "--bench", "(\S+?)"', script.read_text(encoding="utf-8")
        )
    ]
    assert len(called) >= 2
    for package, bench in called:
        assert package == "benches"
        assert (root / "benches" / f"{bench}.rs").is_file(), bench
