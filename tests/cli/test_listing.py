"""Listings of scenarios, pipes and keys."""

import dataclasses
import json
import re
import shlex
from itertools import takewhile

import pytest
import thinpipe as tp
from thinpipe.cli.app import app
from thinpipe.sweep.measures import measures

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
            "lte-drive",
            "as in the trace lte-drive-down, with its delays down, as in the trace lte-drive-up, "
            "with its delays up; delay 0 ms each way; loss 0 % each way; "
            "queue 750 kB down, 250 kB up",
            "synthetic (scripts/lte_drive.py), rates of 3GPP TS 36.213; light and heavy load after "
            "Sentosa et al. 2025",
        ),
        (
            "link",
            "any rate each way; delay 0 ms each way; loss 0 % each way; "
            "queue 1000 packets each way",
            None,
        ),
    ],
)
def test_pipes_say_what_a_network_is(thinpipe, name, network, source):
    done = thinpipe("pipes")
    assert (done.returncode, done.stderr) == (0, "")
    below = done.stdout.partition(f"\n{name}  ")[2].splitlines()[1:]
    text = " ".join(map(str.strip, takewhile(lambda line: line.startswith("    "), below)))
    assert text == network + (f" Source: {source}" if source else "")


def test_keys_of_the_way_back_are_listed(thinpipe):
    done = thinpipe("keys")
    assert "\nlink.back.delay = as link.delay\n    One way.\n" in done.stdout
    assert "\nqueue.back.packets = as queue.packets\n" in done.stdout
    assert "or unlimited, or as queue.packets.\n" in done.stdout


def test_a_key_with_the_value_of_another_is_listed_with_it(thinpipe):
    shown = thinpipe("keys").stdout.splitlines()
    names = [line.partition(" = ")[0] for line in shown if line[:1].strip()]
    known = tp.keys()
    assert set(names) == {key.name for key in known if key.inherits is None}
    heirs = {key.name: key.inherits for key in known if key.inherits}
    assert heirs["middlebox.tcp.window"] == heirs["flow.tcp.window"] == "tcp.window"
    assert heirs["flow.group.NAME.peer.tcp.window"] == "flow.group.NAME.tcp.window"
    text = " ".join(line.strip() for line in shown)
    told = re.findall(r"The default of ([^;:]*?)\.(?:\s|$)", text)
    assert {heir for each in told for heir in each.split(", ")} == {*heirs}
    assert "middlebox.tcp.variant" in names
    alone = thinpipe("keys", "middlebox.tcp.window").stdout
    assert alone.startswith("middlebox.tcp.window = 64\n")
    assert "    Default: that of tcp.window.\n" in alone


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


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("tcp.min_rto", ["tcp.min_rto"]),
        ("TCP.MIN_RTO", ["tcp.min_rto"]),
        ("tcp.reno.", ["tcp.reno.halving"]),
        ("flow.group.bbr.delay", ["flow.group.NAME.delay"]),
        ("Flow.group.bbr.return_d", ["flow.group.NAME.return_delay"]),
        ("wired.Gi.del", ["wired.NAME.delay"]),
        ("jitter", ["flow.jitter", "link.jitter", "radio.gprs.core.jitter"]),
        ("mahimahi", ["link.trace.down", "link.trace.up"]),
        ("load-dependent", ["link.trace.down", "link.trace.up"]),
        ("python", ["tcp.congestion_control"]),
    ],
)
def test_keys_are_found_by_their_beginning_or_a_word(thinpipe, word, found):
    done = thinpipe("keys", word)
    assert (done.returncode, done.stderr) == (0, "")
    names = [line.partition(" = ")[0] for line in done.stdout.splitlines() if line[:1].strip()]
    assert set(found) <= set(names)
    assert names[0] == found[0]
    known = tp.keys(word)
    listed = {key.name for key in known}
    assert names == [key.name for key in known if key.inherits not in listed]


