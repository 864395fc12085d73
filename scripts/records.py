"""The records of results and their JSON schema, from the summaries of the compiled module.

`--write` replaces the files of `MODULES` and `SCHEMA`; `--check` fails if they are not as it would
write them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from thinpipe import _core

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "thinpipe"
WIDTH = 100

ABOUT = """
Names carry their units: ``_s`` seconds, ``_bps`` bit/s, ``_segments`` segments. A figure that does
not apply is ``None``. `scripts/records.py` writes this file from the summaries of the compiled
module, where each figure has its meaning.
"""

MODULES = {
    "group_result": ("Group", "What flows did together, as typed records."),
    "call_result": ("Call", "What receivers of calls hear, as typed records."),
    "cell_result": ("Cell", "What a network of cells did, as typed records."),
    "middlebox_result": ("Middlebox", "What a middlebox did, as typed records."),
    "result": ("Result", "The figures of a run, as typed records."),
    "emulation_record": ("EmulationRecord", "What an emulator says of its run, as typed records."),
}
"""Modules with their outermost record and docstring; later ones import from earlier ones."""

SCHEMA = PACKAGE.parent.parent / "docs" / "result.schema.json"
"""What `thinpipe run --json` prints."""

RECORD = "from thinpipe.record import Record"

PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}

Schema = Mapping[str, Any]


def files() -> dict[Path, str]:
    """Return the text of each file."""
    return {**modules(), SCHEMA: published()}


def modules() -> dict[Path, str]:
    """Return the text of each module: one class per schema, after those that it refers to."""
    schemas: dict[str, Schema] = json.loads(_core.schemas())
    texts: dict[Path, str] = {}
    home: dict[str, str] = {}
    for module, (outermost, about) in MODULES.items():
        names = in_order(outermost, schemas)
        own = [name for name in names if name not in home]
        body = "".join(f"\n\n{record(name, schemas)}" for name in own)
        used = [name for name in names if name in home and re.search(rf"\b{name}\b", body)]
        imports = [
            f"from thinpipe.{other} import {', '.join(sorted(of_other))}"
            for other in MODULES
            if (of_other := [name for name in used if home[name] == other])
        ]
        literal = ["from typing import Literal"] if "Literal[" in body else []
        sequence = ["from collections.abc import Sequence"] if "Sequence[" in body else []
        head = f'"""{about}\n{ABOUT}"""\n\nfrom __future__ import annotations\n\n' + "\n".join(
            [
                *sequence,
                "from dataclasses import dataclass",
                *literal,
                "",
                *sorted([RECORD, *imports]),
                "",
            ]
        )
        texts[PACKAGE / f"{module}.py"] = head + body
        home |= dict.fromkeys(own, module)
    return texts


def published() -> str:
    """Return the JSON schema of results."""
    schemas: dict[str, Any] = json.loads(_core.schemas())
    used = {name: schemas[name] for name in sorted(all_within("Result", schemas))}
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A run of thinpipe",
        "$ref": "#/$defs/Result",
        "$defs": used,
    }
    return f"{json.dumps(whole, indent=1, ensure_ascii=False)}\n"


def all_within(name: str, schemas: Mapping[str, Schema]) -> set[str]:
    """Return a schema's name and those of all that it refers to, however far."""
    found = {name}
    waiting = [name]
    while waiting:
        new = set(references(schemas[waiting.pop()])) - found
        found |= new
        waiting += new
    return found


def in_order(outermost: str, schemas: Mapping[str, Schema]) -> list[str]:
    """Return the names of a record and all records in it, in order of dependency."""
    names: dict[str, None] = {}

    def add(name: str) -> None:
        if name not in names and "properties" in schemas[name]:
            for other in references(schemas[name]):
                add(other)
            names[name] = None

    add(outermost)
    return list(names)


def references(schema: object) -> Iterator[str]:
    """Yield the names of schemas that a schema refers to."""
    match schema:
        case {"$ref": str(path)}:
            yield name_of(path)
        case dict():
            for each in schema.values():
                yield from references(each)
        case list():
            for each in schema:
                yield from references(each)


def name_of(path: str) -> str:
    """Return the name of a referenced schema."""
    return path.rpartition("/")[2]


def record(name: str, schemas: Mapping[str, Schema]) -> str:
    """Return the source of the class `name`."""
    schema = schemas[name]
    fields: Mapping[str, Schema] = schema["properties"]
    members = "\n".join(
        f"    {field}: {type_of(each, schemas)}\n{docstring(each['description'])}"
        for field, each in fields.items()
    )
    head = f"@dataclass(frozen=True, slots=True)\nclass {name}(Record):\n"
    return f"{head}{docstring(schema['description'])}\n\n{members}\n"


def docstring(comment: str) -> str:
    """Return a Rust doc comment as a docstring: its first sentence, then the others."""
    # A single backtick is a reference in Python; in Rust it is code.
    text = " ".join(comment.split()).replace("`", "``").replace("``null``", "``None``")
    first, stop, rest = text.partition(". ")
    if len(text) <= WIDTH - len('    """"""') or not rest:
        return fill(f'"""{text}"""')
    return f'{fill(chr(34) * 3 + first + stop.strip())}\n\n{fill(rest)}\n    """'


def fill(text: str) -> str:
    """Return lines of a docstring in a class."""
    return textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def type_of(schema: Schema, schemas: Mapping[str, Schema]) -> str:
    """Return the Python type of a schema."""
    match schema:
        case {"$ref": str(path)}:
            name = name_of(path)
            found = name if "properties" in schemas[name] else type_of(schemas[name], schemas)
        case {"anyOf": [one, {"type": "null"}]}:
            found = f"{type_of(one, schemas)} | None"
        case {"type": [str(plain), "null"]}:
            found = f"{type_of({**schema, 'type': plain}, schemas)} | None"
        case {"enum": list(words)}:
            found = f"Literal[{', '.join(map(json.dumps, words))}]"
        case {"oneOf": list(choices)}:
            found = f"Literal[{', '.join(json.dumps(each['const']) for each in choices)}]"
        case {"type": "array", "items": item, "minItems": int(count), "maxItems": int()}:
            found = f"tuple[{', '.join([type_of(item, schemas)] * count)}]"
        case {"type": "object", "additionalProperties": dict(item)}:
            found = f"dict[str, {type_of(item, schemas)}]"
        case {"type": "array", "items": item}:
            found = f"Sequence[{type_of(item, schemas)}]"
        case {"type": str(plain)}:
            found = PLAIN[plain]
        case _:
            raise ValueError(f"no type for {schema}")
    return found


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare with the files")
    action.add_argument("--write", action="store_true", help="replace the files")
    options = parser.parse_args()
    texts = files()
    if options.write:
        for file, text in texts.items():
            file.write_text(text, encoding="utf-8")
    return int(any(file.read_text(encoding="utf-8") != text for file, text in texts.items()))


if __name__ == "__main__":
    sys.exit(main())
