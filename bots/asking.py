"""A question in the terminal: indexed first where need be, asked, and written down if possible.

Where a bot runs it does the same for the terminal: `answer_from` over its library and journal.
"""

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bots.app import service_over
from bots.card import Card
from bots.cards import outcome_card
from bots.control_client import ControlClient, beside
from bots.harmless import on_one_line
from bots.indexing import OnTheWay, named
from bots.output import say_json
from bots.scribing import open_scribe, written_for
from bots.terminal import show
from bots.unknown_names import unknown_sentence
from bots.written_cards import written_card, written_json, written_part
from core.answering import Answered, searchable_text
from core.clock import SystemClock
from core.engines.absent import AbsentEmbedder
from core.errors import JournalUnavailable, NightlampError, UsageError
from core.greetings import asks_for_help
from core.models import Platform, Question, Scope, Where
from core.outcomes import Refusal, UnknownName
from core.points import Filter, alike
from core.ports import Clock
from core.reports import IndexOptions, IndexProgress
from core.results_json import answered_json
from core.service import Nightlamp, Reply
from core.settings import Settings
from core.wire import from_plain, to_plain
from core.writing import Scribe
from corpus.build import fingerprint
from corpus.data_folder import DataFolder
from corpus.library import Library, open_library
from eval.judges import judges_for
from feedback.journal import open_journal

DEADLINE = 900.0
"""Seconds that a running bot may say nothing: it may have its model to export first."""

Tell = Callable[[str, Mapping[str, Any]], None]
"""Is told what happens on the way: `progress` with how far the index is, `note` with a text."""

Services = Callable[[], AbstractAsyncContextManager[tuple[Nightlamp, Scribe | None]]]
"""Opens the verbs over the journal, and what writes answers, where a language model is configured;
entering it raises JournalUnavailable where none can be."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed: the question, what narrows it, how many results, and whether as JSON."""

    text: str
    tenant: str | None
    scope: Scope
    top: int
    as_json: bool


@dataclass(frozen=True, slots=True)
class Told:
    """An answer in both forms that a terminal prints, and what a language model wrote."""

    card: Card
    json: Mapping[str, Any]
    written: Card | None = None


async def ask(
    settings: Settings, data: Path, asked: Asked, *, sources: Sequence[Path] | None = None
) -> None:
    """Answer a question on standard output; a bot that runs answers it, if one does.

    Raises:
        UsageError: the runbooks are of several tenants and none was named, or an unknown one, or
            no document has the service or type that it is narrowed to.
        NightlampError: the runbooks cannot be indexed or searched.
    """
    early: list[Card] = []
    with OnTheWay() as shown:

        def tell(name: str, value: Mapping[str, Any]) -> None:
            shown.tell(name, value)
            if name == "card" and not asked.as_json:
                early.append(from_plain(Card, value))
                show(early[-1])

        told = await beside(
            DataFolder(data),
            partial(_through, settings, asked, sources, tell),
            partial(_alone, settings, data, asked, sources, tell),
        )
    if asked.as_json:
        say_json(told.json)
        return
    if not early:
        show(told.card)
    if told.written is not None:
        show(told.written)


async def _through(
    settings: Settings,
    asked: Asked,
    sources: Sequence[Path] | None,
    tell: Tell,
    bot: ControlClient,
) -> Told:
    wanted = {"asked": to_plain(asked), "sources": named(settings, sources)}
    answer = await bot.call("ask", wanted, tell, deadline=DEADLINE)
    written = answer.get("written")
    return Told(
        from_plain(Card, answer["card"]),
        answer["json"],
        from_plain(Card, written) if written else None,
    )


async def _alone(
    settings: Settings,
    data: Path,
    asked: Asked,
    sources: Sequence[Path] | None,
    tell: Tell,
) -> Told:
    clock = SystemClock()
    judges = judges_for(settings)
    async with open_library(settings, data, sources=sources, clock=clock, judges=judges) as library:

        @asynccontextmanager
        async def services() -> AsyncIterator[tuple[Nightlamp, Scribe | None]]:
            async with (
                open_journal(library.folder.journal, now=clock.now) as journal,
                open_scribe(settings.llm, journal, clock) as scribe,
            ):
                yield service_over(library, journal, clock), scribe

        return await answer_from(library, settings, asked, clock, services, tell)


