"""The example of docs/testbed.md runs."""

import re
import shutil

import pytest
from thinpipe.testbed import missing, vpn


def examples(root) -> list[str]:
    page = (root / "docs" / "testbed.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


def test_examples_run(root, capsys):
    if (reason := missing()) is not None:
        pytest.skip(reason)
    if shutil.which("curl") is None:
        pytest.skip("needs curl")
    download, proxied, by_quic, call = examples(root)
    exec(download, {})
    whole, duration, *_ = capsys.readouterr().out.split()
    assert (whole, float(duration) > 2) == ("True", True)
    exec(proxied, {})
    assert int(capsys.readouterr().out) >= 1
    exec(by_quic, {})
    assert capsys.readouterr().out.startswith("200000 [")
    if vpn.missing() is None:
        exec(call, {})
        mos, slowest_s = map(float, capsys.readouterr().out.split())
        assert 1 < mos < 4.5
        assert 0 < slowest_s < 60
