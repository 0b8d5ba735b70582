"""A question in the terminal: indexed first where need be, asked, and written down if possible."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bots.app import service_over
from bots.cards import outcome_card
from bots.indexing import run_indexer
from bots.output import note, say_json
from bots.terminal import show
from core.answering import Answered, searchable_text
from core.clock import SystemClock
from core.engines.absent import AbsentEmbedder
from core.errors import JournalUnavailable, UsageError
from core.greetings import asks_for_help
from core.journal_port import Journal
from core.models import Platform, Question, Scope, Where
from core.points import Filter, alike
from core.ports import Clock
from core.reports import IndexOptions
from core.results_json import answered_json
from core.service import Reply
from core.settings import Settings
from corpus.build import fingerprint
from corpus.library import Library, open_library
from eval.judges import judges_for
from feedback.journal import open_journal

WAIT = 10.0
"""Seconds that another command may take to leave the data folder."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed: the question, what narrows it, how many results, and whether as JSON."""

    text: str
    tenant: str | None
    scope: Scope
    top: int
    as_json: bool


async def ask(
    settings: Settings, data: Path, asked: Asked, *, sources: Sequence[Path] | None = None
) -> None:
    """Answer a question on standard output.

    Raises:
        UsageError: the runbooks are of several tenants and none was named.
        NightlampError: the runbooks cannot be indexed or searched.
    """
    clock = SystemClock()
    judges = judges_for(settings)
    async with open_library(
        settings, data, sources=sources, clock=clock, wait=WAIT, judges=judges
    ) as library:
        if not asks_for_help(searchable_text(asked.text)) and _outdated(library, settings):
            await run_indexer(library, IndexOptions())
        question = _question(asked, asked.tenant or _only_tenant(library), clock)
        await _note_unknown(library, question)
        reply = await _reply(library, question, asked.top, clock)
        if asked.as_json:
            text = searchable_text(asked.text)
            say_json(answered_json(text, Answered(reply.outcome), library.link))
        else:
            card = outcome_card(reply, link=library.link, settings=settings.cards, now=clock.now())
            show(card)


def _outdated(library: Library, settings: Settings) -> bool:
    """Return whether the index cannot be asked: none, of other sources, or by another model.

    A model that is not there can build nothing: the index that there is goes on by keywords.
    """
    info = library.index.info
    if library.stale or info is None:
        return True
    absent = isinstance(library.embedder, AbsentEmbedder)
    return not absent and not alike(
        info.fingerprint, fingerprint(library.embedder, settings.splitter)
    )


def _question(asked: Asked, tenant: str, clock: Clock) -> Question:
    user = str(os.getuid()) if hasattr(os, "getuid") else "local"
    where = Where(Platform.TERMINAL, "terminal")
    return Question(asked.text, tenant, user, clock.now(), where, asked.scope)


def _only_tenant(library: Library) -> str:
    tenants = sorted({source.settings.tenant for source in library.sources})
    if len(tenants) > 1:
        names = ", ".join(tenants)
        raise UsageError(f"The runbooks are of several tenants: name one with --tenant: {names}.")
    return tenants[0]


async def _note_unknown(library: Library, question: Question) -> None:
    """Say on standard error when nothing can be found because of a name that no document has."""
    scope = question.scope
    if not (scope.service or scope.type):
        return
    documents = (await library.index.documents(Filter(question.tenant, scope.visibility))).values()
    for what, wanted, known in (
        ("service", scope.service, {one.metadata.service for one in documents}),
        ("type", scope.type, {one.metadata.type for one in documents}),
    ):
        for name in wanted:
            if name not in known:
                there = ", ".join(sorted(known - {""})) or "none at all"
                note(f"No document has the {what} {name}; there are: {there}.")


async def _reply(library: Library, question: Question, top: int, clock: Clock) -> Reply:
    """Ask through the journal; where it cannot be written, answer all the same and say so."""
    try:
        async with open_journal(library.folder.journal, now=clock.now) as journal:
            return await _through(journal, library, question, top, clock)
    except JournalUnavailable as error:
        note(f"This question was not saved. {error}")
    async with open_journal(None, now=clock.now) as journal:
        return await _through(journal, library, question, top, clock)


async def _through(
    journal: Journal, library: Library, question: Question, top: int, clock: Clock
) -> Reply:
    service = service_over(library, journal, clock)
    exchange_id = await service.received(question)
    if exchange_id is None:
        raise JournalUnavailable("The journal took the question for one that it had already.")
    return await service.ask(exchange_id, question, limit=top)