async def answer_from(
    library: Library,
    settings: Settings,
    asked: Asked,
    clock: Clock,
    services: Services,
    tell: Tell,
) -> Told:
    """Answer from an open library, which is brought up to date first where it cannot be asked.

    Where that fails, an older index of these runbooks answers.

    Raises:
        UsageError: the runbooks are of several tenants and none was named, or an unknown one, or
            no document has the service or type that it is narrowed to.
        NightlampError: the runbooks cannot be indexed or searched.
    """
    text = searchable_text(asked.text)
    if not asks_for_help(text):
        await _got_ready(library, settings, tell)
    question = _question(asked, _tenant(library, asked.tenant), clock)

    async def told_of(reply: Reply, scribe: Scribe | None) -> Told:
        if isinstance(reply.outcome, UnknownName):
            raise UsageError(unknown_sentence(reply.outcome))
        for unknown in await _unknown(library, question):
            tell("note", {"text": unknown})
        card = outcome_card(reply, link=library.link, settings=settings.cards, now=clock.now())
        told = Told(card, answered_json(text, Answered(reply.outcome), library.link))
        for nothing in await _nothing_to_find(library, question, reply):
            tell("note", {"text": nothing})
        if scribe is None:
            return told
        tell("card", to_plain(card))
        found = await written_for(reply, scribe)
        part = found and written_part(
            found, link=library.link, settings=settings.cards, linked=False
        )
        return Told(
            card,
            {**told.json, "written": written_json(found, library.link)},
            written_card(part) if part else None,
        )

    try:
        async with services() as (service, scribe):
            return await told_of(await _through_journal(service, question, asked.top), scribe)
    except JournalUnavailable as error:
        tell("note", {"text": f"This question was not saved. {error}"})
    async with open_journal(None, now=clock.now) as journal:
        service = service_over(library, journal, clock)
        return await told_of(await _through_journal(service, question, asked.top), None)


async def _got_ready(library: Library, settings: Settings, tell: Tell) -> None:
    if _outdated(library, settings):
        try:
            await _brought_up_to_date(library, tell)
        except NightlampError as error:
            if not _holds_no_others(library):
                raise
            tell("note", {"text": f"The index is not up to date, and answers as it is. {error}"})
    await library.ready()


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


def _holds_no_others(library: Library) -> bool:
    """Return whether there is an index, and none of its runbooks is of a source not at hand.

    One that another model made answers too: it is searched by keywords.
    """
    info = library.index.info
    return info is not None and info.sources.keys() <= {s.settings.name for s in library.sources}


async def _brought_up_to_date(library: Library, tell: Tell) -> None:
    def progress(at: IndexProgress) -> None:
        tell("progress", to_plain(at))

    report = await library.indexer.run(IndexOptions(), progress)
    if report.failed:
        first, more = report.failed[0], len(report.failed) - 1
        said = f"{on_one_line(first.path)}: {first.reason.removesuffix('.')}."
        rest = f" And {more:,} more: nightlamp index lists them." if more else ""
        tell("note", {"text": f"Could not be indexed: {said}{rest}"})


def _question(asked: Asked, tenant: str, clock: Clock) -> Question:
    user = str(os.getuid()) if hasattr(os, "getuid") else "local"
    where = Where(Platform.TERMINAL, "terminal")
    return Question(asked.text, tenant, user, clock.now(), where, asked.scope)


def _tenant(library: Library, named: str | None) -> str:
    tenants = sorted({source.settings.tenant for source in library.sources})
    if named is None and len(tenants) == 1:
        return tenants[0]
    if named in tenants:
        return named
    names = ", ".join(tenants)
    if named is None:
        raise UsageError(f"The runbooks are of several tenants: name one with --tenant: {names}.")
    raise UsageError(f"No source is of the tenant {named}; there are: {names}.")


async def _nothing_to_find(library: Library, question: Question, reply: Reply) -> list[str]:
    """Return a sentence if nothing was found because there is nothing of the tenant."""
    if not isinstance(reply.outcome, Refusal) or reply.outcome.nearest:
        return []
    if await library.index.documents(Filter(question.tenant, None)):
        return []
    return [f"Nothing of the tenant {question.tenant} is indexed: run nightlamp index."]


async def _unknown(library: Library, question: Question) -> list[str]:
    """Return a sentence for each name that narrows the question and that no document has."""
    scope = question.scope
    if not (scope.service or scope.type):
        return []
    documents = (await library.index.documents(Filter(question.tenant, scope.visibility))).values()
    sentences = []
    for what, wanted, known in (
        ("service", scope.service, {one.metadata.service for one in documents}),
        ("type", scope.type, {one.metadata.type for one in documents}),
    ):
        there = ", ".join(sorted(known - {""})) or "none at all"
        sentences += [
            f"No document has the {what} {name}; there are: {there}."
            for name in wanted
            if name not in known
        ]
    return sentences


async def _through_journal(service: Nightlamp, question: Question, top: int) -> Reply:
    exchange_id = await service.received(question)
    if exchange_id is None:
        raise JournalUnavailable("The journal took the question for one that it had already.")
    return await service.ask(exchange_id, question, limit=top)
