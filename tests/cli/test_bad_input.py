"""Bad input gives one line with what, where and what would be valid; exit status 2."""

import json
import subprocess
import sys

import pytest
import thinpipe as tp

from tests.expected import EXPECTED

SCENARIO = "umts-dch-384"


def check(done, expected: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"thinpipe: {expected}\n"


def test_a_run_whose_time_stands_still(thinpipe):
    check(
        thinpipe("run", "link", "--set", "flow.bytes=unlimited"),
        "link: time stands still at 0 s, after more than 524288 events in one instant: a link of "
        "each path needs a rate or a delay, or flow.bytes an end",
    )


def test_no_scenario_of_that_name(thinpipe):
    check(
        thinpipe("run", "umts-dhc-384"),
        "unknown scenario 'umts-dhc-384': neither a file nor one that ships; "
        "did you mean umts-dch-384?",
    )
    check(
        thinpipe("run", "nosuch"),
        "unknown scenario 'nosuch': neither a file nor one that ships; see `thinpipe pipes`",
    )


def test_no_such_file(thinpipe):
    check(thinpipe("run", "mine.toml"), "mine.toml: No such file or directory")


def test_file_of_another_kind(thinpipe, tmp_path):
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    check(thinpipe("run", "mine.toml"), "mine.toml: not a UTF-8 text file")


def test_directory(thinpipe):
    expected = "is a directory; expected a TOML file, or a name of `thinpipe pipes`"
    check(thinpipe("run", "."), f".: {expected}")
    assert thinpipe("run", SCENARIO, "--duration", "1s", "--out", "dir").returncode == 0
    check(
        thinpipe("run", "dir"),
        f"dir: {expected}; the scenario of the run in it is dir/scenario.toml",
    )


def test_setting_without_a_value(thinpipe):
    check(
        thinpipe("run", SCENARIO, "--set", "radio.tbler"),
        "--set radio.tbler: expected KEY=VALUE, as in radio.tbler=5%",
    )


@pytest.mark.parametrize("setting", ["=5", " = 5", "5"])
def test_setting_without_a_key(thinpipe, setting):
    expected = f"--set {setting}: expected KEY=VALUE, as in radio.tbler=5%"
    check(thinpipe("run", SCENARIO, "--set", setting), expected)


EMPTY = [
    (("run", ""), "argument", "SCENARIO"),
    (("run", SCENARIO, "--set", ""), "--set", "KEY=VALUE"),
    (("run", SCENARIO, "--duration", ""), "--duration", "TIME"),
    (("run", SCENARIO, "--seed="), "--seed", "NUMBER"),
    (("run", SCENARIO, "--out", ""), "--out", "DIR"),
    (("run", "--again", ""), "--again", "DIR"),
    (("show", SCENARIO, "--out", ""), "--out", "FILE"),
    (("sweep", SCENARIO, "--vary", "", "--out", "a.csv"), "--vary", "KEY=V1,V2,…"),
    (("sweep", SCENARIO, "--vary", "seed=1", "--out", ""), "--out", "FILE.parquet|.csv"),
    (("plot", ""), "argument", "RUN_DIR...|FILE.parquet|FILE.csv"),
    (("plot", ".", "--by", "a", "--by", ""), "--by", "KEY"),
    (("table", ".", ""), "argument", "RUN_DIR...|FILE.parquet|FILE.csv"),
    (("keys", ""), "argument", "WORD"),
    (("scenarios", ""), "argument", "NAME"),
    (("reproduce", ""), "argument", "PAPER | PAPER/ITEM…"),
    (("emulate", SCENARIO, "--", "", "a"), "argument", "-- COMMAND"),
    (("proxy", "--config", "", "--check"), "--config", "FILE"),
    (("proxy", "status", "--config", ""), "--config", "FILE"),
]


@pytest.mark.parametrize(("arguments", "name", "expected"), EMPTY)
def test_empty_argument(thinpipe, tmp_path, arguments, name, expected):
    command = " ".join(arguments[: 2 if arguments[1] == "status" else 1])
    see = f"see `thinpipe {command} --help`"
    check(thinpipe(*arguments), f"{name} '': is empty; expected {expected}, {see}")
    assert list(tmp_path.iterdir()) == []


TWICE = [
    (("run", SCENARIO, "--seed", "1", "--seed=2"), "--seed"),
    (("run", SCENARIO, "--duration", "1s", "--duration", "1s"), "--duration"),
    (("run", SCENARIO, "--out", "a", "--out", "b"), "--out"),
    (("plot", "a", "--kind", "cwnd", "--kind", "rtt"), "--kind"),
    (("sweep", SCENARIO, "--vary", "seed=1", "--seeds", "1", "--seeds", "2"), "--seeds"),
    (("emulate", SCENARIO, "--seed", "1", "--seed", "2", "--", "true"), "--seed"),
    (("emulate", SCENARIO, "--between", "a", "b", "--between", "c", "d"), "--between"),
    (("run", SCENARIO, "--json", "--json"), "--json"),
    (("proxy", "--config", "a", "--config", "b"), "--config"),
    (("sweep", SCENARIO, "--measure", "timeouts", "--measure", "timeouts"), "--measure timeouts"),
    (("plot", "a.csv", "--by", "seed", "--by", "seed"), "--by seed"),
    (("reproduce", "lo2005", "lo2005"), "argument lo2005"),
]


@pytest.mark.parametrize(("arguments", "name"), TWICE)
def test_given_twice(thinpipe, tmp_path, arguments, name):
    check(thinpipe(*arguments), f"{name}: is given twice; give it once")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("run", "--again"), "option '--again' requires an argument; see `thinpipe run --help`"),
        (
            ("emulate", SCENARIO, "--between", "eth0"),
            "option '--between' requires 2 arguments; see `thinpipe emulate --help`",
        ),
        (
            ("reproduce", "--list", "--out", "x"),
            "--out x: --list runs nothing and writes no report",
        ),
        (
            ("reproduce", "--list", "--wrong-models"),
            "--wrong-models: --list runs nothing and writes no report",
        ),
        (
            ("run", SCENARIO, "--set", "tcp.congestion_control=bin.toml:X"),
            "--set tcp.congestion_control=bin.toml:X: expected "
            "tcp.congestion_control=FILE.py:CLASS",
        ),
        (("plot", "a", "--from", "-5s"), "--from -5s: must not be negative"),
    ],
)
def test_the_cure_is_named(thinpipe, arguments, expected):
    check(thinpipe(*arguments), expected)


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("tcp.variant=mine.py", "expected tcp.congestion_control=FILE.py:CLASS; mine.py has Mine"),
        (
            "tcp.variant=mine.py:Mine",
            "expected tcp.congestion_control=FILE.py:CLASS; mine.py has Mine",
        ),
        (
            "tcp.congestion_control=mine.py",
            "expected tcp.congestion_control=FILE.py:CLASS; mine.py has Mine",
        ),
        (
            "tcp.congestion_control=mine.py:Yours",
            "no CongestionControl of that name; mine.py has Mine",
        ),
        (
            "flow.group.a.tcp.variant=mine.py:Mine",
            "expected flow.group.a.tcp.congestion_control=FILE.py:CLASS; mine.py has Mine",
        ),
        (
            "flow.group.a.peer.tcp.congestion_control=mine:Mine",
            "expected flow.group.a.peer.tcp.congestion_control=FILE.py:CLASS",
        ),
        ("tcp.congestion_control=no.py:A", "cannot read no.py: No such file or directory"),
        ("tcp.congestion_control=no.py", "cannot read no.py: No such file or directory"),
    ],
)
def test_controller_of_a_file(thinpipe, setting, expected):
    check(thinpipe("run", SCENARIO, "--set", setting), f"--set {setting}: {expected}")


