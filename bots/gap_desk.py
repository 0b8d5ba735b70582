"""What people do with gaps in a chat, to what answers it: the same on every platform."""

from dataclasses import dataclass
from typing import assert_never

from bots.app import App
from bots.card import Card, GapAction
from bots.digest_making import Wording
from bots.gap_cards import decided_card, drafted_card
from bots.gap_pages import draft_page
from bots.gap_words import SNOOZED, Deed, Look, days_of, read_wish
from core.errors import UsageError
from feedback.gap_book import Actor
from feedback.gap_filter import GapFilter
from feedback.models import GapRecord

MOST = 10
"""Gaps in one list: what a message holds."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that is handed to one person."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Said:
    """An answer: its card and, where there is one, a file for whoever asked alone."""

    card: Card
    file: NamedFile | None = None


class GapDesk:
    """Calls the verbs about gaps and words what comes of them. Knows no platform.

    Everything is in the actor's tenant and for what their place sees. All raise NotFound for a gap
    or section that is not there, NotAllowed for what the actor may not do, UsageError for what
    cannot be read, and JournalUnavailable when nothing was saved.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def command(self, typed: str, actor: Actor) -> Said:
        """Do what was typed after `/gaps`: list gaps, act on one, or draft its page."""
        match read_wish(typed, actor.person):
            case Look() as look:
                return Said(await self._listed(look, actor))
            case Deed("draft", gap_id):
                return await self._drafted(gap_id, actor)
            case Deed() as deed:
                return Said(decided_card(await self._done(deed, actor)))

    async def one(self, gap_id: str, actor: Actor) -> Card:
        """Show one gap with its buttons, however it stands."""
        visibility = actor.scope.visibility
        story = await self._app.gaps.story(gap_id, actor.tenant, visibility)
        return await self._wording.gap(story.gap, visibility)

    async def act(
        self, action: GapAction, gap_id: str, actor: Actor, *, section: str = ""
    ) -> GapRecord:
        """Do what a button says; `section` is what was typed as the one that answers."""
        book = self._app.gaps
        match action:
            case GapAction.OWN:
                return await book.own(gap_id, actor)
            case GapAction.SNOOZE:
                return await book.snooze(gap_id, actor, SNOOZED)
            case GapAction.DISMISS:
                return await book.dismiss(gap_id, actor)
            case GapAction.DONE:
                return await book.done(gap_id, actor, section)
            case _:
                assert_never(action)

    # --- inside ---------------------------------------------------------------------------------

    @property
    def _wording(self) -> Wording:
        return Wording(self._app.library.index, self._app.library.link)

    async def _listed(self, look: Look, actor: Actor) -> Card:
        until = self._app.clock.now()
        report = await self._app.gaps.listing(
            actor.tenant, until - look.window, until, actor.scope.visibility, look.narrowed
        )
        narrowed = look.narrowed != GapFilter()
        return await self._wording.gaps(report, MOST, narrowed=narrowed)

    async def _done(self, deed: Deed, actor: Actor) -> GapRecord:
        book = self._app.gaps
        match deed.verb:
            case "own":
                return await book.own(deed.gap_id, actor)
            case "snooze":
                return await book.snooze(deed.gap_id, actor, days_of(deed.about))
            case "dismiss":
                return await book.dismiss(deed.gap_id, actor)
            case "reopen":
                return await book.reopen(deed.gap_id, actor)
            case "done" if deed.about:
                return await book.done(deed.gap_id, actor, deed.about)
            case _:
                raise UsageError(f"Say what answers it, such as: done {deed.gap_id} disk.md#grow.")

    async def _drafted(self, gap_id: str, actor: Actor) -> Said:
        page = await draft_page(self._app, gap_id, actor.tenant, actor.scope.visibility)
        record = await self._app.gaps.gap(gap_id, actor.tenant)
        return Said(
            drafted_card(record, found=page.found), NamedFile(page.name, page.text.encode())
        )