def test_keys_that_begin_with_a_word_do_not_hide_others(thinpipe):
    done = thinpipe("keys", "mobile")
    names = [line.partition(" = ")[0] for line in done.stdout.splitlines() if line[:1].strip()]
    ranks = [0 if name.startswith("mobile") else 1 if "mobile" in name else 2 for name in names]
    assert ranks == sorted(ranks)
    assert set(ranks) == {0, 1, 2}
    assert "wlan.mobile.NAME.walk" in names


@pytest.mark.parametrize(
    ("word", "key"),
    [
        *((word, "wlan.mobile.NAME.walk") for word in ("path", "mobile", "moves", "trajectory")),
        ("loss rate", "link.loss"),
    ],
)
def test_what_a_newcomer_types_finds_a_key(word, key):
    assert key in [each.name for each in tp.keys(word)]


def test_a_word_of_the_meaning_finds_a_key(thinpipe):
    done = thinpipe("keys", "Rfc 5682")
    assert (done.returncode, done.stderr) == (0, "")
    assert "(RFC 5682" in done.stdout


@pytest.mark.parametrize("phrase", ["loss rate", "rate loss", "Rates losses"])
def test_all_words_of_a_phrase_find_a_key_in_any_order(thinpipe, phrase):
    done = thinpipe("keys", phrase)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nlink.back.schedule = " in done.stdout