def test_controller_that_cannot_be_made(thinpipe, tmp_path):
    (tmp_path / "part.py").write_text(
        "import thinpipe as tp\n"
        "class Part(tp.CongestionControl):\n"
        "    def on_loss(self, loss): ...\n"
        "class Whole(Part):\n"
        "    def __init__(self, gain): ...\n"
        "    def on_ack(self, ack): ...\n"
    )
    for name, expected in [
        ("Part", "Part lacks on_ack"),
        ("Whole", "Whole is made without arguments: missing a required argument: 'gain'"),
    ]:
        setting = f"tcp.congestion_control=part.py:{name}"
        check(thinpipe("run", SCENARIO, "--set", setting), f"--set {setting}: {expected}")


EXITS = """import sys
import thinpipe as tp
class {name}(tp.CongestionControl):
    def __init__(self): {begin}
    def on_ack(self, ack): {ack}
    def on_loss(self, loss): {loss}
{end}
"""
GOES_ON = dict.fromkeys(("begin", "ack", "loss", "end"), "...")


@pytest.mark.parametrize(
    ("place", "line"),
    [("begin", "4: RuntimeError: "), ("ack", "5: RuntimeError: "), ("loss", "6: RuntimeError: ")],
)
@pytest.mark.parametrize("ending", ["sys.exit()", "raise SystemExit(0)"])
def test_a_controller_does_not_end_the_program_without_a_word(
    thinpipe, tmp_path, place, line, ending
):
    code = EXITS.format(**{**GOES_ON, "name": "Exits", place: ending})
    (tmp_path / "exits.py").write_text(code)
    settings = ("--set", "tcp.congestion_control=exits.py:Exits", "--set", "link.loss=2 %")
    run = thinpipe("run", "plain-384", *settings, "--duration", "20s")
    said = f"{line}SystemExit in a congestion control, which ends the run"
    check(run, f"{tmp_path / 'exits.py'}:{said}")


