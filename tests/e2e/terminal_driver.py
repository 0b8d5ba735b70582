"""A terminal for people to meet at: calls the service as an adapter would, and keeps a screen.

A terminal has no reactions, buttons or threads. This driver has, so that every scenario runs over
the real app before there is any chat platform.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from bots.app import App
from bots.card import ButtonKind, Card
from bots.cards import chosen_card, error_card, outcome_card, similar_card
from bots.report_cards import runbooks_card
from core.errors import NightlampError
from core.exchanges import MessageRef, Person, Reason, ReasonKind, Thumb
from core.models import Platform, Question, Vote, Where
from core.reports import IndexOptions
from core.service import Reply
from tests.e2e.chat import ChatDriver, Shown
from tests.e2e.terminal_screen import Posted, posted, seen, somebody
from tests.e2e.world import OPS, Place, World


@asynccontextmanager
async def open_terminal(world: World) -> AsyncIterator[ChatDriver]:
    """Start the app, and a screen that outlives its restarts."""
    terminal = TerminalDriver(world)
    await terminal.start()
    try:
        yield terminal
    finally:
        await terminal.stop()


class TerminalDriver:
    """A ChatDriver on the service itself."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._running = AsyncExitStack()
        self._screen: list[Posted] = []
        self._numbers = 0
        self._called = 0

    @property
    def world(self) -> World:
        return self._world

    async def start(self) -> None:
        """Start the app, and answer what was left unanswered."""
        opened = self._world.open_app(self._world.settings())
        self._app: App = await self._running.enter_async_context(opened)
        for waiting in await self._app.service.unanswered():
            await self._answer(waiting.id, waiting.question)

    async def stop(self) -> None:
        """Stop the app; what is on the screen stays there."""
        await self._running.aclose()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    # --- asking ---------------------------------------------------------------------------------

    async def ask(
        self,
        person: str,
        text: str,
        place: Place = OPS,
        *,
        private: bool = False,
        deliveries: int = 1,
    ) -> Shown:
        question = self._question(person, text, self._new(place, private=private), place)
        replies = [await self._deliver(question) for _ in range(deliveries)]
        return next(reply for reply in replies if reply is not None)

    async def ask_and_crash(self, person: str, text: str, place: Place = OPS) -> None:
        question = self._question(person, text, self._new(place), place)
        await self._app.service.received(question)
        await self.stop()

    async def follow_up(self, person: str, text: str, after: Shown) -> Shown | None:
        before = posted(after)
        thread = await self._app.service.listens(before.where, person)
        if thread is None:
            return None
        question = self._question(person, text, before.where, before.place)
        return await self._deliver(replace(question, follows=thread.exchange_id))

    async def mute(self, person: str, thread: Shown, *, muted: bool = True) -> None:
        await self._app.service.mute(posted(thread).where, somebody(person), muted=muted)

    async def similar(self, person: str, text: str, place: Place = OPS) -> Shown:
        where = self._new(place)
        found = await self._app.service.similar(self._question(person, text, where, place))
        card = similar_card(
            found,
            link=self._app.library.link,
            settings=self._app.settings.cards,
            now=self._world.clock.now(),
        )
        return self._put(Posted(where, card, seen(card), []))

    async def runbooks(self, person: str, place: Place = OPS) -> Shown:
        card = runbooks_card(await self._app.service.runbooks(place.tenant, place.scope))
        return self._put(Posted(self._new(place), card, seen(card), []))

    async def _deliver(self, question: Question) -> Shown | None:
        exchange_id = await self._app.service.received(question)
        return None if exchange_id is None else await self._answer(exchange_id, question)

    async def _answer(self, exchange_id: str, question: Question) -> Shown:
        try:
            card = self._card(await self._app.service.ask(exchange_id, question))
        except NightlampError as error:
            card = error_card(error, exchange_id)
        return await self._post(exchange_id, card, question.where, question.asked_by)

    def _card(self, reply: Reply) -> Card:
        return outcome_card(
            reply,
            link=self._app.library.link,
            settings=self._app.settings.cards,
            now=self._world.clock.now(),
        )

    # --- what people do with an answer ----------------------------------------------------------

    async def press(
        self, person: str, shown: Shown, button: ButtonKind, **fields: str
    ) -> Shown | None:
        try:
            return await self._pressed(somebody(person), posted(shown), button, fields)
        except NightlampError as error:
            return self._refusal(person, error)

    async def _pressed(
        self, person: Person, on: Posted, button: ButtonKind, fields: Mapping[str, str]
    ) -> Shown | None:
        service, exchange_id = self._app.service, on.shown.exchange_id
        match button:
            case ButtonKind.UP | ButtonKind.DOWN:
                vote = Vote.UP if button is ButtonKind.UP else Vote.DOWN
                thumb = Thumb(person, vote, True, self._tick(), on.messages[0], exchange_id)
                await service.vote(thumb)
            case ButtonKind.TELL_WHY:
                kind = ReasonKind(fields["kind"])
                await service.reason(
                    Reason(exchange_id, person, kind, fields["text"], self._tick())
                )
            case ButtonKind.LOG_GAP:
                await service.log_gap(exchange_id, person)
            case ButtonKind.ASK_HUMAN:
                self._called += await service.escalate(exchange_id, person)
            case ButtonKind.SHARE:
                return await self._shared(exchange_id, person, on)
            case ButtonKind.DELETE:
                gone = await service.delete(exchange_id, person)
                self._screen = [one for one in self._screen if set(gone).isdisjoint(one.messages)]
        return None

    async def _shared(self, exchange_id: str, person: Person, on: Posted) -> Shown | None:
        where = self._new(on.place)
        reply = await self._app.service.share(exchange_id, person, where, on.place.scope)
        if reply is None:
            return None
        return await self._post(reply.exchange_id, self._card(reply), where, person.user_id)

    async def choose(self, person: str, shown: Shown, index: int) -> Shown:
        on, service = posted(shown), self._app.service
        pick = on.card.picks[index].index
        try:
            result = await service.choose(shown.exchange_id, somebody(person), pick, on.place.scope)
        except NightlampError as error:
            return self._refusal(person, error)
        exchange = await self._app.journal.exchange(shown.exchange_id)
        assert exchange is not None
        card = chosen_card(
            exchange,
            pick,
            result,
            link=self._app.library.link,
            settings=self._app.settings.cards,
            now=self._world.clock.now(),
        )
        on.card, on.shown = card, seen(card, shown.exchange_id, shown.only_for)
        return self._handed(on)

    async def react(self, person: str, shown: Shown, vote: Vote, *, part: int = 0) -> None:
        await self._thumb(person, shown, vote, part, added=True)

    async def unreact(self, person: str, shown: Shown, vote: Vote, *, part: int = 0) -> None:
        await self._thumb(person, shown, vote, part, added=False)

    async def _thumb(
        self, person: str, shown: Shown, vote: Vote, part: int, *, added: bool
    ) -> None:
        message = posted(shown).messages[part]
        await self._app.service.vote(Thumb(somebody(person), vote, added, self._tick(), message))

    async def resolve(self, person: str, shown: Shown, note: str) -> bool:
        return await self._app.service.resolve(shown.exchange_id, somebody(person), note)

    # --- looking --------------------------------------------------------------------------------

    async def messages(self, place: Place) -> list[Shown]:
        return [
            self._handed(one)
            for one in self._screen
            if one.place == place and not one.shown.only_for
        ]

    async def votes(self, shown: Shown) -> Mapping[str, Vote]:
        found = await self._app.journal.votes(shown.exchange_id)
        return {person.user_id: vote for person, vote in found.items()}

    async def counts(self) -> Mapping[str, int]:
        return await self._app.journal.counts()

    def calls(self) -> int:
        return self._called

    # --- the app --------------------------------------------------------------------------------

    async def reindex(self) -> None:
        await self._app.library.indexer.run(IndexOptions())

    async def break_index(self) -> None:
        await self._app.library.index.aclose()

    # --- the screen -----------------------------------------------------------------------------

    async def _post(self, exchange_id: str, card: Card, where: Where, asker: str) -> Shown:
        only_for = asker if where.private else ""
        shown = seen(card, exchange_id, only_for)
        names = [f"message-{self._next()}" for _ in range(shown.parts)]
        messages = [MessageRef(Platform.TERMINAL, where.channel_id, name) for name in names]
        for number, message in enumerate(messages):
            await self._app.service.posted(exchange_id, message, number)
        return self._put(Posted(where, card, shown, messages))

    def _put(self, new: Posted) -> Shown:
        self._screen.append(new)
        return self._handed(new)

    @staticmethod
    def _handed(one: Posted) -> Shown:
        return replace(one.shown, handle=one)

    def _refusal(self, person: str, error: NightlampError) -> Shown:
        return seen(error_card(error, f"press-{self._next()}"), only_for=person)

    def _question(self, person: str, text: str, where: Where, place: Place) -> Question:
        return Question(
            text=text,
            tenant=place.tenant,
            asked_by=person,
            asked_at=self._world.clock.now(),
            where=where,
            scope=place.scope,
            event_id=f"event-{self._next()}",
        )

    def _new(self, place: Place, *, private: bool = False) -> Where:
        """Return a new thread of a place; what is private is in none."""
        thread = "" if private else f"thread-{self._next()}"
        return Where(Platform.TERMINAL, place.name, thread, private)

    def _tick(self) -> datetime:
        """Return a later time than before: no two people press at once."""
        self._world.clock.advance(timedelta(milliseconds=1))
        return self._world.clock.now()

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers
