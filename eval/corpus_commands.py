"""The commands about one's own corpus: `calibrate`, `mine`, `ranks`."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from core.engines.build_folder import BuildFolders
from core.engines.durable import write_durably
from core.errors import IndexUnavailable, UsageError
from core.index_port import EMPTY
from core.settings import Settings, read_settings
from corpus.data_folder import DataFolder
from corpus.library import open_library
from corpus.starter import sources_of
from eval.calibrate import Labelled, Unlabelled, calibrate
from eval.calibration_tables import print_labelled, print_unlabelled
from eval.inputs import check_out
from eval.lines import lines_from
from eval.mine import mined, pages_of
from eval.place import SHIPPED, Place
from eval.plans import plan_for
from eval.rank_rows import RankRow, carried, ranked_of, read_ranks, write_ranks
from eval.rank_tables import print_ranks
from eval.ranks import known_files, known_folder, measured, ranks_file, told_apart
from eval.results import check_writable, real_place
from eval.running import finished, place_of, printed


class RefusedOf(StrEnum):
    """Of which questions the lower cut-off may refuse 5 %."""

    TOP3 = "top3"
    ALL = "all"


def calibrate_command(
    context: typer.Context,
    questions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A file of questions; repeatable.  [default: the corpus's own headings]",
        ),
    ] = None,
    refused_of: Annotated[
        RefusedOf,
        typer.Option(help="Refuse 5 % of the answerable found in the top three, or of all."),
    ] = RefusedOf.TOP3,
) -> None:
    """Fit when to answer and when to refuse, and use it.

    Says how often that is wrong, on questions that it was not fitted on.
    """
    settings, place = read_settings(), place_of(context)
    plan = plan_for(settings, place, tuple(questions or ()))
    today = datetime.now(UTC).date()
    found = finished(
        lambda told: calibrate(plan, told, today, judged=refused_of.value), "Nothing was written."
    )
    printed(lambda console: _print(console, found))
    typer.echo(f"Written to {DataFolder(plan.data).calibration}.", err=True)


def mine_command(
    context: typer.Context,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write them here.  [default: DATA/eval/known/]"),
    ] = None,
) -> None:
    """Find questions with known answers in the runbooks.

    They come from alerts, links, descriptions and summaries, and are followed from build to build.
    """
    settings, place = read_settings(), place_of(context)
    path = out or known_folder(place.folder(settings)) / "mined.jsonl"
    check_writable(path)
    check_out((path,), plan_for(settings, place, ()))
    sources = sources_of(
        settings.sources,
        place.folders,
        settings.limits.file_bytes,
        clones=place.folder(settings).sources,
        tenant=settings.only_tenant,
    )
    records = mined(pages_of(sources))
    if not records:
        raise UsageError("Nothing can be mined: no alerts, links, descriptions or summaries.")
    write_records(path, records)
    for category, count in Counter(str(record["category"]) for record in records).items():
        typer.echo(f"{count:5} {category}")
    typer.echo(f"Written to {path}.", err=True)


def ranks_command(
    context: typer.Context,
    questions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Questions to look at now, instead of the known ones; repeatable."
        ),
    ] = None,
) -> None:
    """Say where the answers to known questions rank, and ranked.

    That is: in the live build, and in the one before it. A question whose page is gone, or has its
    quote no more or twice, has lost its evidence: those are counted, and no error.
    """
    settings, place = read_settings(), place_of(context)
    rows = _ranks(settings, place, tuple(questions or ()))
    printed(lambda console: print_ranks(console, rows))


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("calibrate")(calibrate_command)
    app.command("mine")(mine_command)
    app.command("ranks")(ranks_command)


def _print(console: Console, found: Labelled | Unlabelled) -> None:
    if isinstance(found, Labelled):
        print_labelled(console, found)
    else:
        print_unlabelled(console, found)


def _ranks(settings: Settings, place: Place, questions: Sequence[Path]) -> Sequence[RankRow]:
    """Return the rows beside the live build; measured now where they are not of these questions.

    What is measured for the known questions as they are now is kept beside the build.

    Raises:
        DatasetError: a file cannot be read, or a line of it is no question.
        IndexUnavailable: there is no index.
    """
    folder = place.folder(settings)
    live = BuildFolders(folder.index).current()
    if live is None:
        raise IndexUnavailable(EMPTY)
    file = ranks_file(folder, live.id)
    stored = read_ranks(file)
    if questions:
        return carried(asyncio.run(_measured(settings, place, questions)), stored)
    known = known_files(folder)
    if not known and (place.corpus or settings.sources):
        return []
    files = known or [SHIPPED]
    of = told_apart(files)
    if stored and ranked_of(file) == of:
        return list(stored.values())
    rows = carried(asyncio.run(_measured(settings, place, files)), stored)
    if not known and all(row.state == "gone" for row in rows):  # it is no starter corpus
        return []
    write_ranks(file, rows, of)
    return rows


async def _measured(settings: Settings, place: Place, files: Sequence[Path]) -> list[RankRow]:
    data = place.folder(settings).root
    async with open_library(settings, data, sources=place.folders) as library:
        return await measured(library.index, library.search, files, settings.limits)


def write_records(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write a file of questions, all of it or nothing; a link to it stays.

    Raises:
        UsageError: the path is no place for a file.
        DataFolderBroken: the disk is full or not writable.
    """
    place = real_place(path)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None
    write_durably(place, lines_from(records))
