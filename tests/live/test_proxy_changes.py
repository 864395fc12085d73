"""The proxy ends, reads its file again, and is confined; connections survive."""

import os
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from thinpipe.testbed import (
    DEVICE,
    HOST,
    Bed,
    Fetch,
    Listener,
    Plan,
    Proxy,
    bed,
)

from tests.live.standing import (
    ASKED,
    ENDS,
    KEYS,
    LINK,
    MEDIUM,
    PATIENT,
    PROFILE,
    PROXY,
    SLOW,
    SMALL,
    SOON_S,
    busy,
    end,
    events,
    get,
    handled,
    radio,
    standing,
    still,
    stopped,
    supervisor,
    taken,
    told,
    until,
    was_reset,
    whole,
    worker,
)

pytestmark = pytest.mark.usefixtures("testbed")


def test_sigterm_hands_idle_connections_back_and_ends():
    with standing(PATIENT) as made:
        handled(made)
        assert made.daemon is not None
        made.daemon.terminate()
        assert stopped(made, SOON_S) == 0
        whole(made)


def test_sigterm_waits_for_the_busy_and_resets_them_at_the_deadline():
    with standing() as made:
        running = busy(made)
        # Held data must not drain before the deadline, or the connection could be released.
        radio(made, SLOW)
        assert made.daemon is not None
        start_s = time.monotonic()
        made.daemon.terminate()
        passing = get(made)
        assert stopped(made, SOON_S) == 0
        assert time.monotonic() - start_s > 1.9
        was_reset(made, running)
        [fetched] = passing.all(2 * SOON_S)
        assert fetched.whole


def test_a_second_sigterm_ends_at_once():
    with standing(PATIENT) as made:
        running = busy(made)
        assert made.daemon is not None
        made.daemon.terminate()
        until(lambda: bool(told(made, "draining")))
        made.daemon.terminate()
        assert stopped(made, SOON_S) == 0
        was_reset(made, running)


def test_a_killed_worker_does_not_keep_a_draining_daemon():
    with standing(PATIENT) as made:
        running = busy(made)
        assert made.daemon is not None
        made.daemon.terminate()
        until(lambda: bool(told(made, "draining")))
        os.kill(worker(made), signal.SIGKILL)
        assert stopped(made, SOON_S) == 0
        was_reset(made, running)


def reload(made: Bed, text: str) -> None:
    made.config.write_text(text, encoding="utf-8")
    os.kill(supervisor(made), signal.SIGHUP)


def refused(made: Bed, text: str) -> str:
    """Return why a configuration is rejected."""
    before = len(told(made, "reload refused"))
    reload(made, text)
    until(lambda: len(told(made, "reload refused")) == before + 1)
    return str(told(made, "reload refused")[-1]["why"])


def test_a_bad_file_changes_nothing():
    with standing() as made:
        number = worker(made)
        good = made.config.read_text(encoding="utf-8")
        for bad, why in [
            (f"{good}\nnonsense = 1\n", "nonsense"),
            (good.replace("name = ", "nam = "), "nam"),
            (f'user = "daemon"\n{good}', "user: cannot change while the daemon runs"),
            ("", ""),
        ]:
            assert why in refused(made, bad)
            # The status command reads the file, too.
            made.config.write_text(good, encoding="utf-8")
            handled(made)
        assert made.status()["reloads_refused"] == 4
        assert worker(made) == number


def test_a_good_file_counts_for_new_connections():
    with standing() as made:
        number = worker(made)
        running = busy(made)
        text = made.config.read_text(encoding="utf-8")
        reload(made, text.replace('name = "all"', 'name = "other"'))
        until(lambda: bool(told(made, "reloaded")))
        assert told(made, "reloaded")[0]["retired"] == ["all"]
        before = made.status()["profiles"]
        whole(made)
        profiles = {
            each["name"]: each["connections"]["taken"] for each in made.status()["profiles"]
        }
        assert profiles["other"] == 1
        assert [each["name"] for each in before] == ["other", "all"]
        running.program.kill()
        until(lambda: bool(told(made, "retired")))
        assert told(made, "retired")[0]["profiles"] == ["all"]
        assert worker(made) == number
        assert made.status()["reloads"] == 1


def sources(made: Bed) -> set[str]:
    """The prefixes whose packets are routed to the proxy."""
    rules = made.router.shown("-4", "rule", "show")
    return {rule["src"] for rule in rules if rule.get("iif") == "wl0"}


def test_prefixes_come_and_go_with_their_rules():
    with standing() as made:
        assert sources(made) == {"10.45.0.0"}
        text = made.config.read_text(encoding="utf-8")
        reload(made, text.replace('"10.45.0.0/16"', '"10.46.0.0/16"'))
        until(lambda: sources(made) == {"10.46.0.0"})
        whole(made)
        assert taken(made) == 0
        reload(made, text)
        until(lambda: sources(made) == {"10.45.0.0"})
        handled(made)
        assert len(told(made, "reloaded")) == 2
        assert told(made, "retired") == [], "the profile has gone on"


