"""A person in every table of the journal, by the verbs that the channels use."""

from dataclasses import replace
from datetime import datetime

from core.exchanges import (
    Choice,
    Escalation,
    LoggedGap,
    MessageRef,
    Person,
    Reason,
    ReasonKind,
    Recorded,
    Thread,
    Thumb,
)
from core.models import Platform, Question, Vote, Where
from feedback.journal import SqliteJournal
from feedback.models import GapStatus
from tests.journals import NOON, RECORDED, minutes

ZOE, YAN = Person(Platform.SLACK, "UZOE7"), Person(Platform.SLACK, "UYAN8")
ROOM = Where(Platform.SLACK, "CROOM", "1700000000.000100")
WORDS = ("heliotrope", "marmalade", "oubliette", "periwinkle")
"""What only ZOE wrote: in a question, a reason, a right section, a note."""


def own_place(person: Person) -> Where:
    """Return the person's direct messages with the bot."""
    return Where(person.platform, f"D{person.user_id}", private=True)


async def asked(
    journal: SqliteJournal,
    exchange_id: str,
    person: Person,
    where: Where,
    text: str = "why?",
    at: datetime = NOON,
    recorded: Recorded = RECORDED,
) -> MessageRef:
    """Ask, be answered, and have the answer posted."""
    event_id = f"event {exchange_id} {person.user_id}"
    question = Question(text, "acme", person.user_id, at, where, event_id=event_id)
    await journal.receive(exchange_id, question)
    await journal.record_outcome(exchange_id, recorded)
    message = MessageRef(where.platform, where.channel_id, f"answer {exchange_id}")
    await journal.record_message(exchange_id, message, 0)
    return message


async def live(journal: SqliteJournal, person: Person, other: Person, at: datetime = NOON) -> None:
    """Let one person do all that can be done, on an exchange of their own and one of another's."""
    heliotrope, marmalade, oubliette, periwinkle = WORDS
    me = person.user_id
    mine, theirs = "mine", "theirs"
    message = await asked(journal, mine, person, ROOM, f"where is the {heliotrope}?", at)
    await asked(journal, "alone", person, own_place(person), f"{heliotrope} in private", at)
    elsewhere = await asked(journal, theirs, other, replace(ROOM, thread_id="other"), "yours?", at)
    for about, on in ((mine, message), (theirs, elsewhere)):
        await journal.record_thumb(Thumb(person, Vote.UP, True, at, on))
        await journal.record_thumb(Thumb(other, Vote.DOWN, True, at, on))
        reason = Reason(about, person, ReasonKind.OTHER, f"the {marmalade}", at, oubliette)
        await journal.record_reason(reason)
        await journal.record_choice(Choice(about, person, 1, "s3", at))
        await journal.record_gap(LoggedGap(about, person, at))
    await journal.record_escalation(Escalation(mine, person, at))
    await journal.resolve_escalation(mine, other, "by another", at)
    await journal.record_escalation(Escalation(theirs, other, at))
    await journal.resolve_escalation(theirs, person, f"with {periwinkle}", at)
    for where in (replace(ROOM, thread_id=""), own_place(person)):
        await journal.set_muted(where, True, person, at)
    await journal.record_thread(Thread(ROOM, me, mine, frozenset({me})))
    shared = frozenset({me, other.user_id})
    await journal.record_thread(Thread(replace(ROOM, thread_id="shared"), me, mine, shared))
    joined = replace(ROOM, thread_id="joined")
    await journal.record_thread(Thread(joined, other.user_id, theirs, shared))
    await journal.assign("acme", {"G-7KQ2": [mine], "G-2222": [theirs]}, at)
    await journal.decide("G-7KQ2", GapStatus.OWNED, by=person, at=at)
    await journal.decide("G-2222", GapStatus.OWNED, by=other, at=at)
    await journal.decide("G-2222", GapStatus.SNOOZED, by=person, at=at, until=minutes(60))
    await journal.claim_digest("acme", "weekly", "2026-01-05", at)
    await journal.claim_notice("G-7KQ2", person, "build-1", at)
    await journal.claim_notice("G-7KQ2", other, "build-1", at)
    await journal.set_notices(person, wanted=False, at=at)
    await journal.claim_writing(mine, at)
