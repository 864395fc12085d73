"""A radio as it was recorded along a drive, from Python."""

from __future__ import annotations

import thinpipe as tp
from thinpipe.inputs import files_of

TRACE = "radio.downlink.trace"
CELL = {"radio.lte.resource_blocks": "6", "duration": "12 s"}
DRIVE = "Timestamp,SNR\n2019.12.16_13.40.04,18\n2019.12.16_13.40.08,-\n2019.12.16_13.40.10,2\n"
STEPS = "[{at='0 s', snr='18 dB'}, {at='6 s', snr='2 dB'}]"


def test_a_drive_is_as_its_steps(tmp_path):
    file = tmp_path / "drive.csv"
    file.write_text(DRIVE, encoding="utf-8")
    drive = tp.run("lte-drive-test", {**CELL, TRACE: str(file)})
    steps = tp.run("lte-drive-test", {**CELL, TRACE: "off", "radio.downlink.snrs": STEPS})
    best = tp.run("lte-drive-test", {**CELL, "radio.downlink.snr": "18 dB"})
    acked = [run.flows[0].bytes_acked for run in (drive, steps, best)]
    assert acked[0] == acked[1] < 0.8 * acked[2]


def test_a_drive_is_a_file_unless_it_ships(tmp_path):
    scenario = tp.scenarios()["lte-drive-test"]
    assert files_of(scenario.values()) == {}
    (tmp_path / "drive.csv").write_text(DRIVE, encoding="utf-8")
    text = (
        '[radio]\nkind = "lte"\nuplink.trace = "drive.csv"\n[[radio.ue]]\nname = "A"\n'
        'downlink.trace = "drive.csv"\n'
    )
    mine = tp.Scenario(str(tmp_path / "mine.toml"), text)
    path = str(tmp_path / "drive.csv")
    assert files_of(mine.values()) == {
        "radio.uplink.trace": path,
        "radio.ue.A.downlink.trace": path,
    }