@pytest.mark.parametrize(("round_trip", "retired"), [("200 ms", []), ("300 ms", ["all"])])
def test_rules_stay_as_long_as_a_connection_needs_them(round_trip, retired):
    """Whether its profile now excludes this mobile, or is a new one."""
    with standing() as made:
        # It lasts until all that comes before its end has been seen.
        radio(made, SLOW)
        fetch = Fetch(HOST[0], ENDS, bytes=MEDIUM, limit_s=5 * SOON_S)
        running = made.mobile.fetch([fetch])
        until(lambda: made.status()["journal_flows"] == 1)
        text = made.config.read_text(encoding="utf-8")
        text = text.replace("10.45.0.0/16", "10.46.0.0/16")
        reload(made, text.replace("200 ms", round_trip))
        until(lambda: bool(told(made, "reloaded")))
        assert told(made, "reloaded")[0]["retired"] == retired
        assert sources(made) == {"10.45.0.0", "10.46.0.0"}
        radio(made, LINK)
        [fetched] = running.all(5 * SOON_S)
        assert (fetched.error, fetched.whole) == ("", True)
        until(lambda: sources(made) == {"10.46.0.0"})
        assert [each["profiles"] for each in told(made, "retired")] == [retired][: len(retired)]


IDLE = f"""
import socket, sys
with socket.create_connection(("{HOST[0]}", {ASKED}), {SOON_S}) as link:
    print("idle", flush=True)
    sys.stdin.readline()
    link.sendall(b'{{"bytes": {MEDIUM}, "seed": 1}}' + bytes([10]))
    print(sum(map(len, iter(lambda: link.recv(65536), b""))))
"""
"""Asks for data when it is told to."""


def test_an_idle_connection_keeps_the_rules_it_needs():
    """Nothing is held now, but data acknowledged next must not hang."""
    with standing() as made:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        client = made.mobile.popen([sys.executable, "-c", IDLE], **pipes)
        assert client.stdout is not None
        assert client.stdout.readline() == "idle\n"
        assert (taken(made), made.status()["journal_flows"]) == (1, 0)
        text = made.config.read_text(encoding="utf-8")
        reload(made, text.replace("10.45.0.0/16", "10.46.0.0/16"))
        until(lambda: bool(told(made, "reloaded")))
        time.sleep(3)  # longer than the supervisor's polling interval
        assert sources(made) == {"10.45.0.0", "10.46.0.0"}
        assert client.communicate("go\n", timeout=2 * SOON_S)[0] == f"{MEDIUM}\n"
        until(lambda: sources(made) == {"10.46.0.0"})


def contains(made: Bed, source: str) -> bool:
    return source in sources(made)


def test_reloads_in_quick_succession_end_with_the_last():
    """Of a file so long that a socket has room for a few."""
    keys = KEYS.replace('heartbeat = "2 s"', 'heartbeat = "60 s"')
    with standing(Proxy(profiles=PROFILE, keys=keys)) as made:
        long = made.config.read_text(encoding="utf-8") + "#" * 50_000
        with still(worker(made)):
            for address in [f"10.{46 + number}.0.0" for number in range(6)]:
                reload(made, long.replace("10.45.0.0", address))
                until(partial(contains, made, address))
        until(lambda: sources(made) == {"10.51.0.0"})
        reload(made, long)
        until(lambda: sources(made) == {"10.45.0.0"})
        handled(made)
        assert told(made, "reload refused") == []
        assert told(made, "worker hung") == []


def test_rules_that_cannot_be_added_change_nothing():
    with standing() as made:
        text = made.config.read_text(encoding="utf-8")
        # The same rule, from another owner.
        rule = "pref 1000 iif wl0 from 10.46.0.0/16 ipproto 6 lookup 101"
        made.router.ip(f"rule add {rule}")
        made.router.ip("link add wide0 mtu 9000 type veth peer name wide1")
        wider = text.replace('["wired0"]', '["wired0", "wide0"]')
        assert "File exists" in refused(made, wider.replace("10.45.0.0/16", "10.46.0.0/16"))
        assert made.router.shown("link", "show", DEVICE)[0]["mtu"] == 1500
        assert told(made, "mtu changed") == []
        handled(made)


def test_a_worker_that_dies_leaves_no_rules_of_former_mobiles():
    with standing() as made:
        busy(made)
        text = made.config.read_text(encoding="utf-8").replace("10.45.0.0/16", "10.46.0.0/16")
        reload(made, text.replace("200 ms", "300 ms"))
        until(lambda: bool(told(made, "reloaded")))
        assert sources(made) == {"10.45.0.0", "10.46.0.0"}
        os.kill(worker(made), signal.SIGKILL)
        until(lambda: len(told(made, "serving")) == 2)
        assert sources(made) == {"10.46.0.0"}
        assert [each["profiles"] for each in told(made, "retired")] == [["all"]]


