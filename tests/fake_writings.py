"""The part of the fake journal that keeps written answers."""

from datetime import datetime

from core.exchanges import Choice, Exchange, Person
from core.written import Spent, Writing, WritingOutcome

_NOT_ASKED = {WritingOutcome.BUDGET, WritingOutcome.BREAKER}


class FakeWritings:
    """A Writings in a dictionary, for a journal that knows exchanges and choices."""

    exchanges: dict[str, Exchange]
    choices: dict[Choice, None]
    writings: dict[str, Writing]

    def _reach(self) -> None:
        raise NotImplementedError

    def _known(self, exchange_id: str) -> Exchange:
        raise NotImplementedError

    async def claim_writing(self, exchange_id: str, at: datetime) -> bool:
        self._known(exchange_id)
        begun = exchange_id in self.writings
        self.writings.setdefault(exchange_id, Writing(exchange_id, at, WritingOutcome.STARTED))
        return not begun

    async def record_writing(self, writing: Writing) -> None:
        self._known(writing.exchange_id)
        self.writings[writing.exchange_id] = writing

    async def writing(self, exchange_id: str) -> Writing | None:
        self._reach()
        return self.writings.get(exchange_id)

    async def last_writings(self, limit: int) -> list[Writing]:
        self._reach()
        newest_first = [*reversed(self.writings.values())]
        return sorted(newest_first, key=lambda one: one.at, reverse=True)[:limit]

    async def spent(self, since: datetime, person: Person | None = None) -> Spent:
        self._reach()
        asked = [
            one
            for one in self.writings.values()
            if one.at >= since
            and one.outcome not in _NOT_ASKED
            and person in {None, self._asker(one.exchange_id)}
        ]
        return Spent(
            answers=len(asked),
            shown=sum(one.outcome is WritingOutcome.SHOWN for one in asked),
            failed=sum(one.outcome is WritingOutcome.FAILED for one in asked),
            tokens_in=sum(one.tokens_in for one in asked),
            tokens_out=sum(one.tokens_out for one in asked),
            ms=sum(one.ms for one in asked),
        )

    async def chosen(self, exchange_id: str) -> bool:
        self._reach()
        return any(choice.exchange_id == exchange_id for choice in self.choices)

    def _asker(self, exchange_id: str) -> Person:
        question = self.exchanges[exchange_id].question
        return Person(question.where.platform, question.asked_by)
