"""``thinpipe show``: draw a scenario's network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.settings import Settings
from thinpipe.counted import counted
from thinpipe.inputs import INPUTS_FILE, Inputs, made_by, values_of
from thinpipe.outline import outline
from thinpipe.point import Point
from thinpipe.recording import load
from thinpipe.signals import signals_deferred

if TYPE_CHECKING:
    from thinpipe.network import Network


def show(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO|RUN_DIR",
            help="A scenario that ships, a file, or what `thinpipe run --out` wrote.",
            autocompletion=arguments.complete_scenario,
        ),
    ],
    *,
    settings: Annotated[list[str] | None, arguments.SETTINGS] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A .png, .svg or .pdf file; by default SCENARIO-network.png or "
            "RUN_DIR-network.png in the current directory. An existing file is replaced; missing "
            "directories are made.",
        ),
    ] = None,
) -> None:
    """Draw the network of a scenario or a run, and list its nodes, links and static routes.

    Six or more nodes that differ only in their name are merged into one. At most a hundred mobiles
    with a position are listed.
    """
    asked = Settings.of(settings)
    with signals_deferred():
        from thinpipe.network import Network
        from thinpipe.plot.picture import write_network_picture
    with asked.named(), _point(scenario, dict(asked.pairs)) as point:
        values, network, made = values_of(point), Network.of_point(point), made_by(point)
    name = Path(point.scenario.name).name.removesuffix(".toml")
    file = out or Path(
        f"{Path(scenario).resolve().name if _is_run(scenario) else name}-network.png"
    )
    note = "; ".join(filter(None, (values["description"], outline(values))))
    try:
        write_network_picture(network, file, title=name, note=note)
    except ValueError as error:
        raise BadRequestError(f"--out {out}:{str(error).removeprefix('file:')}") from None
    _print(network.grouped(), made)
    typer.echo(str(file))


def _is_run(source: str) -> bool:
    return (Path(source) / INPUTS_FILE).is_file()


@contextmanager
def _point(source: str, settings: Mapping[str, str]) -> Iterator[Point]:
    """Yield the point of a scenario or of a saved run, with further settings."""
    if _is_run(source):
        text = load(source).scenario.source
        with Inputs.read(Path(source)).point(text, settings) as point:
            yield point
    else:
        yield Point.of(source, settings)


def _print(network: Network, made: Sequence[str]) -> None:
    with signals_deferred():
        from thinpipe.cli.terminal import console
        from thinpipe.cli.terminal import show as show_table
        from thinpipe.plot import network_rows as of

    screen = console()
    for line in made:
        screen.print(line, soft_wrap=True)
    show_table(screen, of.NODES, of.node_rows(network), text=frozenset({"node", "middlebox"}))
    screen.print()
    text = frozenset({"link", "kind", "from", "to"})
    show_table(screen, of.LINKS, of.link_rows(network), text=text)
    if routes := of.route_rows(network):
        screen.print()
        show_table(screen, of.ROUTES, routes, text=frozenset(of.ROUTES))
    if places := of.place_rows(network):
        screen.print()
        show_table(screen, of.PLACES, places, text=frozenset({"name", "on the way"}))
        if (more := len(network.walks) - of.MAX_LISTED) > 0:
            screen.print(f"… and {counted(more, 'mobile')} more")
    screen.print()
