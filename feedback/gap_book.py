"""The verbs about gaps: what every channel and the command line call.

Who may do what: anybody may own a gap, since that promises work and hides nothing. To name the
section that answers takes the owner or an admin; to snooze, to dismiss and to open again, an admin.
A gap of another tenant is not there.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from core.errors import NotAllowed, UsageError
from core.exchanges import Person
from core.models import Scope
from feedback.closing import reference
from feedback.gap_reports import GapReports
from feedback.models import GapRecord, GapStatus
from feedback.places import section_named
from feedback.reopening import SETTLED

LONGEST_SNOOZE = 365
"""Days: whoever wants it longer means that it is none."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts on gaps: a person, in a tenant, seeing what their place sees."""

    person: Person
    tenant: str
    scope: Scope = field(default_factory=Scope)
    admin: bool = False


class GapBook(GapReports):
    """Reports and lists gaps, and acts on them. Each verb returns the gap as it stands afterwards.

    All raise NotFound for a gap that the tenant does not have, NotAllowed for what this person may
    not do, and JournalUnavailable when nothing was saved; doing something twice is doing it once.
    """

    async def own(self, gap_id: str, actor: Actor) -> GapRecord:
        """Take a gap on; from whoever had it before."""
        record = await self.gap(gap_id, actor.tenant)
        if record.status in SETTLED:
            raise NotAllowed(f"{record.id} is answered already: an admin can open it again.")
        return await self._decide(record, GapStatus.OWNED, actor)

    async def snooze(self, gap_id: str, actor: Actor, days: int) -> GapRecord:
        """Leave a gap out of digests for some days.

        Raises:
            UsageError: fewer than one day, or more than a year.
        """
        if not 1 <= days <= LONGEST_SNOOZE:
            raise UsageError(f"A gap is snoozed for 1 to {LONGEST_SNOOZE} days.")
        record = await self._for_admins(gap_id, actor)
        until = self._clock.now() + timedelta(days=days)
        return await self._decide(record, GapStatus.SNOOZED, actor, until=until)

    async def dismiss(self, gap_id: str, actor: Actor) -> GapRecord:
        """Say that this is no gap."""
        return await self._decide(await self._for_admins(gap_id, actor), GapStatus.DISMISSED, actor)

    async def reopen(self, gap_id: str, actor: Actor) -> GapRecord:
        """Open a gap again, whatever was decided on it."""
        return await self._decide(await self._for_admins(gap_id, actor), GapStatus.OPEN, actor)

    async def done(self, gap_id: str, actor: Actor, section: str) -> GapRecord:
        """Say which section answers a gap: a link, `path#anchor` or a section's id.

        Raises:
            NotFound: no section that the actor's place sees is named so.
            IndexUnavailable: the index cannot be reached.
        """
        record = await self.gap(gap_id, actor.tenant)
        if not (actor.admin or record.owner == actor.person):
            raise NotAllowed(f"Only its owner or an admin can say what answers {record.id}.")
        found = await section_named(self._index, actor.tenant, actor.scope, section)
        now = self._clock.now()
        await self._journal.decide(
            record.id, GapStatus.DONE, by=actor.person, at=now, section=reference(found)
        )
        return await self.gap(record.id, actor.tenant)

    # --- inside ---------------------------------------------------------------------------------

    async def _for_admins(self, gap_id: str, actor: Actor) -> GapRecord:
        record = await self.gap(gap_id, actor.tenant)
        if not actor.admin:
            raise NotAllowed(f"Only an admin can decide that about {record.id}.")
        return record

    async def _decide(
        self, record: GapRecord, status: GapStatus, actor: Actor, until: datetime | None = None
    ) -> GapRecord:
        now = self._clock.now()
        await self._journal.decide(record.id, status, by=actor.person, at=now, until=until)
        return await self.gap(record.id, actor.tenant)
