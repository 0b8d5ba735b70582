"""The verb of written answers: once an exchange, within budgets, and never in anybody's way."""

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.breaker import LOOKED_AT, Breaker, breaker
from core.composing import Composed, Composer, Taken, as_cited
from core.errors import WriterError
from core.exchanges import Person
from core.outcomes import Answer, WeakAnswer
from core.ports import Clock
from core.service import Reply
from core.writings_port import Writings
from core.written import (
    Cited,
    FoundNothing,
    Spent,
    Writing,
    WritingOutcome,
    WrittenAnswer,
    WrittenOutcome,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Budgets:
    """How many answers may be written a day (UTC), in all and for one person."""

    a_day: int = 500
    a_person: int = 50


class Scribe:
    """Has a language model write over sections that are shown already.

    Whatever fails, the sections stay as they are: the outcome is then None, and the journal says
    why.
    """

    def __init__(
        self,
        composer: Composer,
        journal: Writings,
        clock: Clock,
        budgets: Budgets,
        *,
        patience: timedelta = timedelta(seconds=20),
    ) -> None:
        self._composer = composer
        self._journal = journal
        self._clock = clock
        self._budgets = budgets
        self._patience = patience
        self._admitting = asyncio.Lock()

    @property
    def model(self) -> str:
        """Return the model's name."""
        return self._composer.model

    async def write(self, reply: Reply) -> WrittenOutcome | None:
        """Write an answer for a reply, once an exchange; None where nothing is to be added.

        Raises:
            JournalUnavailable: it could not be said who has asked how much; nothing was written.
            NotFound: the journal has no such exchange.
        """
        if not isinstance(reply.outcome, Answer | WeakAnswer):
            return None
        started = await self._admitted(reply)
        return None if started is None else await self._written(reply, started)

    async def _admitted(self, reply: Reply) -> Writing | None:
        """Claim the exchange's one writing; None if it was begun before or must not be.

        One at a time, so that a budget's last answer is given once.
        """
        async with self._admitting:
            now = self._clock.now()
            state, held_back = await breaker_now(self._journal, self._patience), None
            if not state.allows(now):
                held_back = WritingOutcome.BREAKER
            elif await self._spent_all(reply, now):
                held_back = WritingOutcome.BUDGET
            if not await self._journal.claim_writing(reply.exchange_id, now):
                return None
            started = Writing(
                reply.exchange_id, now, WritingOutcome.STARTED, model=self._composer.model
            )
            if held_back is not None:
                await self._journal.record_writing(replace(started, outcome=held_back))
                log.info("%s: nothing is written: %s", reply.exchange_id, held_back)
                return None
            return started

    async def _spent_all(self, reply: Reply, now: datetime) -> bool:
        today, asker = day_of(now), reply.question
        person = Person(asker.where.platform, asker.asked_by)
        if (await self._journal.spent(today)).answers >= self._budgets.a_day:
            return True
        return (await self._journal.spent(today, person)).answers >= self._budgets.a_person

    async def _written(self, reply: Reply, started: Writing) -> WrittenOutcome | None:
        taken = Taken()
        ended = replace(started, outcome=WritingOutcome.FAILED, reason="fault")
        outcome: WrittenOutcome | None = None
        try:
            composed = await self._composer.compose(reply.question.text, reply.outcome, taken)
            ended, outcome = self._judged(composed, started, taken)
        except WriterError as error:
            ended = replace(ended, reason=error.reason)
            log.warning("%s: no written answer: %s", reply.exchange_id, error.reason)
        except asyncio.CancelledError:
            ended = replace(ended, reason="stopped")
            raise
        finally:
            await asyncio.shield(self._journal.record_writing(_with(ended, taken)))
        return outcome

    def _judged(
        self, composed: Composed, started: Writing, taken: Taken
    ) -> tuple[Writing, WrittenOutcome | None]:
        """Return what the journal keeps of a text, and what is shown of it."""
        prompt = "+".join(taken.prompts)
        if composed.says_no or composed.guarded is None:
            nothing = FoundNothing(self.model, prompt)
            return replace(started, outcome=WritingOutcome.NO_ANSWER), nothing
        checked = composed.guarded
        ended = replace(
            started,
            outcome=WritingOutcome.SHOWN if checked.useful else WritingOutcome.DROPPED,
            reason=composed.rules,
            kept=len(checked.kept),
            dropped=len(checked.dropped),
        )
        if not checked.useful:
            return ended, None
        cited = tuple(Cited(one.source.number, one.section) for one in as_cited(composed))
        tokens = taken.tokens_in + taken.tokens_out
        return ended, WrittenAnswer(checked.text, cited, self.model, prompt, tokens, taken.ms)


async def breaker_now(journal: Writings, patience: timedelta) -> Breaker:
    """Return the breaker's state, as the journal's last attempts tell it."""
    return breaker(await journal.last_writings(LOOKED_AT), patience)


async def spent_today(journal: Writings, now: datetime) -> Spent:
    """Return what was spent since midnight, UTC."""
    return await journal.spent(day_of(now))


def day_of(now: datetime) -> datetime:
    """Return the beginning of a day, in UTC."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _with(ended: Writing, taken: Taken) -> Writing:
    return replace(
        ended,
        prompt="+".join(taken.prompts),
        tokens_in=taken.tokens_in,
        tokens_out=taken.tokens_out,
        ms=round(taken.ms, 1),
    )
