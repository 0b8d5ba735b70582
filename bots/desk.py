"""What people ask of the bot, to the card that answers it: the same on every platform."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bots.app import App
from bots.card import Card, Part
from bots.cards import chosen_card, error_card, outcome_card, similar_card
from bots.report_cards import index_card, runbooks_card, status_card
from bots.scribing import written_for
from bots.status import for_tenant, status_of
from bots.written_cards import written_part
from core.errors import NightlampError, NotFound
from core.exchanges import MessageRef, Person
from core.models import Question, Scope, Where
from core.reports import IndexReport
from core.service import Reply

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Worded:
    """An answer's card, and the reply that it words; None where asking failed."""

    card: Card
    reply: Reply | None = None


class Desk:
    """Calls the verbs and words what comes of them. Knows no platform."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def answer(self, exchange_id: str, question: Question) -> Worded:
        """Answer a received question; a failure is logged and said with the exchange's id."""
        try:
            reply = await self._app.service.ask(exchange_id, question)
            return Worded(self.reply_card(reply), reply)
        except NightlampError as error:
            return Worded(failure_card(error, exchange_id))
        except Exception:  # a fault of ours: whoever waits is told all the same
            log.exception("failed, reference %s", exchange_id)
            return Worded(error_card(NightlampError("not expected"), exchange_id))

    async def written(self, worded: Worded) -> Part | None:
        """Return what a language model adds to an answer that stands; None where there is nothing.

        It takes its time, and whatever fails is in the log and the journal alone.
        """
        scribe = self._app.scribe
        if scribe is None or worded.reply is None:
            return None
        found = await written_for(worded.reply, scribe)
        if found is None:
            return None
        return written_part(found, link=self._app.library.link, settings=self._app.settings.cards)

    async def may_add_to(self, exchange_id: str, messages: Sequence[MessageRef]) -> bool:
        """Return whether an answer stands as it was posted: not deleted, no other result picked.

        For whoever holds the exchange's turn (`App.turns`).
        """
        exchange = await self._app.journal.exchange(exchange_id)
        if exchange is None or exchange.messages != tuple(messages):
            return False
        return not await self._app.journal.chosen(exchange_id)

    def reply_card(self, reply: Reply) -> Card:
        """Word a reply as it is now."""
        return outcome_card(
            reply,
            link=self._app.library.link,
            settings=self._app.settings.cards,
            now=self._app.clock.now(),
        )

    async def share(
        self, exchange_id: str, person: Person, where: Where, scope: Scope
    ) -> tuple[str, Card] | None:
        """Answer a private question for all; returns the new exchange and its card.

        None if it was shared in this channel before.

        Raises:
            NotAllowed: somebody else asked, or it is not visible there.
            NotFound: there is nothing to share.
        """
        reply = await self._app.service.share(exchange_id, person, where, scope)
        return None if reply is None else (reply.exchange_id, self.reply_card(reply))

    async def choose(self, exchange_id: str, person: Person, index: int, scope: Scope) -> Card:
        """Show another result of an exchange.

        Raises:
            NotFound: it has gone since.
            NotAllowed: it is not visible in this scope.
        """
        result = await self._app.service.choose(exchange_id, person, index, scope)
        exchange = await self._app.journal.exchange(exchange_id)
        if exchange is None:
            raise NotFound("This answer is not known any more.")
        return chosen_card(
            exchange,
            index,
            result,
            link=self._app.library.link,
            settings=self._app.settings.cards,
            now=self._app.clock.now(),
        )

    async def similar(self, question: Question) -> Card:
        """Find past incidents."""
        return similar_card(
            await self._app.service.similar(question),
            link=self._app.library.link,
            settings=self._app.settings.cards,
            now=self._app.clock.now(),
        )

    async def runbooks(self, tenant: str, scope: Scope) -> Card:
        """List what can be seen."""
        return runbooks_card(await self._app.service.runbooks(tenant, scope))

    async def status(self, tenant: str, sources: Collection[str] | None) -> Card:
        """Say what is indexed and running, as far as it concerns a tenant with these sources.

        Without a word of `sources` (None) all are theirs.
        """
        library = self._app.library
        found = await status_of(self._app.settings, library.folder.root, library.lagging)
        return status_card(for_tenant(found, tenant, sources))

    def report(self, report: IndexReport) -> Card:
        """Say what an indexing run changed."""
        return index_card(report)


def failure_card(error: NightlampError, reference: str) -> Card:
    """Log a failure with its traceback, and word it with the reference by which it is found."""
    log.error("failed, reference %s", reference, exc_info=error)
    return error_card(error, reference)
