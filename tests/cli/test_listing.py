"""Listings of scenarios, profiles and keys."""

from itertools import takewhile

import pytest

from tests.expected import EXPECTED


@pytest.mark.parametrize(
    ("name", "network", "source"),
    [
        (
            "umts-384-lossy",
            "384 kbit/s down, 64 kbit/s up; delay 25.4 ms each way; TTI 10 ms down, 20 ms up; "
            "TBLER 10 % each way; queue 50 packets each way",
            "3GPP TS 34.108 (bearer); lo2005 (wires, link control, block errors)",
        ),
        (
            "gprs-live-40",
            "40 kbit/s down, 14 kbit/s up; delay 330 ms down, 270 ms up; loss 0 % each way; "
            "queue 120 kB each way",
            "Chakravorty et al., INFOCOM 2003 (queue); constant rates and delays, rounded",
        ),
        (
            "link",
            "any rate each way; delay 0 ms each way; loss 0 % each way; "
            "queue 1000 packets each way",
            None,
        ),
    ],
)
def test_profiles_say_what_a_network_is(thinpipe, name, network, source):
    done = thinpipe("profiles")
    assert (done.returncode, done.stderr) == (0, "")
    below = done.stdout.partition(f"\n{name}  ")[2].splitlines()[1:]
    text = " ".join(map(str.strip, takewhile(lambda line: line.startswith("    "), below)))
    assert text == network + (f" Source: {source}" if source else "")


def test_keys_of_the_way_back_are_listed(thinpipe):
    done = thinpipe("keys")
    assert "\nlink.back.delay = as link.delay\n    One way.\n" in done.stdout
    assert "\nqueue.back.packets = as queue.packets\n" in done.stdout
    assert "or unlimited, or as queue.packets.\n" in done.stdout


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("link.back.dealy=3 ms", "unknown key; did you mean link.back.delay?"),
        (
            "queue.back.kind=codle",
            f"must be {EXPECTED['queue.kind']}; did you mean codel?",
        ),
        (
            "queue.back.packets=0",
            "must be a whole number from 1 to 1000000000, or unlimited, or as queue.packets",
        ),
    ],
)
def test_what_is_wrong_with_a_way_back_is_one_line(thinpipe, setting, expected):
    done = thinpipe("run", "link", "--set", setting)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: --set {setting}: {expected}\n"
