"""What gaps, digests and their closing need from the journal, as a Protocol of its own."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from core.exchanges import Person
from core.journal_port import Journal
from core.models import Vector
from feedback.models import Evidence, GapRecord, GapStatus, SectionRef


class GapJournal(Protocol):
    """Remembers gaps and what was said about them. The same object as the core's Journal.

    Every method raises JournalUnavailable when nothing could be saved or read, and NotFound when
    the gap that it is about is not there.
    """

    async def evidence(self, tenant: str, since: datetime, until: datetime) -> Evidence:
        """Return everything of a tenant that was asked in [since, until), and how it went down.

        Those by which askers were told of a new answer are there too (`Exchange.told`).
        """
        ...

    async def gap_records(self, tenant: str) -> list[GapRecord]:
        """Return all gaps that were ever named, oldest first."""
        ...

    async def gap_record(self, gap_id: str) -> GapRecord | None:
        """Return one gap; case and a missing dash in what was typed do not matter."""
        ...

    async def assign(self, tenant: str, members: Mapping[str, Sequence[str]], at: datetime) -> None:
        """Name gaps and add exchanges to them, in one transaction.

        `members` are new exchange ids by gap id; an exchange that belongs to a gap already stays.
        """
        ...

    async def decide(
        self,
        gap_id: str,
        status: GapStatus,
        *,
        by: Person | None,
        at: datetime,
        until: datetime | None = None,
        section: SectionRef | None = None,
        build: str = "",
    ) -> bool:
        """Record what was decided on a gap; False if it stands so already."""
        ...

    async def claim_digest(self, tenant: str, schedule: str, period: str, at: datetime) -> bool:
        """Claim one posting, durably; False if it was claimed before.

        `schedule` names the cron line and its channels, `period` the instant it was due (ISO, UTC).
        """
        ...

    async def digest_done(
        self, tenant: str, schedule: str, period: str, outcome: str, at: datetime
    ) -> None:
        """Record how a claimed posting ended: `posted`, or one word for why not."""
        ...

    async def last_digest(self, tenant: str, schedule: str) -> tuple[str, str] | None:
        """Return period and outcome of the newest claim; its outcome is empty while it runs."""
        ...

    async def claim_notice(self, gap_id: str, person: Person, build: str, at: datetime) -> bool:
        """Claim telling a person that a gap was closed; False if told before or opted out."""
        ...

    async def set_notices(self, person: Person, *, wanted: bool, at: datetime) -> None:
        """Opt out of being told about closed gaps, or in again."""
        ...

    async def vectors(self, exchange_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Return the questions' vectors that there are."""
        ...


class WholeJournal(Journal, GapJournal, Protocol):
    """Both halves: what the SQLite journal is."""
