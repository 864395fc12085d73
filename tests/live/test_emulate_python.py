"""``tp.emulate`` and the fixture, as in a user's test: pytest in its own namespace."""

import subprocess
import sys
from pathlib import Path

import pytest

LIMIT_S = 300

HEAD = """
import os
import signal
import subprocess
import sys
import time
from ipaddress import ip_address
from pathlib import Path

import pytest
import thinpipe as tp

SERVER = [sys.executable, "-m", "http.server", "8000"]
FETCH = (
    "import sys, urllib.request as r;"
    "sys.stdout.buffer.write(r.urlopen(f'http://{sys.argv[1]}:8000/file', timeout=120).read())"
)

def wait_until_gone(*processes):
    for _ in range(10_000):  # who has lost its parent is there until init has noticed
        if not any(Path(f"/proc/{each}").exists() for each in processes):
            return
        time.sleep(0.01)
    raise AssertionError(f"{processes} are still there")

def fetch(net, address, **options):
    return net.run([sys.executable, "-c", FETCH, address], capture_output=True, **options)
"""

TESTS = {
    "bytes_come_whole_over_both_protocols": """
def test(thinpipe_emulate):
    Path("file").write_bytes(content := os.urandom(20_000))
    net = thinpipe_emulate("umts-384", tbler=0.1, seed=3, server=[*SERVER, "--bind", "::"])
    assert ip_address(net.gateway).is_private or net.gateway in SHARED
    for address in (str(net.gateway), f"[{net.gateway6}]"):
        assert fetch(net, address, check=True).stdout == content

from ipaddress import ip_network
SHARED = ip_network("100.64.0.0/10")
""",
    "record_and_log_agree": """
def test():
    Path("file").write_bytes(bytes(20_000))
    with tp.emulate("umts-384", {"radio.tbler": "20 %"}, log="log.parquet", pcap="pcap",
                    server=SERVER) as net:
        start = time.monotonic()
        fetch(net, str(net.gateway), check=True)
        took = time.monotonic() - start
    assert took > 20_000 * 8 / 384e3
    record, packets = net.record, net.packets
    assert record.radio.blocks_in_error > 0
    for name, way in (("down", record.down), ("up", record.up)):
        assert way.entered.packets == way.left.packets + way.dropped.total + way.queued.packets
        rows = packets.filter(direction=name)
        assert rows.height == way.entered.packets
        assert rows.filter(fate="delivered")["bytes"].sum() == way.left.bytes
    left = packets.filter(fate="delivered")
    assert (left["left_s"] >= left["due_s"]).all() and (left["due_s"] >= left["entered_s"]).all()
    assert {each.name for each in Path("pcap").iterdir()} > {"network.pcapng", "mobile.pcapng"}
""",
    "it_begins_where_many_files_are_open": """
def test():
    import resource
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    held = [open("/dev/null") for _ in range(1_100)]
    with tp.emulate("link") as net:
        assert net.run(["true"]).returncode == 0
    [each.close() for each in held]
""",
    "programs_are_on_their_sides": """
def test(thinpipe_emulate, tmp_path):
    net = thinpipe_emulate("link", delay="100 ms")
    inside = net.run(["ip", "-brief", "address"], capture_output=True, text=True, check=True)
    assert "thin0" in inside.stdout and str(net.gateway) not in inside.stdout
    outside = net.run_outside("ip -brief address", shell=True, capture_output=True, text=True)
    assert str(net.gateway) in outside.stdout
    shown = net.run(["sh", "-c", "pwd; echo $THINPIPE_GATEWAY $MINE"], cwd=tmp_path, text=True,
                    env={"MINE": "1", "PATH": os.environ["PATH"]}, capture_output=True)
    assert shown.stdout.splitlines() == [str(tmp_path), f"{net.gateway} 1"]
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        net.run(["no-such-program"])
    with pytest.raises(subprocess.CalledProcessError):
        net.run(["false"], check=True)
""",
    "nothing_stays": """
def test():
    with tp.emulate("link", delay="10 ms") as net:
        polite = net.popen(["sleep", "100"])
        stubborn = net.popen(["sh", "-c", "trap '' TERM; sleep 100 & echo $!; wait; sleep 100"],
                             stdout=-1, text=True)
        child = int(stubborn.stdout.readline())
        with pytest.raises(RuntimeError, match="after the block"):
            net.record
    stubborn.stdout.close()
    assert (polite.returncode, stubborn.returncode) == (-signal.SIGTERM, -signal.SIGKILL)
    assert net.record.left_behind == 1
    wait_until_gone(child)
    with pytest.raises(ValueError, match="log=FILE"):
        net.packets
""",
    "emulator_ends_with_its_test": """
def test():
    script = (
        "import os, thinpipe as tp\\n"
        "net = tp.emulate('umts-384').__enter__()\\n"
        "net.popen(['sleep', '100'])\\n"
        "print(net._holder, net.pid, flush=True)\\n"
        "os.kill(os.getpid(), 9)\\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    processes = done.stdout.split()
    assert (done.returncode, len(processes)) == (-signal.SIGKILL, 2)
    wait_until_gone(*processes)
    links = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in links.stdout.splitlines()] == ["lo"]
""",
    "two_at_once": """
def test(thinpipe_emulate):
    Path("file").write_bytes(b"x" * 2000)
    first = thinpipe_emulate("link", delay="50 ms", server=[*SERVER, "--bind", "0.0.0.0"])
    second = thinpipe_emulate("link", delay="50 ms")
    assert first.gateway != second.gateway
    for net in (first, second):
        assert fetch(net, str(net.gateway), check=True).stdout == b"x" * 2000
""",
    "programs_have_the_names_that_the_user_gave": """
def test():
    net = tp.emulate("link", delay="10 ms")
    for early in (lambda: net.run(["true"]), lambda: net.popen_outside(["true"]),
                  lambda: net.gateway):
        with pytest.raises(RuntimeError, match="in the block of"):
            early()
    command = ["sh", "-c", "exit 3"]
    with net:
        assert net.run(command).args == net.popen(command).args == command
        with pytest.raises(subprocess.CalledProcessError) as failed:
            net.run_outside(command, check=True)
        with pytest.raises(subprocess.TimeoutExpired) as late:
            net.run(["sleep", "9"], timeout=0.1)
        assert (failed.value.cmd, late.value.cmd) == (command, ["sleep", "9"])
        with pytest.raises(ValueError, match="needs a program"):
            net.run([])
    with pytest.raises(RuntimeError, match="in the block of"):
        net.run(["true"])
    with pytest.raises(RuntimeError, match="entered once"), net:
        pass
    assert (net.record.command, net.record.exit_status) == (None, None)
""",
    "emulator_that_is_killed_is_an_error": """
def test():
    with pytest.raises(tp.EmulationError, match="ended with status -9"):
        with tp.emulate("umts-384") as net:
            os.kill(net.pid, signal.SIGKILL)
    with tp.emulate("umts-384") as net:
        assert net.run(["true"]).returncode == 0
""",
}


