"""What a running bot does for commands: the table of verbs that its socket serves.

Every verb does what its command does alone, over the library and the journal that are open here.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from bots.app import App
from bots.asking import Asked, answer_from
from bots.control import Handler, Tell
from bots.gap_verbs import gap_verbs
from bots.status import status_of
from bots.supervisor import Supervisor
from core.errors import DataFolderBusy, UsageError
from core.reports import IndexOptions, IndexProgress
from core.service import Nightlamp
from core.wire import from_plain, to_plain
from core.writing import Scribe
from corpus.library import Library

T = TypeVar("T")


def verbs_of(app: App, supervisor: Supervisor) -> Mapping[str, Handler]:
    """Return what commands can have an app do, by verb."""
    return {
        "ask": partial(_ask, app),
        "index": partial(_index, app),
        "status": partial(_status, app, supervisor),
        **gap_verbs(app),
    }


def argument(kind: type[T], arguments: Mapping[str, Any], name: str) -> T:
    """Return one of the arguments that came with a verb.

    Raises:
        UsageError: it is missing, or of another kind.
    """
    try:
        return from_plain(kind, arguments[name])
    except (KeyError, ValueError, TypeError) as error:
        raise UsageError(f"The running bot does not understand {name}: {error}.") from error


async def _ask(app: App, arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]:
    _check_sources(app.library, arguments)
    asked = argument(Asked, arguments, "asked")

    @asynccontextmanager
    async def services() -> AsyncIterator[tuple[Nightlamp, Scribe | None]]:
        yield app.service, app.scribe

    told = await answer_from(app.library, app.settings, asked, app.clock, services, tell)
    return {"card": to_plain(told.card), "json": told.json, "written": to_plain(told.written)}


async def _index(app: App, arguments: Mapping[str, Any], tell: Tell) -> Mapping[str, Any]:
    _check_sources(app.library, arguments)
    options = argument(IndexOptions, arguments, "options")
    indexer = app.library.indexer
    if since := indexer.running_since:
        raise DataFolderBusy(
            f"The runbooks are being read already, since {since:%Y-%m-%d %H:%M:%S} UTC: "
            "run it again when that has ended."
        )

    def progress(at: IndexProgress) -> None:
        tell("progress", to_plain(at))

    report: Mapping[str, Any] = to_plain(await indexer.run(options, progress))
    return report


async def _status(
    app: App, supervisor: Supervisor, arguments: Mapping[str, Any], tell: Tell
) -> Mapping[str, Any]:
    found = await status_of(app.settings, app.library.folder.root, app.library.lagging)
    running = replace(
        found,
        channels=supervisor.states,
        indexing_since=app.library.indexer.running_since,
    )
    told: Mapping[str, Any] = to_plain(running)
    return told


def _check_sources(library: Library, arguments: Mapping[str, Any]) -> None:
    """Check that a command asks for the runbooks that the bot has.

    Raises:
        UsageError: it names other folders.
    """
    wanted = arguments.get("sources")
    if wanted is not None and wanted != sorted(one.settings.name for one in library.sources):
        raise UsageError(
            f"A bot runs over {library.folder.root} with other runbooks: "
            "leave --corpus away, or name another data folder with --data."
        )
