"""`nightlamp backup`, `restore`, `export` and `forget`: what is kept, and letting go of it.

The first and the last two work beside a running bot: SQLite gives a reader one state of the
journal, and a second writer waits for its turn.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer

from bots.out_files import check_out
from bots.output import note, say, say_json
from core.clock import SystemClock
from core.errors import UsageError
from core.exchanges import Person
from core.models import EVERYONE, Platform
from core.ports import Clock
from core.targets import unwritable
from corpus.data_folder import DataFolder
from feedback.archive import Manifest
from feedback.export_format import ExportFormat
from feedback.personal import Forgotten

if TYPE_CHECKING:
    from bots.cli import Place

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
PATIENCE = 30.0
"""Seconds that forgetting waits for a running bot that has the journal locked."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (export, forget, backup, restore):
        app.command()(command)


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(dir_okay=False, metavar="FILE", help="Where to put it.")],
    as_json: AsJson = False,
) -> None:
    """Write journal, calibration and index into one file.

    A bot may run meanwhile. Models and caches are left out: they come again.
    """
    from feedback.backup import back_up

    manifest = asyncio.run(back_up(_folder(context).root, file, SystemClock().now()))
    size = f"{file.stat().st_size / 1_000_000:,.1f} MB"
    _tell(f"Backed up to {file}, {size}: {_size(manifest)}.", asdict(manifest), as_json)


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(dir_okay=False, metavar="FILE", help="A backup.")],
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of what is there; stop the bot first.

    What is there stays as it is unless the whole backup can be read.
    """
    folder = _folder(context)
    manifest = asyncio.run(restored(folder, file, SystemClock()))
    _tell(f"Restored what was kept on {manifest.made_at}: {_size(manifest)}.",
          asdict(manifest), as_json)  # fmt: skip


def export(
    context: typer.Context,
    form: Annotated[
        ExportFormat,
        typer.Option(
            "--format", metavar="jsonl|csv", help="One object or one table row an exchange."
        ),
    ] = ExportFormat.JSONL,
    out: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False, metavar="FILE", help="Write here.  [default: standard output]"
        ),
    ] = None,
    visibility: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL",
            help=f"Quote what this label sees; repeatable.  [default: {EVERYONE}]",
        ),
    ] = None,
) -> None:
    """Write all questions with their outcomes and votes.

    People are numbered, never named.
    """
    journal = _folder(context).journal
    if not journal.exists():
        raise UsageError(f"There is no journal {journal} to export: name the folder with --data.")
    check_out(context.obj, out)
    labels = tuple(visibility or (EVERYONE,))
    if out is not None and out.exists() and not out.is_file():
        with out.open("w", encoding="utf-8") as device:  # or a pipe: neither is replaced
            count = asyncio.run(_exported(journal, form, None, labels, device.write))
    else:
        count = asyncio.run(_exported(journal, form, out, labels))
    note(f"{count:,} {'exchange' if count == 1 else 'exchanges'}.")


def forget(
    context: typer.Context,
    platform: Annotated[
        Platform, typer.Argument(metavar="PLATFORM", help="discord, slack or terminal.")
    ],
    user: Annotated[str, typer.Argument(metavar="USER", help="The platform's id of the person.")],
    as_json: AsJson = False,
) -> None:
    """Erase what a person wrote, and make nameless what is counted.

    USER is the platform's id of the person, such as U0123456789; in the terminal, that of the
    account, as `id -u` prints it.
    """
    journal = _folder(context).journal
    if not journal.exists():
        raise UsageError(f"There is no journal {journal} to forget in: name it with --data.")
    found = asyncio.run(forgotten(journal, Person(platform, user), SystemClock()))
    said = ", ".join(f"{table.replace('_', ' ')} {count:,}" for table, count in found.rows.items())
    text = f"Erased or made nameless: {said}. Older backups still hold it."
    _tell(text if said else "Nothing is kept of this person.", {"rows": dict(found.rows)}, as_json)


async def restored(folder: DataFolder, file: Path, clock: Clock) -> Manifest:
    """Restore a backup into a folder that nobody else holds.

    Raises:
        DataFolderBusy: a bot or another command holds it.
        UsageError: there is no such file; nothing was changed.
        NightlampError: it is no whole backup; nothing was changed.
    """
    from feedback.restore import restore as put_back

    await folder.hold(clock)
    try:
        return await asyncio.to_thread(put_back, file, folder.root)
    finally:
        folder.release()


async def forgotten(journal: Path, person: Person, clock: Clock) -> Forgotten:
    """Forget a person in a journal that a running bot may have open, too.

    Raises:
        JournalUnavailable: nothing was forgotten.
    """
    from feedback.journal import open_journal
    from feedback.personal import People

    async with open_journal(journal, now=clock.now, busy_timeout=PATIENCE) as opened:
        return await People(opened).forget(person, clock.now())


async def _exported(
    journal: Path,
    form: ExportFormat,
    out: Path | None,
    labels: tuple[str, ...],
    write: Callable[[str], object] = say,
) -> int:
    from feedback.export import export as written

    if out is None:
        return await written(journal, form, write, visibility=labels)

    async def into(write: Callable[[str], object]) -> int:
        return await written(journal, form, write, visibility=labels)

    # Written beside it and renamed: a file of that name is whole, or the older one.
    beside = out.with_name(f".{uuid4().hex}")
    try:
        descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
                count = await into(file.write)
            await asyncio.to_thread(os.replace, beside, out)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(out, error) from error
    return count


def _folder(context: typer.Context) -> DataFolder:
    place: Place = context.obj
    return DataFolder(place.folder(place.settings()))


def _size(manifest: Manifest) -> str:
    index = f"build {manifest.build}" if manifest.build else "no index"
    files = "1 file" if len(manifest.files) == 1 else f"{len(manifest.files):,} files"
    return f"{files}, {manifest.size / 1_000_000:,.1f} MB unpacked, {index}"


def _tell(text: str, value: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        say_json(value)
    else:
        say(f"{text}\n")