def test_a_service_manager_is_told():
    with (
        TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
    ):
        address = Path(folder) / "notify"
        manager.bind(str(address))
        manager.settimeout(SOON_S)
        # As systemd's: owned by the daemon's user.
        Path(folder).chmod(0o755)
        address.chmod(0o777)
        words = ("env", f"NOTIFY_SOCKET={address}", "WATCHDOG_USEC=400000", *PROXY.program)
        with standing(Proxy(profiles=PROFILE, keys=KEYS, program=words)) as made:
            heard: list[str] = []

            def hear(word: str) -> None:
                while word not in heard:
                    heard.append(manager.recv(100).decode())

            hear("READY=1")
            hear("WATCHDOG=1")
            heard.clear()
            with still(worker(made)):
                reload(made, made.config.read_text(encoding="utf-8"))
                hear("RELOADING=1")
                hear("WATCHDOG=1")
                assert "READY=1" not in heard, "the worker does not use it yet"
            hear("READY=1")
            assert len(told(made, "reloaded")) == 1
            assert made.daemon is not None
            made.daemon.terminate()
            hear("STOPPING=1")
            assert stopped(made, SOON_S) == 0


def test_who_it_is_once_it_runs():
    """The supervisor has two capabilities, and the worker none."""
    with standing() as made:
        two = 1 << 12 | 1 << 13
        for process, capabilities in [(supervisor(made), two), (worker(made), 0)]:
            status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
            told = dict(line.split(":\t", 1) for line in status.splitlines())
            assert [int(told[name], 16) for name in ("CapEff", "CapPrm")] == [capabilities] * 2
            assert "0" not in told["Uid"].split()
            assert told["NoNewPrivs"] == "1"


def test_what_it_may_ask_of_the_kernel_is_all_it_needs():
    """Each thread of both processes is confined, also of the next worker, and traffic continues."""
    with standing() as made:
        confined_it_serves(made, reloads=1)
        os.kill(worker(made), signal.SIGKILL)
        until(lambda: len(told(made, "serving")) == 2)
        confined_it_serves(made, reloads=2)
        end(made)
        unwanted = {"worker failed", "worker hung", "not undone", "unobservable"}
        assert not unwanted & {str(event["event"]) for event in events(made)}


def confined_it_serves(made: Bed, reloads: int) -> None:
    page = "http://127.0.0.1:9464/metrics"
    scrape = f"from urllib.request import urlopen; print(urlopen('{page}').status)"
    handled(made)
    assert confined(supervisor(made)) == [CONFINED]
    assert confined(worker(made)) == [CONFINED] * 2
    assert made.router.run([sys.executable, "-c", scrape]).stdout == "200\n"
    reload(made, made.config.read_text(encoding="utf-8"))
    until(lambda: len(told(made, "reloaded")) == reloads)


CONFINED = {"Seccomp": "2", "NoNewPrivs": "1"}
"""The kernel's status of a confined thread: a seccomp filter, and no new privileges."""


def confined(process: int) -> list[dict[str, str]]:
    """The kernel's status of each thread."""
    statuses = [
        file.read_text(encoding="ascii") for file in Path(f"/proc/{process}/task").glob("*/status")
    ]
    told = [dict(line.split(":\t", 1) for line in status.splitlines()) for status in statuses]
    return [{name: thread[name] for name in CONFINED} for thread in told]


def refusal(made: Bed, config: str) -> str:
    """The error of a daemon that does not start."""
    file = made.folder / "other.toml"
    file.write_text(config, encoding="utf-8")
    done = made.router.run([*PROXY.program, "--config", str(file)], check=False)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    return str(line)


def test_a_second_daemon_is_refused_and_harms_nobody():
    with standing() as made:
        text = made.config.read_text(encoding="utf-8")
        running = busy(made)
        assert "routing.device" in refusal(made, text)
        routing = '[routing]\ndevice = "other0"\ntable = 102\npriority = 2000\n'
        elsewhere = f"{text}{routing}"
        assert "metrics.listen" in refusal(made, elsewhere)
        silent = elsewhere.replace('"127.0.0.1:9464"', '"off"')
        assert "another proxy answers there" in refusal(made, silent)
        handled(made)
        assert running.program.poll() is None


def test_what_is_taken_already_is_said():
    with bed(Plan()) as made:
        made.start_proxy(PROXY)
        text = made.config.read_text(encoding="utf-8")
        assert made.daemon is not None
        made.daemon.terminate()
        assert stopped(made, SOON_S) == 0
        made.router.ip(f"link add {DEVICE} type veth peer name other0")
        assert f"{DEVICE} is there already" in refusal(made, text)
        made.router.ip(f"link delete {DEVICE}")
        made.start_proxy(PROXY)
        handled_by_hand(made)


def handled_by_hand(made: Bed) -> None:
    server = made.host.serve([Listener(SMALL, bytes=SMALL)])
    handled(made)
    server.so_far()