@pytest.mark.parametrize(
    ("word", "key", "line"),
    [
        (
            "walking",
            "wlan.mobile.NAME.walk",
            "scenarios with 'walking': hmipv6-handover, umts-handover; see `thinpipe scenarios`",
        ),
        (
            "fairness",
            "queue.fair.quantum",
            "scenarios with 'fairness': rtt-unfairness; see `thinpipe scenarios`\n"
            "measures with 'fairness': total.jain_index, groups.NAME.jain_index; see "
            "`thinpipe measures fairness`",
        ),
    ],
)
def test_where_keys_only_mean_it_other_lists_are_named(thinpipe, word, key, line):
    done = thinpipe("keys", word)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{key} = " in done.stdout
    assert done.stdout.endswith(f"\n\n{line}\n")


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("rtt_s.p", ["rtt_s.p50", "rtt_s.p95", "rtt_s.p99"]),
        ("Fairness", ["total.jain_index", "groups.NAME.jain_index"]),
        ("busy", ["links.NAME.utilization"]),
        ("echoes median", ["echo_s.p50", "middlebox.echoes.rtt_s.p50"]),
        ("groups.bbr.share", ["groups.NAME.share"]),
        ("links.Uu/down.util", ["links.NAME.utilization"]),
    ],
)
def test_measures_are_found_by_their_beginning_or_words(thinpipe, word, found):
    done = thinpipe("measures", word)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition("  ")[0] for line in done.stdout.splitlines()] == found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("keys", "fringe"),
            "no key has 'fringe' in its name or meaning; scenarios with 'fringe': "
            "wlan-11b-fringe; see `thinpipe scenarios`",
        ),
        (
            ("keys", "latencies"),
            "no key has 'latencies' in its name or meaning; measures with 'latencies': "
            "mobility.latency_s.samples, mobility.latency_s.min, mobility.latency_s.mean, …; "
            "see `thinpipe measures latencies`",
        ),
        (
            ("measures", "goodptu"),
            "no measure has 'goodptu' in its name or meaning; did you mean goodput_bps?",
        ),
        (
            ("measures", "xyzzy"),
            "no measure has 'xyzzy' in its name or meaning; see `thinpipe measures`",
        ),
        (
            ("keys", "tcp.mn_rto"),
            "no key has 'tcp.mn_rto' in its name or meaning; did you mean tcp.min_rto?",
        ),
        (("keys", "xyzzy"), "no key has 'xyzzy' in its name or meaning; see `thinpipe keys`"),
        (
            ("scenarios", "umts-dch-348"),
            "unknown scenario 'umts-dch-348': neither a file nor one that ships; did you mean "
            "umts-dch-384?",
        ),
        (("scenarios", "link", "--json"), "--json is for the list, not for link"),
    ],
)
def test_what_is_not_there_is_one_line(thinpipe, arguments, said):
    done = thinpipe(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {said}\n"


def test_a_scenario_prints_its_text(thinpipe):
    for name, scenario in tp.scenarios().items():
        assert thinpipe("scenarios", name).stdout == scenario.source


def as_json(records):
    return json.loads(json.dumps([dataclasses.asdict(record) for record in records]))


def test_every_list_is_json_as_well(thinpipe):
    def listed(*arguments):
        done = thinpipe(*arguments, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    scenarios, pipes, keys = map(listed, ("scenarios", "pipes", "keys"))
    assert [row["name"] for row in scenarios] == list(tp.scenarios())
    assert {row["name"] for row in pipes} == {*tp.scenarios(), *tp.pipes(), *tp.profiles()}
    assert keys == as_json(tp.keys())
    assert listed("measures") == as_json(measures())
    modern = as_json(tp.keys("tcp.", profile="modern"))
    assert listed("keys", "tcp.", "--profile", "modern") == modern
    assert listed("keys", "tcp.min_rto") == [key for key in keys if key["name"] == "tcp.min_rto"]


COMPLETED = [
    ("thinpipe run umts-dch-3", "umts-dch-384"),
    ("thinpipe scenarios umts-dch-3", "umts-dch-384"),
    ("thinpipe keys tcp.min_r", "tcp.min_rto"),
    ("thinpipe measures total.jain", "total.jain_index"),
    ("thinpipe sweep plain-384 --set tcp.min_r", "tcp.min_rto="),
    ("thinpipe run plain-384 --set queue.kind=co", "queue.kind=codel"),
    ("thinpipe run plain-384 --set queue.packets=", "queue.packets=unlimited"),
]


@pytest.mark.parametrize(("typed", "completed"), COMPLETED)
def test_a_shell_completes_scenarios_and_keys(thinpipe, monkeypatch, typed, completed):
    monkeypatch.setenv("_THINPIPE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    assert thinpipe().stdout.splitlines() == [completed]


CHOICES = ["droptail", "red", "codel", "fair", "fq-codel", "pie", "dualpi2", "cake"]
DIVIDED = [
    ("thinpipe|run|plain-384|--set|queue.kind|=|co", ["codel"]),
    ("thinpipe|run|plain-384|--set|queue.kind|=", CHOICES),
    ("thinpipe|run|--set|tcp.window|=|8|--set|queue.kind|=|r", ["red"]),
    ("thinpipe|run|plain-384|--set|queue.kin", [f"queue.kind={each}" for each in CHOICES]),
    ("thinpipe|run|--set|queue.kind|=|red|umts-dch-3", ["umts-dch-384"]),
]


@pytest.mark.parametrize(("typed", "completed"), DIVIDED)
def test_bash_completes_values_although_it_divides_words(thinpipe, monkeypatch, typed, completed):
    monkeypatch.setenv("_THINPIPE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed.replace("|", "\n"))
    monkeypatch.setenv("COMP_CWORD", str(typed.count("|")))
    assert thinpipe().stdout.splitlines() == completed


COMMANDS = [command.callback.__name__ for command in app.registered_commands if command.callback]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_has_examples(thinpipe, command, option):
    done = thinpipe(command, option)
    assert (done.returncode, done.stderr) == (0, "")
    examples = done.stdout.partition("Examples:\n")[2].split("\n  ")
    assert all(each.strip().startswith(f"thinpipe {command}") for each in examples)


def test_examples_work(thinpipe):
    """In the order of the help, in one directory; without commands that take a network or long."""
    for command in (
        "run",
        "show",
        "sweep",
        "evaluate",
        "plot",
        "table",
        "scenarios",
        "pipes",
        "keys",
        "measures",
    ):
        for line in thinpipe(command, "-h").stdout.partition("Examples:\n")[2].splitlines():
            words = shlex.split(line.partition(" > ")[0])
            done = thinpipe(*words[1:])
            assert done.returncode == 0, (line, done.stderr)
