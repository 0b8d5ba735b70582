"""`nightlamp gaps …`, `digest` and `golden`: beside a running bot through it, else alone."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bots.out_files import check_out, write_out
from bots.output import note, say, say_json
from core.errors import NightlampError, UsageError
from feedback.gap_filter import parse_since
from feedback.models import GapKind, GapStatus

if TYPE_CHECKING:
    from bots.cli import Place
    from bots.control_client import ControlClient

DEADLINE = 300.0
"""Seconds that a running bot may say nothing: a year's gaps, grouped, take a few."""

gaps_app = typer.Typer(
    help="List what the runbooks do not know yet, or act on it.", rich_markup_mode=None
)
golden_app = typer.Typer(
    help="Make evaluation questions of votes.", no_args_is_help=True, rich_markup_mode=None
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Tenant = Annotated[
    str | None,
    typer.Option(metavar="TENANT", help="Whose gaps.  [default: the only tenant]"),
]
Sees = Annotated[
    list[str] | None,
    typer.Option(
        "--visibility",
        metavar="LABEL",
        help="See what this label sees; repeatable.  [default: everyone]",
    ),
]
GapId = Annotated[str, typer.Argument(metavar="ID", help="The gap's name, such as G-7KQ2.")]


@gaps_app.callback(invoke_without_command=True)
def gaps(
    context: typer.Context,
    since: Annotated[
        str, typer.Option(metavar="TIME", help="How far back to look: 36h, 7d, 2w.")
    ] = "7d",
    tenant: Tenant = None,
    kind: Annotated[GapKind | None, typer.Option(help="Only gaps of this kind.")] = None,
    status: Annotated[GapStatus | None, typer.Option(help="Only gaps of this status.")] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Only gaps that I own.")] = False,
    text: Annotated[
        str, typer.Option(metavar="TEXT", help="Only gaps whose questions have this text.")
    ] = "",
    visibility: Sees = None,
    csv: Annotated[
        Path | None, typer.Option(dir_okay=False, metavar="FILE", help="Write a table as CSV.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what the runbooks do not know yet, or act on a gap by its name."""
    if context.invoked_subcommand is not None:
        _nothing_before(context)
        return
    check_out(context.obj, csv)
    told = _done(
        context,
        "gaps",
        seconds=int(parse_since(since).total_seconds()),
        tenant=tenant,
        kind=kind.value if kind else None,
        status=status.value if status else None,
        mine=mine,
        text=text,
        visibility=visibility,
    )
    if csv:
        write_out(csv, told["csv"])
    _print(told, as_json)


@gaps_app.command()
def own(
    context: typer.Context, gap_id: GapId, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Take a gap on: the digest says whose it is."""
    _print(_done(context, "gap", do="own", id=gap_id, tenant=tenant), as_json)


@gaps_app.command()
def snooze(
    context: typer.Context,
    gap_id: GapId,
    days: Annotated[int, typer.Option(metavar="N", min=1, max=365, help="For how many days.")] = 14,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Leave a gap out of digests for some days."""
    _print(_done(context, "gap", do="snooze", id=gap_id, days=days, tenant=tenant), as_json)


@gaps_app.command()
def done(
    context: typer.Context,
    gap_id: GapId,
    section: Annotated[
        str, typer.Argument(metavar="SECTION", help="What answers it: a link, path#anchor or id.")
    ],
    tenant: Tenant = None,
    visibility: Sees = None,
    as_json: AsJson = False,
) -> None:
    """Say which section answers a gap; those who asked are told."""
    told = _done(
        context,
        "gap",
        do="done",
        id=gap_id,
        section=section,
        tenant=tenant,
        visibility=visibility,
    )
    _print(told, as_json)


@gaps_app.command()
def dismiss(
    context: typer.Context, gap_id: GapId, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Say that this is no gap."""
    _print(_done(context, "gap", do="dismiss", id=gap_id, tenant=tenant), as_json)


@gaps_app.command()
def reopen(
    context: typer.Context, gap_id: GapId, tenant: Tenant = None, as_json: AsJson = False
) -> None:
    """Open a gap again, whatever was decided on it."""
    _print(_done(context, "gap", do="reopen", id=gap_id, tenant=tenant), as_json)


@gaps_app.command()
def draft(
    context: typer.Context,
    gap_id: GapId,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, metavar="FILE", help="Write it to a file.")
    ] = None,
    tenant: Tenant = None,
    visibility: Sees = None,
) -> None:
    """Print the page that a gap lacks, begun, or the line to add to one."""
    check_out(context.obj, out)
    told = _done(context, "draft", id=gap_id, tenant=tenant, visibility=visibility)
    if out:
        write_out(out, told["text"])
    else:
        say(told["text"])


def digest(
    context: typer.Context,
    tenant: Tenant = None,
    post: Annotated[
        bool, typer.Option("--post", help="Post it now to the channels that it has.")
    ] = False,
    visibility: Sees = None,
    as_json: AsJson = False,
) -> None:
    """Show the last week's digest as it would be posted, or post it."""
    told = _done(context, "digest", tenant=tenant, post=post, visibility=visibility)
    if not post:
        _print(told, as_json)
        return
    taken: Mapping[str, bool] = told["posted"]
    if as_json:
        say_json({"posted": taken})
    else:
        say("".join(f"{name}: {'posted' if ok else 'not'}\n" for name, ok in taken.items()))
    if not all(taken.values()):
        raise NightlampError("Not every channel could be reached: see that the bot is in it.")


@golden_app.command()
def export(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, metavar="FILE", help="Write them to a file.")
    ] = None,
    tenant: Tenant = None,
    visibility: Sees = None,
) -> None:
    """Print votes as evaluation questions, for a person to review.

    They are answers with a thumb up, corrections and closed gaps, a JSON object a line. A file that
    is there keeps what people made of it, and gets what is new.
    """
    check_out(context.obj, out)
    told = _done(context, "golden", tenant=tenant, visibility=visibility)
    if out:
        write_out(out, _with_what_is_new(out, told["text"]), within=out.parent)
    else:
        say(told["text"])
    if not told["text"]:
        note("Nobody has voted on an answer yet, corrected one or closed a gap.")


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.add_typer(gaps_app, name="gaps")
    app.command()(digest)
    app.add_typer(golden_app, name="golden")


def _nothing_before(context: typer.Context) -> None:
    """Check that no option of the list stands before an action, where it would do nothing.

    Raises:
        UsageError: one does.
    """
    for name in context.params:
        source = context.get_parameter_source(name)
        if source and source.name == "COMMANDLINE":
            action = context.invoked_subcommand
            raise UsageError(f"Options of an action stand after it: nightlamp gaps {action} ID …")


def _done(context: typer.Context, verb: str, **arguments: Any) -> Mapping[str, Any]:
    """Have a verb done by the bot that runs over the data folder, or here where none does."""
    from bots.control_client import beside
    from corpus.data_folder import DataFolder

    place: Place = context.obj
    settings = place.settings()
    folder = DataFolder(place.folder(settings))

    async def through(bot: "ControlClient") -> Mapping[str, Any]:
        return await bot.call(verb, arguments, deadline=DEADLINE)

    async def alone() -> Mapping[str, Any]:
        from bots.app import open_app
        from bots.gap_verbs import gap_verbs

        async with open_app(settings, folder.root, sources=place.sources) as app:
            return await gap_verbs(app)[verb](arguments, lambda name, value: None)

    return asyncio.run(beside(folder, through, alone))


def _print(told: Mapping[str, Any], as_json: bool) -> None:
    from bots.card import Card
    from bots.report_cards import shortened
    from bots.terminal import show
    from core.wire import from_plain

    if as_json:
        say_json(told["json"])
    else:
        card = from_plain(Card, told["card"])
        show(shortened(card) if sys.stdout.isatty() else card)


def _with_what_is_new(path: Path, lines: str) -> str:
    """Return a file of questions with those of these lines that it has not yet.

    Raises:
        UsageError: what is there are no questions.
    """
    from feedback.golden import golden_lines, merged

    try:
        kept = _objects(path.read_text(encoding="utf-8")) if path.exists() else []
    except (OSError, ValueError):
        raise UsageError(f"{path} has no questions, one JSON object a line.") from None
    return golden_lines(merged(kept, _objects(lines)))


def _objects(lines: str) -> list[Mapping[str, Any]]:
    found = [json.loads(line) for line in lines.split("\n") if line.strip()]
    if not all(isinstance(one, dict) for one in found):
        raise ValueError("a line is no object")
    return found
