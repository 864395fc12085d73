"""The records of results match the compiled module and read its output."""

import dataclasses
import json
import runpy
from pathlib import Path

import pytest
import thinpipe as tp
from thinpipe.result import Result

RECORDS = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "records.py"))

RUNS = {
    "umts-dch-384": {},
    "umts-cell-50": {},
    "hmipv6-handover": {},
    "bottleneck": {"middlebox.kind": "split"},
    "link": {"flow.application": "web"},
}
"""Scenarios and settings that together use every record."""


def test_the_files_are_as_they_are_written():
    for file, text in RECORDS["modules"]().items():
        assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("scenario", RUNS)
def test_a_record_is_read_whole(scenario):
    run = tp.run(scenario, RUNS[scenario], duration="5 s")
    read = dataclasses.asdict(Result.from_json(run.json()))
    assert json.loads(json.dumps(read)) == json.loads(run.json())


def test_a_record_without_a_field_is_none():
    told = json.loads(tp.run("link", duration="1 s").json())
    del told["flows"][0]["network"]
    with pytest.raises(KeyError, match="network"):
        Result.from_json(json.dumps(told))
