"""The journal's part in which written answers are kept: a core Writings over SQLite."""

from datetime import datetime

from sqlite_utils import Database

from core.exchanges import Person
from core.written import Spent, Writing, WritingOutcome
from feedback.database import insert_new
from feedback.rows import exchange_key, instant, person_key
from feedback.worker import JournalWorker
from feedback.writing_rows import spent_from, writing_from, writing_row

_IS_EXCHANGE = "exchange_id = :exchange_id"
_IS_PERSON = "platform = :platform and user_id = :user_id"
_SPENT = """
    select
        count(*) as answers,
        sum(writings.outcome = 'shown') as shown,
        sum(writings.outcome = 'failed') as failed,
        sum(tokens_in) as tokens_in,
        sum(tokens_out) as tokens_out,
        sum(writings.ms) as ms
    from writings join exchanges on exchanges.id = writings.exchange_id
    where at >= :since and writings.outcome not in ('budget', 'breaker')
"""


class WritingStore(JournalWorker):
    """Remembers what was asked of the language model."""

    async def claim_writing(self, exchange_id: str, at: datetime) -> bool:
        """Begin the one writing that an exchange has; False if it was begun before."""
        row = writing_row(Writing(exchange_id, at, WritingOutcome.STARTED))
        return await self._write(lambda db: insert_new(db, "writings", row))

    async def record_writing(self, writing: Writing) -> None:
        """Record how a writing ended, in the place of what was known of it."""
        row = writing_row(writing)
        await self._write(lambda db: db.table("writings").upsert(row))

    async def writing(self, exchange_id: str) -> Writing | None:
        """Return the writing of an exchange."""

        def read(db: Database) -> Writing | None:
            rows = db.table("writings").rows_where(_IS_EXCHANGE, exchange_key(exchange_id))
            return next((writing_from(row) for row in rows), None)

        return await self._run(read)

    async def last_writings(self, limit: int) -> list[Writing]:
        """Return what was begun last, newest first."""

        def read(db: Database) -> list[Writing]:
            rows = db.table("writings").rows_where(order_by="at desc, rowid desc", limit=limit)
            return [writing_from(row) for row in rows]

        return await self._run(read)

    async def spent(self, since: datetime, person: Person | None = None) -> Spent:
        """Return what was spent on writings begun since then, of one person or of all."""
        sql, values = _SPENT, {"since": instant(since)}
        if person is not None:
            sql, values = f"{_SPENT} and {_IS_PERSON}", values | person_key(person)
        return await self._run(lambda db: spent_from(next(db.query(sql, values))))

    async def chosen(self, exchange_id: str) -> bool:
        """Return whether somebody has picked another result of an exchange."""
        key = exchange_key(exchange_id)
        return await self._run(lambda db: db.table("choices").count_where(_IS_EXCHANGE, key) > 0)
