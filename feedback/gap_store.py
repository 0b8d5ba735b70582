"""The journal's half that gaps, digests and notices are kept in: a GapJournal over SQLite."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlite_utils import Database

from core.errors import NotFound
from core.exchanges import Person
from core.models import Vector
from feedback import gap_queries
from feedback.database import change, insert_new
from feedback.forgotten import is_forgotten
from feedback.gap_rows import (
    Decision,
    change_row,
    decided,
    decision_row,
    new_gap_row,
    stands,
)
from feedback.models import Evidence, GapRecord, GapStatus, SectionRef
from feedback.rows import instant, person_key, storable
from feedback.worker import JournalWorker

_IS_PERSON = "platform = :platform and user_id = :user_id"


class GapStore(JournalWorker):
    """Remembers gaps, what was decided on them, digests and who was told."""

    # --- gaps -----------------------------------------------------------------------------------

    async def evidence(self, tenant: str, since: datetime, until: datetime) -> Evidence:
        """Return everything of a tenant that was asked in [since, until), and how it went down.

        The exchanges come without messages and vectors (see `vectors`), and those that were
        answered with their first result alone, unless somebody looked at another.
        """
        window = storable({"tenant": tenant, "since": instant(since), "until": instant(until)})
        return await self._read_aside(lambda db: gap_queries.evidence(db, window))

    async def vectors(self, exchange_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Return the questions' vectors that there are."""
        ids = tuple(exchange_ids)
        return await self._read_aside(lambda db: gap_queries.vectors(db, ids))

    async def gap_records(self, tenant: str) -> list[GapRecord]:
        """Return all gaps that were ever named, oldest first."""
        return await self._read_aside(lambda db: gap_queries.records(db, tenant))

    async def gap_record(self, gap_id: str) -> GapRecord | None:
        """Return one gap; case, dash and spaces in what was typed do not matter."""
        name = _name(gap_id)
        return await self._run(lambda db: gap_queries.record(db, name))

    async def assign(self, tenant: str, members: Mapping[str, Sequence[str]], at: datetime) -> None:
        """Name gaps and add exchanges to them, in one transaction.

        An exchange that belongs to a gap already stays in it.

        Raises:
            NotFound: one of the exchanges is not there; nothing was saved.
        """
        rows = [new_gap_row(gap_id, tenant, at) for gap_id in members]
        added = [
            storable({"exchange_id": exchange_id, "gap_id": gap_id})
            for gap_id, exchange_ids in members.items()
            for exchange_id in exchange_ids
        ]

        def write(db: Database) -> None:
            for row in rows:
                insert_new(db, "gaps", row)
            for row in added:
                insert_new(db, "gap_exchanges", row)

        await self._write(write)

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
        """Record what was decided on a gap, and in its history; False if it stands so already.

        Raises:
            NotFound: there is no such gap.
        """
        decision = Decision(status, by, at, until, section, build)
        name = _name(gap_id)

        def write(db: Database) -> bool:
            row = gap_queries.known_gap(db, name)
            after = decided(row, decision)
            if stands(row, after):
                return False
            change(db, "gaps", {"id": row["id"]}, after | change_row(decision))
            insert_new(db, "gap_decisions", decision_row(row["id"], decision))
            return True

        return await self._write(write)

    # --- digests --------------------------------------------------------------------------------

    async def claim_digest(self, tenant: str, schedule: str, period: str, at: datetime) -> bool:
        """Claim one posting, durably; False if it was claimed before, by whatever process."""
        row = _posting(tenant, schedule, period) | {"claimed_at": instant(at), "outcome": ""}
        return await self._write(lambda db: insert_new(db, "digests", row))

    async def digest_done(
        self, tenant: str, schedule: str, period: str, outcome: str, at: datetime
    ) -> None:
        """Record how a claimed posting ended.

        Raises:
            NotFound: it was never claimed.
        """
        ended = storable({"outcome": outcome, "done_at": instant(at)})
        key = _posting(tenant, schedule, period)
        if not await self._write(lambda db: change(db, "digests", key, ended)):
            raise NotFound("This digest was never begun: post it again.")

    async def last_digest(self, tenant: str, schedule: str) -> tuple[str, str] | None:
        """Return period and outcome of the newest claim; its outcome is empty while it runs."""
        sql = """
            select period, outcome from digests
            where tenant = :tenant and schedule = :schedule order by period desc limit 1
        """
        key = storable({"tenant": tenant, "schedule": schedule})
        row = await self._run(lambda db: db.execute(sql, key).fetchone())
        return None if row is None else (row[0], row[1])

    # --- notices --------------------------------------------------------------------------------

    async def claim_notice(self, gap_id: str, person: Person, build: str, at: datetime) -> bool:
        """Claim telling a person that a build closed a gap, durably.

        False if this was claimed before by whatever process, or the person opted out or was
        forgotten.

        Raises:
            NotFound: there is no such gap.
        """
        name = _name(gap_id)
        notice = storable({"build": build, "at": instant(at)}) | person_key(person)

        def write(db: Database) -> bool:
            gap = gap_queries.known_gap(db, name)
            return _wanted(db, person) and insert_new(db, "notices", {"gap_id": gap["id"]} | notice)

        return await self._write(write)

    async def set_notices(self, person: Person, *, wanted: bool, at: datetime) -> None:
        """Opt out of being told about closed gaps, or in again."""
        key = person_key(person)
        if wanted:
            sql = f"delete from notice_optouts where {_IS_PERSON}"  # noqa: S608 - ours
            await self._write(lambda db: db.execute(sql, key))
        else:
            row = key | {"at": instant(at)}
            await self._write(lambda db: insert_new(db, "notice_optouts", row))


def _wanted(db: Database, person: Person) -> bool:
    out = db.table("notice_optouts").count_where(_IS_PERSON, person_key(person))
    return not out and not is_forgotten(person)


def _name(typed: str) -> str:
    name: str = storable({"name": typed})["name"]
    return name


def _posting(tenant: str, schedule: str, period: str) -> dict[str, str]:
    return storable({"tenant": tenant, "schedule": schedule, "period": period})