def test_a_controller_does_not_end_the_program_while_it_is_read(thinpipe, tmp_path):
    (tmp_path / "reads.py").write_text(
        EXITS.format(**GOES_ON | {"name": "R", "end": "sys.exit(3)"})
    )
    run = thinpipe("run", "plain-384", "--set", "tcp.congestion_control=reads.py:R")
    check(run, f"{tmp_path / 'reads.py'}: ends the program while it is read")


def test_a_controller_ends_a_run_and_not_the_program_that_asked():
    class Exits(tp.CongestionControl):
        def on_ack(self, _ack):
            raise SystemExit(0)

        def on_loss(self, loss): ...

    with pytest.raises(RuntimeError, match="SystemExit in a congestion control"):
        tp.run("plain-384", tcp__congestion_control=Exits, duration="2 s")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("--set", "link.down.rate=1", "--set", " link.down.rate = 2"),
            "--set link.down.rate=2: set to 1 as well; give it once",
        ),
        (
            ("--set", "seed=1", "--seed", "2"),
            "--seed 2: set to 1 as well; give it once",
        ),
        (
            ("--set", "tcp.variant=wtcp"),
            "--set tcp.variant=wtcp: wtcp reads separations off timestamps: tcp.timestamps must be "
            "true",
        ),
        (
            ("--set", "tcp.receiver=win200"),
            "--set tcp.receiver=win200: must be plain, linux-2.4, win2000 or wince; "
            "did you mean win2000?",
        ),
        (
            ("--set", "tcp.variant=bbr", "--set", "tcp.bbr.marks=share"),
            "--set tcp.bbr.marks=share: tcp.bbr.marks by their share needs tcp.ecn = accurate "
            "(RFC 9768)",
        ),
        (
            ("--set", "tcp.share_state=on"),
            "--set tcp.share_state=on: must be off, temporal, ensemble or careful",
        ),
        (
            ("--set", "queue.kind=fair"),
            "--set queue.kind=fair: the queue ahead of UMTS is droptail",
        ),
        (
            ("--set", "flow.direction=between-mobiles"),
            "--set flow.direction=between-mobiles: flow.direction = between-mobiles needs two "
            "mobiles or more, as in radio.ues = 2",
        ),
        (
            ("--set", "flow.arrivals=nowhere.pcap"),
            "--set flow.arrivals=nowhere.pcap: cannot read nowhere.pcap: No such file or directory",
        ),
        (
            ("--set", "flow.group.la te.bytes=3 kB"),
            "--set flow.group.la te.bytes=3 kB: flow.group.NAME needs a name of letters, digits, "
            "- and _",
        ),
        (
            ("--set", "flow.application=telent"),
            f"--set flow.application=telent: must be {EXPECTED['flow.application']}; "
            "did you mean telnet?",
        ),
        (
            ("--set", "flow.port=0"),
            "--set flow.port=0: must be a whole number from 1 to 65535, or by application",
        ),
        (
            ("--set", "flow.web.protocol=http/2"),
            "--set flow.web.protocol=http/2: must be http/1.0 or http/1.1; did you mean http/1.0?",
        ),
        (
            ("--set", "flow.probe.least=9s", "--set", "flow.application=probe"),
            "--set flow.probe.least=9s: flow.probe.least, 9 s, must not be above "
            "flow.probe.most, 8 s",
        ),
        (
            ("--set", "flow.application=web", "--set", "flow.web.main.max=50B"),
            "--set flow.web.main.max=50B: flow.web.main.min, 100 B, must not be above "
            "flow.web.main.max, 50 B",
        ),
        (
            ("--set", "tcp.variont=vegas"),
            "--set tcp.variont=vegas: unknown key; did you mean tcp.variant?",
        ),
        (
            ("--set", "tcp.variant=vega"),
            f"--set tcp.variant=vega: must be {EXPECTED['tcp.variant']}; did you mean vegas?",
        ),
        (
            ("--set", "radio.tbler=100%"),
            "--set radio.tbler=100%: a constant block error rate must be from 0 % to below 100 %, "
            "as in 5 % or 0.05",
        ),
        (
            ("--set", "radio.uplink.tbler=1.0"),
            "--set radio.uplink.tbler=1.0: a constant block error rate must be from 0 % to below "
            "100 %, as in 5 % or 0.05, or as radio.tbler",
        ),
        (
            ("--set", "tcp.window=0"),
            "--set tcp.window=0: must be a whole number from 1 to 1073741824",
        ),
        (
            ("--set", "radio.downlink.rate=-384 kbit/s"),
            "--set radio.downlink.rate=-384 kbit/s: must be a rate that is not negative",
        ),
        (
            ("--set", "radio.downlink.rate=384 kB"),
            "--set radio.downlink.rate=384 kB: unknown unit kB: a rate is in bit/s, kbit/s, Mbit/s "
            "or Gbit/s",
        ),
        (
            ("--set", "radio.downlink.tti=15 ms"),
            "--set radio.downlink.tti=15 ms: must be 10 ms, 20 ms, 40 ms or 80 ms",
        ),
        (("--duration", "0s"), "--duration 0s: must be above zero"),
        (
            ("--duration", "5"),
            "--duration 5: a duration needs its unit (ns, us, µs, ms, s, min, h or d), as in 5 s",
        ),
        (("--seed", "one"), "--seed one: must be a whole number from 0"),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else "",
)
def test_setting(thinpipe, arguments, expected):
    check(thinpipe("run", SCENARIO, *arguments), expected)


