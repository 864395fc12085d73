"""The program: its commands, error messages and exit statuses."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from thinpipe._core import EmulationError, ProxyError, ScenarioError
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.command import Command, Group, UsageError
from thinpipe.cli.completion import words_joined
from thinpipe.cli.doctor import doctor
from thinpipe.cli.emulate import emulate
from thinpipe.cli.evaluate import evaluate
from thinpipe.cli.lab import lab
from thinpipe.cli.listing import keys, measures, scenarios
from thinpipe.cli.pipes import pipes
from thinpipe.cli.plot import LISTED, plot
from thinpipe.cli.proxy import proxy
from thinpipe.cli.reproduce import reproduce
from thinpipe.cli.run import run
from thinpipe.cli.show import show
from thinpipe.cli.standard_output import devnull, prepare_streams
from thinpipe.cli.sweep import sweep
from thinpipe.cli.table import table
from thinpipe.controller import fault
from thinpipe.files import ContentError, reason_of
from thinpipe.papers.registry import PaperError

app = typer.Typer(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="TCP over long thin radio pipes: simulate it, emulate it, draw it, reproduce papers.",
)


def _examples(*lines: str) -> str:
    """Return the end of a help text, whose lines a backspace keeps as they are."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


RUN: Final = _examples(
    "thinpipe run umts-dch-384 --set tcp.variant=vegas --set radio.tbler=5% --seed 7",
    "thinpipe run umts-dch-384 --duration 60s --out run",
    "thinpipe run umts-dch-384 --set tcp.variant=vegas --duration 60s --out vegas",
    "thinpipe run --again run",
)
SHOW: Final = _examples("thinpipe show hmipv6-handover", "thinpipe show umts-dch-384 --out net.png")
SWEEP: Final = _examples(
    "thinpipe sweep umts-dch-384 --vary tcp.variant=reno,vegas --vary radio.tbler=0%,10% "
    "--seeds 1..4 --duration 20s --out sweep.parquet",
)
EVALUATE: Final = _examples(
    "thinpipe evaluate --list", "thinpipe evaluate vegas --criteria 5.1.2 --beside cubic"
)
EMULATE: Final = _examples(
    "thinpipe emulate umts-384 -- curl -o /dev/null http://example.com/",
    "thinpipe emulate satellite-geo --meter",
)
PLOT: Final = _examples(
    "thinpipe plot run --out run.png",
    "thinpipe plot run vegas --kind goodput",
    "thinpipe plot sweep.parquet --out sweep.png",
    "thinpipe plot sweep.parquet --kind scatter",
)
LAB: Final = _examples("thinpipe lab", "thinpipe lab gprs-3+1 --no-open", "thinpipe lab run")
TABLE: Final = _examples(
    "thinpipe table run vegas > runs.csv",
    "thinpipe table run --name rtt --out rtt.csv",
    "thinpipe table sweep.parquet",
)
REPRODUCE: Final = _examples("thinpipe reproduce --list", "thinpipe reproduce lo2005")
SCENARIOS: Final = _examples(
    "thinpipe scenarios", "thinpipe scenarios umts-dch-384 > mine.toml", "thinpipe scenarios --json"
)
PIPES: Final = _examples(
    "thinpipe pipes",
    "thinpipe pipes 3g --plot 3g.png",
    "thinpipe pipes webpagetest:3g",
    "thinpipe pipes --json",
)
KEYS: Final = _examples(
    "thinpipe keys tcp.", "thinpipe keys jitter", "thinpipe keys tcp.min_rto --profile modern"
)
MEASURES: Final = _examples(
    "thinpipe measures rtt_s", 'thinpipe measures "block error"', "thinpipe measures --json"
)
DOCTOR: Final = _examples("thinpipe doctor", "thinpipe doctor --json")

app.command(cls=Command, epilog=RUN)(run)
app.command(cls=Command, epilog=SHOW)(show)
app.command(cls=Command, epilog=SWEEP)(sweep)
app.command(cls=Command, epilog=EVALUATE)(evaluate)
app.command(cls=Command, epilog=EMULATE)(emulate)
app.add_typer(proxy, name="proxy")
app.command(cls=Command, epilog=f"{LISTED}\n\n{PLOT}")(plot)
app.command(cls=Command, epilog=TABLE)(table)
app.command(cls=Command, epilog=LAB)(lab)
app.command(cls=Command, epilog=REPRODUCE)(reproduce)
app.command(cls=Command, epilog=SCENARIOS)(scenarios)
app.command(cls=Command, epilog=PIPES)(pipes)
app.command(cls=Command, epilog=KEYS)(keys)
app.command(cls=Command, epilog=MEASURES)(measures)
app.command(cls=Command, epilog=DOCTOR)(doctor)

DONE: Final = 0
BAD_INPUT: Final = 2
"""Exit status for bad input."""

REFUSED: Final = (
    BadRequestError,
    ContentError,
    EmulationError,
    PaperError,
    ProxyError,
    ScenarioError,
)
"""Errors whose message is one line for the user."""


def program() -> int:
    """Run the program. Bad input is one line on standard error and exit status 2."""
    prepare_streams()
    try:
        with words_joined():
            status = app(sys.argv[1:] or ["--help"], prog_name="thinpipe", standalone_mode=False)
        sys.stdout.flush()
    except UsageError as error:
        return _refuse(_about_usage(error))
    except REFUSED as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(reason_of(error))
    except Exception as error:
        said = fault(error)
        if said is None:
            raise
        return _refuse(said)
    return status if isinstance(status, int) else DONE


def _about_usage(error: typer.BadParameter) -> str:
    reason = error.format_message().rstrip(".").replace(". Did you", "; did you")
    command = error.ctx.command_path if error.ctx is not None else "thinpipe"
    hint = "" if reason.endswith("?") else f"; see `{command} --help`"
    if command == "thinpipe emulate" and reason.startswith("No such option"):
        hint += "; options of COMMAND stand behind `--`"
    return reason[:1].lower() + reason[1:] + hint


def _print_version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if asked:
        import thinpipe

        typer.echo(f"thinpipe {thinpipe.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and exit.",
            is_eager=True,
            callback=_print_version,
        ),
    ] = False,
) -> None:
    """Options before a command."""


def _refuse(reason: str) -> int:
    line = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in reason)
    try:
        sys.stderr.write(f"thinpipe: {line}\n")
        sys.stderr.flush()
    except OSError:  # nobody reads it; Python would try once more, and end with another status
        sys.stderr = devnull()
    return BAD_INPUT
