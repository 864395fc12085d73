"""The tables of a run as files: CSV or Parquet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from thinpipe.lab.request import MOST_VARIANTS, Request, RequestError
from thinpipe.lab.serving import answered
from thinpipe.tables import NAMES

if TYPE_CHECKING:
    import polars as pl
    from starlette.requests import Request as HttpRequest

    from thinpipe.lab.experiment import Laboratory

FORMATS: Final = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
"""Formats and their media types."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to download."""

    name: str
    media_type: str
    content: bytes


def listed(laboratory: Laboratory, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables that the run of a variant has, with how many rows each has."""
    run = laboratory.run_of(Request.of(message), _variant(message))
    return {
        "tables": [
            {"name": name, "rows": getattr(run, name).height} for name in NAMES if run.has(name)
        ]
    }


def file_of(laboratory: Laboratory, message: Mapping[str, Any]) -> File:
    """Return a table of the run of a variant, as a file.

    Raises
    ------
    RequestError, ScenarioError, ValueError, OSError
        If there is something wrong with the request; the message is one line.
    """
    name, kind = message.get("table"), message.get("format")
    if name not in NAMES:
        raise RequestError(f"table: must be one of {', '.join(NAMES)}")
    if not isinstance(kind, str) or kind not in FORMATS:
        raise RequestError(f"format: must be {' or '.join(FORMATS)}")
    request, variant = Request.of(message), _variant(message)
    wanted = laboratory.wanted(request, variant)
    run = laboratory.run_of(request, variant)
    words = f"{request.scenario}-{wanted.name}-{name}"
    content = _written(getattr(run, name), kind)
    return File(f"{re.sub(r'[^A-Za-z0-9_.+-]+', '-', words)}.{kind}", FORMATS[kind], content)


def _written(frame: pl.DataFrame, kind: str) -> bytes:
    content = BytesIO()
    if kind == "csv":
        frame.write_csv(content)
    else:
        frame.write_parquet(content)
    return content.getvalue()


def _variant(message: Mapping[str, Any]) -> int:
    number = message.get("variant", 0)
    if type(number) is not int or not 0 <= number < MOST_VARIANTS:
        raise RequestError(f"variant: must be a whole number from 0 to {MOST_VARIANTS - 1}")
    return number


async def _tables(request: HttpRequest) -> Response:
    def respond(message: Mapping[str, Any]) -> Response:
        return JSONResponse(listed(request.app.state.laboratory, message))

    return await answered(request, respond)


async def _table(request: HttpRequest) -> Response:
    def respond(message: Mapping[str, Any]) -> Response:
        file = file_of(request.app.state.laboratory, message)
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
        return Response(file.content, media_type=file.media_type, headers=headers)

    return await answered(request, respond)


ROUTES: Final = [
    Route("/api/tables", _tables, methods=["POST"]),
    Route("/api/table", _table, methods=["POST"]),
]
