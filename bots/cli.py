"""`nightlamp …`: results on standard output, progress and errors on standard error.

Exit 0: done, whatever the outcome; 2: wrong use or settings; 3: failed; 130: interrupted. What
takes its time to load is imported by the command that needs it, so that `--help` is quick.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bots.cli_data import register as register_data
from bots.cli_gaps import register as register_gaps
from bots.output import log_at, note, prepare_streams, say_json
from bots.usage import Commands
from core.errors import NightlampError
from core.models import EVERYONE, Scope
from core.reports import IndexOptions

if TYPE_CHECKING:
    from bots.card import Card
    from core.settings import Settings

FAILED, INTERRUPTED = 3, 130

app = typer.Typer(
    cls=Commands,
    help="Your team's runbooks: the right section, verbatim, or an honest refusal.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@dataclass(frozen=True, slots=True)
class Place:
    """What stands before the command: folders in place of the sources, and the data folder."""

    corpus: tuple[Path, ...]
    data: Path | None

    @property
    def sources(self) -> tuple[Path, ...] | None:
        """Return the folders to index; None for the configured sources."""
        return self.corpus or None

    def settings(self, *, log: str = "warning") -> "Settings":
        """Read the settings, and log as they say; without a word from them, from `log` on.

        Raises:
            SettingsError: one is wrong.
        """
        from core.settings import read_settings

        settings = read_settings()
        log_at(settings.log if "log" in settings.model_fields_set else log)
        return settings

    def folder(self, settings: "Settings") -> Path:
        """Return the data folder: the option's, else the settings'."""
        return self.data or settings.data


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nightlamp {version('nightlamp')}")
        raise typer.Exit


@app.callback()
def nightlamp(
    context: typer.Context,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            file_okay=False,
            metavar="DIR",
            help="A folder of runbooks in place of the configured sources; repeatable.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(file_okay=False, metavar="DIR", help="The data folder.  [default: data]"),
    ] = None,
    version_: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Remember what holds for every command."""
    context.obj = Place(tuple(corpus or ()), data)


@app.command()
def ask(
    context: typer.Context,
    question: Annotated[
        str,
        typer.Argument(metavar="QUESTION", help="An alert, an error, a question; empty for help."),
    ],
    top: Annotated[int, typer.Option(metavar="N", min=1, max=50, help="How many results.")] = 5,
    tenant: Annotated[
        str | None,
        typer.Option(metavar="TENANT", help="Whose runbooks.  [default: the only tenant]"),
    ] = None,
    service: Annotated[
        list[str] | None,
        typer.Option(metavar="SERVICE", help="Only runbooks of this service; repeatable."),
    ] = None,
    type_: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Only documents of this type; repeatable."),
    ] = None,
    visibility: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL",
            help=f"See what this label sees; repeatable.  [default: {EVERYONE}]",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the runbooks.

    On an empty index they are read first.
    """
    from bots.asking import Asked
    from bots.asking import ask as answer

    place: Place = context.obj
    settings = place.settings()
    scope = Scope(tuple(service or ()), tuple(type_ or ()), tuple(visibility or (EVERYONE,)))
    asked = Asked(question, tenant, scope, top, as_json)
    asyncio.run(answer(settings, place.folder(settings), asked, sources=place.sources))


@app.command()
def index(
    context: typer.Context,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build from nothing.")] = False,
    prune: Annotated[bool, typer.Option(help="Drop documents whose files are gone.")] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change; change nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Go on even if much would be removed or rank worse.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 3 if a file failed or a source cannot be read anew, and in a dry run "
            "if a real one would be refused.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the index up to date with the runbooks.

    Says what was added, changed and removed, and which sources and files failed and why.
    """
    from bots.indexing import index as bring_up
    from bots.report_cards import LONGEST, index_card

    place: Place = context.obj
    settings = place.settings()
    options = IndexOptions(rebuild=rebuild, prune=prune, dry_run=dry_run, force=force)
    report = asyncio.run(bring_up(settings, place.folder(settings), options, sources=place.sources))
    longest = LONGEST if sys.stdout.isatty() else None
    _print(index_card(report, longest=longest), asdict(report), as_json)
    if strict and (report.refused or not report.complete):
        raise typer.Exit(FAILED)


@app.command()
def serve(context: typer.Context) -> None:
    """Run every channel that has its tokens.

    With them run the digests, and the index follows its sources. Ctrl-C stops it.
    """
    from bots.app import serve as run

    place: Place = context.obj
    settings = place.settings(log="info")
    asyncio.run(run(settings, place.folder(settings), sources=place.sources))


@app.command()
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Say what is indexed and running."""
    from bots.report_cards import status_card
    from bots.status import status as state_of

    place: Place = context.obj
    settings = place.settings()
    found = asyncio.run(state_of(settings, place.folder(settings)))
    _print(status_card(found), asdict(found), as_json)


@app.command()
def doctor(context: typer.Context, as_json: AsJson = False) -> None:
    """Check everything, and say what to do.

    Settings, data folder, model, index, calibration, journal, sources, links and tokens.
    """
    from bots.check import Level
    from bots.doctor import examine
    from bots.report_cards import doctor_card

    place: Place = context.obj
    settings = place.settings()
    checks = asyncio.run(examine(settings, place.folder(settings), sources=place.sources))
    sound = all(check.level is not Level.PROBLEM for check in checks)
    told = {"ok": sound, "checks": [asdict(check) for check in checks]}
    _print(doctor_card(checks), told, as_json)
    if not sound:
        raise typer.Exit(FAILED)


register_gaps(app)
register_data(app)


def _print(card: "Card", value: Mapping[str, Any], as_json: bool) -> None:
    from bots.terminal import show

    if as_json:
        say_json(value)
    else:
        show(card)


def main() -> None:
    """Run the command line; a failure that is known is one sentence and its exit code."""
    prepare_streams()
    try:
        app(prog_name="nightlamp")
    except NightlampError as error:
        note(str(error))
        sys.exit(error.exit_code)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            # All is closed by now; the interpreter would still wait for a batch in the model.
            os._exit(INTERRUPTED)
        raise
