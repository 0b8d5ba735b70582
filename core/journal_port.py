"""What the core needs from whoever remembers: the journal, as a Protocol."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from core.exchanges import (
    Choice,
    Escalation,
    Exchange,
    LoggedGap,
    MessageRef,
    Person,
    Reason,
    Recorded,
    Thread,
    Thumb,
)
from core.models import Platform, Question, Vote, Where
from core.writings_port import Writings


class Journal(Writings, Protocol):
    """Remembers what was asked, what was answered and how it went down.

    Every method raises JournalUnavailable when nothing could be saved or read, and NotFound when it
    was to record something about an exchange that is not there.
    """

    async def receive(self, exchange_id: str, question: Question) -> bool:
        """Record that a question was asked; False if its event was already received."""
        ...

    async def record_outcome(self, exchange_id: str, recorded: Recorded) -> None:
        """Record how an exchange ended; a later outcome replaces an earlier one."""
        ...

    async def record_message(
        self, exchange_id: str, message: MessageRef, part: int, *, more: bool = False
    ) -> None:
        """Remember that a message carries the exchange.

        `part` counts from 0; `more` says that further parts are yet to be posted.
        """
        ...

    async def exchange(self, exchange_id: str) -> Exchange | None:
        """Return an exchange with its messages in the order of their parts."""
        ...

    async def exchange_of(self, message: MessageRef) -> Exchange | None:
        """Return the exchange that a message carries."""
        ...

    async def unanswered(self, since: datetime) -> list[Exchange]:
        """Return exchanges asked since then that lack outcome, message or a part, oldest first."""
        ...

    async def recent(self, person: Person, limit: int) -> list[Exchange]:
        """Return what a person asked last, newest first."""
        ...

    async def record_thumb(self, thumb: Thumb) -> Exchange | None:
        """Record a thumb; None if neither its exchange nor its message is known."""
        ...

    async def votes(self, exchange_id: str) -> dict[Person, Vote]:
        """Return each person's newest thumb that still stands, over all messages of an exchange."""
        ...

    async def thumbs_on(self, message: MessageRef) -> set[tuple[Person, Vote]]:
        """Return the thumbs that stand on one message."""
        ...

    async def open_messages(self, platform: Platform, since: datetime) -> list[MessageRef]:
        """Return the messages, for all to see, of answers asked for since then, newest first.

        Not those by which somebody was told of an answer: votes on them come by buttons.
        """
        ...

    async def record_reason(self, reason: Reason) -> None:
        """Record why somebody voted; one a person and exchange, the newest stands."""
        ...

    async def record_choice(self, choice: Choice) -> None:
        """Record that somebody looked at another result."""
        ...

    async def record_gap(self, gap: LoggedGap) -> bool:
        """Record a gap logged by hand; False if that person had logged it already."""
        ...

    async def record_escalation(self, escalation: Escalation) -> bool:
        """Record that a human was asked; False if one had been asked already."""
        ...

    async def resolve_escalation(
        self, exchange_id: str, person: Person, note: str, at: datetime
    ) -> bool:
        """Record who resolved it; False if nobody had been asked or it is resolved already."""
        ...

    async def escalation(self, exchange_id: str) -> Escalation | None:
        """Return an exchange's escalation."""
        ...

    async def set_muted(self, where: Where, muted: bool, person: Person, at: datetime) -> None:
        """Silence or wake the bot in a thread (or in a channel, where there is no thread)."""
        ...

    async def muted(self, where: Where) -> bool:
        """Return whether the bot is silenced there."""
        ...

    async def record_thread(self, thread: Thread) -> None:
        """Remember a thread, or what was last asked in it and by whom."""
        ...

    async def thread(self, where: Where) -> Thread | None:
        """Return the thread that the bot knows at this place."""
        ...

    async def record_deleted(self, exchange_id: str, at: datetime) -> tuple[MessageRef, ...]:
        """Mark an exchange's messages deleted; returns those that were still there."""
        ...

    async def counts(self) -> Mapping[str, int]:
        """Return the number of rows by table, for `status`."""
        ...

    async def health(self) -> str:
        """Return an empty string, or one sentence that says what is wrong."""
        ...