@pytest.mark.parametrize("name", TESTS)
def test_as_a_user_has_it(program, tmp_path, name):  # noqa: ARG001 - `program` knows when to skip
    file = Path(tmp_path, f"test_{name}.py")
    file.write_text(HEAD + TESTS[name])
    pytest_in_it = (
        f"ip link set lo up; exec {sys.executable} -m pytest -p no:cacheprovider -q -rs ."
    )
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", pytest_in_it],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "error", "line"),
    [
        ('"umts-384", tblr=0.1', "ScenarioError", "radio.tblr=0.1: unknown key; did you mean"),
        ('"link", loss="5 kB"', "ScenarioError", "link.loss=5 kB: "),
        (
            '"link", link__rate=1e6, rate=2e6',
            "ScenarioError",
            "link.rate=2000000.0: set to 1000",
        ),
        (
            '"link", {"link.rate": 1}, rate=2',
            "ScenarioError",
            "link.rate=2: set to 1 as well",
        ),
        ('"umts-38"', "ScenarioError", "unknown scenario 'umts-38': "),
        ('"umts-384", seed=-1', "ScenarioError", "seed=-1: must be a whole number from 0"),
        ('"link", server="no-such"', "EmulationError", "--server no-such: no such program"),
        (
            '"link", log="log.csv"',
            "EmulationError",
            "--log log.csv: must end in .jsonl or .parquet",
        ),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, arguments, error, line):
    script = f"import thinpipe as tp\nwith tp.emulate({arguments}): pass"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1].startswith(f"thinpipe.{error}: {line}")


def test_where_nothing_is_allowed_a_test_is_skipped_with_the_reason(tmp_path):
    (tmp_path / "test_it.py").write_text("def test(thinpipe_emulate): thinpipe_emulate('link')\n")
    (tmp_path / "conftest.py").write_text(
        "import pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def thinpipe_unavailable(): return 'no right to make namespaces'\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 skipped" in done.stdout
    assert "no emulation here: no right to make namespaces" in done.stdout
