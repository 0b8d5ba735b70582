"""What comes in is written down before Slack is told that it arrived.

Where the journal does not answer in time, an event is left unacknowledged, so that Slack sends it
again, and whoever typed a command is told to try again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bots.app import App
from bots.card import Card
from bots.limits import Limits
from bots.notes import limited_card, muted_card, switched_off_card, unmapped_card
from bots.slack_bot.answers import Answers, Asked, is_direct
from bots.slack_bot.events import (
    Said,
    Typed,
    kind_in,
    person,
    place,
    said_in,
    shortcut_in,
    team_of,
    thumb_in,
    typed_in,
)
from bots.slack_bot.posting import Reader
from bots.slack_bot.tasks import Tasks
from bots.slack_bot.workspaces import Workspaces
from core.errors import JournalUnavailable
from core.models import Platform, Question, Where

QUERY, SHORTCUT = "/query", "find_runbook"
NOT_SAVED = "This was not saved. Please try again."
PRIVATE = ("--private", "—private")
"""How `private` is typed: phones make one dash of two."""
_TYPED, _SHARED = "typed ", "share "
_MUTES = {"mute": True, "unmute": False}

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Told:
    """Nothing to be searched: what to say instead, and to whom."""

    reader: Reader
    card: Card


class Reception:
    """Reads payloads, and saves what must not be lost."""

    def __init__(
        self,
        app: App,
        workspaces: Workspaces,
        answers: Answers,
        tasks: Tasks,
        *,
        bot_user: str,
        seconds: float,
    ) -> None:
        self._app = app
        self._workspaces = workspaces
        self._answers = answers
        self._tasks = tasks
        self._bot_user = bot_user
        self._seconds = seconds
        limits = app.settings.limits
        self._limits = Limits(
            app.clock, per_person=limits.per_person, per_channel=limits.per_channel
        )

    async def middleware(
        self,
        body: dict[str, Any],
        context: dict[str, Any],
        request: AsyncBoltRequest,
        next: Callable[[], Awaitable[None]],  # noqa: A002 - Bolt hands it over by this name
    ) -> BoltResponse | None:
        """Save what was asked or thought, then let the listeners have it."""
        if kind := kind_in(body):
            self._workspaces.learn(*kind)
        try:
            context["receipt"] = await self._received(body, retried=_is_retry(request))
        except JournalUnavailable:
            if body.get("type") == "event_callback":
                return BoltResponse(status=503, body="not saved")
            said = {"response_type": "ephemeral", "text": NOT_SAVED}
            return BoltResponse(status=200, body=said if "command" in body else "")
        await next()
        return None

    async def saved(
        self,
        save: Coroutine[Any, Any, Value],
        late: Callable[[Value], Coroutine[Any, Any, None]] | None = None,
    ) -> Value:
        """Return what was saved in time; what is saved later is handed to `late`.

        Raises:
            JournalUnavailable: it was not saved, or not within the time that Slack waits.
        """
        task = self._tasks.start(save)
        done, _ = await asyncio.wait({task}, timeout=self._seconds)
        if done:
            return task.result()

        def came(_: object) -> None:
            if late and not task.cancelled() and not task.exception():
                self._tasks.start(late(task.result()))

        task.add_done_callback(came)
        raise JournalUnavailable("The journal did not answer in time.")

    def allowed(self, user: str, channel: str, response_url: str = "") -> Told | None:
        """Count a question; what to say where too many were asked."""
        where = place(channel)
        wait = self._limits.take(person(user), where)
        return Told(Reader(user, channel, "", response_url), limited_card(wait)) if wait else None

    def turned_away(self, team: str, channel: str, user: str, url: str) -> Told | None:
        """Return what to say where nothing is to be asked: nobody's place, or switched off."""
        reader = Reader(user, channel, "", url)
        if self._workspaces.tenant(team) is None:
            return Told(reader, unmapped_card(Platform.SLACK, team))
        if self._workspaces.room(channel).mode == "off":
            return Told(reader, switched_off_card())
        return None

    # --- inside ---------------------------------------------------------------------------------

    async def _received(self, body: dict[str, Any], *, retried: bool) -> Asked | Told | None:
        if body.get("type") == "event_callback":
            return await self._event(body, retried=retried)
        if body.get("command") == QUERY:
            return await self._typed(typed_in(body), shortcut=False)
        if body.get("type") == "message_action" and body.get("callback_id") == SHORTCUT:
            return await self._typed(shortcut_in(body, self._bot_user), shortcut=True)
        return None

    async def _event(self, body: dict[str, Any], *, retried: bool) -> Asked | Told | None:
        kind = body["event"].get("type")
        if kind in {"reaction_added", "reaction_removed"}:
            thumb = thumb_in(body["event"])
            if thumb and self._workspaces.tenant(team_of(body)):
                await self.saved(self._app.service.vote(thumb))
            return None
        if kind not in {"message", "app_mention"}:
            return None
        said = said_in(body, self._bot_user)
        return await self._said(said, retried=retried) if said else None

    async def _said(self, said: Said, *, retried: bool) -> Asked | Told | None:
        channel = self._workspaces.room(said.channel)
        if channel.mode != "mention" or not (said.mention or said.direct or said.thread):
            return None
        if away := self.turned_away(said.team, said.channel, said.user, ""):
            return away if said.mention or said.direct else None
        where = self._where(said)
        if said.mention and said.text.casefold() in _MUTES:
            return await self._muted(said, muted=_MUTES[said.text.casefold()])
        follows = await self.saved(self._follows(said))
        if follows is None:
            return None
        if not retried and (told := self.allowed(said.user, said.channel)):
            return told
        question = self._question(
            said.team, said.user, said.text, where, said.event_id, follows or None
        )
        return await self._asked(question, again=True)

    async def _follows(self, said: Said) -> str | None:
        """Return the exchange that is followed up, "" for none; None where nothing was asked."""
        if not said.thread:
            return ""
        where = place(said.channel, said.thread, private=said.direct)
        if said.mention:
            thread = await self._app.journal.thread(where)
        else:
            thread = await self._app.service.listens(where, said.user)
            if thread is None:
                return "" if said.direct and not await self._app.journal.muted(where) else None
        return thread.exchange_id if thread else ""

    async def _muted(self, said: Said, *, muted: bool) -> Told:
        where = place(said.channel, said.thread)
        await self.saved(self._app.service.mute(where, person(said.user), muted=muted))
        reader = Reader(said.user, said.channel, said.thread)
        return Told(reader, muted_card(muted=muted, thread=bool(said.thread)))

    async def _typed(self, typed: Typed, *, shortcut: bool) -> Asked | Told | None:
        url = typed.response_url
        away = self.turned_away(typed.team, typed.channel, typed.user, url)
        if told := away or self.allowed(typed.user, typed.channel, url):
            return told
        text, private = split_private(typed.text)
        alone = self._workspaces.room(typed.channel).answers == "private"
        where = place(
            typed.channel, private=shortcut or private or alone or is_direct(typed.channel)
        )
        question = self._question(typed.team, typed.user, text, where, f"{_TYPED}{typed.trigger}")
        return await self._asked(question, url=url, again=False)

    async def _asked(self, question: Question, *, again: bool, url: str = "") -> Asked | None:
        """Write the exchange down; None if it was before.

        One that is written down too late is answered then, as nobody was told otherwise (`again`),
        or taken back, as its asker was told to try again.
        """
        typed = not again

        async def late(exchange_id: str | None) -> None:
            if exchange_id is None:
                return
            asked = Asked(exchange_id, question, url, typed)
            if again:
                self._answers.start(asked)
            else:
                await self._answers.forget(asked)

        exchange_id = await self.saved(self._app.service.received(question), late)
        return None if exchange_id is None else Asked(exchange_id, question, url, typed)

    def _where(self, said: Said) -> Where:
        """Return where the answer goes: by the channel's settings, and never out of a thread."""
        answers = self._workspaces.room(said.channel).answers
        thread = said.thread or (said.ts if answers == "thread" and not said.direct else "")
        return place(said.channel, thread, private=said.direct or answers == "private")

    def _question(
        self,
        team: str,
        user: str,
        text: str,
        where: Where,
        event_id: str,
        follows: str | None = None,
    ) -> Question:
        tenant = self._workspaces.tenant(team)
        return Question(
            text=text[: self._app.settings.limits.question_chars],
            tenant=tenant.name if tenant else "",
            asked_by=user,
            asked_at=self._app.clock.now(),
            where=where,
            scope=self._workspaces.room(where.channel_id).scope,
            follows=follows,
            event_id=event_id,
        )


def _is_retry(request: AsyncBoltRequest) -> bool:
    return request.headers.get("x-slack-retry-num", ["0"]) != ["0"]


def was_typed(question: Question) -> bool:
    """Return whether others could not see a question being asked, so that its answer repeats it."""
    return question.event_id.startswith((_TYPED, _SHARED))


def split_private(text: str) -> tuple[str, bool]:
    """Return a question without the word that asks for a private answer, and whether it did."""
    words = text.split()
    if words and words[-1].casefold() in PRIVATE:
        return text.rstrip()[: -len(words[-1])].rstrip(), True
    return text, False
