"""The records of results match the compiled module and read its output."""

import dataclasses
import json
import runpy
from pathlib import Path

import jsonschema
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
    for file, text in RECORDS["files"]().items():
        assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("scenario", RUNS)
def test_a_record_is_read_whole(scenario):
    run = tp.run(scenario, RUNS[scenario], duration="5 s")
    read = dataclasses.asdict(Result.from_json(run.json()))
    assert json.loads(json.dumps(read)) == json.loads(run.json())


@pytest.fixture(scope="module")
def published() -> jsonschema.Draft202012Validator:
    """Return the published schema, checked once."""
    schema = json.loads(RECORDS["SCHEMA"].read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("scenario", tp.scenarios())
def test_what_a_scenario_prints_is_of_the_published_schema(published, scenario):
    told = json.loads(tp.run(scenario, {"tcp.window": 20}, duration="2 s").json())
    published.validate(told)
    assert (told["schema"], told["version"]) == (1, tp.__version__)
    assert told["settings"] == {"tcp.window": "20", "duration": "2 s"}
    del told["flows"][0]["variant"]
    with pytest.raises(jsonschema.ValidationError, match="'variant' is a required property"):
        published.validate(told)


def test_a_record_without_a_field_is_none():
    told = json.loads(tp.run("link", duration="1 s").json())
    del told["flows"][0]["network"]
    with pytest.raises(ValueError, match=r"^text: is no Result of this version: no 'network'$"):
        Result.from_json(json.dumps(told))