UMTS, CELL, WALK = "umts-384", "umts-cell-50", "umts-handover"


@pytest.mark.parametrize(
    ("scenario", "settings", "expected"),
    [
        (
            UMTS,
            "radio.uplink.sf=512",
            "spreading factor 512 uplink: must be 256 at most; only the downlink has 512 "
            "(TS 25.211 §5.2.1.1)",
        ),
        (
            UMTS,
            "radio.downlink.sf=7",
            "must be a power of two from 4 to 512 (uplink to 256), or auto, or as rate",
        ),
        (
            "umts-thesis",
            "radio.downlink.sf=auto flow.rate=5Mbit/s",
            "radio.downlink.sf: 5000 kbit/s asked downlink: no spreading factor carries it; "
            "factor 4 carries 960 kbit/s at most",
        ),
        (
            UMTS,
            "radio.downlink.sf=auto",
            'radio.downlink.sf = auto needs flow.rate, as in rate = "140 kbit/s"',
        ),
        (UMTS, "radio.spreading=spec", "must be module or standard"),
        (
            UMTS,
            "radio.kind=umts",
            "must be umts-dch, umts-cell, gprs, leo, geo, lte, nb-iot, nr or umts-hs; "
            "did you mean umts-hs?",
        ),
        (UMTS, "radio.profile=4gpp", "must be 3gpp or thesis, or none; did you mean 3gpp?"),
        (UMTS, "radio.dpcch=alone", "must be with-data or apart"),
        (UMTS, "radio.rlc.mode=ack", "must be tm, um or am"),
        (
            UMTS,
            "radio.rlc.arq=go-back-n",
            "must be selective-repeat or next-expected",
        ),
        (
            UMTS,
            "radio.schedule=[{at='5s',tbler='1%'},{at='3s',tbler=0}]",
            "radio.schedule[1].at: must not come before the one before it, at 5 s: the list is in "
            "order of time",
        ),
        (UMTS, "radio.schedule=[{tbler=0}]", 'radio.schedule[0]: at is missing, as in at = "20 s"'),
        (
            UMTS,
            "radio.schedule=[{at='5s'}]",
            "radio.schedule[0] changes nothing: give rate, sf, tbler or coverage",
        ),
        (
            UMTS,
            "radio.schedule=[{at='5s',coverag=false}]",
            "radio.schedule[0].coverag: unknown key; did you mean coverage?",
        ),
        (
            UMTS,
            "radio.schedule=[{at='5s',coverage='lost'}]",
            "radio.schedule[0].coverage: expected true or false, or as before",
        ),
        (
            UMTS,
            "radio.schedule=[{at='5s',rate='64kbit/s',sf=8}]",
            "radio.schedule[0]: give rate or sf, not both",
        ),
        (
            UMTS,
            "radio.uplink.schedule=[{at='5s',sf=512}]",
            "spreading factor 512 uplink: must be 256 at most; only the downlink has 512 "
            "(TS 25.211 §5.2.1.1)",
        ),
        (UMTS, "radio.tbler_limits=10%,1%", "the lower limit comes first"),
        (
            UMTS,
            "radio.tbler_limits=5%",
            'expected a lower and an upper limit, as in ["1 %", "10 %"], or off',
        ),
        (
            UMTS,
            "radio.spikes=[{at='5s'}]",
            'radio.spikes[0]: lasts is missing, as in lasts = "3 s"',
        ),
        (
            UMTS,
            "radio.spikes=[{at='5s',lasts='3s'},{at='6s',lasts='1s'}]",
            "radio.spikes[1] must not begin before the last one ends",
        ),
        (
            UMTS,
            "radio.handovers=[{at='5s',gap='3s'},{at='6s'}]",
            "radio.handovers[1] must not begin before the last one ends",
        ),
        (
            UMTS,
            "radio.handovers=[{at='5s',kind='sofr'}]",
            "radio.handovers[0].kind: must be hard, soft or softer; did you mean soft?",
        ),
        (
            UMTS,
            "radio.handovers=[{at='5s',kind='soft',gap='1s'}]",
            "radio.handovers[0]: a soft handover has no gap",
        ),
        (UMTS, "queue.kind=red", "the queue ahead of UMTS is droptail"),
        (UMTS, "queue.per_flow=some", "expected true or false"),
        (UMTS, "radio.rncs=['A']", "radio.rncs is for radio.kind = umts-cell alone"),
        (
            UMTS,
            "flow.application=www",
            f"must be {EXPECTED['flow.application']}",
        ),
        (UMTS, "flow.web.reading=0s", "must be above zero"),
        (CELL, "queue.kind=red", "the queue ahead of UMTS is droptail"),
        (
            CELL,
            "radio.ues=0",
            "no mobile: needs radio.ues above zero, as in ues = 50, or [[radio.ue]]",
        ),
        (CELL, "radio.ues=1e9", "must be a whole number from 0 to 50000"),
        (
            CELL,
            "radio.downlink.tbler=100%",
            "a constant block error rate must be from 0 % to below 100 %, as in 5 % or 0.05, or "
            "as radio.tbler",
        ),
        (
            CELL,
            "radio.schedule=[{at='5s',coverage=false}]",
            "radio.schedule is for radio.kind = umts-dch alone",
        ),
        (
            CELL,
            "radio.downlink.schedule=[{at='5s',sf=16}]",
            "radio.downlink.schedule is for radio.kind = umts-dch alone",
        ),
        (
            CELL,
            "radio.uplink.schedule=[{at='5s',sf=16}]",
            "radio.uplink.schedule is for radio.kind = umts-dch alone",
        ),
        (
            CELL,
            "radio.spikes=[{at='5s',lasts='1s'}]",
            "radio.spikes is for radio.kind = umts-dch alone",
        ),
        (
            CELL,
            "radio.handovers=[{at='5s'}]",
            "radio.handovers is for radio.kind = umts-dch alone",
        ),
        (
            CELL,
            "radio.admission.downlink_sf=33",
            "must be a power of two from 4 to 512 (uplink to 256)",
        ),
        (
            CELL,
            "radio.admission.uplink_sf=512",
            "spreading factor 512 uplink: must be 256 at most; only the downlink has 512 "
            "(TS 25.211 §5.2.1.1)",
        ),
        (CELL, "radio.fach.rate=0kbit/s", "must be above zero"),
        (CELL, "radio.rrc.inactivity.dch=-5s", "must be a duration that is not negative, or off"),
        (CELL, "radio.rrc.activity=byte", "must be sdu or pdu"),
        (
            UMTS,
            "radio.power.cell_dch=0.7",
            "a power needs its unit (uW, µW, mW or W), as in 0.7 W",
        ),
        (UMTS, "radio.power.cell_dch=-1W", "must be a power that is not negative"),
        (
            UMTS,
            "radio.power.downlink=52mW",
            "unknown unit mW: an energy per bit is in fJ/bit, pJ/bit, nJ/bit, uJ/bit or µJ/bit",
        ),
        (
            UMTS,
            "radio.power.uplink=2000µJ/bit",
            "must be an energy per bit from 0 to 1000000 nJ/bit, as in 52 nJ/bit",
        ),
        (
            UMTS,
            "radio.power.idle=1W",
            "radio.power.idle is for radio.kind = umts-cell, lte, nb-iot or nr alone",
        ),
        (
            UMTS,
            "radio.power.psm=15uW",
            "radio.power.psm is for radio.kind = lte, nb-iot or nr alone",
        ),
        ("lte-m", "radio.power.psm=15nW", "unknown unit nW: a power is in uW, µW, mW or W"),
        (
            "lte-m",
            "radio.edrx.cycle=4s",
            "radio.edrx.window must lie between radio.rrc.paging_cycle and radio.edrx.cycle",
        ),
        (
            "lte-m",
            "radio.edrx.window=1s",
            "radio.edrx.window must lie between radio.rrc.paging_cycle and radio.edrx.cycle",
        ),
        ("lte-m", "radio.edrx.window=0s", "must be a duration from 1 ms"),
        (
            "lte-m",
            "radio.psm.active=1w",
            "unknown unit w: a duration is in ns, us, µs, ms, s, min, h or d",
        ),
        (
            "lte-m",
            "radio.psm.active=54min",
            "radio.psm.active must be less than radio.psm.update",
        ),
        (
            "lte-m",
            "radio.psm.update=off",
            "not a duration: expected a number and a unit (ns, us, µs, ms, s, min, h or d)",
        ),
        ("lte-m", "radio.psm.tau=1min", "unknown key; radio.psm has active, update"),
        (UMTS, "radio.psm.active=5s", "radio.psm is for radio.kind = lte, nb-iot or nr alone"),
        ("lte-m", "radio.inactive.resume=5s", "radio.inactive is for radio.kind = nr alone"),
        (CELL, "radio.power.idle=1001W", "must be a power from 0 to 1000 W, as in 0.7 W"),
        (CELL, "radio.power.pch=1e-9W", "finer than a power can be: 1 uW"),
        (
            CELL,
            "radio.power.cell_fach=off",
            "not a power: expected a number and a unit (uW, µW, mW or W)",
        ),
        (
            CELL,
            "radio.power.connection_setup=0.5A",
            "unknown unit A: a power is in uW, µW, mW or W",
        ),
        (CELL, "radio.power.dch_setup=-0.1W", "must be a power that is not negative"),
        (CELL, "radio.power.fach=1W", "unknown key; did you mean radio.fach?"),
        (
            "gprs-3+1",
            "radio.power.cell_dch=1W",
            "radio.power is for radio.kind = umts-dch, umts-cell, umts-hs, lte, nr or nb-iot alone",
        ),
        (
            CELL,
            "flow.hosts=own",
            "flows of a network of cells run from one host to its mobiles: flow.hosts must be "
            "shared",
        ),
        (
            WALK,
            "radio.ue.walker.position=50km,0m",
            "walker is in no cell: its best pilot has -48.9 dB, and radio.mobility.pilot_min is "
            "-18 dB",
        ),
        (
            WALK,
            "radio.ue.walkr.position=0m,0m",
            "no [[radio.ue]] of that name; did you mean walker?",
        ),
        (
            WALK,
            "radio.node_b.B.rnc=RNC-3",
            "B belongs to RNC-3, which is no RNC: radio.rncs has RNC, RNC-2",
        ),
        (WALK, "radio.rncs=['RNC','RNC']", "radio.rncs has RNC twice; names must differ"),
        (WALK, "radio.mobility.handover=sof", "must be soft or hard; did you mean soft?"),
        (
            WALK,
            "radio.interference.error_rates=place",
            "must be given or from-place",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "=" in value else "",
)
def test_setting_of_a_radio(thinpipe, scenario, settings, expected):
    each = [word for setting in settings.split() for word in ("--set", setting)]
    done = thinpipe("run", scenario, *each)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.endswith(f": {expected}\n")
    blamed = done.stderr.removeprefix("thinpipe: --set ").removesuffix(f": {expected}\n")
    key, value = blamed.removesuffix("…").split("=", 1)
    assert any(setting.startswith(f"{key}={value}") for setting in settings.split())


NODE_BS = (
    'duration = "1 s"\n[radio]\nkind = "umts-cell"\nues = 1\n[[radio.node_b]]\nname = "A"\n'
    "[[radio.node_b]]\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[radio.uplink]\nsf = 512\n",
            "mine.toml:2: radio.uplink.sf: spreading factor 512 uplink: must be 256 at most; only "
            "the downlink has 512 (TS 25.211 §5.2.1.1)",
        ),
        (
            '[radio.downlink]\nrate = "240 kbit/s"\nsf = 8\n',
            "mine.toml:3: radio.downlink.sf: give radio.downlink.rate or radio.downlink.sf, not "
            "both",
        ),
        (
            '[radio]\ntbler = 0.05\ntbler_limits = ["1 %", "10 %"]\n',
            "mine.toml:3: radio.tbler_limits: give radio.tbler or radio.tbler_limits, not both",
        ),
        (
            f'{NODE_BS}name = "A"\n',
            "mine.toml:5: radio.node_b: two [[radio.node_b]] have the name A",
        ),
        (
            f"{NODE_BS}sectors = 3\n",
            'mine.toml:5: radio.node_b: every [[radio.node_b]] needs a name, as in name = "A"',
        ),
        (
            '[radio]\n[[radio.ue]]\nname = "a"\n',
            "mine.toml:2: radio.ue: radio.ue is for radio.kind = umts-cell, lte, nb-iot, nr or "
            "umts-hs alone",
        ),
        (
            '[radio]\nhandovers = [{ at = "1 s" }, { at = 5 }]\n',
            "mine.toml:2: radio.handovers[1].at = 5: a duration needs its unit (ns, us, µs, ms, s, "
            "min, h or d), as in 5 s",
        ),
    ],
)
def test_file_with_a_radio(thinpipe, tmp_path, text, expected):
    (tmp_path / "mine.toml").write_text(text)
    check(thinpipe("run", "mine.toml"), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'duration = "1 s"\n[tcp]\nvarient = "reno"\n',
            "mine.toml:3: tcp.varient: unknown key; did you mean tcp.variant?",
        ),
        (
            'duration = "10 kbit/s"\n[link]\nrate = "1 Mbit/s"\n',
            'mine.toml:1: duration = "10 kbit/s": unknown unit kbit/s: a duration is in ns, us, '
            "µs, ms, s, min, h or d",
        ),
        (
            "[tcp]\nwindow = 0\n",
            "mine.toml:2: tcp.window = 0: must be a whole number from 1 to 1073741824",
        ),
        ("", "mine.toml: no network: needs [radio], [link] or [[wired]]"),
    ],
)
def test_file(thinpipe, tmp_path, text, expected):
    (tmp_path / "mine.toml").write_text(text)
    check(thinpipe("run", "mine.toml"), expected)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('duration = "10 s\n', "mine.toml:1"),
        ("[tcp]\nwindow = 3\nwindow = 4\n", "mine.toml:3: window"),
    ],
)
def test_file_that_is_not_toml(thinpipe, tmp_path, text, place):
    (tmp_path / "mine.toml").write_text(text)
    done = thinpipe("run", "mine.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"thinpipe: {place}: not TOML: ")
    assert done.stderr.count("\n") == 1


def test_radio_that_lets_nothing_through_still_ends(thinpipe):
    done = thinpipe("run", SCENARIO, "--set", "radio.tbler=99.9%", "--duration", "60s", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["duration_s"] == 60.0


def test_unknown_paper(thinpipe):
    check(thinpipe("reproduce", "lo2004"), "unknown paper 'lo2004'; did you mean lo2005?")


def test_report_where_a_file_stands(thinpipe, tmp_path):
    (tmp_path / "out").touch()
    check(thinpipe("reproduce", "lo2005/6a"), "out: is a file, not a directory")


def test_unknown_item(thinpipe):
    check(thinpipe("reproduce", "lo2005/5c"), "lo2005 has no item '5c'; did you mean 5b?")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("run",), "missing argument 'SCENARIO'; see `thinpipe run --help`"),
        (("runn",), "no such command 'runn'; did you mean 'run'?"),
        (("fly",), "no such command 'fly'; see `thinpipe --help`"),
        (
            ("run", SCENARIO, "x", "y"),
            "got unexpected extra argument(s) (x y); see `thinpipe run --help`",
        ),
        (("run", SCENARIO, "--trace", "ns3", "--out", "run"), "--trace ns3: must be ns2"),
        (
            ("run", SCENARIO, "--trace", "ns2"),
            "--trace ns2: needs --out DIR, where the file goes",
        ),
        (("run", SCENARIO, "--snap", "96"), "--snap cuts the packets of captures: add --out DIR"),
        (
            ("run", SCENARIO, "--out", "run", "--snap", "all"),
            "--snap all: must be a whole number from 1 to 65549",
        ),
    ],
)
def test_bad_usage(thinpipe, arguments, expected):
    check(thinpipe(*arguments), expected)


def test_unknown_option(thinpipe):
    done = thinpipe("run", SCENARIO, "--sed", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("thinpipe: no such option: --sed")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("out", ["/proc/x", "/proc/a/b"])
def test_directory_that_cannot_be_made_is_noticed_before_the_run(thinpipe, out):
    done = thinpipe("run", SCENARIO, "--duration", "5000000s", "--out", out)
    check(done, f"{out}: No such file or directory")


def test_names_of_any_letters_stay_one_line(thinpipe):
    check(thinpipe("run", "a\nb\udcff/c"), r"a\nb\udcff/c: No such file or directory")


@pytest.mark.parametrize(
    ("kib", "file"), [(1, "run/result.json"), (40, "run/rtt.parquet"), (8000, "run/host.pcapng")]
)
def test_file_that_does_not_fit(tmp_path, kib, file):
    command = f"ulimit -f {kib}; exec {sys.executable} -m thinpipe run {SCENARIO} --out run"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    check(done, f"{file}: File too large")
    assert list(tmp_path.iterdir()) == []
